//! One block: its groups of warps take turns until all are done; barriers; what keeps it from ending.

use crate::machine::dependence::Dependence;
use crate::machine::inst::Action;
use crate::machine::lanes::Lanes;
use crate::machine::row::Row;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, NO_SLOT, POISON, WARP};
use crate::program::{BarrierKind, ClusterBarrier, Place};
use crate::report::{ClusterBarrierFault, Detail, FindingKind};
use crate::run::cluster::{CLUSTER, ClusterState};
use crate::run::strand::{Arrival, Pause, Stall, State, Strand};

/// Instructions that a strand runs before another gets a turn.
const SLICE: u64 = 1 << 16;
/// The same where blocks may wait for each other, until it is known whether they do.
const FIRST_SLICE: u64 = 1 << 12;

/// PTX ISA section "Parallel Synchronization and Communication Instructions: bar": barriers are numbered from 0.
const LAST_BARRIER: u32 = 15;

/// Rounds in which all strands wait at mbarriers in vain before they count as stuck: a kernel may try a few times
/// and then do something else.
pub(super) const MOST_IDLE_ROUNDS: u32 = 1 << 13;
/// The same after which the other blocks of a cluster get a turn, which may complete them.
const MOST_LONELY_ROUNDS: u32 = 3;
/// The same for one that waits for others, and for one whose last turn changed nothing.
const SHORT_SLICE: u64 = 1 << 8;
const IDLE_SLICE: u64 = 1 << 5;

/// Strands of a block beyond which its lanes take turns at a lock: what they do in vain is charged so many times, as
/// each of them runs alone.
const MANY_STRANDS: usize = 64;
const LOCK_CHARGE: u64 = 8;

/// Passes in which a block does nothing but wait before another gets a turn although memory changes.
const MOST_WAITING_PASSES: u32 = 64;

/// Warps that run together, and the strands that they have split into: one, almost always.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) lanes: Lanes,
    pub(super) strands: Vec<Strand>,
    /// The group's threads.
    pub(super) threads: Mask,
    /// Instructions that each warp has executed in this block.
    pub(super) spent: [u64; GROUP_WARPS],
}

impl Group {
    /// Lanes that have not exited.
    fn live(&self) -> Mask {
        let mut live = [0; GROUP_WARPS];
        for strand in &self.strands {
            for entry in &strand.stack {
                for (live, lanes) in live.iter_mut().zip(entry.mask) {
                    *live |= lanes;
                }
            }
        }
        live
    }

    /// Takes apart the strands that wait in vain: the lanes that wait, and the others.
    fn split_stalled(&mut self) {
        let stalled = self
            .strands
            .iter_mut()
            .filter(|strand| strand.stalled.is_some());
        let others: Vec<Strand> = stalled.filter_map(Strand::split).collect();
        self.strands.extend(others);
    }

    fn start(&mut self, world: &World) {
        for (file, slot) in &world.program.cleared {
            let slot = usize::from(*slot);
            match file {
                FileKind::Preds => self.lanes.preds[slot] = [0; GROUP_WARPS],
                FileKind::Words => self.lanes.words.registers.set_row(slot, Row::constant(0)),
                FileKind::Longs => self.lanes.longs.registers.set_row(slot, Row::constant(0)),
            }
        }
        let local = world.program.local_bytes as usize / 4 * GROUP_WARPS * WARP;
        self.lanes.local.truncate(local);
        self.lanes.local.fill(POISON);
        self.lanes.frame.clear();
        self.lanes.undefined.clear();
        self.spent = [0; GROUP_WARPS];
        self.lanes.live = self.threads;
        // The one strand keeps its stack's memory from block to block.
        let mut stack = self
            .strands
            .pop()
            .map(|strand| strand.stack)
            .unwrap_or_default();
        stack.clear();
        self.strands.clear();
        self.strands
            .push(Strand::with_stack(stack, self.threads, world.program));
    }
}

/// How far a launch may go, and whether it should go on.
pub(super) struct Bounds<'c> {
    pub(super) warp_budget: u64,
    pub(super) check: bool,
    /// Changes that other blocks have made to memory so far.
    pub(super) epoch: u64,
    /// Asked now and then, with the warp instructions since the last time: true to abandon the block.
    pub(super) abandon: &'c mut dyn FnMut(u64) -> bool,
}

/// How a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    /// A finding stops the launch.
    Stopped,
    /// Something elsewhere stops the launch.
    Abandoned,
    /// It has not ended: all that its threads do is wait. If nobody changes memory, `for_ever`.
    Waits {
        for_ever: bool,
    },
    /// It has not ended: threads wait at the barrier of its cluster, and no other can go on.
    AtCluster,
    /// It has not ended: all that can go on waits in vain at mbarriers, which others of its cluster may complete.
    Stalled,
}

/// How far a block has come, beside what its threads hold.
#[derive(Debug)]
pub(super) struct Course {
    /// Threads that have passed `bar.arrive`, by barrier.
    arrivals: Vec<(u32, u32)>,
    /// Barriers that a thread has passed so which comes after the grid before.
    arrived_after: Vec<u32>,
    /// Warp instructions up to barriers that nobody has been told of yet.
    unreported: u64,
    cluster: ClusterState,
    idle_rounds: u32,
    /// Passes in a row in which all have waited.
    waiting_passes: u32,
    /// Some strand's last turn did more than wait.
    moved: bool,
    /// In a checked launch, the threads that have come to each barrier of the text so far, by group.
    came: Vec<(BarrierPlace, Vec<Mask>)>,
}

/// Lines of CUDA C++ and none of PTX, unless there are no others: a loop that the compiler unrolls has many barriers of
/// one line.
type BarrierPlace = Place;

/// Starts a block.
pub(super) fn start_block(groups: &mut [Group], world: &mut World) -> Course {
    world.shared.fill(POISON);
    let given = world.shared_given.start / 4..world.shared_given.end / 4;
    world.shared[given].fill(0);
    world.clock_start = world.warp_instructions;
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

struct BlockRun<'b, 'w, 'a> {
    groups: &'b mut [Group],
    world: &'w mut World<'a>,
    course: &'b mut Course,
}

impl BlockRun<'_, '_, '_> {
    fn run(&mut self, bounds: &mut Bounds) -> Ended {
        loop {
            let (changes, stores) = (self.world.pending.changes, self.world.all_changes());
            self.course.moved = false;
            let (mut ready, mut stalled, mut progress) = (false, false, false);
            for group in 0..self.groups.len() {
                let mut strand = 0;
                while strand < self.groups[group].strands.len() {
                    if self.groups[group].strands[strand].state == State::Ready {
                        ready = true;
                        if let Some(ended) = self.turn(group, strand, bounds) {
                            return ended;
                        }
                        let in_vain = self.groups[group].strands[strand].stalled.is_some();
                        (stalled, progress) = (stalled | in_vain, progress | !in_vain);
                    }
                    strand += 1;
                }
                self.groups[group]
                    .strands
                    .retain(|strand| strand.state != State::Done);
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

    /// Ends the block where its threads wait for what nobody will do. `resident` of the launch's blocks run together,
    /// where others have not begun.
    fn wait_for_ever(&mut self, detail: Detail) {
        let found = self.groups.iter().enumerate().find_map(|(number, group)| {
            let mut strands = group.strands.iter();
            let strand = strands.find(|strand| strand.state == State::Ready)?;
            let pc = strand.stack.last().map_or(0, |top| top.pc);
            Some((number, strand.mask(), pc))
        });
        let Some((group, mask, pc)) = found else {
            return;
        };
        let place = place_near(self.world, pc);
        self.stop(FindingKind::EndlessLoop, place, group, &mask, detail);
    }

    /// One strand's turn.
    fn turn(&mut self, group: usize, number: usize, bounds: &mut Bounds) -> Option<Ended> {
        let count: usize = if self.groups[group].strands[number].spins {
            self.groups.iter().map(|group| group.strands.len()).sum()
        } else {
            0
        };
        let Group {
            lanes,
            strands,
            spent,
            ..
        } = &mut self.groups[group];
        let strand = &mut strands[number];
        strand.stalled = None;
        let before = self.world.warp_instructions;
        let changes = self.world.all_changes();
        let slice = match (strand.spins, strand.watch.is_idle) {
            (true, true) => IDLE_SLICE,
            (true, false) => SHORT_SLICE,
            (false, _) if self.world.program.order_matters => FIRST_SLICE,
            (false, _) => SLICE,
        };
        let pause = strand.run(
            lanes,
            self.world,
            spent,
            slice.min(bounds.warp_budget.saturating_add(1)),
        );
        let waited = self.world.waits != strand.waits;
        self.course.moved |= !(waited && matches!(pause, Pause::Slice));
        match pause {
            Pause::Exited => strand.state = State::Done,
            // A loop through a barrier uses up no slice.
            Pause::Barrier(_) if spent.iter().any(|spent| *spent >= bounds.warp_budget) => {
                let mask = strand.mask();
                self.endless(group, &mask, bounds.warp_budget);
                return Some(Ended::Stopped);
            }
            Pause::Barrier(arrival) => {
                return self.at_barrier(group, number, arrival, before, bounds);
            }
            Pause::Cluster(kind, pc) => {
                return self.at_cluster(group, number, (kind, pc), bounds.check);
            }
            Pause::Blocked(stall) => {
                let others = strand.split_warps(&stall.blocked.waiting);
                strand.stalled = Some(stall);
                let mask = strand.mask();
                strands.extend(others);
                return self.overrun(group, &mask, before, bounds);
            }
            Pause::Slice => {
                // Lanes that wait for their neighbours to leave a loop may be what those wait for: a lock.
                strand.waits = self.world.waits;
                let mut others = if waited { strand.split() } else { None };
                strand.spins = waited;
                if let Some(others) = &mut others {
                    others.spins = true;
                }
                strand.watch.is_idle = waited && self.world.all_changes() == changes;
                if strand.watch.is_idle {
                    let epoch = bounds.epoch.wrapping_add(changes);
                    strand
                        .watch
                        .see(strand.state_hash(lanes, self.world.program), epoch);
                    if count > MANY_STRANDS {
                        charge(spent, &strand.mask(), self.world.warp_instructions - before);
                    }
                }
                let mask = strand.mask();
                strands.extend(others);
                return self.overrun(group, &mask, before, bounds);
            }
            Pause::Fault { kind, place } => {
                let mask = strand.mask();
                let detail = std::mem::take(&mut self.world.detail);
                self.stop(kind, place, group, &mask, detail);
                return Some(Ended::Stopped);
            }
            Pause::Stopped => return Some(Ended::Stopped),
        }
        None
    }

    /// A strand has come to a barrier.
    fn at_barrier(
        &mut self,
        group: usize,
        number: usize,
        arrival: Arrival,
        before: u64,
        bounds: &mut Bounds,
    ) -> Option<Ended> {
        let no_warps = |threads: u32| threads == 0 || !threads.is_multiple_of(WARP as u32);
        if arrival.barrier > LAST_BARRIER || arrival.threads.is_some_and(no_warps) {
            let mask = self.groups[group].strands[number].mask();
            let detail = Detail::NoBarrier {
                barrier: arrival.barrier,
                threads: arrival.threads,
            };
            let place = self.world.code[arrival.pc as usize].place;
            self.stop(FindingKind::BarrierDivergence, place, group, &mask, detail);
            return Some(Ended::Stopped);
        }
        let Group { lanes, strands, .. } = &mut self.groups[group];
        let strand = &mut strands[number];
        let apart = if bounds.check {
            strand.apart(self.world.code)
        } else {
            None
        };
        let others = strand.split();
        strand.state = State::Waiting(arrival);
        if arrival.kind == BarrierKind::Arrive {
            strand.state = State::Ready;
            let threads = warp_threads(&strand.mask());
            self.course.arrivals.push((arrival.barrier, threads));
            let mut warps = strand.mask().into_iter().enumerate();
            if let Some(dependence) = &self.world.dependence
                && warps.any(|(warp, mask)| dependence.is_after(lanes.first_warp + warp, mask))
            {
                self.course.arrived_after.push(arrival.barrier);
            }
            if let Some(shadow) = &mut self.world.check {
                shadow.arrive(arrival.barrier, warps_in(lanes.first_warp, &strand.mask()));
            }
        }
        strands.extend(others);
        if let Some(mask) = apart {
            self.divergence(group, &arrival, &mask);
        }
        self.course.unreported += self.world.warp_instructions - before;
        let is_due = self.course.unreported >= SLICE.min(bounds.warp_budget);
        (is_due && (bounds.abandon)(std::mem::take(&mut self.course.unreported)))
            .then_some(Ended::Abandoned)
    }

    /// A strand has come to a barrier of its cluster, at `pc`.
    fn at_cluster(
        &mut self,
        group: usize,
        number: usize,
        (kind, pc): (ClusterBarrier, u32),
        check: bool,
    ) -> Option<Ended> {
        let strand = &self.groups[group].strands[number];
        let waits = kind == ClusterBarrier::Wait;
        let apart = strand
            .apart(self.world.code)
            .filter(|_| check && !self.is_loose_at(pc));
        let misfit = self.course.cluster.misfit(group, &strand.mask(), waits);
        if let Some(mask) = apart {
            self.against_cluster(pc, group, &mask, ClusterBarrierFault::Divergent);
        }
        if let Some((fault, mask)) = misfit.filter(|_| check) {
            self.against_cluster(pc, group, &mask, fault);
        }
        let Group { lanes, strands, .. } = &mut self.groups[group];
        let strand = &mut strands[number];
        let (mask, first_warp) = (strand.mask(), lanes.first_warp);
        if let ClusterBarrier::Arrive { is_relaxed } = kind {
            self.course.cluster.arrive(group, &mask);
            self.course.cluster.last_arrival = pc;
            tell_cluster(self.world, warps_in(first_warp, &mask), is_relaxed);
            return None;
        }
        let others = strand.split();
        // Threads that have not arrived do not wait either: the last phase is complete, on an H200 too.
        let alone = misfit.is_some_and(|(_, alone)| alone == strand.mask());
        if alone || self.course.cluster.wait(group, &strand.mask()) {
            learn_from_cluster(self.world, warps_in(first_warp, &strand.mask()));
        } else {
            strand.state = State::Waiting(Arrival {
                pc,
                kind: BarrierKind::Sync,
                barrier: CLUSTER,
                threads: None,
                predicate: [0; GROUP_WARPS],
            });
        }
        strands.extend(others);
        None
    }

    /// A barrier of the cluster is used against its rules.
    fn against_cluster(&mut self, pc: u32, group: usize, mask: &Mask, fault: ClusterBarrierFault) {
        let place = self.world.code[pc as usize].place;
        let detail = Detail::ClusterBarrier { fault };
        self.stop(FindingKind::BarrierDivergence, place, group, mask, detail);
    }

    /// The block has ended: threads may have arrived at the cluster's barrier and not waited.
    fn check_left(&mut self, check: bool) {
        if let Some((group, mask)) = self.course.cluster.left().filter(|_| check) {
            let pc = self.course.cluster.last_arrival;
            self.against_cluster(pc, group, &mask, ClusterBarrierFault::NeverWaits);
        }
    }

    /// Whether all threads that have not exited have arrived at the cluster's barrier.
    fn has_arrived_at_cluster(&self) -> bool {
        let live = self.groups.iter().map(Group::live);
        self.course.cluster.is_complete(live)
    }

    /// All blocks of the cluster have come to its barrier.
    fn leave_cluster(&mut self) {
        self.course.cluster.complete();
        for (number, group) in self.groups.iter_mut().enumerate() {
            for strand in &mut group.strands {
                let is_there = |arrival: &Arrival| arrival.barrier == CLUSTER;
                if !matches!(&strand.state, State::Waiting(arrival) if is_there(arrival)) {
                    continue;
                }
                self.course.cluster.wait(number, &strand.mask());
                let warps = warps_in(group.lanes.first_warp, &strand.mask());
                learn_from_cluster(self.world, warps);
                strand.state = State::Ready;
                strand.spins = false;
            }
            merge(&mut group.strands);
        }
    }

    /// Ends the block if a warp has used up its budget or something elsewhere stops the launch.
    fn overrun(
        &mut self,
        group: usize,
        mask: &Mask,
        before: u64,
        bounds: &mut Bounds,
    ) -> Option<Ended> {
        let spent = &self.groups[group].spent;
        if spent.iter().any(|spent| *spent >= bounds.warp_budget) {
            self.endless(group, mask, bounds.warp_budget);
            return Some(Ended::Stopped);
        }
        (bounds.abandon)(self.world.warp_instructions - before).then_some(Ended::Abandoned)
    }

    // ---- barriers ----

    /// Lets go the strands of a barrier that is complete.
    fn release(&mut self, check: bool) -> bool {
        let waiting: Vec<Arrival> = self.waiting().map(|(_, _, arrival)| arrival).collect();
        let complete = waiting
            .iter()
            .find(|arrival| self.is_complete(arrival))
            .copied();
        let Some(Arrival { barrier, .. }) = complete else {
            return false;
        };
        let reduced = self.reduced(barrier);
        self.order_warps(
            barrier,
            complete.is_some_and(|arrival| arrival.threads.is_none()),
        );
        if check {
            self.check_divergence(barrier);
        }
        self.course.arrivals.retain(|(other, _)| *other != barrier);
        for group in &mut *self.groups {
            for strand in &mut group.strands {
                let State::Waiting(arrival) = strand.state else {
                    continue;
                };
                if arrival.barrier == barrier {
                    strand.state = State::Ready;
                    strand.spins = false;
                    deliver(&mut group.lanes, strand, &arrival, self.world, reduced);
                }
            }
            merge(&mut group.strands);
        }
        true
    }

    /// Tells the launch's checks which warps a barrier puts in order: also those that have exited, if it is for all.
    fn order_warps(&mut self, barrier: u32, is_whole: bool) {
        self.meet_those_after(barrier);
        if self.world.check.is_none() {
            return;
        }
        let warps = self
            .waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier)
            .map(|(group, strand, _)| warps_in(self.groups[group].lanes.first_warp, &strand.mask()))
            .fold(0, |all, warps| all | warps);
        if let Some(shadow) = &mut self.world.check {
            shadow.barrier(barrier, warps, is_whole);
        }
    }

    /// Whoever passes a barrier with a thread that comes after the grid before, comes after that grid too.
    fn meet_those_after(&mut self, barrier: u32) {
        let Some(mut dependence) = self.world.dependence.take() else {
            return;
        };
        let mut met: Vec<(usize, u32)> = Vec::new();
        for (group, strand, arrival) in self.waiting() {
            if arrival.barrier == barrier {
                let first = self.groups[group].lanes.first_warp;
                let warps = strand.mask().into_iter().enumerate();
                met.extend(warps.map(|(warp, mask)| (first + warp, mask)));
            }
        }
        let arrived = self.course.arrived_after.contains(&barrier);
        if arrived
            || met
                .iter()
                .any(|(warp, mask)| dependence.is_after(*warp, *mask))
        {
            met.iter()
                .for_each(|(warp, mask)| dependence.wait(*warp, *mask));
        }
        self.course.arrived_after.retain(|other| *other != barrier);
        self.world.dependence = Some(dependence);
    }

    /// Strands that wait at a barrier, with their group.
    fn waiting(&self) -> impl Iterator<Item = (usize, &Strand, Arrival)> {
        self.groups.iter().enumerate().flat_map(|(number, group)| {
            group
                .strands
                .iter()
                .filter_map(move |strand| match strand.state {
                    State::Waiting(arrival) => Some((number, strand, arrival)),
                    _ => None,
                })
        })
    }

    fn arrived(&self, barrier: u32) -> u32 {
        self.waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier)
            .map(|(_, strand, _)| lanes_in(&strand.mask()))
            .sum()
    }

    fn live(&self) -> u32 {
        self.groups
            .iter()
            .map(|group| lanes_in(&group.live()))
            .sum()
    }

    /// Without a number of threads a barrier needs all that have not exited; with one, so many arrivals,
    /// counted by whole warps.
    fn is_complete(&self, arrival: &Arrival) -> bool {
        // That one is not of this block alone.
        if arrival.barrier == CLUSTER {
            return false;
        }
        let Some(threads) = arrival.threads else {
            return self.arrived(arrival.barrier) == self.live();
        };
        let waiting: u32 = self
            .waiting()
            .filter(|(_, _, other)| other.barrier == arrival.barrier)
            .map(|(_, strand, _)| warp_threads(&strand.mask()))
            .sum();
        let passed: u32 = self
            .course
            .arrivals
            .iter()
            .filter(|(barrier, _)| *barrier == arrival.barrier)
            .map(|(_, threads)| threads)
            .sum();
        waiting.saturating_add(passed) >= threads
    }

    /// How many threads brought a true predicate, and how many came.
    fn reduced(&self, barrier: u32) -> (u32, u32) {
        let mut sums = (0, 0);
        for (_, strand, arrival) in self
            .waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier)
        {
            for (lanes, holds) in strand.mask().iter().zip(arrival.predicate) {
                sums.0 += (lanes & holds).count_ones();
                sums.1 += lanes.count_ones();
            }
        }
        sums
    }

    /// What CUDA leaves undefined about a barrier that is complete.
    fn check_divergence(&mut self, barrier: u32) {
        let arrivals: Vec<(usize, Mask, Arrival)> = self
            .waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier && !self.is_loose(arrival))
            .map(|(group, strand, arrival)| (group, strand.mask(), arrival))
            .collect();
        let Some((_, _, first)) = arrivals.first().copied() else {
            return;
        };
        for (group, mask, arrival) in &arrivals {
            if let Some(missing) = self.missing(*group, mask, arrival, &arrivals) {
                self.divergence(*group, arrival, &missing);
                return;
            }
        }
        if first.threads.is_none() {
            self.check_places(&arrivals);
            self.check_exited(&first);
        }
        self.remember(&arrivals);
    }

    /// Where a barrier stands in the text.
    fn barrier_place(&self, arrival: &Arrival) -> BarrierPlace {
        let program = self.world.program;
        let place = self.world.code[arrival.pc as usize].place;
        match program.places.get(place as usize) {
            Some(place) if place.file != u32::MAX => Place {
                ptx_line: 0,
                ..*place
            },
            _ => Place {
                ptx_line: program.ptx_line(place),
                ..Place::UNKNOWN
            },
        }
    }

    fn remember(&mut self, arrivals: &[(usize, Mask, Arrival)]) {
        let groups = self.groups.len();
        for (group, mask, arrival) in arrivals {
            let place = self.barrier_place(arrival);
            let came = &mut self.course.came;
            let known = came.iter().position(|(other, _)| *other == place);
            let at = known.unwrap_or_else(|| {
                came.push((place, vec![[0; GROUP_WARPS]; groups]));
                came.len() - 1
            });
            for (all, lanes) in came[at].1[*group].iter_mut().zip(mask) {
                *all |= lanes;
            }
        }
    }

    /// Whether threads of a warp may come to the barrier one by one; `aux` marks these.
    fn is_loose(&self, arrival: &Arrival) -> bool {
        self.is_loose_at(arrival.pc)
    }

    fn is_loose_at(&self, pc: u32) -> bool {
        self.world.code[pc as usize].aux != 0
    }

    /// The lanes of warps of which others, that have not exited, do not wait at the same place.
    fn missing(
        &self,
        group: usize,
        mask: &Mask,
        arrival: &Arrival,
        arrivals: &[(usize, Mask, Arrival)],
    ) -> Option<Mask> {
        let live = self.groups[group].live();
        let mut here = [0; GROUP_WARPS];
        for (_, lanes, _) in arrivals
            .iter()
            .filter(|(other, _, at)| *other == group && at.pc == arrival.pc)
        {
            for (here, lanes) in here.iter_mut().zip(lanes) {
                *here |= lanes;
            }
        }
        let mut missing = [0; GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            if mask[warp] != 0 && here[warp] != live[warp] {
                missing[warp] = mask[warp];
            }
        }
        (missing != [0; GROUP_WARPS]).then_some(missing)
    }

    /// All threads of the block must come to one `__syncthreads()`, not each to its own.
    fn check_places(&mut self, arrivals: &[(usize, Mask, Arrival)]) {
        let program = self.world.program;
        let (_, _, first) = &arrivals[0];
        let other = arrivals
            .iter()
            .find(|(_, _, at)| self.barrier_place(at) != self.barrier_place(first));
        if let Some((group, mask, arrival)) = other {
            let place = |arrival: &Arrival| self.world.code[arrival.pc as usize].place;
            let (place, elsewhere) = (place(arrival), place(first));
            let detail = Detail::TwoBarriers {
                source: program.source(elsewhere),
                ptx_line: program.ptx_line(elsewhere),
            };
            self.stop(FindingKind::BarrierDivergence, place, *group, mask, detail);
        }
    }

    /// Since Volta a barrier does not wait for threads that have exited. It is a mistake all the same if some of them
    /// have come to this one before: a loop that not all threads go through equally often.
    fn check_exited(&mut self, arrival: &Arrival) {
        let mut exited = 0;
        let mut first = None;
        let place = self.barrier_place(arrival);
        let came = self.course.came.iter().find(|(other, _)| *other == place);
        let mut came_before = false;
        for (number, group) in self.groups.iter().enumerate() {
            let mut gone = group.threads;
            for (gone, live) in gone.iter_mut().zip(group.live()) {
                *gone &= !live;
            }
            exited += lanes_in(&gone);
            if let Some((_, came)) = came {
                came_before |= gone
                    .iter()
                    .zip(came[number])
                    .any(|(gone, came)| gone & came != 0);
            }
            if first.is_none() && gone != [0; GROUP_WARPS] {
                first = Some((number, gone));
            }
        }
        if let Some((group, gone)) = first {
            let place = self.world.code[arrival.pc as usize].place;
            let detail = Detail::Exited {
                threads: exited,
                came_before,
            };
            self.stop(FindingKind::BarrierDivergence, place, group, &gone, detail);
        }
    }

    fn divergence(&mut self, group: usize, arrival: &Arrival, mask: &Mask) {
        if !self.is_loose(arrival) {
            let place = self.world.code[arrival.pc as usize].place;
            self.stop(
                FindingKind::BarrierDivergence,
                place,
                group,
                mask,
                Detail::None,
            );
        }
    }

    /// Nothing can go on: some barrier waits for threads that will not come.
    fn stuck(&mut self) {
        let first = self
            .waiting()
            .map(|(group, strand, arrival)| (group, strand.mask(), arrival))
            .next();
        let Some((group, mask, arrival)) = first else {
            return;
        };
        let expected = arrival.threads.unwrap_or_else(|| self.live());
        let arrived = match arrival.barrier {
            CLUSTER => self.course.cluster.arrivals(),
            barrier => self.arrived(barrier),
        };
        let detail = Detail::Barrier {
            barrier: arrival.barrier,
            arrived,
            expected,
            is_counted: arrival.threads.is_some(),
        };
        let place = self.world.code[arrival.pc as usize].place;
        self.stop(FindingKind::BarrierDivergence, place, group, &mask, detail);
    }

    /// All that could go on waits at mbarriers, and nothing will complete them.
    fn stuck_waiting(&mut self) {
        let first = self.groups.iter().enumerate().find_map(|(number, group)| {
            let stalled = group.strands.iter().filter_map(|strand| strand.stalled);
            stalled.map(|stall| (number, stall)).next()
        });
        let Some((group, Stall { pc, blocked })) = first else {
            return;
        };
        let detail = self.world.incomplete(blocked.barrier);
        let place = self.world.code[pc as usize].place;
        self.stop(
            FindingKind::Mbarrier,
            place,
            group,
            &blocked.waiting,
            detail,
        );
    }

    // ---- findings ----

    fn endless(&mut self, group: usize, mask: &Mask, budget: u64) {
        let pc = self.groups[group]
            .strands
            .iter()
            .find(|strand| strand.mask() == *mask)
            .map_or(0, |strand| strand.stack.last().map_or(0, |top| top.pc));
        let place = place_near(self.world, pc);
        self.stop(
            FindingKind::EndlessLoop,
            place,
            group,
            mask,
            Detail::Budget {
                instructions: budget,
                whole_launch: false,
            },
        );
    }

    fn stop(&mut self, kind: FindingKind, place: u32, group: usize, mask: &Mask, detail: Detail) {
        let warp = mask.iter().position(|lanes| *lanes != 0).unwrap_or(0);
        let lane = mask[warp].trailing_zeros() as usize % WARP;
        let thread = (self.groups[group].lanes.first_warp + warp) * WARP + lane;
        self.world.fault(Fault {
            kind,
            block: self.world.block,
            place,
            space: None,
            thread: thread as u32,
            address: None,
            access_bytes: 0,
            is_store: false,
            count: 1,
            detail,
        });
    }
}

/// Charges warps for what they did in vain as one strand of many.
fn charge(spent: &mut [u64; GROUP_WARPS], mask: &Mask, executed: u64) {
    for (spent, _) in spent.iter_mut().zip(mask).filter(|(_, lanes)| **lanes != 0) {
        *spent += (LOCK_CHARGE - 1) * executed;
    }
}

/// The place of the first instruction from `pc` on that has one.
fn place_near(world: &World, pc: u32) -> u32 {
    let code = &world.code[pc as usize..];
    let with_place = code.iter().find(|inst| {
        !matches!(
            inst.action,
            Action::Block(_) | Action::Jump(_) | Action::Exit
        )
    });
    with_place.map_or(0, |inst| inst.place)
}

/// The object by which warps order themselves at the barrier of the cluster.
const CLUSTER_OBJECT: u64 = 3 << 62;

fn tell_cluster(world: &mut World, warps: u32, is_relaxed: bool) {
    let Some(shadow) = &mut world.check else {
        return;
    };
    if let Some(cluster) = &mut world.cluster
        && let Some(all) = &mut cluster.shadow
    {
        all.arrive(cluster.rank as usize, warps, is_relaxed, shadow);
    }
    crate::program::kinds::for_lanes(warps, |warp| {
        if is_relaxed {
            // What it does next comes after the barrier all the same.
            shadow.meet(warp);
        } else {
            shadow.release(warp, CLUSTER_OBJECT);
            shadow.release_to_blocks(warp);
        }
    });
}

fn learn_from_cluster(world: &mut World, warps: u32) {
    let Some(shadow) = &mut world.check else {
        return;
    };
    if let Some(cluster) = &mut world.cluster
        && let Some(all) = &mut cluster.shadow
    {
        all.pass(cluster.rank as usize);
    }
    crate::program::kinds::for_lanes(warps, |warp| {
        shadow.acquire(warp, CLUSTER_OBJECT);
        shadow.acquire_of_blocks(warp);
    });
}

/// Writes the result of a reducing barrier.
fn deliver(
    lanes: &mut Lanes,
    strand: &Strand,
    arrival: &Arrival,
    world: &World,
    (holding, all): (u32, u32),
) {
    let inst = &world.code[arrival.pc as usize];
    let d = inst.d[0];
    if d == NO_SLOT {
        return;
    }
    let mask = strand.mask();
    let holds = match arrival.kind {
        BarrierKind::Sync | BarrierKind::Arrive => return,
        BarrierKind::And => holding == all,
        BarrierKind::Or => holding > 0,
        BarrierKind::Count => {
            let out = &mut lanes.words.registers[usize::from(d)];
            for (warp, lanes) in mask.iter().enumerate() {
                crate::program::kinds::for_lanes(*lanes, |lane| out[warp * WARP + lane] = holding);
            }
            return;
        }
    };
    let value = if holds { u32::MAX } else { 0 };
    for (out, lanes) in lanes.preds[usize::from(d)].iter_mut().zip(mask) {
        *out = (*out & !lanes) | (value & lanes);
    }
}

/// Strands that go on from the same place, by the same calls, go on together.
fn merge(strands: &mut Vec<Strand>) {
    let mut at = 0;
    while at < strands.len() {
        let mut other = at + 1;
        while other < strands.len() {
            if strands[at].is_with(&strands[other]) {
                let gone = strands.remove(other);
                strands[at].join(&gone);
            } else {
                other += 1;
            }
        }
        at += 1;
    }
}

fn lanes_in(mask: &Mask) -> u32 {
    mask.iter().map(|lanes| lanes.count_ones()).sum()
}

/// The warps of the block that a mask of a group has lanes of, one bit each.
fn warps_in(first_warp: usize, mask: &Mask) -> u32 {
    let here = mask
        .iter()
        .enumerate()
        .filter(|(_, lanes)| **lanes != 0)
        .fold(0u32, |warps, (warp, _)| warps | 1 << warp);
    here << first_warp
}

/// Threads as `bar` with a count counts them: whole warps.
fn warp_threads(mask: &Mask) -> u32 {
    mask.iter()
        .map(|lanes| u32::from(*lanes != 0) * WARP as u32)
        .sum()
}
