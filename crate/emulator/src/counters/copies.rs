//! The counting rules of `cp.async`, the profiler's `ldgsts`, as measured on an H200 (`tests/h200/ldgsts.csv`).
//!
//! With `.ca` the data goes through the L1 cache, which reads as many banks at a time as it writes: each
//! wavefront takes from a bank, and gives to one, at most once, so the fullest bank of either side counts.
//! Nothing is broadcast: two lanes that read the same word take two wavefronts.
//!
//! With `.cg` it comes from L2 past the cache: a sector at a time where the sectors of shared memory that it goes
//! to are the same in number, four to a wavefront; otherwise lane by lane.

use std::collections::BTreeSet;

use crate::counters::{BANK_BYTES, BANKS, SECTOR_BYTES, bank_of, fewest_wavefronts};

/// Bytes of a line, which a wavefront does not leave.
const LINE_BYTES: u64 = 128;

/// What one `cp.async` of a warp counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyCounts {
    /// `sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum`
    pub sectors: u32,
    /// `sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum`
    pub wavefronts: u32,
    /// `sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum`
    pub bank_conflicts: u32,
}

/// Counts of a copy of `bytes` (4, 8 or 16) a lane, from aligned global addresses to aligned offsets in shared
/// memory, past the L1 cache (`.cg`) if `bypass`. A lane without a source writes zeros; how those count was not
/// measured: they take part in writing only.
pub fn copy_counts(
    sources: &[Option<u64>; 32],
    targets: &[Option<u64>; 32],
    bytes: u32,
    bypass: bool,
) -> CopyCounts {
    let pairs = || {
        let both = sources.iter().zip(targets);
        both.filter_map(|(source, target)| Some(((*source)?, (*target)?)))
    };
    let distinct = |unit: u64| -> usize {
        let units: BTreeSet<_> = pairs().map(|(s, t)| (s / unit, t / unit)).collect();
        units.len()
    };
    let units = |addresses: &[Option<u64>; 32]| -> BTreeSet<u64> {
        let sectors = addresses.iter().flatten();
        sectors.map(|address| address / SECTOR_BYTES).collect()
    };
    if !bypass {
        let wavefronts = fullest_bank(sources, bytes).max(fullest_bank(targets, bytes));
        let fewest = fewest_wavefronts(targets, bytes, true);
        return CopyCounts {
            sectors: units(sources).len() as u32,
            wavefronts,
            bank_conflicts: wavefronts.saturating_sub(fewest),
        };
    }
    let (lanes, sectors) = (pairs().count(), distinct(SECTOR_BYTES));
    let whole = sectors == units(sources).len() && sectors == units(targets).len();
    CopyCounts {
        sectors: if whole { sectors } else { lanes } as u32,
        wavefronts: if whole { distinct(LINE_BYTES) } else { lanes } as u32,
        bank_conflicts: 0,
    }
}

/// How many words of all lanes lie in the bank that holds the most.
fn fullest_bank(addresses: &[Option<u64>; 32], bytes: u32) -> u32 {
    let mut words = [0; BANKS as usize];
    for address in addresses.iter().flatten() {
        for word in 0..u64::from(bytes) / BANK_BYTES {
            words[bank_of(address + word * BANK_BYTES) as usize] += 1;
        }
    }
    words.into_iter().max().unwrap_or(0)
}
