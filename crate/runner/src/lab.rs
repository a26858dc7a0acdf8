//! Verb `lab`: sets up JupyterLab and the evcxr kernel, and opens the notebooks.

use std::process::ExitCode;

/// Open the notebooks in JupyterLab.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`lab` is not there yet")
}
