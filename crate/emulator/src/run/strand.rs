//! A strand: lanes of a group that run together, what it is about, and why it stopped. How its lanes part and rejoin is in the files here; what runs it is `interpret`.

mod split;
mod stack;
mod watch;

use crate::decode::emit::NO_JOIN;
use crate::machine::lanes::Lanes;
use crate::machine::world::Blocked;
use crate::program::kinds::{GROUP_WARPS, Mask, Slot, WARP, for_lanes};
use crate::program::{BarrierKind, ClusterBarrier, Program};
use crate::report::FindingKind;
use watch::Watch;

/// A number for a series of numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hash(pub(super) u64);

impl Hash {
    pub(super) fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Lanes that wait to run from `pc`, or run now if on top of the stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) pc: u32,
    /// Where the lanes leave this entry for the one below.
    pub(super) join: u32,
    pub(super) mask: Mask,
    /// Calls that the lanes are in.
    pub(super) depth: u32,
    /// Their frame of local memory: first byte, and the first behind it.
    pub(super) base: u32,
    pub(super) end: u32,
}

/// Lanes that run together.
#[derive(Debug)]
pub(super) struct Strand {
    pub(super) stack: Vec<Entry>,
    pub(super) state: State,
    /// Waiting accesses seen when it last used up a slice.
    pub(super) waits: u64,
    /// The wait in vain with which its last turn ended.
    pub(super) stalled: Option<Stall>,
    /// It may wait for others: it gets short turns until the next barrier.
    pub(super) spins: bool,
    pub(super) watch: Watch,
}

/// A wait in vain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stall {
    /// The instruction.
    pub(super) pc: u32,
    pub(super) blocked: Blocked,
}

/// What a strand is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Ready,
    Waiting(Arrival),
    Done,
}

/// A barrier that a strand has come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arrival {
    /// The barrier instruction.
    pub(super) pc: u32,
    pub(super) kind: BarrierKind,
    pub(super) barrier: u32,
    /// Threads to wait for; all of the block if `None`.
    pub(super) threads: Option<u32>,
    pub(super) predicate: Mask,
}

/// Why a strand stopped running.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pause {
    Exited,
    Barrier(Arrival),
    /// `barrier.cluster`
    Cluster(ClusterBarrier, u32),
    /// It has waited in vain: others have to do something.
    Blocked(Stall),
    /// It has run long enough; others may be waiting.
    Slice,
    /// The running lanes stop the launch; the world has the details.
    Fault {
        kind: FindingKind,
        place: u32,
    },
    /// A finding stops the launch.
    Stopped,
}

impl Strand {
    /// All threads at the start of the program; the stack is an empty one.
    pub(super) fn with_stack(mut stack: Vec<Entry>, mask: Mask, program: &Program) -> Self {
        stack.push(Entry {
            pc: 0,
            join: NO_JOIN,
            mask,
            depth: 0,
            base: 0,
            end: program.local_bytes,
        });
        Self {
            stack,
            state: State::Ready,
            waits: 0,
            stalled: None,
            spins: false,
            watch: Watch::default(),
        }
    }

    /// A number for all that decides what the strand does next, but for memory.
    pub(super) fn state_hash(&self, lanes: &Lanes, program: &Program) -> u64 {
        let mut hash = Hash::default();
        self.visit_state(lanes, program, &mut |value| hash.add(value));
        hash.0
    }

    /// All that decides what the strand does next, but for memory: where its lanes are, and their registers.
    pub(super) fn visit_state(&self, lanes: &Lanes, program: &Program, add: &mut impl FnMut(u64)) {
        for entry in &self.stack {
            add(u64::from(entry.pc) << 32 | u64::from(entry.base));
            entry.mask.iter().for_each(|lanes| add(u64::from(*lanes)));
        }
        let mask = self.live();
        for (warp, lanes_here) in mask.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            (lanes.preds.iter()).for_each(|holds| add(u64::from(holds[warp] & lanes_here)));
            for_lanes(*lanes_here, |lane| {
                let at = warp * WARP + lane;
                for slot in 0..program.word_slots {
                    add(u64::from(lanes.words.source(slot as Slot)[at]));
                }
                for slot in 0..program.long_slots {
                    add(lanes.longs.source(slot as Slot)[at]);
                }
            });
        }
    }

    /// Its lanes, which have not exited.
    pub(super) fn live(&self) -> Mask {
        let mut live = [0; GROUP_WARPS];
        for entry in &self.stack {
            for (live, lanes) in live.iter_mut().zip(entry.mask) {
                *live |= lanes;
            }
        }
        live
    }

    /// The lanes that run, or wait at a barrier.
    pub(super) fn mask(&self) -> Mask {
        self.stack.last().map_or([0; GROUP_WARPS], |top| top.mask)
    }
}
