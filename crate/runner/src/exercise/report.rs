//! `exercise report`: the progress files of a room in one table.

use super::folder;
use super::progress::{FILE, Progress};
use crate::exit;
use crate::output::{self, Table};
use cornerturn::exercise::{Exercise, Workshop};
use cornerturn::record::date_of_seconds;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How deep progress files are looked for below a folder: `homes/ada/course/workshop`.
const DEPTH: usize = 4;

/// Collect participants' progress into one table
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Progress files, participants' folders, or folders of such folders
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// Grade what the participants have written again, instead of believing their files
    #[arg(long)]
    grade: bool,

    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// One participant.
struct Participant {
    name: String,
    file: PathBuf,
    progress: Result<Progress, String>,
    /// The exercises whose answer passes now; `None` where nothing was graded.
    graded: Option<Vec<String>>,
}

/// Runs the verb. It fails with 2 if a file cannot be read; the others are shown all the same.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let mut files = Vec::new();
    for given in &args.folders {
        if !given.exists() {
            return Err(exit::usage(format!("there is no {}", given.display())));
        }
        let before = files.len();
        find(given, DEPTH, &mut files);
        if files.len() == before {
            return Err(exit::usage(format!(
                "{} holds no {FILE}, nor does a folder in it",
                given.display()
            )));
        }
    }
    files.sort();
    files.dedup();
    let mut participants = participants(files);
    if args.grade {
        for participant in &mut participants {
            participant.graded = Some(grade(&workshop, participant)?);
        }
    }
    match args.json {
        true => output::json(&as_json(&workshop, &participants))?,
        false => output::print(table(&workshop, &participants))?,
    }
    let damaged: Vec<&String> = participants
        .iter()
        .filter_map(|p| p.progress.as_ref().err())
        .collect();
    match damaged[..] {
        [] => Ok(ExitCode::SUCCESS),
        _ => {
            let told: Vec<&str> = damaged.iter().map(|reason| reason.as_str()).collect();
            Err(exit::usage(told.join("\n       ")))
        }
    }
}

/// The progress files at or below a path; hidden folders and links are left out.
fn find(path: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        return files.push(path.to_path_buf());
    }
    let own = path.join(FILE);
    if own.is_file() {
        return files.push(own);
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let is_folder = |entry: &std::fs::DirEntry| {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        !hidden && depth > 0 && entry.file_type().is_ok_and(|ty| ty.is_dir())
    };
    let mut folders: Vec<PathBuf> = entries
        .filter(is_folder)
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
        .iter()
        .for_each(|folder| find(folder, depth - 1, files));
}

fn participants(files: Vec<PathBuf>) -> Vec<Participant> {
    let names = names(&files);
    let read = |(file, name): (PathBuf, String)| Participant {
        name,
        progress: read(&file),
        file,
        graded: None,
    };
    files.into_iter().zip(names).map(read).collect()
}

fn read(file: &Path) -> Result<Progress, String> {
    let shown = file.display();
    let bytes = cornerturn_basics::read_limited(file)
        .map_err(|error| format!("cannot read {shown}: {error}"))?;
    Progress::parse(&String::from_utf8_lossy(&bytes)).map_err(|reason| format!("{shown} {reason}"))
}

/// The exercises that a participant's answers pass now. One that cannot be read or graded passes nothing.
fn grade(workshop: &Workshop, participant: &Participant) -> anyhow::Result<Vec<String>> {
    let progress = participant.progress.as_ref().cloned().unwrap_or_default();
    let mut passing = Vec::new();
    for exercise in workshop.exercises() {
        output::progress(&format!("  {}: {} …", participant.name, exercise.id));
        let Some(source) = answer(&participant.file, exercise, &progress) else {
            continue;
        };
        match exercise.check_under(&progress.terms(None), &source) {
            Ok(verdict) if verdict.passed => passing.push(exercise.id.clone()),
            // Without a compiler there is nothing to say of anybody.
            Err(error @ cornerturn::Error::NoCompiler(_)) => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
    }
    output::progress("");
    Ok(passing)
}

/// What a participant answered: the file beside `progress.json`, else what the progress file itself holds. One of another
/// name was collected from somewhere, as pages export them, and what lies beside it is not the participant's.
fn answer(file: &Path, exercise: &Exercise, progress: &Progress) -> Option<String> {
    let folder = file.parent().filter(|_| file.ends_with(FILE));
    let beside =
        folder.and_then(|folder| folder::read_answer(&folder.join(exercise.file_name())).ok());
    let held = || Some(progress.entry(&exercise.id).answer).filter(|answer| !answer.is_empty());
    beside.or_else(held)
}

/// Folders as they differ: `ada` and `ben` for `homes/ada/workshop` and `homes/ben/workshop`.
fn names(files: &[PathBuf]) -> Vec<String> {
    let parts: Vec<Vec<String>> = files
        .iter()
        .map(|file| {
            let full = std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
            let own = if full.ends_with(FILE) {
                full.parent()
            } else {
                Some(full.as_path())
            };
            let parts = own.into_iter().flat_map(|path| path.iter());
            parts
                .map(|part| part.to_string_lossy().into_owned())
                .collect()
        })
        .collect();
    let first = parts.first().cloned().unwrap_or_default();
    let shared = |from_end: bool| {
        let at = |parts: &[String], i: usize| match from_end {
            true => parts
                .len()
                .checked_sub(i + 1)
                .and_then(|i| parts.get(i))
                .cloned(),
            false => parts.get(i).cloned(),
        };
        (0..first.len())
            .take_while(|&i| parts.iter().all(|other| at(other, i) == at(&first, i)))
            .count()
    };
    let (start, end) = match parts.len() {
        // One alone differs from nobody.
        0 | 1 => (first.len().saturating_sub(1), 0),
        _ => (shared(false), shared(true)),
    };
    parts
        .iter()
        .map(|parts| {
            let end = parts.len().saturating_sub(end).max(start);
            parts
                .get(start..end)
                .filter(|rest| !rest.is_empty())
                .map_or_else(|| parts.join("/"), |rest| rest.join("/"))
        })
        .collect()
}

/// What the table says of one participant.
struct Sums {
    passed: usize,
    after_solution: usize,
    skipped: usize,
    hints: u32,
    attempts: u32,
    minutes: u64,
    last: String,
    /// The exercise that was begun last and is still open, with the attempts and the minutes that it has taken.
    at: String,
}

impl Sums {
    fn of(workshop: &Workshop, progress: &Progress) -> Self {
        let entries: Vec<_> = workshop
            .exercises()
            .iter()
            .map(|exercise| progress.entry(&exercise.id))
            .collect();
        Self {
            passed: entries
                .iter()
                .filter(|entry| entry.passed.is_some())
                .count(),
            after_solution: entries
                .iter()
                .filter(|e| e.passed.is_some() && e.solution_shown)
                .count(),
            skipped: entries.iter().filter(|entry| entry.is_skipped()).count(),
            hints: entries
                .iter()
                .fold(0, |sum, entry| sum.saturating_add(entry.hints)),
            attempts: entries
                .iter()
                .fold(0, |sum, entry| sum.saturating_add(entry.attempts)),
            minutes: progress.active_seconds.div_ceil(60),
            last: match progress.last {
                0 => String::new(),
                seconds => date_of_seconds(seconds),
            },
            at: at(workshop, progress),
        }
    }
}

/// Where a participant is, and since when: "tiled, 4 attempts, 12 minutes".
fn at(workshop: &Workshop, progress: &Progress) -> String {
    let exercises = workshop.exercises().iter();
    let open = exercises.filter_map(|exercise| {
        let entry = progress.entry(&exercise.id);
        Some((entry.is_open().then_some(entry.started?)?, exercise, entry))
    });
    let Some((started, exercise, entry)) = open.max_by_key(|(started, ..)| *started) else {
        return String::new();
    };
    let minutes = progress.last.saturating_sub(started).div_ceil(60);
    let attempts = entry.attempts;
    format!("{}, {attempts} attempts, {minutes} minutes", exercise.id)
}

fn table(workshop: &Workshop, participants: &[Participant]) -> String {
    let total = workshop.exercises().len();
    let mut table = Table::new([
        "participant",
        "passed",
        "graded again",
        "of",
        "after the solution",
        "skipped",
        "hints",
        "attempts",
        "minutes",
        "last",
        "at",
        "file",
    ]);
    for participant in participants {
        let Ok(progress) = &participant.progress else {
            table.row([participant.name.clone(), "–".to_string()]);
            continue;
        };
        let sums = Sums::of(workshop, progress);
        table.row([
            participant.name.clone(),
            sums.passed.to_string(),
            participant
                .graded
                .as_ref()
                .map_or("–".to_string(), |ids| ids.len().to_string()),
            total.to_string(),
            sums.after_solution.to_string(),
            sums.skipped.to_string(),
            sums.hints.to_string(),
            sums.attempts.to_string(),
            sums.minutes.to_string(),
            sums.last,
            sums.at,
            (if progress.edited { "edited" } else { "sealed" }).to_string(),
        ]);
    }
    table.render() + &by_exercise(workshop, participants)
}

/// How the room fares with each exercise.
fn by_exercise(workshop: &Workshop, participants: &[Participant]) -> String {
    let mut table = Table::new(["exercise", "passed", "skipped", "hints", "attempts"]);
    for exercise in workshop.exercises() {
        let read = participants
            .iter()
            .filter_map(|participant| participant.progress.as_ref().ok());
        let entries: Vec<_> = read.map(|progress| progress.entry(&exercise.id)).collect();
        let sum = |number: fn(&super::progress::Entry) -> u32| {
            entries
                .iter()
                .fold(0_u32, |sum, entry| sum.saturating_add(number(entry)))
                .to_string()
        };
        table.row([
            exercise.id.clone(),
            sum(|entry| entry.passed.is_some().into()),
            sum(|entry| entry.is_skipped().into()),
            sum(|entry| entry.hints),
            sum(|entry| entry.attempts),
        ]);
    }
    format!("\n{}", table.render())
}

fn as_json(workshop: &Workshop, participants: &[Participant]) -> Value {
    let one = |participant: &Participant| match &participant.progress {
        Err(reason) => {
            json!({ "participant": participant.name, "file": participant.file, "error": reason })
        }
        Ok(progress) => {
            let sums = Sums::of(workshop, progress);
            let mut noted = progress.exercises.clone();
            noted.values_mut().for_each(|entry| entry.answer.clear());
            json!({
                "participant": participant.name,
                "file": participant.file,
                "passed": sums.passed,
                "after_solution": sums.after_solution,
                "skipped": sums.skipped,
                "hints": sums.hints,
                "attempts": sums.attempts,
                "minutes": sums.minutes,
                "last": sums.last,
                "at": sums.at,
                "edited": progress.edited,
                "graded_again": participant.graded,
                "exercises": noted,
            })
        }
    };
    json!({
        "exercises": workshop.exercises().len(),
        "participants": participants.iter().map(one).collect::<Vec<_>>(),
    })
}
