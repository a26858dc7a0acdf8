//! The processes below a session: what runs a cell's code, and the observer between it and evcxr.
//!
//! evcxr reports a panic, and a `?` that met an error, as success; it only prints a marker on the
//! pipe between itself and the process that runs the code. So that process is started through an
//! observer, which passes the pipe on line by line and, for each such marker, adds a line of its
//! own that reaches the session as a line of stdout. The verdict needs no guess from stderr.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set for the session's processes: the runtime is to be observed.
pub(crate) const OBSERVE: &str = "CORNERTURN_OBSERVE_CELLS";
/// The variable by which evcxr tells that a process is to run code.
const EVCXR_RUNTIME: &str = "EVCXR_IS_RUNTIME";
/// What the code that evcxr generates prints when a cell panics.
const EVCXR_PANIC: &str = "EVCXR_PANIC_NOTIFICATION";
/// What the code that evcxr generates prints when `?` meets an error.
const EVCXR_ERR: &str = "EVCXR_ERROR_OCCURRED";
/// The observer's line for a panic. It starts with a character that no sane cell prints.
pub(crate) const PANICKED: &str = "\u{1}cornerturn:panic";
/// The observer's line for an error met by `?`.
pub(crate) const ERRED: &str = "\u{1}cornerturn:err";

/// evcxr starts this same binary again for its own purposes: call this first in `main`. It does not
/// return in a process that was started to run a cell's code.
pub fn runtime_hook() {
    if std::env::var_os(EVCXR_RUNTIME).is_some() {
        if std::env::var_os(OBSERVE).is_some() {
            std::process::exit(observe());
        }
        end_with_parent();
    }
    evcxr::runtime_hook();
}

/// Runs the runtime and passes its stdout on. Gives the exit status to end with.
fn observe() -> i32 {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("this program does not know its own path: {error}");
            return 99;
        }
    };
    end_with_parent();
    let child = Command::new(program)
        .env_remove(OBSERVE)
        // evcxr asks for backtraces; through generated code they tell a reader nothing.
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            eprintln!("the process that runs cells did not start: {error}");
            return 99;
        }
    };
    if let Some(stdout) = child.stdout.take() {
        pass_on(BufReader::new(stdout));
    }
    let _ = child.stdin.take();
    match child.wait() {
        Ok(status) => end_of(status),
        Err(error) => {
            eprintln!("the process that runs cells cannot be waited for: {error}");
            99
        }
    }
}

/// Copies lines to stdout, with the observer's own line before each marker.
fn pass_on(mut lines: impl BufRead) {
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        // A cell may print without a newline just before the marker comes.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        let note = match text {
            _ if text.ends_with(EVCXR_PANIC) => Some(PANICKED),
            _ if text.ends_with(EVCXR_ERR) => Some(ERRED),
            _ => None,
        };
        let marker_end = text.len();
        let written = match note {
            Some(note) => {
                let marker = if note == PANICKED { EVCXR_PANIC } else { EVCXR_ERR };
                let before = &text[..marker_end - marker.len()];
                let before = if before.is_empty() { String::new() } else { format!("{before}\n") };
                out.write_all(format!("{before}{note}\n{marker}\n").as_bytes())
            }
            // evcxr ends the session at bytes that are not UTF-8: replace them.
            None if std::str::from_utf8(&line).is_err() => {
                out.write_all(String::from_utf8_lossy(&line).as_bytes())
            }
            None => out.write_all(&line),
        };
        if written.and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

#[cfg(unix)]
fn end_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => {
            eprintln!("ended by signal {signal}{}", signal_name(signal));
            128 + signal
        }
        (None, None) => 99,
    }
}

#[cfg(not(unix))]
fn end_of(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(99)
}

#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic)",
        9 => " (kill: perhaps out of memory)",
        11 => " (segmentation fault)",
        _ => "",
    }
}

/// Ends this process soon after the one that started it has ended, however that came about: a cell
/// in an endless loop must not outlive a build that was interrupted.
#[cfg(unix)]
pub(crate) fn end_with_parent() {
    use std::os::unix::process::parent_id;
    let parent = parent_id();
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(Duration::from_millis(100));
        }
        std::process::exit(98);
    });
}

/// Without Unix there is no parent to look after.
#[cfg(not(unix))]
pub(crate) fn end_with_parent() {}
