//! Accesses that met nothing, as long as nobody asks who did them: noted as a whole, and entered in `cells` only when another access meets them.

use std::rc::Rc;

use crate::check::cells::{Actor, Manner};
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};

/// Entries kept; with more, all are entered in the cells.
const MOST: usize = 256;

/// One weak access of warps that did it in step.
#[derive(Debug)]
pub(super) struct Noted {
    /// The buffer; `None` for shared memory.
    pub(super) buffer: Option<u32>,
    pub(super) place: u32,
    pub(super) is_store: bool,
    /// The first warp of the group, in the block.
    pub(super) first_warp: usize,
    /// The warps of the group that took part, one bit each.
    pub(super) warps: u32,
    /// Their lanes that did.
    pub(super) lanes: u32,
    /// Granules of each lane.
    pub(super) count: u32,
    /// Each warp's lowest granule, and the interval in which it was.
    pub(super) lowest: [u64; GROUP_WARPS],
    pub(super) stamps: [u32; GROUP_WARPS],
    /// From there to each lane's first granule, in units of `1 << scale` granules.
    pub(super) offsets: Rc<[u32; WARP]>,
    pub(super) scale: u32,
}

impl Noted {
    /// Each lane's first granule, who accessed it, and when.
    pub(super) fn for_each(&self, mut f: impl FnMut(u64, Actor, usize, u32)) {
        for_lanes(self.warps, |number| {
            let warp = self.first_warp + number;
            let first = Actor::new(self.place, (warp * WARP) as u32, Manner::Weak);
            for_lanes(self.lanes, |lane| {
                let at = self.lowest[number] + (u64::from(self.offsets[lane]) << self.scale);
                f(at, first.plus(lane as u32), warp, self.stamps[number]);
            });
        });
    }
}

/// What has been noted since the cells were last brought up to date.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<Noted>,
}

impl Log {
    #[inline(always)]
    pub(super) fn note(&mut self, noted: Noted) {
        self.entries.push(noted);
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= MOST
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Takes the entries out; [`Log::give_back`] returns their memory.
    pub(super) fn take(&mut self) -> Vec<Noted> {
        std::mem::take(&mut self.entries)
    }

    pub(super) fn give_back(&mut self, mut entries: Vec<Noted>) {
        entries.clear();
        self.entries = entries;
    }
}
