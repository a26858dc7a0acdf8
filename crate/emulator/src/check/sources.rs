//! What asynchronous copies have yet to read: nobody may store there before they are waited for. And what a bulk copy reads of shared memory that no proxy fence has shown it.
//!
//! PTX ISA section "Async proxy": bulk copies reach shared memory by a proxy of their own. What threads have stored by
//! the generic one they see after a `fence.proxy.async` between the two.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::check::Touch;
use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner};
use crate::check::clocks::{Stamps, WARPS};
use crate::check::found::{Race, Racer, note_from};
use crate::program::kinds::{WARP, for_lanes};
use crate::report::Space;

/// Bytes of a piece of memory, by which sources are found.
const PIECE_BYTES: u64 = 256;

/// A range that an asynchronous copy reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// The instruction that started the copy, and the thread that executed it.
    pub(crate) place: u32,
    pub(crate) thread: u32,
}

impl Source {
    /// The pieces of memory that it touches.
    fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        let is_shared = self.space == Space::Shared;
        let last = (self.address + self.bytes.max(1) - 1) / PIECE_BYTES;
        (self.address / PIECE_BYTES..=last).map(move |number| Piece { is_shared, number })
    }
}

/// A piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Piece {
    is_shared: bool,
    number: u64,
}

/// Spreads the numbers of pieces, which nobody chooses so that they collide: several times as fast as what stands
/// against that.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u8(*byte));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The sources of a block's copies that nobody has waited for.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pieces: HashMap<Piece, Vec<Source>, BuildHasherDefault<Spread>>,
    /// How many pieces there are in global and in shared memory.
    counts: [usize; 2],
    /// The program's bulk copies read shared memory.
    needs_stores: bool,
    /// For each warp, the last interval whose stores a proxy fence has shown.
    shown: Stamps,
    /// Granules whose last store one has shown in the interval in which it was done, by the interval's stamp.
    shown_early: HashMap<usize, u32>,
}

impl Sources {
    /// A block starts: what nobody waited for is forgotten.
    pub(super) fn clear(&mut self) {
        if self.counts != [0; 2] {
            self.pieces.clear();
            self.counts = [0; 2];
        }
        self.shown = [0; WARPS];
        self.shown_early.clear();
    }

    #[inline(always)]
    pub(super) fn has_any(&self, in_shared: bool) -> bool {
        self.counts[usize::from(in_shared)] > 0
    }

    /// Whether it must be known at all times who has stored what.
    #[inline(always)]
    pub(super) fn needs_stores(&self) -> bool {
        self.needs_stores
    }

    fn start(&mut self, source: Source) {
        for piece in source.pieces() {
            self.pieces.entry(piece).or_default().push(source);
            self.counts[usize::from(piece.is_shared)] += 1;
        }
    }

    fn end(&mut self, source: Source) {
        for piece in source.pieces() {
            let Some(here) = self.pieces.get_mut(&piece) else {
                continue;
            };
            let same = |other: &Source| {
                (other.place, other.thread, other.address)
                    == (source.place, source.thread, source.address)
            };
            if let Some(at) = here.iter().position(same) {
                here.swap_remove(at);
                self.counts[usize::from(piece.is_shared)] -= 1;
                // Of shared memory there is little, and it is read again and again.
                if here.is_empty() && !piece.is_shared {
                    self.pieces.remove(&piece);
                }
            }
        }
    }

    /// The copy that has yet to read some of so many bytes.
    fn reader(&self, space: Space, address: u64, bytes: u64) -> Option<Source> {
        let stored = Source {
            space,
            address,
            bytes,
            place: 0,
            thread: 0,
        };
        let overlaps = |source: &&Source| {
            source.address < address + bytes && address < source.address + source.bytes
        };
        let mut pieces = stored.pieces();
        pieces.find_map(|piece| self.pieces.get(&piece)?.iter().find(overlaps).copied())
    }
}

impl BlockShadow<'_> {
    /// The program has bulk copies that read shared memory.
    pub(crate) fn keep_stores(&mut self) {
        self.sources.needs_stores = true;
    }

    /// A copy starts, which reads its source when it likes.
    pub(crate) fn start_source(&mut self, source: Source) {
        self.sources.start(source);
    }

    /// A copy has been waited for.
    pub(crate) fn end_source(&mut self, source: Source) {
        self.sources.end(source);
    }

    /// Who may yet read some of so many bytes of shared memory, for a copy or a product.
    pub(super) fn reader_of(&self, address: u64, bytes: u64) -> Option<Racer> {
        let source = self.sources.reader(Space::Shared, address, bytes)?;
        Some(Racer {
            block: self.block,
            place: source.place,
            thread: source.thread,
            is_store: false,
            is_atomic: false,
        })
    }

    /// A store to where copies may yet read.
    pub(super) fn meet_sources(&mut self, touch: &Touch) {
        for_lanes(touch.mask, |lane| {
            let (address, bytes) = (touch.addresses[lane], u64::from(touch.bytes));
            let Some(source) = self.sources.reader(touch.space, address, bytes) else {
                return;
            };
            let racer = |place: u32, thread: u32, is_store: bool| Racer {
                block: self.block,
                place,
                thread,
                is_store,
                is_atomic: false,
            };
            let race = Race {
                space: touch.space,
                address,
                access_bytes: touch.bytes,
                count: 1,
                later: racer(touch.place, (touch.warp * WARP + lane) as u32, true),
                earlier: racer(source.place, source.thread, false),
                same_instruction: false,
                crosses_proxies: false,
            };
            note_from(&mut self.races, self.block_races, race);
        });
    }

    /// A warp executes a proxy fence. The order of its lanes is as it was: of what they did in the present interval, it
    /// shows what has been stored by now.
    pub(crate) fn fence_proxy(&mut self, warp: usize) {
        if !self.sources.needs_stores {
            return;
        }
        self.settle();
        let before = self.clocks.before(warp);
        for (shown, before) in self.sources.shown.iter_mut().zip(before) {
            *shown = (*shown).max(before);
        }
        let now = self.clocks.interval(warp);
        for at in 0..self.shared.len() {
            let last = self.shared.last_store(at, now);
            if last.is_some_and(|(by, stamp)| by.warp() == warp && stamp == now) {
                self.sources.shown_early.insert(at, now);
            }
        }
    }

    /// A bulk copy starts that reads shared memory: what it may not see, by a store of a thread that no proxy fence
    /// followed. `is_bulk` tells the places of bulk copies, which need none among themselves.
    pub(crate) fn show_source(&mut self, source: Source, is_bulk: impl Fn(u32) -> bool) {
        self.settle();
        let first = (source.address >> self.shift) as usize;
        let count = source.bytes.div_ceil(1 << self.shift) as usize;
        let by = Actor::new(source.place, source.thread, Manner::Weak);
        for at in first..(first + count).min(self.shared.len()) {
            let Some((storer, stamp)) = self.shared.last_store(at, self.clocks.first()) else {
                continue;
            };
            let is_shown = stamp <= self.sources.shown[storer.warp()]
                || self.sources.shown_early.get(&at) == Some(&stamp);
            if is_shown || is_bulk(storer.place()) {
                continue;
            }
            let racer = |actor: Actor, is_store: bool| Racer {
                block: self.block,
                place: actor.place(),
                thread: actor.thread(),
                is_store,
                is_atomic: false,
            };
            let race = Race {
                space: Space::Shared,
                address: (at as u64) << self.shift,
                access_bytes: 1 << self.shift,
                count: 1,
                later: racer(by, false),
                earlier: racer(storer, true),
                same_instruction: false,
                crosses_proxies: true,
            };
            note_from(&mut self.races, self.block_races, race);
        }
    }
}
