//! What cells gave on GPUs elsewhere, kept in `book/results/<gpu>/cells/` by the cells' keys, with where and when. Stale is
//! what answers another question than the cell now asks; what an earlier library answered is told apart. Runs nothing.

use crate::cache::write_whole;
use crate::chapter::Chapter;
use crate::error::{Error, Result};
use crate::hasher::files_below;
use crate::keys::{CELLS, Key, RESULTS};
use crate::outcome::CellOutput;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The only form of the file that exists so far.
const SCHEMA: u32 = 1;

/// Where and when outputs were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The device, such as `NVIDIA H200`.
    pub device: String,
    /// Its folder among the results, such as `h200`.
    pub folder: String,
    /// The version of its driver; empty where it is not known.
    pub driver: String,
    /// The CUDA version that the driver serves.
    pub cuda_version: String,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What ran the cells: the program and its version.
    pub tool: String,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, CUDA {}", self.device, self.cuda_version)?;
        if !self.driver.is_empty() {
            write!(f, ", driver {}", self.driver)?;
        }
        let commit = match self.commit.strip_suffix("-dirty") {
            Some(hash) => format!("{hash:.10} with changes"),
            None => format!("{:.10}", self.commit),
        };
        write!(f, ", {}, commit {commit}", self.date)
    }
}

/// What the cells of one chapter gave on one device.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Where and when.
    pub(crate) made: Provenance,
    cells: Vec<StoredCell>,
}

/// A stored output that belongs to a cell.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    /// Where and when.
    pub(crate) made: &'a Provenance,
    /// What the cell gave.
    pub(crate) output: &'a CellOutput,
    /// Whether the library was then what it is now.
    pub(crate) is_of_this_library: bool,
}

impl Stored {
    /// What was stored of a cell; nothing if it is stale.
    pub(crate) fn output(&self, key: &Key) -> Option<Found<'_>> {
        let cell = self
            .cells
            .iter()
            .find(|cell| cell.key == key.whole || cell.question == key.question)?;
        Some(Found {
            made: &self.made,
            output: &cell.output,
            is_of_this_library: cell.key == key.whole,
        })
    }
}

/// The file.
#[derive(Deserialize)]
struct StoredFile {
    schema: u32,
    chapter: String,
    made: Provenance,
    cells: Vec<StoredCell>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredCell {
    key: String,
    question: String,
    #[serde(flatten)]
    output: CellOutput,
}

/// Outputs that pages do not show, because a chapter is not as it was when they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleOutputs {
    /// The file, relative to the project's root.
    pub file: PathBuf,
    /// Of how many of the chapter's cells the output is stale.
    pub cells: usize,
    /// How many cells the chapter has; none if there is no such chapter any more.
    pub of: usize,
}

impl fmt::Display for StaleOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match (self.cells, self.of) {
            (_, 0) => write!(f, "{file} belongs to no chapter"),
            (cells, of) => write!(f, "{file}: {cells} of {of} cells"),
        }
    }
}

/// What stored outputs there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReport {
    /// How many files.
    pub files: usize,
    /// Of how many cells the stored output belongs to the chapter as it is.
    pub fresh_cells: usize,
    /// Of how many of these it was made by an earlier version of the library.
    pub of_earlier_library: usize,
    /// Those that are stale.
    pub stale: Vec<StaleOutputs>,
}

impl StoredReport {
    /// The chapters whose outputs are stale and how to mend it, in a sentence; nothing if none is.
    pub fn warning(&self) -> Option<String> {
        if self.stale.is_empty() {
            return None;
        }
        let stale: Vec<_> = self.stale.iter().map(ToString::to_string).collect();
        Some(format!(
            "recorded outputs are stale and not shown ({}): `cornerturn record --cells` on that GPU makes them anew",
            stale.join("; ")
        ))
    }

    /// Counts what is stored of a chapter with these keys.
    pub(crate) fn count(&mut self, stored: &Stored, chapter: &Chapter, keys: &[Key]) {
        let found: Vec<_> = keys.iter().filter_map(|key| stored.output(key)).collect();
        let fresh = found.len();
        self.files += 1;
        self.fresh_cells += fresh;
        self.of_earlier_library += found
            .iter()
            .filter(|found| !found.is_of_this_library)
            .count();
        if fresh < keys.len() {
            self.stale.push(StaleOutputs {
                file: file_of(&stored.made.folder, chapter),
                cells: keys.len() - fresh,
                of: keys.len(),
            });
        }
    }
}

/// What is stored of a chapter's cells, one entry a GPU, in the order of their folders.
pub(crate) fn load(root: &Path, chapter: &Chapter) -> Result<Vec<Stored>> {
    let mut all = Vec::new();
    for gpu in gpus(root)? {
        let file = file_of(&gpu, chapter);
        if root.join(&file).is_file() {
            all.push(load_file(root, &gpu, &file, chapter)?);
        }
    }
    Ok(all)
}

/// The files of outputs that belong to none of the chapters.
pub(crate) fn orphans(root: &Path, chapters: &[Chapter]) -> Result<Vec<StaleOutputs>> {
    let mut orphans = Vec::new();
    for gpu in gpus(root)? {
        let mut files = Vec::new();
        files_below(root, &folder_of(&gpu), &mut files)?;
        files.retain(|file| {
            let mut with_cells = chapters.iter().filter(|chapter| chapter.has_cells());
            !with_cells.any(|chapter| file_of(&gpu, chapter) == *file)
        });
        orphans.extend(files.into_iter().map(|file| StaleOutputs {
            file,
            cells: 0,
            of: 0,
        }));
    }
    Ok(orphans)
}

/// Writes what a chapter's cells gave; returns the path. `results` has one folder for each GPU.
pub(crate) fn save(
    results: &Path,
    made: &Provenance,
    chapter: &Chapter,
    outputs: Vec<(Key, CellOutput)>,
) -> Result<PathBuf> {
    let path = results
        .join(&made.folder)
        .join(CELLS)
        .join(name_of(chapter));
    let broken = |error: serde_json::Error| Error::io(path.clone())(error.into());
    let mut text = format!(
        "{{\n\"schema\":{SCHEMA},\n\"chapter\":{},\n\"made\":{},\n\"cells\":[",
        serde_json::to_string(&chapter.source_name()).map_err(broken)?,
        serde_json::to_string(made).map_err(broken)?
    );
    // One cell a line, so that a change of one is a change of one line.
    for (number, (key, mut output)) in outputs.into_iter().enumerate() {
        output.keep_richest();
        let cell = serde_json::to_string(&StoredCell {
            key: key.whole,
            question: key.question,
            output,
        })
        .map_err(broken)?;
        text.push_str(if number == 0 { "\n" } else { ",\n" });
        text.push_str(&cell);
    }
    text.push_str("\n]\n}\n");
    write_whole(&path, text.as_bytes())?;
    Ok(path)
}

fn load_file(root: &Path, gpu: &str, file: &Path, chapter: &Chapter) -> Result<Stored> {
    let broken = |problem: String| Error::Stored {
        file: file.to_owned(),
        problem,
    };
    let path = root.join(file);
    let text = fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
    let stored: StoredFile =
        serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
    if stored.schema != SCHEMA {
        let problem = format!(
            "it is of schema {}, and this program reads {SCHEMA}",
            stored.schema
        );
        return Err(broken(problem));
    }
    if stored.made.folder != gpu || stored.made.device.trim().is_empty() {
        let Provenance { device, folder, .. } = &stored.made;
        return Err(broken(format!(
            "it says that it was made on “{device}”, `{folder}`"
        )));
    }
    if stored.chapter != chapter.source_name() {
        return Err(broken(format!(
            "it says that it belongs to {}",
            stored.chapter
        )));
    }
    Ok(Stored {
        made: stored.made,
        cells: stored.cells,
    })
}

/// The GPUs that have records.
fn gpus(root: &Path) -> Result<Vec<String>> {
    let folder = root.join(RESULTS);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut gpus = Vec::new();
    for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
        let entry = entry.map_err(Error::io(&folder))?;
        if entry.path().join(CELLS).is_dir() {
            gpus.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    gpus.sort();
    Ok(gpus)
}

fn folder_of(gpu: &str) -> PathBuf {
    Path::new(RESULTS).join(gpu).join(CELLS)
}

fn file_of(gpu: &str, chapter: &Chapter) -> PathBuf {
    folder_of(gpu).join(name_of(chapter))
}

fn name_of(chapter: &Chapter) -> PathBuf {
    chapter.path.with_extension("json")
}
