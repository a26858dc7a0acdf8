//! The shadow of a cluster: what happened before what among its blocks, at the cluster's barrier and at mbarriers. What they do to each other's shared memory is in `remote` and `sent`.
//!
//! Each block's own accesses are in its own shadow; here are those by others. A block knows of another up to certain
//! intervals of its warps. Two kinds of knowing are kept apart: a relaxed barrier says that a block has begun, or will not
//! end before, but nothing of what is in memory.

use std::collections::HashMap;

use crate::check::block::BlockShadow;
use crate::check::cells::Actor;
use crate::check::clocks::each;
use crate::check::known::{Knowledge, join};
use crate::check::parcels::Parcels;
use crate::program::space::in_block;
use crate::sorted::sort_by_key;

/// An access to another block's shared memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Remote {
    /// Rank of the block that does it, and of the one whose memory it is.
    pub(crate) by: usize,
    pub(crate) owner: usize,
    pub(crate) lane: usize,
    /// In the owner's memory.
    pub(crate) offset: u64,
}

/// The last access of its kind by a block to a granule of another's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deed {
    pub(super) by: usize,
    pub(super) block: u64,
    pub(super) actor: Actor,
    pub(super) stamp: u32,
    pub(super) writes: bool,
    pub(super) is_strong: bool,
    pub(super) bytes: u32,
}

/// An access that nothing keeps from coming after the end of the block whose memory it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Late {
    pub(crate) block: u64,
    pub(crate) place: u32,
    pub(crate) thread: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_store: bool,
}

/// What is known of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterShadow {
    /// Of each block, what it knows of the others.
    pub(super) knows: Vec<Knowledge>,
    /// What those tell that have arrived at the barrier in this phase, and what was told in the last.
    arrived: Knowledge,
    passed: Knowledge,
    /// What was told at mbarriers, by rank of their block and address.
    told: HashMap<(u32, u32), Knowledge>,
    /// By rank of the owner and granule.
    pub(super) deeds: Vec<Vec<Vec<Deed>>>,
    /// By rank of the owner, what others send there by asynchronous copies.
    pub(super) parcels: Vec<Parcels>,
    /// log2 of the bytes of a granule.
    pub(super) shift: u32,
}

impl ClusterShadow {
    /// Of so many blocks that begin.
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            knows: vec![Knowledge::of(blocks); blocks],
            arrived: Knowledge::of(blocks),
            passed: Knowledge::of(blocks),
            deeds: vec![Vec::new(); blocks],
            parcels: (0..blocks).map(|_| Parcels::default()).collect(),
            ..Self::default()
        }
    }

    /// All that a warp of a block knows to have happened, its own accesses included.
    fn told_by(&self, rank: usize, warp: usize, shadow: &BlockShadow) -> Knowledge {
        let mut knowledge = self.knows[rank].clone();
        let own = shadow.clocks.up_to_now(warp);
        knowledge.memory[rank] = own;
        knowledge.course[rank] = own;
        knowledge
    }

    /// Warps of a block arrive at the barrier.
    pub(crate) fn arrive(
        &mut self,
        rank: usize,
        warps: u32,
        is_relaxed: bool,
        shadow: &BlockShadow,
    ) {
        for warp in each(warps) {
            let told = self.told_by(rank, warp, shadow);
            if is_relaxed {
                join(&mut self.arrived.course, &told.course);
            } else {
                self.arrived.join(&told);
            }
        }
    }

    /// All blocks have arrived.
    pub(crate) fn complete(&mut self) {
        let next = Knowledge::of(self.knows.len());
        self.passed = std::mem::replace(&mut self.arrived, next);
    }

    /// A block goes on from the barrier.
    pub(crate) fn pass(&mut self, rank: usize) {
        self.knows[rank].join(&self.passed);
    }

    /// A warp of a block arrives at an mbarrier of another.
    pub(crate) fn release(
        &mut self,
        (rank, warp): (usize, usize),
        mbarrier: (u32, u32),
        shadow: &mut BlockShadow,
    ) {
        let told = self.told_by(rank, warp, shadow);
        let blocks = self.knows.len();
        let known = self
            .told
            .entry(mbarrier)
            .or_insert_with(|| Knowledge::of(blocks));
        known.join(&told);
        // What it does next is not among it.
        shadow.meet(warp);
    }

    /// A warp of a block has waited at an mbarrier of the block.
    pub(crate) fn acquire(
        &mut self,
        (rank, warp): (usize, usize),
        mbarrier: (u32, u32),
        shadow: &BlockShadow,
    ) {
        self.parcels[rank].learn(warp, mbarrier.1, &shadow.clocks);
        if let Some(told) = self.told.get(&mbarrier) {
            self.knows[rank].join(told);
        }
    }

    /// A block ends: the accesses of others to its memory that it does not know to be over.
    pub(crate) fn end(&mut self, rank: usize) -> Vec<Late> {
        let course = &self.knows[rank].course;
        let mut late: Vec<Late> = Vec::new();
        for (granule, deeds) in self.deeds[rank].iter().enumerate() {
            let is_over = |deed: &&Deed| deed.stamp <= course[deed.by][deed.actor.warp()];
            for deed in deeds.iter().filter(|deed| !is_over(deed)) {
                late.push(Late {
                    block: deed.block,
                    place: deed.actor.place(),
                    thread: deed.actor.thread(),
                    address: in_block((granule as u64) << self.shift, rank as u32),
                    bytes: deed.bytes,
                    is_store: deed.writes,
                });
            }
        }
        for (start, parcel) in self.parcels[rank].under_way() {
            late.push(Late {
                block: parcel.block,
                place: parcel.actor.place(),
                thread: parcel.actor.thread(),
                address: in_block(start, rank as u32),
                bytes: parcel.bytes,
                is_store: true,
            });
        }
        sort_by_key(&mut late, |late| {
            (late.block, late.place, late.thread, late.address)
        });
        late
    }
}
