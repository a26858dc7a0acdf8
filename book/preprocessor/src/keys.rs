//! What a cell's outputs depend on, as hashes: the chapter's cells so far, the kernels, exercises and records that they
//! name, and with all that the library that they link. The device is none of it; stores nothing.

use crate::chapter::{Chapter, Runnable};
use crate::error::Result;
use crate::hasher::{Hasher, files_below};
use crate::kernels::Registry;
use crate::library;
use cornerturn_basics::hex;
use std::collections::BTreeSet;
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
    /// The records that cells may read.
    records: Vec<PathBuf>,
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
            records: records(root)?,
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
        let mut named = Named::default();
        let mut keys = Vec::with_capacity(cells.len());
        for (count, cell) in (1..).zip(&cells) {
            self.add_names(&mut named, cell);
            keys.push(self.key(&cells[..count], &named)?);
        }
        Ok(keys)
    }

    /// The keys of the last of these cells, which name this.
    fn key(&self, cells: &[Runnable], named: &Named) -> Result<Key> {
        let mut whole = Hasher::new();
        whole.part(&self.common);
        self.ask(&mut whole, cells, named)?;
        let mut question = Hasher::new();
        self.ask(&mut question, cells, named)?;
        Ok(Key {
            whole: hex(&whole.finish()),
            question: hex(&question.finish()),
        })
    }

    /// Adds what the last of these cells asks.
    fn ask(&self, hasher: &mut Hasher, cells: &[Runnable], named: &Named) -> Result<()> {
        for (at, id) in self.registry.ids().enumerate() {
            if named.reads_registry || named.kernels.contains(&at) {
                hasher.part(id.as_bytes());
                for part in self.registry.fingerprint(id) {
                    hasher.part(&part);
                }
            }
        }
        for (at, id) in self.registry.exercises.ids().enumerate() {
            let is_named = named.speaks_of_exercises && named.exercises.contains(&at);
            if named.reads_workshop || is_named {
                hasher.part(id.as_bytes());
                for part in self.registry.exercises.fingerprint(id) {
                    hasher.part(part);
                }
            }
        }
        for (at, record) in self.records.iter().enumerate() {
            // All of them where the names are not to be seen.
            let is_named = named.records.is_empty() || named.records.contains(&at);
            if named.reads_records && is_named {
                hasher.path(self.root, record)?;
            }
        }
        for cell in cells {
            hasher
                .part(cell.source.as_bytes())
                .part(&[u8::from(cell.expects_error)]);
        }
        Ok(())
    }

    /// Adds what a cell names.
    fn add_names(&self, named: &mut Named, cell: &Runnable) {
        let says = |words: &str| cell.source.contains(words);
        // What stands between two quotes next to each other, whichever of them opens.
        let parts: Vec<&str> = cell.source.split('"').collect();
        let between = parts.iter().skip(1).take(parts.len().saturating_sub(2));
        let quoted: BTreeSet<&str> = between.copied().collect();
        let quotes = |text: &str| quoted.contains(text);
        named.reads_registry |= says("Registry");
        named.reads_workshop |= says("Workshop");
        named.speaks_of_exercises |= says("exercise::");
        named.reads_records |= says("Record") || says(RESULTS);
        let kernels = self.registry.ids().enumerate();
        let kernels = kernels.filter(|(_, id)| cell.kernel.as_deref() == Some(id) || quotes(id));
        named.kernels.extend(kernels.map(|(at, _)| at));
        let exercises = self.registry.exercises.ids().enumerate();
        let exercises = exercises.filter(|(_, id)| quotes(id));
        named.exercises.extend(exercises.map(|(at, _)| at));
        let records = self.records.iter().enumerate().filter(|(_, path)| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            quotes(&stem) || says(&path.to_string_lossy())
        });
        named.records.extend(records.map(|(at, _)| at));
    }
}

/// What the cells of a chapter so far name of what their outputs may depend on, by its place in the list of its kind.
#[derive(Default)]
struct Named {
    /// The kernels that were placed or are quoted, and whether a cell reads the list of all.
    kernels: BTreeSet<usize>,
    reads_registry: bool,
    /// The exercises that are quoted; whether a cell speaks of exercises, and whether it reads the list of all.
    exercises: BTreeSet<usize>,
    speaks_of_exercises: bool,
    reads_workshop: bool,
    /// The records that are quoted or named by their path, and whether a cell reads any.
    records: BTreeSet<usize>,
    reads_records: bool,
}

/// The records of the project, but for what cells gave on GPUs, which no cell reads.
fn records(root: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    files_below(root, Path::new(RESULTS), &mut all)?;
    all.retain(|path| {
        let mut folders = path
            .components()
            .skip(Path::new(RESULTS).components().count());
        folders.nth(1).is_none_or(|part| part.as_os_str() != CELLS)
    });
    Ok(all)
}
