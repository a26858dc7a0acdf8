//! `exercise hint`, `solution`, `reset` and `skip`: what helps a participant on, each noted in the progress file.

use super::folder::{self, Place};
use super::progress::{InFolder, Progress, free_name};
use super::start::write_new;
use crate::{exit, output};
use cornerturn::exercise::{HINTS, Workshop};
use serde_json::json;
use std::process::ExitCode;

/// Show the next of an exercise's three hints
#[derive(Debug, clap::Args)]
pub struct HintArgs {
    /// The exercise
    name: String,

    /// Show this one, 1 to 3, instead of the next
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=HINTS as i64))]
    level: Option<u32>,

    /// Print one JSON object: exercise, level, of, hint; or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Show an exercise's solution, once yours has passed
#[derive(Debug, clap::Args)]
pub struct SolutionArgs {
    /// The exercise
    name: String,

    /// Show it before yours has passed; this is noted
    #[arg(long)]
    show_anyway: bool,

    /// Print one JSON object: exercise, solution; or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Put an exercise back to its starter; your file is kept under another name
#[derive(Debug, clap::Args)]
pub struct ResetArgs {
    /// The exercise
    name: String,

    /// Print one JSON object: exercise, file, kept; or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Leave an exercise out
#[derive(Debug, clap::Args)]
pub struct SkipArgs {
    /// The exercise
    name: String,

    /// Why, for the teacher
    #[arg(long, default_value = "")]
    reason: String,

    /// Print one JSON object: exercise, is_skipped; or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Shows a hint.
pub fn hint(args: HintArgs) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let exercise = folder::named(&workshop, &args.name)?;
    let folder = args.place.folder();
    folder.check_exists()?;
    let mut level = 0;
    Progress::change(folder.path(), &exercise.id, |entry| {
        level = args.level.unwrap_or((entry.hints + 1).min(HINTS as u32));
        entry.hints = entry.hints.max(level);
    })?;
    let hint = exercise.hints[(level as usize).clamp(1, HINTS) - 1].trim();
    if args.json {
        let object = json!({ "exercise": exercise.id, "level": level, "of": HINTS, "hint": hint });
        output::json(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(format_args!("hint {level} of {HINTS}: {hint}"))?;
    if level as usize == HINTS {
        let solution = folder.command(&format!("solution {} --show-anyway", exercise.id));
        output::line(format_args!(
            "that was the last hint; `{solution}` shows the solution"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows the solution.
pub fn solution(args: SolutionArgs) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let exercise = folder::named(&workshop, &args.name)?;
    let folder = args.place.folder();
    folder.check_exists()?;
    let entry = match Progress::read(folder.path()) {
        Ok(progress) => progress.entry(&exercise.id),
        // It can still be asked for, and is noted in a new file.
        Err(reason) if !args.show_anyway => return Err(exit::usage(reason)),
        Err(_) => Default::default(),
    };
    if entry.passed.is_none() && !args.show_anyway {
        return Err(exit::usage(format!(
            "`{0}` has not passed yet; `{1}` gives a hint, and `{2}` shows the solution all the same, which is noted",
            exercise.id,
            folder.command(&format!("hint {}", exercise.id)),
            folder.command(&format!("solution {} --show-anyway", exercise.id)),
        )));
    }
    if entry.passed.is_none() {
        Progress::change(folder.path(), &exercise.id, |entry| {
            entry.solution_shown = true;
        })?;
    }
    let progress = Progress::read(folder.path()).unwrap_or_default();
    let solution = exercise.solution_under(&progress.terms(None))?;
    match args.json {
        true => output::json(&json!({ "exercise": exercise.id, "solution": solution }))?,
        false => output::print(solution)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Puts an exercise back.
pub fn reset(args: ResetArgs) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let exercise = folder::named(&workshop, &args.name)?;
    let folder = args.place.folder();
    folder.check_exists()?;
    let path = folder.file(exercise);
    let mut old = None;
    if path.symlink_metadata().is_ok() {
        let kept = free_name(&path, "old");
        std::fs::rename(&path, &kept)
            .map_err(|error| exit::lacks(format!("cannot rename {}: {error}", path.display())))?;
        old = Some(kept);
    }
    write_new(&folder, exercise)?;
    if args.json {
        output::json(&json!({ "exercise": exercise.id, "file": path, "kept": old }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = path.display();
    if let Some(kept) = old {
        output::line(format_args!("your {path} is kept as {}", kept.display()))?;
    }
    output::line(format_args!("{path} is the starter again"))?;
    Ok(ExitCode::SUCCESS)
}

/// Leaves an exercise out.
pub fn skip(args: SkipArgs) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let exercise = folder::named(&workshop, &args.name)?;
    let folder = args.place.folder();
    folder.create()?;
    let entry = Progress::change(folder.path(), &exercise.id, |entry| {
        if entry.passed.is_none() {
            entry.skipped = Some(args.reason);
        }
    })?;
    if args.json {
        let is_skipped = entry.passed.is_none();
        output::json(&json!({ "exercise": exercise.id, "is_skipped": is_skipped }))?;
        return Ok(ExitCode::SUCCESS);
    }
    match entry.passed {
        Some(_) => output::line(format_args!(
            "`{}` has passed; it is not skipped",
            exercise.id
        ))?,
        None => output::line(format_args!(
            "`{0}` is skipped; `{1}` takes it up again",
            exercise.id,
            folder.command(&format!("check {}", exercise.id))
        ))?,
    }
    Ok(ExitCode::SUCCESS)
}
