//! The parent's side of a chapter's session: starts the worker process, hands it cells, waits no
//! longer than a cell may take, and turns what comes back into a verdict.

use crate::chapter::{Chapter, Runnable};
use crate::error::{CellFailure, Error, Place, Result};
use crate::options::BookOptions;
use crate::outcome::{CellOutput, CellStatus};
use crate::runtime::OBSERVE;
use crate::toolchain::Toolchain;
use crate::worker::{Reply, Request};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a context may take to start: rust-analyzer reads the standard library.
const START_LIMIT: Duration = Duration::from_secs(180);

/// Runs the cells of a chapter, one after the other.
pub(crate) trait CellRunner {
    /// Runs one cell. `Err` only if there is no outcome: it was ended, or the session broke.
    fn run(&mut self, source: &str) -> std::result::Result<CellOutput, CellFailure>;
}

/// Starts sessions: evcxr's in earnest, a fake one in tests.
pub(crate) trait Sessions: Send + Sync {
    /// Starts a session for a chapter.
    fn start(&self, options: &BookOptions, chapter: &Chapter) -> Result<Box<dyn CellRunner>>;
}

/// evcxr, in a child process for each chapter.
pub(crate) struct Evcxr;

impl Sessions for Evcxr {
    fn start(&self, options: &BookOptions, chapter: &Chapter) -> Result<Box<dyn CellRunner>> {
        let session = Session::start(options, &chapter.file)?;
        Ok(Box::new(session))
    }
}

struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    replies: Receiver<Reply>,
    /// The last lines that the worker itself, not a cell, wrote to stderr.
    complaints: Arc<Mutex<Vec<String>>>,
    cell_timeout: Duration,
}

impl Session {
    fn start(options: &BookOptions, chapter: &Path) -> Result<Session> {
        let toolchain = Toolchain::find()?;
        let broken = |reason: String| Error::SessionStart { chapter: chapter.to_owned(), reason };
        let mut command = worker_command(options, &toolchain)?;
        let mut child = command.spawn().map_err(|e| broken(format!("its process: {e}")))?;
        let (sender, replies) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
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
        let session = Session { child, stdin, replies, complaints, cell_timeout };
        match session.replies.recv_timeout(START_LIMIT) {
            Ok(Reply::Ready) => Ok(session),
            Ok(Reply::NoStart(reason)) => Err(broken(with_hint(reason))),
            Ok(Reply::Done(_)) | Err(RecvTimeoutError::Disconnected) => {
                Err(broken(with_hint(session.complaint())))
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(broken(format!("no answer within {} s", START_LIMIT.as_secs())))
            }
        }
    }

    fn complaint(&self) -> String {
        // The thread that reads stderr may be a moment behind the end of the process.
        std::thread::sleep(Duration::from_millis(100));
        let lines = self.complaints.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if lines.is_empty() {
            "its process ended without a word".to_owned()
        } else {
            lines.join("\n")
        }
    }
}

fn worker_command(options: &BookOptions, toolchain: &Toolchain) -> Result<Command> {
    let scratch = options.root.join("target/evcxr/book");
    let config = options.root.join("target/evcxr/config");
    let folder = options.root.join("notebooks");
    for folder in [&scratch, &config, &folder] {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    // Cells compile against the same versions as the project, and need no network for it.
    let (lock, seed) = (scratch.join("Cargo.lock"), options.root.join("Cargo.lock"));
    if !lock.exists() && seed.exists() {
        std::fs::copy(&seed, &lock).map_err(Error::io(&lock))?;
    }
    let program = std::env::current_exe().map_err(Error::io("the path of this program"))?;
    let mut command = Command::new(program);
    command
        .arg("__cells")
        .current_dir(&folder)
        .env("EVCXR_TMPDIR", &scratch)
        // A reader's own evcxr settings must not change the book.
        .env("EVCXR_CONFIG_DIR", &config)
        .env("LD_LIBRARY_PATH", &toolchain.library_dir)
        .env("CORNERTURN_HOME", &options.root)
        .env("RUST_LIB_BACKTRACE", "0")
        .env(OBSERVE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

fn keep_last_lines(lines: impl BufRead, kept: &Mutex<Vec<String>>) {
    for line in lines.lines().map_while(std::result::Result::ok) {
        let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if kept.len() == 40 {
            kept.remove(0);
        }
        kept.push(line);
    }
}

/// Adds the next step to what evcxr says where the cause is a known one.
fn with_hint(reason: String) -> String {
    let hint = if reason.contains("linker `cc` not found") {
        "install a C toolchain (Debian and Ubuntu: `apt install build-essential`)"
    } else if reason.contains("rust-src") {
        "run `rustup component add rust-src`"
    } else {
        return reason;
    };
    format!("{reason}\n{hint}")
}

impl CellRunner for Session {
    fn run(&mut self, source: &str) -> std::result::Result<CellOutput, CellFailure> {
        let request = Request { source: source.to_owned() };
        let sent = serde_json::to_string(&request).map_err(std::io::Error::from).and_then(|line| {
            let stdin = self.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
            writeln!(stdin, "{line}")?;
            stdin.flush()
        });
        if sent.is_err() {
            return Err(CellFailure::Session(self.complaint()));
        }
        let start = Instant::now();
        match self.replies.recv_timeout(self.cell_timeout) {
            Ok(Reply::Done(output)) => Ok(output),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                Err(CellFailure::Session(self.complaint()))
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(CellFailure::Timeout(start.elapsed().as_secs_f64()))
            }
        }
    }
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
        CellStatus::Ok => None,
        CellStatus::Compile { line: at, message } => {
            line = at.unwrap_or(1) - 1;
            Some(CellFailure::Compile(message.trim_end().to_owned()))
        }
        CellStatus::Panic => Some(CellFailure::Panic(output.stderr.trim_end().to_owned())),
        CellStatus::Err => Some(CellFailure::Err(output.stderr.trim_end().to_owned())),
        CellStatus::Crash { message } => {
            let stderr = output.stderr.trim_end();
            Some(CellFailure::Crash(format!("{stderr}\n{message}").trim().to_owned()))
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

/// The error of a cell, at a line of its code counted from 0.
pub(crate) fn failed(
    chapter: &Chapter,
    cell: &Runnable,
    line: usize,
    failure: CellFailure,
) -> Error {
    let line = if cell.lines_match { cell.line + line } else { cell.line };
    Error::Cell {
        chapter: chapter.title.clone(),
        place: Place { file: chapter.file.clone(), line },
        cell: cell.number,
        failure,
    }
}
