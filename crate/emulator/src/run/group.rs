//! A group of a block: warps that run together as strands, and how many threads and warps its masks name. When a strand gets its turn is in `block`.

use crate::machine::lanes::Lanes;
use crate::machine::row::Row;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, POISON, WARP};
use crate::report::{Detail, FindingKind};
use crate::run::strand::Strand;

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
    pub(super) fn live(&self) -> Mask {
        let mut live = [0; GROUP_WARPS];
        for strand in &self.strands {
            for (live, lanes) in live.iter_mut().zip(strand.live()) {
                *live |= lanes;
            }
        }
        live
    }

    /// Takes apart the strands that wait in vain: the lanes that wait, and the others.
    pub(super) fn split_stalled(&mut self) {
        let stalled = self
            .strands
            .iter_mut()
            .filter(|strand| strand.stalled.is_some());
        let others: Vec<Strand> = stalled.filter_map(Strand::split).collect();
        self.strands.extend(others);
    }

    pub(super) fn start(&mut self, world: &World) {
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
        if world.check.is_some() {
            self.hold_unset(world);
        }
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

impl Group {
    /// The registers that a thread may read before it has set them: who uses what is in them is told.
    fn hold_unset(&mut self, world: &World) {
        for register in &world.program.cleared {
            for (warp, lanes) in self
                .threads
                .iter()
                .enumerate()
                .filter(|(_, lanes)| **lanes != 0)
            {
                let mut mask = [0; GROUP_WARPS];
                mask[warp] = *lanes;
                let fault = Fault {
                    kind: FindingKind::Uninitialized,
                    block: world.block,
                    place: 0,
                    space: None,
                    thread: self.lanes.thread(warp * WARP),
                    address: None,
                    access_bytes: 0,
                    is_store: false,
                    count: 0,
                    detail: Detail::Unset,
                };
                self.lanes
                    .undefined
                    .hold(fault, &mask, std::iter::once(*register));
            }
        }
    }
}

/// Strands that go on from the same place, by the same calls, go on together.
pub(super) fn merge(strands: &mut Vec<Strand>) {
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

pub(super) fn lanes_in(mask: &Mask) -> u32 {
    mask.iter().map(|lanes| lanes.count_ones()).sum()
}

/// The warps of the block that a mask of a group has lanes of, one bit each.
pub(super) fn warps_in(first_warp: usize, mask: &Mask) -> u32 {
    let here = mask
        .iter()
        .enumerate()
        .filter(|(_, lanes)| **lanes != 0)
        .fold(0u32, |warps, (warp, _)| warps | 1 << warp);
    here << first_warp
}

/// Threads as `bar` with a count counts them: whole warps.
pub(super) fn warp_threads(mask: &Mask) -> u32 {
    mask.iter()
        .map(|lanes| u32::from(*lanes != 0) * WARP as u32)
        .sum()
}
