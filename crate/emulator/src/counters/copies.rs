//! The counting rules of `cp.async`, the profiler's `ldgsts`, as measured on an H200 (`tests/h200/ldgsts.csv` and
//! `copies.csv`).
//!
//! With `.ca` the data goes through the L1 cache, which reads as many banks at a time as it writes: each
//! wavefront takes from a bank, and gives to one, at most once, so phase by phase the fullest bank of either side
//! counts. Nothing is broadcast: two lanes that read the same word take two wavefronts.
//!
//! With `.cg` it comes from L2 past the cache, a sector for each sector of shared memory that it goes to, and once more
//! where halves of a sector change places on the way. Where sectors go one to one, a wavefront takes from a line those
//! of which the same halves are wanted; otherwise lanes go one by one (in 2 of 20 probes some went together).
//! As loads of global memory the profiler counts the sectors of one line that go to one sector together.

use std::collections::BTreeSet;

use crate::counters::{
    BANK_BYTES, BANKS, SECTOR_BYTES, bank_of, fewest_wavefronts, lanes_of_different_addresses,
};

/// Bytes of a line, which a wavefront does not leave.
const LINE_BYTES: u64 = 128;
/// Bytes that one lane copies past the cache: half a sector.
const HALF_BYTES: u64 = 16;

/// What one `cp.async` of a warp counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyCounts {
    /// `sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum`
    pub sectors: u32,
    /// What it adds to `l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`.
    pub load_sectors: u32,
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
    if bypass {
        return past_the_cache(sources, targets);
    }
    let per_phase = lanes_of_different_addresses(bytes);
    let wavefronts = sources
        .chunks(per_phase)
        .zip(targets.chunks(per_phase))
        .map(|(from, to)| fullest_bank(from, bytes).max(fullest_bank(to, bytes)))
        .sum::<u32>();
    let touched: BTreeSet<u64> = (sources.iter().flatten())
        .map(|address| address / SECTOR_BYTES)
        .collect();
    CopyCounts {
        sectors: touched.len() as u32,
        load_sectors: touched.len() as u32,
        wavefronts,
        bank_conflicts: wavefronts.saturating_sub(fewest_wavefronts(targets, bytes, true)),
    }
}

fn past_the_cache(sources: &[Option<u64>; 32], targets: &[Option<u64>; 32]) -> CopyCounts {
    let pairs: Vec<(u64, u64)> = (sources.iter().zip(targets))
        .filter_map(|(source, target)| Some(((*source)?, (*target)?)))
        .collect();
    let distinct = |of: &dyn Fn(u64, u64) -> (u64, u64, u64)| -> usize {
        let all: BTreeSet<_> = pairs.iter().map(|&(from, to)| of(from, to)).collect();
        all.len()
    };
    let half = |address: u64| address / HALF_BYTES % 2;
    let swapped = |from, to| half(from) ^ half(to);
    let (sector, line) = (SECTOR_BYTES, LINE_BYTES);
    let moved = distinct(&|from, to| (from / sector, to / sector, 0));
    let one_to_one = moved == distinct(&|from, _| (from / sector, 0, 0))
        && moved == distinct(&|_, to| (0, to / sector, 0));
    let wavefronts = if one_to_one {
        // Which halves of its sector are wanted, for each lane's.
        let halves = |of: u64| {
            let same = pairs
                .iter()
                .filter(|(from, _)| from / sector == of / sector);
            same.fold(0, |halves, &(from, _)| halves | 1 << half(from))
        };
        distinct(&|from, to| (from / line, to / line, halves(from)))
    } else {
        pairs.len()
    };
    CopyCounts {
        sectors: distinct(&|from, to| (from / sector, to / sector, swapped(from, to))) as u32,
        load_sectors: distinct(&|from, to| (from / line, to / sector, swapped(from, to))) as u32,
        wavefronts: wavefronts as u32,
        bank_conflicts: 0,
    }
}

/// How many words of these lanes lie in the bank that holds the most.
fn fullest_bank(addresses: &[Option<u64>], bytes: u32) -> u32 {
    let mut words = [0; BANKS as usize];
    for address in addresses.iter().flatten() {
        for word in 0..u64::from(bytes) / BANK_BYTES {
            words[bank_of(address + word * BANK_BYTES) as usize] += 1;
        }
    }
    words.into_iter().max().unwrap_or(0)
}
