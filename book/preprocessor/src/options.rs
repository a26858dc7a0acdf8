//! What a build of the book is told and what it reports back. Holds no behaviour.

use crate::stored::StoredReport;
use crate::values::{NoSource, Source};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a build of the book needs to know.
#[derive(Clone)]
pub struct BookOptions {
    /// The project's root: it holds `book.toml`, `book/`, `kernels/`, `crate/` and `notebooks/`.
    pub root: PathBuf,
    /// Where the pages go. They are replaced as a whole, and only by a complete build.
    pub out: PathBuf,
    /// Names the device that the cells run on, with everything about it that changes an output
    /// (its name, driver, forced backend). Part of every cell's cache key.
    pub device_key: String,
    /// The device that the cells run on, as a page names it.
    pub device_name: String,
    /// Whether a page shows first what another device gave, where that is stored: the emulator gives
    /// no times.
    pub stored_first: bool,
    /// How many chapters may run at the same time. One where cells measure: they would measure each other.
    pub sessions: usize,
    /// Runs every cell, whatever the cache holds.
    pub fresh: bool,
    /// A cell that uses the processor for longer than this, on all cores together, is ended and fails: nobody would wait for it.
    pub cell_timeout: Duration,
    /// Where the numbers in prose come from.
    pub values: Arc<dyn Source>,
    /// Called as the work goes on, from whichever thread does it.
    pub progress: Arc<dyn Fn(&Progress) + Send + Sync>,
}

impl BookOptions {
    /// The usual options: pages in `target/book/html`, the cache in use, ten minutes of the
    /// processor for a cell, no values for prose, progress not shown.
    pub fn new(root: impl Into<PathBuf>, device_key: impl Into<String>) -> Self {
        let root = root.into();
        let device_key = device_key.into();
        BookOptions {
            out: root.join("target/book/html"),
            root,
            device_name: device_key.clone(),
            device_key,
            stored_first: false,
            sessions: 1,
            fresh: false,
            cell_timeout: Duration::from_secs(600),
            values: Arc::new(NoSource),
            progress: Arc::new(|_| ()),
        }
    }
}

/// One step of a build, for showing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Another build of this project is at work; this one waits for it.
    Waiting,
    /// Every cell of the chapter was found in the cache.
    Cached {
        /// The chapter's title.
        chapter: String,
        /// How many cells it has.
        cells: usize,
    },
    /// The library that cells use is looked at, and built where it is not as its sources say.
    Library,
    /// The chapter's cells are compiled, as one program.
    Compiling {
        /// The chapter's title.
        chapter: String,
        /// How many cells will run.
        cells: usize,
    },
    /// They are.
    Compiled {
        /// The chapter's title.
        chapter: String,
        /// How long it took.
        seconds: f64,
    },
    /// A cell starts.
    CellStarted {
        /// The chapter's title.
        chapter: String,
        /// The cell's number, from 1.
        cell: usize,
        /// How many cells the chapter has.
        of: usize,
    },
    /// A cell is done.
    CellDone {
        /// The chapter's title.
        chapter: String,
        /// The cell's number, from 1.
        cell: usize,
        /// How many cells the chapter has.
        of: usize,
        /// How long it ran.
        seconds: f64,
    },
    /// All cells of the chapter have run.
    ChapterDone {
        /// The chapter's title.
        chapter: String,
        /// How many cells it has.
        cells: usize,
        /// How long it took, compilation included.
        seconds: f64,
    },
    /// All cells are done; the pages are written.
    Rendering,
}

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuildReport {
    /// Pages written, one a chapter.
    pub pages: usize,
    /// Cells that ran.
    pub cells_run: usize,
    /// Cells whose outputs came from the cache.
    pub cells_cached: usize,
    /// What is stored of other runs of the cells.
    pub stored: StoredReport,
    /// Seconds from start to finished pages.
    pub seconds: f64,
    /// Where the pages are.
    pub out: PathBuf,
}
