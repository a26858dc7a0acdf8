//! A participant's progress, as the terminal keeps it in a file and a page gives it out: what is noted of each exercise, under a seal. Where the file lies, and what is noted when, is the verbs'.

use super::seal;
use super::seed::Seed;
use super::terms::Terms;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;
/// A break longer than this is no time spent on exercises.
const LONGEST_BREAK_SECONDS: u64 = 15 * 60;

/// What a participant has done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// When something was noted first, in seconds since 1970.
    #[serde(default)]
    pub first: u64,
    /// When something was noted last.
    #[serde(default)]
    pub last: u64,
    /// Seconds between one entry and the next, without long breaks.
    #[serde(default)]
    pub active_seconds: u64,
    /// Whose questions are asked where numbers are to be predicted.
    #[serde(default)]
    pub participant: String,
    /// Whether it was changed by something else than this program, at any time.
    #[serde(default)]
    pub edited: bool,
    /// By the exercise's id.
    #[serde(default)]
    pub exercises: BTreeMap<String, Entry>,
    /// What a newer program may have added.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// What is noted of one exercise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was started, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// When it passed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// Different texts that were checked before it passed, the one that passed too.
    #[serde(default)]
    pub attempts: u32,
    /// SHA-256 of the last text that was checked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checked: String,
    /// The answer that passed, else the last that was checked or, in a page, written. A report grades it where the
    /// file lies alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Hints that were shown.
    #[serde(default)]
    pub hints: u32,
    /// Whether the solution was shown before it passed.
    #[serde(default)]
    pub solution_shown: bool,
    /// Why it was skipped, which may be nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Entry {
    /// Whether it is still to be done: neither passed nor left out.
    pub fn is_open(&self) -> bool {
        self.passed.is_none() && self.skipped.is_none()
    }

    /// Whether it was left out, and not passed after all.
    pub fn is_skipped(&self) -> bool {
        self.passed.is_none() && self.skipped.is_some()
    }

    /// Keeps an answer that was checked: until one has passed the last of all, then the last that passes.
    pub fn keep(&mut self, answer: &str, passes: bool) {
        if passes || self.passed.is_none() {
            self.answer = answer.to_string();
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            first: 0,
            last: 0,
            active_seconds: 0,
            participant: Terms::default().participant,
            edited: false,
            exercises: BTreeMap::new(),
            others: Map::new(),
        }
    }
}

impl Progress {
    /// What a progress file says; a sentence where it cannot be read.
    ///
    /// # Errors
    /// That sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Form {
            schema: u32,
        }
        let damaged = |error: serde_json::Error| format!("is damaged ({error})");
        let form: Form = serde_json::from_str(text).map_err(damaged)?;
        if form.schema != SCHEMA {
            return Err(format!(
                "is of schema {}, and this program reads {SCHEMA}; use the program that wrote it",
                form.schema
            ));
        }
        let mut progress: Self = serde_json::from_str(text).map_err(damaged)?;
        progress.edited |= !seal::holds(text);
        if progress.participant.is_empty() {
            progress.participant = Terms::default().participant;
        }
        Ok(progress)
    }

    /// The terms of a check of this participant's answers, on matrices drawn from this seed, or a new one.
    pub fn terms(&self, seed: Option<u64>) -> Terms {
        Terms {
            seed: seed.map_or_else(Seed::draw, Seed),
            participant: self.participant.clone(),
        }
    }

    /// The file's text, with its seal.
    pub fn to_text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        let mut text = seal::sealed(&value);
        text.push('\n');
        text
    }

    /// What is noted of an exercise.
    pub fn entry(&self, id: &str) -> Entry {
        self.exercises.get(id).cloned().unwrap_or_default()
    }

    /// Notes that something was done at a time, in seconds since 1970.
    pub fn touch(&mut self, now: u64) {
        if self.first == 0 {
            (self.first, self.last) = (now, now);
        }
        let since = now.saturating_sub(self.last);
        if since <= LONGEST_BREAK_SECONDS {
            self.active_seconds = self.active_seconds.saturating_add(since);
        }
        self.last = self.last.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_newer_program_adds_is_kept() {
        let text = r#"{"schema":1,"exercises":{"copy":{"hints":2,"mood":"good"}},"name":"Ada"}"#;
        let progress = Progress::parse(text).unwrap();
        assert_eq!(progress.entry("copy").hints, 2);
        let again = serde_json::to_string(&progress).unwrap();
        assert!(again.contains("Ada") && again.contains("good"), "{again}");
    }

    #[test]
    fn an_answer_that_passed_is_not_lost_to_one_that_does_not() {
        let mut entry = Entry::default();
        for (answer, passes) in [("a", false), ("b", true), ("c", false)] {
            entry.keep(answer, passes);
            if passes {
                entry.passed.get_or_insert(7);
            }
        }
        assert_eq!(entry.answer, "b");
        entry.keep("d", true);
        assert_eq!(entry.answer, "d");
    }

    #[test]
    fn long_breaks_are_no_time_spent() {
        let mut progress = Progress::default();
        for at in [1_000, 1_060, 90_000, 90_030, 5] {
            progress.touch(at);
        }
        assert_eq!(
            (progress.active_seconds, progress.first, progress.last),
            (90, 1_000, 90_030)
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in r#"(\{|\}|"schema"|:|,|1|-1|"exercises"|"copy"|"hints"|\[|\]|null|.){0,24}"#) {
            let _ = Progress::parse(&text);
            let text = format!(r#"{{"schema":1,"exercises":{{"copy":{text}}}}}"#);
            let _ = Progress::parse(&text);
        }
    }
}
