//! Why a request is not met, as the page is told: whose affair it is, a sentence, and places in the source. What the library's errors say is the library's.

use cornerturn::emulator::LoadError;
use cornerturn::{Error, ErrorKind, Message, Spot, compile, messages};
use cornerturn_compiler::{Lines, Options, Severity};
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
    /// Bytes of dynamic shared memory that would.
    shared: u64,
}

impl Problem {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
            arguments: Vec::new(),
            shared: 0,
        }
    }

    /// The request itself is wrong.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new("request", message)
    }

    /// The source is wrong.
    pub(crate) fn source(message: impl Into<String>) -> Self {
        Self::new("source", message)
    }

    /// Too much is asked for.
    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Self::new("limit", message)
    }

    /// The same with arguments that would fit.
    pub(crate) fn suggesting(self, arguments: Vec<String>) -> Self {
        Self { arguments, ..self }
    }

    /// The same with dynamic shared memory that would do.
    pub(crate) fn suggesting_shared(self, shared: u64) -> Self {
        Self { shared, ..self }
    }

    /// The same about a source in CUDA C++: with its places as a script counts them, and with none of the PTX that was
    /// made of it.
    pub(crate) fn of(error: Error, source: &str) -> Self {
        let diagnostics = match &error {
            Error::Compile { messages, .. } | Error::CompilerGap { messages, .. } => {
                places(messages, source)
            }
            _ => Vec::new(),
        };
        let message = match &error {
            Error::Ptx { reason, .. } => Some(without_line(reason)),
            _ => None,
        };
        let told = Self::from(error);
        Self {
            diagnostics,
            message: message.unwrap_or(told.message),
            ..told
        }
    }

    pub(crate) fn into_json(self) -> Value {
        json!({
            "error": {
                "kind": self.kind,
                "message": self.message,
                "diagnostics": self.diagnostics,
                "arguments": self.arguments,
                "shared": self.shared,
            }
        })
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let diagnostics = match &error {
            Error::Compile { messages, .. } | Error::CompilerGap { messages, .. } => {
                messages.iter().map(Message::to_json).collect()
            }
            Error::Ptx { reason, .. } => of_ptx(reason).into_iter().collect(),
            _ => Vec::new(),
        };
        let kind = kind_of(&error);
        let message = match error {
            Error::Compile { log, .. } | Error::CompilerGap { log, .. } => log,
            other => other.to_string(),
        };
        Self {
            diagnostics,
            ..Self::new(kind, message)
        }
    }
}

fn kind_of(error: &Error) -> &'static str {
    match error {
        Error::Compile { .. } | Error::Entry(_) => "source",
        Error::Ptx { reason, .. } if !reason.is_gap() => "source",
        Error::Memory { .. } | Error::Limit { .. } => "limit",
        other => match other.kind() {
            ErrorKind::KernelWrong => "kernel",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::BadUse | ErrorKind::MachineLacks => "request",
        },
    }
}

/// The compiler's warnings about a source of which this entry compiles.
pub(crate) fn warnings(source: &str, file: &str, entry: &str) -> Vec<Value> {
    let options = Options {
        arch: compile::arch_of(source).to_string(),
        entry: Some(entry.to_string()),
        ..Options::default()
    };
    match compile::translate(source, file, &options) {
        Ok(Ok(compiled)) => places(&messages(&compiled.list, source), source),
        _ => Vec::new(),
    }
}

/// Messages about a source. A compiler counts bytes, and a script the units of its texts.
fn places(list: &[Message], source: &str) -> Vec<Value> {
    let lines = Lines::new(source);
    let units = |spot: Spot| {
        let text = lines.line(spot.line.max(1));
        let column = |column: u32| {
            let before = text.get(..(column as usize).saturating_sub(1));
            before.unwrap_or(text).encode_utf16().count() as u32 + 1
        };
        Spot {
            column: spot.column.map(column),
            ..spot
        }
    };
    let place = |message: &Message| {
        let (start, end) = (message.start.map(units), message.end.map(units));
        Message {
            start,
            end,
            ..message.clone()
        }
        .to_json()
    };
    list.iter().map(place).collect()
}

/// An error about PTX without its line.
fn without_line(error: &LoadError) -> String {
    let text = error.to_string();
    let words = text.strip_prefix("PTX line ");
    let words = words.and_then(|rest| rest.split_once(": "));
    words.map_or(text.as_str(), |(_, words)| words).to_string()
}

/// The line of the PTX that an error is about, as a message of a compiler.
fn of_ptx(error: &LoadError) -> Option<Value> {
    let text = error.to_string();
    let (number, _) = text.strip_prefix("PTX line ")?.split_once([':', ','])?;
    let spot = Some(Spot {
        line: number.parse().ok()?,
        column: Some(1),
    });
    let message = Message {
        severity: Severity::Error,
        file: None,
        start: spot,
        end: spot,
        help: String::new(),
        text: without_line(error),
    };
    Some(message.to_json())
}
