//! Asynchronous copies that have been started and not yet been waited for, as data. `operations::asynchronous` does them.

use std::collections::{BTreeMap, VecDeque};

use crate::machine::queue::Queue;
use crate::program::access::AtomicOp;
use crate::program::kinds::WARP;
use crate::tensor_map::{MOST_RANK, TensorMap};

/// The instruction that started a copy, and the thread of the block; a warp's first for all its lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) place: u32,
    pub(crate) thread: u32,
    /// In a programmatic dependent launch, before that thread has waited; of a warp's lanes, those that have not.
    pub(crate) early: u32,
}

impl Origin {
    pub(crate) fn warp(self) -> usize {
        self.thread as usize / WARP
    }
}

/// `cp.async` of a warp's lanes.
#[derive(Debug, Clone)]
pub(crate) struct LaneCopies {
    pub(crate) by: Origin,
    pub(crate) site: u32,
    /// In shared memory.
    pub(crate) target: [u32; WARP],
    /// In global memory.
    pub(crate) source: [u64; WARP],
    /// Bytes of the source; zeros follow.
    pub(crate) read: [u8; WARP],
    pub(crate) bytes: u8,
}

/// A bulk or tensor copy of one thread.
#[derive(Debug, Clone)]
pub(crate) struct Bulk {
    pub(crate) by: Origin,
    pub(crate) site: u32,
    /// Address in shared memory.
    pub(crate) shared: u32,
    pub(crate) bytes: u32,
    pub(crate) what: What,
    /// It comes unasked: by whom it was sent, and to whom.
    pub(crate) sent: Option<Sent>,
}

/// The ranks of the block that has sent a copy and of the one whose memory it goes to, and the mbarrier there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) by: u32,
    pub(crate) to: u32,
    pub(crate) barrier: u32,
}

/// What a bulk copy moves.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Nothing: a finding says why.
    Nothing,
    /// From global memory.
    Load { from: u64 },
    /// From elsewhere in shared memory.
    Move { from: u32 },
    /// Bytes that are known already, of whole words.
    Bytes {
        bytes: Vec<u8>,
        reduction: Option<Reduction>,
    },
    /// To global memory, where `reduction` says what becomes of the old value.
    Store {
        to: u64,
        reduction: Option<Reduction>,
    },
    LoadTile {
        map: TensorMap,
        at: [i32; MOST_RANK],
    },
    StoreTile {
        map: TensorMap,
        at: [i32; MOST_RANK],
        reduction: Option<Reduction>,
    },
}

/// How a reducing copy combines an element with what is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduction {
    pub(crate) op: AtomicOp,
    /// Of an element.
    pub(crate) bytes: u32,
}

/// What is tied to one mbarrier beside its word in shared memory.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    pub(crate) bulk: Vec<Bulk>,
    /// What completing all bulk copies since the phase began takes off the transaction count.
    pub(crate) bytes: i64,
    /// `cp.async.mbarrier.arrive`: warp, lanes, and the position in the warp's queue that they wait for.
    pub(crate) arrivals: Vec<(usize, u32, u64)>,
    /// How often it has been initialised, and the phases completed since.
    pub(crate) inits: u32,
    pub(crate) phases: u64,
    /// Warps of the block that have used it since, a bit each.
    pub(crate) met: u32,
}

impl Ties {
    pub(crate) fn arriving(&self) -> u32 {
        let lanes = self.arrivals.iter().map(|(_, lanes, _)| lanes.count_ones());
        lanes.sum()
    }
}

/// Warps of a warpgroup.
pub(crate) const WARPGROUP: usize = 4;

/// A `wgmma.mma_async` as a warp executes it: all warps of a warpgroup must ask for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) place: u32,
    /// The descriptors; 0 for A in registers.
    pub(crate) factors: [u64; 2],
    pub(crate) adds: bool,
}

/// What a `wgmma.mma_async` reads of shared memory, in a checked launch, until a warp has waited for it.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// Which of the warpgroup's it is.
    pub(crate) number: u64,
    pub(crate) by: Origin,
    /// Addresses of units of 16 bytes.
    pub(crate) units: Vec<u32>,
}

/// How far a warp of a warpgroup has come.
#[derive(Debug, Default)]
pub(crate) struct Member {
    /// How many `wgmma.mma_async` it has executed.
    pub(crate) reached: u64,
    /// In a checked launch, those that it has not waited for.
    pub(crate) queue: Queue<u64>,
    /// What their registers are marked by: the number of each, and the mark.
    pub(crate) marks: Vec<(u64, u32)>,
    /// A `wgmma.fence` orders what it did with registers.
    pub(crate) is_fenced: bool,
    /// Digests of the sums that its instructions have left in registers since then.
    pub(crate) sums: Vec<u64>,
}

/// Four warps that multiply together.
#[derive(Debug, Default)]
pub(crate) struct Warpgroup {
    pub(crate) members: [Member; WARPGROUP],
    /// What some warps have executed and others have yet to come to; the first is number `first`.
    pub(crate) asked: VecDeque<Asked>,
    pub(crate) first: u64,
    pub(crate) readings: Vec<Reading>,
}

/// The block's asynchronous work.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// `cp.async`, by warp of the block.
    pub(crate) copies: Vec<Queue<LaneCopies>>,
    /// Bulk copies from shared to global memory, by warp of the block.
    pub(crate) stores: Vec<Queue<Bulk>>,
    /// By warpgroup of the block, those that multiply.
    pub(crate) warpgroups: BTreeMap<usize, Warpgroup>,
    /// The mbarriers that are initialised, by address.
    pub(crate) barriers: BTreeMap<u32, Ties>,
    /// Counts what may let a waiting thread go on.
    pub(crate) changes: u64,
}

impl Pending {
    /// Forgets everything: a block starts.
    pub(crate) fn clear(&mut self) {
        self.copies.iter_mut().for_each(Queue::clear);
        self.stores.iter_mut().for_each(Queue::clear);
        self.warpgroups.clear();
        self.barriers.clear();
    }
}
