//! What one host thread found, and the sum of what all found.

use crate::check::Race;
use crate::counters::Counters;
use crate::decode::DecodedEntry;
use crate::machine::output::Output;
use crate::machine::world::{Executions, SiteCount};
use crate::machine::worst::{WorstSeen, joined_reach};
use crate::memory::faults::Fault;
use crate::report::{Access, BlockRuns, Handover, Reach, Shuffle, Steps, WideCount};

/// What was recorded of a traced block.
#[derive(Debug)]
pub(in crate::run) struct Traced {
    /// Its index in the request.
    pub(in crate::run) index: usize,
    pub(in crate::run) accesses: Vec<Access>,
    pub(in crate::run) shuffles: Vec<Shuffle>,
    pub(in crate::run) handovers: Vec<Handover>,
    /// Whether there were more.
    pub(in crate::run) truncated: bool,
}

/// What one host thread found.
#[derive(Debug, Default)]
pub(in crate::run) struct Part {
    pub(in crate::run) sites: Vec<SiteCount>,
    pub(in crate::run) beside: Counters,
    pub(in crate::run) faults: Vec<Fault>,
    pub(in crate::run) races: Vec<Race>,
    pub(in crate::run) output: Output,
    pub(in crate::run) warp_instructions: u64,
    /// Executions by basic block.
    pub(in crate::run) block_runs: Vec<Executions>,
    /// By guarded instruction: active lanes of all executions.
    pub(in crate::run) guarded_lanes: Vec<u64>,
    /// Warps that branches have split, by place.
    pub(in crate::run) splits: Vec<u64>,
    /// The worst request of each site.
    pub(in crate::run) worst: Vec<Option<Box<WorstSeen>>>,
    pub(in crate::run) traces: Vec<Traced>,
    /// Numbers of blocks, and where they reach.
    pub(in crate::run) reaches: Vec<(u64, Vec<Reach>)>,
    /// What the warp did that was followed.
    pub(in crate::run) steps: Option<Steps>,
    /// What machine code does together, in the order of the request.
    pub(in crate::run) wides: Vec<WideCount>,
    /// How often basic blocks ran, by number.
    pub(in crate::run) runs: Vec<BlockRuns>,
}

/// Adds counts of the same groups.
pub(in crate::run) fn add_wides(sums: &mut Vec<WideCount>, counts: &[WideCount]) {
    sums.resize(sums.len().max(counts.len()), WideCount::default());
    for (sum, count) in sums.iter_mut().zip(counts) {
        sum.executed += count.executed;
        sum.requests += count.requests;
        sum.sectors += count.sectors;
        sum.wavefronts += count.wavefronts;
        sum.bank_conflicts += count.bank_conflicts;
        sum.misfits += count.misfits;
    }
}

/// Adds runs of the same basic blocks.
pub(in crate::run) fn add_runs(sums: &mut Vec<BlockRuns>, runs: &[BlockRuns]) {
    sums.resize(sums.len().max(runs.len()), BlockRuns::default());
    for (sum, run) in sums.iter_mut().zip(runs) {
        sum.warps += run.warps;
        sum.octets += run.octets;
        sum.lanes += run.lanes;
    }
}

/// Adds executions of the same basic blocks.
fn add_executions(sums: &mut Vec<Executions>, runs: &[Executions]) {
    sums.resize(sums.len().max(runs.len()), Executions::default());
    for (sum, run) in sums.iter_mut().zip(runs) {
        sum.warps += run.warps;
        sum.lanes += run.lanes;
    }
}

/// Adds counts of the same places.
fn add_lanes(sums: &mut Vec<u64>, counts: &[u64]) {
    sums.resize(sums.len().max(counts.len()), 0);
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// Of each site the worst request of all, the first of its kind by block: the same for any number of host threads.
fn keep_worst(sums: &mut Vec<Option<Box<WorstSeen>>>, seen: Vec<Option<Box<WorstSeen>>>) {
    sums.resize_with(sums.len().max(seen.len()), || None);
    for (sum, seen) in sums.iter_mut().zip(seen) {
        let Some(seen) = seen else { continue };
        let is_worse = |known: &WorstSeen| {
            seen.excess > known.excess || seen.excess == known.excess && seen.block < known.block
        };
        if sum.as_deref().is_none_or(is_worse) {
            *sum = Some(seen);
        }
    }
}

/// All parts as one, but for what they printed, which is put in order later.
pub(super) fn added(entry: &DecodedEntry, parts: Vec<Part>) -> (Part, Vec<Output>) {
    let mut sum = Part {
        sites: vec![SiteCount::default(); entry.program.sites.len()],
        ..Part::default()
    };
    let mut outputs = Vec::new();
    for part in parts {
        for (sum, count) in sum.sites.iter_mut().zip(&part.sites) {
            sum.executed += count.executed;
            sum.requests += count.requests;
            sum.sectors += count.sectors;
            sum.wavefronts += count.wavefronts;
            sum.bank_conflicts += count.bank_conflicts;
            sum.bytes += count.bytes;
            sum.lanes += count.lanes;
            sum.excess_sectors += count.excess_sectors;
            sum.addresses += count.addresses;
            sum.reach = joined_reach(sum.reach, count.reach);
        }
        sum.faults.extend(part.faults);
        sum.races.extend(part.races);
        outputs.push(part.output);
        sum.traces.extend(part.traces);
        sum.reaches.extend(part.reaches);
        sum.steps = sum.steps.take().or(part.steps);
        add_wides(&mut sum.wides, &part.wides);
        add_runs(&mut sum.runs, &part.runs);
        sum.beside += part.beside;
        sum.warp_instructions += part.warp_instructions;
        add_executions(&mut sum.block_runs, &part.block_runs);
        add_lanes(&mut sum.guarded_lanes, &part.guarded_lanes);
        add_lanes(&mut sum.splits, &part.splits);
        keep_worst(&mut sum.worst, part.worst);
    }
    (sum, outputs)
}
