//! What verbs print: tables, progress and errors. Results go to stdout, everything else to stderr; what text from files and kernels could do to a terminal is shown instead.

use crate::exit;
use cornerturn::Counters;
use cornerturn_basics::{shortened_message, visible};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a result was printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Prints a result on stdout. A reader that has gone away, such as `head`, is no error.
pub fn print(text: impl std::fmt::Display) -> anyhow::Result<()> {
    put(&visible(&text.to_string()))
}

/// Prints this program's own text as it is, tabs and all.
pub fn print_raw(text: &str) -> anyhow::Result<()> {
    put(text)
}

fn put(text: &str) -> anyhow::Result<()> {
    PRINTED.store(true, Ordering::Relaxed);
    let mut stdout = std::io::stdout().lock();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if !is_gone(&error) => {
            Err(exit::lacks(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Whether whoever read has gone away.
fn is_gone(error: &std::io::Error) -> bool {
    // Windows also says this of a pipe that has no other end, and Rust has no name for it.
    const PIPE_NOT_CONNECTED: i32 = 233;
    let not_connected = cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED);
    error.kind() == std::io::ErrorKind::BrokenPipe || not_connected
}

/// The same with a newline.
pub fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    print(format_args!("{text}\n"))
}

/// Whether a table for readers shows a counter: of arithmetic only what there was.
pub fn is_shown((name, count): &(&str, u64)) -> bool {
    *count > 0 || !Counters::is_arithmetic(name)
}

/// Prints what `--json` asks for, one value on several lines.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    put_json(&serde_json::to_string_pretty(value)?)
}

/// The same on one line.
pub fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    put_json(&serde_json::to_string(value)?)
}

/// Characters that JSON leaves alone and a terminal does not are written as escapes.
fn put_json(text: &str) -> anyhow::Result<()> {
    let mut escaped = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        match c == '\n' || visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() {
            true => escaped.push(c),
            // All of these are below U+10000.
            false => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    escaped.push('\n');
    put(&escaped)
}

/// Prints an error with its causes, each once.
pub fn error(error: &anyhow::Error) {
    complain(&sentence(error));
}

/// Prints an error as the one object on stdout that `--json` asks for, unless a result that tells of it is there.
pub fn error_as_json(error: &anyhow::Error) {
    if !PRINTED.load(Ordering::Relaxed) {
        // Where not even that can be printed, the status still tells.
        let _ = json_line(&json_error(error));
    }
}

/// Prints a sentence that begins with "error:" on stderr.
pub fn complain(sentence: &str) {
    say(&format!("error: {}\n", shortened_message(sentence)));
}

/// Prints text on stderr.
pub fn say(text: &str) {
    // What fails tells by its exit status too, and losing a line of progress is no reason to fail.
    let _ = std::io::stderr().write_all(visible(text).as_bytes());
}

/// An error and its causes in one line; a cause that the line above already says is left out.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.contains(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    text
}

/// An error as `--json` prints it.
pub fn json_error(error: &anyhow::Error) -> serde_json::Value {
    let status = exit::of(error);
    serde_json::json!({
        "error": {
            "kind": status.name(),
            "message": shortened_message(&sentence(error)),
            "exit_status": status as u8,
        }
    })
}

/// A step of long work, on stderr.
pub fn step(message: impl AsRef<str>) {
    say(&format!("  {}\n", message.as_ref()));
}

/// A line on stderr that the next one replaces, where stderr is a terminal; elsewhere nothing.
pub fn progress(message: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[2K{}", visible(message));
        let _ = stderr.flush();
    }
}

/// Writes a file whole or not at all, whatever stands there: see [`cornerturn_basics::write_whole`].
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    cornerturn_basics::write_whole(path, bytes)
        .map_err(|error| exit::lacks(format!("cannot write {}: {error}", path.display())))
}

/// A table of text. Columns of numbers are right-aligned.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column titles.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self {
            header: header.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table without the columns that no row has anything in.
    pub fn without_empty_columns(mut self) -> Self {
        let is_used = |column: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*column));
            cells.any(|cell| !cell.is_empty())
        };
        let used: Vec<usize> = (0..self.header.len()).filter(is_used).collect();
        for row in std::iter::once(&mut self.header).chain(&mut self.rows) {
            let cell = |column: &usize| row.get(*column).cloned().unwrap_or_default();
            *row = used.iter().map(cell).collect();
        }
        self
    }

    /// The table as lines, each with a newline.
    pub fn render(&self) -> String {
        let columns = self.header.len();
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let width = |column: usize| {
            let all = std::iter::once(&self.header).chain(&self.rows);
            all.map(|row| cell(row, column).chars().count())
                .max()
                .unwrap_or(0)
        };
        let numeric = |column: usize| {
            self.rows.iter().any(|row| is_number(&cell(row, column)))
                && self
                    .rows
                    .iter()
                    .all(|row| cell(row, column).is_empty() || is_number(&cell(row, column)))
        };
        let format: Vec<(usize, bool)> = (0..columns).map(|c| (width(c), numeric(c))).collect();
        let mut text = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let cells: Vec<String> = format
                .iter()
                .enumerate()
                .map(|(column, &(width, numeric))| {
                    let cell = cell(row, column);
                    match numeric {
                        true => format!("{cell:>width$}"),
                        false => format!("{cell:<width$}"),
                    }
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

fn is_number(text: &str) -> bool {
    text == "–" || text.chars().next().is_some_and(|c| c.is_ascii_digit())
}

/// A count with thin groups of three: 4 194 304.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_right_aligned() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1 000");
        assert_eq!(grouped(16_777_216), "16 777 216");
        let mut table = Table::new(["name", "count"]);
        table.row(["a", "1"]);
        table.row(["long", "1 000"]);
        assert_eq!(table.render(), "name  count\na         1\nlong  1 000\n");
    }
}
