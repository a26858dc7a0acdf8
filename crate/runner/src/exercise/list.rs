//! `exercise list`: the exercises in order, and how far the participant has come.

use super::folder::{Folder, Place};
use super::progress::{Entry, InFolder, Progress};
use crate::output::{self, Table};
use cornerturn::exercise::{Exercise, Workshop};
use serde_json::json;
use std::process::ExitCode;

/// List the exercises and your progress
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Print one JSON array instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the verb. It works without a folder too.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let folder = args.place.folder();
    let progress = Progress::read_or_tell(folder.path());
    if args.json {
        let rows = workshop.exercises().iter().map(|exercise| {
            let entry = progress.entry(&exercise.id);
            json!({
                "id": exercise.id,
                "title": exercise.title,
                "chapter": exercise.chapter,
                "kind": exercise.kind,
                "minutes": exercise.minutes,
                "state": state(&folder, exercise, &entry),
                "hints": entry.hints,
                "attempts": entry.attempts,
            })
        });
        let rows: Vec<_> = rows.collect();
        output::json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    output::print(table(&workshop, &folder, &progress))?;
    output::line(summary(&workshop, &folder, &progress))?;
    Ok(ExitCode::SUCCESS)
}

fn table(workshop: &Workshop, folder: &Folder, progress: &Progress) -> String {
    let mut table = Table::new([
        "exercise", "title", "chapter", "kind", "minutes", "state", "hints",
    ]);
    for exercise in workshop.exercises() {
        let entry = progress.entry(&exercise.id);
        table.row([
            exercise.id.clone(),
            exercise.title.clone(),
            exercise.chapter.clone(),
            exercise.kind.name().to_string(),
            exercise.minutes.to_string(),
            state(folder, exercise, &entry).to_string(),
            if entry.hints > 0 {
                entry.hints.to_string()
            } else {
                String::new()
            },
        ]);
    }
    table.render()
}

fn summary(workshop: &Workshop, folder: &Folder, progress: &Progress) -> String {
    let exercises = workshop.exercises();
    let passed = |exercise: &&Exercise| progress.entry(&exercise.id).passed.is_some();
    let minutes =
        |exercises: &mut dyn Iterator<Item = &Exercise>| exercises.map(|e| e.minutes).sum::<u32>();
    let text = format!(
        "{} of {} passed, {} of {} minutes",
        exercises.iter().filter(passed).count(),
        exercises.len(),
        minutes(&mut exercises.iter().filter(passed)),
        minutes(&mut exercises.iter()),
    );
    let next = exercises
        .iter()
        .find(|exercise| progress.entry(&exercise.id).is_open());
    match next {
        None => text,
        Some(exercise) if folder.has(exercise) => {
            let command = folder.command(&format!("check {}", exercise.id));
            format!(
                "{text}; next: edit {}, then `{command}`",
                folder.file(exercise).display()
            )
        }
        Some(exercise) => {
            let command = folder.command(&format!("start {}", exercise.id));
            format!("{text}; next: `{command}`")
        }
    }
}

/// How far the participant has come with an exercise, in a word or two.
pub fn state(folder: &Folder, exercise: &Exercise, entry: &Entry) -> &'static str {
    match (entry.passed, &entry.skipped, entry.solution_shown) {
        (Some(_), _, true) => "passed after the solution",
        (Some(_), ..) => "passed",
        (None, Some(_), _) => "skipped",
        (None, None, true) => "solution seen",
        (None, None, false) if folder.has(exercise) => "started",
        _ => "",
    }
}
