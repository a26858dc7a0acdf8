//! The child process of one session: holds the evcxr context, takes cells as JSON lines on stdin
//! and answers with what each gave as JSON lines on stdout. Starts nothing else and writes no file.

use crate::outcome::{CellOutput, CellStatus};
use crate::runtime::{LATE_ERROR, Note, end_with_parent, parted, take_end};
use evcxr::{CommandContext, CompilationError, EvalContextOutputs};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Why a cell fails that a notebook would wait for, or lose a line of.
const NO_NEWLINE: &str = "it printed text without a newline at its end, and evcxr then misses \
                          what follows: use `println!`";

/// How often the lines are taken that cells print.
const EVERY: Duration = Duration::from_millis(5);

/// Of a cell that does not compile, no more errors than this are told.
const MAX_ERRORS: usize = 5;

/// What the worker is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Run a cell.
    Run(String),
    /// Drop all that cells made, settings included.
    Clear,
}

/// What the worker says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The context takes cells.
    Ready,
    /// The context did not start.
    NoStart(String),
    /// A cell is done.
    Done(CellOutput),
}

/// Runs the worker: the entry of the child process, which the session starts as
/// `<this binary> __cells`. Returns when its stdin ends.
///
/// # Errors
///
/// When stdin or stdout fail, which means that the parent is gone.
pub fn cell_worker_main() -> std::io::Result<()> {
    end_with_parent();
    let (mut context, outputs) = match CommandContext::new() {
        Ok(started) => started,
        Err(error) => return reply(&Reply::NoStart(error.to_string())),
    };
    let streams = Streams::drain(outputs);
    reply(&Reply::Ready)?;
    for line in std::io::stdin().lock().lines() {
        reply(&match serde_json::from_str(&line?)? {
            Request::Run(source) => Reply::Done(run_cell(&mut context, &streams, &source)),
            Request::Clear => match context.execute(":clear") {
                Ok(_) => {
                    context.reset_config();
                    streams.take(None);
                    Reply::Ready
                }
                Err(error) => Reply::NoStart(error.to_string()),
            },
        })?;
    }
    Ok(())
}

fn reply(reply: &Reply) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, reply)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// What cells print. evcxr waits until stdout is drained, so a thread does it.
struct Streams {
    stdout: Arc<Mutex<Vec<String>>>,
    outputs: EvalContextOutputs,
}

impl Streams {
    fn drain(outputs: EvalContextOutputs) -> Streams {
        let (lines, channel) = (Arc::<Mutex<Vec<String>>>::default(), outputs.stdout.clone());
        let stdout = Arc::clone(&lines);
        std::thread::spawn(move || {
            loop {
                // Taken under the lock: what evcxr has seen taken, `run_cell` finds in the list.
                let mut lines = locked(&lines);
                lines.extend(channel.try_iter());
                drop(lines);
                std::thread::sleep(EVERY);
            }
        });
        Streams { stdout, outputs }
    }

    /// Takes what was printed, up to this mark of the end in stderr. Of code that ended its process there is none, and
    /// evcxr has read stderr to its end.
    fn take(&self, end: Option<&str>) -> (Vec<String>, Vec<String>) {
        let stdout = std::mem::take(&mut *locked(&self.stdout));
        let (mut stderr, limit) = (Vec::new(), Instant::now() + LATE_ERROR);
        let mut ended = end.is_none();
        while let Ok(line) = match ended {
            true => self.outputs.stderr.try_recv().map_err(|_| ()),
            false => self.outputs.stderr.recv_deadline(limit).map_err(|_| ()),
        } {
            let (own, mark) = parted(&line);
            stderr.extend(own.map(str::to_owned));
            ended |= mark.is_some() && mark == end;
        }
        (stdout, stderr)
    }
}

/// The lines, whatever happened to a thread that held them: a list of lines is never half changed.
fn locked(lines: &Mutex<Vec<String>>) -> std::sync::MutexGuard<'_, Vec<String>> {
    lines
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run_cell(context: &mut CommandContext, streams: &Streams, source: &str) -> CellOutput {
    let start = Instant::now();
    let mut result = context.execute(source);
    let seconds = start.elapsed().as_secs_f64();
    let end = result
        .as_mut()
        .ok()
        .and_then(|outputs| take_end(&mut outputs.content_by_mime_type));
    let marked = |note: Note| {
        let lines = locked(&streams.stdout);
        lines.iter().any(|line| Note::of(line) == Some(note))
    };
    let (status, display) = match result {
        Ok(_) if marked(Note::Panicked) => (CellStatus::Panic, Default::default()),
        Ok(_) if marked(Note::Erred) => (CellStatus::Err, Default::default()),
        Ok(_) if marked(Note::Unfinished) => (
            CellStatus::Session {
                message: NO_NEWLINE.to_owned(),
            },
            Default::default(),
        ),
        Ok(outputs) => (
            CellStatus::Ok,
            outputs.content_by_mime_type.into_iter().collect(),
        ),
        Err(evcxr::Error::CompilationErrors(errors)) => {
            (compile_status(&errors, source), Default::default())
        }
        Err(evcxr::Error::SubprocessTerminated(message)) => {
            (CellStatus::Crash { message }, Default::default())
        }
        Err(error) => (
            CellStatus::Session {
                message: error.to_string(),
            },
            Default::default(),
        ),
    };
    let (mut stdout, stderr) = streams.take(end.as_deref());
    stdout.retain(|line| Note::of(line).is_none());
    CellOutput {
        status,
        stdout: joined(&stdout),
        stderr: joined(&without_noise(stderr)),
        display,
        seconds,
    }
}

fn joined(lines: &[String]) -> String {
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

/// Whether a line of a panic's message changes from run to run or speaks of generated code: the header
/// with its thread and line, and the advice on backtraces.
pub fn is_noise(line: &str) -> bool {
    let is_header = line.starts_with("thread '") && line.contains("panicked at ");
    is_header || line.starts_with("note: run with `RUST_BACKTRACE")
}

/// A panic's message without its noise.
fn without_noise(lines: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = lines.into_iter().filter(|line| !is_noise(line)).collect();
    while kept.first().is_some_and(|line| line.trim().is_empty()) {
        kept.remove(0);
    }
    kept
}

fn compile_status(errors: &[CompilationError], source: &str) -> CellStatus {
    let (line, message) = told(errors, source);
    CellStatus::Compile { line, message }
}

/// The compiler's errors on a cell, as rustc tells them, with the cell's own lines.
pub fn compile_message(errors: &[CompilationError], source: &str) -> String {
    told(errors, source).1
}

/// The line of the first error, from 1, and the words of all.
fn told(errors: &[CompilationError], source: &str) -> (Option<usize>, String) {
    let lines: Vec<&str> = source.lines().collect();
    let mut message = String::new();
    let mut first_line = None;
    // rustc's warnings come along, of the crates that the cell depends on too.
    let (real, other): (Vec<_>, Vec<_>) = errors.iter().partition(|e| e.level() == "error");
    let shown = if real.is_empty() { other } else { real };
    for error in shown.iter().take(MAX_ERRORS) {
        let line = write_error(&mut message, error, &lines);
        first_line = first_line.or(line);
    }
    if shown.len() > MAX_ERRORS {
        // Writing to a string cannot fail.
        let _ = writeln!(message, "and {} more errors", shown.len() - MAX_ERRORS);
    }
    (first_line, message)
}

/// Writes one of the compiler's errors as rustc would, with the cell's own lines. Gives the line.
fn write_error(message: &mut String, error: &CompilationError, lines: &[&str]) -> Option<usize> {
    let level = if error.level().is_empty() {
        "error"
    } else {
        error.level()
    };
    let code = error
        .code()
        .map(|code| format!("[{code}]"))
        .unwrap_or_default();
    let _ = writeln!(message, "{level}{code}: {}", error.message());
    let primary = error.primary_spanned_message();
    let Some((primary, span)) = primary.and_then(|primary| Some((primary, primary.span?))) else {
        // Not in the cell: in a crate that it depends on, and there rustc's own words have a place.
        for line in error.rendered().lines().skip(1) {
            let _ = writeln!(message, "{line}");
        }
        return None;
    };
    if let Some(text) = lines.get(span.start_line.wrapping_sub(1)) {
        let number = span.start_line.to_string();
        let width = if span.end_line == span.start_line {
            span.end_column.saturating_sub(span.start_column).max(1)
        } else {
            text.chars()
                .count()
                .saturating_sub(span.start_column.saturating_sub(1))
                .max(1)
        };
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(span.start_column.saturating_sub(1));
        let carets = "^".repeat(width);
        let marked = format!("{margin} | {indent}{carets} {}", primary.label);
        let _ = writeln!(message, "{number} | {text}\n{}", marked.trim_end());
    }
    for help in error.help() {
        let _ = writeln!(message, "help: {help}");
    }
    Some(span.start_line)
}
