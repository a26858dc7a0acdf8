//! Verb `book`: builds the book, running every cell on this machine, and serves it on request. How a
//! page comes from a chapter is the preprocessor's business.

use crate::values::Values;
use crate::{desktop, exit, output, page, process, toolchain};
use cornerturn::{Device, DeviceFacts, paths};
use cornerturn_preprocessor::{
    BookOptions, BuildReport, Error, Progress, ServeEvent, ServeOptions, build_book, check_prose,
    serve_book,
};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A chapter's program may fill a GiB of memory with matrices.
const MOST_SESSIONS: usize = 4;

/// What `cargo book` says first.
const WHAT_IT_DOES: &str = "building the book: the pages' laboratory, then the cells of some 50 chapters, then the pages; the first \
                            time some three minutes on two cores, later seconds";

/// Build the book, running every cell on this machine: on its GPU, else in the emulator.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Serve the pages on the loopback address, rebuild them when a source changes, and open a
    /// browser.
    #[arg(long)]
    open: bool,
    /// Serve as `--open` does, without opening a browser.
    #[arg(long)]
    serve: bool,
    /// The port to serve on; where it is taken, the next free one.
    #[arg(long, value_name = "PORT", default_value_t = 3000)]
    port: u16,
    /// Run every cell again, whatever earlier builds have kept.
    #[arg(long)]
    fresh: bool,
    /// Build the pages without their laboratory, in which a browser runs the kernels.
    #[arg(long)]
    no_laboratory: bool,
    /// Build nothing: print the values in the chapters, and fail if one has no number, a statement no longer holds, a
    /// number is typed by hand, or a cell is too long.
    #[arg(long, conflicts_with_all = ["open", "serve", "fresh", "no_laboratory"])]
    values: bool,
    /// Print one JSON object: index, the first page; without_laboratory, why the pages have none, or null.
    #[arg(long, conflicts_with_all = ["open", "serve", "values"])]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if args.values {
        return print_values(&root);
    }
    toolchain::prepare()?;
    output::step(WHAT_IT_DOES);
    // The chapters' own small kernels need it. If it cannot be had, their cells say so; the others run.
    if let Err(error) = toolchain::prepare_compiler(&root) {
        output::step(format!("going on without it: {}", output::sentence(&error)));
    }
    let laboratory = match args.no_laboratory {
        true => Err("it was not asked for (--no-laboratory)".to_owned()),
        false => build_laboratory(&root)?,
    };
    let write_page = |out: &Path| match &laboratory {
        Ok(module) => page::write(module, out).map(drop),
        Err(_) => Ok(()),
    };
    let (mut options, shown) = options(&root)?;
    options.fresh = args.fresh;
    if !args.open && !args.serve {
        let report = build_book(&options).inspect_err(|_| shown.end());
        let report = report.map_err(failure)?;
        write_page(&report.out)?;
        tell(&report);
        let index = report.out.join("index.html");
        match args.json {
            true => output::json(&serde_json::json!({
                "index": index,
                "without_laboratory": laboratory.as_ref().err(),
            }))?,
            false => output::line(index.display())?,
        }
        if let Err(why) = &laboratory {
            output::step(format!("the pages have NO LABORATORY: {why}"));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let serve = ServeOptions { port: args.port };
    let with_page = |report: &BuildReport| {
        if let Err(error) = write_page(&report.out) {
            output::step(output::sentence(&error));
        }
    };
    serve_book(&options, &serve, |event| match event {
        ServeEvent::Listening { url, report } => {
            with_page(&report);
            tell(&report);
            println!("{url}");
            if let Err(why) = &laboratory {
                output::step(format!("the pages have NO LABORATORY: {why}"));
            }
            output::step("open pages follow the sources; Ctrl-C ends it");
            if args.open {
                desktop::open_browser(&url);
            }
        }
        ServeEvent::Changed(path) => output::step(format!("{} changed", path.display())),
        ServeEvent::Rebuilt(report) => {
            with_page(&report);
            tell(&report);
        }
        ServeEvent::Failed(error) => {
            shown.end();
            output::error(&failure(error));
        }
        _ => {}
    })
    .map_err(failure)?;
    Ok(ExitCode::SUCCESS)
}

/// The modules of the pages' laboratory, or why there are none.
fn build_laboratory(root: &Path) -> anyhow::Result<Result<PathBuf, String>> {
    match toolchain::prepare_page_target() {
        Ok(()) => page::build(root).map(Ok),
        Err(error) => Ok(Err(output::sentence(&error))),
    }
}

/// Prints every value in the chapters, and tells what is wrong with any.
fn print_values(root: &Path) -> anyhow::Result<ExitCode> {
    let report = check_prose(root, &Values::default()).map_err(failure)?;
    for value in &report.values {
        output::line(format_args!(
            "{}: {}  {}",
            value.place, value.text, value.written
        ))?;
    }
    for problem in &report.problems {
        output::complain(&problem.to_string());
    }
    Ok(match report.problems.len() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// The book of the project at `root`, its cells on this machine's device, progress shown.
pub fn options(root: &Path) -> anyhow::Result<(BookOptions, Shown)> {
    let device = Device::open()?;
    let facts = device.facts();
    output::step(format!("cells run on: {}", facts.name));
    let mut options = BookOptions::new(root, key_of(facts));
    options.device_name.clone_from(&facts.name);
    options.values = Arc::new(Values::default());
    options.stored_first = !device.is_cuda();
    options.sessions = match device.is_cuda() {
        true => 1,
        false => thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MOST_SESSIONS),
    };
    let shown = Shown::start();
    let progress = shown.clone();
    options.progress = Arc::new(move |now| progress.tell(now));
    Ok((options, shown))
}

/// What names this machine's device, with all of it that can change a cell's output.
pub fn device_key() -> anyhow::Result<String> {
    Ok(key_of(Device::open()?.facts()))
}

fn key_of(facts: &DeviceFacts) -> String {
    [&facts.name, &facts.driver, &facts.cuda_version]
        .map(String::as_str)
        .join(" ")
}

/// The error of a build with its exit status: a wrong cell, a wrong source, or a missing tool.
pub fn failure(error: Error) -> anyhow::Error {
    let words = error.to_string();
    match error {
        Error::ToolMissing(_) | Error::LinkerMissing => exit::lacks(words),
        Error::Io { source, .. } if exit::is_lack(&source) => exit::lacks(words),
        Error::Chapter { .. } | Error::UnknownKernel { .. } | Error::Registry { .. } => {
            exit::usage(words)
        }
        Error::SameNotebook { .. }
        | Error::NoSuchChapter(_)
        | Error::Edited(_)
        | Error::Config(_) => exit::usage(words),
        _ => exit::wrong(words),
    }
}

/// The progress of a build on stderr: a line for each chapter that is done, and on a terminal one for what goes on, with its
/// seconds.
#[derive(Clone)]
pub struct Shown {
    /// What each chapter does that is being run, and since when.
    going_on: Arc<Mutex<BTreeMap<String, (String, Instant)>>>,
    /// Chapters of which nothing had to be run, and their cells.
    unchanged: Arc<Mutex<(usize, usize)>>,
}

impl Shown {
    fn start() -> Self {
        let shown = Self {
            going_on: Arc::default(),
            unchanged: Arc::default(),
        };
        let ticking = shown.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                ticking.show();
            }
        });
        shown
    }

    fn going_on(&self) -> MutexGuard<'_, BTreeMap<String, (String, Instant)>> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unchanged(&self) -> MutexGuard<'_, (usize, usize)> {
        let unchanged = self.unchanged.lock();
        unchanged.unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what goes on, on a line of its own.
    fn show(&self) {
        let going_on = self.going_on();
        let told = going_on.iter().map(|(chapter, (what, since))| {
            format!("{chapter}: {what}, {} s", since.elapsed().as_secs())
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            output::progress(&format!("  {}", told.join("; ")));
        }
    }

    fn begin(&self, chapter: &str, what: String) {
        self.going_on()
            .insert(chapter.to_owned(), (what, Instant::now()));
        self.show();
    }

    /// Takes the line of what goes on away.
    pub fn end(&self) {
        self.going_on().clear();
        output::progress("");
    }

    fn step(&self, what: &str) {
        output::progress("");
        output::step(what);
        self.show();
    }

    /// Tells of the chapters that were found as they are.
    fn tell_unchanged(&self) {
        let (chapters, cells) = std::mem::take(&mut *self.unchanged());
        if chapters > 0 {
            self.step(&format!(
                "{chapters} chapters with {cells} cells: unchanged"
            ));
        }
    }

    fn tell(&self, progress: &Progress) {
        match progress {
            Progress::Waiting => {
                self.step("another build of this book is at work here: waiting for its end");
            }
            Progress::Cached { cells, .. } => {
                let mut unchanged = self.unchanged();
                *unchanged = (unchanged.0 + 1, unchanged.1 + cells);
            }
            Progress::Library => {
                self.tell_unchanged();
                self.step("running cells; cargo looks at the library first");
            }
            Progress::Compiling { chapter, cells } => {
                self.begin(chapter, format!("compiling {cells} cells"));
            }
            Progress::CellStarted { chapter, cell, of } => {
                self.begin(chapter, format!("cell {cell} of {of}"));
            }
            Progress::ChapterDone {
                chapter,
                cells,
                seconds,
            } => {
                self.going_on().remove(chapter);
                self.step(&format!("{chapter}: {cells} cells in {seconds:.1} s"));
            }
            Progress::Rendering => {
                self.tell_unchanged();
                self.end();
                output::step("writing the pages");
            }
            _ => {}
        }
    }
}

fn tell(report: &BuildReport) {
    output::step(format!(
        "{} pages in {:.1} s: {} cells ran, {} were unchanged; {:.0} seconds of the processor so far, the laboratory's included",
        report.pages,
        report.seconds,
        report.cells_run,
        report.cells_cached,
        process::processor_seconds()
    ));
    if let Some(warning) = report.stored.warning() {
        output::step(warning);
    }
}
