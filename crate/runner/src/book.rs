//! Verb `book`: builds the book, running every cell on this machine, and serves it on request. How a
//! page comes from a chapter is the preprocessor's business.

use crate::values::Values;
use crate::{exit, output, page, toolchain};
use cornerturn::{Device, DeviceFacts, paths};
use cornerturn_preprocessor::{
    BookOptions, BuildReport, Error, Progress, ServeEvent, ServeOptions, build_book, check_prose,
    serve_book,
};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A session takes about a GiB of memory, most of it rust-analyzer's.
const MOST_SESSIONS: usize = 4;

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
    /// Build nothing: print the values in the chapters, and fail if one has no number, a statement no longer holds, a
    /// number is typed by hand, or a cell is too long.
    #[arg(long, conflicts_with_all = ["open", "serve", "fresh"])]
    values: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if args.values {
        return print_values(&root);
    }
    toolchain::prepare()?;
    // The chapters' own small kernels need it. If it cannot be had, their cells say so; the others run.
    if let Err(error) = toolchain::prepare_compiler(&root) {
        output::step(format!("going on without it: {}", output::sentence(&error)));
    }
    let module = page::build(&root)?;
    let write_page = |out: &Path| match &module {
        Some(module) => page::write(module, out).map(drop),
        None => Ok(()),
    };
    let (mut options, shown) = options(&root)?;
    options.fresh = args.fresh;
    if !args.open && !args.serve {
        let report = build_book(&options).inspect_err(|_| shown.end());
        let report = report.map_err(failure)?;
        write_page(&report.out)?;
        tell(&report);
        println!("{}", report.out.join("index.html").display());
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
            output::step("open pages follow the sources; Ctrl-C ends it");
            if args.open {
                open_browser(&url);
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
        Error::ToolMissing(_) | Error::RustSrcMissing(_) => exit::lacks(words),
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

/// The progress of a build on stderr: a line for what is done, and on a terminal one for what goes on,
/// with its seconds.
#[derive(Clone)]
pub struct Shown {
    /// What each chapter does that is being run, and since when.
    going_on: Arc<Mutex<BTreeMap<String, (String, Instant)>>>,
}

impl Shown {
    fn start() -> Self {
        let shown = Self {
            going_on: Arc::default(),
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

    fn done(&self, chapter: &str, what: &str) {
        self.going_on().remove(chapter);
        output::progress("");
        output::step(format!("{chapter}: {what}"));
        self.show();
    }

    fn tell(&self, progress: &Progress) {
        match progress {
            Progress::Cached { chapter, cells } => {
                self.done(chapter, &format!("{cells} cells unchanged"));
            }
            Progress::SessionStarting { chapter, cells } => {
                self.begin(chapter, format!("evcxr starts, for {cells} cells"));
            }
            // Only each session's first start takes time: other chapters go on with the same evcxr.
            Progress::SessionReady { seconds, .. } if *seconds < 1.0 => {}
            Progress::SessionReady { chapter, seconds } => {
                self.done(chapter, &format!("evcxr is ready ({seconds:.1} s)"));
            }
            Progress::CellStarted { chapter, cell, of } => {
                self.begin(chapter, format!("cell {cell} of {of}"));
            }
            Progress::CellDone {
                chapter,
                cell,
                of,
                seconds,
            } => {
                self.done(chapter, &format!("cell {cell} of {of} ({seconds:.1} s)"));
            }
            Progress::Rendering => {
                self.end();
                output::step("writing the pages");
            }
            _ => {}
        }
    }
}

fn tell(report: &BuildReport) {
    output::step(format!(
        "{} pages in {:.1} s: {} cells ran, {} were unchanged",
        report.pages, report.seconds, report.cells_run, report.cells_cached
    ));
    if let Some(warning) = report.stored.warning() {
        output::step(warning);
    }
}

/// Opens an address as the desktop does; on a machine without one the printed address must do.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if command.spawn().is_err() {
        output::step(format!(
            "no browser could be opened here: open {url} in one"
        ));
    }
}
