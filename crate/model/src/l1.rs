//! What L1 keeps of the recorded accesses: for each memory instruction, what a request costs there and how much of it L2 is asked for. What L2 does with it is `traffic`'s.

use crate::observe::{Observation, Sample, lines};
use std::collections::BTreeMap;

const SECTOR_BYTES: f64 = 32.0;
const LINE_SECTORS: u64 = 4;

/// A memory instruction's request, on average.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Request {
    /// Sectors, of an atomic as often as the counter has them.
    pub sectors: f64,
    /// Different sectors.
    pub distinct: f64,
    /// Lines of 128 bytes.
    pub lines: f64,
    /// Passes through the banks if L1 has it all.
    pub wavefronts: f64,
    /// Sectors that L1 does not have.
    pub missed: f64,
    /// Lines that these are of.
    pub missed_lines: f64,
    /// The share of its sectors that it stores only in part.
    pub partial: f64,
    /// Requests that were seen.
    pub seen: f64,
}

/// L1 with the least recently used line replaced.
struct Cache {
    /// For each line the sectors that are there, and when it was last used.
    lines: BTreeMap<u64, (u8, u64)>,
    by_use: BTreeMap<u64, u64>,
    now: u64,
    most: usize,
}

impl Cache {
    fn new(bytes: f64) -> Self {
        Self {
            lines: BTreeMap::new(),
            by_use: BTreeMap::new(),
            now: 0,
            most: (bytes / (SECTOR_BYTES * LINE_SECTORS as f64)).max(1.0) as usize,
        }
    }

    /// Whether a sector is there; it is afterwards if `fills`.
    fn touch(&mut self, sector: u64, fills: bool) -> bool {
        let (line, bit) = (sector / LINE_SECTORS, 1u8 << (sector % LINE_SECTORS));
        self.now += 1;
        let now = self.now;
        match self.lines.get_mut(&line) {
            Some((here, used)) => {
                let has = *here & bit != 0;
                if fills {
                    *here |= bit;
                }
                self.by_use.remove(used);
                *used = now;
                self.by_use.insert(now, line);
                has
            }
            None if fills => {
                if self.lines.len() >= self.most
                    && let Some((_, oldest)) = self.by_use.pop_first()
                {
                    self.lines.remove(&oldest);
                }
                self.lines.insert(line, (bit, now));
                self.by_use.insert(now, line);
                false
            }
            None => false,
        }
    }
}

/// The recorded blocks that share a multiprocessor, their accesses in turn: so that neighbours in time are neighbours here.
fn in_turn(observed: &Observation, multiprocessors: u64, residence: u32) -> Vec<&Sample> {
    let mut queues: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
    for sample in &observed.samples {
        queues.entry(sample.block).or_default().push(sample);
    }
    let first = observed
        .samples
        .first()
        .map_or(0, |sample| sample.block % multiprocessors);
    let mut queues: Vec<Vec<&Sample>> = queues
        .into_iter()
        .filter(|(block, _)| block % multiprocessors == first)
        .map(|(_, queue)| queue)
        .collect();
    queues.truncate(residence.max(1) as usize);
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    let warps = observed.shape.warps() as usize;
    // A warp instruction of all warps of a block at a time.
    let mut all = Vec::new();
    for turn in 0..longest.div_ceil(warps.max(1)) {
        for queue in &queues {
            all.extend(queue.iter().skip(turn * warps).take(warps).copied());
        }
    }
    all
}

/// The recorded accesses of blocks on other multiprocessors.
fn others(observed: &Observation, multiprocessors: u64) -> impl Iterator<Item = &Sample> {
    let first = observed
        .samples
        .first()
        .map_or(0, |sample| sample.block % multiprocessors);
    observed
        .samples
        .iter()
        .filter(move |sample| sample.block % multiprocessors != first)
}

/// For each site, its request.
pub fn requests(observed: &Observation, l1_bytes: f64, residence: u32) -> Vec<Request> {
    let mut cache = Cache::new(l1_bytes);
    // What other blocks left there: a launch's first blocks are few.
    for sample in others(observed, 132) {
        let site = observed.sites.get(sample.site as usize);
        let is_kept = site.is_some_and(|site| {
            !site.is_store && !site.is_atomic && !is_past_l1(observed, site.ptx_line)
        });
        sample
            .sectors
            .iter()
            .filter(|_| is_kept)
            .for_each(|sector| {
                cache.touch(*sector, true);
            });
    }
    let mut sums = vec![Request::default(); observed.sites.len()];
    for sample in in_turn(observed, 132, residence) {
        let (Some(sum), Some(site)) = (
            sums.get_mut(sample.site as usize),
            observed.sites.get(sample.site as usize),
        ) else {
            continue;
        };
        if sample.sectors.is_empty() {
            continue;
        }
        let passes = site.is_atomic || is_past_l1(observed, site.ptx_line);
        let is_local = site.space == 2;
        let missed: Vec<u64> = sample
            .sectors
            .iter()
            .copied()
            .filter(|sector| match site.is_store {
                true => {
                    // Stores go through; what is of the line here is kept up to date. Local stores stay.
                    cache.touch(*sector, is_local);
                    true
                }
                false => !cache.touch(*sector, !passes) || passes,
            })
            .collect();
        sum.seen += 1.0;
        sum.sectors += sample.sectors.len() as f64;
        sum.lines += lines(&sample.sectors) as f64;
        sum.wavefronts += f64::from(sample.wavefronts);
        sum.missed += missed.len() as f64;
        sum.missed_lines += lines(&missed) as f64;
        sum.partial += if sample.is_partial { 1.0 } else { 0.0 };
    }
    for (sum, site) in sums.iter_mut().zip(&observed.sites) {
        finish(sum, site.requests, site.sectors);
    }
    sums
}

/// Averages, held to what was counted of the whole launch.
fn finish(sum: &mut Request, requests: f64, sectors: f64) {
    let counted = if requests > 0.0 {
        sectors / requests
    } else {
        0.0
    };
    if sum.seen == 0.0 {
        *sum = Request {
            sectors: counted,
            lines: (counted / 4.0).max(counted.min(1.0)),
            wavefronts: counted / 4.0,
            missed: counted,
            missed_lines: (counted / 4.0).max(counted.min(1.0)),
            partial: 0.0,
            seen: 0.0,
            distinct: counted,
        };
        return;
    }
    for value in [
        &mut sum.sectors,
        &mut sum.lines,
        &mut sum.wavefronts,
        &mut sum.missed,
        &mut sum.missed_lines,
        &mut sum.partial,
    ] {
        *value /= sum.seen;
    }
    sum.distinct = sum.sectors;
    if sum.sectors > 0.0 && counted > 0.0 {
        let scale = counted / sum.sectors;
        sum.sectors = counted;
        sum.missed *= scale;
        sum.lines *= scale;
        sum.missed_lines *= scale;
    }
}

/// Whether the instruction asks L2 and not L1: `.cg`, `.cv`, volatile and ordered loads.
fn is_past_l1(observed: &Observation, ptx_line: u32) -> bool {
    let op = observed.ops.iter().find(|op| op.ptx_line == ptx_line);
    op.is_some_and(|op| {
        op.name.split('.').any(|part| {
            matches!(part, "cg" | "cv" | "volatile" | "relaxed" | "acquire")
                || part.starts_with("bulk")
        })
    })
}
