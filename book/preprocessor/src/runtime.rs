//! The processes below a session: what runs a cell's code, and the observer between it and evcxr.
//!
//! evcxr reports a panic, and a `?` that met an error, as success; it only prints a marker on the
//! pipe between itself and the process that runs the code. So that process is started through an
//! observer, which passes the pipe on line by line and, for each such marker, adds a line of its
//! own that reaches the session as a line of stdout. The verdict needs no guess from stderr.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set for a session's processes: the runtime is to be observed.
pub const OBSERVE: &str = "CORNERTURN_OBSERVE_CELLS";
/// The variable by which evcxr tells that a process is to run code.
const EVCXR_RUNTIME: &str = "EVCXR_IS_RUNTIME";
/// What the code that evcxr generates prints when a cell panics.
const PANIC: &str = "EVCXR_PANIC_NOTIFICATION";
/// What it prints when `?` meets an error.
const ERR: &str = "EVCXR_ERROR_OCCURRED";
/// What it prints at the end of every cell that does not end the process.
const COMPLETE: &str = "EVCXR_EXECUTION_COMPLETE";
/// What a display begins with; the MIME type follows.
const CONTENT: &str = "EVCXR_BEGIN_CONTENT ";
/// The observer's line for a panic. It starts with a character that no sane cell prints.
const PANICKED: &str = "\u{1}cornerturn:panic";
/// The observer's line for an error met by `?`.
const ERRED: &str = "\u{1}cornerturn:err";
/// The observer's line where a marker came after text without a newline.
const UNFINISHED: &str = "\u{1}cornerturn:unfinished";

/// What the observer notes, in a line of stdout, of the cell that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It panicked.
    Panicked,
    /// `?` met an error.
    Erred,
    /// It printed text without a newline at its end.
    Unfinished,
}

impl Note {
    /// The note that a line is; `None` for a line of the cell's own.
    pub fn of(line: &str) -> Option<Note> {
        match line {
            PANICKED => Some(Note::Panicked),
            ERRED => Some(Note::Erred),
            UNFINISHED => Some(Note::Unfinished),
            _ => None,
        }
    }
}

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
        let passed = observed(&String::from_utf8_lossy(&line));
        if out
            .write_all(passed.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

/// A line as it is passed on. evcxr knows a marker only as a whole line, and ends the session at
/// bytes that are not UTF-8 (here they are replaced already).
fn observed(line: &str) -> String {
    let text = line.trim_end_matches(['\n', '\r']);
    for (marker, note) in [
        (PANIC, PANICKED),
        (ERR, ERRED),
        (COMPLETE, ""),
        (CONTENT, ""),
    ] {
        let found = if marker == CONTENT {
            text.find(marker)
        } else {
            at_end(text, marker)
        };
        let Some(at) = found else { continue };
        let mut passed = String::new();
        if at > 0 {
            // The cell printed without a newline just before the marker came.
            passed = format!("{}\n{UNFINISHED}\n", &text[..at]);
        }
        if !note.is_empty() {
            passed = format!("{passed}{note}\n");
        }
        return format!("{passed}{}\n", &text[at..]);
    }
    line.to_owned()
}

fn at_end(text: &str, marker: &str) -> Option<usize> {
    text.ends_with(marker).then(|| text.len() - marker.len())
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
pub fn end_with_parent() {
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
pub fn end_with_parent() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_seen_and_set_apart() {
        assert_eq!(observed("plain\n"), "plain\n");
        assert_eq!(
            observed(&format!("{PANIC}\n")),
            format!("{PANICKED}\n{PANIC}\n")
        );
        assert_eq!(observed(&format!("{ERR}\n")), format!("{ERRED}\n{ERR}\n"));
        assert_eq!(observed(&format!("{COMPLETE}\n")), format!("{COMPLETE}\n"));
        let display = format!("{CONTENT}text/html\n");
        assert_eq!(observed(&display), display);
        assert_eq!(
            observed(&format!("abc{COMPLETE}\n")),
            format!("abc\n{UNFINISHED}\n{COMPLETE}\n")
        );
        assert_eq!(
            observed(&format!("abc{CONTENT}text/html\n")),
            format!("abc\n{UNFINISHED}\n{CONTENT}text/html\n")
        );
        assert_eq!(
            observed("says EVCXR_EXECUTION_COMPLETE twice\n"),
            "says EVCXR_EXECUTION_COMPLETE twice\n"
        );
    }
}
