//! What one warp's atomic counts, by what the assembler makes of it. The rules for addresses are in `counters`.

use crate::counters;
use crate::counters::{Counters, Wavefronts};
use crate::program::access::{AccessShape, Assembled, AtomicOp};
use crate::program::kinds::WARP;
use crate::report::Space;

/// Bytes of what a compare-and-swap exchanges at least.
const WORD_BYTES: u32 = 4;

/// What an atomic counts.
#[derive(Debug, Default)]
pub(super) struct Cost {
    pub(super) executed: u64,
    pub(super) requests: u64,
    pub(super) sectors: u64,
    pub(super) wavefronts: u64,
    pub(super) bank_conflicts: u64,
    /// What else moves: the loads of a loop.
    pub(super) beside: Counters,
}

impl Cost {
    /// Of the lanes in `mask`, which has one.
    pub(super) fn new(
        shape: &AccessShape,
        space: Space,
        addresses: &[u64; WARP],
        mask: u32,
    ) -> Self {
        let lanes = match shape.assembled {
            Assembled::OneLane => 1 << mask.trailing_zeros(),
            _ => mask,
        };
        // What is smaller than a word is swapped with it.
        let words = addresses.map(|address| address & !u64::from(WORD_BYTES - 1));
        match (space, shape.assembled) {
            (Space::Shared, Assembled::Loop) => Self::shared_loop(shape, &words, lanes),
            (Space::Shared, _) => Self::shared(shape, addresses, lanes),
            (_, Assembled::Loop) => Self::global_loop(&words, lanes),
            _ => Self {
                executed: 1,
                requests: 1,
                sectors: u64::from(counters::atomic_sectors(addresses, lanes)),
                beside: Counters {
                    // A generic atomic passes by shared memory on its way, wherever it goes.
                    shared_atom_wavefronts: u64::from(shape.space.is_none()),
                    ..Counters::default()
                },
                ..Self::default()
            },
        }
    }

    /// Of lanes that all go to the shared memory of another block: as if none met another.
    pub(super) fn elsewhere(shape: &AccessShape, addresses: &[u64; WARP], mask: u32) -> Self {
        let passes = 1 + u32::from(shape.atomic == Some(AtomicOp::CompareAndSwap));
        let wavefronts = Wavefronts::atomic(addresses, mask, shape.bytes());
        Self {
            executed: 1,
            requests: 1,
            wavefronts: u64::from(passes * wavefronts.fewest),
            ..Self::default()
        }
    }

    fn shared(shape: &AccessShape, addresses: &[u64; WARP], lanes: u32) -> Self {
        let wavefronts = match shape.assembled {
            Assembled::EachWord => Wavefronts::masked(addresses, lanes, shape.bytes(), true),
            _ => Wavefronts::atomic(addresses, lanes, shape.bytes()),
        };
        // It reads and compares, then writes.
        let passes = 1 + u32::from(shape.atomic == Some(AtomicOp::CompareAndSwap));
        Self {
            executed: 1,
            requests: 1,
            wavefronts: u64::from(passes * wavefronts.taken),
            bank_conflicts: u64::from(wavefronts.bank_conflicts()),
            ..Self::default()
        }
    }

    /// Each round loads, and one lane of each bank swaps.
    fn shared_loop(shape: &AccessShape, addresses: &[u64; WARP], lanes: u32) -> Self {
        let bytes = shape.element.max(WORD_BYTES);
        let mut cost = Self::default();
        let mut waiting = lanes;
        while waiting != 0 {
            let load = Wavefronts::masked(addresses, waiting, bytes, false);
            cost.beside.shared_load_instructions += 1;
            cost.beside.shared_load_wavefronts += u64::from(load.taken);
            cost.beside.shared_load_bank_conflicts += u64::from(load.bank_conflicts());
            let swap = Wavefronts::atomic(addresses, waiting, bytes);
            cost.executed += 1;
            cost.requests += 1;
            cost.wavefronts += 2 * u64::from(swap.fewest);
            waiting &= !counters::lanes_of_different_banks(addresses, waiting, bytes);
        }
        cost
    }

    /// One load; then each round swaps, and one lane of each word succeeds.
    fn global_loop(words: &[u64; WARP], lanes: u32) -> Self {
        let mut cost = Self::default();
        cost.beside.global_load_instructions = 1;
        cost.beside.global_load_requests = 1;
        cost.beside.global_load_sectors = u64::from(counters::masked_sectors(words, lanes));
        let mut waiting = lanes;
        while waiting != 0 {
            cost.executed += 1;
            cost.requests += 1;
            cost.sectors += u64::from(counters::atomic_sectors(words, waiting));
            let mut left = 0;
            for lane in (0..WARP).filter(|lane| waiting & (1 << lane) != 0) {
                let earlier = waiting & ((1 << lane) - 1);
                let is_first = (0..lane)
                    .filter(|other| earlier & (1 << other) != 0)
                    .all(|other| words[other] != words[lane]);
                left |= u32::from(!is_first) << lane;
            }
            waiting = left;
        }
        cost
    }
}
