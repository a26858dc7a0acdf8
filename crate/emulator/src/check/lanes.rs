//! Accesses as they come from single lanes: of part of a warp, strong ones, asynchronous copies, and all that met another. What is wrong is reported here.

use std::rc::Rc;

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Earlier, Manner, View};
use crate::check::flights::Flights;
use crate::check::found::{Race, Racer, note_from};
use crate::check::log::Noted;
use crate::check::marks::{SEGMENT, parts};
use crate::check::segments::{Deed, narrowed};
use crate::check::unwritten::Unwritten;
use crate::check::{Around, Touch, TouchAct};
use crate::memory::faults::Fault;
use crate::memory::{Buffer, is_shared, locate};
use crate::program::access::Strength;
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};
use crate::report::{Detail, FindingKind, Space};

impl BlockShadow<'_> {
    /// A warp is about to access global or shared memory; lanes that fault are left out.
    pub(crate) fn touch(&mut self, touch: &Touch, strength: Strength, around: &mut Around) {
        let (reads, writes) = match touch.act {
            TouchAct::Load => (true, false),
            TouchAct::Store(_) | TouchAct::Begin => (false, true),
            TouchAct::Atomic { .. } => (true, true),
        };
        let manner = match touch.act {
            TouchAct::Atomic { swaps: true, .. } => Manner::Swap,
            TouchAct::Atomic { .. } => Manner::Strong,
            _ if strength == Strength::Weak => Manner::Weak,
            _ => Manner::Strong,
        };
        if writes && !touch.is_copy && self.sources.has_any(touch.space == Space::Shared) {
            self.meet_sources(touch);
        }
        if manner == Manner::Weak && self.mark_lanes(touch, around) {
            return;
        }
        self.settle();
        if manner != Manner::Weak {
            self.step(touch, strength);
            self.synchronise(touch, strength, reads, writes);
        }
        if manner == Manner::Weak && matches!(touch.act, TouchAct::Store(_)) {
            self.same_instruction(touch);
        }
        for_lanes(touch.mask, |lane| {
            let actor = Actor::new(touch.place, (touch.warp * WARP + lane) as u32, manner);
            match self.place(touch, lane, around) {
                Some(Place::Shared) => self.shared_lane(touch, lane, actor, around),
                Some(Place::Global(index, offset)) => {
                    self.global_lane(touch, lane, actor, (index, offset), around);
                }
                None => {}
            }
        });
    }

    /// Where a lane's access goes, if it is one that is watched.
    #[inline(always)]
    fn place(&self, touch: &Touch, lane: usize, around: &Around) -> Option<Place> {
        let (address, bytes) = (touch.addresses[lane], u64::from(touch.bytes));
        if !address.is_multiple_of(bytes) {
            return None;
        }
        if touch.space == Space::Shared {
            let (all, gaps) = (around.shared_bytes, around.shared_gaps);
            return is_shared(address, bytes, all, gaps).then_some(Place::Shared);
        }
        let (index, offset) = locate(around.buffers, address, touch.bytes as usize)?;
        let is_left_out = around.leaves_out(index, address, bytes);
        (!is_left_out).then_some(Place::Global(index, offset))
    }

    // ---- accesses that meet nothing ----

    /// Marks a warp's weak access; returns whether it met nothing, so that it is done.
    fn mark_lanes(&mut self, touch: &Touch, around: &Around) -> bool {
        let stores = match touch.act {
            TouchAct::Load => false,
            TouchAct::Store(_) => true,
            TouchAct::Begin | TouchAct::Atomic { .. } => return false,
        };
        if touch.space == Space::Shared && !self.flights.is_empty() {
            return false;
        }
        let count = u64::from(touch.bytes >> self.shift);
        let (mut sound, mut lanes, mut buffer) = (true, 0, None);
        let mut granules = [0u64; WARP];
        for_lanes(touch.mask, |lane| {
            let first = touch.addresses[lane] >> self.shift;
            granules[lane] = first;
            match self.place(touch, lane, around) {
                Some(Place::Shared) => {
                    sound &= self.shared_marks.mark(first, count, stores);
                }
                Some(Place::Global(index, _)) => {
                    let here = (index, around.buffers[index]);
                    sound &= *buffer.get_or_insert(index as u32) == index as u32;
                    sound &= self.mark_global(here, (first, count), stores, touch.is_constant);
                    sound &= stores || self.is_known(index, (first, count));
                }
                None => return,
            }
            lanes |= 1 << lane;
        });
        if !sound {
            return false;
        }
        if lanes != 0 {
            self.note_lanes(touch, buffer, lanes, &granules, stores)
        } else {
            true
        }
    }

    /// Notes what met nothing; returns whether it could be.
    fn note_lanes(
        &mut self,
        touch: &Touch,
        buffer: Option<u32>,
        lanes: u32,
        granules: &[u64; WARP],
        is_store: bool,
    ) -> bool {
        let mut lowest = u64::MAX;
        for_lanes(lanes, |lane| lowest = lowest.min(granules[lane]));
        let mut offsets = [0; WARP];
        let mut near = true;
        for_lanes(lanes, |lane| {
            near &= granules[lane] - lowest <= u64::from(u32::MAX);
            offsets[lane] = (granules[lane] - lowest) as u32;
        });
        if near {
            let number = touch.warp % GROUP_WARPS;
            let mut noted = Noted {
                buffer,
                place: touch.place,
                is_store,
                first_warp: touch.warp - number,
                warps: 1 << number,
                lanes,
                count: touch.bytes >> self.shift,
                lowest: [0; GROUP_WARPS],
                stamps: [0; GROUP_WARPS],
                offsets: Rc::new(offsets),
                scale: 0,
            };
            noted.lowest[number] = lowest;
            noted.stamps[number] = self.clocks.interval(touch.warp);
            self.note(noted);
        }
        near
    }

    /// Marks granules of global memory, told to other blocks too; returns whether they met nothing.
    #[inline(always)]
    pub(super) fn mark_global(
        &mut self,
        buffer: (usize, &Buffer),
        (first, count): (u64, u64),
        stores: bool,
        is_constant: bool,
    ) -> bool {
        let mut sound = true;
        for (number, mask) in parts(first, count) {
            sound &= self.mark_segment(buffer, (number, mask), stores, is_constant);
        }
        sound
    }

    /// The same for granules of one segment.
    #[inline(always)]
    pub(super) fn mark_segment(
        &mut self,
        buffer: (usize, &Buffer),
        (number, mask): (u64, u32),
        stores: bool,
        is_constant: bool,
    ) -> bool {
        let slot = self.segments.slot(number, buffer.0 as u32);
        let deed = if stores { Deed::Store } else { Deed::Load };
        let segment = &mut self.segments.list[slot];
        let met = segment.mark(self.era, mask, stores);
        // What is loaded past the caches that stores go through must not be stored to at all.
        let is_stale = is_constant && segment.written & mask != 0;
        self.tell_of(slot, buffer, deed, mask);
        !met && !is_stale
    }

    /// Notes a deed for other blocks; where the block writes for the first time, the grid hears of it before.
    #[inline(always)]
    fn tell_of(&mut self, slot: usize, buffer: (usize, &Buffer), deed: Deed, mask: u32) {
        let segment = &mut self.segments.list[slot];
        segment.news[deed as usize] |= mask;
        self.has_news = true;
        let (number, before) = (segment.number, segment.written);
        if !deed.writes() || mask & !before == 0 {
            return;
        }
        segment.written |= mask;
        if !self.grid.is_first() {
            self.grid.keep_values(buffer, number, mask & !before);
        } else if before == 0 {
            self.grid.claim(buffer, number, &mut self.undo);
        }
    }

    /// Whether granules of global memory hold something.
    #[inline(always)]
    pub(super) fn is_known(&mut self, index: usize, (first, count): (u64, u64)) -> bool {
        self.grid.is_all_initialised(index)
            || parts(first, count).all(|(number, mask)| self.is_known_segment(index, number, mask))
    }

    /// The same for granules of one segment.
    #[inline(always)]
    pub(super) fn is_known_segment(&mut self, index: usize, number: u64, mask: u32) -> bool {
        if self.grid.is_all_initialised(index) {
            return true;
        }
        let slot = self.segments.slot(number, index as u32);
        let rest = mask & !self.segments.list[slot].written;
        rest == 0 || self.grid.is_initialised(index, number, rest)
    }

    // ---- accesses that met others ----

    fn shared_lane(&mut self, touch: &Touch, lane: usize, actor: Actor, around: &mut Around) {
        let address = touch.addresses[lane] as usize;
        let first = address >> self.shift;
        let granules = (touch.bytes as usize) >> self.shift;
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let observation = &self.grid.observation;
        let (mut race, mut fresh) = (None, 0);
        for index in 0..granules {
            let at = first + index;
            if !self.flights.is_empty() || matches!(touch.act, TouchAct::Begin) {
                race = race.or(Self::flight(&mut self.flights, at, touch, actor));
            }
            let is_written = self.shared_marks.is_written(at);
            let found = match touch.act {
                TouchAct::Load => {
                    fresh |= self.granule_bytes(index, !is_written);
                    match actor.is_strong() {
                        true => self.shared.watch(at, view, actor, observation),
                        false => self.shared.load(at, view, actor, observation),
                    }
                }
                TouchAct::Store(_) if actor.is_strong() => {
                    self.shared.store_strongly(at, view, actor)
                }
                TouchAct::Store(data) => {
                    let value = granule_of(data, lane, index, self.shift);
                    let word = around.shared[address / 4 + (index << self.shift) / 4];
                    let present = narrowed(word, ((address % 4) >> self.shift) + index, self.shift);
                    let same_value = is_written && present == value;
                    self.shared
                        .store(at, view, actor, (same_value, observation))
                }
                TouchAct::Begin => self.shared.begin(at, view, actor, observation),
                TouchAct::Atomic { reads, .. } => {
                    fresh |= self.granule_bytes(index, reads && !is_written);
                    self.shared.store_strongly(at, view, actor)
                }
            };
            race = race.or(found);
            if !matches!(touch.act, TouchAct::Begin) {
                let writes = !matches!(touch.act, TouchAct::Load);
                self.shared_marks.mark(at as u64, 1, writes);
            }
        }
        // What is on its way has not been forgotten.
        let meets =
            fresh != 0 && (0..granules).any(|index| self.flights.meet(first + index).is_some());
        let unwritten = Unwritten {
            bytes: if meets { 0 } else { fresh },
            is_alone: fresh == 0
                || self.is_alone(first, |shadow, at| shadow.shared_marks.is_written(at)),
        };
        self.report(touch, lane, race, unwritten, around);
    }

    /// An access and the copy that is on its way to the same place: its start, its end, or a race with it.
    fn flight(flights: &mut Flights, at: usize, touch: &Touch, actor: Actor) -> Option<Earlier> {
        match touch.act {
            TouchAct::Begin => flights.start(at, actor),
            TouchAct::Store(_) if flights.land(at, actor) => {}
            _ => return flights.meet(at),
        }
        None
    }

    fn global_lane(
        &mut self,
        touch: &Touch,
        lane: usize,
        actor: Actor,
        (index, offset): (usize, usize),
        around: &mut Around,
    ) {
        let buffer = (index, around.buffers[index]);
        let first = touch.addresses[lane] >> self.shift;
        let deed = deed(touch, actor);
        let observation = &self.grid.observation;
        let (mut race, mut fresh) = (None, 0);
        for at in 0..(touch.bytes >> self.shift) as usize {
            let granule = first + at as u64;
            let slot = self.segments.slot(granule / SEGMENT as u64, index as u32);
            let bit = 1 << (granule % SEGMENT as u64);
            let cell = self.segments.cell(slot, granule);
            let is_written = self.segments.list[slot].written & bit != 0;
            let here = offset + (at << self.shift);
            let is_fresh = !is_written
                && !self.grid.is_all_initialised(index)
                && !self
                    .grid
                    .is_initialised(index, granule / SEGMENT as u64, bit);
            let fresh_here = self.fresh_bytes(index, here, at, is_fresh);
            let view = View {
                clocks: &self.clocks,
                warp: touch.warp,
            };
            let cells = &mut self.segments.cells;
            let found = match touch.act {
                TouchAct::Load => {
                    fresh |= fresh_here;
                    match actor.is_strong() {
                        true => cells.watch(cell, view, actor, observation),
                        false if touch.is_constant && is_written => {
                            let storer = cells.last_storer(cell);
                            cells.load(cell, view, actor, observation).or(Some(storer))
                        }
                        false => cells.load(cell, view, actor, observation),
                    }
                }
                TouchAct::Store(_) if actor.is_strong() => cells.store_strongly(cell, view, actor),
                TouchAct::Store(data) => {
                    let value = granule_of(data, lane, at, self.shift);
                    let word = buffer.1.words[here / 4].load(std::sync::atomic::Ordering::Relaxed);
                    let present = narrowed(word, (here % 4) >> self.shift, self.shift);
                    let same_value = is_written && present == value;
                    cells.store(cell, view, actor, (same_value, observation))
                }
                // Only of shared memory.
                TouchAct::Begin => None,
                TouchAct::Atomic { reads, .. } => {
                    fresh |= if reads { fresh_here } else { 0 };
                    cells.store_strongly(cell, view, actor)
                }
            };
            race = race.or(found);
            self.segments.list[slot].mark(self.era, bit, deed.writes());
            self.tell_of(slot, buffer, deed, bit);
        }
        let unwritten = Unwritten {
            bytes: fresh,
            is_alone: fresh == 0
                || self.is_alone(first as usize, |shadow, at| {
                    shadow.is_known(index, (at as u64, 1))
                }),
        };
        self.report(touch, lane, race, unwritten, around);
    }

    /// Lanes of one warp that store different values to one address in one instruction.
    fn same_instruction(&mut self, touch: &Touch) {
        let TouchAct::Store(data) = touch.act else {
            return;
        };
        let words = (touch.bytes as usize).div_ceil(4);
        let mut later: Vec<(u64, usize)> = Vec::with_capacity(WARP);
        for_lanes(touch.mask, |lane| later.push((touch.addresses[lane], lane)));
        // Most stores go up from lane to lane.
        if later.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            return;
        }
        later.sort_unstable();
        for pair in later.windows(2) {
            let ((a, first), (b, second)) = (pair[0], pair[1]);
            if a != b || (0..words).all(|word| data[word][first] == data[word][second]) {
                continue;
            }
            let racer = |lane: usize| Racer {
                block: self.block,
                place: touch.place,
                thread: (touch.warp * WARP + lane) as u32,
                is_store: true,
                is_atomic: false,
            };
            let race = Race {
                space: touch.space,
                address: a,
                access_bytes: touch.bytes,
                count: 1,
                later: racer(second),
                earlier: racer(first),
                same_instruction: true,
                crosses_proxies: false,
                crosses_warps: false,
                left_out: None,
            };
            note_from(&mut self.races, self.block_races, race);
        }
    }

    fn report(
        &mut self,
        touch: &Touch,
        lane: usize,
        race: Option<Earlier>,
        unwritten: Unwritten,
        around: &mut Around,
    ) {
        let thread = (touch.warp * WARP + lane) as u32;
        let is_store = !matches!(touch.act, TouchAct::Load);
        let read = (touch.bytes, touch.wanted);
        if let Some(detail) = unwritten.mistake(read, around.program) {
            let fault = uninitialised_fault(touch, thread, self.block, is_store);
            let fault = Fault { detail, ..fault };
            match fault.detail {
                Detail::None if !is_store && !touch.is_copy => {
                    around.faults.doubt(fault, 1 << lane)
                }
                _ => around.faults.note(fault),
            }
        }
        let Some(Earlier {
            actor,
            is_store: earlier_stores,
        }) = race
        else {
            return;
        };
        let race = Race {
            space: touch.space,
            address: touch.addresses[lane],
            access_bytes: touch.bytes,
            count: 1,
            later: Racer {
                block: self.block,
                place: touch.place,
                thread,
                is_store,
                is_atomic: matches!(touch.act, TouchAct::Atomic { .. }),
            },
            earlier: Racer {
                block: self.block,
                place: actor.place(),
                thread: actor.thread(),
                is_store: earlier_stores,
                is_atomic: actor.is_strong(),
            },
            same_instruction: false,
            crosses_proxies: false,
            crosses_warps: false,
            left_out: self.left_out(thread, actor.thread()),
        };
        note_from(&mut self.races, self.block_races, race);
    }
}

/// The memory that a lane accesses.
enum Place {
    Shared,
    /// Index of the buffer, and the offset there.
    Global(usize, usize),
}

/// What an access to global memory is to other blocks.
fn deed(touch: &Touch, actor: Actor) -> Deed {
    match touch.act {
        TouchAct::Load if actor.is_strong() => Deed::Watch,
        TouchAct::Load => Deed::Load,
        _ if !actor.is_strong() => Deed::Store,
        _ if touch.is_narrow => Deed::Narrow,
        TouchAct::Atomic { swaps: true, .. } => Deed::Swap,
        _ => Deed::Strong,
    }
}

fn uninitialised_fault(touch: &Touch, thread: u32, block: u64, is_store: bool) -> Fault {
    Fault {
        kind: FindingKind::Uninitialized,
        block,
        place: touch.place,
        space: Some(touch.space),
        thread,
        address: Some(touch.addresses[(thread as usize) % WARP]),
        access_bytes: touch.bytes,
        is_store,
        count: 1,
        detail: Detail::None,
    }
}

/// One granule of what a lane stores.
#[inline(always)]
fn granule_of(data: &[[u32; WARP]; 4], lane: usize, index: usize, shift: u32) -> u32 {
    let word = data[((index << shift) / 4) & 3][lane];
    narrowed(word, index, shift)
}
