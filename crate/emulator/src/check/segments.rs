//! The segments of global memory that a block has touched: their cells, and what other blocks are to know of them.

use crate::check::cells::{Actor, Cells};
use crate::check::clocks::each;

/// Granules of a segment.
pub(super) const SEGMENT: usize = 32;

/// What accesses do, as far as blocks race by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    Load,
    Store,
    /// Atomic, volatile or relaxed; such accesses do not race with each other.
    Strong,
    /// A compare-and-swap, which does not race with loads either.
    Swap,
}

/// All kinds of deeds.
pub(super) const DEEDS: [Deed; 4] = [Deed::Load, Deed::Store, Deed::Strong, Deed::Swap];

/// One segment that the block has touched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Its address by the segment's size.
    pub(super) number: u64,
    /// Index of its buffer.
    pub(super) buffer: u32,
    /// Granules touched, by deed, since other blocks were last told.
    pub(super) news: [u32; 4],
    /// Whether what it held before the launch is saved.
    pub(super) is_saved: bool,
    noted: Noted,
    /// Granules that one row of threads has loaded, and those that one has stored: the first actor, and granules of
    /// each thread.
    rows: [(u32, Actor, i32); 2],
}

/// Where a block's accesses to a segment are noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noted {
    /// There were none.
    Nowhere,
    /// There was one, in the interval of this stamp: it is the deed's row, its cells mean nothing.
    Row(Deed, u32),
    Cells,
}

impl Segment {
    /// Notes deeds of a single thread.
    #[inline(always)]
    pub(super) fn mix(&mut self, news: [u32; 4]) {
        for (all, new) in self.news.iter_mut().zip(news) {
            *all |= new;
        }
        for (row, new) in self.rows.iter_mut().zip(news) {
            if new != 0 {
                row.0 = 0;
            }
        }
    }

    /// Notes a deed by a row of threads.
    #[inline(always)]
    pub(super) fn note(&mut self, deed: Deed, mask: u32, actor: Actor, per_thread: i32) {
        self.news[deed as usize] |= mask;
        self.rows[deed as usize % 2] = (mask, actor, per_thread);
    }

    /// The deed just noted, a load or store of consecutive granules, is the block's first to the segment; it is of
    /// the interval of a stamp.
    #[inline(always)]
    pub(super) fn begin(&mut self, deed: Deed, stamp: u32) {
        self.noted = Noted::Row(deed, stamp);
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

/// The segments that a block has touched, found by number.
#[derive(Debug)]
pub(super) struct Segments {
    /// Slot by hash, with the generation that it is of.
    table: Vec<(u32, u32)>,
    generation: u32,
    pub(super) list: Vec<Segment>,
    pub(super) cells: Cells,
    /// The value last stored to each granule.
    pub(super) values: Vec<u32>,
}

impl Segments {
    pub(super) fn new() -> Self {
        Self {
            table: vec![(0, 0); 256],
            generation: 1,
            list: Vec::new(),
            cells: Cells::default(),
            values: Vec::new(),
        }
    }

    /// Forgets all segments; their cells are told by their stamps.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.next_generation();
    }

    fn next_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.table.fill((0, 0));
            self.generation = 1;
        }
    }

    fn home(&self, number: u64) -> usize {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.table.len() - 1)
    }

    /// The slot of a segment, a new one if it was not touched before.
    #[inline]
    pub(super) fn slot(&mut self, number: u64, buffer: u32) -> usize {
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
            news: [0; 4],
            is_saved: false,
            noted: Noted::Nowhere,
            rows: [(0, Actor::default(), 1); 2],
        });
        if self.cells.len() < (slot + 1) * SEGMENT {
            let len = (slot + 1).next_power_of_two().max(64) * SEGMENT;
            self.cells.grow(len);
            self.values.resize(len, 0);
        }
        if self.list.len() * 2 > self.table.len() {
            self.rehash();
        }
        slot
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

    /// Brings the cells of a segment up to date, before an access that is noted there; returns whether it is the
    /// first.
    #[inline(always)]
    pub(super) fn settle(&mut self, slot: usize) -> bool {
        let segment = &mut self.list[slot];
        let noted = std::mem::replace(&mut segment.noted, Noted::Cells);
        if let Noted::Row(deed, stamp) = noted {
            let (mask, actor, per_thread) = segment.rows[deed as usize % 2];
            let first = slot * SEGMENT + mask.trailing_zeros() as usize;
            let run = first..first + mask.count_ones() as usize;
            let per_thread = per_thread as usize;
            match deed {
                Deed::Store => self.cells.set_stored(run, per_thread, stamp, actor),
                _ => self.cells.set_loaded(run, per_thread, stamp, actor),
            }
        }
        noted == Noted::Nowhere
    }

    /// Who did a deed to granules of a segment.
    pub(super) fn actors(&self, slot: usize, deed: Deed, mask: u32) -> Actors {
        if deed == Deed::Load || deed == Deed::Store {
            let (row, actor, per_thread) = self.list[slot].rows[deed as usize];
            if row == mask {
                return Actors::Row(actor, per_thread);
            }
        }
        let first = slot * SEGMENT;
        Actors::new(mask, |granule| match deed {
            Deed::Load => self.cells.reader(first + granule),
            Deed::Store | Deed::Strong | Deed::Swap => self.cells.storer(first + granule),
        })
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
