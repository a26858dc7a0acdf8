//! Steps as lines of text, for a terminal.

use super::{StepView, WarpSteps};
use std::fmt::Write as _;

impl WarpSteps {
    /// All steps as lines of text: of each the line, the instruction, the lanes, values and accesses. Variables are shown
    /// where they change.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut before = None;
        for at in 0..self.count() {
            let Some(view) = self.view(at) else { break };
            if self.source.is_some() && view.line.is_some() && view.line != before {
                before = view.line;
                let line = before.unwrap_or(0);
                let code = self.code().get((line as usize).saturating_sub(1));
                let _ = writeln!(text, "line {line}: {}", code.map_or("", |code| code.trim()));
            }
            write_step(&mut text, &view);
        }
        if self.steps.is_cut {
            let _ = writeln!(text, "… the record ends here: there are more steps");
        }
        text
    }
}

/// One step: its instruction and lanes, and what is new.
pub(super) fn write_step(text: &mut String, view: &StepView) {
    let _ = match view.instruction.is_empty() {
        true => writeln!(text, "{:>6}", view.number),
        false => writeln!(
            text,
            "{:>6}  {}  ({})",
            view.number, view.instruction, view.lanes
        ),
    };
    for row in view.rows.iter().filter(|row| row.is_new) {
        let sign = if row.what == "variable" { "→ " } else { "" };
        let _ = writeln!(text, "          {sign}{} = {}", row.name, row.words);
    }
    let access = view.access.as_ref().map(|(_, words)| words);
    for words in access.into_iter().chain(&view.event) {
        let _ = writeln!(text, "          {words}");
    }
    if view.event.is_some() && !view.waiting.is_empty() {
        let _ = writeln!(text, "          {}", view.waiting);
    }
}
