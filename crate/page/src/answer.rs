//! What a run or a launch came to, as the page is told.

use crate::{counters, findings};
use cornerturn::emulator::advice::Explanation;
use cornerturn::{Counters, Finding, Printed, raw};
use serde_json::{Value, json};

/// The most lines of what a kernel printed: a page can be scrolled.
const MOST_LINES: usize = 400;

/// What a kernel printed, as a page shows it.
pub(crate) fn shown(printed: &Printed) -> String {
    printed.shown(MOST_LINES)
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) warnings: Vec<Value>,
    /// Whether the result is right; `None` where nobody knows what would be.
    pub(crate) verified: Option<bool>,
    pub(crate) mismatch: Option<Value>,
    /// `None` where the kernel was stopped.
    pub(crate) counters: Option<Counters>,
    /// Those of the kernel as it is in the book.
    pub(crate) committed: Option<Counters>,
    pub(crate) findings: Vec<Finding>,
    /// Whether races and the like were looked for; `None` where the words say so.
    pub(crate) checked: Option<bool>,
    /// Pictures, each with `name`, `title`, `svg`, `narrow` and `alt`.
    pub(crate) pictures: Vec<Value>,
    /// What the kernel printed, no more than somebody reads.
    pub(crate) printed: String,
    /// Why it is slow.
    pub(crate) why: Explanation,
    pub(crate) instructions: u64,
    /// The words of a notebook's cell.
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn into_json(self) -> Value {
        let counters = match &self.counters {
            None => json!([]),
            Some(counted) => counters::list(counted, self.committed.as_ref()),
        };
        let mut answer = json!({
            "compiled": { "warnings": self.warnings },
            "verified": self.verified,
            "mismatch": self.mismatch,
            "counted": self.counters.is_some(),
            "counters": counters,
            "checked": self.checked,
            "findings": findings::list(&self.findings),
            "pictures": self.pictures,
            "printed": self.printed,
            "instructions": self.instructions,
            "text": self.text,
        });
        for (name, value) in raw::explained(&self.why) {
            answer[name] = value;
        }
        answer
    }
}
