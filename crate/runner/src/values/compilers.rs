//! What the record of the two compilers knows: how many kernels are right by our own, and how much longer they take.

use super::words::Words;
use crate::compared::{Both, Compared};
use anyhow::Context;

fn kernels(device: &str) -> anyhow::Result<Vec<Both>> {
    Ok(Compared::load(device)?.kernels)
}

/// How many kernels were compiled by both.
pub fn compared(words: &Words) -> anyhow::Result<f64> {
    Ok(kernels(words.options(0)?.device)?.len() as f64)
}

/// How many of them gave the right result by our own compiler.
pub fn verified(words: &Words) -> anyhow::Result<f64> {
    let kernels = kernels(words.options(0)?.device)?;
    let verified = kernels
        .iter()
        .filter(|both| both.cornerturn.wrong.is_none());
    Ok(verified.count() as f64)
}

/// Our duration over NVRTC's, of one kernel.
pub fn ratio(words: &Words) -> anyhow::Result<f64> {
    let kernel = words.word(0)?;
    let kernels = kernels(words.options(1)?.device)?;
    let both = kernels.iter().find(|both| both.kernel == kernel);
    let both = both.with_context(|| format!("no kernel `{kernel}` was compiled by both"))?;
    both.ratio()
        .with_context(|| format!("`{kernel}` was not timed by both"))
}

/// How many took at least so many times as long as by NVRTC: 1.05 is five per cent longer. Below 1, how many took at most
/// so many times as long.
pub fn apart(words: &Words) -> anyhow::Result<f64> {
    let bound = words.word(0)?;
    let bound: f64 = bound
        .parse()
        .with_context(|| format!("`{bound}` is no number"))?;
    let kernels = kernels(words.options(1)?.device)?;
    let is_apart = |ratio: &f64| {
        if bound < 1.0 {
            *ratio <= bound
        } else {
            *ratio >= bound
        }
    };
    Ok(kernels
        .iter()
        .filter_map(Both::ratio)
        .filter(is_apart)
        .count() as f64)
}
