//! Runs the chapters' cells to keep what they give, for pages that are built elsewhere. What is kept
//! and how is `stored`'s.

use crate::book::{load, lock};
use crate::cache::Cache;
use crate::chapter::Chapter;
use crate::error::{Error, Result};
use crate::kernels::Registry;
use crate::keys::{Key, Keys};
use crate::options::{BookOptions, BuildReport};
use crate::preprocess::{CellPreprocessor, Job, chapters};
use crate::prose::fill;
use crate::share::Runners;
use crate::stored::{self, Provenance, StoredReport};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Runs the cells of chapters and keeps what they give below `results`, one file a chapter. `only`
/// names the chapters by their files, `padding` or, of one folder, `workshop/padding`; none means all
/// that have cells. Gives, for each chapter, the file that was written or why there is none.
///
/// # Errors
///
/// If the book cannot be read, or has no chapter of a name that was given.
pub fn record_cells(
    options: &BookOptions,
    only: &[String],
    made: &Provenance,
    results: &Path,
) -> Result<Vec<Result<PathBuf>>> {
    record_with(options, only, made, results, Runners::programs(1))
}

/// As [`record_cells`], with a runner of the caller's choice.
pub(crate) fn record_with(
    options: &BookOptions,
    only: &[String],
    made: &Provenance,
    results: &Path,
    runners: Runners,
) -> Result<Vec<Result<PathBuf>>> {
    let _lock = lock(options)?;
    let registry = Registry::load(&options.root)?;
    let mut chapters = all_chapters(&options.root, &registry)?;
    chapters.retain(Chapter::has_cells);
    let is_named =
        |chapter: &Chapter, name: &String| chapter.path.with_extension("").ends_with(name);
    if let Some(unknown) = only
        .iter()
        .find(|name| !chapters.iter().any(|chapter| is_named(chapter, name)))
    {
        return Err(Error::NoSuchChapter(unknown.clone()));
    }
    chapters.retain(|chapter| only.is_empty() || only.iter().any(|name| is_named(chapter, name)));
    let keys = Keys::of_project(&options.root, &registry)?;
    let cache = Cache::of(&options.root, &options.device_key);
    let report = Arc::new(Mutex::new(BuildReport::default()));
    let preprocessor = CellPreprocessor::new(options.clone(), runners, report);
    // By the keys of the chapters as they are written; what runs has the values of its words, as on a page.
    let keys = keys.of_all(&chapters)?;
    fill(&mut chapters, &*options.values)?;
    let record = |(chapter, keys): (&Chapter, Vec<Key>)| {
        let job = [Job::of(chapter, keys)];
        let outputs = preprocessor.outputs(&job, &cache)?;
        let [job] = job;
        let outputs = job.keys.into_iter().zip(outputs.into_iter().flatten());
        stored::save(results, made, chapter, outputs.collect())
    };
    Ok(chapters.iter().zip(keys).map(record).collect())
}

/// Reads what is stored of the chapters' cells, and tells what of it is stale. Runs nothing.
///
/// # Errors
///
/// If the book or a file of outputs cannot be read.
pub fn check_stored(root: &Path) -> Result<StoredReport> {
    let registry = Registry::load(root)?;
    let keys = Keys::of_project(root, &registry)?;
    let chapters = all_chapters(root, &registry)?;
    let mut report = StoredReport::default();
    for chapter in &chapters {
        let keys = keys.of_chapter(chapter)?;
        for stored in stored::load(root, chapter)? {
            report.count(&stored, chapter, &keys);
        }
    }
    report.stale.extend(stored::orphans(root, &chapters)?);
    Ok(report)
}

fn all_chapters(root: &Path, registry: &Registry) -> Result<Vec<Chapter>> {
    let book = load(root)?;
    chapters(&book.config.book.src, &book.book, registry)
}
