//! Accesses of a lane by itself to words, as the interpreter's way for one lane has them. Where it meets accesses that it may race with, it is left to the way lane by lane.

use std::rc::Rc;

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner, View};
use crate::check::log::Noted;
use crate::check::marks::SEGMENT;
use crate::memory::Buffer;
use crate::program::kinds::{GROUP_WARPS, WARP};

/// An access of one lane to words of one buffer or of shared memory, before it is done.
pub(crate) struct LaneTouch<'t> {
    pub(crate) place: u32,
    /// The warp in the block, and the lane there.
    pub(crate) warp: usize,
    pub(crate) lane: usize,
    /// The buffer and its index; `None` for shared memory.
    pub(crate) buffer: Option<(usize, &'t Buffer)>,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_store: bool,
    /// It is a load past the caches that stores go through.
    pub(crate) is_constant: bool,
}

impl BlockShadow<'_> {
    /// Takes the access, if it races with nothing whatever it stores; else the caller must show it in the other way.
    pub(crate) fn take_lane(&mut self, touch: &LaneTouch) -> bool {
        let (is_shared, stores) = (touch.buffer.is_none(), touch.is_store);
        if is_shared && !self.flights.is_empty() || stores && self.sources.has_any(is_shared) {
            return false;
        }
        let first = touch.address >> self.shift;
        let count = u64::from(touch.bytes >> self.shift);
        let (alone, known) = match touch.buffer {
            None => {
                let alone = self.shared_marks.mark(first, count, stores);
                let mut all = first as usize..(first + count) as usize;
                let known = stores || all.all(|at| self.shared_marks.is_written(at));
                (alone, known)
            }
            Some(buffer) => (
                self.mark_global(buffer, (first, count), stores, touch.is_constant),
                stores || self.is_known(buffer.0, (first, count)),
            ),
        };
        if !known || !alone && touch.is_constant {
            return false;
        }
        // A block of one thread has nobody to race with within it, and other blocks ask only in a second run.
        if self.has_one_thread && self.grid.is_first() && !self.sources.needs_stores() {
            return true;
        }
        if alone {
            self.note_single(touch, first, count);
            return true;
        }
        self.pass_cell(touch, first, count)
    }

    fn note_single(&mut self, touch: &LaneTouch, first: u64, count: u64) {
        let number = touch.warp % GROUP_WARPS;
        let mut noted = Noted {
            buffer: touch.buffer.map(|(index, _)| index as u32),
            place: touch.place,
            is_store: touch.is_store,
            first_warp: touch.warp - number,
            warps: 1 << number,
            lanes: 1 << touch.lane,
            count: count as u32,
            lowest: [0; GROUP_WARPS],
            stamps: [0; GROUP_WARPS],
            offsets: Rc::clone(&self.no_offsets),
            scale: 0,
        };
        noted.lowest[number] = first;
        noted.stamps[number] = self.clocks.interval(touch.warp);
        self.note(noted);
    }

    /// Notes the access in its cells, if it races with nothing there.
    fn pass_cell(&mut self, touch: &LaneTouch, first: u64, count: u64) -> bool {
        self.settle();
        let cell = match touch.buffer {
            None => first as usize,
            Some((index, _)) => {
                // A lane's granules lie in one segment, which is aligned to more than they are long.
                let slot = self.segments.slot(first / SEGMENT as u64, index as u32);
                self.segments.cell(slot, first)
            }
        };
        let (view, thread) = (
            View {
                clocks: &self.clocks,
                warp: touch.warp,
            },
            (touch.warp * WARP + touch.lane) as u32,
        );
        let by = Actor::new(touch.place, thread, Manner::Weak);
        let cells = match touch.buffer {
            Some(_) => &mut self.segments.cells,
            None => &mut self.shared,
        };
        let granules = cell..cell + count as usize;
        let races = |at: usize| match touch.is_store {
            true => cells.race_of_store(at, view, by, false, None).is_some(),
            false => cells.race_of_load(at, view, by, None).is_some(),
        };
        if granules.clone().any(races) {
            return false;
        }
        let now = view.clocks.interval(touch.warp);
        for at in granules {
            match touch.is_store {
                true => cells.note_store(at, by, now),
                false => cells.note_load(at, view, by, now),
            }
        }
        true
    }
}
