//! What the experiments that measure bandwidth share: rounds, samples, the line of a table, the file. What is measured is theirs.

use crate::{exit, output, turns};
use cornerturn::record::{Measurement, Record};
use cornerturn::timing::TimingOptions;
use cornerturn::{Resources, TimingMode, Transfers};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

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

/// Samples of so many candidates in shuffled rounds. In its turn each has five, or fewer if they take longer than that.
pub fn in_turns(
    candidates: usize,
    longest: Duration,
    mut sample: impl FnMut(usize) -> anyhow::Result<f64>,
) -> anyhow::Result<Vec<Vec<f64>>> {
    const MOST: usize = 5;
    let mut samples = vec![Vec::new(); candidates];
    for round in 0..ROUNDS {
        for turn in turns::shuffled(candidates, round) {
            let begun = Instant::now();
            for _ in 0..MOST {
                samples[turn].push(sample(turn)?);
                if begun.elapsed() > longest {
                    break;
                }
            }
        }
    }
    Ok(samples)
}

/// Those of these names; all if none is named.
pub fn chosen<'a, T>(
    all: &'a [T],
    name: impl Fn(&T) -> &'static str,
    what: &str,
    names: &[String],
) -> anyhow::Result<Vec<&'a T>> {
    if let Some(unknown) = names
        .iter()
        .find(|it| all.iter().all(|one| name(one) != **it))
    {
        let known: Vec<&str> = all.iter().map(name).collect();
        return Err(exit::usage(format!(
            "no way of {what} `{unknown}`; there are {}",
            known.join(", ")
        )));
    }
    let is_chosen = |one: &&T| names.is_empty() || names.iter().any(|it| *it == name(one));
    Ok(all.iter().filter(is_chosen).collect())
}

/// Writes a record of ways to the file of its experiment, where only a part was measured into the one that is there, and
/// prints it.
pub fn save_ways(
    mut record: Transfers,
    folder: &Path,
    is_part: bool,
    table: impl Fn(&Transfers) -> String,
) -> anyhow::Result<ExitCode> {
    output::progress("");
    let path = folder.join(format!("{}.json", record.experiment));
    if is_part && path.is_file() {
        record = Transfers::load_file(&path)?.with_later(record)?;
    }
    record.save_to(&path)?;
    output::print(table(&record))?;
    output::line(record.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
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
