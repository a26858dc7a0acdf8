//! Hidden verb `__cells`: the child process that holds one evcxr session of a build of the book.

use cornerturn_preprocessor::cell_worker_main;
use std::process::ExitCode;

/// Run cells for the process that started this one.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    cell_worker_main()?;
    Ok(ExitCode::SUCCESS)
}
