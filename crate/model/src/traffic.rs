//! What of L2's requests reaches DRAM, and what moving it costs there. What L1 asks L2 for is `l1`'s.

use crate::l1::Request;
use crate::machine::Machine;
use crate::observe::Observation;
use std::collections::BTreeSet;

const SECTOR_BYTES: f64 = 32.0;
/// Of the sectors that recorded blocks ask L2 for, the share that others of them ask for too from which on reuse is taken to be near in time.
const NEAR: f64 = 0.1;
/// Sectors side by side up to which DRAM is asked for small pieces.
const SHORT_RUN: f64 = 4.0;

/// A launch's traffic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traffic {
    /// Bytes that DRAM reads.
    pub read_bytes: f64,
    /// Bytes that it is written.
    pub written_bytes: f64,
    /// Bytes of others that must be written for room in L2.
    pub dirty_bytes: f64,
    /// Bytes of sectors that L2 is asked for by loads.
    pub l2_read_bytes: f64,
    /// Bytes that are stored to L2.
    pub l2_written_bytes: f64,
    /// For each site, the share of the sectors asked for that DRAM must bring or take.
    pub far: Vec<f64>,
    /// Cycles of a multiprocessor's share of DRAM for each byte of these.
    pub cycles_per_byte: f64,
}

/// Of a launch.
pub fn traffic(machine: &Machine, observed: &Observation, requests: &[Request]) -> Traffic {
    let buffers = &observed.buffers;
    let mut asked = vec![(0.0, 0.0); buffers.len()];
    let mut at = vec![None; observed.sites.len()];
    for sample in &observed.samples {
        if let (Some(sector), Some(place)) =
            (sample.sectors.first(), at.get_mut(sample.site as usize))
        {
            let address = sector * 32;
            *place = Some(
                buffers
                    .partition_point(|(base, ..)| *base <= address + 31)
                    .saturating_sub(1),
            );
        }
    }
    let mut found = Traffic::default();
    for (site, sum) in observed.sites.iter().enumerate() {
        let moved = match sum.is_bulk {
            true if sum.space == 0 => sum.sectors.max(sum.bytes / SECTOR_BYTES),
            _ if sum.space != 0 || sum.is_bulk => continue,
            _ => sum.requests * requests[site].missed,
        };
        if sum.is_atomic {
            continue;
        }
        match sum.is_store {
            true => found.l2_written_bytes += moved * SECTOR_BYTES,
            false => found.l2_read_bytes += moved * SECTOR_BYTES,
        }
        if let Some(buffer) = at[site].and_then(|at| asked.get_mut(at)) {
            match sum.is_store {
                true => buffer.1 += moved,
                false => buffer.0 += moved,
            }
        }
    }
    let again = again(observed, requests);
    let near = is_near(observed);
    let each = |(read, written): &(f64, f64)| read / again.0 + written / again.1;
    let all = asked.iter().map(each).sum::<f64>() * SECTOR_BYTES;
    let pairs = pairs(observed, buffers.len(), |address| {
        buffers
            .partition_point(|(base, ..)| *base <= address + 31)
            .saturating_sub(1)
    });
    let mut shares = vec![(0.0, 0.0); buffers.len()];
    for (at, (_, read, written)) in buffers.iter().enumerate() {
        let (asked_read, asked_written) = asked[at];
        // Each sector that can be read is, unless there are more of them than are asked for. DRAM reads them in pairs.
        let (read, written) = (
            (asked_read * pairs[at]).min(*read),
            asked_written.min(*written),
        );
        // What is between two uses of a sector, if others follow one another as evenly.
        let lost = |asked: f64, of: f64, times: f64| {
            let between = if asked > 0.0 {
                all * of * times / asked
            } else {
                0.0
            };
            let is_lost = !near && between > machine.l2_kept_bytes;
            let share = if is_lost {
                1.0 - machine.l2_kept_bytes / between
            } else {
                0.0
            };
            (asked / times - of).max(0.0) * share
        };
        let reads = read + lost(asked_read, read, again.0);
        let writes = written + lost(asked_written, written, again.1);
        found.read_bytes += reads * SECTOR_BYTES;
        found.written_bytes += writes * SECTOR_BYTES;
        let share = |moved: f64, asked: f64| if asked > 0.0 { moved / asked } else { 0.0 };
        shares[at] = (share(reads, asked_read), share(writes, asked_written));
    }
    found.far = observed
        .sites
        .iter()
        .enumerate()
        .map(|(site, sum)| {
            at[site].and_then(|at| shares.get(at)).map_or(
                if sum.space == 0 { 1.0 } else { 0.0 },
                |(read, written)| {
                    if sum.is_store { *written } else { *read }
                },
            )
        })
        .collect();
    found.settle(machine, apart(observed));
    found
}

impl Traffic {
    fn settle(&mut self, machine: &Machine, apart: f64) {
        let beyond = (self.read_bytes - self.written_bytes).max(0.0);
        self.dirty_bytes =
            machine.dirty_bytes * (1.0 - (-beyond / machine.dirty_spread_bytes).exp());
        let (read, written) = (self.read_bytes, self.written_bytes + self.dirty_bytes);
        let all = read + written;
        let own = self.read_bytes + self.written_bytes;
        if own <= 0.0 {
            return;
        }
        // GB/s are bytes in a nanosecond.
        let mixed = if self.written_bytes > 0.0 {
            2.0 * read.min(self.written_bytes) / own
        } else {
            0.0
        };
        let ns_per_byte = 1.0 / machine.dram_gb_per_s
            + mixed * (1.0 / machine.dram_mixed_gb_per_s - 1.0 / machine.dram_gb_per_s);
        let share = 1.0 - apart * (1.0 - machine.dram_apart_share);
        let cycles = ns_per_byte / share * machine.clock_mhz / 1e3 * machine.multiprocessors;
        self.cycles_per_byte = cycles * all / own;
    }
}

/// How often a block asks L2 for the same sector, by loads and by stores: that is soon, and L2 still has it.
fn again(observed: &Observation, requests: &[Request]) -> (f64, f64) {
    let mut sums = [(0.0, 0.0); 2];
    let mut block = None;
    let mut seen: [BTreeSet<u64>; 2] = Default::default();
    for sample in &observed.samples {
        let site = observed.sites.get(sample.site as usize);
        let Some(site) = site.filter(|site| site.space == 0) else {
            continue;
        };
        if block != Some(sample.block) {
            for (sum, seen) in sums.iter_mut().zip(&mut seen) {
                sum.1 += seen.len() as f64;
                seen.clear();
            }
            block = Some(sample.block);
        }
        let kind = usize::from(site.is_store);
        let request = &requests[sample.site as usize];
        let share = match request.sectors > 0.0 {
            true => request.missed / request.sectors,
            false => 1.0,
        };
        sums[kind].0 += sample.sectors.len() as f64 * share;
        seen[kind].extend(&sample.sectors);
    }
    for (sum, seen) in sums.iter_mut().zip(&seen) {
        sum.1 += seen.len() as f64;
    }
    let times = |(asked, different): (f64, f64)| match different > 0.0 {
        true => (asked / different).max(1.0),
        false => 1.0,
    };
    (times(sums[0]), times(sums[1]))
}

/// For each buffer, the sectors that DRAM reads for one that a block asks for: it brings pairs of them.
fn pairs(observed: &Observation, buffers: usize, buffer_of: impl Fn(u64) -> usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); buffers];
    for (_, sectors) in by_block(observed) {
        let mut last = u64::MAX;
        for sector in &sectors {
            if let Some((all, brought)) = sums.get_mut(buffer_of(sector * 32)) {
                *all += 1.0;
                *brought += if sector / 2 == last { 0.0 } else { 2.0 };
            }
            last = sector / 2;
        }
    }
    sums.iter()
        .map(|(all, brought)| if *all > 0.0 { brought / all } else { 1.0 })
        .collect()
}

/// The share of the sectors that recorded blocks ask for which lie in runs of 128 bytes or less.
fn apart(observed: &Observation) -> f64 {
    let (mut all, mut short) = (0.0, 0.0);
    for (_, sectors) in by_block(observed) {
        let (mut run, mut last) = (0.0, None);
        for sector in sectors.iter().copied().chain([u64::MAX]) {
            if last.is_some_and(|last: u64| last.wrapping_add(1) == sector) {
                run += 1.0;
            } else {
                all += run;
                short += if run <= SHORT_RUN { run } else { 0.0 };
                run = 1.0;
            }
            last = Some(sector);
        }
    }
    if all > 0.0 { short / all } else { 0.0 }
}

/// The sectors that each recorded block asks for.
fn by_block(observed: &Observation) -> Vec<(u64, BTreeSet<u64>)> {
    let mut found: Vec<(u64, BTreeSet<u64>)> = Vec::new();
    for sample in &observed.samples {
        if found.last().is_none_or(|(block, _)| *block != sample.block) {
            found.push((sample.block, BTreeSet::new()));
        }
        if let Some((_, sectors)) = found.last_mut() {
            sectors.extend(&sample.sectors);
        }
    }
    found
}

/// Whether blocks that run at about the same time ask for the same sectors.
fn is_near(observed: &Observation) -> bool {
    let by_block = by_block(observed);
    let all: f64 = by_block
        .iter()
        .map(|(_, sectors)| sectors.len() as f64)
        .sum();
    let mut different: BTreeSet<u64> = BTreeSet::new();
    by_block
        .iter()
        .for_each(|(_, sectors)| different.extend(sectors));
    all > 0.0 && (all - different.len() as f64) / all > NEAR
}
