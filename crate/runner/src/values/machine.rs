//! What the record of a machine knows: its facts, the walks and the launches that they follow from.

use super::words::Words;
use anyhow::Context;
use cornerturn::MachineFacts;
use std::sync::{Arc, Mutex, PoisonError};

/// The records that were read already, by device.
static LOADED: Mutex<Vec<(String, Arc<MachineFacts>)>> = Mutex::new(Vec::new());

/// A record, read once.
fn machine(words: &Words, rest: usize) -> anyhow::Result<Arc<MachineFacts>> {
    let device = words.options(rest)?.device;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, facts)) = loaded.iter().find(|(known, _)| known == device) {
        return Ok(Arc::clone(facts));
    }
    let facts = Arc::new(MachineFacts::load(device)?);
    loaded.push((device.to_string(), Arc::clone(&facts)));
    Ok(facts)
}

/// A whole number of the arguments.
fn whole(words: &Words, index: usize) -> anyhow::Result<u32> {
    let word = words.word(index)?;
    word.parse()
        .map_err(|_| words.wrong(format_args!("`{word}` is no whole number")))
}

pub fn fact(words: &Words) -> anyhow::Result<f64> {
    Ok(machine(words, 1)?.fact(words.word(0)?)?)
}

/// The walk of the arguments `KERNEL, SLOTS`, by clocks and by nanoseconds for a step.
fn walk(words: &Words) -> anyhow::Result<(f64, f64)> {
    let (kernel, slots) = (words.word(0)?, whole(words, 1)?);
    let facts = machine(words, 2)?;
    let chases = facts.chases_of(kernel);
    let chase = chases.iter().find(|chase| chase.slots == slots);
    let chase = chase.with_context(|| {
        let known: Vec<String> = chases.iter().map(|chase| chase.slots.to_string()).collect();
        format!(
            "`{kernel}` walked no ring of {slots} slots; there are {}",
            known.join(", ")
        )
    })?;
    Ok((chase.cycles(), chase.ns()))
}

pub fn chased(words: &Words) -> anyhow::Result<f64> {
    Ok(walk(words)?.0)
}

pub fn chased_ns(words: &Words) -> anyhow::Result<f64> {
    Ok(walk(words)?.1)
}

/// GB/s with so many resident warps.
pub fn resident(words: &Words) -> anyhow::Result<f64> {
    let facts = machine(words, 2)?;
    Ok(facts.rate(words.word(0)?, whole(words, 1)?)?.gb_per_s().0)
}

/// GB/s where shared memory lets in so many warps.
pub fn crowded(words: &Words) -> anyhow::Result<f64> {
    let facts = machine(words, 2)?;
    let rate = facts.rate_by_shared(words.word(0)?, whole(words, 1)?)?;
    Ok(rate.gb_per_s().0)
}

/// GB/s with blocks of so many threads.
pub fn blocked(words: &Words) -> anyhow::Result<f64> {
    let facts = machine(words, 2)?;
    Ok(facts
        .rate_of_block(words.word(0)?, whole(words, 1)?)?
        .gb_per_s()
        .0)
}

/// Threads of the block that the driver proposes.
pub fn proposed_threads(words: &Words) -> anyhow::Result<f64> {
    let facts = machine(words, 1)?;
    let id = words.word(0)?;
    let kernel = facts.kernels.get(id);
    let kernel = kernel.with_context(|| format!("`{id}` measured nothing of the machine"))?;
    Ok(kernel.proposed_block.threads.into())
}
