//! The parent's side of a chapter's session: starts the worker process, hands it cells, waits no
//! longer than a cell may take, and turns what comes back into a verdict.

use crate::chapter::{Chapter, Runnable};
use crate::error::{CellFailure, Error, Place, Result};
use crate::options::BookOptions;
use crate::outcome::{CellOutput, CellStatus};
use crate::runtime::OBSERVE;
use crate::scratch::{copy_compiled, prepare_scratch, scratch_target};
use crate::toolchain::Toolchain;
use crate::worker::{Reply, Request};
use cornerturn_basics::same_answer;
use cornerturn_basics::system::{GET_C_TOOLCHAIN, LIBRARY_PATH};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a context may take to start: rust-analyzer reads the standard library.
const START_LIMIT: Duration = Duration::from_secs(180);
/// How many builds of one project may run cells at a time.
const MAX_SESSIONS: usize = 8;

/// Runs the cells of chapters: evcxr in earnest, something simpler in tests.
pub(crate) trait CellRunner: Send {
    /// Begins a chapter: nothing of the ones before it is known to its cells.
    fn begin(&mut self, options: &BookOptions, chapter: &Chapter) -> Result<()>;
    /// Runs one cell. `Err` only if there is no outcome: it was ended, or the session broke.
    fn run(&mut self, source: &str) -> std::result::Result<CellOutput, CellFailure>;
}

/// evcxr in a child process. Between chapters everything that cells made is dropped and the process
/// that runs them is replaced; what took long stays: rust-analyzer's index, the compiled crate.
#[derive(Default)]
pub(crate) struct Evcxr {
    session: Option<Session>,
}

impl CellRunner for Evcxr {
    fn begin(&mut self, options: &BookOptions, chapter: &Chapter) -> Result<()> {
        if let Some(session) = &mut self.session
            && session
                .ask(&Request::Clear, START_LIMIT)
                .is_ok_and(|r| matches!(r, Reply::Ready))
        {
            session.cell_timeout = options.cell_timeout;
            return Ok(());
        }
        self.session = None;
        self.session = Some(Session::start(options, &chapter.file)?);
        Ok(())
    }

    fn run(&mut self, source: &str) -> std::result::Result<CellOutput, CellFailure> {
        let Some(session) = &mut self.session else {
            return Err(CellFailure::Session("no session was begun".to_owned()));
        };
        let outcome = session.run(source);
        if outcome.is_err() {
            self.session = None;
        }
        outcome
    }
}

/// The worker process and the ways to it.
struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    replies: Receiver<Reply>,
    /// The last lines that the worker itself, not a cell, wrote to stderr.
    complaints: Arc<Mutex<Vec<String>>>,
    cell_timeout: Duration,
    /// Keeps the scratch folder for this session alone.
    _scratch: Scratch,
}

impl Session {
    fn start(options: &BookOptions, chapter: &Path) -> Result<Session> {
        let toolchain = Toolchain::find()?;
        let broken = |reason: String| Error::SessionStart {
            chapter: chapter.to_owned(),
            reason,
        };
        let scratch = Scratch::take(&options.root)?;
        let mut command = worker_command(options, &toolchain, &scratch.folder)?;
        let mut child = command
            .spawn()
            .map_err(|e| broken(format!("its process: {e}")))?;
        let (sender, replies) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout)
                    .lines()
                    .map_while(std::result::Result::ok)
                {
                    // evcxr may print on its own account; only replies are JSON of this shape.
                    if let Ok(reply) = serde_json::from_str(&line)
                        && sender.send(reply).is_err()
                    {
                        return;
                    }
                }
            });
        }
        let complaints = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = child.stderr.take() {
            let complaints = Arc::clone(&complaints);
            std::thread::spawn(move || keep_last_lines(BufReader::new(stderr), &complaints));
        }
        let stdin = child.stdin.take();
        let cell_timeout = options.cell_timeout;
        let session = Session {
            child,
            stdin,
            replies,
            complaints,
            cell_timeout,
            _scratch: scratch,
        };
        match session.replies.recv_timeout(START_LIMIT) {
            Ok(Reply::Ready) => Ok(session),
            Ok(Reply::NoStart(reason)) => Err(broken(with_hint(reason))),
            Ok(Reply::Done(_)) | Err(RecvTimeoutError::Disconnected) => {
                Err(broken(with_hint(session.complaint())))
            }
            Err(RecvTimeoutError::Timeout) => Err(broken(format!(
                "no answer within {} s",
                START_LIMIT.as_secs()
            ))),
        }
    }

    fn run(&mut self, source: &str) -> std::result::Result<CellOutput, CellFailure> {
        match self.ask(&Request::Run(source.to_owned()), self.cell_timeout) {
            Ok(Reply::Done(output)) => Ok(output),
            Err(RecvTimeoutError::Timeout) => {
                Err(CellFailure::Timeout(self.cell_timeout.as_secs_f64()))
            }
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                Err(CellFailure::Session(self.complaint()))
            }
        }
    }

    fn ask(
        &mut self,
        request: &Request,
        limit: Duration,
    ) -> std::result::Result<Reply, RecvTimeoutError> {
        let sent = serde_json::to_string(request)
            .map_err(std::io::Error::from)
            .and_then(|line| {
                let stdin = self.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
                writeln!(stdin, "{line}")?;
                stdin.flush()
            });
        sent.map_err(|_| RecvTimeoutError::Disconnected)?;
        self.replies.recv_timeout(limit)
    }

    fn complaint(&self) -> String {
        // The thread that reads stderr may be a moment behind the end of the process.
        std::thread::sleep(Duration::from_millis(100));
        let lines = self
            .complaints
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if lines.is_empty() {
            "its process ended without a word".to_owned()
        } else {
            lines.join("\n")
        }
    }
}

/// The folder in which evcxr compiles cells. It is kept from build to build, so that the crate is
/// compiled once; two sessions at a time need two.
struct Scratch {
    folder: PathBuf,
    _lock: File,
}

impl Scratch {
    fn take(root: &Path) -> Result<Scratch> {
        let parent = root.join("target/evcxr");
        std::fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
        let mut number = 1;
        loop {
            let name = if number == 1 {
                "book".to_owned()
            } else {
                format!("book-{number}")
            };
            let path = parent.join(format!("{name}.lock"));
            let lock = File::create(&path).map_err(Error::io(&path))?;
            match lock.try_lock() {
                Ok(()) => {
                    let folder = parent.join(name);
                    if number > 1 {
                        start_from(&parent.join("book"), &folder);
                    }
                    return Ok(Scratch {
                        folder,
                        _lock: lock,
                    });
                }
                Err(TryLockError::WouldBlock) if number < MAX_SESSIONS => number += 1,
                Err(error) => return Err(Error::io(&path)(error.into())),
            }
        }
    }
}

/// Takes over what another session has compiled, in place of what is there. Without it everything is compiled here, so
/// a failure is no error.
fn start_from(other: &Path, folder: &Path) {
    let target = scratch_target(folder);
    let _ = std::fs::remove_dir_all(&target);
    if !copy_compiled(&scratch_target(other), &target) {
        let _ = std::fs::remove_dir_all(&target);
    }
}

fn worker_command(options: &BookOptions, toolchain: &Toolchain, scratch: &Path) -> Result<Command> {
    let config = options.root.join("target/evcxr/config");
    let folder = options.root.join("notebooks");
    for folder in [&config, &folder] {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    let scratch = prepare_scratch(&options.root, scratch)?;
    let program = std::env::current_exe().map_err(Error::io("the path of this program"))?;
    let mut command = Command::new(program);
    command
        .arg("__cells")
        .current_dir(&folder)
        .env("EVCXR_TMPDIR", scratch)
        // A reader's own evcxr settings must not change the book.
        .env("EVCXR_CONFIG_DIR", &config)
        .env(LIBRARY_PATH, library_path(toolchain)?)
        // evcxr's crate is built in its own folder, wherever the reader's builds go.
        .env_remove("CARGO_TARGET_DIR")
        .env("CORNERTURN_HOME", &options.root)
        .env("RUST_LIB_BACKTRACE", "0")
        .env(OBSERVE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

/// Where the loader looks: first in the toolchain, since evcxr may not find its libraries; then as
/// before, since a GPU's driver may be there.
fn library_path(toolchain: &Toolchain) -> Result<OsString> {
    let mut folders = vec![toolchain.library_dir.clone()];
    if let Some(path) = std::env::var_os(LIBRARY_PATH) {
        folders.extend(std::env::split_paths(&path));
    }
    std::env::join_paths(folders).map_err(|e| Error::io(LIBRARY_PATH)(std::io::Error::other(e)))
}

fn keep_last_lines(lines: impl BufRead, kept: &Mutex<Vec<String>>) {
    for line in lines.lines().map_while(std::result::Result::ok) {
        let mut kept = kept
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if kept.len() == 40 {
            kept.remove(0);
        }
        kept.push(line);
    }
}

/// Adds the next step to what evcxr says where the cause is a known one.
fn with_hint(reason: String) -> String {
    let hint = if reason.contains("linker `cc` not found") {
        format!("install a C toolchain ({GET_C_TOOLCHAIN})")
    } else if reason.contains("rust-src") {
        "run `rustup component add rust-src`".to_owned()
    } else {
        return reason;
    };
    format!("{reason}\n{hint}")
}

impl Drop for Session {
    fn drop(&mut self) {
        // The worker ends with its stdin. One that is busy is ended; the processes below it see
        // that and end too.
        self.stdin.take();
        let limit = Instant::now() + Duration::from_millis(500);
        while Instant::now() < limit {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a cell ended as its chapter says, and the error that names its place if not.
pub(crate) fn verdict(chapter: &Chapter, cell: &Runnable, output: &CellOutput) -> Result<()> {
    let mut line = 0;
    let failure = match &output.status {
        CellStatus::Ok => undecided(cell, output),
        CellStatus::Compile { line: at, message } => {
            line = at.unwrap_or(1) - 1;
            Some(CellFailure::Compile(message.trim_end().to_owned()))
        }
        CellStatus::Panic => Some(CellFailure::Panic(output.stderr.trim_end().to_owned())),
        CellStatus::Err => Some(CellFailure::Err(output.stderr.trim_end().to_owned())),
        CellStatus::Crash { message } => {
            let stderr = output.stderr.trim_end();
            Some(CellFailure::Crash(
                format!("{stderr}\n{message}").trim().to_owned(),
            ))
        }
        CellStatus::Session { message } => Some(CellFailure::Session(message.clone())),
    };
    match failure {
        None if cell.expects_error => Err(failed(chapter, cell, 0, CellFailure::Unexpected)),
        Some(failure) if !cell.expects_error || matches!(failure, CellFailure::Session(_)) => {
            Err(failed(chapter, cell, line, failure))
        }
        _ => Ok(()),
    }
}

/// What is wrong with what a question printed, if it is one: one of its keys is what it must print.
fn undecided(cell: &Runnable, output: &CellOutput) -> Option<CellFailure> {
    let printed = output.stdout.trim();
    let is_key = cell.keys.iter().any(|key| same_answer(key, printed));
    (!cell.keys.is_empty() && !is_key).then(|| CellFailure::Undecided {
        printed: printed.to_owned(),
        keys: cell.keys.join(", "),
    })
}

/// The error of a cell, at a line of its code counted from 0.
pub(crate) fn failed(
    chapter: &Chapter,
    cell: &Runnable,
    line: usize,
    failure: CellFailure,
) -> Error {
    let line = if cell.lines_match {
        cell.line + line
    } else {
        cell.line
    };
    Error::Cell {
        chapter: chapter.title.clone(),
        place: Place {
            file: chapter.file.clone(),
            line,
        },
        cell: cell.number,
        failure,
    }
}
