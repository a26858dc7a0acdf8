//! What the records of works on arrays know: a kernel's bandwidth with a parameter.

use super::words::Words;
use crate::profiles;
use anyhow::Context;
use cornerturn::machine_code::access::of_ptx;
use cornerturn::{Registry, Sweep, SweepPoint, TimingMode};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The records that were read already, by device and chapter.
static LOADED: Mutex<Vec<(Name, Arc<Sweep>)>> = Mutex::new(Vec::new());

/// A record's device and chapter.
type Name = (String, String);

/// A record, read once.
fn sweep(device: &str, chapter: &str) -> anyhow::Result<Arc<Sweep>> {
    let key = (device.to_string(), chapter.to_string());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, sweep)) = loaded.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(sweep));
    }
    let sweep = Arc::new(Sweep::load(device, chapter)?);
    loaded.push((key, Arc::clone(&sweep)));
    Ok(sweep)
}

/// A work's parameter at an index, 0 where none is given, and the index of what follows.
fn parameter(words: &Words, index: usize) -> (u32, usize) {
    match words.word(index).map(str::parse) {
        Ok(Ok(parameter)) => (parameter, index + 1),
        _ => (0, index),
    }
}

/// The mode at an index, cold where none is named, and the index of what follows.
fn mode(words: &Words, index: usize) -> (TimingMode, usize) {
    let named = |mode: &TimingMode| words.word(index).is_ok_and(|word| word == mode.name());
    match TimingMode::ALL.into_iter().find(named) {
        Some(mode) => (mode, index + 1),
        None => (TimingMode::Cold, index),
    }
}

/// The measurement of the arguments `KERNEL[, PARAMETER][, MODE][, DEVICE]`.
fn asked(words: &Words) -> anyhow::Result<(Arc<Sweep>, SweepPoint)> {
    let id = words.word(0)?;
    let (parameter, rest) = parameter(words, 1);
    let (mode, rest) = mode(words, rest);
    let registry = Registry::load()?;
    let name = registry.work(id)?.record_name();
    let sweep = sweep(words.options(rest)?.device, name)?;
    let point = sweep.point_in(mode, id, parameter)?.clone();
    Ok((sweep, point))
}

pub fn rate(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.1.gb_per_s().0)
}

pub fn rate_us(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.1.timing().median_us())
}

pub fn rate_copy(words: &Words) -> anyhow::Result<f64> {
    let (sweep, point) = asked(words)?;
    Ok(sweep.copy_for(&point)?.gb_per_s().0)
}

/// The clock of the multiprocessors in the record that has the measurement, in MHz.
pub fn rate_mhz(words: &Words) -> anyhow::Result<f64> {
    let (sweep, _) = asked(words)?;
    let clock = sweep.device.clocks.sm_mhz;
    Ok(f64::from(clock.context("the record has no clock")?))
}

pub fn rate_share(words: &Words) -> anyhow::Result<f64> {
    let (sweep, point) = asked(words)?;
    let copy = sweep.copy_for(&point).context("a share is one of a copy")?;
    Ok(point.gb_per_s().0 / copy.gb_per_s().0)
}

/// Registers of a thread, as the driver told the record.
pub fn rate_registers(words: &Words) -> anyhow::Result<f64> {
    told(asked(words)?.1.registers_per_thread, "registers")
}

/// Bytes of a thread's local memory, as the driver told the record.
pub fn rate_local(words: &Words) -> anyhow::Result<f64> {
    told(asked(words)?.1.local_bytes_per_thread, "local bytes")
}

/// Blocks that a multiprocessor runs at a time, as the driver told the record.
pub fn rate_blocks(words: &Words) -> anyhow::Result<f64> {
    told(asked(words)?.1.blocks_per_multiprocessor, "resident blocks")
}

fn told(value: Option<u32>, what: &str) -> anyhow::Result<f64> {
    let value = value.with_context(|| format!("the record does not tell the {what} of it"))?;
    Ok(f64::from(value))
}

/// Instructions in a kernel's machine code that load from or store to local memory: as the registry explains them, where
/// `cornerturn kernels --check` compares them with what the assembler makes, else as in the PTX.
pub fn machine_local(words: &Words) -> anyhow::Result<f64> {
    let registry = Registry::load()?;
    let entry = registry.work(words.word(0)?)?;
    let direction = match words.word(1)? {
        "loads" => "load",
        "stores" => "store",
        other => {
            return Err(words.wrong(format_args!(
                "`{other}` is none; there are loads and stores"
            )));
        }
    };
    words.at_most(2)?;
    let kind = format!("local {direction} ");
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (access, count) in of_ptx(&registry.ptx(entry)?, &entry.entry) {
        counts.insert(access.to_string(), count);
    }
    for known in &entry.machine_code {
        counts.insert(known.access.clone(), known.machine_code);
    }
    let local = counts.iter().filter(|(name, _)| name.starts_with(&kind));
    Ok(local.map(|(_, count)| f64::from(*count)).sum())
}

/// What the profiler counted of a kernel: `profiled(KERNEL, COLUMN[, PARAMETER][, DEVICE])`, in millions.
pub fn profiled(words: &Words) -> anyhow::Result<f64> {
    let (id, column) = (words.word(0)?, words.word(1)?);
    let (parameter, rest) = parameter(words, 2);
    let profiles = profiles::load(words.options(rest)?.device)?;
    let of_kernel = profiles
        .iter()
        .find(|p| p.kernel == id && p.parameter == parameter);
    let counted = of_kernel
        .with_context(|| format!("no profile of `{id}` with {parameter} was recorded"))?
        .counted
        .get(column);
    let counted = counted.with_context(|| format!("the profiles have no column `{column}`"))?;
    Ok(*counted as f64 / 1e6)
}
