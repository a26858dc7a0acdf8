//! Verb `verify`: all the tests: what CI runs.

use std::process::ExitCode;

/// Run all the tests, as CI does.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`verify` is not there yet")
}
