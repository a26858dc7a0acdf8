//! What one block after the other runs in: how a block begins there, has its turns, and what it leaves behind.

use std::sync::atomic::Ordering::Relaxed;

use crate::error::LaunchError;
use crate::machine::steps::Recorder;
use crate::machine::wide::Wides;
use crate::machine::world::{BlockTrace, World};
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::{BlockRuns, Reach, Steps, WideCount};
use crate::run::block::{Bounds, Course, Ended, run_block, start_block};
use crate::run::grid::state::Grid;
use crate::run::group::Group;
use crate::run::outcome::{Part, Traced, add_runs, add_wides};
use crate::run::preset::enter_block;

/// After so many blocks a launch tells how far it is.
const BLOCKS_BETWEEN: u64 = 64;

/// What a block runs in, one after the other.
pub(super) struct Seat<'g> {
    pub(super) groups: Vec<Group>,
    pub(super) world: World<'g>,
    /// Changes of memory by this seat's blocks that the launch knows of.
    pub(super) told: u64,
    /// Index of the block in the trace's request.
    pub(super) traced: Option<usize>,
    pub(super) traces: Vec<Traced>,
    pub(super) reaches: Vec<(u64, Vec<Reach>)>,
    pub(super) steps: Option<Steps>,
    pub(super) wides: Vec<WideCount>,
    pub(super) runs: Vec<BlockRuns>,
}

impl Seat<'_> {
    /// What its blocks have found.
    pub(super) fn part(self) -> Part {
        let world = self.world;
        Part {
            races: world.check.map_or_else(Vec::new, |shadow| shadow.finish()),
            sites: world.sites,
            beside: world.beside,
            faults: world.faults.list,
            output: world.output,
            warp_instructions: world.warp_instructions,
            block_runs: world.block_runs,
            guarded_lanes: world.guarded_lanes,
            splits: world.splits,
            worst: world.worst,
            traces: self.traces,
            reaches: self.reaches,
            steps: self.steps,
            wides: self.wides,
            runs: self.runs,
        }
    }
}

impl Grid<'_> {
    pub(super) fn seat(&self) -> Result<Seat<'_>, LaunchError> {
        Ok(Seat {
            groups: self.groups()?,
            world: self.world(),
            told: 0,
            traced: None,
            traces: Vec::new(),
            reaches: Vec::new(),
            steps: None,
            wides: Vec::new(),
            runs: Vec::new(),
        })
    }

    /// Starts a block in a seat.
    pub(super) fn enter(&self, seat: &mut Seat, block: u64) -> Course {
        if let Some(headway) = &self.options.headway {
            headway.started.fetch_max(block + 1, Relaxed);
        }
        if block.is_multiple_of(BLOCKS_BETWEEN) {
            self.tell_progress(block);
        }
        let program = &self.entry.program;
        let world = &mut seat.world;
        world.block = block;
        world.block_id = self.shape.block_id(block);
        for group in &mut seat.groups {
            enter_block(
                program,
                &self.shape,
                block,
                &mut group.lanes.words,
                &mut group.lanes.longs,
            );
        }
        seat.traced = self.start_trace(world);
        self.start_check(world);
        start_block(&mut seat.groups, world)
    }

    /// Runs a seat's block until it ends or waits for others, which have changed memory so often.
    pub(super) fn turn(&self, seat: &mut Seat, course: &mut Course, epoch: u64) -> Ended {
        let Seat { groups, world, .. } = seat;
        let (block, before) = (world.block, world.warp_instructions);
        let mut reported = 0;
        let mut abandon = |executed: u64| {
            reported += executed;
            self.spend(executed);
            self.tell_progress(block);
            self.is_over(block)
        };
        let mut bounds = Bounds {
            warp_budget: self.options.instruction_budget,
            check: self.options.check,
            epoch,
            abandon: &mut abandon,
        };
        let ended = run_block(groups, world, course, &mut bounds);
        if ended == Ended::Stopped {
            self.stop.fetch_min(block, Relaxed);
        }
        if let Some(shadow) = &mut world.check {
            shadow.tell_in_order();
        }
        self.spend((world.warp_instructions - before).saturating_sub(reported));
        ended
    }

    /// Takes down what a block has left behind.
    pub(super) fn leave(&self, seat: &mut Seat) {
        let world = &mut seat.world;
        if world.has_found() {
            self.note_found(world.block, world.warp_instructions - world.begun);
        }
        if let Some(shadow) = &mut world.check {
            shadow.end();
        }
        world.faults.end_block();
        if let Some(trace) = world.trace.take() {
            if let Some(index) = seat.traced {
                seat.traces.push(Traced {
                    index,
                    accesses: trace.accesses,
                    shuffles: trace.shuffles,
                    handovers: trace.handovers,
                    truncated: trace.truncated,
                });
            }
            seat.steps = (trace.steps.map(|recorder| recorder.steps)).or(seat.steps.take());
            seat.reaches
                .extend(trace.reach.map(|reach| (world.block, reach)));
            if let Some((mut wides, runs)) = trace.wides {
                wides.end();
                add_wides(&mut seat.wides, &wides.counts);
                add_runs(&mut seat.runs, &runs);
            }
        }
    }

    fn start_check(&self, world: &mut World) {
        if let Some(shadow) = &mut world.check {
            let warps = (self.shape.threads() as usize).div_ceil(WARP);
            let local = (self.entry.program.local_bytes as usize).div_ceil(4) * GROUP_WARPS * WARP;
            shadow.start(world.block, warps, local);
            shadow.give_shared(world.shared_given.clone());
        }
    }

    fn start_trace(&self, world: &mut World) -> Option<usize> {
        let request = self.options.trace.as_ref()?;
        let index = request
            .blocks
            .iter()
            .position(|block| *block == world.block_id);
        let reach = (world.block < request.max_blocks as u64).then(Vec::new);
        let wides = request.wides.as_deref();
        let steps = (request.steps.as_ref()).filter(|steps| steps.block == world.block_id);
        if index.is_none() && reach.is_none() && wides.is_none() && steps.is_none() {
            return None;
        }
        world.trace = Some(BlockTrace {
            warps: request.warps.clone(),
            room: if index.is_some() {
                request.max_accesses
            } else {
                0
            },
            accesses: Vec::new(),
            shuffles: Vec::new(),
            handovers: Vec::new(),
            truncated: false,
            reach,
            wides: wides.map(|wides| (Wides::new(world.program, wides), Vec::new())),
            steps: steps.map(|steps| Box::new(Recorder::new(steps, self.shape.threads()))),
        });
        index
    }
}
