//! Why a request is not met, as the page is told: whose affair it is, a sentence, and places in the source. What the library's errors say is the library's.

use cornerturn::emulator::LoadError;
use cornerturn::{Error, ErrorKind, Message, Spot, compile, messages};
use cornerturn_compiler::{Options, Severity};
use serde_json::{Value, json};

/// A request that is not met.
#[derive(Debug)]
pub(crate) struct Problem {
    /// `source`, `kernel`, `unsupported`, `limit` or `request`.
    kind: &'static str,
    message: String,
    diagnostics: Vec<Value>,
}

impl Problem {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
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

    pub(crate) fn into_json(self) -> Value {
        json!({
            "error": {
                "kind": self.kind,
                "message": self.message,
                "diagnostics": self.diagnostics,
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
            kind,
            message,
            diagnostics,
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
        Ok(Ok(compiled)) => {
            let messages = messages(&compiled.list, source);
            messages.iter().map(Message::to_json).collect()
        }
        _ => Vec::new(),
    }
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
        start: spot,
        end: spot,
        help: String::new(),
        text,
    };
    Some(message.to_json())
}
