//! One bar of bandwidth: whose it is and what it means. Drawing it is `chart`'s.

use cornerturn_base::traffic::GbPerS;

/// Where a bar's number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarKind {
    /// Measured by this project: a solid bar.
    Measured,
    /// Published by others: a hatched bar.
    Published,
}

/// One bar: an effective bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What was timed.
    pub label: String,
    /// The median.
    pub value: GbPerS,
    /// A remark beside the label; the source, if the number was published by others.
    pub note: Option<String>,
    /// Lower and upper quartile, drawn as a whisker.
    pub quartiles: Option<(GbPerS, GbPerS)>,
    /// Measured here or published by others.
    pub kind: BarKind,
}

impl Bar {
    /// A bandwidth that was measured by this project.
    pub fn measured(label: &str, value: GbPerS) -> Self {
        Self {
            label: label.to_owned(),
            value,
            note: None,
            quartiles: None,
            kind: BarKind::Measured,
        }
    }

    /// A bandwidth that `source` published.
    pub fn published(label: &str, value: GbPerS, source: &str) -> Self {
        Self {
            kind: BarKind::Published,
            ..Self::measured(label, value).note(source)
        }
    }

    /// With a remark beside the label.
    pub fn note(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }

    /// With lower and upper quartile of the samples.
    pub fn quartiles(mut self, low: GbPerS, high: GbPerS) -> Self {
        self.quartiles = Some((low, high));
        self
    }
}
