//! Predicted numbers: read from a file's answer lines, and held against what is counted when the repository's own kernel runs. A participant's kernel is not run; what is asked is `data`'s.

use super::counted::{Counted, number};
use super::data::{Answer, Exercise};
use super::grading::{Failure, Grading, Stop};
use super::matrix_work::MatrixWork;
use super::profile::Profile;
use super::recorded::Recorded;
use super::size::Size;
use super::terms::Terms;
use super::trial::Trial;
use cornerturn_base::error::Error;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;

/// What an answer's line begins with after `//`.
const MARK: &str = "ANSWER";

/// A line `// ANSWER name: value`.
#[derive(Debug, PartialEq)]
struct Line<'t> {
    /// From 1.
    line: usize,
    name: &'t str,
    value: &'t str,
}

/// Grades the answer lines of a file.
pub(super) fn grade_source(grading: &mut Grading, source: &str) -> Result<(), Stop> {
    let exercise = grading.exercise;
    let lines: Vec<Line> = source.lines().enumerate().filter_map(read).collect();
    let file = exercise.file_name();
    let claim = "every question has a number";
    let known = |line: &&Line| {
        exercise
            .answers
            .iter()
            .any(|answer| answer.name == line.name)
    };
    if let Some(line) = lines.iter().find(|line| !known(line)) {
        let reason = format!(
            "{file}:{}: no question is called `{}`; there are: {}",
            line.line,
            line.name,
            names(exercise)
        );
        return Failure::new(claim, reason).stop();
    }
    let mut given = Vec::with_capacity(exercise.answers.len());
    for answer in &exercise.answers {
        let name = &answer.name;
        let mut own = lines.iter().filter(|line| line.name == name);
        let reason = match (own.next(), own.next()) {
            (None, _) => {
                format!("{file} has no line `// {MARK} {name}: …`; write one, with your number")
            }
            (Some(line), Some(again)) => format!(
                "{file}:{}: `{name}` is answered on line {} already; leave one of the two",
                again.line, line.line
            ),
            (Some(line), None) => match parse(line.value) {
                Some(value) => {
                    given.push((name.as_str(), value));
                    continue;
                }
                None if matches!(line.value, "" | "?") => format!(
                    "{file}:{}: `{name}` has no answer yet; write a number in the place of the `?`\n{}",
                    line.line,
                    questions(exercise, &grading.terms.participant)?
                ),
                None => format!(
                    "{file}:{}: `{}` is no number; write one, such as `// {MARK} {name}: 8`",
                    line.line, line.value
                ),
            },
        };
        return Failure::new(claim, reason).stop();
    }
    grade(grading, &given)
}

/// Grades numbers as they stand in the fields of a page.
pub(super) fn grade_fields(grading: &mut Grading, typed: &[(&str, &str)]) -> Result<(), Stop> {
    let exercise = grading.exercise;
    let mut given = Vec::with_capacity(exercise.answers.len());
    for answer in &exercise.answers {
        let asked = answer.asked(&grading.terms.participant);
        let text = typed.iter().find(|(name, _)| *name == answer.name);
        let text = text.map_or("", |(_, text)| text.trim());
        let reason = match parse(text) {
            Some(value) => {
                given.push((answer.name.as_str(), value));
                continue;
            }
            None if text.is_empty() => format!("there is no number yet for: {asked}"),
            None => {
                format!("`{text}` is no number; write one, such as 8, 4.125 or 1/4, for: {asked}")
            }
        };
        return Failure::new("every question has a number", reason).stop();
    }
    grade(grading, &given)
}

/// Grades numbers.
pub(super) fn grade(grading: &mut Grading, given: &[(&str, f64)]) -> Result<(), Stop> {
    let exercise = grading.exercise;
    let claim = "every question has a number";
    let unknown = given
        .iter()
        .find(|(name, _)| !exercise.answers.iter().any(|answer| answer.name == *name));
    if let Some((name, _)) = unknown {
        let reason = format!(
            "no question is called `{name}`; there are: {}",
            names(exercise)
        );
        return Failure::new(claim, reason).stop();
    }
    let value = |answer: &Answer| {
        given
            .iter()
            .find(|(name, _)| *name == answer.name)
            .map(|(_, value)| *value)
    };
    if let Some(answer) = exercise
        .answers
        .iter()
        .find(|answer| value(answer).is_none())
    {
        let reason = format!(
            "`{}` is not answered\n{}",
            answer.name,
            questions(exercise, &grading.terms.participant)?
        );
        return Failure::new(claim, reason).stop();
    }
    grading.passed(claim);
    for answer in &exercise.answers {
        let said = value(answer).unwrap_or(f64::NAN);
        grade_one(grading, answer, said)?;
    }
    Ok(())
}

/// Whether a number is what is counted. Where it is not, nothing is said that would spare the participant the thinking:
/// neither the number, nor whether it is larger, nor a picture of the access.
fn grade_one(grading: &mut Grading, answer: &Answer, said: f64) -> Result<(), Stop> {
    let (exercise, terms) = (grading.exercise, grading.terms);
    let is = count(exercise, answer, terms)?;
    let asked = answer.asked(&terms.participant);
    let claim = match grading.in_fields {
        true => asked,
        false => format!("{}: {asked}", answer.name),
    };
    // A third may be written with three digits.
    if (said - is).abs() <= is.abs() * 1e-3 && (is.fract() != 0.0 || said == is) {
        grading.passed(format!("{claim} {}", number(is)));
        return Ok(());
    }
    let reason = format!(
        "you answered {}, and that is not what was counted; how did you come by it? {}",
        number(said),
        match exercise.profiles.is_empty() {
            true => "Write down what lanes 0, 1 and 2 do, then the last one",
            false => "Write down which lines of the report you took, and what you did with them",
        }
    );
    Failure::new(claim, reason).stop()
}

/// What is counted where the participant was asked to predict it.
fn count(exercise: &Exercise, answer: &Answer, terms: &Terms) -> Result<f64, Error> {
    if let Some(recorded) = Recorded::of(exercise, &terms.participant)? {
        return recorded.value(&answer.counter).ok_or_else(|| {
            let (id, name) = (&exercise.id, &answer.counter);
            Error::Usage(format!("exercise `{id}`: the record tells no `{name}`"))
        });
    }
    let entry = answer.entry.as_ref().unwrap_or(&exercise.entry);
    let shape = answer.shape(&terms.participant);
    let size = Size::Matrix(shape);
    if let Some(profile) = Profile::of(exercise, &terms.participant)? {
        let kernel = Kernel::registered(profile.kernel())?;
        // Reports are of copies and transposes, which move the same.
        let wanted = MatrixWork::Copy.wanted(exercise.element, shape);
        let counted = Counted {
            counters: profile.counters(),
            ..Counted::new(&kernel, size, wanted)
        };
        return quotient(exercise, answer, &counted);
    }
    let kernel = exercise.predicted(entry)?;
    let trial = Trial::new(exercise, &Device::emulator(), size, terms.seed)?;
    let report = trial.checked(&kernel)?;
    let counted = Counted {
        counters: report.counters.unwrap_or_default(),
        sites: &report.sites,
        blocks: exercise.grid(size).count(),
        ..Counted::new(&kernel, size, trial.given.wanted())
    };
    quotient(exercise, answer, &counted)
}

/// What an answer asks for, of what was counted.
fn quotient(exercise: &Exercise, answer: &Answer, counted: &Counted) -> Result<f64, Error> {
    let amount = answer.amount();
    amount.of(counted).ok_or_else(|| {
        Error::Usage(format!(
            "exercise `{}`, answer `{}`: there are no {} in its kernel",
            exercise.id,
            answer.name,
            amount.divisor()
        ))
    })
}

impl Exercise {
    /// What a participant is asked for: the name of each number and the question.
    pub fn asked(&self, participant: &str) -> impl Iterator<Item = (&str, String)> {
        let answers = self.answers.iter();
        answers.map(move |answer| (answer.name.as_str(), answer.asked(participant)))
    }

    /// What a participant is asked for, a line each; nothing where a kernel is asked for.
    ///
    /// # Errors
    /// [`Error::File`] where the report that the questions are about cannot be read.
    pub fn questions(&self, participant: &str) -> Result<String, Error> {
        questions(self, participant)
    }

    /// The solution as it is right for this participant: numbers that are asked for stand in it as they are counted.
    ///
    /// # Errors
    /// As [`Exercise::check`].
    pub fn solution_under(&self, terms: &Terms) -> Result<String, Error> {
        let mut text = self.solution();
        for answer in &self.answers {
            let open = format!("// {MARK} {}: =", answer.name);
            if text.contains(&open) {
                let is = number(count(self, answer, terms)?);
                text = text.replace(&open, &format!("// {MARK} {}: {is}", answer.name));
            }
        }
        Ok(text)
    }
}

/// What this participant is asked, a line each, below the report that it is about.
fn questions(exercise: &Exercise, participant: &str) -> Result<String, Error> {
    let report = match Recorded::of(exercise, participant)? {
        Some(recorded) => Some(recorded.text),
        None => Profile::of(exercise, participant)?.map(|profile| profile.text()),
    };
    let asked = exercise.answers.iter().map(|answer| {
        let asked = answer.asked(participant);
        format!("you are asked for `{}`: {asked}", answer.name)
    });
    let lines: Vec<String> = report.into_iter().chain(asked).collect();
    Ok(lines.join("\n"))
}

fn names(exercise: &Exercise) -> String {
    let names: Vec<&str> = exercise
        .answers
        .iter()
        .map(|answer| answer.name.as_str())
        .collect();
    names.join(", ")
}

fn read((index, text): (usize, &str)) -> Option<Line<'_>> {
    let comment = text.trim().strip_prefix("//")?.trim_start_matches('/');
    let (name, value) = comment.trim_start().strip_prefix(MARK)?.split_once(':')?;
    Some(Line {
        line: index + 1,
        name: name.trim(),
        value: value.trim(),
    })
}

/// A finite number, in the ways that people write one.
fn parse(text: &str) -> Option<f64> {
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, '_' | '\'' | ' '))
        .collect();
    match text.split_once('/') {
        None => text.parse().ok(),
        Some((over, under)) => Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?),
    }
    .filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("8", 8.0),
            ("1_024", 1024.0),
            ("4 096", 4096.0),
            ("4.125", 4.125),
            ("1/4", 0.25),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in [
            "", "?", "eight", "8 or 16", "nan", "inf", "1/0", "0/0", "1e999",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_answer_is_a_comment_with_a_colon() {
        let line = |text| read((6, text));
        let found = line("  // ANSWER stride_2: 8 ").unwrap();
        assert_eq!((found.line, found.name, found.value), (7, "stride_2", "8"));
        assert!(line("//ANSWER a:").is_some());
        assert!(line("// the ANSWER a: 3").is_none());
        assert!(line("// ANSWER a 3").is_none());
        assert!(line("ANSWER a: 3").is_none());
    }

    proptest! {
        #[test]
        fn no_line_panics(text in ".{0,40}", value in "[0-9_'/ .e-]{0,20}") {
            let _ = read((0, &text)).map(|line| parse(line.value));
            let _ = parse(&value);
        }
    }
}
