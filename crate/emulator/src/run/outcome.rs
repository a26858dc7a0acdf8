//! From what the host threads found to the report: which of it holds, and in which order. What each part becomes is in a file of its own.

mod finding;
mod index;
mod lines;
mod meant;
mod part;
mod race;
mod sites;
mod trace;

use std::collections::HashMap;

use crate::check::{Race, merge_races};
use crate::counters::Counters;
use crate::decode::DecodedEntry;
use crate::launch::Options;
use crate::machine::output::joined as joined_output;
use crate::machine::world::SiteCount;
use crate::memory::Buffer;
use crate::memory::faults::{Fault, merge};
use crate::report::{Detail, Finding, FindingKind, Printed, Report, Trace, TraceRequest};
use crate::run::gather::{gather, joined_by_blocks};
use crate::run::limits::Over;
use crate::run::preset::LaunchShape;
use crate::sorted::sort_by_key;
use crate::touched::Touched;
use finding::{bare_finding, finding};
use lines::counted_lines;
use meant::plain_name;
use part::added;
use race::racing;
use sites::{executed, reported_sites};
use trace::{blocks_in_order, joined, named_runs, runs_of, with_sites};

pub(super) use part::{Part, Traced, add_runs, add_wides};
pub use sites::counters_of;

/// The report of a launch that was not run.
pub(super) fn refused(entry: &DecodedEntry, over: Over) -> Report {
    let detail = match over {
        Over::Most { what, value, most } => Detail::Limit { what, value, most },
        Over::OtherBlock { required, found } => Detail::OtherBlock { required, found },
        Over::Cluster(what) => Detail::Cluster { what },
    };
    Report {
        findings: vec![bare_finding(entry, FindingKind::Limit, detail)],
        stopped: true,
        ..Report::default()
    }
}

/// A launch that has run: what ran, on what.
pub(super) struct Launched<'l> {
    pub(super) entry: &'l DecodedEntry,
    pub(super) shape: &'l LaunchShape,
    pub(super) options: &'l Options,
    pub(super) buffers: &'l [&'l Buffer],
}

/// What ended a launch before all its blocks had.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cut {
    /// The first block that was stopped.
    pub(super) block: Option<u64>,
    /// The launch's budget was used up, or whoever launched it wanted no more.
    pub(super) exhausted: bool,
    /// Instructions of warps that it executed, about.
    pub(super) executed: u64,
}

impl Cut {
    pub(super) fn is_none(self) -> bool {
        self.block.is_none() && !self.exhausted
    }

    /// Whether what a block found says the same in every run: how far those behind the first that was stopped had come
    /// is chance.
    fn keeps(self, block: u64) -> bool {
        self.is_none() || self.block.is_some_and(|stop| block <= stop)
    }

    /// Leaves of a launch that was cut off what says the same in every run.
    fn trim(self, sum: &mut Part) {
        sum.faults.retain(|fault| self.keeps(fault.block));
        sum.races.retain(|race| self.keeps(race.later.block));
        sum.sites.fill(SiteCount::default());
        sum.beside = Counters::default();
        sum.warp_instructions = 0;
        sum.block_runs.clear();
        sum.guarded_lanes.clear();
        sum.splits.clear();
        sum.worst.clear();
    }
}

/// Puts the parts together.
pub(super) fn report(launched: &Launched, parts: Vec<Part>, cut: Cut) -> Report {
    let Launched {
        entry,
        shape,
        options,
        ..
    } = *launched;
    // What one worker alone printed is the same in every run.
    let is_printed = parts.len() == 1;
    let (mut sum, outputs) = added(entry, parts);
    if !cut.is_none() {
        cut.trim(&mut sum);
    }
    let out_of_budget = cut.exhausted && cut.block.is_none();
    let printed = if out_of_budget && !is_printed {
        Printed::default()
    } else {
        joined_output(&outputs, cut.block, |block, thread| {
            (shape.block_id(block), shape.thread_id(thread))
        })
    };
    if out_of_budget {
        sum.reaches.clear();
    }
    let executed = executed(&entry.program, &sum);
    let lines = counted_lines(&entry.program, &sum);
    let (sites, numbers) = reported_sites(entry, shape, &mut sum);
    let mut findings = findings(launched, sum.faults, sum.races);
    if out_of_budget {
        let detail = Detail::Budget {
            instructions: cut.executed.min(options.launch_budget),
            whole_launch: true,
        };
        findings.push(bare_finding(entry, FindingKind::EndlessLoop, detail));
    }
    let names = &entry.program.dynamic_names;
    if options.check && names.len() > 1 {
        let names = names
            .iter()
            .map(|name| plain_name(name).to_string())
            .collect();
        let detail = Detail::OneDynamic { names };
        findings.push(bare_finding(entry, FindingKind::Limit, detail));
    }
    let (remarks, findings) =
        (findings.into_iter()).partition(|finding| finding.detail.is_remark());
    let is_counted = |request: &TraceRequest| request.steps.is_some() && request.wides.is_none();
    if options.trace.as_ref().is_some_and(is_counted) {
        sum.runs = runs_of(&sum.block_runs);
    }
    let trace = options.trace.as_ref().map(|request| Trace {
        blocks: blocks_in_order(sum.reaches, shape, cut.block, &numbers),
        wides: sum.wides,
        runs: named_runs(entry, sum.runs),
        steps: sum.steps.map(|steps| with_sites(steps, &numbers)),
        ..joined(sum.traces, request.max_accesses, &numbers)
    });
    Report {
        counters: sum.beside + counters_of(&sites) + executed,
        sites,
        lines,
        findings,
        remarks,
        trace,
        touched: Touched::new(),
        early: None,
        warp_instructions: sum.warp_instructions,
        printed,
        stopped: !cut.is_none(),
    }
}

/// The lines of the PTX whose loads race with a store.
fn raced_loads(findings: &[Finding]) -> Vec<u32> {
    let mut lines = Vec::new();
    for finding in findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::Race)
    {
        let Some(other) = &finding.other else {
            continue;
        };
        match (finding.is_store, other.is_store) {
            (false, true) => lines.push(finding.ptx_line),
            (true, false) => lines.push(other.ptx_line),
            _ => {}
        }
    }
    lines
}

/// What was found, in the order in which it is reported.
fn findings(launched: &Launched, mut faults: Vec<Fault>, mut races: Vec<Race>) -> Vec<Finding> {
    let Launched {
        entry,
        shape,
        buffers,
        ..
    } = *launched;
    merge(&mut faults, true);
    // A loop that the compiler unrolls has many places in one line.
    let mut lines = HashMap::new();
    let places = if races.is_empty() {
        0
    } else {
        entry.program.places.len() as u32
    };
    let line: Vec<u32> = (0..places)
        .map(|place| match entry.program.source(place) {
            Some(line) => *lines.entry(line).or_insert(place),
            None => place,
        })
        .collect();
    merge_races(&mut races, |place| {
        line.get(place as usize).copied().unwrap_or(place)
    });
    let faults = faults
        .iter()
        .map(|fault| finding(entry, shape, buffers, fault));
    let races = races.iter().map(|race| racing(entry, shape, buffers, race));
    let mut findings: Vec<Finding> = faults.chain(races).collect();
    let raced = raced_loads(&findings);
    sort_by_key(&mut findings, |finding| {
        let [x, y, z] = finding.block;
        // What a load that races with a store has not found may only not have been stored yet.
        let follows =
            finding.kind == FindingKind::Uninitialized && raced.contains(&finding.ptx_line);
        (finding.kind.stops(), follows, z, y, x, finding.ptx_line)
    });
    joined_by_blocks(gather(findings))
}
