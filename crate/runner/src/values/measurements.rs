//! What the record `transpose` knows of a kernel: its time, its bandwidth, what the driver said of it.

use super::words::{Matrices, Options, Words};
use crate::exit;
use anyhow::Context;
use cornerturn::record::Measurement;
use cornerturn::{ElementType, GbPerS, Operation, Record, Registry, TimingMode};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The experiment that most chapters tell of.
const EXPERIMENT: &str = "transpose";

/// The records that were read already, by device and experiment.
static LOADED: Mutex<Vec<(Name, Arc<Record>)>> = Mutex::new(Vec::new());

/// A record's device and experiment.
type Name = (String, String);

/// A record, read once.
pub fn record(device: &str, experiment: &str) -> anyhow::Result<Arc<Record>> {
    let key = (device.to_string(), experiment.to_string());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, record)) = loaded.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(record));
    }
    let record = Arc::new(Record::load(device, experiment)?);
    loaded.push((key, Arc::clone(&record)));
    Ok(record)
}

/// The measurement of a name in a record.
pub fn measurement<'a>(
    record: &'a Record,
    kernel: &str,
    element: ElementType,
    matrices: Matrices,
    mode: TimingMode,
) -> anyhow::Result<&'a Measurement> {
    let what = (element, matrices.batches, matrices.shape, mode);
    let of_kernel = || {
        record
            .measurements
            .iter()
            .filter(move |m| m.kernel == kernel)
    };
    let found = of_kernel().find(|m| (m.element, m.batches, m.shape(), m.mode) == what);
    found.ok_or_else(|| {
        let is = |m: &Measurement| format!("{} of {}, {}", m.matrices(), m.element, m.mode);
        let known = list(of_kernel().map(is));
        let (experiment, shape) = (&record.experiment, matrices.shape);
        exit::usage(match known.is_empty() {
            true => format!(
                "the record `{experiment}` has nothing called `{kernel}`; it has {}",
                list(record.measurements.iter().map(|m| m.kernel.clone()))
            ),
            false => format!(
                "the record `{experiment}` has no `{kernel}` at {shape} of {element}, {mode}; it \
                 has {known}; `cornerturn record` on that GPU adds it"
            ),
        })
    })
}

/// Names in their order, each once.
fn list(names: impl Iterator<Item = String>) -> String {
    let names: BTreeSet<String> = names.collect();
    let names: Vec<String> = names.into_iter().collect();
    names.join(", ")
}

/// A kernel's measurement, with the record that it is of.
struct Asked {
    record: Arc<Record>,
    /// Its index among the record's measurements.
    index: usize,
}

impl Asked {
    /// By the arguments `KERNEL, SHAPE[, ELEMENT][, DEVICE]`, the kernel's and the shape's index given.
    fn new(words: &Words, kernel: usize, shape: usize) -> anyhow::Result<Self> {
        let name = words.word(kernel)?;
        let (matrices, options) = (words.matrices(shape)?, words.options(shape + 1)?);
        let record = record(options.device, EXPERIMENT)?;
        let found = measurement(
            &record,
            name,
            options.element_of(name)?,
            matrices,
            TimingMode::Cold,
        )?;
        let index = record
            .measurements
            .iter()
            .position(|m| std::ptr::eq(m, found))
            .unwrap_or_default();
        Ok(Self { record, index })
    }

    fn measurement(&self) -> &Measurement {
        &self.record.measurements[self.index]
    }

    fn gbps(&self) -> f64 {
        self.measurement().gb_per_s().0
    }

    /// The lower and the upper quartile of the bandwidth.
    fn quartiles(&self) -> (f64, f64) {
        let measurement = self.measurement();
        let (fast, slow) = measurement.timing().quartiles_us();
        let rate = |us| GbPerS::from_bytes_and_us(measurement.bytes_moved, us).0;
        (rate(slow), rate(fast))
    }

    /// The bandwidth of the driver's copy of the same matrices.
    fn copy(&self) -> anyhow::Result<f64> {
        let measurement = self.measurement();
        let copy = self.record.copy_for(measurement).with_context(|| {
            format!(
                "the record has no copy of {} of {}",
                measurement.matrices(),
                measurement.element
            )
        })?;
        Ok(copy.gb_per_s().0)
    }

    /// What the driver said of the kernel.
    fn told(&self, value: Option<u32>, what: &str) -> anyhow::Result<f64> {
        let kernel = &self.measurement().kernel;
        Ok(f64::from(value.with_context(|| {
            format!("the record does not tell the {what} of `{kernel}`")
        })?))
    }
}

pub fn gbps(words: &Words) -> anyhow::Result<f64> {
    Ok(Asked::new(words, 0, 1)?.gbps())
}

pub fn us(words: &Words) -> anyhow::Result<f64> {
    Ok(Asked::new(words, 0, 1)?.measurement().median_us())
}

pub fn q1(words: &Words) -> anyhow::Result<f64> {
    Ok(Asked::new(words, 0, 1)?.quartiles().0)
}

pub fn q3(words: &Words) -> anyhow::Result<f64> {
    Ok(Asked::new(words, 0, 1)?.quartiles().1)
}

pub fn copy(words: &Words) -> anyhow::Result<f64> {
    Asked::new(words, 0, 1)?.copy()
}

pub fn share(words: &Words) -> anyhow::Result<f64> {
    let asked = Asked::new(words, 0, 1)?;
    Ok(asked.gbps() / asked.copy()?)
}

/// 1 if the quartiles of two kernels' rates do not overlap, else 0.
pub fn apart(words: &Words) -> anyhow::Result<f64> {
    let (a, b) = (
        Asked::new(words, 0, 2)?.quartiles(),
        Asked::new(words, 1, 2)?.quartiles(),
    );
    Ok(f64::from(u8::from(a.1 < b.0 || b.1 < a.0)))
}

/// The fastest registered transpose of one matrix.
pub fn best(words: &Words) -> anyhow::Result<f64> {
    let (matrices, options) = (words.matrices(0)?, words.options(1)?);
    let what = (
        options.element.unwrap_or(ElementType::F32),
        matrices.batches,
        matrices.shape,
        TimingMode::Cold,
    );
    let registry = Registry::load()?;
    let record = record(options.device, EXPERIMENT)?;
    let fits = |m: &&Measurement| {
        (m.element, m.batches, m.shape(), m.mode) == what
            && m.operation == Operation::Transpose
            && registry.get(&m.kernel).is_ok()
    };
    let rates = record
        .measurements
        .iter()
        .filter(fits)
        .map(|m| m.gb_per_s().0);
    let best = rates.max_by(f64::total_cmp);
    best.with_context(|| {
        format!(
            "the record has no transpose of {} of {}",
            matrices.shape, what.0
        )
    })
}

pub fn registers(words: &Words) -> anyhow::Result<f64> {
    let asked = Asked::new(words, 0, 1)?;
    asked.told(asked.measurement().registers_per_thread, "registers")
}

pub fn blocks(words: &Words) -> anyhow::Result<f64> {
    let asked = Asked::new(words, 0, 1)?;
    asked.told(
        asked.measurement().blocks_per_multiprocessor,
        "resident blocks",
    )
}

pub fn shared_bytes(words: &Words) -> anyhow::Result<f64> {
    let asked = Asked::new(words, 0, 1)?;
    let measurement = asked.measurement();
    let dynamic = measurement.dynamic_shared_bytes.unwrap_or(0);
    asked.told(
        measurement.static_shared_bytes.map(|bytes| bytes + dynamic),
        "shared memory",
    )
}

/// The record of the device that is the only argument.
fn device_of(words: &Words) -> anyhow::Result<Arc<Record>> {
    let Options { element, device } = words.options(0)?;
    match element {
        Some(element) => Err(words.wrong(format_args!("`{element}` is no device"))),
        None => record(device, EXPERIMENT),
    }
}

pub fn peak(words: &Words) -> anyhow::Result<f64> {
    Ok(device_of(words)?.device.facts.peak_gb_per_s)
}

pub fn multiprocessors(words: &Words) -> anyhow::Result<f64> {
    Ok(f64::from(device_of(words)?.device.facts.multiprocessors))
}

pub fn l2_bytes(words: &Words) -> anyhow::Result<f64> {
    Ok(device_of(words)?.device.facts.l2_bytes as f64)
}
