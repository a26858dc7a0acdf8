//! Verb `verify`: everything that is tested, in one go, as CI does it. What each step does lives in
//! `verify/`; here is their order and what is told of them.

mod browser;
mod fuzzing;
mod links;
mod pages;
mod records;
mod server;
mod steps;
mod webassembly;

use crate::{exit, output};
use cornerturn::paths;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use steps::STEPS;

/// Run all the tests, as CI does: format, lints, tests, docs, kernels, notebooks, the book.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the slow steps: they build the book and run the notebooks.
    #[arg(long)]
    quick: bool,
    /// Run only these steps.
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
    /// Write a picture of each page, light and dark, wide and narrow, into this folder.
    #[arg(long, value_name = "DIR")]
    screenshots: Option<PathBuf>,
}

/// What a step needs to know.
struct Context {
    root: PathBuf,
    /// This binary. A step may rebuild it: then the system no longer knows it by its name.
    program: PathBuf,
    screenshots: Option<PathBuf>,
}

impl Context {
    /// Where a step's output is kept.
    fn log(&self, step: &str) -> PathBuf {
        self.root
            .join("target")
            .join("verify")
            .join(format!("{step}.log"))
    }
}

/// One thing that is tested.
struct Step {
    name: &'static str,
    /// What holds if it passes.
    claim: &'static str,
    slow: bool,
    run: fn(&Context, &str) -> anyhow::Result<Outcome>,
}

/// How a step that did not fail ended.
enum Outcome {
    /// It passed; what was counted, or nothing.
    Passed(String),
    /// It could not be tried here, and why.
    Skipped(String),
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    if let Some(unknown) = args
        .steps
        .iter()
        .find(|name| !names.contains(&name.as_str()))
    {
        let names = names.join(", ");
        return Err(exit::usage(format!(
            "there is no step `{unknown}`; there are: {names}"
        )));
    }
    let context = Context {
        root: paths::root()?,
        program: std::env::current_exe()?,
        screenshots: args.screenshots.map(std::path::absolute).transpose()?,
    };
    let chosen = |step: &&Step| args.steps.is_empty() || args.steps.iter().any(|n| n == step.name);
    let (mut passed, mut skipped, mut failed) = (0, 0, Vec::new());
    let start = Instant::now();
    for (number, step) in STEPS.iter().filter(chosen).enumerate() {
        eprintln!("{:2}. {}: {}", number + 1, step.name, step.claim);
        let start = Instant::now();
        let result = match step.slow && args.quick {
            true => Ok(Outcome::Skipped("left out by --quick".into())),
            false => (step.run)(&context, step.name),
        };
        output::progress("");
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(Outcome::Passed(counted)) => {
                passed += 1;
                let colon = if counted.is_empty() { "" } else { ": " };
                eprintln!("    passed in {seconds:.1} s{colon}{counted}");
            }
            Ok(Outcome::Skipped(why)) => {
                skipped += 1;
                eprintln!("    SKIPPED: {why}");
            }
            Err(error) => {
                failed.push(step.name);
                eprintln!(
                    "    FAILED after {seconds:.1} s: {}",
                    output::sentence(&error)
                );
            }
        }
    }
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    eprintln!("{minutes:.1} minutes; the steps' output is kept in target/verify");
    if !failed.is_empty() {
        eprintln!(
            "failed: {}; one alone: `cargo verify STEP`",
            failed.join(", ")
        );
    }
    println!(
        "{passed} passed, {} failed, {skipped} skipped",
        failed.len()
    );
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
