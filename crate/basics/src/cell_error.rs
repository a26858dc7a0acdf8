//! What a reader is told of a cell that does not compile or that panics: the compiler's errors with the cell's own lines, and a panic's message without what changes from run to run. Runs no compiler.

use std::fmt::Write as _;

/// Of a cell that does not compile, no more errors than this are told.
const MAX_ERRORS: usize = 5;

/// One of rustc's messages on a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellError {
    /// `error`, `warning`; empty counts as an error.
    pub level: String,
    /// Its code, such as `E0308`.
    pub code: Option<String>,
    /// Its first sentence.
    pub message: String,
    /// Where it is in the cell; `None` if it is elsewhere, in a crate that the cell depends on.
    pub primary: Option<CellSpan>,
    /// What rustc advises.
    pub help: Vec<String>,
    /// As rustc prints it.
    pub rendered: String,
}

/// The part of a cell that an error is about; lines and columns from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellSpan {
    /// What is said of it.
    pub label: String,
    /// The first line.
    pub start_line: usize,
    /// The first column.
    pub start_column: usize,
    /// The last line.
    pub end_line: usize,
    /// The column behind the last.
    pub end_column: usize,
}

/// The line of the first error in the cell, if it is in the cell, and the words of all.
pub fn told(errors: &[CellError], source: &str) -> (Option<usize>, String) {
    let lines: Vec<&str> = source.lines().collect();
    let mut message = String::new();
    let mut first_line = None;
    // rustc's warnings come along, of the crates that the cell depends on too.
    let (real, other): (Vec<_>, Vec<_>) = errors.iter().partition(|e| e.level == "error");
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
fn write_error(message: &mut String, error: &CellError, lines: &[&str]) -> Option<usize> {
    let level = match error.level.as_str() {
        "" => "error",
        level => level,
    };
    let code = error.code.as_deref().map(|code| format!("[{code}]"));
    let code = code.unwrap_or_default();
    let _ = writeln!(message, "{level}{code}: {}", error.message);
    let Some(span) = &error.primary else {
        // Not in the cell: in a crate that it depends on, and there rustc's own words have a place.
        for line in error.rendered.lines().skip(1) {
            let _ = writeln!(message, "{line}");
        }
        return None;
    };
    if let Some(text) = lines.get(span.start_line.wrapping_sub(1)) {
        let number = span.start_line.to_string();
        let before = span.start_column.saturating_sub(1);
        let width = if span.end_line == span.start_line {
            span.end_column.saturating_sub(span.start_column)
        } else {
            text.chars().count().saturating_sub(before)
        };
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(before);
        let carets = "^".repeat(width.max(1));
        let marked = format!("{margin} | {indent}{carets} {}", span.label);
        let _ = writeln!(message, "{number} | {text}\n{}", marked.trim_end());
    }
    for help in &error.help {
        let _ = writeln!(message, "help: {help}");
    }
    Some(span.start_line)
}

/// Whether a line of a panic's message changes from run to run or speaks of generated code: the header
/// with its thread and line, and the advice on backtraces.
pub fn is_noise(line: &str) -> bool {
    let is_header = line.starts_with("thread '") && line.contains("panicked at ");
    is_header || line.starts_with("note: run with `RUST_BACKTRACE")
}

/// A panic's message without its noise.
pub fn without_noise(lines: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = lines.into_iter().filter(|line| !is_noise(line)).collect();
    while kept.first().is_some_and(|line| line.trim().is_empty()) {
        kept.remove(0);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> CellError {
        CellError {
            level: "error".to_owned(),
            code: Some("E0308".to_owned()),
            message: message.to_owned(),
            primary: Some(CellSpan {
                label: "expected `u8`".to_owned(),
                start_line: line,
                start_column: 13,
                end_line: line,
                end_column: 16,
            }),
            help: vec!["write a number".to_owned()],
            rendered: String::new(),
        }
    }

    #[test]
    fn an_error_is_told_with_its_line_and_what_it_marks() {
        let source = "let a = 1;\nlet b: u8 = \"x\";\n";
        let (line, text) = told(&[error(2, "mismatched types")], source);
        assert_eq!(line, Some(2));
        assert_eq!(
            text,
            "error[E0308]: mismatched types\n2 | let b: u8 = \"x\";\n  |             ^^^ expected `u8`\nhelp: write a number\n"
        );
    }

    #[test]
    fn the_first_five_are_told_and_warnings_only_where_nothing_else_is() {
        let mut errors: Vec<_> = (1..8).map(|line| error(line, "wrong")).collect();
        errors[0].level = "warning".to_owned();
        let (line, text) = told(&errors, "");
        assert_eq!(line, Some(2));
        assert_eq!(text.matches("error[").count(), 5);
        assert!(text.ends_with("and 1 more errors\n"), "{text}");
        let (_, text) = told(&errors[..1], "");
        assert!(text.starts_with("warning[E0308]: wrong"), "{text}");
    }

    #[test]
    fn a_panic_is_its_message() {
        let lines = [
            "",
            "thread 'main' (7) panicked at src/lib.rs:1:2:",
            "no luck",
        ];
        let lines = lines.map(str::to_owned).to_vec();
        assert_eq!(without_noise(lines), ["no luck"]);
    }
}
