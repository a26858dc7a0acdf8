//! What the record of transfers knows: the rate and the time of a way with a size.

use super::words::Words;
use anyhow::Context;
use cornerturn::{Transfer, Transfers};

/// The transfer of the arguments `WAY, SIZE[, DEVICE]` in an experiment's record; a size is `4096`, `64K` or `256M`, of
/// 1024 each.
fn asked(words: &Words, experiment: &str) -> anyhow::Result<Transfer> {
    let (way, size) = (words.word(0)?, words.word(1)?);
    let bytes = bytes(size);
    let bytes = bytes
        .ok_or_else(|| words.wrong(format_args!("`{size}` is no size such as 4096 or 64K")))?;
    let transfers = Transfers::load(words.options(2)?.device, experiment)?;
    Ok(transfers.transfer(way, bytes)?.clone())
}

fn bytes(text: &str) -> Option<u64> {
    let units = [("K", 10), ("M", 20)];
    let unit = units
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// In GB/s.
pub fn rate(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words, Transfers::EXPERIMENT)?.gb_per_s().0)
}

/// In microseconds.
pub fn us(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words, Transfers::EXPERIMENT)?.timing().median_us())
}

/// A pipeline's, in microseconds.
pub fn piped_us(words: &Words) -> anyhow::Result<f64> {
    Ok(asked(words, Transfers::STREAMS)?.timing().median_us())
}

/// What the link carries in one direction at the most, in GB/s.
pub fn link(words: &Words) -> anyhow::Result<f64> {
    let transfers = Transfers::load(words.options(0)?.device, Transfers::EXPERIMENT)?;
    let host = transfers
        .host
        .context("the record says nothing of the host")?;
    host.link_gb_per_s()
        .context("the record does not know the link")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        let known = [("4096", 4096), ("4K", 4096), ("256M", 1 << 28)];
        for (text, expected) in known {
            assert_eq!(bytes(text), Some(expected));
        }
        for wrong in ["", "K", "4G", "-4K", "99999999999999999M"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
