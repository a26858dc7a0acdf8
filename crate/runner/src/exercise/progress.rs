//! A participant's progress file: read, changed under a lock, written whole. What is noted when is the verbs'.

use super::seal;
use crate::{exit, output};
use cornerturn::exercise::{Seed, Terms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file's name.
pub const FILE: &str = "progress.json";
/// What is locked while the file is changed: the file itself is replaced.
const LOCK: &str = ".progress.lock";
/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;
/// How long another process may take to write.
const LONGEST: Duration = Duration::from_secs(5);
/// A break longer than this is no time spent on exercises.
const LONGEST_BREAK_SECONDS: u64 = 15 * 60;

/// What a participant has done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// When something was noted first and last, in seconds since 1970.
    #[serde(default)]
    pub first: u64,
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

    /// What is noted in a folder, nothing where there is no file yet.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(FILE);
        let bytes = match cornerturn_basics::read_limited(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        Self::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|reason| format!("{} {reason}", path.display()))
    }

    /// The same for a verb that only shows it: a file that cannot be read is told, and counts as none.
    pub fn read_or_tell(folder: &Path) -> Self {
        Self::read(folder).unwrap_or_else(|reason| {
            output::step(format!(
                "{reason}; nothing of it is shown, and the file is left as it is"
            ));
            Self::default()
        })
    }

    /// What is noted of an exercise.
    pub fn entry(&self, id: &str) -> Entry {
        self.exercises.get(id).cloned().unwrap_or_default()
    }

    /// Changes what is noted of one exercise. What another process has written meanwhile stays.
    pub fn change(
        folder: &Path,
        id: &str,
        change: impl FnOnce(&mut Entry),
    ) -> anyhow::Result<Entry> {
        let _lock = lock(folder)?;
        let mut progress = Self::read_to_change(folder)?;
        progress.touch(now());
        let entry = progress.exercises.entry(id.to_string()).or_default();
        change(entry);
        let entry = entry.clone();
        let mut text = seal::sealed(&serde_json::to_value(&progress)?);
        text.push('\n');
        output::write_whole(&folder.join(FILE), text.as_bytes())?;
        Ok(entry)
    }

    /// A damaged file is put aside, so that nothing of it is lost; one of another schema is refused.
    fn read_to_change(folder: &Path) -> anyhow::Result<Self> {
        let reason = match Self::read(folder) {
            Ok(progress) => return Ok(progress),
            Err(reason) => reason,
        };
        if !reason.contains("is damaged") {
            return Err(exit::usage(reason));
        }
        let (from, to) = (folder.join(FILE), free_name(&folder.join(FILE), "damaged"));
        std::fs::rename(&from, &to)
            .map_err(|error| exit::lacks(format!("{reason}; it cannot be put aside: {error}")))?;
        output::step(format!(
            "{reason}; it was put aside as {}, and a new one is begun",
            to.display()
        ));
        Ok(Self::default())
    }

    fn touch(&mut self, now: u64) {
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

/// Waits until no other process changes the file. Where the file system knows no locks, it goes on without.
fn lock(folder: &Path) -> anyhow::Result<Option<File>> {
    let path = folder.join(LOCK);
    let file = File::create(&path)
        .map_err(|error| exit::lacks(format!("cannot write {}: {error}", path.display())))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < LONGEST => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(exit::lacks(format!(
                    "another process has held {} for {} s; end it and try again",
                    path.display(),
                    LONGEST.as_secs()
                )));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// `NAME.WORD-1`, or the first number that is free.
pub fn free_name(path: &Path, word: &str) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{word}-{number}"));
        path.with_file_name(name)
    };
    let number = (1..).find(|&number| !name(number).exists());
    name(number.unwrap_or(u32::MAX))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
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
