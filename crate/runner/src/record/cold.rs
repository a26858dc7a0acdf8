//! The experiment `cold`: the same launches after every way of preparing the cache, for the page *What cold means*. What the ways are is `TimingMode`'s.

use super::cases::{self, Set};
use super::measured::{merged, round_options, save, share_of_copy};
use super::stand::Stand;
use crate::output::{self, Table};
use cornerturn::record::Record;
use cornerturn::registry::Registry;
use cornerturn::timing::TimingOptions;
use cornerturn::{Device, Shape, TimingMode};
use std::path::Path;
use std::process::ExitCode;

/// The experiment's name, which is the record's file.
const EXPERIMENT: &str = "cold";

/// In L2 together with its copy, twice as large as L2, and far larger.
const SHAPES: [Shape; 3] = [
    Shape::new(2048, 2048),
    Shape::new(4096, 4096),
    Shape::new(16_384, 16_384),
];

/// A step of each kind: none of them has a hint for the caches but the last two.
const KERNELS: [&str; 6] = [
    "padded",
    "swizzled",
    "diagonal",
    "vectorized",
    "tma_64x64",
    "limit",
];

/// Launched before each turn: it loads with `evict_last` whatever the size, so it leaves lines that stay.
const LEAVES_LINES: &str = "tma_64x64";

/// Measures these kernels in every mode, each turn right after a kernel that leaves persisting lines.
pub fn record(
    device: &Device,
    ids: &[String],
    shapes: &[Shape],
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let ids = match ids.is_empty() {
        true => KERNELS.map(str::to_string).to_vec(),
        false => ids.to_vec(),
    };
    let kernels = super::chosen(&registry, &ids)?;
    let is_part = ids.len() != KERNELS.len() || !shapes.is_empty();
    let shapes = if shapes.is_empty() { &SHAPES } else { shapes };
    let mut record = Record::new(EXPERIMENT, device, &super::commit());
    for set in cases::sets(&kernels, shapes) {
        output::step(format!("{set} …"));
        measure(&registry, device, &set, &mut record)?;
    }
    let table = table(&record);
    save(&merged(record, folder, is_part)?, folder, &table)
}

fn measure(
    registry: &Registry,
    device: &Device,
    set: &Set,
    record: &mut Record,
) -> anyhow::Result<()> {
    let Some(stand) = Stand::new(registry, device, None, set)? else {
        return Ok(());
    };
    let ways: Vec<TimingOptions> = TimingMode::ALL
        .map(|mode| TimingOptions {
            mode,
            ..round_options()
        })
        .to_vec();
    let once = TimingOptions {
        least_samples: 1,
        most_samples: 1,
        warm_up: 1,
        ..TimingMode::Warm.into()
    };
    let leave_lines = |stand: &Stand| Ok(stand.launch(LEAVES_LINES, &once)?);
    let sampled = stand.rounds(&ways, &leave_lines)?;
    for (options, sampled) in ways.iter().zip(sampled) {
        let measurements = stand.measurements(&sampled, options)?;
        record.measurements.extend(measurements);
        record.device.clocks = sampled.clocks;
    }
    Ok(())
}

fn table(record: &Record) -> String {
    let mut table = Table::new([
        "matrix",
        "kernel",
        "cache",
        "median µs",
        "GB/s",
        "% of copy",
    ]);
    for measurement in &record.measurements {
        table.row([
            format!("{} {}", measurement.matrices(), measurement.element),
            measurement.kernel.clone(),
            measurement.mode.to_string(),
            format!("{:.2}", measurement.median_us()),
            format!("{:.0}", measurement.gb_per_s().0),
            share_of_copy(record, measurement),
        ]);
    }
    table.render()
}
