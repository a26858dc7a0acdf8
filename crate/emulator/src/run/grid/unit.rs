//! What is started as one: a block, or the blocks of a cluster, which run together and take turns at waits. How the grid starts them is in `in_order` and `threads`.

use crate::check::ClusterShadow;
use crate::error::LaunchError;
use crate::machine::neighbours::{Neighbour, Neighbours};
use crate::memory::faults::Fault;
use crate::report::{ClusterFault, Detail, FindingKind, Space};
use crate::run::block::{
    Course, Ended, MOST_IDLE_ROUNDS, has_arrived, leave_cluster, stick, wait_for_ever,
};
use crate::run::grid::seat::Seat;
use crate::run::grid::state::Grid;
use crate::run::outcome::Part;

/// A block, or the blocks of a cluster.
pub(super) struct Unit<'g> {
    members: Vec<Member<'g>>,
    /// Present if there are several.
    cluster: Option<Box<Neighbours<'g>>>,
}

struct Member<'g> {
    seat: Seat<'g>,
    /// While it runs.
    course: Option<Course>,
    /// How its last turn ended.
    ended: Ended,
}

impl<'g> Unit<'g> {
    /// What its blocks have found.
    pub(super) fn parts(self) -> impl Iterator<Item = Part> + use<'g> {
        self.members.into_iter().map(|member| member.seat.part())
    }

    pub(super) fn first_block(&self) -> u64 {
        self.members
            .first()
            .map_or(0, |member| member.seat.world.block)
    }

    /// Gives a block what the others leave to it, or takes it back.
    fn exchange(&mut self, rank: usize) {
        let Some(cluster) = &mut self.cluster else {
            return;
        };
        for (other, member) in self.members.iter_mut().enumerate() {
            if other != rank {
                let (world, block) = (&mut member.seat.world, &mut cluster.blocks[other]);
                std::mem::swap(&mut world.shared, &mut block.shared);
                std::mem::swap(&mut world.pending, &mut block.pending);
                std::mem::swap(&mut world.check, &mut block.check);
            }
        }
    }
}

impl<'s> Grid<'s> {
    /// Seats for the blocks of a cluster.
    pub(super) fn unit(&self) -> Result<Unit<'_>, LaunchError> {
        let blocks = self.shape.cluster_blocks();
        let members = (0..blocks).map(|_| {
            Ok(Member {
                seat: self.seat()?,
                course: None,
                ended: Ended::Done,
            })
        });
        let members = members.collect::<Result<Vec<_>, LaunchError>>()?;
        let cluster = (blocks > 1).then(Box::<Neighbours>::default);
        Ok(Unit { members, cluster })
    }

    /// Starts a cluster, or a block.
    pub(super) fn enter_unit(&self, unit: &mut Unit, number: u64) {
        let is_checked = self.is_checked();
        if let Some(cluster) = &mut unit.cluster {
            cluster.blocks.clear();
            cluster
                .blocks
                .resize_with(unit.members.len(), Neighbour::default);
            cluster.shadow = is_checked.then(|| ClusterShadow::new(unit.members.len()));
        }
        for (rank, member) in unit.members.iter_mut().enumerate() {
            let block = self.shape.block_of(number, rank as u32);
            member.course = Some(self.enter(&mut member.seat, block));
            member.ended = Ended::Abandoned;
        }
    }

    /// Runs a unit until it has ended, is stopped, or waits for others. `epoch` counts the changes of memory by all.
    pub(super) fn turn_of_unit(&self, unit: &mut Unit, epoch: &mut u64) -> Ended {
        let mut idle_rounds = 0;
        loop {
            let before = *epoch;
            let mut has_moved = false;
            for rank in 0..unit.members.len() {
                if unit.members[rank].ended == Ended::Done {
                    continue;
                }
                let ended = self.turn_of_member(unit, rank, epoch);
                unit.members[rank].ended = ended;
                match ended {
                    Ended::Stopped | Ended::Abandoned | Ended::Endless => return ended,
                    Ended::Done => has_moved = true,
                    Ended::Waits { .. } | Ended::AtCluster | Ended::Stalled => {}
                }
            }
            let ways = || unit.members.iter().map(|member| member.ended);
            if ways().all(|ended| ended == Ended::Done) {
                return Ended::Done;
            }
            has_moved |= *epoch != before;
            if self.pass_barrier(unit) {
                continue;
            }
            let ways = || unit.members.iter().map(|member| member.ended);
            if ways().any(|ended| matches!(ended, Ended::Waits { .. })) {
                let for_ever = ways().all(|ended| ended != Ended::Waits { for_ever: false });
                return Ended::Waits {
                    for_ever: for_ever && !has_moved,
                };
            }
            idle_rounds = if has_moved { 0 } else { idle_rounds + 1 };
            let stalled = ways().position(|ended| ended == Ended::Stalled);
            let most = if stalled.is_some() {
                MOST_IDLE_ROUNDS
            } else {
                0
            };
            if idle_rounds > most {
                self.stick(unit, stalled);
                return Ended::Stopped;
            }
        }
    }

    /// One block's turn.
    fn turn_of_member(&self, unit: &mut Unit, rank: usize, epoch: &mut u64) -> Ended {
        unit.exchange(rank);
        let Unit { members, cluster } = unit;
        let Member { seat, course, .. } = &mut members[rank];
        if let Some(cluster) = cluster {
            cluster.rank = rank as u32;
        }
        seat.world.cluster = cluster.take();
        let ended = match course {
            Some(course) => {
                let (before, elsewhere) = (seat.world.all_changes(), epoch.wrapping_sub(seat.told));
                let ended = self.turn(seat, course, elsewhere);
                let changed = seat.world.all_changes() - before;
                *epoch = epoch.wrapping_add(changed);
                seat.told = seat.told.wrapping_add(changed);
                ended
            }
            None => Ended::Done,
        };
        if ended == Ended::Done {
            end_of_member(seat, rank);
        }
        *cluster = seat.world.cluster.take();
        unit.exchange(rank);
        ended
    }

    /// Lets all go on from the cluster's barrier, if all have come to it; returns whether they did.
    fn pass_barrier(&self, unit: &mut Unit) -> bool {
        let mut waits = false;
        for member in &mut unit.members {
            let Some(course) = member
                .course
                .as_mut()
                .filter(|_| member.ended != Ended::Done)
            else {
                continue;
            };
            waits |= member.ended == Ended::AtCluster;
            if !has_arrived(&mut member.seat.groups, &mut member.seat.world, course) {
                return false;
            }
        }
        if !waits {
            return false;
        }
        if let Some(shadow) = unit
            .cluster
            .as_mut()
            .and_then(|cluster| cluster.shadow.as_mut())
        {
            shadow.complete();
        }
        for rank in 0..unit.members.len() {
            let Unit { members, cluster } = &mut *unit;
            let Member {
                seat,
                course,
                ended,
            } = &mut members[rank];
            let Some(course) = course.as_mut().filter(|_| *ended != Ended::Done) else {
                continue;
            };
            if let Some(cluster) = cluster {
                cluster.rank = rank as u32;
            }
            seat.world.cluster = cluster.take();
            leave_cluster(&mut seat.groups, &mut seat.world, course);
            *cluster = seat.world.cluster.take();
        }
        true
    }

    /// Stops the launch where no block of a unit can go on: at a barrier, or at mbarriers of the one that is stalled.
    fn stick(&self, unit: &mut Unit, stalled: Option<usize>) {
        let at_barrier = |member: &Member| member.ended == Ended::AtCluster;
        let rank = stalled.or(unit.members.iter().position(at_barrier));
        let Some(Member {
            seat,
            course: Some(course),
            ..
        }) = rank.map(|rank| &mut unit.members[rank])
        else {
            return;
        };
        stick(&mut seat.groups, &mut seat.world, course, stalled.is_some());
        self.stop_at(seat.world.block);
    }

    /// Stops the launch at a unit that waits for ever.
    pub(super) fn give_up(&self, unit: &mut Unit, detail: Detail) {
        let waits = |member: &&mut Member| matches!(member.ended, Ended::Waits { .. });
        let Some(Member {
            seat,
            course: Some(course),
            ..
        }) = unit.members.iter_mut().find(waits)
        else {
            return;
        };
        wait_for_ever(&mut seat.groups, &mut seat.world, course, detail);
        self.stop_at(seat.world.block);
    }

    /// Stops the launch at a unit that goes round in a circle.
    pub(super) fn stop_rounds(&self, unit: &mut Unit) {
        let goes_round = |member: &&mut Member| member.ended == Ended::Endless;
        let Some(Member {
            seat,
            course: Some(course),
            ..
        }) = unit.members.iter_mut().find(goes_round)
        else {
            return;
        };
        wait_for_ever(&mut seat.groups, &mut seat.world, course, Detail::Unchanged);
        self.stop_at(seat.world.block);
    }

    /// Takes down what the blocks have left behind.
    pub(super) fn leave_unit(&self, unit: &mut Unit) {
        for member in &mut unit.members {
            self.leave(&mut member.seat);
            member.course = None;
        }
    }
}

/// A block of a cluster has ended, and its shared memory with it: what others did there must have come before.
fn end_of_member(seat: &mut Seat, rank: usize) {
    let world = &mut seat.world;
    let Some(cluster) = &mut world.cluster else {
        return;
    };
    cluster.blocks[rank].has_ended = true;
    let late = cluster
        .shadow
        .as_mut()
        .map_or_else(Vec::new, |shadow| shadow.end(rank));
    for deed in late {
        world.faults.note(Fault {
            kind: FindingKind::InvalidAddress,
            block: deed.block,
            place: deed.place,
            space: Some(Space::Shared),
            thread: deed.thread,
            address: Some(deed.address),
            access_bytes: deed.bytes,
            is_store: deed.is_store,
            count: 1,
            detail: Detail::OtherShared {
                rank: rank as u32,
                fault: ClusterFault::MayHaveEnded,
            },
        });
    }
}
