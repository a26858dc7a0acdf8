//! What the record of launches knows: microseconds for a sequence or for one kernel of it, and how small a kernel must be before a way matters.

use super::words::Words;
use cornerturn::{LaunchClock, LaunchTime, LaunchWay, Launches};

/// The way at an index.
fn way(words: &Words, index: usize) -> anyhow::Result<LaunchWay> {
    let word = words.word(index)?;
    let found = LaunchWay::ALL.into_iter().find(|way| way.name() == word);
    found.ok_or_else(|| {
        let known = LaunchWay::ALL.map(LaunchWay::name).join(", ");
        words.wrong(format_args!("`{word}` is no way; there are {known}"))
    })
}

/// The clock at an index.
fn clock(words: &Words, index: usize) -> anyhow::Result<LaunchClock> {
    let word = words.word(index)?;
    let mut all = LaunchClock::ALL.into_iter();
    all.find(|clock| clock.name() == word).ok_or_else(|| {
        let known = LaunchClock::ALL.map(LaunchClock::name).join(", ");
        words.wrong(format_args!("`{word}` is no clock; there are {known}"))
    })
}

/// The elements at an index, `65536`, `64K` or `1M` of 1024 each, 0 where none are named; and the index of what follows.
fn elements(words: &Words, index: usize) -> (u64, usize) {
    let parsed = words.word(index).ok().and_then(|text| {
        let (number, shift) = match text.as_bytes().last() {
            Some(b'K') => (&text[..text.len() - 1], 10),
            Some(b'M') => (&text[..text.len() - 1], 20),
            _ => (text, 0),
        };
        number.parse::<u64>().ok()?.checked_mul(1 << shift)
    });
    parsed.map_or((0, index), |items| (items, index + 1))
}

/// The measurement of the arguments `SEQUENCE, WAY, CLOCK[, ELEMENTS][, DEVICE]`.
fn asked(words: &Words) -> anyhow::Result<LaunchTime> {
    let (sequence, way, clock) = (words.word(0)?, way(words, 1)?, clock(words, 2)?);
    let (items, rest) = elements(words, 3);
    let launches = Launches::load(words.options(rest)?.device, Launches::EXPERIMENT)?;
    Ok(launches.time(sequence, way, clock, items)?.clone())
}

/// Microseconds for one kernel.
pub fn launch(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.launch_us())
}

/// Microseconds for the sequence once.
pub fn sequence(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words)?.sequence_us())
}

/// The most elements with which the second takes less than the first by more than a share, such as 0.1.
pub fn matters_up_to(words: &Words) -> anyhow::Result<f64> {
    let slow = (words.word(0)?, way(words, 1)?);
    let fast = (words.word(2)?, way(words, 3)?);
    let share = words.word(4)?.parse();
    let share: f64 =
        share.map_err(|_| words.wrong(format_args!("`{:?}` is no share", words.word(4))))?;
    let launches = Launches::load(words.options(5)?.device, Launches::EXPERIMENT)?;
    Ok(launches.matters_up_to(slow, fast, share) as f64)
}
