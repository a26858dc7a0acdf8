//! What was traced, in the order of the request and with the report's numbers of sites.

use crate::decode::DecodedEntry;
use crate::machine::world::Executions;
use crate::report::{BlockReach, BlockRuns, Reach, Steps, Trace};
use crate::run::outcome::part::Traced;
use crate::run::preset::LaunchShape;
use crate::sorted::sort_by_key;

/// Runs of basic blocks as every launch counts them, without the octets.
pub(super) fn runs_of(executions: &[Executions]) -> Vec<BlockRuns> {
    let run = |Executions { warps, lanes }: &Executions| BlockRuns {
        warps: *warps,
        lanes: *lanes,
        ..BlockRuns::default()
    };
    executions.iter().map(run).collect()
}

/// Runs of basic blocks with the lines of their instructions.
pub(super) fn named_runs(entry: &DecodedEntry, mut runs: Vec<BlockRuns>) -> Vec<BlockRuns> {
    let program = &entry.program;
    for (run, block) in runs.iter_mut().zip(&program.blocks) {
        let (first, last) = block.places;
        let lines = (first..=last).map(|place| program.ptx_line(place));
        run.ptx_lines = lines.filter(|line| *line > 0).collect();
    }
    runs
}

/// The traced blocks' accesses in the order of the request, each warp's numbered.
pub(super) fn joined(mut traces: Vec<Traced>, room: usize, sites: &[usize]) -> Trace {
    sort_by_key(&mut traces, |traced| traced.index);
    let mut trace = Trace::default();
    for traced in traces {
        trace.truncated |= traced.truncated;
        let free = room - trace.shuffles.len().min(room);
        trace.truncated |= traced.shuffles.len() > free;
        trace
            .shuffles
            .extend(traced.shuffles.into_iter().take(free));
        let free = room - trace.handovers.len().min(room);
        trace.truncated |= traced.handovers.len() > free;
        let handovers = traced.handovers.into_iter().take(free);
        trace.handovers.extend(handovers);
        let mut orders = [0u32; 32];
        for mut access in traced.accesses {
            if trace.accesses.len() >= room {
                trace.truncated = true;
                break;
            }
            let order = &mut orders[access.warp as usize % 32];
            access.order = *order;
            *order += 1;
            access.site = sites.get(access.site).copied().unwrap_or(0);
            trace.accesses.push(access);
        }
    }
    trace
}

/// The steps of a warp, with the report's numbers of sites.
pub(super) fn with_sites(mut steps: Steps, sites: &[usize]) -> Steps {
    for access in steps.steps.iter_mut().flat_map(|step| &mut step.accesses) {
        access.site = sites.get(access.site).copied().unwrap_or(0);
    }
    steps
}

/// Where blocks reach, in the order in which they start; of a launch that ended early, those up to its end.
pub(super) fn blocks_in_order(
    mut reaches: Vec<(u64, Vec<Reach>)>,
    shape: &LaunchShape,
    stopped: Option<u64>,
    sites: &[usize],
) -> Vec<BlockReach> {
    reaches.retain(|(block, _)| stopped.is_none_or(|stop| *block <= stop));
    sort_by_key(&mut reaches, |(block, _)| *block);
    reaches
        .into_iter()
        .map(|(block, mut reach)| {
            for reach in &mut reach {
                reach.site = sites.get(reach.site).copied().unwrap_or(0);
            }
            sort_by_key(&mut reach, |reach| reach.site);
            BlockReach {
                block: shape.block_id(block),
                sites: reach,
            }
        })
        .collect()
}
