//! What a cell's outputs depend on, as hashes: the chapter's cells so far, the kernels, exercises and records that they
//! name, and with all that the library that they link. The device is none of it; stores nothing.

use crate::chapter::{Chapter, Runnable};
use crate::error::Result;
use crate::hasher::{Hasher, files_below};
use crate::kernels::Registry;
use crate::library;
use cornerturn_basics::hex;
use std::path::{Path, PathBuf};

/// Part of every key: raise it when the way cells are run, or what is kept of them, changes.
const FORMAT: &str = "cells 3";
/// Where the records are, below the project's root: one folder for each GPU.
pub(crate) const RESULTS: &str = "book/results";
/// The folder among a GPU's records that holds what cells gave there: no cell reads it.
pub(crate) const CELLS: &str = "cells";

/// The keys of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Of all that an output depends on.
    pub(crate) whole: String,
    /// Of all but the library: what the cell asks, whatever then answers.
    pub(crate) question: String,
}

/// Makes the keys of one project's cells.
pub(crate) struct Keys<'a> {
    root: &'a Path,
    registry: &'a Registry,
    /// The hash of all that every chapter's cells depend on.
    common: [u8; 32],
}

impl<'a> Keys<'a> {
    /// Reads what all cells of the project at `root` depend on.
    pub(crate) fn of_project(root: &'a Path, registry: &'a Registry) -> Result<Self> {
        let mut hasher = Hasher::new();
        hasher
            .part(FORMAT.as_bytes())
            .part(env!("CARGO_PKG_VERSION").as_bytes());
        library::add(&mut hasher, root)?;
        Ok(Keys {
            root,
            registry,
            common: hasher.finish(),
        })
    }

    /// The keys of the cells of each of these chapters, in order.
    pub(crate) fn of_all(&self, chapters: &[Chapter]) -> Result<Vec<Vec<Key>>> {
        let each = chapters.iter().map(|chapter| self.of_chapter(chapter));
        each.collect()
    }

    /// The keys of each of a chapter's cells, in order. Outputs are recorded and looked up by those of the chapter as it
    /// is written: the values of its words change no output.
    pub(crate) fn of_chapter(&self, chapter: &Chapter) -> Result<Vec<Key>> {
        let cells = chapter.runnables();
        let so_far = (1..=cells.len()).map(|count| &cells[..count]);
        so_far.map(|cells| self.key(cells)).collect()
    }

    /// The keys of the last of these cells.
    fn key(&self, cells: &[Runnable]) -> Result<Key> {
        let mut whole = Hasher::new();
        whole.part(&self.common);
        self.ask(&mut whole, cells)?;
        let mut question = Hasher::new();
        self.ask(&mut question, cells)?;
        Ok(Key {
            whole: hex(&whole.finish()),
            question: hex(&question.finish()),
        })
    }

    /// Adds what the last of these cells asks.
    fn ask(&self, hasher: &mut Hasher, cells: &[Runnable]) -> Result<()> {
        for id in kernels_named(cells, self.registry) {
            hasher.part(id.as_bytes());
            for part in self.registry.fingerprint(&id) {
                hasher.part(&part);
            }
        }
        for id in exercises_named(cells, self.registry) {
            hasher.part(id.as_bytes());
            for part in self.registry.exercises.fingerprint(id) {
                hasher.part(part);
            }
        }
        for record in records_named(self.root, cells)? {
            hasher.path(self.root, &record)?;
        }
        for cell in cells {
            hasher
                .part(cell.source.as_bytes())
                .part(&[u8::from(cell.expects_error)]);
        }
        Ok(())
    }
}

/// The kernels that outputs may depend on: those placed among the cells, those whose id a cell
/// quotes, and all of them where one reads the registry.
fn kernels_named(cells: &[Runnable], registry: &Registry) -> Vec<String> {
    let named = |id: &str| {
        let quoted = format!("\"{id}\"");
        let mut cells = cells.iter();
        cells.any(|cell| cell.kernel.as_deref() == Some(id) || cell.source.contains(&quoted))
    };
    let all = cells.iter().any(|cell| cell.source.contains("Registry"));
    let ids = registry.ids().filter(|id| all || named(id));
    ids.map(str::to_owned).collect()
}

/// The exercises that outputs may depend on: none where no cell speaks of exercises, else those whose
/// id a cell quotes, and all of them where one reads their list.
fn exercises_named<'a>(cells: &[Runnable], registry: &'a Registry) -> Vec<&'a str> {
    let says = |words: &str| cells.iter().any(|cell| cell.source.contains(words));
    let all = says("Workshop");
    if !all && !says("exercise::") {
        return Vec::new();
    }
    let ids = registry.exercises.ids();
    ids.filter(|id| all || says(&format!("\"{id}\""))).collect()
}

/// The records that cells may read: none without a `Record` or the folder of records, those that are
/// named by a quoted name or by their path, or all of them where the names are not to be seen.
fn records_named(root: &Path, cells: &[Runnable]) -> Result<Vec<PathBuf>> {
    let says = |words: &str| cells.iter().any(|cell| cell.source.contains(words));
    if !says("Record") && !says(RESULTS) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    files_below(root, Path::new(RESULTS), &mut all)?;
    all.retain(|path| {
        let mut folders = path
            .components()
            .skip(Path::new(RESULTS).components().count());
        folders.nth(1).is_none_or(|part| part.as_os_str() != CELLS)
    });
    let named: Vec<_> = all
        .iter()
        .filter(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            says(&format!("\"{stem}\"")) || says(&path.to_string_lossy())
        })
        .cloned()
        .collect();
    Ok(if named.is_empty() { all } else { named })
}
