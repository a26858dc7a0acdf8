//! One block's shadow: takes each access of its warps, and tells the grid what it did.

use std::rc::Rc;

use crate::check::cells::Cells;
use crate::check::clocks::Clocks;
use crate::check::flights::Flights;
use crate::check::found::{Race, Racer, merge_races, note, note_from};
use crate::check::grid::GridShadow;
use crate::check::log::Log;
use crate::check::marks::{SEGMENT, SharedMarks};
use crate::check::segments::{DEED_KINDS, DEEDS, Deed, Segments, narrowed};
use crate::check::sources::Sources;
use crate::check::steps::Steps;
use crate::check::told::{Entry, Pair, Party};
use crate::check::undo::Undo;
use crate::check::unmet::Unmet;
use crate::check::{Touch, TouchAct};
use crate::memory::Buffer;
use crate::program::access::Strength;
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};
use crate::report::Space;

/// Most races kept apart by block; beyond, those of one pair of instructions are merged.
const MOST_RACES: usize = 1 << 12;

/// What is known of the memory that a block uses.
#[derive(Debug)]
pub(crate) struct BlockShadow<'g> {
    pub(super) grid: &'g GridShadow,
    buffers: &'g [&'g Buffer],
    /// log2 of the bytes of a granule.
    pub(super) shift: u32,
    /// Number of the block, x fastest.
    pub(super) block: u64,
    /// Barriers of the whole block so far, and starts of blocks.
    pub(super) era: u32,
    pub(super) clocks: Clocks,
    pub(super) log: Log,
    pub(super) shared_marks: SharedMarks,
    pub(super) shared: Cells,
    pub(super) flights: Flights,
    pub(super) sources: Sources,
    pub(super) steps: Steps,
    pub(super) segments: Segments,
    /// Bytes of each word of local memory that a lane has written, by group, laid out as the words are.
    pub(super) local: Vec<Vec<u8>>,
    /// Of what it tells next: the block's number, or a number of its own if blocks may wait for each other.
    phase: u32,
    pub(super) races: Vec<Race>,
    /// Index in `races` of the current block's first.
    pub(super) block_races: usize,
    /// Whether the grid has not been told all.
    pub(super) has_news: bool,
    pub(super) undo: Undo,
    /// Collectives to which lanes have yet to come.
    pub(super) unmet: Vec<Unmet>,
    /// A block is a single thread, and not one of a cluster.
    pub(super) has_one_thread: bool,
    /// Of a lane that accesses by itself.
    pub(super) no_offsets: Rc<[u32; WARP]>,
}

impl<'g> BlockShadow<'g> {
    pub(crate) fn new(grid: &'g GridShadow, buffers: &'g [&'g Buffer], shared_bytes: u32) -> Self {
        let granule = grid.granule;
        let granules = (shared_bytes.div_ceil(granule)) as usize + WARP;
        let mut shared = Cells::default();
        shared.grow(granules);
        Self {
            grid,
            buffers,
            shift: granule.trailing_zeros(),
            block: 0,
            era: 0,
            clocks: Clocks::new(),
            log: Log::default(),
            shared_marks: SharedMarks::new(granules),
            shared,
            flights: Flights::default(),
            sources: Sources::default(),
            steps: Steps::default(),
            segments: Segments::new(),
            local: Vec::new(),
            phase: 0,
            races: Vec::new(),
            block_races: 0,
            has_news: false,
            undo: Undo::new(granule),
            unmet: Vec::new(),
            has_one_thread: false,
            no_offsets: Rc::new([0; WARP]),
        }
    }

    /// A block is a single thread, and not one of a cluster.
    pub(crate) fn set_one_thread(&mut self) {
        self.has_one_thread = true;
    }

    // ---- the block's course ----

    /// A block starts.
    pub(crate) fn start(&mut self, block: u64, warps: usize, local_words: usize) {
        self.block = block;
        if self.clocks.start(warps) {
            self.shared.reset();
            self.segments.cells.reset();
        }
        self.flights.clear();
        self.sources.clear();
        self.steps.clear();
        self.segments.clear();
        self.shared.start();
        self.shared_marks.clear();
        self.log.clear();
        self.unmet.clear();
        self.next_era();
        self.local.resize(warps.div_ceil(GROUP_WARPS), Vec::new());
        for valid in &mut self.local {
            valid.clear();
            valid.resize(local_words, 0);
        }
        self.phase = block as u32;
        self.block_races = self.races.len();
    }

    /// A part of shared memory, in bytes, counts as written.
    pub(crate) fn give_shared(&mut self, bytes: std::ops::Range<usize>) {
        self.shared_marks
            .give(bytes.start >> self.shift..bytes.end >> self.shift);
    }

    /// Whether the block has raced, as far as that is known.
    pub(crate) fn has_raced(&self) -> bool {
        self.races.len() > self.block_races
    }

    /// The width of a granule.
    pub(crate) fn granule(&self) -> usize {
        1 << self.shift
    }

    /// What was marked before is ordered before what comes.
    fn next_era(&mut self) {
        self.era = self.era.wrapping_add(1);
    }

    /// All blocks of this host thread have been run: their races.
    pub(crate) fn finish(self) -> Vec<Race> {
        self.grid.keep(self.undo);
        self.races
    }

    /// A block has ended.
    pub(crate) fn end(&mut self) {
        self.tell();
        if self.races.len() > MOST_RACES {
            merge_races(&mut self.races, |place| place);
        }
        self.block_races = self.races.len();
    }

    fn order(&self) -> Option<std::sync::MutexGuard<'g, crate::check::order::Order>> {
        let order = self.grid.order.as_ref()?;
        Some(
            order
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    /// Tells the grid what the block did since it last did so.
    pub(crate) fn tell(&mut self) {
        if !std::mem::take(&mut self.has_news) {
            return;
        }
        if self.grid.is_first() {
            for segment in &self.segments.list {
                self.grid
                    .see(segment.buffer as usize, segment.number, &segment.news);
            }
            return;
        }
        self.settle();
        if let Some(mut order) = self.order() {
            self.phase = order.begin(self.block);
        }
        for slot in 0..self.segments.list.len() {
            self.tell_segment(slot);
        }
    }

    /// Tells who did what to a segment.
    fn tell_segment(&mut self, slot: usize) {
        let grid = self.grid;
        let segment = self.segments.list[slot];
        self.segments.list[slot].news = [0; DEED_KINDS];
        let stores = segment.news[Deed::Store as usize];
        let values = if stores == 0 {
            [0; SEGMENT]
        } else {
            self.values(segment.buffer as usize, segment.number)
        };
        for deed in DEEDS {
            let mask = segment.news[deed as usize];
            if mask == 0 {
                continue;
            }
            let (actors, times) = self.segments.actors(slot, deed, mask);
            let entry = Entry {
                phase: self.phase,
                deed,
                mask,
                actors,
                times,
            };
            let place = (segment.buffer as usize, segment.number);
            let pairs = grid.tell(place, entry, &values, &self.clocks);
            for pair in pairs {
                let race = between_blocks(&pair, &grid_block(grid), 1 << self.shift);
                note_from(&mut self.races, self.block_races, race);
            }
        }
    }

    /// The values of a segment's granules as this block has left them: blocks run in order.
    fn values(&self, buffer: usize, segment: u64) -> [u32; SEGMENT] {
        let buffer = self.buffers[buffer];
        let start = segment * ((SEGMENT as u64) << self.shift);
        let words = &buffer.words[(start.saturating_sub(buffer.base) / 4) as usize..];
        std::array::from_fn(|index| {
            let word = words.get((index << self.shift) / 4);
            let word = word.map_or(0, |word| word.load(std::sync::atomic::Ordering::Relaxed));
            narrowed(word, index, self.shift)
        })
    }

    /// The same, if blocks may wait for each other: before what it learns or tells next, and before others have their turn.
    pub(crate) fn tell_in_order(&mut self) {
        if self.grid.order.is_some() {
            self.tell();
        }
    }

    /// The same before warps of the block learn from each other, if that may be of other blocks.
    fn tell_before_learning(&mut self) {
        if self.grid.order.is_some() && self.clocks.may_learn_of_blocks() {
            self.tell();
        }
    }

    // ---- how warps order themselves ----

    /// Warps of the block, one bit each, leave a barrier together; `is_whole` if it is for all that have not exited.
    pub(crate) fn barrier(&mut self, number: u32, warps: u32, is_whole: bool) {
        self.tell_before_learning();
        if is_whole || warps == self.clocks.all() {
            self.forget_marks();
            self.clocks.barrier_of_all(number);
            return;
        }
        self.settle();
        self.clocks.barrier(number, warps);
    }

    /// All threads of the block meet: what one of them did before races with nothing that another does after.
    fn forget_marks(&mut self) {
        if self.grid.is_first() && !self.sources.needs_stores() {
            self.log.clear();
        } else {
            // The other blocks are told who did it, and bulk copies ask for it.
            self.settle();
        }
        self.shared_marks.barrier();
        self.next_era();
    }

    /// The lanes of a warp meet.
    pub(crate) fn meet(&mut self, warp: usize) {
        self.clocks.meet(warp);
    }

    /// All lanes of a warp come to a `__syncwarp()` together: where the block has no other warp, all its threads do.
    fn meet_whole(&mut self, warp: usize) {
        if self.clocks.all() == 1 {
            self.forget_marks();
        }
        self.clocks.meet(warp);
    }

    /// Lanes of a warp come to a `__syncwarp()` together, each with its members; the others that have not exited are among
    /// the `live`.
    pub(crate) fn meet_members(
        &mut self,
        warp: usize,
        place: u32,
        (active, live): (u32, u32),
        members: &[u32; WARP],
    ) {
        let mut rest = active;
        while rest != 0 {
            let named = members[rest.trailing_zeros() as usize];
            for_lanes(rest, |lane| {
                rest &= !(u32::from(members[lane] == named) << lane)
            });
            if live & !(named & active) == 0 {
                self.meet_whole(warp);
            } else if live & !named == 0 {
                self.clocks.meet(warp);
            } else {
                self.clocks.meet_in_part(warp, place, named);
            }
        }
    }

    /// The `__syncwarp()` of a thread that left out another of its warp, which it had to meet: its place and mask.
    pub(super) fn left_out(&self, thread: u32, other: u32) -> Option<(u32, u32)> {
        let same_warp = thread / WARP as u32 == other / WARP as u32;
        same_warp.then(|| self.clocks.left_out(thread, other))?
    }

    /// Warps come to a barrier without waiting.
    pub(crate) fn arrive(&mut self, number: u32, warps: u32) {
        self.settle();
        self.clocks.arrive(number, warps);
    }

    /// A warp tells all that it did so far through an object, such as an mbarrier.
    pub(crate) fn release(&mut self, warp: usize, object: u64) {
        self.settle();
        self.clocks.release(warp, object);
    }

    /// A warp learns what was told through an object.
    pub(crate) fn acquire(&mut self, warp: usize, object: u64) {
        self.tell_before_learning();
        self.settle();
        self.clocks.acquire(warp, object);
    }

    /// A warp executes a fence; `is_wide` if other blocks may see it.
    pub(crate) fn fence(&mut self, warp: usize, is_wide: bool) {
        match is_wide {
            true => self.tell_in_order(),
            false => self.tell_before_learning(),
        }
        self.settle();
        self.clocks
            .fence(warp, is_wide && self.grid.order.is_some());
    }

    /// What a strong access does for the order of threads, before it is looked at itself.
    pub(super) fn synchronise(
        &mut self,
        touch: &Touch,
        strength: Strength,
        reads: bool,
        writes: bool,
    ) {
        let warp = touch.warp;
        // A reduction learns nothing, and what a relaxed load has met orders nothing before a fence.
        let reads = reads && self.grid.observation.observes(touch.place);
        let acquires = reads && strength != Strength::Relaxed;
        // An atomic is a link of the chain of those before it.
        let links = matches!(touch.act, TouchAct::Atomic { .. });
        if touch.space == Space::Global {
            if strength == Strength::Release {
                self.fence(warp, !touch.is_narrow);
            }
            self.tell_in_order();
            if let Some(mut order) = self.order().filter(|_| !touch.is_narrow) {
                let visible = self.clocks.visible(warp);
                let told = (writes).then(|| order.release(self.block, visible));
                let told = told.map(|told| told.max(self.clocks.fenced_acquired(warp)));
                for_lanes(touch.mask, |lane| {
                    let place = touch.addresses[lane];
                    if reads {
                        self.clocks
                            .hear_of_blocks(warp, order.told_at(place), acquires);
                    }
                    if let Some(told) = told {
                        order.tell_at(place, told, links);
                    }
                });
            }
        } else {
            self.tell_before_learning();
            if strength == Strength::Release {
                self.clocks.fence(warp, false);
            }
        }
        let object =
            |lane: usize| touch.addresses[lane] | u64::from(touch.space == Space::Shared) << 63;
        if reads && self.clocks.has_objects() {
            for_lanes(touch.mask, |lane| {
                if acquires {
                    self.clocks.acquire(warp, object(lane));
                } else {
                    self.clocks.hear(warp, object(lane));
                }
            });
        }
        if writes && (self.clocks.has_fenced(warp) || self.clocks.has_objects()) {
            for_lanes(touch.mask, |lane| {
                self.clocks.tell(warp, object(lane), links)
            });
        }
    }

    /// A warp tells the other blocks of its cluster what it did so far, at their barrier.
    pub(crate) fn release_to_blocks(&mut self, warp: usize) {
        self.fence(warp, true);
        self.tell_in_order();
        if let Some(mut order) = self.order() {
            order.release(self.block, self.clocks.visible(warp));
        }
    }

    /// A warp learns there what they have told.
    pub(crate) fn acquire_of_blocks(&mut self, warp: usize) {
        self.tell_in_order();
        if let Some(order) = self.order() {
            self.clocks.acquire_from_blocks(warp, order.now());
        }
    }
}

/// The block of a phase.
pub(super) fn grid_block(grid: &GridShadow) -> impl Fn(u32) -> u64 {
    move |phase| match &grid.order {
        Some(order) => order
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .block(phase),
        None => u64::from(phase),
    }
}

/// A race of two blocks as it is noted.
pub(super) fn between_blocks(pair: &Pair, block: &impl Fn(u32) -> u64, granule: u32) -> Race {
    let racer = |party: &Party| Racer {
        block: block(party.phase),
        place: party.actor.place(),
        thread: party.actor.thread(),
        is_store: party.deed.writes(),
        is_atomic: !party.deed.is_weak(),
    };
    Race {
        space: Space::Global,
        address: pair.address,
        access_bytes: granule,
        count: 1,
        later: racer(&pair.later),
        earlier: racer(&pair.earlier),
        same_instruction: false,
        crosses_proxies: false,
        crosses_warps: false,
        left_out: None,
    }
}

/// The races of a whole launch between blocks.
pub(crate) fn races_of_grid(grid: &GridShadow) -> Vec<Race> {
    let mut races = Vec::new();
    let block = grid_block(grid);
    for pair in grid.races() {
        note(&mut races, between_blocks(&pair, &block, grid.granule));
    }
    races
}
