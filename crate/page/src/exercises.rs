//! The workshop's verbs: which exercises there are, one of them, its hints, and the verdict on an answer. Grading is the library's, the same as in the terminal.

use crate::problem::Problem;
use crate::request::Request;
use crate::state;
use cornerturn::exercise::{Exercise, HINTS, Kind, Progress, Seed, Terms, Verdict};
use cornerturn::registry::sha256;
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) fn list() -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let all = workshop.exercises().iter();
    Ok(all
        .map(|exercise| {
            json!({
                "id": exercise.id,
                "title": exercise.title,
                "chapter": exercise.chapter,
                "minutes": exercise.minutes,
                "kind": exercise.kind.name(),
            })
        })
        .collect())
}

pub(crate) fn describe(request: &Request) -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let exercise = workshop.get(request.text("id")?)?;
    let participant = participant(request)?;
    let questions: Vec<Value> = exercise
        .asked(&participant)
        .map(|(name, question)| json!({ "name": name, "question": question }))
        .collect();
    let report = match exercise.kind {
        Kind::Predict => exercise.questions(&participant)?,
        _ => String::new(),
    };
    Ok(json!({
        "id": exercise.id,
        "title": exercise.title,
        "task": exercise.task.trim(),
        "file": exercise.file_name(),
        "starter": exercise.starter_for(&participant),
        "hints": exercise.hints.len(),
        "kind": exercise.kind.name(),
        "questions": questions,
        "asked": report,
    }))
}

pub(crate) fn hint(request: &Request) -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let exercise = workshop.get(request.text("id")?)?;
    let number: usize = request.optional("number")?.unwrap_or(1);
    let hint = number
        .checked_sub(1)
        .and_then(|at| exercise.hints.get(at))
        .ok_or_else(|| {
            Problem::request(format!("there is no hint {number}; there are 1 to {HINTS}"))
        })?;
    Ok(json!({ "number": number, "of": HINTS, "text": hint.trim() }))
}

pub(crate) fn check(request: &Request) -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let exercise = workshop.get(request.text("id")?)?;
    let terms = Terms {
        seed: request.optional("seed")?.map_or_else(Seed::draw, Seed),
        participant: participant(request)?,
    };
    let verdict = match request.get("answer") {
        Some(Value::String(source)) => exercise.check_under(&terms, source)?,
        Some(Value::Object(numbers)) => {
            let text = |(name, value): (&String, &Value)| match value {
                Value::String(text) => Ok((name.clone(), text.clone())),
                Value::Number(number) => Ok((name.clone(), number.to_string())),
                _ => Err(Problem::request(format!(
                    "the answer `{name}` is neither a number nor text"
                ))),
            };
            let typed = numbers
                .iter()
                .map(text)
                .collect::<Result<Vec<_>, Problem>>()?;
            let typed: Vec<(&str, &str)> = typed
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str()))
                .collect();
            exercise.answer_fields_under(&terms, &typed)?
        }
        _ => {
            return Err(Problem::request(
                "`answer` is neither a source nor an object of numbers",
            ));
        }
    };
    told(exercise, &terms, &verdict)
}

fn told(exercise: &Exercise, terms: &Terms, verdict: &Verdict) -> Result<Value, Problem> {
    let solution = match verdict.passed {
        true => Some(exercise.solution_under(terms)?),
        false => None,
    };
    let failure = verdict.failure();
    let mut answer = serde_json::to_value(verdict)
        .map_err(|error| Problem::request(format!("the verdict cannot be written: {error}")))?;
    answer["text"] = json!(verdict.to_string());
    answer["html"] = json!(verdict.to_html());
    answer["line"] = json!(failure.and_then(|(_, reason)| line_in(reason, &exercise.file_name())));
    answer["solution"] = json!(solution);
    Ok(answer)
}

/// The line of the answer that a reason is about: the one of a finding, which may name another before, or the first.
fn line_in(reason: &str, file: &str) -> Option<u32> {
    let own = reason.split_once(&format!("` at {file}:"));
    let after = own.or_else(|| reason.split_once(&format!("{file}:")))?.1;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn participant(request: &Request) -> Result<String, Problem> {
    Ok(request
        .optional_text("participant")?
        .unwrap_or_default()
        .to_string())
}

/// What the page keeps of one exercise.
#[derive(Deserialize)]
struct Kept {
    id: String,
    /// The answer that passed, else what stands in the editor.
    #[serde(default)]
    answer: String,
    /// When it passed, in seconds since 1970; 0 where it did not.
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    attempts: u32,
    #[serde(default)]
    hints: u32,
}

/// The file that *Export* saves: what the terminal keeps as `progress.json`, with the answers in it.
pub(crate) fn export(request: &Request) -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let mut all: Vec<Kept> = request.optional("exercises")?.unwrap_or_default();
    all.sort_by_key(|kept| kept.passed);
    let mut progress = Progress::default();
    progress.participant = participant(request)?;
    progress.edited = request.flag("edited", false)?;
    for kept in all {
        // What was kept before an exercise was renamed is no reason to export nothing.
        let Ok(exercise) = workshop.get(&kept.id) else {
            continue;
        };
        let entry = progress.exercises.entry(exercise.id.clone()).or_default();
        entry.attempts = kept.attempts;
        entry.hints = kept.hints;
        entry.answer = kept.answer;
        if kept.passed > 0 {
            entry.started = Some(kept.passed);
            entry.passed = Some(kept.passed);
            entry.checked = sha256(entry.answer.as_bytes());
            progress.touch(kept.passed);
        }
    }
    Ok(json!({ "file": "progress.json", "text": progress.to_text() }))
}

/// What a progress file holds, of a page or of the terminal, for those exercises that there are.
pub(crate) fn import(request: &Request) -> Result<Value, Problem> {
    let workshop = state::workshop()?;
    let progress = Progress::parse(request.text("text")?)
        .map_err(|reason| {
            Problem::request(format!(
                "the file {reason}; choose one that Export gave, or progress.json of a workshop's folder"
            ))
        })?;
    let known = workshop.exercises().iter();
    let entries = known.filter_map(|exercise| {
        let entry = progress.exercises.get(&exercise.id)?;
        Some(json!({
            "id": exercise.id,
            "kind": exercise.kind.name(),
            "answer": entry.answer,
            "passed": entry.passed,
            "attempts": entry.attempts,
            "hints": entry.hints,
        }))
    });
    Ok(json!({
        "participant": progress.participant,
        "edited": progress.edited,
        "exercises": entries.collect::<Vec<Value>>(),
    }))
}
