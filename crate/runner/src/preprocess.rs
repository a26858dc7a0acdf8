//! Verb `preprocess`: the book's preprocessor, as mdBook calls it.

use std::process::ExitCode;

/// Speak mdBook's preprocessor protocol on stdin and stdout.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`preprocess` is not there yet")
}
