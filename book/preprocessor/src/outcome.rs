//! What a cell gave: its outputs and how it ended. Serialised between the processes and in the
//! cache; how it looks on the page is the page's.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellStatus {
    /// It ran to its end.
    Ok,
    /// It did not compile.
    Compile {
        /// The line within the cell where it failed, from 1, if known.
        line: Option<usize>,
        /// The compiler's messages with the cell's lines.
        message: String,
    },
    /// It panicked; stderr says why.
    Panic,
    /// A `?` met an error; stderr says which.
    Err,
    /// The process that ran it ended.
    Crash {
        /// What is known of the end.
        message: String,
    },
    /// It could not be run, or a notebook would lose some of what it gives.
    Session {
        /// What is known of it.
        message: String,
    },
}

/// What a cell gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellOutput {
    /// How it ended.
    pub status: CellStatus,
    /// What it printed to stdout, in lines.
    pub stdout: String,
    /// What it printed to stderr, in lines, the panic's message included.
    pub stderr: String,
    /// What its last expression displayed, by MIME type.
    pub display: BTreeMap<String, String>,
    /// Seconds that it ran.
    pub seconds: f64,
}

/// The forms that are shown, the richest first.
const FORMS: [&str; 4] = ["text/html", "image/svg+xml", "image/png", "text/plain"];

/// The richest of these forms, with its MIME type.
pub(crate) fn richest_of(display: &BTreeMap<String, String>) -> Option<(&'static str, &str)> {
    FORMS.iter().find_map(|mime| {
        let text = display.get(*mime)?;
        (!text.trim().is_empty()).then_some((*mime, text.as_str()))
    })
}

impl CellOutput {
    /// Of a cell that ended so and printed nothing.
    pub(crate) fn of_status(status: CellStatus) -> CellOutput {
        CellOutput {
            status,
            stdout: String::new(),
            stderr: String::new(),
            display: BTreeMap::new(),
            seconds: 0.0,
        }
    }

    /// The richest form that was displayed, with its MIME type: a notebook shows the same one.
    pub(crate) fn richest(&self) -> Option<(&'static str, &str)> {
        richest_of(&self.display)
    }

    /// Drops the forms that are not shown.
    pub(crate) fn keep_richest(&mut self) {
        let richest = self.richest().map(|(mime, _)| mime);
        self.display
            .retain(|mime, _| Some(mime.as_str()) == richest);
    }
}
