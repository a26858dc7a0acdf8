//! Bars of bandwidth and what they are measured against: what a reader gives. Where things stand in the picture is `chart`'s.

use super::Figure;
use super::chart::{Chart, Limit};
use crate::GbPerS;

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

/// One bar of an article's figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// What the article timed.
    pub label: String,
    /// The number that it prints.
    pub value: GbPerS,
}

impl Published {
    /// A number as printed.
    pub fn new(label: &str, value: GbPerS) -> Self {
        Self {
            label: label.to_owned(),
            value,
        }
    }
}

/// Bandwidths of one device as bars, with the device's own copy of the same bytes as the limit.
///
/// `copy` is `None` only where no copy was timed; the column "of copy" and the line are absent then. All bars belong
/// to one device and one amount of bytes; for another device's numbers there is [`published`].
pub fn bandwidth(title: &str, bars: &[Bar], copy: Option<GbPerS>, caption: &str) -> Figure {
    measured(title, "", bars, copy, None, caption)
}

/// [`bandwidth`] with a line below the title and the datasheet peak, in a column "of peak".
pub(super) fn measured(
    title: &str,
    summary: &str,
    bars: &[Bar],
    copy: Option<GbPerS>,
    peak: Option<GbPerS>,
    caption: &str,
) -> Figure {
    let chart = Chart {
        title,
        summary,
        bars,
        limit: copy.map(|value| Limit {
            value,
            label: "device copy",
            share: "of copy",
            above: "† Above the driver's copy of the same bytes, which a kernel can beat where there are few.",
        }),
        peak,
    };
    chart.draw(caption)
}

/// An article's bandwidths, on their own axis with their own device's peak: they are never drawn on the axis of
/// another GPU. `source` is the caption: who published them, where and when.
pub fn published(
    title: &str,
    device: &str,
    bars: &[Published],
    peak: Option<GbPerS>,
    source: &str,
) -> Figure {
    let bars: Vec<Bar> = bars
        .iter()
        .map(|bar| Bar {
            kind: BarKind::Published,
            ..Bar::measured(&bar.label, bar.value)
        })
        .collect();
    let chart = Chart {
        title,
        summary: &format!("{device} · published, not measured here"),
        bars: &bars,
        limit: peak.map(|value| Limit {
            value,
            label: "datasheet peak",
            share: "of peak",
            above: "† Above the peak of the device's memory: part of the traffic stayed in a cache.",
        }),
        peak: None,
    };
    chart.draw(source)
}
