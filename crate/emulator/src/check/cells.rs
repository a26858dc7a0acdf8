//! Who accessed each granule of memory last within a block, and whether the next access is ordered with that.

use crate::check::clocks::{Clocks, each};
use crate::check::model::may_have_observed;
use crate::check::watchers::Watchers;
use crate::program::observation::Observation;

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

/// A bit above all stamps.
const SEVERAL: u32 = 1 << 31;

/// The last accesses to a granule, each with its stamp. Stamps of earlier blocks mean nothing. A strong access hides no
/// weak one: each races with other things.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    stored: u32,
    stored_by: Actor,
    /// The last store that was strong, or an atomic.
    strong: u32,
    strong_by: Actor,
    /// The last such one of a warp that is not the last one's.
    strong_before: u32,
    strong_before_by: Actor,
    /// No reader read later than what this stamp is known to order. With [`SEVERAL`] if they are of several warps.
    loaded: u32,
    loaded_by: Actor,
    /// The last reader of another warp.
    loaded_before_by: Actor,
    /// Another reader of the last one's warp, in the same interval.
    loaded_beside_by: Actor,
    /// The warps of several readers, one bit each.
    readers: u32,
}

/// The cells of some memory.
#[derive(Debug, Default)]
pub(super) struct Cells {
    list: Vec<Cell>,
    watched: Watchers,
}

/// One warp's view while it accesses cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'c> {
    pub(super) clocks: &'c Clocks,
    pub(super) warp: usize,
}

/// What puts accesses to a cell in order beside the clocks.
#[derive(Debug, Clone, Copy)]
struct Observed<'o> {
    observation: &'o Observation,
    watched: &'o Watchers,
    at: usize,
}

impl View<'_> {
    /// Whether an earlier access happened before the next one. Lanes of one warp are in order by `__syncwarp()` only,
    /// since Volta, though they may run in step.
    #[inline(always)]
    fn is_ordered(&self, earlier: Actor, interval: u32, later: Actor) -> bool {
        if interval < self.clocks.first() {
            return true;
        }
        if earlier.warp() != self.warp {
            return self.clocks.ordered(self.warp, earlier.warp(), interval);
        }
        let same_place = earlier.0 >> THREAD_BITS == later.0 >> THREAD_BITS;
        // One place twice may be one instruction, of which others take care.
        earlier.thread() == later.thread()
            || same_place
            || (self.clocks).lanes_ordered(self.warp, interval, earlier.thread(), later.thread())
    }
}

impl Cell {
    /// The warps whose loads of a cell count, one bit each.
    #[inline(always)]
    fn readers(&self) -> u32 {
        if self.loaded & SEVERAL != 0 {
            self.readers
        } else {
            1 << self.loaded_by.warp()
        }
    }

    /// A weak store that an access is not ordered with.
    #[inline(always)]
    fn racing_store(&self, view: View, by: Actor) -> Option<Earlier> {
        (!view.is_ordered(self.stored_by, self.stored, by)).then_some(Earlier {
            actor: self.stored_by,
            is_store: true,
        })
    }

    /// A strong store or atomic that a weak access is not ordered with, unless what the thread has observed puts it in order.
    #[inline(always)]
    fn racing_strong(&self, view: View, by: Actor, observed: Option<Observed>) -> Option<Earlier> {
        let last = (self.strong_by, self.strong);
        let before = (self.strong_before_by, self.strong_before);
        let race = [last, before]
            .into_iter()
            .find(|(actor, stamp)| !view.is_ordered(*actor, *stamp, by))?;
        if observed.is_some_and(|observed| self.is_observed(race == last, view, by, observed)) {
            return None;
        }
        Some(Earlier {
            actor: race.0,
            is_store: true,
        })
    }

    /// Whether a weak access comes behind the last strong store, which some have loaded before, or behind those before it: an
    /// atomic has observed them.
    #[cold]
    fn is_observed(&self, is_last: bool, view: View, by: Actor, observed: Observed) -> bool {
        let has_observed = |observer: Actor, stamp: u32| {
            may_have_observed(observed.observation, observer.place(), by.place())
                && view.clocks.ordered(view.warp, observer.warp(), stamp)
        };
        if !is_last {
            return has_observed(self.strong_by, self.strong);
        }
        let mut observers = observed.watched.observers(observed.at).iter();
        observers.any(|(stamp, observer)| has_observed(*observer, *stamp))
    }

    /// A weak load that a store is not ordered with.
    #[inline(always)]
    fn racing_load(&self, view: View, by: Actor) -> Option<Earlier> {
        let stamp = self.loaded & !SEVERAL;
        if stamp < view.clocks.first() || stamp <= view.clocks.floor(view.warp) {
            return None;
        }
        let last = self.loaded_by;
        let readers = self.readers();
        // Of the warps before the last two, only the number is kept.
        let before = Some(self.loaded_before_by).filter(|before| before.warp() != last.warp());
        let beside = Some(self.loaded_beside_by).filter(|beside| beside.warp() == last.warp());
        std::iter::once(last)
            .chain(before)
            .chain(beside)
            .find(|actor| readers & (1 << actor.warp()) != 0 && !view.is_ordered(*actor, stamp, by))
            .map(|actor| Earlier {
                actor,
                is_store: false,
            })
    }

    /// Notes a weak load in the interval of a stamp.
    #[inline(always)]
    fn note_load(&mut self, view: View, actor: Actor, now: u32) {
        let View { clocks, warp, .. } = view;
        let (bit, stamp) = (1 << warp, self.loaded & !SEVERAL);
        let is_old = stamp < clocks.first() || stamp <= clocks.floor(warp);
        let readers = self.readers();
        let forget = is_old
            || readers == bit
            || each(readers).all(|other| clocks.ordered(warp, other, stamp));
        let is_beside = !is_old && stamp == now && self.loaded_by.warp() == warp;
        if !is_beside {
            self.loaded_beside_by = actor;
        } else if self.loaded_by.thread() != actor.thread() {
            self.loaded_beside_by = self.loaded_by;
        }
        if forget {
            self.loaded = now;
            self.loaded_before_by = actor;
        } else {
            if self.loaded_by.warp() != warp {
                self.loaded_before_by = self.loaded_by;
            }
            // The earliest stamp: what that does not order is certain.
            self.loaded = stamp.min(now) | SEVERAL;
            self.readers = readers | bit;
        }
        self.loaded_by = actor;
    }
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn grow(&mut self, len: usize) {
        self.list.resize(len, Cell::default());
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.list.fill(Cell::default());
    }

    /// A block starts: what stamps do not tell is forgotten.
    pub(super) fn start(&mut self) {
        self.watched.start();
    }

    /// The last to store, weakly or not, with its stamp.
    pub(super) fn storer(&self, at: usize, strongly: bool) -> (Actor, u32) {
        let cell = &self.list[at];
        if strongly {
            (cell.strong_by, cell.strong)
        } else {
            (cell.stored_by, cell.stored)
        }
    }

    /// The last store of any manner, by its stamp.
    pub(super) fn last_storer(&self, at: usize) -> Earlier {
        let cell = &self.list[at];
        let actor = if cell.strong > cell.stored {
            cell.strong_by
        } else {
            cell.stored_by
        };
        Earlier {
            actor,
            is_store: true,
        }
    }

    /// The same with its stamp, which is no earlier than `first`.
    pub(super) fn last_store(&self, at: usize, first: u32) -> Option<(Actor, u32)> {
        let stamp = self.list[at].strong.max(self.list[at].stored);
        (stamp >= first).then(|| (self.last_storer(at).actor, stamp))
    }

    /// The last to load, with a stamp that is not later than its own.
    pub(super) fn reader(&self, at: usize) -> (Actor, u32) {
        let cell = &self.list[at];
        (cell.loaded_by, cell.loaded & !SEVERAL)
    }

    /// The last to load strongly, with its stamp.
    pub(super) fn watcher(&self, at: usize) -> (Actor, u32) {
        let (stamp, actor) = self.watched.last(at).unwrap_or_default();
        (actor, stamp)
    }

    /// An access of the block itself to a cell with which one of another block races that knows of all its warps' intervals
    /// up to these; stamps below `first` are of earlier blocks.
    pub(super) fn racing_from_outside(
        &self,
        at: usize,
        (first, known): (u32, &[u32]),
        (writes, is_strong): (bool, bool),
    ) -> Option<Earlier> {
        let cell = &self.list[at];
        let is_new = |actor: Actor, stamp: u32| stamp >= first && stamp > known[actor.warp()];
        let stores = [
            (cell.stored_by, cell.stored, false),
            (cell.strong_by, cell.strong, true),
            (cell.strong_before_by, cell.strong_before, true),
        ];
        let store = stores
            .into_iter()
            .find(|(actor, stamp, strong)| !(*strong && is_strong) && is_new(*actor, *stamp))
            .map(|(actor, ..)| Earlier {
                actor,
                is_store: true,
            });
        let loads = [cell.loaded_by, cell.loaded_before_by];
        let load = || {
            let stamp = cell.loaded & !SEVERAL;
            let actor = loads.into_iter().find(|actor| is_new(*actor, stamp))?;
            Some(Earlier {
                actor,
                is_store: false,
            })
        };
        store.or_else(|| if writes { load() } else { None })
    }

    /// Enters a weak load that met nothing, in the interval of a stamp.
    pub(super) fn note_load(&mut self, at: usize, view: View, actor: Actor, stamp: u32) {
        self.list[at].note_load(view, actor, stamp);
    }

    /// Enters a weak store that met nothing.
    pub(super) fn note_store(&mut self, at: usize, actor: Actor, stamp: u32) {
        let cell = &mut self.list[at];
        (cell.stored, cell.stored_by) = (stamp, actor);
    }

    /// Notes a weak load; returns a store that it races with.
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        at: usize,
        view: View,
        actor: Actor,
        observation: &Observation,
    ) -> Option<Earlier> {
        let race = self.race_of_load(at, view, actor, Some(observation));
        let now = view.clocks.interval(view.warp);
        self.list[at].note_load(view, actor, now);
        race
    }

    /// The store that a weak load would race with; without an observation, also one that it has observed.
    #[inline(always)]
    pub(super) fn race_of_load(
        &self,
        at: usize,
        view: View,
        actor: Actor,
        observation: Option<&Observation>,
    ) -> Option<Earlier> {
        let cell = &self.list[at];
        let observed = self.observed(at, observation);
        // A compare-and-swap finds out whether a load before it was out of date.
        let strong = || {
            cell.racing_strong(view, actor, observed)
                .filter(|race| !race.actor.is_swap())
        };
        cell.racing_store(view, actor).or_else(strong)
    }

    #[inline(always)]
    fn observed<'o>(
        &'o self,
        at: usize,
        observation: Option<&'o Observation>,
    ) -> Option<Observed<'o>> {
        observation.map(|observation| Observed {
            observation,
            watched: &self.watched,
            at,
        })
    }

    /// Notes a strong load; returns a store that it races with.
    pub(super) fn watch(
        &mut self,
        at: usize,
        view: View,
        actor: Actor,
        observation: &Observation,
    ) -> Option<Earlier> {
        let race = self.list[at].racing_store(view, actor);
        let now = view.clocks.interval(view.warp);
        let observes = observation.observes(actor.place());
        self.watched.note(at, (now, actor), observes);
        race
    }

    /// Notes a weak store; returns an access that it races with. Stores of the value that is there do not race with each
    /// other.
    #[inline(always)]
    pub(super) fn store(
        &mut self,
        at: usize,
        view: View,
        actor: Actor,
        (same_value, observation): (bool, &Observation),
    ) -> Option<Earlier> {
        let race = self.race_of_store(at, view, actor, same_value, Some(observation));
        let now = view.clocks.interval(view.warp);
        self.note_store(at, actor, now);
        race
    }

    /// The access that a weak store would race with; without an observation, also one that it has observed.
    #[inline(always)]
    pub(super) fn race_of_store(
        &self,
        at: usize,
        view: View,
        actor: Actor,
        same_value: bool,
        observation: Option<&Observation>,
    ) -> Option<Earlier> {
        let cell = &self.list[at];
        let race = if same_value {
            None
        } else {
            cell.racing_store(view, actor)
        };
        let observed = self.observed(at, observation);
        race.or_else(|| cell.racing_strong(view, actor, observed))
            .or_else(|| cell.racing_load(view, actor))
            .or_else(|| self.racing_watch(at, view, actor))
    }

    #[inline(always)]
    fn racing_watch(&self, at: usize, view: View, actor: Actor) -> Option<Earlier> {
        let (stamp, watcher) = self.watched.last(at)?;
        (!view.is_ordered(watcher, stamp, actor)).then_some(Earlier {
            actor: watcher,
            is_store: false,
        })
    }

    /// Notes a strong store or an atomic; returns an access that it races with.
    pub(super) fn store_strongly(
        &mut self,
        at: usize,
        view: View,
        actor: Actor,
    ) -> Option<Earlier> {
        let now = view.clocks.interval(view.warp);
        self.watched.overwrite(at);
        let cell = &mut self.list[at];
        let mut race = cell.racing_store(view, actor);
        if race.is_none() && !actor.is_swap() {
            race = cell.racing_load(view, actor);
        }
        if cell.strong_by.warp() != view.warp {
            (cell.strong_before, cell.strong_before_by) = (cell.strong, cell.strong_by);
        }
        (cell.strong, cell.strong_by) = (now, actor);
        race
    }

    /// The access that a store would race with which begins now and is noted when it is done.
    pub(super) fn begin(
        &self,
        at: usize,
        view: View,
        actor: Actor,
        observation: &Observation,
    ) -> Option<Earlier> {
        self.race_of_store(at, view, actor, false, Some(observation))
    }
}
