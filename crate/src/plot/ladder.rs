//! Bars drawn from a record. What a record holds and where it came from is `record`'s.

use super::Figure;
use super::bars::{Bar, measured};
use crate::record::{Measurement, Record};
use crate::{Error, GbPerS, Result};

/// The recorded bandwidths of kernels at one shape, cold cache, with the driver's copy as the limit and the datasheet
/// peak beside; the caption is the record's provenance.
///
/// `kernels` holds pairs of a kernel's id and its label, from top to bottom.
///
/// # Errors
/// [`Error::Usage`] where the record has no measurement of a kernel, or of the copy, at this shape; it names those
/// that it has.
pub fn ladder(
    record: &Record,
    rows: usize,
    columns: usize,
    kernels: &[(&str, &str)],
) -> Result<Figure> {
    let Some(copy) = record.copy(rows, columns) else {
        return Err(missing(record, "the device's copy", rows, columns));
    };
    let mut bars = Vec::with_capacity(kernels.len());
    for (id, label) in kernels {
        let measurement = record
            .measurement(id, rows, columns)
            .ok_or_else(|| missing(record, &format!("`{id}`"), rows, columns))?;
        bars.push(bar(measurement, label));
    }
    let facts = &record.device.facts;
    let title = format!("{rows} × {columns} {} on {}", copy.element, facts.name);
    let mut summary = "median of launches with a cold cache; whiskers: quartiles".to_owned();
    let peak = GbPerS(facts.peak_gb_per_s);
    if peak.0 > 0.0 {
        summary.push_str(&format!("; peak: {peak:.0} ({})", facts.peak_source));
    }
    Ok(measured(
        &title,
        &summary,
        &bars,
        Some(copy.gb_per_s()),
        Some(peak),
        &record.provenance(),
    ))
}

fn bar(measurement: &Measurement, label: &str) -> Bar {
    let (fast, slow) = measurement.timing().quartiles_us();
    let rate = |us| GbPerS::from_bytes_and_us(measurement.bytes_moved, us);
    Bar::measured(label, measurement.gb_per_s()).quartiles(rate(slow), rate(fast))
}

fn missing(record: &Record, what: &str, rows: usize, columns: usize) -> Error {
    let mut known: Vec<String> = record
        .measurements
        .iter()
        .map(|m| format!("{} at {}", m.kernel, m.shape()))
        .collect();
    known.dedup();
    let known = if known.is_empty() {
        "nothing".to_owned()
    } else {
        known.join(", ")
    };
    Error::Usage(format!(
        "the record `{}` of {} has no measurement of {what} at {rows}×{columns} with a cold cache; it has: {known}",
        record.experiment, record.device.facts.name
    ))
}
