//! What asynchronous copies have yet to read, and what proxy fences have shown them. What a block's accesses meet there is in `unread`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::check::clocks::{Stamps, WARPS};
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
    pub(super) needs_stores: bool,
    /// For each warp, the last interval whose stores a proxy fence has shown.
    pub(super) shown: Stamps,
    /// Granules whose last store one has shown in the interval in which it was done, by the interval's stamp.
    pub(super) shown_early: HashMap<usize, u32>,
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

    pub(super) fn start(&mut self, source: Source) {
        for piece in source.pieces() {
            self.pieces.entry(piece).or_default().push(source);
            self.counts[usize::from(piece.is_shared)] += 1;
        }
    }

    pub(super) fn end(&mut self, source: Source) {
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
    pub(super) fn reader(&self, space: Space, address: u64, bytes: u64) -> Option<Source> {
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
