//! `exercise verify`: proves that the exercises are graded as their list says, and that the grading lets nothing trivial through.

use super::trivial;
use crate::{exit, output};
use cornerturn::CompilerKind;
use cornerturn::exercise::{Exercise, Kind, Seed, Terms, Verdict, Workshop};
use serde_json::json;
use std::process::ExitCode;

/// Prove the exercises: starters fail, solutions pass, wrong answers fail with the right message, cheats fail
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only these exercises
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Draw the matrices from this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// First compile the kernels whose counts are predicted, and keep their PTX for machines without a compiler
    #[arg(long)]
    write: bool,

    /// Print one JSON object: exercises, answers, problems; or error
    #[arg(long, conflicts_with = "write")]
    json: bool,
}

/// What grades an answer: the library, or something else in a test.
type Check<'a> = &'a dyn Fn(&Exercise, &str) -> cornerturn::Result<Verdict>;

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let chosen: Vec<&Exercise> = match args.names.is_empty() {
        true => workshop.exercises().iter().collect(),
        false => args
            .names
            .iter()
            .map(|name| super::folder::named(&workshop, name))
            .collect::<anyhow::Result<_>>()?,
    };
    if chosen.is_empty() {
        return Err(exit::wrong("the workshop has no exercise"));
    }
    if args.write {
        exit::refuse_carried("the PTX is written beside the exercises")?;
        return write(&workshop, &chosen);
    }
    let terms = Terms {
        seed: Seed(args.seed),
        ..Terms::default()
    };
    let (mut problems, mut answers) = (Vec::new(), 0);
    for exercise in &chosen {
        output::progress(&format!("  {} …", exercise.id));
        let (count, found) = examine(&workshop, exercise, &terms, &|exercise, source| {
            exercise.check_under(&terms, source)
        })?;
        answers += count;
        let told = found
            .into_iter()
            .map(|problem| format!("{}: {problem}", exercise.id));
        problems.extend(told);
    }
    output::progress("");
    if args.json {
        let object = json!({ "exercises": chosen.len(), "answers": answers, "problems": problems });
        output::json(&object)?;
    }
    if problems.is_empty() && args.json {
        return Ok(ExitCode::SUCCESS);
    }
    if problems.is_empty() {
        output::line(format_args!(
            "{} exercises, {answers} answers graded as they should be",
            chosen.len()
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(exit::wrong(format!(
        "{} mistakes:\n  {}",
        problems.len(),
        problems.join("\n  ")
    )))
}

/// Keeps the PTX of the kernels whose counts are predicted.
fn write(workshop: &Workshop, chosen: &[&Exercise]) -> anyhow::Result<ExitCode> {
    for exercise in chosen.iter().filter(|exercise| exercise.is_stale()) {
        let path = workshop.ptx_path(exercise);
        output::write_whole(&path, exercise.ptx_to_keep()?.as_bytes())?;
        output::line(format_args!("{} is written", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Grades every answer of which it is known how it must end: how many there are, and a sentence for each that does not.
fn examine(
    workshop: &Workshop,
    exercise: &Exercise,
    terms: &Terms,
    check: Check,
) -> cornerturn::Result<(usize, Vec<String>)> {
    let mut problems = Vec::new();
    if exercise.teacher.trim().is_empty() {
        problems.push("nothing is said to the teacher: `teacher` is missing".to_string());
    }
    if exercise.is_stale() {
        problems.push(
            "its PTX is not kept, or is of another source; `cornerturn exercise verify --write` writes it".to_string(),
        );
    }
    let is_nvrtc = cornerturn::compiler()?.kind == CompilerKind::Nvrtc;
    let invites = !exercise.bounds.is_empty() || exercise.kind == Kind::Pipeline;
    if exercise.cheats().is_empty() && invites {
        problems.push("nobody has tried to cheat: its folder of cheats is empty".to_string());
    }
    let solution = exercise.solution_under(terms)?;
    let mut passes = vec![("the solution".to_string(), solution)];
    for also in &exercise.also {
        let source = exercise.variant(&also.id).unwrap_or_default();
        let what = format!("the right answer `{}`, which {},", also.id, also.what);
        passes.push((what, source));
    }
    let mut fails = vec![(
        "the starter".to_string(),
        exercise.starter(),
        exercise.starter_fails.as_str(),
    )];
    for wrong in &exercise.wrong {
        let source = exercise.variant(&wrong.id).unwrap_or_default();
        let what = format!("wrong answer `{}`, which {},", wrong.id, wrong.what);
        match is_nvrtc || wrong.by_nvrtc.is_empty() {
            true => fails.push((what, source, &wrong.fails)),
            false => passes.push((what, source)),
        }
    }
    for cheat in exercise.cheats() {
        let what = format!("the cheat `{}`, which {},", cheat.id, cheat.what);
        fails.push((what, cheat.source.clone(), ""));
    }
    for (what, source) in trivial::answers(workshop, exercise) {
        fails.push((what, source, ""));
    }
    for (what, source) in &passes {
        let verdict = check(exercise, source)?;
        if !verdict.passed {
            problems.push(format!("{what} does not pass:\n{verdict}"));
        }
    }
    for (what, source, words) in &fails {
        let verdict = check(exercise, source)?;
        if verdict.passed {
            problems.push(format!("{what} passes"));
        } else if !verdict.failure_text().contains(words) {
            problems.push(format!(
                "{what} fails, but its verdict does not contain `{words}`:\n{verdict}"
            ));
        }
    }
    Ok((passes.len() + fails.len(), problems))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(exercise: &Exercise, passed: bool) -> Verdict {
        Verdict {
            exercise: exercise.id.clone(),
            passed,
            is_starter: false,
            seed: None,
            steps: Vec::new(),
            sketch: String::new(),
            picture: None,
            printed: String::new(),
            bandwidth: None,
            next: String::new(),
        }
    }

    #[test]
    fn a_check_that_passes_everything_is_caught() {
        let workshop = Workshop::load().unwrap();
        for exercise in workshop.exercises() {
            let (count, problems) =
                examine(&workshop, exercise, &Terms::default(), &|exercise, _| {
                    Ok(verdict(exercise, true))
                })
                .unwrap();
            let is_ours = cornerturn::compiler().unwrap().kind == CompilerKind::CornerTurn;
            let wrong = exercise.wrong.iter();
            let excused = wrong.filter(|wrong| is_ours && !wrong.by_nvrtc.is_empty());
            let right = 1 + exercise.also.len() + excused.count();
            assert_eq!(problems.len(), count - right, "{problems:?}");
            let all = problems.join("\n");
            for words in ["the starter passes", &format!("`{}`", exercise.wrong[0].id)] {
                assert!(all.contains(words), "{all}");
            }
        }
    }

    #[test]
    fn a_check_that_passes_nothing_is_caught() {
        let workshop = Workshop::load().unwrap();
        let exercise = &workshop.exercises()[0];
        let (_, problems) = examine(&workshop, exercise, &Terms::default(), &|exercise, _| {
            Ok(verdict(exercise, false))
        })
        .unwrap();
        assert!(
            problems[0].contains("the solution does not pass"),
            "{problems:?}"
        );
        // A verdict without a reason is not the one that the list names.
        assert!(problems.len() >= 2 + exercise.wrong.len(), "{problems:?}");
    }
}
