//! What of a launch takes more than it has to, and how much that would save at most. The sentences are in `words`.
//!
//! Causes are ordered by what they would save of the work of one multiprocessor, in cycles. The rates are those of a Hopper
//! multiprocessor as far as they are published (NVIDIA H100 Tensor Core GPU Architecture; CUDA C++ Programming Guide,
//! *Arithmetic Instructions*): 4 instructions of warps, 1 wavefront and 64 bytes between L1 and L2 in a cycle. They only
//! order causes and leave out what does not matter; no time is told from them.

use crate::advice::kind::{Advice, AdviceKind};
use crate::advice::pattern::LanePattern;
use crate::advice::table::{LineAccess, LineBranch, Operation, fields_beside};
use crate::advice::words;
use crate::report::{LineCount, Space};

/// Cycles of a multiprocessor.
const SECTOR_CYCLES: f64 = 0.5;
const WAVEFRONT_CYCLES: f64 = 1.0;
const INSTRUCTION_CYCLES: f64 = 0.25;
/// A turn of an atomic at an address that other lanes want too: a sector's worth in L2.
const TURN_CYCLES: f64 = SECTOR_CYCLES;

/// A cause is worth a sentence from this part of the launch's cycles on.
const LEAST_SAVED: f64 = 0.05;
/// And if its own line takes so many times the fewest.
const LEAST_RATIO: f64 = 1.15;
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
) -> Vec<Advice> {
    let launch = Launch::new(accesses, lines);
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

/// The branch that leaves a line to some lanes of a warp: the nearest before it that parts any, else the one that parts most.
fn parting<'r>(line: &LineBranch, branches: &'r [LineBranch]) -> Option<&'r LineBranch> {
    let splitting = || branches.iter().filter(|row| row.split > 0);
    let file = |row: &LineBranch| row.source.as_ref().map(|line| line.file.clone());
    let is_before = |row: &&LineBranch| file(row) == file(line) && row.source <= line.source;
    let nearest = splitting().filter(is_before).max_by_key(|row| {
        let number = row.source.as_ref().map(|line| line.line);
        number.unwrap_or(row.ptx_line)
    });
    nearest.or_else(|| splitting().max_by_key(|row| row.split))
}

/// Sums over a launch.
struct Launch {
    sectors: u64,
    wavefronts: u64,
    issued: u64,
    /// All that the launch does, in cycles.
    cycles: f64,
    /// Lanes of a warp that there are where it begins, 32 if all blocks are whole warps.
    lanes_begun: f64,
}

impl Launch {
    fn new(accesses: &[LineAccess], lines: &[LineCount]) -> Self {
        let sectors = accesses.iter().map(|row| row.sectors).sum::<u64>();
        let wavefronts = accesses.iter().map(|row| row.wavefronts).sum::<u64>();
        let issued = lines.iter().map(|line| line.issued).sum::<u64>();
        let replays = accesses.iter().filter(|row| row.space == Space::Const);
        let replays = replays.map(LineAccess::excess).sum::<u64>();
        // The warp's fullest line is what it begins with.
        let most = |line: &LineCount| line.lanes as f64 / line.issued.max(1) as f64;
        let lanes_begun = lines.iter().map(most).fold(0.0, f64::max);
        Self {
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
        let pattern = row.pattern()?;
        let (kind, unit, taken, whole, cycles) = match (row.space, row.operation) {
            (Space::Const, _) => (
                AdviceKind::Constant,
                "addresses",
                row.addresses,
                all.iter().map(|row| row.addresses).sum(),
                WAVEFRONT_CYCLES,
            ),
            (Space::Shared, Operation::Atomic) => (
                AdviceKind::Atomic,
                "wavefronts",
                row.wavefronts,
                self.wavefronts,
                WAVEFRONT_CYCLES,
            ),
            (Space::Shared, _) => (
                AdviceKind::BankConflict,
                "wavefronts",
                row.wavefronts,
                self.wavefronts,
                WAVEFRONT_CYCLES,
            ),
            (Space::Global, Operation::Atomic) => (
                AdviceKind::Atomic,
                "sectors",
                row.sectors,
                self.sectors,
                TURN_CYCLES,
            ),
            (Space::Global, _) => (
                Self::of_global(row, pattern, all),
                "sectors",
                row.sectors,
                self.sectors,
                SECTOR_CYCLES,
            ),
            _ => return None,
        };
        let (excess, fewest) = match row.space {
            // Lanes that meet could be one: a turn for each address.
            Space::Global if row.operation == Operation::Atomic => {
                let fewest = row.addresses.min(taken);
                (taken - fewest, fewest)
            }
            _ => (row.excess(), taken - row.excess().min(taken)),
        };
        if (taken as f64) < LEAST_RATIO * fewest as f64 {
            return None;
        }
        Some(Cause {
            cycles: excess as f64 * cycles,
            advice: Advice {
                kind,
                source: row.source.clone(),
                ptx_line: row.ptx_line,
                unit,
                taken,
                fewest,
                whole,
                requests: row.requests,
                message: String::new(),
            },
            about: About::Access(row),
        })
    }

    /// Why an access to global memory touches more sectors than it needs.
    fn of_global(row: &LineAccess, pattern: LanePattern, all: &[LineAccess]) -> AdviceKind {
        let width = i64::from(row.access_bytes);
        match pattern {
            LanePattern::Stride { bytes, run: 32 } if bytes.abs() == width => AdviceKind::Offset,
            LanePattern::Stride { bytes, .. } if !fields_beside(row, bytes, all).is_empty() => {
                AdviceKind::Structure
            }
            LanePattern::Stride { .. } | LanePattern::Same => AdviceKind::Stride,
            LanePattern::Scattered => AdviceKind::Scattered,
        }
    }

    /// A bulk reduction need not move what changes nothing.
    fn of_reduction<'r>(&self, row: &'r LineAccess) -> Option<Cause<'r>> {
        if (row.sectors as f64) < LEAST_RATIO * row.fewest_sectors as f64 {
            return None;
        }
        Some(Cause {
            cycles: row.excess() as f64 * SECTOR_CYCLES,
            advice: Advice {
                kind: AdviceKind::BulkReduction,
                source: row.source.clone(),
                ptx_line: row.ptx_line,
                unit: "sectors",
                taken: row.sectors,
                fewest: row.fewest_sectors,
                whole: self.sectors,
                requests: row.requests,
                message: String::new(),
            },
            about: About::Access(row),
        })
    }

    /// Local memory could be registers: none of its sectors is needed.
    fn of_local<'r>(&self, row: &'r LineAccess) -> Option<Cause<'r>> {
        Some(Cause {
            cycles: row.sectors as f64 * SECTOR_CYCLES,
            advice: Advice {
                kind: AdviceKind::LocalArray,
                source: row.source.clone(),
                ptx_line: row.ptx_line,
                unit: "sectors",
                taken: row.sectors,
                fewest: 0,
                whole: self.sectors,
                requests: row.requests,
                message: String::new(),
            },
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
        if (self.issued as f64) < LEAST_RATIO * fewest as f64 {
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
        if lines.is_empty() || (self.issued as f64) < LEAST_RATIO * fewest as f64 {
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
