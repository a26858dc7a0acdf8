//! Verb `book`: builds the book, running every cell, and serves it on request.

use std::process::ExitCode;

/// Build the book, running every cell on this machine.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    anyhow::bail!("`book` is not there yet")
}
