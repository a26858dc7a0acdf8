//! What the records of products know of a kernel, this book's or a library's, beside cuBLAS at the same product, and what the emulator counts of it.

use super::words::Words;
use crate::exit;
use anyhow::Context;
use cornerturn::{
    Counters, Device, Kernel, Product, ProductPoint, ProductShape, Products, Registry, TimingMode,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The records that were read already, by device and experiment.
static LOADED: Mutex<Vec<([String; 2], Arc<Products>)>> = Mutex::new(Vec::new());

/// The record of a device that has measured a kernel, read once: this book's own or that of libraries.
fn record_of(kernel: &str, device: &str) -> anyhow::Result<Arc<Products>> {
    let is_theirs = ["triton_", "cutlass_"]
        .iter()
        .any(|of| kernel.starts_with(of));
    record(
        device,
        match is_theirs {
            true => Products::LIBRARIES,
            false => Products::EXPERIMENT,
        },
    )
}

fn record(device: &str, experiment: &str) -> anyhow::Result<Arc<Products>> {
    let key = [device, experiment].map(str::to_string);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, record)) = loaded.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(record));
    }
    let record = Arc::new(Products::load(device, experiment)?);
    loaded.push((key, Arc::clone(&record)));
    Ok(record)
}

fn shape(words: &Words, index: usize) -> anyhow::Result<ProductShape> {
    let text = words.word(index)?;
    text.parse().map_err(|reason: String| words.wrong(reason))
}

/// The measurement of the arguments `KERNEL, SHAPE[, DEVICE]`.
fn asked(words: &Words) -> anyhow::Result<(Arc<Products>, ProductPoint)> {
    let kernel = words.word(0)?;
    let record = record_of(kernel, words.options(2)?.device)?;
    let point = record.point(kernel, shape(words, 1)?)?.clone();
    Ok((record, point))
}

/// 10¹² operations in a second.
pub fn tera(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.1.tera_per_s())
}

pub fn us(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.1.timing().median_us())
}

/// cuBLAS at the same product of the same run.
pub fn cublas(words: &Words) -> anyhow::Result<f64> {
    let (record, point) = asked(words)?;
    Ok(record.cublas_for(&point)?.tera_per_s())
}

/// A share of cuBLAS's rate.
pub fn share(words: &Words) -> anyhow::Result<f64> {
    let (record, point) = asked(words)?;
    Ok(point.tera_per_s() / record.cublas_for(&point)?.tera_per_s())
}

/// The first kernel's rate by the second's, at the same shape.
pub fn gain(words: &Words) -> anyhow::Result<f64> {
    let device = words.options(3)?.device;
    let shape = shape(words, 2)?;
    let (of, by) = (words.word(0)?, words.word(1)?);
    let record = record_of(of, device)?;
    Ok(record.point(of, shape)?.tera_per_s() / record.point(by, shape)?.tera_per_s())
}

/// 1 if the quartiles of a kernel's rate and of cuBLAS's do not overlap, else 0.
pub fn apart(words: &Words) -> anyhow::Result<f64> {
    let (record, point) = asked(words)?;
    let (a, b) = (
        point.timing().quartiles_us(),
        record.cublas_for(&point)?.timing().quartiles_us(),
    );
    Ok(f64::from(u8::from(a.1 < b.0 || b.1 < a.0)))
}

/// The fastest kernel of the same numbers and layout at a shape, among those that are registered: its rate.
pub fn best(words: &Words) -> anyhow::Result<f64> {
    let (record, point) = asked(words)?;
    let is_rival = |p: &&ProductPoint| {
        p.problem() == point.problem() && p.mode == TimingMode::Warm && p.grid.is_some()
    };
    let rates = record.measurements.iter().filter(is_rival);
    let best = rates.map(ProductPoint::tera_per_s).max_by(f64::total_cmp);
    best.context("there is at least the kernel that is named")
}

/// The largest error on random factors, as a share of the sum of the products' sizes.
pub fn error(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.1.worst_error)
}

fn told(words: &Words, what: &str, of: fn(&ProductPoint) -> Option<u32>) -> anyhow::Result<f64> {
    let (_, point) = asked(words)?;
    let value = of(&point).with_context(|| format!("the record does not tell its {what}"))?;
    Ok(f64::from(value))
}

pub fn registers(words: &Words) -> anyhow::Result<f64> {
    told(words, "registers", |p| p.registers_per_thread)
}

pub fn shared(words: &Words) -> anyhow::Result<f64> {
    told(words, "shared memory", |p| p.shared_bytes)
}

pub fn blocks(words: &Words) -> anyhow::Result<f64> {
    told(words, "resident blocks", |p| p.blocks_per_multiprocessor)
}

/// What the emulator counts of a kernel: `product_count(KERNEL, COUNTER, SHAPE)`.
pub fn count(words: &Words) -> anyhow::Result<f64> {
    words.at_most(3)?;
    let counters = counted(words.word(0)?, shape(words, 2)?)?;
    let name = words.word(1)?;
    let count = counters.get(name);
    let count = count.ok_or_else(|| exit::usage(format!("there is no counter `{name}`")))?;
    Ok(count as f64)
}

/// Operations for each byte of the sectors of global memory that are asked for.
pub fn intensity(words: &Words) -> anyhow::Result<f64> {
    words.at_most(2)?;
    let counters = counted(words.word(0)?, shape(words, 1)?)?;
    let bytes = counters.global_sector_bytes() as f64;
    Ok(cornerturn::roofline::operations(&counters) as f64 / bytes)
}

fn counted(id: &str, shape: ProductShape) -> anyhow::Result<Counters> {
    let registry = Registry::load()?;
    let entry = registry.product(id)?;
    let product = Product::registered(&Device::emulator(), entry, shape)?;
    let (grid, block) = product.launch_shape(entry)?;
    let report = product.count(&Kernel::committed(&registry, entry)?, grid, block)?;
    report.counters.context("the emulator counts")
}
