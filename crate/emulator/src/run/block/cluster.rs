//! A block at the barrier of its cluster: its threads arrive and wait, and go on when all blocks have come. Who has arrived is kept in `run::cluster`.

use crate::machine::world::World;
use crate::program::kinds::{GROUP_WARPS, Mask};
use crate::program::{BarrierKind, ClusterBarrier};
use crate::report::{ClusterBarrierFault, Detail, FindingKind};
use crate::run::block::bounds::Ended;
use crate::run::block::state::BlockRun;
use crate::run::cluster::CLUSTER;
use crate::run::group::{Group, merge, warps_in};
use crate::run::strand::{Arrival, State};

impl BlockRun<'_, '_, '_> {
    /// A strand has come to a barrier of its cluster, at `pc`.
    pub(super) fn at_cluster(
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
    pub(super) fn check_left(&mut self, check: bool) {
        if let Some((group, mask)) = self.course.cluster.left().filter(|_| check) {
            let pc = self.course.cluster.last_arrival;
            self.against_cluster(pc, group, &mask, ClusterBarrierFault::NeverWaits);
        }
    }

    /// Whether all threads that have not exited have arrived at the cluster's barrier.
    pub(super) fn has_arrived_at_cluster(&self) -> bool {
        let live = self.groups.iter().map(Group::live);
        self.course.cluster.is_complete(live)
    }

    /// All blocks of the cluster have come to its barrier.
    pub(super) fn leave_cluster(&mut self) {
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
