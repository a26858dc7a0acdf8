//! Verb `kernels`.

use std::process::ExitCode;

/// Not there yet.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`kernels` is not there yet")
}
