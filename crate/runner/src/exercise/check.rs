//! `exercise check`: grades the participant's files, one with its whole verdict or several in a table, and notes what passed.

use super::folder::{self, Folder, Place};
use super::list::state;
use super::progress::{InFolder, Progress, now};
use crate::exit;
use crate::output::{self, Table};
use cornerturn::exercise::{Exercise, Verdict, Workshop};
use cornerturn::registry::sha256;
use serde_json::json;
use std::process::ExitCode;

/// Grade your answers: compiled, run on the emulator on several shapes, counted
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exercises [default: all that you have started]
    #[arg(value_name = "NAME", conflicts_with = "all")]
    names: Vec<String>,

    /// All that you have started
    #[arg(long)]
    all: bool,

    /// Draw the matrices from this seed, as an earlier verdict told it; what passes so is not noted
    #[arg(long)]
    seed: Option<u64>,

    #[command(flatten)]
    place: Place,

    /// Print one JSON array of verdicts
    #[arg(long)]
    json: bool,
}

/// An exercise's verdict, or why there is none.
type Graded<'w> = (&'w Exercise, anyhow::Result<Verdict>);

/// Runs the verb. It fails with 1 if some answer does not pass.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let folder = args.place.folder();
    let single = args.names.len() == 1;
    let names = args.names.iter().map(|name| folder::named(&workshop, name));
    let mut chosen = names.collect::<anyhow::Result<Vec<_>>>()?;
    folder.check_exists()?;
    if chosen.is_empty() {
        chosen = folder.started(&workshop);
        if chosen.is_empty() {
            return Err(exit::usage(format!(
                "{} holds no exercise; `{}` writes the first",
                folder.path().display(),
                folder.command("start")
            )));
        }
    }
    let mut graded: Vec<Graded> = Vec::with_capacity(chosen.len());
    for (number, &exercise) in chosen.iter().enumerate() {
        output::progress(&format!(
            "  {} ({} of {}) …",
            exercise.id,
            number + 1,
            chosen.len()
        ));
        let verdict = grade(&folder, exercise, args.seed);
        output::progress("");
        // What this machine lacks for one, it lacks for all.
        let stop = verdict.as_ref().is_err_and(lacks);
        graded.push((exercise, verdict));
        if stop {
            break;
        }
    }
    finish(&workshop, &folder, graded, single, args.json)
}

fn lacks(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(cornerturn::Error::NoCompiler(_)))
}

fn finish(
    workshop: &Workshop,
    folder: &Folder,
    graded: Vec<Graded>,
    single: bool,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let all_passed = graded
        .iter()
        .all(|(_, verdict)| verdict.as_ref().is_ok_and(|v| v.passed));
    if as_json {
        let verdicts: Vec<_> = graded
            .iter()
            .map(|(exercise, verdict)| match verdict {
                Ok(verdict) => serde_json::to_value(verdict),
                Err(error) => Ok(json!({ "exercise": exercise.id, "passed": false, "error": output::sentence(error) })),
            })
            .collect::<Result<_, _>>()?;
        output::json(&verdicts)?;
    } else if !single {
        output::print(table(folder, &graded))?;
    }
    let mut first_error = None;
    for (exercise, verdict) in graded {
        match verdict {
            Ok(verdict) if single && !as_json => {
                output::print(told(workshop, folder, exercise, verdict))?
            }
            Ok(_) => {}
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    match first_error {
        Some(error) => Err(error),
        None if all_passed => Ok(ExitCode::SUCCESS),
        None => Ok(exit::Status::Wrong.into()),
    }
}

/// Grades the participant's file and notes it. With a seed of the participant's own it notes nothing: they know the
/// matrices that it draws.
pub fn grade(folder: &Folder, exercise: &Exercise, seed: Option<u64>) -> anyhow::Result<Verdict> {
    let source = folder.read(exercise)?;
    let terms = Progress::read(folder.path())
        .unwrap_or_default()
        .terms(seed);
    let mut verdict = exercise.check_under(&terms, &source)?;
    if !verdict.passed {
        let hint = folder.command(&format!("hint {}", exercise.id));
        verdict.next = format!("next: `{hint}` gives a hint");
    }
    if seed.is_some() {
        return Ok(verdict);
    }
    let text = sha256(source.as_bytes());
    Progress::change(folder.path(), &exercise.id, |entry| {
        let now = now();
        entry.started.get_or_insert(now);
        if entry.passed.is_none() && entry.checked != text {
            entry.attempts = entry.attempts.saturating_add(1);
        }
        entry.checked = text;
        entry.keep(&source, verdict.passed);
        if verdict.passed {
            entry.passed.get_or_insert(now);
            entry.skipped = None;
        }
    })?;
    Ok(verdict)
}

/// A verdict and what comes after it.
pub fn told(workshop: &Workshop, folder: &Folder, exercise: &Exercise, verdict: Verdict) -> String {
    let mut text = verdict.to_string();
    if !verdict.passed {
        return text;
    }
    let progress = Progress::read(folder.path()).unwrap_or_default();
    let rest = workshop
        .exercises()
        .iter()
        .skip_while(|other| other.id != exercise.id);
    let next = rest
        .chain(workshop.exercises())
        .find(|other| progress.entry(&other.id).is_open());
    text.push_str(&match next {
        None => "  that was the last one: every exercise is passed or skipped\n".to_string(),
        Some(next) if folder.has(next) => {
            format!(
                "  next: {}, `{}`\n",
                next.title,
                folder.command(&format!("check {}", next.id))
            )
        }
        Some(next) => format!(
            "  next: {}, `{}`\n",
            next.title,
            folder.command(&format!("start {}", next.id))
        ),
    });
    text
}

fn table(folder: &Folder, graded: &[Graded]) -> String {
    let progress = Progress::read(folder.path()).unwrap_or_default();
    let mut table = Table::new(["exercise", "verdict", "state", "what is missing"]);
    let mut passed = 0;
    for (exercise, verdict) in graded {
        let (word, missing) = match verdict {
            Ok(verdict) if verdict.passed => (verdict.word(), String::new()),
            Ok(verdict) => (
                verdict.word(),
                verdict
                    .failure()
                    .map_or(String::new(), |(step, _)| step.claim.clone()),
            ),
            Err(error) => ("error", output::sentence(error)),
        };
        passed += usize::from(word == "passed");
        let entry = progress.entry(&exercise.id);
        let missing = missing.lines().next().unwrap_or_default().to_string();
        table.row([
            exercise.id.as_str(),
            word,
            state(folder, exercise, &entry),
            &missing,
        ]);
    }
    let check = folder.command("check NAME");
    format!(
        "{}{passed} of {} pass; `{check}` shows a whole verdict\n",
        table.render(),
        graded.len()
    )
}
