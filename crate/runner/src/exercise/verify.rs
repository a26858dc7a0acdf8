//! `exercise verify`: proves that the exercises are graded as their list says, and that the grading lets nothing trivial through.

use crate::{exit, output};
use cornerturn::exercise::{Exercise, Kind, Verdict, Workshop};
use std::process::ExitCode;

/// Prove the exercises: starters fail, solutions pass, wrong answers fail with the right message
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only these exercises
    #[arg(value_name = "NAME")]
    names: Vec<String>,
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
    let (mut problems, mut answers) = (Vec::new(), 0);
    for exercise in &chosen {
        output::progress(&format!("  {} …", exercise.id));
        let (count, found) = examine(&workshop, exercise, &|exercise, source| {
            exercise.check(source)
        })?;
        answers += count;
        let told = found
            .into_iter()
            .map(|problem| format!("{}: {problem}", exercise.id));
        problems.extend(told);
    }
    output::progress("");
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

/// Grades every answer of which it is known how it must end: how many there are, and a sentence for each that does not.
fn examine(
    workshop: &Workshop,
    exercise: &Exercise,
    check: Check,
) -> cornerturn::Result<(usize, Vec<String>)> {
    let mut problems = Vec::new();
    if exercise.teacher.trim().is_empty() {
        problems.push("nothing is said to the teacher: `teacher` is missing".to_string());
    }
    let mut passes = vec![("the solution".to_string(), exercise.solution())];
    for also in &exercise.also {
        let source = exercise.variant(&also.id).unwrap_or_default();
        let what = format!("the right answer `{}`, which {},", also.id, also.what);
        passes.push((what, source));
    }
    for (what, source) in &passes {
        let verdict = check(exercise, source)?;
        if !verdict.passed {
            problems.push(format!("{what} does not pass:\n{verdict}"));
        }
    }
    let mut fails = vec![(
        "the starter".to_string(),
        exercise.starter(),
        exercise.starter_fails.as_str(),
    )];
    for wrong in &exercise.wrong {
        let source = exercise.variant(&wrong.id).unwrap_or_default();
        fails.push((
            format!("wrong answer `{}`, which {},", wrong.id, wrong.what),
            source,
            &wrong.fails,
        ));
    }
    for (what, source) in trivial(workshop, exercise) {
        fails.push((what, source, ""));
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

/// Answers that no exercise may let through.
fn trivial(workshop: &Workshop, exercise: &Exercise) -> Vec<(String, String)> {
    if exercise.kind == Kind::Predict {
        let lines = exercise
            .answers
            .iter()
            .map(|answer| format!("// ANSWER {}: 0.5\n", answer.name));
        return vec![(
            "a file that answers 0.5 throughout".to_string(),
            lines.collect(),
        )];
    }
    let (entry, parameters) = (&exercise.entry, exercise.parameters());
    let head = format!("extern \"C\" __global__ void {entry}({parameters})");
    let solution = exercise.solution();
    let mut answers = vec![
        ("nothing at all".to_string(), String::new()),
        ("an empty kernel".to_string(), format!("{head} {{}}\n")),
        (
            "a kernel that writes a constant".to_string(),
            format!(
                "{head} {{\n    const size_t i = (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y\n        \
                 + threadIdx.y * blockDim.x + threadIdx.x;\n    if (i < {})\n        out[i] = 1;\n}}\n",
                output_elements(exercise)
            ),
        ),
        (
            "a kernel that is right on the shown shape only".to_string(),
            only_shown(exercise, &head, &solution),
        ),
    ];
    let others = workshop.exercises().iter();
    let other = others
        .filter(|other| other.kind != Kind::Predict && other.work != exercise.work)
        .min_by_key(|other| other.element != exercise.element);
    if let Some(other) = other {
        let source = format!("#define {} {entry}\n{}", other.entry, other.solution());
        answers.push((format!("the solution of `{}`", other.id), source));
    }
    answers
}

/// The elements of the output as an expression of the kernel.
fn output_elements(exercise: &Exercise) -> &'static str {
    use cornerturn::exercise::Work;
    match exercise.work {
        Work::Copy | Work::Transpose => "size_t(rows) * columns",
        Work::Histogram => "256",
        Work::ColumnSum => "columns",
        Work::RowSum => "rows",
    }
}

/// The solution as a function that is called for one shape.
fn only_shown(exercise: &Exercise, head: &str, solution: &str) -> String {
    let [rows, columns] = exercise.shown;
    let (entry, parameters) = (&exercise.entry, exercise.parameters());
    format!(
        "extern \"C\" __device__ void {entry}_whole({parameters});\n\
         {head} {{\n    if (rows == {rows} && columns == {columns})\n        {entry}_whole(in, out, rows, columns);\n}}\n\
         #undef __global__\n#define __global__ __device__\n#undef __launch_bounds__\n#define __launch_bounds__(...)\n\
         #define {entry} {entry}_whole\n{solution}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(exercise: &Exercise, passed: bool) -> Verdict {
        Verdict {
            exercise: exercise.id.clone(),
            passed,
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
            let (count, problems) = examine(&workshop, exercise, &|exercise, _| {
                Ok(verdict(exercise, true))
            })
            .unwrap();
            let right = 1 + exercise.also.len();
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
        let (_, problems) = examine(&workshop, exercise, &|exercise, _| {
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
