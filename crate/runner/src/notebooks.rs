//! Verb `notebooks`: writes the notebooks from the chapters, or checks that they are fresh.

use std::process::ExitCode;

/// Write the notebooks from the chapters.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`notebooks` is not there yet")
}
