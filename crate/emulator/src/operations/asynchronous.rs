//! Asynchronous copies that have been started and not yet been waited for, and what happens when they are.
//!
//! A copy takes place as late as a program that waits for it can see: when the wait that covers it is
//! executed, it reads its source and writes its destination. So a missing wait shows: the destination still
//! holds what it held, and a source that is overwritten too early gives the new values. What nobody waits for
//! is stored to global memory when the block ends. The instructions are in `copy`, `bulk` and `mbarrier`.

mod idle;
mod multiply;
mod transfer;

use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Bulk, LaneCopies, What};
use crate::machine::queue::Queue;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::kinds::{WARP, for_lanes};
use crate::report::{Detail, FindingKind, Space};

/// What sets mbarriers apart from other objects by which warps order themselves.
const MBARRIERS: u64 = 1 << 62;

/// Bulk copies kept for one mbarrier at most; beyond, the oldest is done.
const MOST_BULK: usize = 4096;

/// The queue of a warp, which may be its first.
fn of_warp<W>(queues: &mut Vec<Queue<W>>, warp: usize) -> &mut Queue<W> {
    if queues.len() <= warp {
        queues.resize_with(warp + 1, Queue::default);
    }
    &mut queues[warp]
}

impl World<'_> {
    // ---- cp.async ----

    pub(crate) fn start_copies(&mut self, warp: usize, lanes: u32, copies: LaneCopies) {
        self.begin_lanes(lanes, &copies);
        if let Some((lanes, copies)) = of_warp(&mut self.pending.copies, warp).start(lanes, copies)
        {
            self.copy_lanes(lanes, &copies);
        }
    }

    pub(crate) fn commit_copies(&mut self, warp: usize, lanes: u32) {
        if let Some((lanes, copies)) = of_warp(&mut self.pending.copies, warp).commit(lanes) {
            self.copy_lanes(lanes, &copies);
        }
    }

    /// Waits until at most so many of each lane's groups are left; for `None`, until nothing is.
    pub(crate) fn wait_for_copies(&mut self, warp: usize, lanes: u32, groups: Option<u32>) {
        let mut queue = std::mem::take(of_warp(&mut self.pending.copies, warp));
        for_each_due(&queue, lanes, groups).for_each(|(lanes, before)| {
            queue.take(lanes, before, |lanes, copies| {
                self.copy_lanes(lanes, copies)
            });
        });
        self.pending.copies[warp] = queue;
    }

    // ---- bulk copies that a group waits for ----

    pub(crate) fn start_store(&mut self, warp: usize, lane: usize, bulk: Bulk) {
        self.begin(&bulk);
        if let Some((_, bulk)) = of_warp(&mut self.pending.stores, warp).start(1 << lane, bulk) {
            self.perform(&bulk);
        }
    }

    pub(crate) fn commit_stores(&mut self, warp: usize, lanes: u32) {
        if let Some((_, bulk)) = of_warp(&mut self.pending.stores, warp).commit(lanes) {
            self.perform(&bulk);
        }
    }

    pub(crate) fn wait_for_stores(&mut self, warp: usize, lanes: u32, groups: Option<u32>) {
        let mut queue = std::mem::take(of_warp(&mut self.pending.stores, warp));
        for_each_due(&queue, lanes, groups).for_each(|(lanes, before)| {
            queue.take(lanes, before, |_, bulk| self.perform(bulk));
        });
        self.pending.stores[warp] = queue;
    }

    /// The block ends: what was to be stored is, though nobody has waited until its source was read.
    pub(crate) fn finish_stores(&mut self) {
        for warp in 0..self.pending.stores.len() {
            let mut queue = std::mem::take(&mut self.pending.stores[warp]);
            queue.take(u32::MAX, queue.end(), |_, bulk| {
                self.perform(bulk);
                self.left_behind(bulk);
            });
            self.pending.stores[warp] = queue;
        }
    }

    /// A bulk copy whose shared memory goes with its block.
    fn left_behind(&mut self, bulk: &Bulk) {
        if self.check.is_none() || matches!(bulk.what, What::Nothing) {
            return;
        }
        self.fault(Fault {
            kind: FindingKind::Race,
            block: self.block,
            place: bulk.by.place,
            space: Some(Space::Shared),
            thread: bulk.by.thread,
            address: Some(u64::from(bulk.shared)),
            access_bytes: bulk.bytes,
            is_store: false,
            count: 1,
            detail: Detail::LeftBehind,
        });
    }

    // ---- what is tied to an mbarrier ----

    /// Ties a copy to the mbarrier at an address, which is initialised.
    pub(crate) fn tie(&mut self, barrier: u32, bulk: Bulk) {
        self.begin(&bulk);
        let ties = self.pending.barriers.entry(barrier).or_default();
        ties.bytes += i64::from(bulk.bytes);
        ties.bulk.push(bulk);
        let oldest = (ties.bulk.len() > MOST_BULK).then(|| ties.bulk.remove(0));
        if let Some(oldest) = oldest {
            self.perform(&oldest);
        }
        self.pending.changes += 1;
    }

    /// Lanes arrive at an mbarrier when all copies that they have started are done.
    pub(crate) fn tie_arrival(&mut self, barrier: u32, warp: usize, lane: usize) {
        let end = of_warp(&mut self.pending.copies, warp).end();
        let ties = self.pending.barriers.entry(barrier).or_default();
        match ties.arrivals.last_mut() {
            Some((other, lanes, position))
                if (*other, *position) == (warp, end) && *lanes & (1 << lane) == 0 =>
            {
                *lanes |= 1 << lane;
            }
            _ => ties.arrivals.push((warp, 1 << lane, end)),
        }
        self.pending.changes += 1;
    }

    /// Does everything that is tied to an mbarrier.
    pub(crate) fn untie(&mut self, barrier: u32) {
        let Some(ties) = self.pending.barriers.get_mut(&barrier) else {
            return;
        };
        let (bulk, arrivals) = (
            std::mem::take(&mut ties.bulk),
            std::mem::take(&mut ties.arrivals),
        );
        ties.bytes = 0;
        for bulk in &bulk {
            self.perform(bulk);
            if bulk.sent.is_none() {
                self.tell(bulk.by.warp(), barrier);
            }
        }
        for (warp, lanes, before) in arrivals {
            let mut queue = std::mem::take(of_warp(&mut self.pending.copies, warp));
            queue.take(lanes, before, |lanes, copies| {
                self.copy_lanes(lanes, copies)
            });
            self.pending.copies[warp] = queue;
            self.tell(warp, barrier);
        }
    }

    // ---- what a launch's checks are told ----

    /// What a warp did so far is known to those who wait at an mbarrier.
    pub(crate) fn tell(&mut self, warp: usize, barrier: u32) {
        if let Some(shadow) = &mut self.check {
            shadow.release(warp, MBARRIERS | u64::from(barrier));
        }
    }

    /// A warp has waited at an mbarrier.
    pub(crate) fn learn(&mut self, warp: usize, barrier: u32) {
        if let Some(shadow) = &mut self.check {
            shadow.acquire(warp, MBARRIERS | u64::from(barrier));
        }
        self.learn_from_cluster(warp, barrier);
    }

    // ---- findings ----

    /// A copy or an mbarrier is used against its rules.
    #[cold]
    pub(crate) fn broken(&mut self, lanes: &Lanes, inst: &Inst, at: usize, broken: Broken) {
        self.fault(Fault {
            kind: broken.kind,
            block: self.block,
            place: inst.place,
            space: Some(broken.space),
            thread: (lanes.first_warp * WARP + at) as u32,
            address: Some(broken.address),
            access_bytes: broken.bytes,
            is_store: broken.is_store,
            count: 1,
            detail: broken
                .rule
                .map_or(Detail::None, |rule| Detail::Rule { rule }),
        });
    }
}

/// What is wrong with an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Broken {
    pub(crate) kind: FindingKind,
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_store: bool,
    /// In words, where the kind does not say it.
    pub(crate) rule: Option<&'static str>,
}

/// The lanes with the positions up to which their work is due, those with the same together.
fn for_each_due<W>(
    queue: &Queue<W>,
    lanes: u32,
    groups: Option<u32>,
) -> std::vec::IntoIter<(u32, u64)> {
    let mut parts: Vec<(u32, u64)> = Vec::new();
    for_lanes(lanes, |lane| {
        let due = match groups {
            Some(groups) => queue.due(lane, groups),
            None => queue.end(),
        };
        match parts.iter_mut().find(|(_, other)| *other == due) {
            Some((lanes, _)) => *lanes |= 1 << lane,
            None => parts.push((1 << lane, due)),
        }
    });
    parts.into_iter()
}
