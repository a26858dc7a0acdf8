//! What asynchronous copies and products do to ranges of memory, taken as one access where nothing is wrong with it. All else is left to be shown piece by piece, to `lanes`.

use std::ops::Range;
use std::rc::Rc;

use crate::check::Around;
use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner, View};
use crate::check::log::Noted;
use crate::memory::{is_shared, locate};
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::Space;

/// A range that a copy is about to access, as the thread that started it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyTouch {
    pub(crate) space: Space,
    pub(crate) place: u32,
    /// Thread of the block.
    pub(crate) thread: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) act: CopyAct,
}

/// What a copy does to a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyAct {
    /// Will write.
    Begin,
    Read,
    Write,
}

impl BlockShadow<'_> {
    /// Takes what a copy does to a range, unless it races with something or reads what nothing has written: then nothing
    /// is taken, and the caller must show the range piece by piece.
    pub(crate) fn take_copy(&mut self, touch: &CopyTouch, around: &Around) -> bool {
        let width = self.granule() as u64;
        let is_whole = touch.address.is_multiple_of(width) && touch.bytes.is_multiple_of(width);
        is_whole
            && match (touch.space, touch.act) {
                (Space::Shared, _) => self.take_shared(touch, around),
                (Space::Global, CopyAct::Read) => self.take_global_read(touch, around),
                _ => false,
            }
    }

    /// Takes what a product reads of shared memory, each unit for the next lane of a warp, under the same condition.
    pub(crate) fn take_units(
        &mut self,
        (place, warp): (u32, usize),
        units: &[u32],
        unit_bytes: u32,
        around: &Around,
    ) -> bool {
        let bytes = u64::from(unit_bytes);
        let exists = |unit: &u32| {
            let (all, gaps) = (around.shared_bytes, around.shared_gaps);
            unit.is_multiple_of(unit_bytes) && is_shared(u64::from(*unit), bytes, all, gaps)
        };
        if !units.iter().all(exists) {
            return false;
        }
        self.settle();
        let first = Actor::new(place, (warp * WARP) as u32, Manner::Weak);
        let (count, shift) = ((unit_bytes >> self.shift) as usize, self.shift);
        let each = |lane: usize| {
            let at = (units[lane] >> shift) as usize;
            (at..at + count, first.plus(lane as u32))
        };
        let lanes = 0..units.len().min(WARP);
        let is_sound = lanes
            .clone()
            .map(each)
            .all(|(range, by)| self.may(CopyAct::Read, range, warp, by));
        if is_sound {
            lanes
                .map(each)
                .for_each(|(range, by)| self.enter_copy(CopyAct::Read, range, warp, by));
        }
        is_sound
    }

    fn take_shared(&mut self, touch: &CopyTouch, around: &Around) -> bool {
        let (address, bytes) = (touch.address, touch.bytes);
        if !is_shared(address, bytes, around.shared_bytes, around.shared_gaps) {
            return false;
        }
        if touch.act == CopyAct::Begin
            && self.sources.has_any(true)
            && self.reader_of(address, bytes).is_some()
        {
            return false;
        }
        self.settle();
        let warp = touch.thread as usize / WARP;
        let by = Actor::new(touch.place, touch.thread, Manner::Weak);
        let range = (address >> self.shift) as usize..((address + bytes) >> self.shift) as usize;
        let is_sound = self.may(touch.act, range.clone(), warp, by);
        if is_sound {
            self.enter_copy(touch.act, range, warp, by);
        }
        is_sound
    }

    /// Whether a copy's access to granules of shared memory races with nothing, and reads only what has been written.
    fn may(&self, act: CopyAct, mut range: Range<usize>, warp: usize, by: Actor) -> bool {
        let view = View {
            clocks: &self.clocks,
            warp,
        };
        let races = |at: usize| {
            self.shared
                .race_of_store(at, view, by, false, None)
                .is_some()
        };
        match act {
            CopyAct::Begin => !range.any(races),
            CopyAct::Write => range.all(|at| self.flights.is_of(at, by) && !races(at)),
            CopyAct::Read => range.all(|at| {
                self.shared_marks.is_written(at)
                    && self.flights.meet(at).is_none()
                    && self.shared.race_of_load(at, view, by, None).is_none()
            }),
        }
    }

    fn enter_copy(&mut self, act: CopyAct, range: Range<usize>, warp: usize, by: Actor) {
        let view = View {
            clocks: &self.clocks,
            warp,
        };
        let now = self.clocks.interval(warp);
        for at in range.clone() {
            match act {
                CopyAct::Begin => self.flights.start(at, by),
                CopyAct::Write => {
                    self.flights.land(at, by);
                    self.shared.note_store(at, by, now);
                }
                CopyAct::Read => self.shared.note_load(at, view, by, now),
            }
        }
        if act != CopyAct::Begin {
            let is_store = act == CopyAct::Write;
            self.shared_marks
                .mark(range.start as u64, range.len() as u64, is_store);
        }
    }

    fn take_global_read(&mut self, touch: &CopyTouch, around: &Around) -> bool {
        let Some((index, _)) = locate(around.buffers, touch.address, touch.bytes as usize) else {
            return false;
        };
        if around.leaves_out(index, touch.address, touch.bytes) {
            return false;
        }
        let (first, count) = (touch.address >> self.shift, touch.bytes >> self.shift);
        let buffer = (index, around.buffers[index]);
        // To mark what is read a second time changes nothing.
        let is_sound = self.mark_global(buffer, (first, count), false, false)
            && self.is_known(index, (first, count));
        if is_sound {
            let warp = touch.thread as usize / WARP;
            let (number, lane) = (warp % GROUP_WARPS, touch.thread as usize % WARP);
            let mut noted = Noted {
                buffer: Some(index as u32),
                place: touch.place,
                is_store: false,
                first_warp: warp - number,
                warps: 1 << number,
                lanes: 1 << lane,
                count: count as u32,
                lowest: [0; GROUP_WARPS],
                stamps: [0; GROUP_WARPS],
                offsets: Rc::new([0; WARP]),
                scale: 0,
            };
            noted.lowest[number] = first;
            noted.stamps[number] = self.clocks.interval(warp);
            self.note(noted);
        }
        is_sound
    }
}
