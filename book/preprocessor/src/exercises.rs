//! Reads `kernels/exercises` for what pages and notebooks tell of an exercise: its task, its starter,
//! its hints. How it is graded is the crate's affair; how it looks is `exercise_page`'s.

use crate::error::{Error, Place, Result};
use crate::lists::read_list;
use cornerturn_basics::markers::{Pieces, STARTER};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the exercises below the project's root.
const FOLDER: &str = "kernels/exercises";
/// The list of them, in that folder.
const LIST: &str = "exercises.toml";

/// An exercise as pages and notebooks tell it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Exercise {
    /// Its id, which is also the name of its file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The chapter that it belongs to: a page of the book's source folder, without `.md`.
    pub chapter: String,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What is done in it.
    pub kind: Kind,
    /// The task, as Markdown.
    pub task: String,
    /// The hints in their order, as Markdown.
    pub hints: Vec<String>,
    /// What a teacher should know, as Markdown; empty where there is nothing to say.
    #[serde(default)]
    pub teacher: String,
    /// What is asked, if it is to be predicted.
    #[serde(default, rename = "answer")]
    pub answers: Vec<Answer>,
    /// Typical wrong solutions.
    #[serde(default, rename = "wrong")]
    pub wrongs: Vec<Wrong>,
    /// Other right answers.
    #[serde(default)]
    pub also: Vec<Also>,
    /// What it starts with: CUDA C++, or a pipeline.
    #[serde(skip)]
    pub starter: String,
}

/// What is done in an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Counts are predicted; the kernel stays as it is.
    Predict,
    /// A kernel with a mistake is mended.
    Fix,
    /// A kernel is written.
    Write,
    /// A pipeline of streams is mended.
    Pipeline,
}

impl Kind {
    /// How its file ends.
    fn extension(self) -> &'static str {
        match self {
            Kind::Predict | Kind::Fix | Kind::Write => "cu",
            Kind::Pipeline => "streams",
        }
    }
}

/// A count to predict.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Answer {
    /// The name by which it is answered.
    pub name: String,
    /// The question, as Markdown, which may name the matrix by `{rows}` and `{columns}`.
    pub question: String,
    /// The matrices of which each participant is asked for one: rows and columns.
    #[serde(default)]
    pub of: Vec<[usize; 2]>,
}

/// A typical wrong solution.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Wrong {
    /// Its name in the markers of the file.
    pub id: String,
    /// What it does, beginning with a verb.
    pub what: String,
}

/// A right answer that is not the solution.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Also {
    /// Its name in the markers of the file.
    pub id: String,
}

impl Exercise {
    /// The name of its file.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.kind.extension())
    }
}

/// All exercises, in the order of the workshop.
#[derive(Clone, Debug, Default)]
pub struct Exercises {
    exercises: Vec<Exercise>,
    /// Of each, all that an output may owe to it: its entry and its file.
    fingerprints: Vec<[Vec<u8>; 2]>,
}

impl Exercises {
    /// Reads the exercises below `root`. A project without the list has none.
    pub(crate) fn load(root: &Path) -> Result<Exercises> {
        let list = Path::new(FOLDER).join(LIST);
        let path = root.join(&list);
        if !path.exists() {
            return Ok(Exercises::default());
        }
        let broken = |problem: String| Error::Registry {
            file: list.clone(),
            problem,
        };
        let mut all = Exercises::default();
        let entries = read_list(&path, &list, "exercise")?;
        for (number, entry) in entries.into_iter().enumerate() {
            let fingerprint = entry.to_string().into_bytes();
            let mut exercise: Exercise = entry.clone().try_into().map_err(|e| {
                let id = entry.get("id").and_then(|id| id.as_str());
                let name = id.map_or(format!("exercise {}", number + 1), |id| format!("`{id}`"));
                broken(format!("{name}: {}", e.message()))
            })?;
            if all.exercises.iter().any(|other| other.id == exercise.id) {
                return Err(broken(format!("there are two exercises `{}`", exercise.id)));
            }
            let file = Path::new(FOLDER).join(exercise.file_name());
            let source = fs::read_to_string(root.join(&file)).map_err(|e| Error::Registry {
                file: file.clone(),
                problem: format!("the starter of `{}` cannot be read: {e}", exercise.id),
            })?;
            exercise.starter = starter(&source, &exercise, &file)?;
            all.exercises.push(exercise);
            all.fingerprints.push([fingerprint, source.into_bytes()]);
        }
        Ok(all)
    }

    /// The exercise `id`, for the directive at `place`.
    pub(crate) fn exercise(&self, id: &str, place: Place) -> Result<Exercise> {
        let found = self.exercises.iter().find(|exercise| exercise.id == id);
        found.cloned().ok_or_else(|| {
            let known: Vec<_> = self.ids().collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            };
            let problem = format!("no exercise `{id}` in {FOLDER}/{LIST}; it has: {known}");
            Error::chapter(place, problem)
        })
    }

    /// All of them.
    pub fn all(&self) -> &[Exercise] {
        &self.exercises
    }

    /// The ids of all.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.exercises.iter().map(|exercise| exercise.id.as_str())
    }

    /// Everything that an output may owe to the exercise `id`.
    pub(crate) fn fingerprint(&self, id: &str) -> &[Vec<u8>] {
        let position = self.ids().position(|known| known == id);
        position.map_or(&[], |position| &self.fingerprints[position])
    }

    /// The list, for messages.
    pub(crate) fn list() -> PathBuf {
        Path::new(FOLDER).join(LIST)
    }
}

/// The starter of an exercise's file, cut by its marker lines.
fn starter(source: &str, exercise: &Exercise, file: &Path) -> Result<String> {
    let wrong = exercise.wrongs.iter().map(|answer| answer.id.as_str());
    let also = exercise.also.iter().map(|answer| answer.id.as_str());
    let others: Vec<&str> = wrong.chain(also).collect();
    let pieces = Pieces::read(source, &others).map_err(|malformed| {
        let place = Place {
            file: file.to_owned(),
            line: malformed.line,
        };
        Error::chapter(place, malformed.reason)
    })?;
    Ok(pieces.variant(STARTER))
}
