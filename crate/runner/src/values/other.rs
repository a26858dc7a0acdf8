//! What the smaller records know: the workshop's solutions, other ways to be cold, PyTorch, and memory's own counters.

use super::measurements::{measurement, record};
use super::words::Words;
use anyhow::Context;
use cornerturn::record::Measurement;
use cornerturn::reports::Reports;
use cornerturn::{Causes, ElementType, Record, TimingMode, paths};
use serde::Deserialize;
use std::fs;
use std::sync::Arc;

/// The experiment in which the workshop's solutions are measured.
const EXERCISES: &str = cornerturn::exercise::EXPERIMENT;
/// The one in which the ways to flush the cache are compared.
const COLD: &str = "cold";
/// The one in which PyTorch is measured.
const PYTORCH: &str = "pytorch";
/// What the profiler counted beside the emulator.
const COUNTERS: &str = "counters.json";

/// The workshop's record, with the measurement of one solution.
fn solution(words: &Words) -> anyhow::Result<(Arc<Record>, Measurement)> {
    let (id, options) = (words.word(0)?, words.options(1)?);
    let record = record(options.device, EXERCISES)?;
    let found = record.measurements.iter().find(|m| m.kernel == id).cloned();
    let found = found.with_context(|| {
        let known: Vec<&str> = record
            .measurements
            .iter()
            .map(|m| m.kernel.as_str())
            .collect();
        format!(
            "no exercise `{id}` was recorded; there are {}",
            known.join(", ")
        )
    })?;
    Ok((record, found))
}

pub fn exercise(words: &Words) -> anyhow::Result<f64> {
    Ok(solution(words)?.1.gb_per_s().0)
}

pub fn exercise_share(words: &Words) -> anyhow::Result<f64> {
    let (record, solution) = solution(words)?;
    let copy = record.copy_for(&solution);
    let copy =
        copy.with_context(|| format!("the record has no copy beside `{}`", solution.kernel))?;
    Ok(solution.gb_per_s().0 / copy.gb_per_s().0)
}

pub fn pytorch(words: &Words) -> anyhow::Result<f64> {
    let (name, matrices, options) = (words.word(0)?, words.matrices(1)?, words.options(2)?);
    let record = record(options.device, PYTORCH)?;
    let element = options.element.unwrap_or(ElementType::F32);
    Ok(
        measurement(&record, name, element, matrices, TimingMode::Cold)?
            .gb_per_s()
            .0,
    )
}

pub fn cold(words: &Words) -> anyhow::Result<f64> {
    let (kernel, method) = (words.word(0)?, words.word(1)?);
    let (matrices, options) = (words.matrices(2)?, words.options(3)?);
    let Some(mode) = TimingMode::ALL
        .into_iter()
        .find(|mode| mode.name() == method)
    else {
        let known = TimingMode::ALL.map(TimingMode::name).join(", ");
        return Err(words.wrong(format_args!("`{method}` is no method; there are {known}")));
    };
    let record = record(options.device, COLD)?;
    let element = options.element_of(kernel)?;
    Ok(measurement(&record, kernel, element, matrices, mode)?
        .gb_per_s()
        .0)
}

/// The median of what was measured of a cause, in the record's unit.
pub fn cause(words: &Words) -> anyhow::Result<f64> {
    Ok(Causes::load(words.options(1)?.device)?.median(words.word(0)?)?)
}

/// Bytes of a sector.
const SECTOR_BYTES: f64 = 32.0;

/// Millions of sectors or of cycles, by the profiler's report of a kernel and a matrix.
pub fn dram(words: &Words) -> anyhow::Result<f64> {
    let (kernel, column, shape) = (words.word(0)?, words.word(1)?, words.matrices(2)?.shape);
    let reports = Reports::load(words.options(3)?.device)?;
    let report = reports.of_given(kernel, &format!("{}x{}", shape.rows, shape.columns))?;
    let metric = |name: &str| report.metric(name);
    let value = match column {
        "read" => metric("dram_read_bytes")? / SECTOR_BYTES,
        "written" => metric("dram_write_bytes")? / SECTOR_BYTES,
        "busy" => metric("dram_busy_cycles")?,
        "idle" => metric("dram_cycles")? - metric("dram_busy_cycles")?,
        _ => {
            let known = "read, written, busy, idle";
            return Err(words.wrong(format_args!("`{column}` is no column; there are {known}")));
        }
    };
    Ok(value / 1e6)
}

/// The part of the comparison with the profiler that is asked for.
#[derive(Deserialize)]
struct Comparison {
    launches: Vec<Launch>,
}

#[derive(Deserialize)]
struct Launch {
    counters: Vec<Counter>,
}

#[derive(Deserialize)]
struct Counter {
    name: String,
    ncu: u64,
    emulator: u64,
    cause: Option<String>,
}

/// What waiting for the pipe added at most to the wavefronts of a launch without a conflict, as a share of them.
pub fn waits(words: &Words) -> anyhow::Result<f64> {
    let access = match words.word(0)? {
        "loads" => "ld",
        "stores" => "st",
        other => {
            return Err(words.wrong(format_args!(
                "`{other}` is none; there are loads and stores"
            )));
        }
    };
    let device = words.options(1)?.device;
    let path = paths::results()?.join(device).join(COUNTERS);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let comparison: Comparison =
        serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    let wavefronts = format!("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{access}.sum");
    let conflicts = format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{access}.sum");
    let shares = comparison.launches.iter().filter_map(|launch| {
        let named = |name: &str| launch.counters.iter().find(|c| c.name == name);
        let waited = named(&wavefronts).filter(|c| c.cause.as_deref() == Some("data_pipe"))?;
        let is_free = named(&conflicts)?.emulator == 0 && waited.emulator > 0;
        is_free.then(|| waited.ncu as f64 / waited.emulator as f64 - 1.0)
    });
    let most = shares.max_by(f64::total_cmp);
    most.context("in no launch of the comparison the pipe was busy")
}
