//! Accesses of whole warps to words, as the interpreter's fast way has them. What is out of the ordinary is left to the way lane by lane.

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner, View};
use crate::check::segments::{Deed, SEGMENT};
use crate::memory::Buffer;
use crate::program::kinds::WARP;

/// A whole warp's access to words of one buffer or of shared memory, before it is done.
pub(crate) struct WarpTouch<'t> {
    pub(crate) place: u32,
    /// Warp in the block.
    pub(crate) warp: usize,
    /// The buffer and its index; `None` for shared memory.
    pub(crate) buffer: Option<(usize, &'t Buffer)>,
    /// Index of the lowest word.
    pub(crate) lowest: usize,
    /// Words from the lowest one to each lane's.
    pub(crate) words: &'t [u32; WARP],
    /// The lanes' words follow each other without a gap.
    pub(crate) is_run: bool,
    /// All lanes have one address.
    pub(crate) is_uniform: bool,
    pub(crate) words_per_lane: usize,
    /// The words stored, in the order of lanes; a store to shared memory need not say them.
    pub(crate) stored: Option<&'t [u32]>,
}

impl BlockShadow<'_> {
    /// Whether accesses may come as whole warps.
    #[inline(always)]
    pub(crate) fn takes_warps(&self) -> bool {
        self.shift == 2
    }

    /// Takes a warp's access, or leaves it: then the caller must show it lane by lane.
    #[inline(always)]
    pub(crate) fn take_warp(&mut self, touch: &WarpTouch) -> bool {
        match touch.buffer {
            _ if touch.is_uniform && touch.stored.is_some() => false,
            None if !self.flights.is_empty() => false,
            None if touch.is_run => self.shared_run(touch),
            None => self.shared_lanes(touch),
            Some((index, buffer)) if touch.is_run => self.global_run(touch, index, buffer),
            Some(_) => false,
        }
    }
    #[inline(always)]
    fn shared_run(&mut self, touch: &WarpTouch) -> bool {
        let actor = Actor::new(touch.place, (touch.warp * WARP) as u32, Manner::Weak);
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let run = touch.lowest..touch.lowest + WARP * touch.words_per_lane;
        match touch.stored {
            Some(_) => self
                .shared
                .store_run(run, touch.words_per_lane, view, actor),
            None => self
                .shared
                .load_run(run, touch.words_per_lane, view, actor, true),
        }
    }
    #[inline(always)]
    fn shared_lanes(&mut self, touch: &WarpTouch) -> bool {
        if touch.stored.is_some() {
            // Lanes may meet at one word.
            return false;
        }
        let actor = Actor::new(touch.place, (touch.warp * WARP) as u32, Manner::Weak);
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let per_lane = touch.words_per_lane;
        self.shared
            .load_lanes(touch.lowest, touch.words, per_lane, view, actor)
    }

    /// A run of words, a part for each segment.
    #[inline(always)]
    fn global_run(&mut self, touch: &WarpTouch, index: usize, buffer: &Buffer) -> bool {
        let per_lane = touch.words_per_lane;
        let count = WARP * per_lane;
        let all = self.grid.is_all_initialised(index);
        if touch.stored.is_none()
            && !all
            && !self.grid.is_initialised(index, 4 * touch.lowest, 4 * count)
        {
            return false;
        }
        let start = buffer.base / 4 + touch.lowest as u64;
        let (mut done, mut sound) = (0, true);
        while done < count {
            let word = start + done as u64;
            let first = word as usize % SEGMENT;
            let here = (SEGMENT - first).min(count - done);
            sound &= self.global_part(touch, (index, buffer), word, done, here);
            done += here;
        }
        // Cells that were noted before one was found that is not calm are noted again lane by lane.
        sound
    }
    #[inline(always)]
    fn global_part(
        &mut self,
        touch: &WarpTouch,
        (index, buffer): (usize, &Buffer),
        word: u64,
        done: usize,
        here: usize,
    ) -> bool {
        let slot = self.segments.slot(word / SEGMENT as u64, index as u32);
        let first = word as usize % SEGMENT;
        let mask = (u32::MAX >> (SEGMENT - here)) << first;
        let deed = if touch.stored.is_some() {
            Deed::Store
        } else {
            Deed::Load
        };
        let is_first = self.segments.settle(slot);
        let segment = &mut self.segments.list[slot];
        if touch.stored.is_some() && !segment.is_saved {
            segment.is_saved = true;
            self.grid.save(index, buffer, segment.number);
        }
        let per_lane = touch.words_per_lane;
        let lane = (done / per_lane) as u32;
        let actor = Actor::new(touch.place, (touch.warp * WARP) as u32 + lane, Manner::Weak);
        // A lane's words do not begin in one segment and end in the next.
        segment.note(deed, mask, actor, per_lane as i32);
        if is_first {
            segment.begin(deed, self.clocks.interval(touch.warp));
        }
        self.has_news = true;
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let base = slot * SEGMENT + first;
        let run = base..base + here;
        let cells = &mut self.segments.cells;
        let sound = is_first
            || match touch.stored {
                Some(_) => cells.store_run(run, per_lane, view, actor),
                None => cells.load_run(run, per_lane, view, actor, false),
            };
        if sound && let Some(stored) = touch.stored {
            let values = &mut self.segments.values[base..base + here];
            values.copy_from_slice(&stored[done..done + here]);
        }
        sound
    }
}
