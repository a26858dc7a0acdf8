//! Bars of bandwidth and what they are measured against: what a reader gives. Where things stand in the picture is `chart`'s.

use super::bar::{Bar, BarKind};
use super::chart::{Chart, Limit, Unit};
use super::figure::Figure;
use cornerturn_base::traffic::GbPerS;

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
        unit: Unit::Bandwidth,
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
        unit: Unit::Bandwidth,
    };
    chart.draw(source)
}
