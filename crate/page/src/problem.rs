//! Why a request is not met, as the page is told: whose affair it is, a sentence, and places in the source. What the library's errors say is the library's.

use cornerturn::emulator::LoadError;
use cornerturn::{Error, ErrorKind, compile};
use cornerturn_compiler::{Compiled, Diagnostic, Diagnostics, Lines, Options, Severity};
use serde_json::{Value, json};

/// A request that is not met.
#[derive(Debug)]
pub(crate) struct Problem {
    /// `source`, `kernel`, `unsupported`, `limit` or `request`.
    kind: &'static str,
    message: String,
    diagnostics: Vec<Value>,
    /// Arguments of a launch that would fit.
    arguments: Vec<String>,
}

impl Problem {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
            arguments: Vec::new(),
        }
    }

    /// The request itself is wrong.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new("request", message)
    }

    /// Too much is asked for.
    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Self::new("limit", message)
    }

    /// The same with arguments that would fit.
    pub(crate) fn suggesting(self, arguments: Vec<String>) -> Self {
        Self { arguments, ..self }
    }

    /// The same about a source: with its places, where it does not compile. Without a file's name it is PTX.
    pub(crate) fn of(error: Error, source: &str, file: &str) -> Self {
        match error {
            Error::Compile { .. } | Error::CompilerGap { .. } => match compiled(source, file) {
                Ok(Err(diagnostics)) => Self::of_source(&diagnostics, source),
                Ok(Ok(_)) | Err(_) => error.into(),
            },
            // PTX that was given; what was compiled has other lines.
            Error::Ptx { ref reason, .. } if file.is_empty() => {
                let line = line_of(reason);
                let diagnostics = line.map(|line| of_line(line, &reason.to_string()));
                Self {
                    diagnostics: diagnostics.into_iter().collect(),
                    ..error.into()
                }
            }
            Error::Ptx { ref reason, .. } => {
                let told = reason.to_string();
                let words = told
                    .strip_prefix("PTX line ")
                    .and_then(|rest| rest.split_once(": "));
                Self {
                    message: words.map_or(told.as_str(), |(_, words)| words).to_string(),
                    ..error.into()
                }
            }
            other => other.into(),
        }
    }

    fn of_source(diagnostics: &Diagnostics, source: &str) -> Self {
        let kind = match diagnostics.is_gap() {
            true => "unsupported",
            false => "source",
        };
        Self {
            diagnostics: places(&diagnostics.list, source),
            ..Self::new(kind, diagnostics.to_string())
        }
    }

    pub(crate) fn into_json(self) -> Value {
        json!({
            "error": {
                "kind": self.kind,
                "message": self.message,
                "diagnostics": self.diagnostics,
                "arguments": self.arguments,
            }
        })
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Compile { .. } | Error::Entry(_) => "source",
            Error::Ptx { reason, .. } if !reason.is_gap() => "source",
            Error::Memory { .. } | Error::Limit { .. } => "limit",
            other => match other.kind() {
                ErrorKind::KernelWrong => "kernel",
                ErrorKind::Unsupported => "unsupported",
                ErrorKind::BadUse | ErrorKind::MachineLacks => "request",
            },
        };
        Self::new(kind, error.to_string())
    }
}

/// The messages about a source that compiles, or that does not.
fn compiled(
    source: &str,
    file: &str,
) -> cornerturn::Result<std::result::Result<Compiled, Diagnostics>> {
    let options = Options {
        arch: compile::arch_of(source).to_string(),
        ..Options::default()
    };
    compile::translate(source, file, &options)
}

/// The compiler's warnings about a source that compiles.
pub(crate) fn warnings(source: &str, file: &str) -> Vec<Value> {
    match compiled(source, file) {
        Ok(Ok(compiled)) => places(&compiled.list, source),
        _ => Vec::new(),
    }
}

/// How a warning begins that is for who hands PTX to a host's program: in a page there is none.
const RENAMED: &str = "other compilers change the name of";

fn places(list: &[Diagnostic], source: &str) -> Vec<Value> {
    let lines = Lines::new(source);
    // The compiler counts bytes, and a script the units of its texts.
    let at = |byte: u32| {
        let (line, column) = lines.place(byte);
        let text = lines.line(line);
        let before = text.get(..column as usize - 1).unwrap_or(text);
        (line, before.encode_utf16().count() + 1)
    };
    let place = |diagnostic: &Diagnostic| {
        let (line, column) = at(diagnostic.span.start);
        let (end_line, end_column) = at(diagnostic.span.end.max(diagnostic.span.start));
        json!({
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Gap => "gap",
                Severity::Warning => "warning",
            },
            "message": diagnostic.message,
            "help": diagnostic.helps.join("\n"),
        })
    };
    let told = list
        .iter()
        .filter(|told| !told.message.starts_with(RENAMED));
    told.map(place).collect()
}

/// The line of the PTX that an error is about.
fn line_of(error: &LoadError) -> Option<u32> {
    let text = error.to_string();
    let (number, _) = text.strip_prefix("PTX line ")?.split_once([':', ','])?;
    number.parse().ok()
}

fn of_line(line: u32, message: &str) -> Value {
    json!({
        "line": line,
        "column": 1,
        "end_line": line,
        "end_column": 1,
        "severity": "error",
        "message": message,
        "help": "",
    })
}
