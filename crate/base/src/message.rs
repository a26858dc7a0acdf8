//! One message of a compiler as data, with its place. Our own compiler's become it here; NVRTC's are read in `compile/nvrtc/log`.

use cornerturn_compiler::{Diagnostic, Lines, Severity};
use serde_json::{Value, json};

/// What a compiler says about a place of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it means for the source.
    pub severity: Severity,
    /// The words, in one line or a few.
    pub text: String,
    /// The file that the source includes, where it is about one: what it is called there.
    pub file: Option<String>,
    /// Where it begins; nothing where it is of no line, such as one about the command line.
    pub start: Option<Spot>,
    /// One past its end, as far as the compiler tells; else where it begins.
    pub end: Option<Spot>,
    /// What to do about it, and what else the compiler says; empty where it says nothing.
    pub help: String,
}

/// A line and a byte of it, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The line.
    pub line: u32,
    /// The byte; nothing where the compiler tells none.
    pub column: Option<u32>,
}

impl Message {
    /// Whether the source may be right here, and only our own compiler does not know what stands there.
    pub fn is_gap(&self) -> bool {
        self.severity == Severity::Gap
    }

    /// As pages and `--json` have it.
    pub fn to_json(&self) -> Value {
        let line = |spot: Option<Spot>| spot.map(|spot| spot.line);
        let column = |spot: Option<Spot>| spot.and_then(|spot| spot.column);
        json!({
            "line": line(self.start),
            "column": column(self.start),
            "end_line": line(self.end),
            "end_column": column(self.end),
            "severity": match self.severity {
                Severity::Error => "error",
                Severity::Gap => "gap",
                Severity::Warning => "warning",
            },
            "message": self.text,
            "help": self.help,
        })
    }
}

/// What our own compiler says, in the order in which it stands in the source.
pub fn messages(list: &[Diagnostic], source: &str) -> Vec<Message> {
    let lines = Lines::new(source);
    let spot = |lines: &Lines, at: u32| {
        let (line, column) = lines.place(at);
        Some(Spot {
            line,
            column: Some(column),
        })
    };
    let message = |diagnostic: &Diagnostic| {
        let span = diagnostic.span;
        let own = diagnostic.file.as_ref().map(|file| Lines::new(&file.text));
        let lines = own.as_ref().unwrap_or(&lines);
        Message {
            severity: diagnostic.severity,
            text: diagnostic.message.clone(),
            file: diagnostic.file.as_ref().map(|file| file.name.clone()),
            start: spot(lines, span.start),
            end: spot(lines, span.end.max(span.start)),
            help: diagnostic.helps.join("\n"),
        }
    };
    list.iter().map(message).collect()
}
