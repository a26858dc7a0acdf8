//! One block: its groups of warps take turns until all are done or wait. Its barriers, its turns and what keeps it from ending are in files of their own.

mod barrier;
mod bounds;
mod cluster;
mod divergence;
mod findings;
mod rounds;
mod state;
mod turn;

use crate::machine::dependence::Dependence;
use crate::machine::world::World;
use crate::program::kinds::POISON;
use crate::report::Detail;
use crate::run::block::rounds::Rounds;
use crate::run::cluster::{CLUSTER, ClusterState};
use crate::run::group::{Group, merge};
use crate::run::strand::State;

pub(super) use bounds::{Bounds, Ended};
use state::BlockRun;
pub(super) use state::Course;

/// Rounds in which all strands wait at mbarriers in vain before they count as stuck: a kernel may try a few times
/// and then do something else.
pub(super) const MOST_IDLE_ROUNDS: u32 = 1 << 13;
/// The same after which the other blocks of a cluster get a turn, which may complete them.
const MOST_LONELY_ROUNDS: u32 = 3;

/// Passes in which a block does nothing but wait before another gets a turn although memory changes.
const MOST_WAITING_PASSES: u32 = 64;

/// Warp instructions that a block goes on after the first finding in it, and how many of them each finding more counts
/// for: it takes as long.
const MOST_AFTER_FOUND: u64 = 1 << 24;
const FAULT_COST: u64 = 2;

/// Starts a block.
pub(super) fn start_block(groups: &mut [Group], world: &mut World) -> Course {
    world.shared.fill(POISON);
    let given = world.shared_given.start / 4..world.shared_given.end / 4;
    world.shared[given].fill(0);
    world.begun = world.warp_instructions;
    world.clock_start = world.warp_instructions;
    world.is_exact = false;
    world.pending.clear();
    world.blocked = None;
    if let Some(dependence) = &mut world.dependence {
        **dependence = Dependence::default();
    }
    for group in groups.iter_mut() {
        group.start(world);
    }
    Course {
        arrivals: Vec::new(),
        arrived_after: Vec::new(),
        unreported: 0,
        cluster: ClusterState::new(groups.len()),
        idle_rounds: 0,
        waiting_passes: 0,
        moved: false,
        came: Vec::new(),
        rounds: Rounds::default(),
        since_found: 0,
    }
}

/// Notes that a block's threads wait for what nobody will do.
pub(super) fn wait_for_ever(
    groups: &mut [Group],
    world: &mut World,
    course: &mut Course,
    detail: Detail,
) {
    let mut block = BlockRun {
        groups,
        world,
        course,
    };
    block.wait_for_ever(detail);
}

/// Runs a block that has been started, to its end or until it waits for other blocks.
pub(super) fn run_block(
    groups: &mut [Group],
    world: &mut World,
    course: &mut Course,
    bounds: &mut Bounds,
) -> Ended {
    let mut block = BlockRun {
        groups,
        world,
        course,
    };
    let ended = block.run(bounds);
    if ended == Ended::Done {
        block.check_left(bounds.check);
        world.finish_stores();
        world.finish_multiplies();
        if let (Some(touches), Some(dependence)) = (world.touches, &world.dependence) {
            touches.end_block(dependence.waits(), dependence.holds_next());
        }
        if let Some(shadow) = &mut world.check {
            let unmet = shadow.take_unmet();
            unmet.into_iter().for_each(|fault| world.fault(fault));
        }
    }
    ended
}

/// Whether all threads of a block that have not exited have arrived at the barrier of its cluster.
pub(super) fn has_arrived(groups: &mut [Group], world: &mut World, course: &mut Course) -> bool {
    let block = BlockRun {
        groups,
        world,
        course,
    };
    block.has_arrived_at_cluster()
}

/// Lets the threads of a block go on that wait at the barrier of its cluster, to which all have come.
pub(super) fn leave_cluster(groups: &mut [Group], world: &mut World, course: &mut Course) {
    let mut block = BlockRun {
        groups,
        world,
        course,
    };
    block.leave_cluster();
}

/// Notes that nothing can go on: a barrier waits for threads that will not come, or for what nobody will bring.
pub(super) fn stick(groups: &mut [Group], world: &mut World, course: &mut Course, stalled: bool) {
    let mut block = BlockRun {
        groups,
        world,
        course,
    };
    match stalled {
        true => block.stuck_waiting(),
        false => block.stuck(),
    }
}

/// A pass over all strands.
#[derive(Default)]
struct Pass {
    /// Some had a turn.
    ready: bool,
    /// Some of these waited in vain.
    stalled: bool,
    /// Some of these did not.
    progress: bool,
}

impl BlockRun<'_, '_, '_> {
    fn run(&mut self, bounds: &mut Bounds) -> Ended {
        loop {
            let (changes, stores) = (self.world.pending.changes, self.world.all_changes());
            let before = self.world.warp_instructions;
            self.course.moved = false;
            let Pass {
                ready,
                stalled,
                progress,
            } = match self.pass(bounds) {
                Ok(pass) => pass,
                Err(ended) => return ended,
            };
            let executed = self.world.warp_instructions - before;
            if let Some(ended) = self.look(executed, bounds) {
                return ended;
            }
            if self.has_found_enough(executed) {
                return Ended::Stopped;
            }
            if ready && !stalled && !self.course.moved {
                if let Some(ended) = self.waits(stores, bounds) {
                    return ended;
                }
                continue;
            }
            self.course.waiting_passes = 0;
            if stalled {
                self.groups
                    .iter_mut()
                    .for_each(|group| merge(&mut group.strands));
            } else if ready {
                continue;
            }
            if self.groups.iter().all(|group| group.strands.is_empty()) {
                return Ended::Done;
            }
            let released = self.release(bounds.check);
            if released || progress || changes != self.world.pending.changes {
                self.course.idle_rounds = 0;
                continue;
            }
            if !ready {
                if self
                    .waiting()
                    .any(|(_, _, arrival)| arrival.barrier == CLUSTER)
                {
                    return Ended::AtCluster;
                }
                self.stuck();
                return Ended::Stopped;
            }
            self.course.idle_rounds += 1;
            if self.world.cluster.is_some() && self.course.idle_rounds > MOST_LONELY_ROUNDS {
                self.course.idle_rounds = 1;
                return Ended::Stalled;
            }
            if self.course.idle_rounds == 1 {
                // Lanes of a warp may wait for others of it, which the rest of their strand holds back.
                self.groups.iter_mut().for_each(Group::split_stalled);
            } else if self.course.idle_rounds > MOST_IDLE_ROUNDS {
                self.stuck_waiting();
                return Ended::Stopped;
            }
        }
    }

    /// After a pass of so many warp instructions: whether something was found in the block so long ago that it ends there.
    /// What a kernel does wrong in one round of a loop, it does in the next ones too.
    fn has_found_enough(&mut self, executed: u64) -> bool {
        if !self.world.has_found() {
            return false;
        }
        let faults = std::mem::take(&mut self.world.faults.fresh);
        let since = &mut self.course.since_found;
        *since += executed + FAULT_COST * faults;
        *since > MOST_AFTER_FOUND
    }

    /// Gives each strand that is ready a turn.
    fn pass(&mut self, bounds: &mut Bounds) -> Result<Pass, Ended> {
        let mut pass = Pass::default();
        for group in 0..self.groups.len() {
            let mut strand = 0;
            while strand < self.groups[group].strands.len() {
                if self.groups[group].strands[strand].state == State::Ready {
                    pass.ready = true;
                    if let Some(ended) = self.turn(group, strand, bounds) {
                        return Err(ended);
                    }
                    let in_vain = self.groups[group].strands[strand].stalled.is_some();
                    pass.stalled |= in_vain;
                    pass.progress |= !in_vain;
                }
                strand += 1;
            }
            self.groups[group]
                .strands
                .retain(|strand| strand.state != State::Done);
        }
        Ok(pass)
    }

    /// All that can run has done nothing but wait in this pass, at the start of which memory had been changed so often.
    fn waits(&mut self, changes: u64, bounds: &Bounds) -> Option<Ended> {
        self.course.waiting_passes += 1;
        let epoch = bounds.epoch.wrapping_add(self.world.all_changes());
        let strands = self.groups.iter().flat_map(|group| &group.strands);
        let mut ready = strands.filter(|strand| strand.state == State::Ready);
        let for_ever = ready.all(|strand| strand.watch.is_stuck(epoch));
        let is_long = self.course.waiting_passes >= MOST_WAITING_PASSES;
        if !is_long && self.world.all_changes() != changes {
            return None;
        }
        self.course.waiting_passes = 0;
        Some(Ended::Waits { for_ever })
    }
}
