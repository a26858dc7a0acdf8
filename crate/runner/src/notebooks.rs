//! Verb `notebooks`: writes the chapters as notebooks, or tells which are stale.

use crate::book::failure;
use crate::{exit, output};
use cornerturn::paths;
use cornerturn_preprocessor::{check_notebooks, write_notebooks};
use std::process::ExitCode;

/// Write the chapters as notebooks, without outputs.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; fail if a notebook is not as its chapter says.
    #[arg(long)]
    check: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if !args.check {
        for path in write_notebooks(&root).map_err(failure)? {
            println!("{}", path.display());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let stale = check_notebooks(&root).map_err(failure)?;
    for notebook in &stale {
        output::step(notebook.to_string());
    }
    match stale.len() {
        0 => {
            println!("the notebooks are as their chapters say");
            Ok(ExitCode::SUCCESS)
        }
        count => Err(exit::wrong(format!(
            "{count} notebooks are not as their chapters say: run `cargo cornerturn notebooks`"
        ))),
    }
}
