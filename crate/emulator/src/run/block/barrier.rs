//! `bar` and `barrier` in a block: strands come to one, and go on when it is complete. The barrier of a cluster is in `cluster`.

use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::program::BarrierKind;
use crate::program::kinds::{NO_SLOT, WARP};
use crate::report::{Detail, FindingKind};
use crate::run::block::bounds::{Bounds, Ended, SLICE};
use crate::run::block::state::BlockRun;
use crate::run::cluster::CLUSTER;
use crate::run::group::{Group, merge, warp_threads, warps_in};
use crate::run::strand::{Arrival, State, Strand};

/// PTX ISA section "Parallel Synchronization and Communication Instructions: bar": barriers are numbered from 0.
const LAST_BARRIER: u32 = 15;

impl BlockRun<'_, '_, '_> {
    /// A strand has come to a barrier.
    pub(super) fn at_barrier(
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

    /// Lets go the strands of a barrier that is complete.
    pub(super) fn release(&mut self, check: bool) -> bool {
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
                    let world = &mut *self.world;
                    let place = world.code[arrival.pc as usize].place;
                    let program = world.program;
                    if let Some(recorder) = world.recorder() {
                        let first = group.lanes.first_warp;
                        recorder.release(program, first, &strand.mask(), (barrier, place));
                    }
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
