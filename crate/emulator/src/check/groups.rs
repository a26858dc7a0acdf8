//! Accesses of whole warps to words, as the interpreter's fast way has them: several warps at once, by the runs of words that they make up. What met another access is left to the way lane by lane, unless each lane met its own.

use std::rc::Rc;

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner, View};
use crate::check::footprint::Footprint;
use crate::check::log::Noted;
use crate::check::marks::SEGMENT;
use crate::memory::Buffer;
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};

/// An access of whole warps of a group to words of one buffer or of shared memory, before it is done.
pub(crate) struct GroupTouch<'t> {
    pub(crate) place: u32,
    /// The first warp of the group, in the block.
    pub(crate) first_warp: usize,
    /// The warps of the group that take part, one bit each.
    pub(crate) warps: u32,
    /// The buffer and its index; `None` for shared memory.
    pub(crate) buffer: Option<(usize, &'t Buffer)>,
    /// Index of each warp's lowest word.
    pub(crate) lowest: &'t [usize; GROUP_WARPS],
    /// Words from a warp's lowest one to each lane's.
    pub(crate) words: &'t Rc<[u32; WARP]>,
    pub(crate) words_per_lane: usize,
    pub(crate) is_store: bool,
    /// It is a load past the caches that stores go through.
    pub(crate) is_constant: bool,
}

impl BlockShadow<'_> {
    /// Takes the access of all the warps at once, of which this is the lowest word and what they access together, or
    /// leaves it: then the caller must show it warp by warp.
    #[inline(always)]
    pub(crate) fn take_group(
        &mut self,
        touch: &GroupTouch,
        lowest: usize,
        footprint: &mut Footprint,
    ) -> bool {
        if self.meets_copies(touch) {
            return false;
        }
        // Of a granule's width in words.
        let scale = 2 - self.shift;
        let base = touch.buffer.map_or(0, |(_, buffer)| buffer.base / 4);
        let lowest = (base + lowest as u64) << scale;
        let first = lowest / SEGMENT as u64;
        let segments = footprint.segments(lowest as usize % SEGMENT, scale);
        let (stores, is_constant) = (touch.is_store, touch.is_constant);
        // A segment's own line is waited for by an atomic access, so that they would be waited for one after the other.
        if let Some(buffer) = touch.buffer.filter(|_| self.grid.is_first()) {
            for (further, _) in segments {
                self.grid
                    .expect(buffer, first + u64::from(*further), stores);
            }
        }
        let mut sound = true;
        for (further, mask) in segments {
            let number = first + u64::from(*further);
            sound &= match touch.buffer {
                None => self
                    .shared_marks
                    .mark_segment(number as usize, *mask, stores),
                Some(buffer) => {
                    self.mark_segment(buffer, (number, *mask), stores, is_constant)
                        && (stores || self.is_known_segment(buffer.0, number, *mask))
                }
            };
        }
        if sound {
            self.note_group(touch);
        }
        sound
    }

    /// Whether an asynchronous copy may be on its way to or from where the access goes.
    #[inline(always)]
    fn meets_copies(&self, touch: &GroupTouch) -> bool {
        let is_shared = touch.buffer.is_none();
        is_shared && !self.flights.is_empty() || touch.is_store && self.sources.has_any(is_shared)
    }

    #[inline(always)]
    fn note_group(&mut self, touch: &GroupTouch) {
        let scale = 2 - self.shift;
        let base = touch.buffer.map_or(0, |(_, buffer)| buffer.base / 4);
        let mut noted = Noted {
            buffer: touch.buffer.map(|(index, _)| index as u32),
            place: touch.place,
            is_store: touch.is_store,
            first_warp: touch.first_warp,
            warps: touch.warps,
            lanes: u32::MAX,
            count: (touch.words_per_lane << scale) as u32,
            lowest: [0; GROUP_WARPS],
            stamps: [0; GROUP_WARPS],
            offsets: Rc::clone(touch.words),
            scale,
        };
        for number in 0..GROUP_WARPS {
            noted.lowest[number] = (base + touch.lowest[number] as u64) << scale;
            // A group may end before its eighth warp.
            if touch.warps & (1 << number) != 0 {
                noted.stamps[number] = self.clocks.interval(touch.first_warp + number);
            }
        }
        self.note(noted);
    }

    /// Takes one warp's access, if it races with nothing whatever it stores; else leaves it, to be shown lane by lane.
    pub(crate) fn take_warp(&mut self, touch: &GroupTouch, number: usize) -> bool {
        if self.meets_copies(touch) {
            return false;
        }
        let scale = 2 - self.shift;
        let base = touch.buffer.map_or(0, |(_, buffer)| buffer.base / 4);
        let count = (touch.words_per_lane as u64) << scale;
        let (mut alone, mut known) = (true, true);
        for words in touch.words.iter() {
            let word = touch.lowest[number] + *words as usize;
            let first = (base + word as u64) << scale;
            match touch.buffer {
                None => {
                    alone &= self.shared_marks.mark(first, count, touch.is_store);
                    let mut all = first as usize..(first + count) as usize;
                    known &= touch.is_store || all.all(|at| self.shared_marks.is_written(at));
                }
                Some(buffer) => {
                    alone &=
                        self.mark_global(buffer, (first, count), touch.is_store, touch.is_constant);
                    known &= touch.is_store || self.is_known(buffer.0, (first, count));
                }
            }
        }
        if alone && known {
            self.note_group(&GroupTouch {
                warps: 1 << number,
                ..*touch
            });
            return true;
        }
        known && !touch.is_constant && self.pass_cells(touch, number)
    }

    /// Notes a warp's access in the cells of its lanes, if it races with nothing there.
    fn pass_cells(&mut self, touch: &GroupTouch, number: usize) -> bool {
        self.settle();
        let scale = 2 - self.shift;
        let base = touch.buffer.map_or(0, |(_, buffer)| buffer.base / 4);
        let count = touch.words_per_lane << scale;
        let mut cells = [0; WARP];
        for (words, cell) in touch.words.iter().zip(&mut cells) {
            let word = touch.lowest[number] + *words as usize;
            let first = (base + word as u64) << scale;
            *cell = match touch.buffer {
                None => first as usize,
                Some((index, _)) => {
                    let slot = self.segments.slot(first / SEGMENT as u64, index as u32);
                    self.segments.cell(slot, first)
                }
            };
        }
        // Lanes that store to one place are told apart by values.
        if touch.is_store && !are_distinct(&cells) {
            return false;
        }
        let warp = touch.first_warp + number;
        let actor = Actor::new(touch.place, (warp * WARP) as u32, Manner::Weak);
        let view = View {
            clocks: &self.clocks,
            warp,
        };
        let all = match touch.buffer {
            Some(_) => &mut self.segments.cells,
            None => &mut self.shared,
        };
        // A lane's granules lie in one segment, which is aligned to more than they are long.
        let each = |lane: usize| (cells[lane]..cells[lane] + count, actor.plus(lane as u32));
        for (mut granules, by) in (0..WARP).map(each) {
            let races = |at: usize| match touch.is_store {
                true => all.race_of_store(at, view, by, false, None).is_some(),
                false => all.race_of_load(at, view, by, None).is_some(),
            };
            if granules.any(races) {
                return false;
            }
        }
        let now = view.clocks.interval(warp);
        for (granules, by) in (0..WARP).map(each) {
            for at in granules {
                if touch.is_store {
                    all.note_store(at, by, now);
                } else {
                    all.note_load(at, view, by, now);
                }
            }
        }
        true
    }

    // ---- what has been noted ----

    #[inline(always)]
    pub(super) fn note(&mut self, noted: Noted) {
        self.log.note(noted);
        if self.log.is_full() && !self.log.compact() {
            self.settle();
        }
    }

    /// Brings the cells up to date: before an access that met another, and before clocks change what they order.
    pub(super) fn settle(&mut self) {
        if self.log.is_empty() {
            return;
        }
        let entries = self.log.take();
        for run in &entries {
            run.each(|noted| self.enter(noted));
        }
        self.log.give_back(entries);
    }

    fn enter(&mut self, noted: &Noted) {
        let (clocks, segments, shared) = (&self.clocks, &mut self.segments, &mut self.shared);
        let (mut last, mut slot) = (u64::MAX, 0);
        noted.for_each(|first, actor, warp, stamp| {
            let view = View { clocks, warp };
            for granule in first..first + u64::from(noted.count) {
                let (cells, at) = match noted.buffer {
                    None => (&mut *shared, granule as usize),
                    Some(buffer) => {
                        let segment = granule / SEGMENT as u64;
                        if segment != last {
                            last = segment;
                            slot = segments.slot(segment, buffer);
                        }
                        let at = segments.cell(slot, granule);
                        (&mut segments.cells, at)
                    }
                };
                if noted.is_store {
                    cells.note_store(at, actor, stamp);
                } else {
                    cells.note_load(at, view, actor, stamp);
                }
            }
        });
    }
}

/// Whether all lanes start at cells of their own; most go up from lane to lane.
fn are_distinct(cells: &[usize; WARP]) -> bool {
    if cells.windows(2).all(|pair| pair[0] < pair[1]) {
        return true;
    }
    let mut sorted = *cells;
    sorted.sort_unstable();
    let mut distinct = true;
    for_lanes(u32::MAX >> 1, |lane| {
        distinct &= sorted[lane] != sorted[lane + 1]
    });
    distinct
}
