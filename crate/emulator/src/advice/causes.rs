//! What of a launch takes more than it has to, and how much that would save at most. The sentences are in `words`.
//!
//! Causes are ordered by what they would save of the work of one multiprocessor, in cycles. The rates are those of a Hopper
//! multiprocessor as far as they are published (NVIDIA H100 Tensor Core GPU Architecture; CUDA C++ Programming Guide,
//! *Arithmetic Instructions*): 4 instructions of warps, 1 wavefront and 64 bytes between L1 and L2 in a cycle. They only
//! order causes and leave out what does not matter; no time is told from them.

use crate::advice::access_kind::{of_global, of_shared};
use crate::advice::kind::{Advice, AdviceKind};
use crate::advice::pattern::LanePattern;
use crate::advice::table::{LineAccess, LineBranch, Operation};
use crate::advice::words;
use crate::report::{LineCount, Space};

/// Cycles of a multiprocessor.
const SECTOR_CYCLES: f64 = 0.5;
const WAVEFRONT_CYCLES: f64 = 1.0;
const INSTRUCTION_CYCLES: f64 = 0.25;
/// A turn of an atomic in global memory: a sector's worth in L2, but at one address for the whole GPU one in a clock and a
/// half (measured on an H200: the book's chapter *Atomics*), in which its 132 multiprocessors do nothing else.
const TURN_CYCLES: f64 = SECTOR_CYCLES;
const ADDRESS_CYCLES: f64 = 1.5 * 132.0;
/// Lanes that meet at an address, on average, from which on atomics are added up beforehand with profit.
const LEAST_MEETING: f64 = 1.25;
/// Atomics of the launch at one address from which on scattered ones are too many.
const MANY_TO_ONE: f64 = 16.0;

/// A cause is worth a sentence from this part of the launch's cycles on.
const LEAST_SAVED: f64 = 0.05;
/// And if its own line takes so many times the fewest, branches so many.
const LEAST_RATIO: f64 = 1.15;
const LEAST_BRANCH_RATIO: f64 = 1.3;
/// A branch that parts so much less often than another is not what leaves lanes idle.
const SELDOM: f64 = 0.1;
/// Sentences at most.
const MOST: usize = 3;

/// A cause, with what it would save.
struct Cause<'r> {
    cycles: f64,
    advice: Advice,
    about: About<'r>,
}

/// What a cause is of.
#[derive(Clone, Copy)]
enum About<'r> {
    Access(&'r LineAccess),
    /// The branch, the line with the most idle lanes, and the lanes active on average.
    Branch(&'r LineBranch, &'r LineBranch, f64),
    /// Lanes of a warp that have a thread.
    Blocks(f64),
}

impl Cause<'_> {
    fn said(mut self, all: &[LineAccess]) -> Advice {
        let advice = &self.advice;
        self.advice.message = match self.about {
            About::Access(row) if advice.kind == AdviceKind::LocalArray => {
                words::of_local(advice, row)
            }
            About::Access(row) if advice.kind == AdviceKind::BulkReduction => {
                words::of_reduction(advice, row)
            }
            About::Access(row) => words::of_access(advice, row, all),
            About::Branch(branch, worst, average) => {
                words::of_branch(advice, branch, worst, average)
            }
            About::Blocks(lanes) => words::of_block(advice, lanes),
        };
        self.advice
    }
}

/// What is worth saying, the worst first.
pub(super) fn found(
    accesses: &[LineAccess],
    branches: &[LineBranch],
    lines: &[LineCount],
    text: Option<&str>,
) -> Vec<Advice> {
    let launch = Launch::new(accesses, lines, text);
    let mut causes: Vec<Cause> = accesses
        .iter()
        .filter_map(|row| launch.of_access(row, accesses))
        .collect();
    causes.extend(launch.of_branches(branches, lines));
    causes.extend(launch.of_blocks(lines));
    causes.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    let mut joined: Vec<Cause> = Vec::new();
    for next in causes {
        match joined
            .iter_mut()
            .find(|known| is_same(&known.advice, &next.advice))
        {
            Some(known) => {
                known.cycles += next.cycles;
                known.advice.taken += next.advice.taken;
                known.advice.fewest += next.advice.fewest;
                known.advice.requests += next.advice.requests;
            }
            None => joined.push(next),
        }
    }
    joined.retain(|cause| cause.cycles >= LEAST_SAVED * launch.cycles);
    joined.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    joined.truncate(MOST);
    let said = joined.into_iter().map(|cause| cause.said(accesses));
    said.collect()
}

/// Whether two causes have one remedy, so that one sentence does: fields of one structure, accesses to one array, a load and
/// a store of one line.
fn is_same(known: &Advice, next: &Advice) -> bool {
    let joins = matches!(known.kind, AdviceKind::Structure | AdviceKind::LocalArray);
    let is_one_line = known.source.is_some() && known.source == next.source;
    known.kind == next.kind && (joins || is_one_line && known.unit == next.unit)
}

/// The branch that leaves a line to some lanes of a warp: the nearest before it that parts many, else the one that parts most.
fn parting<'r>(line: &LineBranch, branches: &'r [LineBranch]) -> Option<&'r LineBranch> {
    let splitting = || branches.iter().filter(|row| row.split > 0);
    let file = |row: &LineBranch| row.source.as_ref().map(|line| line.file.clone());
    let is_before = |row: &&LineBranch| file(row) == file(line) && row.source <= line.source;
    let part = |row: &LineBranch| row.split as f64 / row.branches.max(1) as f64;
    let most = splitting().filter(is_before).map(part).fold(0.0, f64::max);
    let before = splitting().filter(|row| is_before(row) && part(row) >= SELDOM * most);
    let nearest = before.max_by_key(|row| {
        let number = row.source.as_ref().map(|line| line.line);
        number.unwrap_or(row.ptx_line)
    });
    nearest.or_else(|| splitting().max_by_key(|row| row.split))
}

/// What an access takes beyond the fewest. Lanes that meet at an address of shared memory could be one.
fn excess(row: &LineAccess, kind: AdviceKind) -> u64 {
    match kind {
        AdviceKind::Atomic => row.wavefronts.saturating_sub(row.addresses),
        _ => row.excess(),
    }
}

fn is_global_atomic(row: &LineAccess) -> bool {
    row.space == Space::Global && row.operation == Operation::Atomic
}

/// Advice on a line's accesses.
fn of_row(
    row: &LineAccess,
    kind: AdviceKind,
    unit: &'static str,
    taken: u64,
    fewest: u64,
    whole: u64,
) -> Advice {
    Advice {
        kind,
        source: row.source.clone(),
        ptx_line: row.ptx_line,
        unit,
        taken,
        fewest,
        whole,
        requests: row.requests,
        message: String::new(),
    }
}

/// How many times the fewest something takes.
fn ratio(taken: u64, fewest: u64) -> f64 {
    taken as f64 / fewest.max(1) as f64
}

/// Sums over a launch.
struct Launch<'t> {
    /// Of the kernel's file in CUDA C++, if there is one.
    text: Option<&'t str>,
    /// Turns of atomics in global memory.
    turns: u64,
    sectors: u64,
    wavefronts: u64,
    issued: u64,
    /// All that the launch does, in cycles.
    cycles: f64,
    /// Lanes of a warp that there are where it begins, 32 if all blocks are whole warps.
    lanes_begun: f64,
}

impl<'t> Launch<'t> {
    fn new(accesses: &[LineAccess], lines: &[LineCount], text: Option<&'t str>) -> Self {
        let turns = accesses.iter().filter(|row| is_global_atomic(row));
        let sectors = accesses.iter().map(|row| row.sectors).sum::<u64>();
        let wavefronts = accesses.iter().map(|row| row.wavefronts).sum::<u64>();
        let issued = lines.iter().map(|line| line.issued).sum::<u64>();
        let replays = accesses.iter().filter(|row| row.space == Space::Const);
        let replays = replays.map(LineAccess::excess).sum::<u64>();
        // The warp's fullest line is what it begins with.
        let most = |line: &LineCount| line.lanes as f64 / line.issued.max(1) as f64;
        let lanes_begun = lines.iter().map(most).fold(0.0, f64::max);
        Self {
            text,
            turns: turns.map(|row| row.sectors).sum(),
            sectors,
            wavefronts,
            issued,
            cycles: sectors as f64 * SECTOR_CYCLES
                + (wavefronts + replays) as f64 * WAVEFRONT_CYCLES
                + issued as f64 * INSTRUCTION_CYCLES,
            lanes_begun: if lanes_begun > 0.0 { lanes_begun } else { 32.0 },
        }
    }

    /// What an access takes beyond the fewest.
    fn of_access<'r>(&self, row: &'r LineAccess, all: &[LineAccess]) -> Option<Cause<'r>> {
        if row.space == Space::Local {
            return self.of_local(row);
        }
        if row.operation == Operation::BulkReduction {
            return self.of_reduction(row);
        }
        if is_global_atomic(row) {
            return self.of_global_atomic(row);
        }
        let pattern = row.pattern()?;
        let (kind, unit, taken, whole, cycles) = match row.space {
            Space::Const => {
                let whole = all.iter().map(|row| row.addresses).sum();
                let kind = AdviceKind::Constant;
                (kind, "addresses", row.addresses, whole, WAVEFRONT_CYCLES)
            }
            Space::Shared => {
                let kind = of_shared(row, pattern)?;
                let (taken, whole) = (row.wavefronts, self.wavefronts);
                (kind, "wavefronts", taken, whole, WAVEFRONT_CYCLES)
            }
            Space::Global => {
                let kind = of_global(row, pattern, all, self.text)?;
                let (taken, whole) = (row.sectors, self.sectors);
                (kind, "sectors", taken, whole, SECTOR_CYCLES)
            }
            _ => return None,
        };
        let excess = excess(row, kind);
        let fewest = taken - excess.min(taken);
        if ratio(taken, fewest) < LEAST_RATIO {
            return None;
        }
        Some(Cause {
            cycles: excess as f64 * cycles,
            advice: of_row(row, kind, unit, taken, fewest, whole),
            about: About::Access(row),
        })
    }

    /// Atomics that take turns at few addresses: one for each address would do, if blocks added up first.
    fn of_global_atomic<'r>(&self, row: &'r LineAccess) -> Option<Cause<'r>> {
        let places = row.places();
        let fewest = places.min(row.sectors);
        let is_scattered = row.pattern() == Some(LanePattern::Scattered);
        let is_many = is_scattered && row.lanes as f64 >= MANY_TO_ONE * places as f64;
        if row.meeting() < LEAST_MEETING && !is_many {
            return None;
        }
        if ratio(row.sectors, fewest) < LEAST_RATIO {
            return None;
        }
        let turn = f64::max(TURN_CYCLES, ADDRESS_CYCLES / places as f64);
        let (kind, unit) = (AdviceKind::Atomic, "turns");
        Some(Cause {
            cycles: (row.sectors - fewest) as f64 * turn,
            advice: of_row(row, kind, unit, row.sectors, fewest, self.turns),
            about: About::Access(row),
        })
    }

    /// A bulk reduction need not move what changes nothing.
    fn of_reduction<'r>(&self, row: &'r LineAccess) -> Option<Cause<'r>> {
        if ratio(row.sectors, row.fewest_sectors) < LEAST_RATIO {
            return None;
        }
        Some(Cause {
            cycles: row.excess() as f64 * SECTOR_CYCLES,
            advice: of_row(
                row,
                AdviceKind::BulkReduction,
                "sectors",
                row.sectors,
                row.fewest_sectors,
                self.sectors,
            ),
            about: About::Access(row),
        })
    }

    /// Local memory could be registers: none of its sectors is needed.
    fn of_local<'r>(&self, row: &'r LineAccess) -> Option<Cause<'r>> {
        Some(Cause {
            cycles: row.sectors as f64 * SECTOR_CYCLES,
            advice: of_row(
                row,
                AdviceKind::LocalArray,
                "sectors",
                row.sectors,
                0,
                self.sectors,
            ),
            about: About::Access(row),
        })
    }

    /// What lanes that are switched off by branches take.
    fn of_branches<'r>(
        &self,
        branches: &'r [LineBranch],
        lines: &[LineCount],
    ) -> Option<Cause<'r>> {
        let idle = |row: &&LineBranch| {
            row.issued as f64 * (1.0 - row.lanes_active / self.lanes_begun).max(0.0)
        };
        let saved = branches.iter().map(|row| idle(&row)).sum::<f64>();
        let worst = branches.iter().max_by(|a, b| idle(a).total_cmp(&idle(b)))?;
        let branch = parting(worst, branches)?;
        let fewest = (self.issued as f64 - saved).max(0.0) as u64;
        if ratio(self.issued, fewest) < LEAST_BRANCH_RATIO {
            return None;
        }
        let lanes = lines.iter().map(|line| line.lanes).sum::<u64>();
        let average = lanes as f64 / self.issued.max(1) as f64;
        Some(Cause {
            cycles: saved * INSTRUCTION_CYCLES,
            advice: Advice {
                source: branch.source.clone(),
                ptx_line: branch.ptx_line,
                ..self.of_instructions(AdviceKind::Divergence, fewest)
            },
            about: About::Branch(branch, worst, average),
        })
    }

    /// What lanes take that no thread has.
    fn of_blocks(&self, lines: &[LineCount]) -> Option<Cause<'static>> {
        let part = self.lanes_begun / 32.0;
        let fewest = (self.issued as f64 * part) as u64;
        if lines.is_empty() || ratio(self.issued, fewest) < LEAST_RATIO {
            return None;
        }
        Some(Cause {
            cycles: self.issued as f64 * (1.0 - part) * INSTRUCTION_CYCLES,
            advice: self.of_instructions(AdviceKind::PartialWarp, fewest),
            about: About::Blocks(self.lanes_begun),
        })
    }

    /// Of all instructions of the launch.
    fn of_instructions(&self, kind: AdviceKind, fewest: u64) -> Advice {
        Advice {
            kind,
            source: None,
            ptx_line: 0,
            unit: "instructions",
            taken: self.issued,
            fewest,
            whole: self.issued,
            requests: 0,
            message: String::new(),
        }
    }
}
