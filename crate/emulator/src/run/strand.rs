//! A strand: lanes of a group that run together, what it is about, and why it stopped. How its lanes part and rejoin is in the files here; what runs it is `interpret`.

mod split;
mod stack;
mod watch;

use crate::decode::emit::NO_JOIN;
use crate::machine::deciding::{Asked, Stored};
use crate::machine::lanes::Lanes;
use crate::machine::world::{Blocked, World};
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, Slot, WARP, for_lanes};
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
    /// Fewest entries of the stack since its turn began: those below the last of them have not run since.
    pub(super) fewest: usize,
    /// Turns in a row in which it has waited, and lanes of its warps have waited for it.
    pub(super) held: u32,
    /// Instructions of a round of the loop in which it used up its last slice; 0 if that is not known.
    pub(super) round: u64,
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
            fewest: 0,
            held: 0,
            round: 0,
            watch: Watch::default(),
        }
    }

    /// A number for all that decides what the strand does next, but for memory.
    pub(super) fn state_hash(&self, lanes: &Lanes, world: &mut World) -> u64 {
        let mut hash = Hash::default();
        let asked = Asked {
            stored: Stored::Counts,
            is_limited: false,
        };
        self.visit_state(lanes, world, asked, &mut |value| hash.add(value));
        hash.0
    }

    /// All that decides what the strand does next if it goes round in a circle, but for memory: where its lanes are, and
    /// their registers.
    pub(super) fn visit_state(
        &self,
        lanes: &Lanes,
        world: &mut World,
        asked: Asked,
        add: &mut impl FnMut(u64),
    ) {
        for entry in &self.stack {
            add(u64::from(entry.pc) << 32 | u64::from(entry.base));
            entry.mask.iter().for_each(|lanes| add(u64::from(*lanes)));
        }
        let (program, code) = (world.program, world.code);
        // A lane goes on from the innermost place at which it is.
        let mut above = [0; GROUP_WARPS];
        for entry in self.stack.iter().rev() {
            let mut mask = entry.mask;
            for (lanes, above) in mask.iter_mut().zip(&mut above) {
                *lanes &= !*above;
                *above |= *lanes;
            }
            match world.deciding.at(program, code, entry.pc, asked) {
                Some(ways) => visit_registers(lanes, &mask, ways.registers.iter().copied(), add),
                None => visit_registers(lanes, &mask, all_registers(program), add),
            }
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

/// What is in some registers of these lanes.
fn visit_registers(
    lanes: &Lanes,
    mask: &Mask,
    registers: impl Iterator<Item = (FileKind, Slot)>,
    add: &mut impl FnMut(u64),
) {
    for (file, slot) in registers {
        for (warp, here) in mask.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            if file == FileKind::Preds {
                add(u64::from(lanes.preds[usize::from(slot)][warp] & here));
                continue;
            }
            for_lanes(*here, |lane| {
                let at = warp * WARP + lane;
                add(match file {
                    FileKind::Longs => lanes.longs.source(slot)[at],
                    _ => u64::from(lanes.words.source(slot)[at]),
                });
            });
        }
    }
}

/// All registers of a program.
fn all_registers(program: &Program) -> impl Iterator<Item = (FileKind, Slot)> {
    let files = [
        (FileKind::Preds, program.pred_slots),
        (FileKind::Words, program.word_slots),
        (FileKind::Longs, program.long_slots),
    ];
    (files.into_iter()).flat_map(|(file, slots)| (0..slots).map(move |slot| (file, slot as Slot)))
}
