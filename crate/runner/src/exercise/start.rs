//! `exercise start`: writes starters into the participant's folder. It never writes over a file.

use super::folder::{self, Folder, Place};
use super::progress::{InFolder, Progress, now};
use crate::{exit, output};
use cornerturn::exercise::{Exercise, Workshop};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// Write an exercise's starter into your folder; what you have written is never replaced
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exercises [default: the next one]
    #[arg(value_name = "NAME", conflicts_with = "all")]
    names: Vec<String>,

    /// All of them
    #[arg(long)]
    all: bool,

    /// Print a list of JSON objects: exercise, title, file, is_new, task, questions; or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let folder = args.place.folder();
    let chosen = chosen(&workshop, &folder, &args)?;
    folder.create()?;
    let written = write(&chosen, &folder, !args.all)?;
    match args.json {
        true => output::json(&as_json(&chosen, &folder, &written)?)?,
        false => tell(&chosen, &folder, &written)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the starters and notes when they were begun; of each whether there was no file yet.
fn write(chosen: &[&Exercise], folder: &Folder, is_begun: bool) -> anyhow::Result<Vec<bool>> {
    let one = |exercise: &&Exercise| {
        let is_new = write_new(folder, exercise)?;
        // Of many that are written at once, nobody knows which is begun when.
        let started = is_begun.then(now);
        Progress::change(folder.path(), &exercise.id, |entry| {
            entry.started = entry.started.or(started);
        })?;
        Ok(is_new)
    };
    chosen.iter().map(one).collect()
}

/// What is asked of the participant, where the exercise asks questions.
fn questions(folder: &Folder, exercise: &Exercise) -> anyhow::Result<String> {
    let participant = Progress::read(folder.path())
        .unwrap_or_default()
        .participant;
    Ok(exercise.questions(&participant)?)
}

fn as_json(chosen: &[&Exercise], folder: &Folder, written: &[bool]) -> anyhow::Result<Vec<Value>> {
    let one = |(exercise, is_new): (&&Exercise, &bool)| {
        let questions = questions(folder, exercise)?;
        Ok(json!({
            "exercise": exercise.id,
            "title": exercise.title,
            "file": folder.file(exercise),
            "is_new": is_new,
            "task": exercise.task.trim(),
            "questions": (!questions.is_empty()).then_some(questions),
        }))
    };
    chosen.iter().zip(written).map(one).collect()
}

fn tell(chosen: &[&Exercise], folder: &Folder, written: &[bool]) -> anyhow::Result<()> {
    for (exercise, is_new) in chosen.iter().zip(written) {
        let path = folder.file(exercise);
        let path = path.display();
        match is_new {
            true => output::line(format_args!("{path}: {}", exercise.title))?,
            false => output::line(format_args!("{path} is there already and stays as it is"))?,
        }
    }
    if let [exercise] = chosen[..] {
        output::line(format_args!("\n{}\n", exercise.task.trim()))?;
        let questions = questions(folder, exercise)?;
        if !questions.is_empty() {
            output::line(format_args!("{questions}\n"))?;
        }
    }
    let Some(first) = chosen.first() else {
        return Ok(());
    };
    let (check, watch) = (
        folder.command(&format!("check {}", first.id)),
        folder.command("watch"),
    );
    output::line(format_args!(
        "next: edit {}, then `{check}`; `{watch}` checks whenever you save",
        folder.file(first).display()
    ))
}

fn chosen<'w>(
    workshop: &'w Workshop,
    folder: &Folder,
    args: &Args,
) -> anyhow::Result<Vec<&'w Exercise>> {
    if args.all {
        return Ok(workshop.exercises().iter().collect());
    }
    if !args.names.is_empty() {
        return args
            .names
            .iter()
            .map(|name| folder::named(workshop, name))
            .collect();
    }
    let progress = Progress::read_or_tell(folder.path());
    let open =
        |exercise: &&Exercise| progress.entry(&exercise.id).is_open() && !folder.has(exercise);
    match workshop.exercises().iter().find(open) {
        Some(next) => Ok(vec![next]),
        None => Err(exit::usage(format!(
            "every exercise was started; `{}` shows them",
            folder.command("list")
        ))),
    }
}

/// Writes the starter where there is no file yet; whether it was written.
pub fn write_new(folder: &Folder, exercise: &Exercise) -> anyhow::Result<bool> {
    let path = folder.file(exercise);
    let cannot =
        |error: std::io::Error| exit::lacks(format!("cannot write {}: {error}", path.display()));
    // A link that leads nowhere is something too.
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let participant = Progress::read(folder.path())
        .unwrap_or_default()
        .participant;
    let starter = exercise.starter_for(&participant);
    let mut file = match std::fs::File::create_new(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(false),
        result => result.map_err(cannot)?,
    };
    if let Err(error) = file.write_all(starter.as_bytes()) {
        // Half a starter would be taken for the participant's work.
        let _ = std::fs::remove_file(&path);
        return Err(cannot(error));
    }
    Ok(true)
}
