//! What requests have beyond the fewest sectors, wavefronts or addresses, and the worst of a site. Who keeps it is `world`.

use crate::counters::SECTOR_BYTES;
use crate::program::kinds::WARP;

/// The worst request of a site so far.
#[derive(Debug, Clone)]
pub(crate) struct WorstSeen {
    pub(crate) excess: u32,
    /// Number of the block, x fastest.
    pub(crate) block: u64,
    /// Warp in the block.
    pub(crate) warp: u32,
    pub(crate) mask: u32,
    pub(crate) addresses: [u64; WARP],
}

/// The sectors that so many lanes need for so many bytes each, side by side.
#[inline(always)]
pub(crate) fn needed_sectors(lanes: u32, bytes: u32) -> u32 {
    (lanes * bytes).div_ceil(SECTOR_BYTES as u32)
}

/// The different values of the lanes in a mask.
pub(crate) fn different(addresses: &[u64; WARP], mask: u32) -> u32 {
    let active = (0..WARP).filter(|lane| mask >> lane & 1 != 0);
    let mut values: Vec<u64> = active.map(|lane| addresses[lane]).collect();
    values.sort_unstable();
    values.dedup();
    values.len() as u32
}

/// The bounds of two ranges together.
pub(crate) fn joined_reach(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}
