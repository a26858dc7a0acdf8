//! Verb `exercise`: the workshop in the terminal. Which verbs there are stands here; grading is `cornerturn::exercise`'s.

mod check;
mod folder;
mod help;
mod list;
mod progress;
mod report;
mod start;
mod trivial;
mod verify;
mod watch;

use crate::compiler;
use std::process::ExitCode;

/// Exercises that are graded by what your kernel did: start, check, watch, hint, solution
///
/// Your files and your progress are kept in a folder of your own, ./workshop unless --dir names another (or the current
/// folder, where it is one). Grading needs no GPU.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,

    #[command(flatten)]
    compiler: compiler::Chosen,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(list::Args),
    Start(start::Args),
    Check(check::Args),
    Watch(watch::Args),
    Hint(help::HintArgs),
    Solution(help::SolutionArgs),
    Reset(help::ResetArgs),
    Skip(help::SkipArgs),
    Report(report::Args),
    Verify(verify::Args),
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.compiler.choose();
    match args.verb {
        Verb::List(args) => list::run(args),
        Verb::Start(args) => start::run(args),
        Verb::Check(args) => check::run(args),
        Verb::Watch(args) => watch::run(args),
        Verb::Hint(args) => help::hint(args),
        Verb::Solution(args) => help::solution(args),
        Verb::Reset(args) => help::reset(args),
        Verb::Skip(args) => help::skip(args),
        Verb::Report(args) => report::run(args),
        Verb::Verify(args) => verify::run(args),
    }
}
