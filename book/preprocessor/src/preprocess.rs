//! The preprocessor as mdBook knows it: turns each chapter of a loaded book into its page, running
//! the cells whose outputs are not stored.

use crate::cache::Cache;
use crate::cells::{CellRunner, Step};
use crate::chapter::{Chapter, Runnable};
use crate::error::{Error, Result};
use crate::exercise_page;
use crate::glossary;
use crate::index;
use crate::kernels::Registry;
use crate::keys::{Key, Keys};
use crate::options::{BookOptions, BuildReport, Progress};
use crate::outcome::CellOutput;
use crate::outputs::{Outputs, Shown};
use crate::page::{self, CellRuns};
use crate::prose::fill;
use crate::recorded;
use crate::share::{Runners, share};
use crate::stored::{self, Stored};
use mdbook_core::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The name under which `book.toml` knows the preprocessor.
pub(crate) const NAME: &str = "cornerturn";

/// A chapter whose cells' outputs are wanted.
pub(crate) struct Job<'a> {
    chapter: &'a Chapter,
    cells: Vec<Runnable>,
    /// One for each cell.
    pub(crate) keys: Vec<Key>,
}

impl<'a> Job<'a> {
    /// The chapter with its cells' keys, made before its values were filled in.
    pub(crate) fn of(chapter: &'a Chapter, keys: Vec<Key>) -> Self {
        Job {
            chapter,
            cells: chapter.runnables(),
            keys,
        }
    }
}

/// The preprocessor, with what it found to report.
pub(crate) struct CellPreprocessor {
    options: BookOptions,
    runners: Runners,
    report: Arc<Mutex<BuildReport>>,
    /// Where outputs are kept until mdBook has made the pages; without it they go into the chapters.
    outputs: Option<Arc<Mutex<Outputs>>>,
}

impl CellPreprocessor {
    pub(crate) fn new(
        options: BookOptions,
        runners: Runners,
        report: Arc<Mutex<BuildReport>>,
    ) -> Self {
        CellPreprocessor {
            options,
            runners,
            report,
            outputs: None,
        }
    }

    /// With a place to keep outputs in; who calls mdBook puts them into its pages.
    pub(crate) fn keeping(self, outputs: Arc<Mutex<Outputs>>) -> Self {
        CellPreprocessor {
            outputs: Some(outputs),
            ..self
        }
    }

    /// What stands for a cell's outputs in its chapter.
    fn shown(&self, shown: Shown) -> String {
        let Some(outputs) = &self.outputs else {
            return shown.page;
        };
        let outputs = outputs.lock();
        let mut outputs = outputs.unwrap_or_else(std::sync::PoisonError::into_inner);
        outputs.put(shown)
    }

    /// The page of one chapter.
    fn page(&self, job: &Job, outputs: &[CellOutput], stored: &[Stored]) -> String {
        self.count(|report| {
            report.pages += 1;
            for stored in stored {
                report.stored.count(stored, job.chapter, &job.keys);
            }
        });
        let outputs = outputs.iter().zip(&job.keys);
        let runs = outputs.map(|(output, key)| self.runs(output, stored, key));
        let runs: Vec<CellRuns> = runs.collect();
        page::markdown(job.chapter, &runs, &|shown| self.shown(shown))
    }

    /// What a page may show of a cell: what it gave here, and what is stored of it.
    fn runs<'a>(&'a self, here: &'a CellOutput, stored: &'a [Stored], key: &Key) -> CellRuns<'a> {
        let elsewhere = |stored: &'a Stored| stored.output(key);
        CellRuns {
            device: &self.options.device_name,
            here,
            elsewhere: stored.iter().filter_map(elsewhere).collect(),
            elsewhere_first: self.options.stored_first,
        }
    }

    /// The outputs of each chapter's cells on this machine, kept from an earlier run or made now.
    pub(crate) fn outputs(&self, jobs: &[Job], cache: &Cache) -> Result<Vec<Vec<CellOutput>>> {
        let kept = |job: &Job| self.kept(job, cache);
        let run = |job: &Job, runner: &mut dyn CellRunner| self.run_cells(job, runner, cache);
        let prepare = |runner: &mut dyn CellRunner| {
            (self.options.progress)(&Progress::Library);
            runner.prepare(&self.options)
        };
        share(&self.runners, jobs, kept, prepare, run)
    }

    /// What is kept of a chapter's cells; nothing of a chapter without any.
    fn kept(&self, job: &Job, cache: &Cache) -> Option<Vec<CellOutput>> {
        if job.cells.is_empty() {
            return Some(Vec::new());
        }
        let outputs = cache.load(&job.keys).filter(|_| !self.options.fresh)?;
        (self.options.progress)(&Progress::Cached {
            chapter: job.chapter.title.clone(),
            cells: job.cells.len(),
        });
        self.count(|report| report.cells_cached += job.cells.len());
        Some(outputs)
    }

    fn run_cells(
        &self,
        job: &Job,
        runner: &mut dyn CellRunner,
        cache: &Cache,
    ) -> Result<Vec<CellOutput>> {
        let Job {
            chapter,
            cells,
            keys,
        } = job;
        let progress = &self.options.progress;
        let title = || chapter.title.clone();
        progress(&Progress::Compiling {
            chapter: title(),
            cells: cells.len(),
        });
        let start = Instant::now();
        let of = cells.len();
        // One that must fail may be told of before the one in front of it has ended.
        let mut outputs = vec![None; of];
        runner.run(&self.options, chapter, cells, &mut |step| {
            match step {
                Step::Compiled(seconds) => progress(&Progress::Compiled {
                    chapter: title(),
                    seconds,
                }),
                Step::Begun(cell) => progress(&Progress::CellStarted {
                    chapter: title(),
                    cell: cell.number,
                    of,
                }),
                Step::Ended(cell, output) => {
                    cache.store(&keys[cell.number - 1], &output)?;
                    progress(&Progress::CellDone {
                        chapter: title(),
                        cell: cell.number,
                        of,
                        seconds: output.seconds,
                    });
                    self.count(|report| report.cells_run += 1);
                    outputs[cell.number - 1] = Some(output);
                }
            }
            Ok(())
        })?;
        progress(&Progress::ChapterDone {
            chapter: title(),
            cells: of,
            seconds: start.elapsed().as_secs_f64(),
        });
        // Each was told of, or the run would have failed.
        Ok(outputs.into_iter().flatten().collect())
    }

    fn count(&self, change: impl FnOnce(&mut BuildReport)) {
        change(
            &mut self
                .report
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        );
    }

    fn pages(&self, source: &Path, book: &mut Book) -> Result<()> {
        let registry = Registry::load(&self.options.root)?;
        let keys = Keys::of_project(&self.options.root, &registry)?;
        let cache = Cache::of(&self.options.root, &self.options.device_key);
        // Every chapter is read before the first cell runs: a slip in the last one shows at once.
        let mut chapters = chapters(source, book, &registry)?;
        let keys = keys.of_all(&chapters)?;
        fill(&mut chapters, &*self.options.values)?;
        glossary::link(&mut chapters, true)?;
        let root = &self.options.root;
        let stored: Vec<_> = chapters
            .iter()
            .map(|chapter| stored::load(root, chapter))
            .collect::<Result<_>>()?;
        let orphans = stored::orphans(root, &chapters)?;
        let jobs: Vec<_> = chapters
            .iter()
            .zip(keys)
            .map(|(chapter, keys)| Job::of(chapter, keys))
            .collect();
        let outputs = self.outputs(&jobs, &cache)?;
        let pages: Vec<String> = jobs
            .iter()
            .zip(&outputs)
            .zip(&stored)
            .map(|((job, outputs), stored)| self.page(job, outputs, stored))
            .collect();
        self.count(|report| report.stored.stale.extend(orphans));
        let mut pages = chapters.iter().zip(pages).peekable();
        // `chapters` and this walk see the same chapters in different orders: match them by path.
        let mut by_path: std::collections::BTreeMap<PathBuf, String> = pages
            .by_ref()
            .map(|(chapter, page)| (chapter.path.clone(), page))
            .collect();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && let Some(path) = &chapter.source_path
                && let Some(page) = by_path.remove(path)
            {
                chapter.content = page;
            }
        });
        (self.options.progress)(&Progress::Rendering);
        Ok(())
    }
}

impl Preprocessor for CellPreprocessor {
    fn name(&self) -> &str {
        NAME
    }

    fn run(
        &self,
        context: &PreprocessorContext,
        mut book: Book,
    ) -> mdbook_preprocessor::errors::Result<Book> {
        let source = context.config.book.src.clone();
        self.pages(&source, &mut book)?;
        Ok(book)
    }

    fn supports_renderer(&self, renderer: &str) -> mdbook_preprocessor::errors::Result<bool> {
        Ok(supports(renderer))
    }
}

/// The chapters of a book that have a file, in order. `source` is the book's source folder relative
/// to the project's root.
pub(crate) fn chapters(source: &Path, book: &Book, registry: &Registry) -> Result<Vec<Chapter>> {
    let mut chapters = Vec::new();
    let mut names = HashSet::new();
    for chapter in book.chapters() {
        if let Some(path) = &chapter.source_path {
            let file = source.join(path);
            let text = recorded::settle(&chapter.content, &file, |record| {
                recorded::is_there(&registry.root, record)
            })?;
            let mut parsed = Chapter::parse(&chapter.name, path, &file, &text, registry)?;
            if let Some(number) = &chapter.number {
                let levels: Vec<_> = number.iter().map(|level| format!("{level:02}")).collect();
                parsed.number = levels.join("-");
            }
            parsed.is_namesake =
                parsed.is_written() && !names.insert(path.file_name().map(OsStr::to_owned));
            chapters.push(parsed);
        }
    }
    exercise_page::write_overviews(&mut chapters, &registry.exercises)?;
    index::write(&mut chapters, registry)?;
    Ok(chapters)
}

/// Whether the preprocessor serves a renderer of mdBook: its pages are HTML.
pub fn supports(renderer: &str) -> bool {
    renderer == "html"
}

/// Serves plain `mdbook build`, which calls the preprocessor as a command: reads the book as JSON
/// from stdin and writes it with its pages to stdout.
///
/// # Errors
///
/// As [`build_book`](crate::build_book), and if stdin holds no book.
pub fn preprocess_stdin(options: &BookOptions) -> Result<()> {
    let (context, book) =
        mdbook_preprocessor::parse_input(std::io::stdin().lock()).map_err(Error::from_mdbook)?;
    let mut options = options.clone();
    options.root.clone_from(&context.root);
    let report = Arc::new(Mutex::new(BuildReport::default()));
    let runners = Runners::programs(options.sessions);
    let preprocessor = CellPreprocessor::new(options, runners, report);
    let book = preprocessor
        .run(&context, book)
        .map_err(Error::from_mdbook)?;
    serde_json::to_writer(std::io::stdout().lock(), &book)
        .map_err(|e| Error::io("stdout")(e.into()))
}
