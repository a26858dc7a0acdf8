//! The processes below a session: what runs a cell's code, and the observer between it and evcxr.
//!
//! evcxr reports a panic, and a `?` that met an error, as success; it only prints a marker on the
//! pipe between itself and the process that runs the code. So that process is started through an
//! observer, which passes the pipe on line by line and, for each such marker, adds a line of its
//! own that reaches the session as a line of stdout. The verdict needs no guess from stderr. Where code
//! ends it writes one mark into stderr, which is another pipe, and the same as a display of its own: up
//! to the mark that is displayed, what is in stderr is the code's.

use std::collections::HashMap;
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
/// What it ends with.
const CONTENT_END: &str = "EVCXR_END_CONTENT";
/// The observer's line for a panic. It starts with a character that no sane cell prints.
const PANICKED: &str = "\u{1}cornerturn:panic";
/// The observer's line for an error met by `?`.
const ERRED: &str = "\u{1}cornerturn:err";
/// The observer's line where a marker came after text without a newline.
const UNFINISHED: &str = "\u{1}cornerturn:unfinished";
/// Before the mark in stderr where code ends.
const ENDED: &str = "\u{1}cornerturn:end ";
/// The MIME type under which the mark is displayed. Unlike a line it is no part of what evcxr waits for: when it
/// starts, nobody takes lines yet.
const ENDED_KIND: &str = "application/x-cornerturn-end";

/// What a cell wrote to stderr, and the mark of its end, come by another pipe, no later than this.
pub const LATE_ERROR: Duration = Duration::from_secs(10);

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

/// Takes the mark of the end out of what a cell displayed; `None` if no code of it came to its end. Of a cell that is
/// run in pieces evcxr joins the marks: it is the last.
pub fn take_end(displayed: &mut HashMap<String, String>) -> Option<String> {
    let marks = displayed.remove(ENDED_KIND)?;
    marks.split_terminator(';').next_back().map(str::to_owned)
}

/// What of a line of stderr is the code's, and the mark of its end if that follows: perhaps without a newline between.
pub fn parted(line: &str) -> (Option<&str>, Option<&str>) {
    match line.split_once(ENDED) {
        Some(("", mark)) => (None, Some(mark)),
        Some((own, mark)) => (Some(own), Some(mark)),
        None => (Some(line), None),
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

/// Copies lines to stdout, with the observer's own before each marker.
fn pass_on(mut lines: impl BufRead) {
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut ends = 0u64;
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let mark = format!("{}.{ends}", std::process::id());
        if at_end(without_newline(&text), COMPLETE).is_some() {
            // To the pipe that the code wrote to. It is closed only where nobody reads it.
            let _ = std::io::stderr().write_all(format!("{ENDED}{mark}\n").as_bytes());
            ends += 1;
        }
        let passed = observed(&text, &mark);
        if out
            .write_all(passed.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

/// A line as it is passed on, with the mark where it says that code ended. evcxr knows a marker only as a whole line,
/// and ends the session at bytes that are not UTF-8 (here they are replaced already).
fn observed(line: &str, mark: &str) -> String {
    let text = without_newline(line);
    for (marker, note) in [
        (PANIC, format!("{PANICKED}\n")),
        (ERR, format!("{ERRED}\n")),
        (
            COMPLETE,
            format!("{CONTENT}{ENDED_KIND}\n{mark};\n{CONTENT_END}\n"),
        ),
        (CONTENT, String::new()),
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
        return format!("{passed}{note}{}\n", &text[at..]);
    }
    line.to_owned()
}

fn without_newline(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
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
        let observed = |line: &str| observed(line, "7.0");
        let end = format!("{CONTENT}{ENDED_KIND}\n7.0;\n{CONTENT_END}\n{COMPLETE}\n");
        assert_eq!(observed("plain\n"), "plain\n");
        assert_eq!(
            observed(&format!("{PANIC}\n")),
            format!("{PANICKED}\n{PANIC}\n")
        );
        assert_eq!(observed(&format!("{ERR}\n")), format!("{ERRED}\n{ERR}\n"));
        assert_eq!(observed(&format!("{COMPLETE}\n")), end);
        let display = format!("{CONTENT}text/html\n");
        assert_eq!(observed(&display), display);
        assert_eq!(
            observed(&format!("abc{COMPLETE}\n")),
            format!("abc\n{UNFINISHED}\n{end}")
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

    #[test]
    fn the_mark_of_the_last_piece_is_taken() {
        let mut displayed = HashMap::from([(ENDED_KIND.to_owned(), "7.0;7.1;".to_owned())]);
        assert_eq!(take_end(&mut displayed).as_deref(), Some("7.1"));
        assert_eq!(take_end(&mut displayed), None);
    }

    #[test]
    fn the_end_is_told_from_the_last_words() {
        assert_eq!(parted("a remark"), (Some("a remark"), None));
        assert_eq!(parted(&format!("{ENDED}7.0")), (None, Some("7.0")));
        let unfinished = format!("a remark{ENDED}7.1");
        assert_eq!(parted(&unfinished), (Some("a remark"), Some("7.1")));
    }
}
