//! Accesses that met nothing, as long as nobody asks who did them: noted as a whole, and entered in `cells` only when another access meets them.

use std::rc::Rc;

use crate::check::cells::{Actor, Manner};
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};

/// Entries kept; with more, those that follow each other in the same step become one, and if that does not help, all are
/// entered in the cells.
const MOST: usize = 256;

/// So many of the last entries are looked at for one that another continues: a loop has no more accesses, mostly.
const NEAR: usize = 16;

/// One weak access of warps that did it in step.
#[derive(Debug, Clone)]
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
    /// Whether another is of the same instruction, by the same lanes in the same intervals, which lie to each other as here.
    fn is_like(&self, other: &Self) -> bool {
        self.place == other.place
            && self.buffer == other.buffer
            && self.is_store == other.is_store
            && (self.first_warp, self.warps, self.lanes)
                == (other.first_warp, other.warps, other.lanes)
            && (self.count, self.scale, self.stamps) == (other.count, other.scale, other.stamps)
            && (Rc::ptr_eq(&self.offsets, &other.offsets) || self.offsets == other.offsets)
    }

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

/// An access, and perhaps more of the same instruction by the same lanes, each so many granules further.
#[derive(Debug)]
pub(super) struct Run {
    noted: Noted,
    repeats: u32,
    step: u64,
}

impl Run {
    /// Each of the accesses.
    pub(super) fn each(&self, mut f: impl FnMut(&Noted)) {
        f(&self.noted);
        if self.repeats > 0 {
            let mut noted = self.noted.clone();
            for _ in 0..self.repeats {
                noted
                    .lowest
                    .iter_mut()
                    .for_each(|lowest| *lowest = lowest.wrapping_add(self.step));
                f(&noted);
            }
        }
    }

    /// Takes in an access that continues it. What is noted has met nothing: of a granule there are only loads here, all in
    /// the intervals of their warps, or one store, so that the order of entries does not matter.
    fn takes(&mut self, other: &Run) -> bool {
        if other.repeats > 0 || !self.noted.is_like(&other.noted) {
            return false;
        }
        let done = self.step.wrapping_mul(u64::from(self.repeats));
        let further = |warp: usize| {
            let (before, now) = (self.noted.lowest[warp], other.noted.lowest[warp]);
            now.wrapping_sub(before).wrapping_sub(done)
        };
        let step = further(self.noted.warps.trailing_zeros() as usize % GROUP_WARPS);
        let mut together = true;
        for_lanes(self.noted.warps, |warp| together &= further(warp) == step);
        if !together || self.repeats == u32::MAX {
            return false;
        }
        // The same once more.
        if step == 0 {
            return true;
        }
        if self.repeats > 0 && step != self.step {
            return false;
        }
        (self.step, self.repeats) = (step, self.repeats + 1);
        true
    }
}

/// What has been noted since the cells were last brought up to date.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<Run>,
}

impl Log {
    #[inline(always)]
    pub(super) fn note(&mut self, noted: Noted) {
        self.entries.push(Run {
            noted,
            repeats: 0,
            step: 0,
        });
    }

    /// Makes room for more; returns whether there is much.
    pub(super) fn compact(&mut self) -> bool {
        let mut kept: Vec<Run> = Vec::with_capacity(MOST);
        for run in self.entries.drain(..) {
            let mut near = kept.iter_mut().rev().take(NEAR);
            if !near.any(|other| other.takes(&run)) {
                kept.push(run);
            }
        }
        self.entries = kept;
        2 * self.entries.len() <= MOST
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
    pub(super) fn take(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.entries)
    }

    pub(super) fn give_back(&mut self, mut entries: Vec<Run>) {
        entries.clear();
        self.entries = entries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(place: u32, lowest: u64) -> Noted {
        Noted {
            buffer: Some(0),
            place,
            is_store: place == 2,
            first_warp: 0,
            warps: 3,
            lanes: u32::MAX,
            count: 1,
            lowest: [lowest, lowest + 32, 0, 0, 0, 0, 0, 0],
            stamps: [7; GROUP_WARPS],
            offsets: Rc::new(std::array::from_fn(|lane| lane as u32)),
            scale: 0,
        }
    }

    #[test]
    fn accesses_that_go_on_in_one_step_take_little_room_and_are_all_there() {
        let (mut log, mut expected) = (Log::default(), Vec::new());
        for round in 0..1000 {
            for (place, lowest) in [(1, 64 * round), (2, 1_000_000 - 32 * round), (3, 5)] {
                log.note(noted(place, lowest));
                expected.push((place, lowest));
            }
            if log.is_full() {
                assert!(log.compact());
            }
        }
        let mut found = Vec::new();
        for run in log.take() {
            run.each(|noted| found.push((noted.place, noted.lowest[0])));
        }
        found.sort_unstable();
        expected.sort_unstable();
        // The same once more is the same.
        found.dedup();
        expected.dedup();
        assert_eq!(found, expected);
    }

    #[test]
    fn accesses_without_a_step_make_no_room() {
        let mut log = Log::default();
        for number in 0..MOST as u64 {
            log.note(noted(number as u32 % 50, number * number));
        }
        assert!(!log.compact());
    }
}
