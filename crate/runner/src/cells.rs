//! Verb `cells`: the child process in which cells run.

use std::process::ExitCode;

/// Run cells for the parent process.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`cells` is not there yet")
}
