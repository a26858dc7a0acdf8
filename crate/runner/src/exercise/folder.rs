//! A participant's folder: where it is, which exercises are in it, how commands that concern it are written. What is kept in its progress file is `progress`'s.

use super::progress::FILE;
use crate::exit;
use cornerturn::exercise::{Exercise, Workshop};
use std::path::{Path, PathBuf};

/// The folder that is meant where none is named.
const DEFAULT: &str = "workshop";
/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// The option `--dir`.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// Your folder [default: the current one where it holds a progress.json, else ./workshop]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// A participant's folder.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// As it was named; nothing where it need not be.
    named: Option<PathBuf>,
}

impl Place {
    /// The folder, whether or not it exists.
    pub fn folder(&self) -> Folder {
        let path = match &self.dir {
            Some(dir) => dir.clone(),
            None if Path::new(FILE).is_file() => PathBuf::from("."),
            None => PathBuf::from(DEFAULT),
        };
        Folder {
            path,
            named: self.dir.clone(),
        }
    }
}

impl Folder {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The participant's file of an exercise.
    pub fn file(&self, exercise: &Exercise) -> PathBuf {
        match self.path == Path::new(".") {
            true => PathBuf::from(exercise.file_name()),
            false => self.path.join(exercise.file_name()),
        }
    }

    /// Whether the exercise was started.
    pub fn has(&self, exercise: &Exercise) -> bool {
        self.file(exercise).exists()
    }

    /// The exercises that were started, in the workshop's order.
    pub fn started<'w>(&self, workshop: &'w Workshop) -> Vec<&'w Exercise> {
        let exercises = workshop.exercises().iter();
        exercises.filter(|exercise| self.has(exercise)).collect()
    }

    /// Refuses a folder that is not there.
    pub fn check_exists(&self) -> anyhow::Result<()> {
        let path = self.path.display();
        match (self.path.is_dir(), self.path.exists()) {
            (true, _) => Ok(()),
            (_, true) => Err(exit::usage(format!("{path} is no folder"))),
            _ => Err(exit::usage(format!(
                "there is no folder {path}; `{}` makes it",
                self.command("start")
            ))),
        }
    }

    /// Makes the folder.
    pub fn create(&self) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.path).map_err(|error| {
            exit::lacks(format!(
                "cannot make the folder {}: {error}",
                self.path.display()
            ))
        })
    }

    /// The text of the participant's file.
    pub fn read(&self, exercise: &Exercise) -> anyhow::Result<String> {
        let path = self.file(exercise);
        let shown = path.display();
        if !path.exists() {
            return Err(exit::usage(format!(
                "there is no {shown}; `{}` writes it",
                self.command(&format!("start {}", exercise.id))
            )));
        }
        read_answer(&path)
    }

    /// A command of this verb as the participant types it.
    pub fn command(&self, words: &str) -> String {
        let dir = match &self.named {
            Some(dir) => format!(" --dir {}", quoted(dir)),
            None => String::new(),
        };
        command(&format!("{words}{dir}"))
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let shown = path.display().to_string();
    match shown.contains(char::is_whitespace) {
        // A backslash before the mark would take it away.
        true => format!("\"{}\"", shown.trim_end_matches('\\')),
        false => shown,
    }
}

/// The text of an answer's file.
pub fn read_answer(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| exit::usage(format!("cannot read {shown}: {error}"));
    let facts = std::fs::metadata(path).map_err(cannot)?;
    if !facts.is_file() {
        return Err(exit::usage(format!("{shown} is no file")));
    }
    if facts.len() > MOST_BYTES {
        return Err(exit::usage(format!(
            "{shown} has {} bytes, and {MOST_BYTES} are the most",
            facts.len()
        )));
    }
    let bytes = cornerturn_basics::read_limited(path).map_err(cannot)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        exit::usage(format!(
            "{shown} is not UTF-8 text (byte {at}); save it as UTF-8"
        ))
    })
}

/// A command of the verb `exercise`, through cargo where it was called so.
pub fn command(words: &str) -> String {
    let cargo = if std::env::var_os("CARGO").is_some() {
        "cargo "
    } else {
        ""
    };
    format!("{cargo}cornerturn exercise {words}")
}

/// The exercise that is named: by its id, or by its file.
pub fn named<'w>(workshop: &'w Workshop, name: &str) -> anyhow::Result<&'w Exercise> {
    let file = Path::new(name)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(name);
    let of_file = workshop
        .exercises()
        .iter()
        .find(|exercise| exercise.file_name() == file);
    Ok(match of_file {
        Some(exercise) => exercise,
        None => workshop.get(file.strip_suffix(".cu").unwrap_or(file))?,
    })
}
