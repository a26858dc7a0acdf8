//! What the emulator counts when a registered kernel runs.

use super::words::Words;
use crate::exit;
use cornerturn::{Counters, Device, Kernel, RegisteredTask, Registry};
use std::sync::{Mutex, PoisonError};

/// The runs that were made already, by kernel, matrices and what they are.
static COUNTED: Mutex<Vec<(String, Counters)>> = Mutex::new(Vec::new());

pub fn count(words: &Words) -> anyhow::Result<f64> {
    words.at_most(3)?;
    let (kernel, counter, matrices) = (words.word(0)?, words.word(1)?, words.matrices(2)?);
    if !Counters::NAMES.iter().any(|(field, _)| *field == counter) {
        let known: Vec<&str> = Counters::NAMES.iter().map(|(field, _)| *field).collect();
        let known = known.join(", ");
        return Err(exit::usage(format!(
            "nothing is counted as `{counter}`; there are {known}"
        )));
    }
    let key = format!("{kernel} {matrices:?}");
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = counted.iter().find(|(known, _)| *known == key);
    let counters = match known {
        Some((_, counters)) => *counters,
        None => {
            let registry = Registry::load()?;
            let entry = registry.get(kernel)?;
            let task =
                RegisteredTask::new(&Device::emulator(), entry, matrices.shape, matrices.batches)?;
            let report = task.launch(entry, &Kernel::committed(&registry, entry)?)?;
            let counters = report.counters.unwrap_or_default();
            counted.push((key, counters));
            counters
        }
    };
    Ok(counters.field(counter).unwrap_or_default() as f64)
}
