//! Who accessed each granule of memory last within a block, and whether the next access is ordered with that.

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

/// The last accesses to each granule, an array for each thing known of them. Stamps of earlier blocks mean nothing.
#[derive(Debug, Default)]
pub(super) struct Cells {
    stored: Vec<u32>,
    stored_by: Vec<Actor>,
    /// No reader of `readers` read later than what this stamp is known to order.
    loaded: Vec<u32>,
    /// Warps, one bit each.
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

    /// A store that the access is not ordered with.
    #[inline(always)]
    fn racing_store(&self, at: usize, view: View, by: Actor, is_load: bool) -> Option<Earlier> {
        let stamp = self.stored[at];
        if stamp <= view.clocks.floor(view.warp) || stamp < view.clocks.first() {
            return None;
        }
        let actor = self.stored_by[at];
        let ordered = view.clocks.ordered(view.warp, actor.warp(), stamp);
        let both_strong = by.is_strong() && actor.is_strong();
        let tried = is_load && actor.is_swap();
        (!ordered && !both_strong && !tried).then_some(Earlier {
            actor,
            is_store: true,
        })
    }

    /// A load that a store is not ordered with.
    #[inline(always)]
    fn racing_load(&self, at: usize, view: View) -> Option<Earlier> {
        let stamp = self.loaded[at];
        if stamp <= view.clocks.floor(view.warp) || stamp < view.clocks.first() {
            return None;
        }
        let actors = [self.loaded_by[at], self.loaded_before_by[at]];
        let readers = self.readers[at];
        actors
            .into_iter()
            .find(|actor| {
                readers & (1 << actor.warp()) != 0
                    && !view.clocks.ordered(view.warp, actor.warp(), stamp)
            })
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
        let (bit, stamp) = (1 << warp, self.loaded[at]);
        let readers = self.readers[at];
        let forget = stamp <= clocks.floor(warp)
            || stamp < clocks.first()
            || readers == bit
            || each(readers).all(|other| clocks.ordered(warp, other, stamp));
        if forget {
            self.loaded[at] = clocks.interval(warp);
            self.readers[at] = bit;
            self.loaded_before_by[at] = actor;
        } else {
            if self.loaded_by[at].warp() != warp {
                self.loaded_before_by[at] = self.loaded_by[at];
            }
            // The earliest stamp: what that does not order is certain.
            self.loaded[at] = stamp.min(clocks.interval(warp));
            self.readers[at] = readers | bit;
        }
        self.loaded_by[at] = actor;
    }

    /// Notes a store that changes what is there; returns an access that it races with.
    #[inline(always)]
    pub(super) fn store(&mut self, at: usize, view: View, actor: Actor) -> Option<Earlier> {
        let mut race = self.racing_store(at, view, actor, false);
        if race.is_none() && !actor.is_swap() {
            race = self.racing_load(at, view);
        }
        self.stored[at] = view.clocks.interval(view.warp);
        self.stored_by[at] = actor;
        race
    }

    /// Whether no access to these cells races with the next one, whatever it is; and whether all have been stored to.
    #[inline(always)]
    fn survey(&self, at: impl Iterator<Item = usize>, view: View) -> (bool, bool) {
        let (mut oldest, mut newest, mut loaded) = (u32::MAX, 0, 0);
        for at in at {
            oldest = oldest.min(self.stored[at]);
            newest = newest.max(self.stored[at]);
            loaded = loaded.max(self.loaded[at]);
        }
        let floor = view.clocks.floor(view.warp);
        (
            newest <= floor && loaded <= floor,
            oldest >= view.clocks.first(),
        )
    }

    /// Notes loads of a warp, each by the actor `per_lane` says, if nothing is out of the ordinary.
    #[inline(always)]
    pub(super) fn load_all(
        &mut self,
        at: impl Iterator<Item = (usize, Actor)> + Clone,
        view: View,
        must_be_stored: bool,
    ) -> bool {
        let (calm, stored) = self.survey(at.clone().map(|(at, _)| at), view);
        if !calm || must_be_stored && !stored {
            return false;
        }
        let (interval, bit) = (view.clocks.interval(view.warp), 1 << view.warp);
        for (at, actor) in at {
            self.loaded[at] = interval;
            self.readers[at] = bit;
            self.loaded_by[at] = actor;
        }
        true
    }

    /// Notes stores of a warp, if nothing is out of the ordinary and not all cells have been stored to before.
    #[inline(always)]
    pub(super) fn store_all(
        &mut self,
        at: impl Iterator<Item = (usize, Actor)> + Clone,
        view: View,
    ) -> bool {
        let (calm, _) = self.survey(at.clone().map(|(at, _)| at), view);
        if !calm {
            return false;
        }
        let interval = view.clocks.interval(view.warp);
        for (at, actor) in at {
            self.stored[at] = interval;
            self.stored_by[at] = actor;
        }
        true
    }
}
