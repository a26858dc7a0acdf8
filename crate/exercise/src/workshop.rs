//! The list of exercises, read from `kernels/exercises`. What one of them says is in `data`.

use super::data::{Cheat, Exercise, Kind};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{read_table, read_text};
use cornerturn_base::nearest::nearest;
use cornerturn_base::paths;
use cornerturn_basics::markers::Pieces;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The folder of the cheats, in that of the exercises; in it one for each exercise.
const CHEATS: &str = "cheats";

/// All exercises, in the order of the workshop.
#[derive(Debug, Clone, PartialEq)]
pub struct Workshop {
    folder: PathBuf,
    exercises: Vec<Exercise>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exercise: Vec<Exercise>,
}

impl Workshop {
    /// The project's exercises.
    ///
    /// # Errors
    /// [`Error::Usage`] outside the project; [`Error::File`], with the line, where the list or a kernel's markers are
    /// malformed.
    pub fn load() -> Result<Self> {
        Self::load_from(&paths::kernels()?.join("exercises"))
    }

    /// The exercises in a folder.
    ///
    /// # Errors
    /// As [`Workshop::load`].
    pub fn load_from(folder: &Path) -> Result<Self> {
        let path = folder.join("exercises.toml");
        let file: File = read_table(&path)?;
        let mut exercises: Vec<Exercise> = Vec::with_capacity(file.exercise.len());
        for mut exercise in file.exercise {
            let fail =
                |reason: &str| Error::file(&path, format!("exercise `{}`: {reason}", exercise.id));
            exercise.check_data().map_err(|reason| fail(&reason))?;
            if exercises.iter().any(|other| other.id == exercise.id) {
                return Err(fail("the id is used twice"));
            }
            exercise.pieces = read_pieces(folder, &exercise)?;
            exercise.ptx = read_text(&folder.join(format!("{}.ptx", exercise.id))).ok();
            exercise.cheats = read_cheats(&folder.join(CHEATS).join(&exercise.id), exercise.kind)?;
            exercises.push(exercise);
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            exercises,
        })
    }

    /// All of them, in order.
    pub fn exercises(&self) -> &[Exercise] {
        &self.exercises
    }

    /// The exercise of an id.
    ///
    /// # Errors
    /// [`Error::UnknownExercise`], with the nearest id.
    pub fn get(&self, id: &str) -> Result<&Exercise> {
        let found = self.exercises.iter().find(|exercise| exercise.id == id);
        found.ok_or_else(|| Error::UnknownExercise {
            id: id.to_string(),
            nearest: nearest(
                id,
                self.exercises.iter().map(|exercise| exercise.id.as_str()),
            ),
        })
    }

    /// The file in which the PTX of an exercise is kept whose counts are predicted.
    pub fn ptx_path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(format!("{}.ptx", exercise.id))
    }

    /// The file that an exercise's variants are cut from.
    pub fn source_path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.file_name())
    }
}

fn read_pieces(folder: &Path, exercise: &Exercise) -> Result<Pieces> {
    let path = folder.join(exercise.file_name());
    let text = read_text(&path)?.replace("\r\n", "\n");
    let others: Vec<&str> = exercise.others().collect();
    Pieces::read(&text, &others).map_err(|malformed| {
        let reason = format!("line {}: {}", malformed.line, malformed.reason);
        Error::file(&path, reason)
    })
}

/// The cheats of one exercise, a file each, whose first line says what it does; none where there is no folder.
fn read_cheats(folder: &Path, kind: Kind) -> Result<Vec<Cheat>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == kind.extension())
    });
    paths.sort();
    let read = |path: PathBuf| {
        let source = read_text(&path)?;
        let what = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "));
        let what = what.map(|what| what.trim_end_matches('.').to_string());
        let what = what.ok_or_else(|| {
            Error::file(&path, "the first line must say what it does, behind `// `")
        })?;
        let id = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Cheat { id, what, source })
    };
    paths.into_iter().map(read).collect()
}
