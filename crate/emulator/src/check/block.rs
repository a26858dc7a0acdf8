//! One block's shadow: takes each access of its warps, and tells the grid what it did.

use crate::check::cells::{Actor, Cells, Earlier, Manner, View};
use crate::check::clocks::Clocks;
use crate::check::flights::Flights;
use crate::check::found::{Race, Racer, merge_races, note};
use crate::check::grid::GridShadow;
use crate::check::segments::{DEEDS, Deed, SEGMENT, Segments, narrowed};
use crate::check::told::{Entry, Pair, Party};
use crate::check::{Around, Touch, TouchAct};
use crate::memory::faults::Fault;
use crate::memory::locate;
use crate::program::access::Strength;
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};
use crate::report::{Detail, FindingKind, Space};

/// Most races kept apart by block; beyond, those of one pair of instructions are merged.
const MOST_RACES: usize = 1 << 12;

/// What is known of the memory that a block uses.
#[derive(Debug)]
pub(crate) struct BlockShadow<'g> {
    pub(super) grid: &'g GridShadow,
    /// log2 of the bytes of a granule.
    pub(super) shift: u32,
    /// Number of the block, x fastest.
    block: u64,
    pub(super) clocks: Clocks,
    pub(super) shared: Cells,
    pub(super) flights: Flights,
    pub(super) segments: Segments,
    /// Bytes of each word of local memory that a lane has written, by group, laid out as the words are.
    local: Vec<Vec<u8>>,
    /// This block's phase among all blocks, if they may wait for each other.
    phase: u32,
    /// Phases closed by a fence but not yet released.
    closed: Vec<u32>,
    pub(crate) races: Vec<Race>,
    /// Index in `races` of the current block's first.
    block_races: usize,
    /// Whether the grid has not been told all.
    pub(super) has_news: bool,
}

impl<'g> BlockShadow<'g> {
    pub(crate) fn new(grid: &'g GridShadow, shared_bytes: u32) -> Self {
        let granule = grid.granule;
        let mut shared = Cells::default();
        shared.grow((shared_bytes.div_ceil(granule)) as usize + WARP);
        Self {
            grid,
            shift: granule.trailing_zeros(),
            block: 0,
            clocks: Clocks::new(),
            shared,
            flights: Flights::default(),
            segments: Segments::new(),
            local: Vec::new(),
            phase: 0,
            closed: Vec::new(),
            races: Vec::new(),
            block_races: 0,
            has_news: false,
        }
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
        self.segments.clear();
        self.local.resize(warps.div_ceil(GROUP_WARPS), Vec::new());
        for valid in &mut self.local {
            valid.clear();
            valid.resize(local_words, 0);
        }
        self.closed.clear();
        self.phase = match self.order() {
            Some(mut order) => order.begin(block, 0),
            None => block as u32,
        };
        self.block_races = self.races.len();
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
        let grid = self.grid;
        if !std::mem::take(&mut self.has_news) {
            return;
        }
        for slot in 0..self.segments.list.len() {
            let segment = self.segments.list[slot];
            self.segments.list[slot].news = [0; 4];
            for deed in DEEDS {
                let mask = segment.news[deed as usize];
                if mask == 0 {
                    continue;
                }
                let entry = Entry {
                    phase: self.phase,
                    deed,
                    mask,
                    actors: self.segments.actors(slot, deed, mask),
                };
                let values = &self.segments.values[slot * SEGMENT..][..SEGMENT];
                let pairs = grid.tell(segment.buffer as usize, segment.number, entry, values);
                for pair in pairs {
                    let race = between_blocks(&pair, &grid_block(grid), 1 << self.shift);
                    note_from(&mut self.races, self.block_races, race);
                }
            }
        }
    }

    /// The same, if blocks may wait for each other: before what it learns or tells next.
    fn tell_in_order(&mut self) {
        if self.grid.order.is_some() {
            self.tell();
        }
    }

    // ---- how warps order themselves ----

    /// Warps of the block, one bit each, leave a barrier together.
    pub(crate) fn barrier(&mut self, number: u32, warps: u32) {
        self.clocks.barrier(number, warps);
    }

    /// The lanes of a warp meet at `__syncwarp()`.
    pub(crate) fn meet(&mut self, warp: usize) {
        self.clocks.meet(warp);
    }

    /// Warps come to a barrier without waiting.
    pub(crate) fn arrive(&mut self, number: u32, warps: u32) {
        self.clocks.arrive(number, warps);
    }

    /// A warp tells all that it did so far through an object, such as an mbarrier.
    pub(crate) fn release(&mut self, warp: usize, object: u64) {
        self.clocks.release(warp, object);
    }

    /// A warp learns what was told through an object.
    pub(crate) fn acquire(&mut self, warp: usize, object: u64) {
        self.clocks.acquire(warp, object);
    }

    /// A warp executes a fence; `is_wide` if other blocks may see it.
    pub(crate) fn fence(&mut self, warp: usize, is_wide: bool) {
        self.clocks.fence(warp);
        if is_wide && self.grid.order.is_some() {
            self.tell();
            let Some(mut order) = self.order() else {
                return;
            };
            self.closed.push(self.phase);
            let acquired = order.acquired(self.phase);
            self.phase = order.begin(self.block, acquired);
            order.acquire(self.phase);
        }
    }

    /// What a strong access does for the order of threads, before it is looked at itself.
    fn synchronise(&mut self, touch: &Touch, strength: Strength, reads: bool, writes: bool) {
        let warp = touch.warp;
        if touch.space == Space::Global {
            if strength == Strength::Release {
                self.fence(warp, true);
            }
            self.tell_in_order();
            if let Some(mut order) = self.order() {
                if writes && !self.closed.is_empty() {
                    order.release(&mut self.closed);
                }
                if reads {
                    order.acquire(self.phase);
                }
            }
        } else if strength == Strength::Release {
            self.clocks.fence(warp);
        }
        let object =
            |lane: usize| touch.addresses[lane] | u64::from(touch.space == Space::Shared) << 63;
        if reads && self.clocks.has_objects() {
            for_lanes(touch.mask, |lane| self.clocks.acquire(warp, object(lane)));
        }
        if writes && self.clocks.has_fenced(warp) {
            for_lanes(touch.mask, |lane| self.clocks.tell(warp, object(lane)));
        }
    }

    // ---- accesses ----

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
        if manner != Manner::Weak {
            self.synchronise(touch, strength, reads, writes);
        }
        if writes && matches!(touch.act, TouchAct::Store(_)) {
            self.same_instruction(touch);
        }
        let bytes = u64::from(touch.bytes);
        for_lanes(touch.mask, |lane| {
            let address = touch.addresses[lane];
            if !address.is_multiple_of(bytes) {
                return;
            }
            let actor = Actor::new(touch.place, (touch.warp * WARP + lane) as u32, manner);
            if touch.space == Space::Shared {
                if address
                    .checked_add(bytes)
                    .is_some_and(|end| end <= u64::from(around.shared_bytes))
                {
                    self.shared_lane(touch, lane, actor, around);
                }
            } else if let Some((index, offset)) =
                locate(around.buffers, address, touch.bytes as usize)
                && !around.is_heap(index)
            {
                self.global_lane(touch, lane, actor, index, offset, around);
            }
        });
    }

    fn shared_lane(&mut self, touch: &Touch, lane: usize, actor: Actor, around: &mut Around) {
        let address = touch.addresses[lane] as usize;
        let first = address >> self.shift;
        let granules = (touch.bytes as usize) >> self.shift;
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let (mut race, mut uninitialised) = (None, false);
        for index in 0..granules {
            let at = first + index;
            if !self.flights.is_empty() || matches!(touch.act, TouchAct::Begin) {
                race = race.or(Self::flight(&mut self.flights, at, touch, actor));
            }
            let found = match touch.act {
                TouchAct::Load => {
                    uninitialised |= !self.shared.is_stored(at, view.clocks);
                    self.shared.load(at, view, actor)
                }
                TouchAct::Store(data) => {
                    let value = granule_of(data, lane, index, self.shift);
                    let word = around.shared[address / 4 + (index << self.shift) / 4];
                    let present = narrowed(word, ((address % 4) >> self.shift) + index, self.shift);
                    if self.shared.is_stored(at, view.clocks) && present == value {
                        continue;
                    }
                    self.shared.store(at, view, actor)
                }
                TouchAct::Begin => self.shared.begin(at, view, actor),
                TouchAct::Atomic { reads, .. } => {
                    uninitialised |= reads && !self.shared.is_stored(at, view.clocks);
                    self.shared.store(at, view, actor)
                }
            };
            race = race.or(found);
        }
        // What is on its way has not been forgotten.
        let meets = (0..granules).any(|index| self.flights.meet(first + index).is_some());
        self.report(touch, lane, race, uninitialised && !meets, around);
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
        buffer: usize,
        offset: usize,
        around: &mut Around,
    ) {
        let grid = self.grid;
        let number = touch.addresses[lane] >> self.shift;
        let slot = self.segments.slot(number / SEGMENT as u64, buffer as u32);
        self.segments.settle(slot);
        let first = number as usize % SEGMENT;
        let granules = (touch.bytes as usize) >> self.shift;
        let segment = &mut self.segments.list[slot];
        if !segment.is_saved && !matches!(touch.act, TouchAct::Load) {
            segment.is_saved = true;
            grid.save(buffer, around.buffers[buffer], segment.number);
        }
        let view = View {
            clocks: &self.clocks,
            warp: touch.warp,
        };
        let all = grid.is_all_initialised(buffer);
        let (mut race, mut uninitialised) = (None, false);
        let mut news = [0u32; 4];
        for index in 0..granules {
            let (at, bit) = (slot * SEGMENT + first + index, 1 << (first + index));
            let fresh = |segments: &Segments| {
                !all && !segments.cells.is_stored(at, view.clocks)
                    && !grid.is_initialised(buffer, offset + (index << self.shift), 1 << self.shift)
            };
            let found = match touch.act {
                TouchAct::Load => {
                    uninitialised |= fresh(&self.segments);
                    if !actor.is_strong() {
                        news[Deed::Load as usize] |= bit;
                    }
                    self.segments.cells.load(at, view, actor)
                }
                TouchAct::Store(data) => {
                    let value = granule_of(data, lane, index, self.shift);
                    let same = self.segments.cells.is_stored(at, view.clocks)
                        && self.segments.values[at] == value;
                    self.segments.values[at] = value;
                    let deed = if actor.is_strong() {
                        Deed::Strong
                    } else {
                        Deed::Store
                    };
                    news[deed as usize] |= bit;
                    if same {
                        continue;
                    }
                    self.segments.cells.store(at, view, actor)
                }
                // Only of shared memory.
                TouchAct::Begin => None,
                TouchAct::Atomic { reads, swaps } => {
                    uninitialised |= reads && fresh(&self.segments);
                    let deed = if swaps { Deed::Swap } else { Deed::Strong };
                    news[deed as usize] |= bit;
                    self.segments.cells.store(at, view, actor)
                }
            };
            race = race.or(found);
        }
        self.has_news = true;
        self.segments.list[slot].mix(news);
        self.report(touch, lane, race, uninitialised, around);
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
            };
            note_from(&mut self.races, self.block_races, race);
        }
    }

    fn report(
        &mut self,
        touch: &Touch,
        lane: usize,
        race: Option<Earlier>,
        uninitialised: bool,
        around: &mut Around,
    ) {
        let thread = (touch.warp * WARP + lane) as u32;
        let is_store = !matches!(touch.act, TouchAct::Load);
        if uninitialised {
            around
                .faults
                .note(uninitialised_fault(touch, thread, self.block, is_store));
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
        };
        note_from(&mut self.races, self.block_races, race);
    }

    // ---- local memory ----

    /// A lane accesses its own memory at a byte offset that has been checked; returns whether it reads what nothing
    /// has written.
    pub(crate) fn local(
        &mut self,
        group: usize,
        lane: usize,
        offset: usize,
        bytes: usize,
        is_store: bool,
    ) -> bool {
        let Some(valid) = self.local.get_mut(group) else {
            return false;
        };
        let mut unwritten = false;
        for at in offset..offset + bytes {
            let bit = 1 << (at % 4);
            if let Some(valid) = valid.get_mut(at / 4 * GROUP_WARPS * WARP + lane) {
                if is_store {
                    *valid |= bit;
                } else {
                    unwritten |= *valid & bit == 0;
                }
            }
        }
        unwritten
    }
}

fn note_from(races: &mut Vec<Race>, first: usize, race: Race) {
    let mut block = races.split_off(first);
    note(&mut block, race);
    races.append(&mut block);
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
        is_store: party.deed != Deed::Load,
        is_atomic: matches!(party.deed, Deed::Strong | Deed::Swap),
    };
    Race {
        space: Space::Global,
        address: pair.address,
        access_bytes: granule,
        count: 1,
        later: racer(&pair.later),
        earlier: racer(&pair.earlier),
        same_instruction: false,
    }
}

/// One granule of what a lane stores.
#[inline(always)]
fn granule_of(data: &[[u32; WARP]; 4], lane: usize, index: usize, shift: u32) -> u32 {
    let word = data[((index << shift) / 4) & 3][lane];
    narrowed(word, index, shift)
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
