//! Builds the book in this process: mdBook with the preprocessor, into a folder that replaces the
//! old pages only when it is complete.

use crate::access;
use crate::error::{Error, Result};
use crate::lighter;
use crate::options::{BookOptions, BuildReport, Progress};
use crate::outputs::Outputs;
use crate::preprocess::CellPreprocessor;
use crate::preview::Previews;
use crate::rectangles;
use crate::scripts;
use crate::share::Runners;
use mdbook_driver::MDBook;
use std::fs::{self, File, TryLockError};
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
    build_with(options, Runners::programs(options.sessions))
}

/// As [`build_book`], with runners of the caller's choice.
pub(crate) fn build_with(options: &BookOptions, runners: Runners) -> Result<BuildReport> {
    let start = Instant::now();
    let mut options = options.clone();
    options.root = absolute(&options.root)?;
    options.out = absolute(&options.out)?;
    let _lock = lock(&options)?;
    let mut book = load(&options.root)?;
    let staging = beside(&options.out, "new");
    remove(&staging)?;
    book.config.build.build_dir.clone_from(&staging);
    scripts::join(&mut book.config, &options.root)?;
    let previews = Previews::of(&book.config)?;
    let outputs = Arc::new(Mutex::new(Outputs::default()));
    let report = Arc::new(Mutex::new(BuildReport::default()));
    let preprocessor = CellPreprocessor::new(options.clone(), runners, Arc::clone(&report));
    book.with_preprocessor(preprocessor.keeping(Arc::clone(&outputs)));
    book.build().map_err(Error::from_mdbook)?;
    let outputs = outputs.lock();
    let outputs = outputs.unwrap_or_else(std::sync::PoisonError::into_inner);
    finish(&staging, &staging, &outputs, &previews)?;
    swap(&staging, &options.out)?;
    let mut report = report
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .clone();
    report.seconds = start.elapsed().as_secs_f64();
    report.out = options.out;
    Ok(report)
}

/// Waits until no other build of the project is at work: they would write the same files. Another is let in when this is dropped,
/// or when the process ends, however that comes about.
pub(crate) fn lock(options: &BookOptions) -> Result<File> {
    let folder = options.root.join("target/book");
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(Error::io(&path))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        (options.progress)(&Progress::Waiting);
    }
    file.lock().map_err(Error::io(&path))?;
    Ok(file)
}

/// The page of the whole book, for printing.
const PAPER: &str = "print.html";

/// Completes the pages below `folder`, which mdBook has written below `root`.
fn finish(root: &Path, folder: &Path, outputs: &Outputs, previews: &Previews) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.is_dir() {
            finish(root, &path, outputs, previews)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let page = path.strip_prefix(root).unwrap_or(&path);
            let page = page.to_string_lossy().replace('\\', "/");
            let html = fs::read_to_string(&path).map_err(Error::io(&path))?;
            let html = access::mended(&previews.added(&html, &page));
            let html = outputs.placed(&html, page == PAPER);
            let html = rectangles::joined(&access::focusable(&html));
            let html = lighter::light(&html);
            fs::write(&path, html.as_bytes()).map_err(Error::io(&path))?;
        }
    }
    Ok(())
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
