//! The text above a bar: its label, and a note beside it or below. What the bars mean is each chart's.

use super::canvas::{Anchor, Canvas};
use super::style::{FULL, Form, SMALL, SOFT, TEXT, one_line, text_width, wrap};

const LABEL_HEIGHT: f64 = 19.0;
const NOTE_HEIGHT: f64 = 16.0;
/// Right of all text, room for a mark.
pub(super) const MARK: f64 = 10.0;

/// A label and its note, broken into lines.
pub(super) struct Label {
    lines: Vec<String>,
    /// The note stands behind the label's last line if it fits there, else below.
    beside: String,
    below: Vec<String>,
}

impl Label {
    pub(super) fn new(label: &str, note: &str, form: Form) -> Self {
        let room = form.bars() - MARK;
        let lines = wrap(&one_line(label), TEXT, room, 3);
        let note = one_line(note);
        let used = lines.last().map_or(0.0, |last| text_width(last, TEXT));
        let is_beside = used + 10.0 + text_width(&note, SMALL) <= room;
        let (beside, below) = match is_beside {
            true => (note, Vec::new()),
            false => (String::new(), wrap(&note, SMALL, room, 6)),
        };
        Self {
            lines,
            beside,
            below,
        }
    }

    pub(super) fn height(&self) -> f64 {
        self.lines.len() as f64 * LABEL_HEIGHT + self.below.len() as f64 * NOTE_HEIGHT
    }

    /// How far it reaches to the right.
    pub(super) fn end(&self) -> f64 {
        let labels = self.lines.iter().map(|line| text_width(line, TEXT));
        let notes = self.below.iter().map(|line| text_width(line, SMALL));
        let widest = labels.chain(notes).fold(0.0, f64::max);
        let last = self.lines.last().map_or(0.0, |line| text_width(line, TEXT));
        widest.max(last + 10.0 + text_width(&self.beside, SMALL))
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let mut y = top;
        for line in &self.lines {
            y += LABEL_HEIGHT;
            canvas.text((0.0, y - 5.5), line, TEXT, Anchor::Start, FULL);
        }
        if let Some(last) = self.lines.last() {
            let x = text_width(last, TEXT) + 10.0;
            canvas.text((x, y - 5.5), &self.beside, SMALL, Anchor::Start, SOFT);
        }
        for line in &self.below {
            y += NOTE_HEIGHT;
            canvas.text((0.0, y - 5.0), line, SMALL, Anchor::Start, SOFT);
        }
    }
}
