//! What the roofline asks: operations by the emulator's count, rates of them by the records of works, and the profiler's reports.

use super::words::Words;
use anyhow::Context;
use cornerturn::{Counted, Placed, Reports};

/// The kernel and the work's parameter, 0 where none is given, and the index of what follows.
fn asked<'a>(words: &Words<'a>) -> anyhow::Result<(&'a str, u32, usize)> {
    let kernel = words.word(0)?;
    Ok(match words.word(1).map(str::parse) {
        Ok(Ok(parameter)) => (kernel, parameter, 2),
        _ => (kernel, 0, 1),
    })
}

fn placed(words: &Words) -> anyhow::Result<Placed> {
    let (kernel, parameter, rest) = asked(words)?;
    Ok(Placed::recorded(
        words.options(rest)?.device,
        kernel,
        parameter,
    )?)
}

fn counted(words: &Words) -> anyhow::Result<Counted> {
    let (kernel, parameter, rest) = asked(words)?;
    words.at_most(rest)?;
    Ok(Counted::registered(kernel, parameter)?)
}

/// 10¹² operations in a second.
pub fn tera(words: &Words) -> anyhow::Result<f64> {
    placed(words)?.tera_per_s.context("it was not timed")
}

/// Operations for each byte that must move, on the arrays that were measured.
pub fn intensity(words: &Words) -> anyhow::Result<f64> {
    Ok(placed(words)?.intensity)
}

/// Operations for each byte of the sectors that were asked for.
pub fn at_l1(words: &Words) -> anyhow::Result<f64> {
    counted(words)?
        .intensity_at_l1()
        .context("it asks for no sector")
}

/// Operations for an item of the work.
pub fn operations(words: &Words) -> anyhow::Result<f64> {
    Ok(counted(words)?.operations)
}

/// A metric of the profiler's report of a kernel.
pub fn reported(words: &Words) -> anyhow::Result<f64> {
    let reports = Reports::load(words.options(2)?.device)?;
    Ok(reports.of(words.word(0)?)?.metric(words.word(1)?)?)
}
