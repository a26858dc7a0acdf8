//! What the experiments that measure bandwidth share: rounds, samples, the line of a table, the file. What is measured is theirs.

use crate::output;
use cornerturn::record::{Measurement, Record};
use cornerturn::timing::TimingOptions;
use cornerturn::{Resources, TimingMode};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Whoever is measured takes turns so often, so that a drift of the clocks reaches all.
pub const ROUNDS: usize = 10;

/// So many samples in one turn.
const TURN: usize = 10;

/// Of one round: so many samples that a record of all kernels stays small enough to commit, fewer of slow kernels.
pub fn round_options() -> TimingOptions {
    TimingOptions {
        least_samples: TURN,
        most_samples: TURN,
        longest: Duration::from_millis(200),
        ..TimingMode::Cold.into()
    }
}

/// Whole hundredths of a microsecond: below what an event resolves, and short to write.
pub fn rounded(samples_us: &[f64]) -> Vec<f64> {
    let round = |us: &f64| (us * 100.0).round() / 100.0;
    samples_us.iter().map(round).collect()
}

/// The measurement with what the driver says of its kernel.
pub fn with_resources(measurement: Measurement, resources: Option<Resources>) -> Measurement {
    Measurement {
        registers_per_thread: resources.map(|r| r.registers_per_thread),
        static_shared_bytes: resources.map(|r| r.static_shared_bytes),
        dynamic_shared_bytes: resources.map(|r| r.dynamic_shared_bytes),
        blocks_per_multiprocessor: resources.map(|r| r.blocks_per_multiprocessor),
        ..measurement
    }
}

/// Per cent of the copy of the same matrices, nothing where there is none.
pub fn share_of_copy(record: &Record, measurement: &Measurement) -> String {
    record.copy_for(measurement).map_or(String::new(), |copy| {
        format!("{:.1}", measurement.gb_per_s().percent_of(copy.gb_per_s()))
    })
}

/// The record as it goes to its file: where only a part was measured, put into the one that is there.
pub fn merged(record: Record, folder: &Path, is_part: bool) -> anyhow::Result<Record> {
    let path = path_of(&record, folder);
    if !is_part || !path.exists() {
        return Ok(record);
    }
    Ok(Record::load_file(&path)?.with_later(record)?)
}

fn path_of(record: &Record, folder: &Path) -> PathBuf {
    folder.join(format!("{}.json", record.experiment))
}

/// Writes the record to the file of its experiment, and prints it.
pub fn save(record: &Record, folder: &Path, table: &str) -> anyhow::Result<ExitCode> {
    output::progress("");
    let path = path_of(record, folder);
    record.save_to(&path)?;
    output::print(table)?;
    output::line(record.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
