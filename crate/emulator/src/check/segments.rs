//! The segments of global memory that a block has touched: their marks and cells, and what other blocks are to know of them.

use crate::check::cells::{Actor, Cells};
use crate::check::clocks::each;
use crate::check::marks::{Marks, SEGMENT};

/// What accesses do, as far as blocks race by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    Load,
    Store,
    /// Atomic, volatile or relaxed; such accesses do not race with each other.
    Strong,
    /// A compare-and-swap, which does not race with loads either.
    Swap,
    /// A strong load.
    Watch,
    /// A strong access whose scope is the block: to other blocks it is as weak as any.
    Narrow,
}

/// Kinds of deeds.
pub(super) const DEED_KINDS: usize = 6;

/// All kinds of deeds, in the order in which a block tells them: what observes comes before what follows from it.
pub(super) const DEEDS: [Deed; DEED_KINDS] = [
    Deed::Strong,
    Deed::Swap,
    Deed::Watch,
    Deed::Narrow,
    Deed::Load,
    Deed::Store,
];

impl Deed {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Deed::Load | Deed::Watch)
    }

    /// Weak, as a finding calls it.
    pub(super) fn is_weak(self) -> bool {
        matches!(self, Deed::Load | Deed::Store)
    }
}

/// One segment that the block has touched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Its address by the segment's size.
    pub(super) number: u64,
    /// Index of its buffer.
    pub(super) buffer: u32,
    /// The era of the marks.
    era: u32,
    marks: Marks,
    /// Granules touched, by deed, since other blocks were last told.
    pub(super) news: [u32; DEED_KINDS],
    /// Granules that the block has written.
    pub(super) written: u32,
}

impl Segment {
    /// Marks granules; returns whether an earlier access since the last barrier may race with this one.
    #[inline(always)]
    pub(super) fn mark(&mut self, era: u32, mask: u32, stores: bool) -> bool {
        if self.era != era {
            self.era = era;
            self.marks = Marks::default();
        }
        self.marks.mark(mask, stores)
    }
}

/// Who did what to a set of granules of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Actors {
    /// The actor at the lowest granule, and from there on a thread further every so many granules (or, if negative,
    /// so many threads further every granule).
    Row(Actor, i32),
    /// By granule.
    Each(Box<[Actor; SEGMENT]>),
}

impl Actors {
    /// Actors of the granules set in `mask`.
    fn new(mask: u32, actor: impl Fn(usize) -> Actor) -> Self {
        let first = mask.trailing_zeros() as usize % SEGMENT;
        let start = actor(first);
        let other = each(mask)
            .map(|at| (at, actor(at)))
            .find(|(_, other)| *other != start);
        let step = match other {
            None => SEGMENT as i32,
            Some((at, next)) => {
                let (granules, threads) = (
                    (at - first) as i32,
                    next.thread() as i32 - start.thread() as i32,
                );
                if threads == 1 {
                    granules
                } else if threads > 1 && threads % granules == 0 {
                    -(threads / granules)
                } else {
                    0
                }
            }
        };
        let row = Actors::Row(start, step);
        if step != 0 && each(mask).all(|at| row.at(mask, at) == actor(at)) {
            return row;
        }
        let mut actors = Box::new([start; SEGMENT]);
        each(mask).for_each(|at| actors[at] = actor(at));
        Actors::Each(actors)
    }

    /// Who did it to a granule of the mask.
    pub(super) fn at(&self, mask: u32, granule: usize) -> Actor {
        match self {
            Actors::Row(first, step) => {
                let granules = granule as i32 - mask.trailing_zeros() as i32;
                let threads = if *step > 0 {
                    granules / step
                } else {
                    -granules * step
                };
                first.plus(threads.max(0) as u32)
            }
            Actors::Each(actors) => actors[granule % SEGMENT],
        }
    }
}

/// When deeds to a set of granules of a segment were done: the intervals of the actors' warps, by their stamps.
#[derive(Debug, Clone)]
pub(super) enum Times {
    One(u32),
    /// By granule.
    Each(Box<[u32; SEGMENT]>),
}

impl Times {
    /// Of the granules set in `mask`.
    fn new(mask: u32, stamp: impl Fn(usize) -> u32) -> Self {
        let first = stamp(mask.trailing_zeros() as usize % SEGMENT);
        if each(mask).all(|at| stamp(at) == first) {
            return Times::One(first);
        }
        let mut stamps = Box::new([first; SEGMENT]);
        each(mask).for_each(|at| stamps[at] = stamp(at));
        Times::Each(stamps)
    }

    pub(super) fn at(&self, granule: usize) -> u32 {
        match self {
            Times::One(stamp) => *stamp,
            Times::Each(stamps) => stamps[granule % SEGMENT],
        }
    }
}

/// The segments that a block has touched, found by number.
#[derive(Debug)]
pub(super) struct Segments {
    /// Slot by hash, with the generation that it is of.
    table: Vec<(u32, u32)>,
    generation: u32,
    /// The slot after the last one asked for: an access goes through segments in the order in which an earlier one did.
    next: usize,
    pub(super) list: Vec<Segment>,
    pub(super) cells: Cells,
}

impl Segments {
    pub(super) fn new() -> Self {
        Self {
            table: vec![(0, 0); 256],
            generation: 1,
            next: 0,
            list: Vec::new(),
            cells: Cells::default(),
        }
    }

    /// Forgets all segments; their cells are told by their stamps.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.cells.start();
        self.next_generation();
    }

    fn next_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.table.fill((0, 0));
            self.generation = 1;
        }
    }

    #[inline(always)]
    fn home(&self, number: u64) -> usize {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.table.len() - 1)
    }

    /// The slot of a segment, a new one if it was not touched before.
    #[inline(always)]
    pub(super) fn slot(&mut self, number: u64, buffer: u32) -> usize {
        let next = self.list.get(self.next);
        if next.is_none_or(|segment| segment.number != number) {
            self.next = self.find(number, buffer);
        }
        self.next += 1;
        self.next - 1
    }

    fn find(&mut self, number: u64, buffer: u32) -> usize {
        let mut at = self.home(number);
        loop {
            let (slot, generation) = self.table[at];
            if generation != self.generation {
                return self.insert(at, number, buffer);
            }
            if self.list[slot as usize].number == number {
                return slot as usize;
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    fn insert(&mut self, at: usize, number: u64, buffer: u32) -> usize {
        let slot = self.list.len();
        self.table[at] = (slot as u32, self.generation);
        self.list.push(Segment {
            number,
            buffer,
            era: 0,
            marks: Marks::default(),
            news: [0; DEED_KINDS],
            written: 0,
        });
        if self.list.len() * 2 > self.table.len() {
            self.rehash();
        }
        slot
    }

    /// The cell of a granule of a segment.
    #[inline(always)]
    pub(super) fn cell(&mut self, slot: usize, granule: u64) -> usize {
        let at = slot * SEGMENT + granule as usize % SEGMENT;
        if at >= self.cells.len() {
            let segments = self.list.len().next_power_of_two().max(64);
            self.cells.grow(segments * SEGMENT);
        }
        at
    }

    fn rehash(&mut self) {
        self.table = vec![(0, 0); self.table.len() * 2];
        self.generation = 1;
        for slot in 0..self.list.len() {
            let mut at = self.home(self.list[slot].number);
            while self.table[at].1 == self.generation {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = (slot as u32, self.generation);
        }
    }

    /// Who did a deed to granules of a segment, and when; the cells must be up to date.
    pub(super) fn actors(&self, slot: usize, deed: Deed, mask: u32) -> (Actors, Times) {
        let first = slot * SEGMENT;
        let last = |granule: usize| match deed {
            Deed::Load => self.cells.reader(first + granule),
            Deed::Watch => self.cells.watcher(first + granule),
            Deed::Store => self.cells.storer(first + granule, false),
            Deed::Strong | Deed::Swap | Deed::Narrow => self.cells.storer(first + granule, true),
        };
        (
            Actors::new(mask, |granule| last(granule).0),
            Times::new(mask, |granule| last(granule).1),
        )
    }
}

/// One granule of a word; the number of the granule may count from an earlier word.
#[inline(always)]
pub(super) fn narrowed(word: u32, index: usize, shift: u32) -> u32 {
    match shift {
        2 => word,
        1 => (word >> (16 * (index % 2))) & 0xffff,
        _ => (word >> (8 * (index % 4))) & 0xff,
    }
}
