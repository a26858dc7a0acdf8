//! Builds the book in this process: mdBook with the preprocessor, into a folder that replaces the
//! old pages only when it is complete.

use crate::error::{Error, Result};
use crate::options::{BookOptions, BuildReport};
use crate::preprocess::CellPreprocessor;
use crate::share::Runners;
use mdbook_driver::MDBook;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Builds the book: runs the cells whose outputs are not stored and writes the pages.
///
/// # Errors
///
/// The first chapter that is malformed, the first cell that does not end as its chapter says, a
/// missing tool, or a file that cannot be read or written. The old pages then stand untouched.
pub fn build_book(options: &BookOptions) -> Result<BuildReport> {
    build_with(options, Runners::evcxr(options.sessions))
}

/// As [`build_book`], with runners of the caller's choice.
pub(crate) fn build_with(options: &BookOptions, runners: Runners) -> Result<BuildReport> {
    let start = Instant::now();
    let mut options = options.clone();
    options.root = absolute(&options.root)?;
    options.out = absolute(&options.out)?;
    let mut book = load(&options.root)?;
    let staging = beside(&options.out, "new");
    remove(&staging)?;
    book.config.build.build_dir.clone_from(&staging);
    let report = Arc::new(Mutex::new(BuildReport::default()));
    book.with_preprocessor(CellPreprocessor::new(
        options.clone(),
        runners,
        Arc::clone(&report),
    ));
    book.build().map_err(Error::from_mdbook)?;
    swap(&staging, &options.out)?;
    let mut report = report
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .clone();
    report.seconds = start.elapsed().as_secs_f64();
    report.out = options.out;
    Ok(report)
}

/// Loads the book of the project at `root`.
pub(crate) fn load(root: &Path) -> Result<MDBook> {
    MDBook::load(root).map_err(Error::from_mdbook)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(Error::io(path))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{suffix}"))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(folder)(error)),
        _ => Ok(()),
    }
}

/// Puts the new folder in the place of the old one.
fn swap(new: &Path, place: &Path) -> Result<()> {
    let old = beside(place, "old");
    remove(&old)?;
    if place.exists() {
        fs::rename(place, &old).map_err(Error::io(place))?;
    }
    fs::rename(new, place).map_err(Error::io(place))?;
    remove(&old)
}
