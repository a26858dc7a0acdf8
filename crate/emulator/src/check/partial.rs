//! What happened before what among the lanes of a warp that meet in parts: `__syncwarp(mask)` orders the lanes of its mask, and no others. Of warps whose lanes have only met as a whole nothing is kept.
//!
//! PTX ISA, `bar.warp.sync`: memory accesses are ordered among the threads that take part in the barrier.

use crate::program::kinds::{WARP, for_lanes};

/// For each lane of a warp, up to which stamp it knows what each other lane did.
type Known = [[u32; WARP]; WARP];

/// A warp of which some lanes have met since it last met as a whole.
#[derive(Debug)]
struct Parted {
    known: Known,
    /// Place and mask of each lane's last meeting.
    last: [Option<(u32, u32)>; WARP],
}

/// The warps of a block that have met in parts.
#[derive(Debug, Default)]
pub(super) struct PartialMeets {
    /// One bit each.
    warps: u32,
    parted: Vec<Option<Box<Parted>>>,
}

impl PartialMeets {
    /// These warps, one bit each, have met as a whole.
    #[inline(always)]
    pub(super) fn forget(&mut self, warps: u32) {
        self.warps &= !warps;
    }

    /// Whether lanes of the warp have met in parts since it last met as a whole.
    #[inline(always)]
    pub(super) fn has_met(&self, warp: usize) -> bool {
        self.warps >> warp & 1 != 0
    }

    /// The members of a mask meet; the warp's interval ends with that, and its next one begins.
    pub(super) fn meet(
        &mut self,
        warp: usize,
        (before, next): (u32, u32),
        (place, members): (u32, u32),
    ) {
        if self.parted.len() <= warp {
            self.parted.resize_with(warp + 1, || None);
        }
        let parted = self.parted[warp].get_or_insert_with(|| {
            Box::new(Parted {
                known: [[0; WARP]; WARP],
                last: [None; WARP],
            })
        });
        if self.warps >> warp & 1 == 0 {
            self.warps |= 1 << warp;
            parted.known = [[before; WARP]; WARP];
            parted.last = [None; WARP];
        }
        let mut joined = [0; WARP];
        for_lanes(members, |lane| {
            for (joined, known) in joined.iter_mut().zip(parted.known[lane]) {
                *joined = known.max(*joined);
            }
        });
        for_lanes(members, |lane| joined[lane] = next);
        for_lanes(members, |lane| {
            parted.known[lane] = joined;
            parted.last[lane] = Some((place, members));
        });
    }

    /// Whether what one lane of the warp did in an interval comes before what another does now.
    pub(super) fn is_ordered(&self, warp: usize, interval: u32, earlier: u32, later: u32) -> bool {
        let lane = |thread: u32| thread as usize % WARP;
        self.parted[warp]
            .as_ref()
            .is_none_or(|parted| interval < parted.known[lane(later)][lane(earlier)])
    }

    /// Place and mask of the last meeting in part of a thread's lane.
    pub(super) fn last(&self, thread: u32) -> Option<(u32, u32)> {
        let warp = thread as usize / WARP;
        let parted = self.parted.get(warp)?.as_ref()?;
        self.has_met(warp)
            .then_some(parted.last[thread as usize % WARP])?
    }
}
