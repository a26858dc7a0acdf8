//! Who accessed each granule of memory last within a block, and whether the next access is ordered with that.

use std::ops::Range;

use crate::check::clocks::{Clocks, each};

/// How an access races with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Manner {
    Weak,
    /// Volatile, relaxed or atomic: such accesses do not race with each other.
    Strong,
    /// A strong compare-and-swap, which finds out whether a weak load before it was out of date: the two do not race.
    Swap,
}

/// Who did an access: the place in the program, the thread of the block, and the access's manner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Actor(u32);

const STRONG: u32 = 1 << 31;
const SWAP: u32 = 1 << 30;
const THREAD_BITS: u32 = 10;
const THREADS: u32 = 1 << THREAD_BITS;

impl Actor {
    pub(crate) fn new(place: u32, thread: u32, manner: Manner) -> Self {
        let manner = match manner {
            Manner::Weak => 0,
            Manner::Strong => STRONG,
            Manner::Swap => STRONG | SWAP,
        };
        // Places beyond what fits are merged into one; no real kernel has so many.
        let place = place.min((SWAP >> THREAD_BITS) - 1);
        Self(manner | place << THREAD_BITS | thread & (THREADS - 1))
    }

    /// As a number of 30 bits, if it is not strong.
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) fn place(self) -> u32 {
        (self.0 & (SWAP - 1)) >> THREAD_BITS
    }

    pub(crate) fn thread(self) -> u32 {
        self.0 & (THREADS - 1)
    }
    #[inline(always)]
    fn is_swap(self) -> bool {
        self.0 & SWAP != 0
    }
    #[inline(always)]
    pub(super) fn warp(self) -> usize {
        (self.thread() / 32) as usize
    }
    #[inline(always)]
    pub(super) fn is_strong(self) -> bool {
        self.0 & STRONG != 0
    }

    /// Gives each lane's granules their actors, this one the first.
    #[inline(always)]
    fn spread(self, actors: &mut [Actor], per_lane: usize) {
        if per_lane == 1 {
            for (at, actor) in actors.iter_mut().enumerate() {
                *actor = self.plus(at as u32);
            }
            return;
        }
        for (lane, actors) in actors.chunks_mut(per_lane).enumerate() {
            actors.fill(self.plus(lane as u32));
        }
    }

    /// The same instruction in a thread so many further.
    #[inline(always)]
    pub(super) fn plus(self, threads: u32) -> Self {
        Self(self.0 + threads)
    }
}

/// The earlier access of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Earlier {
    pub(super) actor: Actor,
    pub(super) is_store: bool,
}

/// A bit above all stamps.
const SEVERAL: u32 = 1 << 31;

/// The last accesses to each granule, an array for each thing known of them. Stamps of earlier blocks mean nothing.
#[derive(Debug, Default)]
pub(super) struct Cells {
    stored: Vec<u32>,
    stored_by: Vec<Actor>,
    /// No reader read later than what this stamp is known to order. With [`SEVERAL`] if they are of several warps.
    loaded: Vec<u32>,
    /// The warps of several readers, one bit each.
    readers: Vec<u32>,
    loaded_by: Vec<Actor>,
    /// The last reader of another warp.
    loaded_before_by: Vec<Actor>,
}

/// One warp's view while it accesses cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'c> {
    pub(super) clocks: &'c Clocks,
    pub(super) warp: usize,
}

impl View<'_> {
    /// Whether an earlier access happened before the next one. Lanes of one warp are in order by `__syncwarp()` only,
    /// since Volta, though they may run in step.
    #[inline(always)]
    fn is_ordered(&self, earlier: Actor, interval: u32, later: Actor) -> bool {
        if earlier.warp() != self.warp {
            return self.clocks.ordered(self.warp, earlier.warp(), interval);
        }
        let same_place = earlier.0 >> THREAD_BITS == later.0 >> THREAD_BITS;
        // One place twice may be one instruction, of which others take care.
        interval < self.clocks.interval(self.warp)
            || earlier.thread() == later.thread()
            || same_place
    }
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    pub(super) fn grow(&mut self, len: usize) {
        self.stored.resize(len, 0);
        self.stored_by.resize(len, Actor::default());
        self.loaded.resize(len, 0);
        self.readers.resize(len, 0);
        self.loaded_by.resize(len, Actor::default());
        self.loaded_before_by.resize(len, Actor::default());
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.stored.fill(0);
        self.loaded.fill(0);
    }

    /// Whether the block has stored there.
    #[inline(always)]
    pub(super) fn is_stored(&self, at: usize, clocks: &Clocks) -> bool {
        self.stored[at] >= clocks.first()
    }

    pub(super) fn storer(&self, at: usize) -> Actor {
        self.stored_by[at]
    }

    pub(super) fn reader(&self, at: usize) -> Actor {
        self.loaded_by[at]
    }

    /// The warps whose loads of a cell count, one bit each.
    #[inline(always)]
    fn readers(&self, at: usize) -> u32 {
        if self.loaded[at] & SEVERAL != 0 {
            self.readers[at]
        } else {
            1 << self.loaded_by[at].warp()
        }
    }

    /// A store that the access is not ordered with.
    #[inline(always)]
    fn racing_store(&self, at: usize, view: View, by: Actor, is_load: bool) -> Option<Earlier> {
        let stamp = self.stored[at];
        if stamp <= view.clocks.floor(view.warp) || stamp < view.clocks.first() {
            return None;
        }
        let actor = self.stored_by[at];
        let ordered = view.is_ordered(actor, stamp, by);
        let both_strong = by.is_strong() && actor.is_strong();
        let tried = is_load && actor.is_swap();
        (!ordered && !both_strong && !tried).then_some(Earlier {
            actor,
            is_store: true,
        })
    }

    /// A load that a store is not ordered with.
    #[inline(always)]
    fn racing_load(&self, at: usize, view: View, by: Actor) -> Option<Earlier> {
        let stamp = self.loaded[at] & !SEVERAL;
        if stamp <= view.clocks.floor(view.warp) || stamp < view.clocks.first() {
            return None;
        }
        let (last, before) = (self.loaded_by[at], self.loaded_before_by[at]);
        let readers = self.readers(at);
        // What the last reader's own warp did before is not kept.
        let before = (before.warp() != last.warp()).then_some(before);
        std::iter::once(last)
            .chain(before)
            .find(|actor| readers & (1 << actor.warp()) != 0 && !view.is_ordered(*actor, stamp, by))
            .map(|actor| Earlier {
                actor,
                is_store: false,
            })
    }

    /// Notes a load; returns a store that it races with.
    #[inline(always)]
    pub(super) fn load(&mut self, at: usize, view: View, actor: Actor) -> Option<Earlier> {
        let race = self.racing_store(at, view, actor, true);
        if !actor.is_strong() {
            self.note_load(at, view, actor);
        }
        race
    }
    #[inline(always)]
    fn note_load(&mut self, at: usize, view: View, actor: Actor) {
        let View { clocks, warp } = view;
        let (bit, stamp) = (1 << warp, self.loaded[at] & !SEVERAL);
        let readers = self.readers(at);
        let forget = stamp <= clocks.floor(warp)
            || stamp < clocks.first()
            || readers == bit
            || each(readers).all(|other| clocks.ordered(warp, other, stamp));
        if forget {
            self.loaded[at] = clocks.interval(warp);
            self.loaded_before_by[at] = actor;
        } else {
            if self.loaded_by[at].warp() != warp {
                self.loaded_before_by[at] = self.loaded_by[at];
            }
            // The earliest stamp: what that does not order is certain.
            self.loaded[at] = stamp.min(clocks.interval(warp)) | SEVERAL;
            self.readers[at] = readers | bit;
        }
        self.loaded_by[at] = actor;
    }

    /// An access that a store races with which begins now and is noted when it is done.
    pub(super) fn begin(&self, at: usize, view: View, actor: Actor) -> Option<Earlier> {
        self.racing_store(at, view, actor, false)
            .or_else(|| self.racing_load(at, view, actor))
    }

    /// Notes a store that changes what is there; returns an access that it races with.
    #[inline(always)]
    pub(super) fn store(&mut self, at: usize, view: View, actor: Actor) -> Option<Earlier> {
        let mut race = self.racing_store(at, view, actor, false);
        if race.is_none() && !actor.is_swap() {
            race = self.racing_load(at, view, actor);
        }
        self.stored[at] = view.clocks.interval(view.warp);
        self.stored_by[at] = actor;
        race
    }

    /// Whether no access to these cells races with the next one, whatever that is; and whether all were stored to.
    #[inline(always)]
    fn survey(stored: &[u32], loaded: &[u32], view: View) -> (bool, bool) {
        let (mut oldest, mut newest) = (u32::MAX, 0);
        for stamp in stored {
            oldest = oldest.min(*stamp);
            newest = newest.max(*stamp);
        }
        let newest = loaded
            .iter()
            .fold(newest, |newest, stamp| newest.max(*stamp & !SEVERAL));
        let floor = view.clocks.floor(view.warp);
        (newest <= floor, oldest >= view.clocks.first())
    }

    /// Notes a warp's loads of a run of cells, so many of them each lane's, if nothing is out of the ordinary.
    #[inline(always)]
    pub(super) fn load_run(
        &mut self,
        run: Range<usize>,
        per_lane: usize,
        view: View,
        actor: Actor,
        must_be_stored: bool,
    ) -> bool {
        let (stored, loaded) = (&self.stored[run.clone()], &self.loaded[run.clone()]);
        let (calm, is_stored) = Self::survey(stored, loaded, view);
        if !calm || must_be_stored && !is_stored {
            return false;
        }
        self.set_loaded(run, per_lane, view.clocks.interval(view.warp), actor);
        true
    }

    /// Notes that a warp has loaded a run of cells, and nothing else of their loads.
    #[inline(always)]
    pub(super) fn set_loaded(
        &mut self,
        run: Range<usize>,
        per_lane: usize,
        stamp: u32,
        actor: Actor,
    ) {
        self.loaded[run.clone()].fill(stamp);
        actor.spread(&mut self.loaded_by[run], per_lane);
    }

    /// Notes a warp's stores to a run of cells, if nothing is out of the ordinary.
    #[inline(always)]
    pub(super) fn store_run(
        &mut self,
        run: Range<usize>,
        per_lane: usize,
        view: View,
        actor: Actor,
    ) -> bool {
        let (stored, loaded) = (&self.stored[run.clone()], &self.loaded[run.clone()]);
        if !Self::survey(stored, loaded, view).0 {
            return false;
        }
        self.set_stored(run, per_lane, view.clocks.interval(view.warp), actor);
        true
    }

    /// Notes that a warp has stored to a run of cells.
    #[inline(always)]
    pub(super) fn set_stored(
        &mut self,
        run: Range<usize>,
        per_lane: usize,
        stamp: u32,
        actor: Actor,
    ) {
        self.stored[run.clone()].fill(stamp);
        actor.spread(&mut self.stored_by[run], per_lane);
    }

    /// As [`Cells::load_run`] for lanes anywhere, which must find something stored.
    #[inline(always)]
    pub(super) fn load_lanes(
        &mut self,
        lowest: usize,
        words: &[u32; 32],
        per_lane: usize,
        view: View,
        actor: Actor,
    ) -> bool {
        // Of one length, so that one comparison guards them all.
        let cells = self.stored.len();
        let stored = &self.stored[..cells];
        let (loaded, loaded_by) = (&mut self.loaded[..cells], &mut self.loaded_by[..cells]);
        let (mut oldest, mut newest) = (u32::MAX, 0);
        for word in words {
            let first = lowest + *word as usize;
            for at in first..first + per_lane {
                oldest = oldest.min(stored[at]);
                newest = newest.max(stored[at]).max(loaded[at] & !SEVERAL);
            }
        }
        if newest > view.clocks.floor(view.warp) || oldest < view.clocks.first() {
            return false;
        }
        let interval = view.clocks.interval(view.warp);
        for (lane, word) in words.iter().enumerate() {
            let first = lowest + *word as usize;
            for at in first..first + per_lane {
                loaded[at] = interval;
                loaded_by[at] = actor.plus(lane as u32);
            }
        }
        true
    }
}
