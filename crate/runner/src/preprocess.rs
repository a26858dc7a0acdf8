//! Hidden verb `preprocess`: the book's preprocessor as plain `mdbook build` calls it.

use crate::book::{failure, options};
use cornerturn::paths;
use cornerturn_preprocessor::{preprocess_stdin, supports};
use std::process::ExitCode;

/// Speak mdBook's preprocessor protocol on stdin and stdout.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Option<Question>,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Whether this renderer is served: exit status 0 or 1.
    Supports {
        /// The renderer's name.
        renderer: String,
    },
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(Question::Supports { renderer }) = args.question {
        return Ok(if supports(&renderer) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    let (options, _) = options(&paths::root()?)?;
    preprocess_stdin(&options).map_err(failure)?;
    Ok(ExitCode::SUCCESS)
}
