//! Verb `verify`: everything that is tested, in one go, as CI does it. What each step does lives in
//! `verify/`; here is what runs beside what, and what is told of them.

mod agreement;
mod axe;
mod browser;
mod firefox;
mod fuzzing;
mod laboratory;
mod links;
mod pages;
mod places;
mod preview;
mod records;
mod steps;
mod systems;
mod webassembly;

use crate::{exit, output, process};
use cornerturn::paths;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;
use steps::STEPS;

/// Run all the tests, as CI does: format, lints, tests, docs, kernels, notebooks, the book.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the slow steps: they build the book, look at its pages and run the notebooks.
    #[arg(long)]
    quick: bool,
    /// Run only these steps.
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
    /// Write a picture of each page, light and dark, wide and narrow, into this folder.
    #[arg(long, value_name = "DIR")]
    screenshots: Option<PathBuf>,
    /// Run nothing: draw the picture that a link to a page shows elsewhere anew. It needs a browser.
    #[arg(long, conflicts_with_all = ["quick", "screenshots", "steps"])]
    preview: bool,
    /// Print one JSON object: steps, each with name, claim, outcome (passed, skipped or failed), seconds and said; passed,
    /// failed, skipped
    #[arg(long, conflicts_with = "preview")]
    json: bool,
}

/// What a step needs to know.
struct Context {
    root: PathBuf,
    /// A copy of this binary: while some steps run it, others rebuild it.
    program: PathBuf,
    screenshots: Option<PathBuf>,
    /// Held by a step that builds the binary otherwise than the others do, and by one that runs what was built: both lie in
    /// the same place.
    built: Mutex<()>,
}

impl Context {
    /// Waits until no other step builds the binary or runs what was built.
    fn hold_built(&self) -> MutexGuard<'_, ()> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cargo in the project's folder: the one that runs this, where one does.
    fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root);
        command
    }

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
    lane: Lane,
    run: fn(&Context, &str) -> anyhow::Result<Outcome>,
}

/// Which steps run beside which. Those of one lane run one after another, as they need each other's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// Before all others, also where only some of them are asked for: they need what it makes.
    First,
    /// The sources, and what they compile to.
    Sources,
    /// The book and the notebooks: most of the time one cell is compiled or run, on one core.
    Cells,
    /// What needs nothing of the others: whichever lane is done with its own takes the next.
    Either,
}

/// How a step that did not fail ended.
enum Outcome {
    /// It passed; what was counted, or nothing.
    Passed(String),
    /// It could not be tried here, and why.
    Skipped(String),
}

fn draw_preview(root: &Path) -> anyhow::Result<ExitCode> {
    let Some(program) = browser::find() else {
        return Err(exit::lacks(
            "no browser is installed: Debian's package chromium would do, or set CORNERTURN_BROWSER",
        ));
    };
    let drawn = preview::draw(root, &program, &root.join("target").join("verify"))?;
    output::line(drawn.display())?;
    Ok(ExitCode::SUCCESS)
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
    let root = paths::root()?;
    if args.preview {
        return draw_preview(&root);
    }
    let context = Context {
        program: root.join("target").join("verify").join("cornerturn"),
        root,
        screenshots: args.screenshots.map(std::path::absolute).transpose()?,
        built: Mutex::default(),
    };
    process::copy_self(&context.program)?;
    let start = Instant::now();
    let tally = Tally::default();
    let taken: Vec<AtomicBool> = STEPS.iter().map(|_| AtomicBool::new(false)).collect();
    let run_lane = |lane: Lane| {
        for (index, step) in STEPS.iter().enumerate() {
            let named = args.steps.iter().any(|name| name == step.name);
            let chosen = named || args.steps.is_empty() || lane == Lane::First;
            if chosen && step.lane == lane && !taken[index].swap(true, Ordering::Relaxed) {
                tally.run(index + 1, step, &context, args.quick);
            }
        }
    };
    run_lane(Lane::First);
    thread::scope(|scope| {
        for lane in [Lane::Cells, Lane::Sources] {
            scope.spawn(move || {
                run_lane(lane);
                run_lane(Lane::Either);
            });
        }
    });
    tally.tell(start, args.json)
}

/// How the steps ended.
#[derive(Default)]
struct Tally {
    ended: Mutex<Ended>,
}

#[derive(Default)]
struct Ended {
    passed: usize,
    skipped: usize,
    /// The names of those that failed, and what each said.
    failed: Vec<(&'static str, String)>,
    /// All of them, as JSON tells them.
    told: Vec<serde_json::Value>,
}

impl Tally {
    /// Runs a step and tells how it ended.
    fn run(&self, number: usize, step: &Step, context: &Context, quick: bool) {
        eprintln!("{number:2}. {}: {}", step.name, step.claim);
        let start = Instant::now();
        let result = match step.lane == Lane::Cells && quick {
            true => Ok(Outcome::Skipped("left out by --quick".into())),
            false => (step.run)(context, step.name),
        };
        let seconds = start.elapsed().as_secs_f64();
        // Held while it is told, so that the lines of one step stay together.
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        output::progress("");
        let (outcome, said) = match &result {
            Ok(Outcome::Passed(counted)) => ("passed", counted.clone()),
            Ok(Outcome::Skipped(why)) => ("skipped", why.clone()),
            Err(error) => ("failed", output::sentence(error)),
        };
        ended.told.push(serde_json::json!({
            "name": step.name,
            "claim": step.claim,
            "outcome": outcome,
            "seconds": seconds,
            "said": said,
        }));
        match result {
            Ok(Outcome::Passed(counted)) => {
                ended.passed += 1;
                let colon = if counted.is_empty() { "" } else { ": " };
                eprintln!("    {} passed in {seconds:.1} s{colon}{counted}", step.name);
            }
            Ok(Outcome::Skipped(why)) => {
                ended.skipped += 1;
                eprintln!("    {} SKIPPED: {why}", step.name);
            }
            Err(error) => {
                let why = output::sentence(&error);
                eprintln!("    {} FAILED after {seconds:.1} s: {why}", step.name);
                ended.failed.push((step.name, why));
            }
        }
    }

    /// Tells how all of them ended.
    fn tell(self, start: Instant, as_json: bool) -> anyhow::Result<ExitCode> {
        let ended = self
            .ended
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        eprintln!(
            "{minutes:.1} minutes, {:.0} seconds of the processor; the steps' output is kept in target/verify",
            process::processor_seconds()
        );
        let (passed, failed, skipped) = (ended.passed, ended.failed, ended.skipped);
        if !failed.is_empty() {
            // Once more, as what passed after it stands between.
            for (name, why) in &failed {
                eprintln!("{name} FAILED: {why}");
            }
            let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            eprintln!("failed: {names}; one alone: `cargo verify STEP`");
        }
        match as_json {
            true => output::json(&serde_json::json!({
                "steps": ended.told,
                "passed": passed,
                "failed": failed.len(),
                "skipped": skipped,
            }))?,
            false => output::line(format_args!(
                "{passed} passed, {} failed, {skipped} skipped",
                failed.len()
            ))?,
        }
        Ok(match failed.is_empty() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }
}
