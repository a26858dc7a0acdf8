//! The command line of `cornerturn`: names the verbs and hands over to them. What a verb does lives in its own file.

// A test that cannot go on fails.
#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(feature = "book")]
mod book;
#[cfg(feature = "book")]
mod lab;
#[cfg(feature = "book")]
mod notebooks;
#[cfg(feature = "book")]
mod page;
#[cfg(feature = "book")]
mod preprocess;
#[cfg(feature = "book")]
mod process;
#[cfg(feature = "book")]
mod profiles;
#[cfg(feature = "book")]
mod toolchain;
#[cfg(feature = "book")]
mod values;
#[cfg(feature = "book")]
mod verify;

mod bench;
mod carried;
mod claims;
mod compile;
mod compiler;
mod completions;
mod desktop;
mod device;
mod doctor;
mod exercise;
mod exit;
mod interrupt;
mod json;
mod kernels;
mod launch;
mod list;
mod man;
mod open;
mod output;
mod pack;
mod package;
mod partial;
mod predict;
mod program;
mod record;
mod run;
mod source;
mod system;
mod tune;
mod turns;
mod wheels;

use clap::{CommandFactory, Parser, Subcommand};
use cornerturn_basics::shortened_message;
use std::process::ExitCode;

/// With the commit that it was built from, and that commit's day.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("CORNERTURN_BUILT_FROM"),
    ", ",
    env!("CORNERTURN_BUILT_FROM_DAY"),
    ")"
);

/// Learns GPU memory with one operation, the matrix transpose: runs kernels, counts what they do to memory, measures
/// them, and builds the book that tells about it.
#[derive(Debug, Parser)]
#[command(name = "cornerturn", version = VERSION)]
#[cfg_attr(
    not(feature = "book"),
    command(
        after_help = "This is the small binary. The verbs `book`, `lab`, `notebooks` and `verify` are in the full one, \
                      which is built in a clone of the project: `cargo cornerturn`."
    )
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Open(open::Args),
    Doctor(doctor::Args),
    List(list::Args),
    Launch(launch::Args),
    Program(program::Args),
    Run(run::Args),
    Bench(bench::Args),
    Record(record::Args),
    Tune(tune::Args),
    Compile(compile::Args),
    Kernels(kernels::Args),
    Exercise(exercise::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(hide = true)]
    Package(package::Args),
    #[command(hide = true, name = "__once")]
    Once(record::OnceArgs),
    #[cfg(feature = "book")]
    Book(book::Args),
    #[cfg(feature = "book")]
    Lab(lab::Args),
    #[cfg(feature = "book")]
    Notebooks(notebooks::Args),
    #[cfg(feature = "book")]
    Verify(verify::Args),
    #[cfg(feature = "book")]
    #[command(hide = true)]
    Preprocess(preprocess::Args),
}

fn main() -> ExitCode {
    carried::announce();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let result = match cli.verb {
        Verb::Open(args) => open::run(args),
        Verb::Doctor(args) => doctor::run(args),
        Verb::List(args) => list::run(args),
        Verb::Launch(args) => launch::run(args),
        Verb::Program(args) => program::run(args),
        Verb::Run(args) => run::run(args),
        Verb::Bench(args) => bench::run(args),
        Verb::Record(args) => record::run(args),
        Verb::Tune(args) => tune::run(args),
        Verb::Compile(args) => compile::run(args),
        Verb::Kernels(args) => kernels::run(args),
        Verb::Exercise(args) => exercise::run(args),
        Verb::Completions(args) => completions::run(&args, Cli::command()),
        Verb::Man(args) => man::run(&args, Cli::command()),
        Verb::Package(args) => package::run(&args),
        Verb::Once(args) => record::once(args),
        #[cfg(feature = "book")]
        Verb::Book(args) => book::run(args),
        #[cfg(feature = "book")]
        Verb::Lab(args) => lab::run(args),
        #[cfg(feature = "book")]
        Verb::Notebooks(args) => notebooks::run(args),
        #[cfg(feature = "book")]
        Verb::Verify(args) => verify::run(args),
        #[cfg(feature = "book")]
        Verb::Preprocess(args) => preprocess::run(args),
    };
    result.unwrap_or_else(|error| {
        if wants_json() {
            output::error_as_json(&error);
        }
        output::error(&error);
        exit::of(&error).into()
    })
}

/// Prints what is wrong with the command line, or the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader that has gone away needs no help.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let told = no_json(error).unwrap_or_else(|| error.to_string());
    let text = shortened_message(&told);
    if wants_json() {
        // After an empty line clap repeats the usage.
        let sentence = text
            .split("\n\n")
            .next()
            .unwrap_or(&text)
            .trim_start_matches("error: ");
        let sentence: Vec<&str> = sentence.lines().map(str::trim).collect();
        output::error_as_json(&exit::usage(sentence.join(" ")));
    }
    output::say(&text);
    exit::Status::Usage.into()
}

/// What is said where a verb is asked for JSON that prints none; nothing of another mistake.
fn no_json(error: &clap::Error) -> Option<String> {
    let is_unknown = error.kind() == clap::error::ErrorKind::UnknownArgument;
    let named = error.get(clap::error::ContextKind::InvalidArg);
    let is_json = named.is_some_and(|named| named.to_string() == "--json");
    let verb = std::env::args().nth(1).unwrap_or_default();
    (is_unknown && is_json).then(|| {
        format!(
            "error: `cornerturn {verb}` has no --json here: what it gives is files, a page or a session, and its exit status \
             tells how it ended; {WITH_JSON} print JSON, and the book's page \"What --json prints\" says what\n"
        )
    })
}

/// The verbs that print JSON.
const WITH_JSON: &str = "bench, book, compile, doctor, exercise (all but watch), kernels, launch, list, notebooks, \
                         program, record, run, tune and verify";

/// Whether the command line asks for JSON, before it is understood.
fn wants_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}
