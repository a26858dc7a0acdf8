//! Where a matrix in shared memory lies that `wgmma` names by a descriptor. PTX ISA section "Asynchronous Warpgroup Level Matrix Shared Memory Layout".
//!
//! The elements lie in units of 16 bytes, 8 of which are a core matrix: 8 rows of A (columns of B) by 16 bytes along
//! `k`, or, transposed, 8 along `k` by 16 bytes of rows. What the offsets between core matrices mean, and how a swizzle
//! moves units, is as an H200 has them, found by multiplying memory that holds its own indices (`tests/h200/matrix/wgmma.bin`).

use crate::operations::matrix::dot::{Lines, WORDS};
use crate::operations::matrix::fragment::position;

/// Bytes of a unit.
pub(crate) const UNIT_BYTES: u32 = 16;
/// Units of a row of A or column of B: 32 bytes along `k`, whatever the type.
pub(crate) const UNITS: usize = 2;
/// Addresses have so many bits.
const ADDRESS_BITS: u32 = 18;
/// Elements of a unit where `k` does not run along it; such types have 16 bits.
const ACROSS: usize = 8;
/// Elements along `k` of those types.
const DEPTH: usize = 16;

/// A matrix descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor {
    start: u32,
    /// From one core matrix to the next: which way depends on the layout.
    leading: u32,
    stride: u32,
    /// Where in a pattern of 8 rows of 128 bytes the matrix starts.
    base: u32,
    /// Bytes of a row of a swizzle's pattern, 16 where there is none.
    width: u32,
    /// `k` runs from unit to unit, not along them.
    is_transposed: bool,
}

impl Descriptor {
    pub(crate) fn new(bits: u64, is_transposed: bool) -> Self {
        let field = |at: u32| ((bits >> at & 0x3fff) as u32) << 4;
        Self {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: (bits >> 49 & 7) as u32,
            width: [16, 128, 64, 32][(bits >> 62) as usize],
            is_transposed,
        }
    }

    /// The address at which the matrix starts.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// Units from which so many lines (rows of A, columns of B) are read, from `first` on: their addresses, in the order
    /// in which [`Descriptor::gather`] takes them.
    pub(crate) fn units(&self, first: usize, lines: usize) -> impl Iterator<Item = u32> + use<> {
        let this = *self;
        let (outer, inner) = if self.is_transposed {
            (lines / ACROSS, DEPTH)
        } else {
            (lines, UNITS)
        };
        (0..outer).flat_map(move |outer| {
            (0..inner).map(move |inner| match this.is_transposed {
                true => this.across(first / ACROSS + outer, inner),
                false => this.along(first + outer, inner),
            })
        })
    }

    /// The unit of a line that is number `unit` along `k`.
    fn along(&self, line: usize, unit: usize) -> u32 {
        let (line, unit) = (line as u32, unit as u32);
        let step = if self.width == UNIT_BYTES {
            self.leading
        } else {
            UNIT_BYTES
        };
        self.swizzled(line % 8 * self.width + line / 8 * self.stride + unit * step)
    }

    /// The unit that holds number `eight` of each eight lines at `k`.
    fn across(&self, eight: usize, k: usize) -> u32 {
        let (eight, k) = (eight as u32, k as u32);
        if self.width == UNIT_BYTES {
            let offset = k % 8 * UNIT_BYTES + k / 8 * self.leading + eight * self.stride;
            return self.swizzled(offset);
        }
        let per_row = self.width / UNIT_BYTES;
        let in_pattern = eight % per_row * UNIT_BYTES + k % 8 * self.width;
        self.swizzled(in_pattern + eight / per_row * self.leading + k / 8 * self.stride)
    }

    fn swizzled(&self, offset: u32) -> u32 {
        let address = (self.start + offset) & ((1 << ADDRESS_BITS) - 1);
        let row = (address >> 7).wrapping_sub(self.base);
        address ^ (row & (self.width / UNIT_BYTES - 1)) << 4
    }

    /// Lines from `first` on, from the words of shared memory; what is not there is 0. If `is_ordered`, each eight of them
    /// lie in the [order of sums](position).
    pub(crate) fn gather<const L: usize>(
        &self,
        shared: &[u32],
        first: usize,
        count: usize,
        is_ordered: bool,
    ) -> Lines<L> {
        let mut lines = [[0; L]; WORDS];
        let count = count.min(L);
        let at = |line: usize| if is_ordered { position(line) } else { line };
        for (number, address) in self.units(first, count).enumerate() {
            let from = address as usize / 4;
            let Some(unit) = shared.get(from..from + 4) else {
                continue;
            };
            if !self.is_transposed {
                let (line, word) = (at(number / UNITS), number % UNITS * 4);
                for (lines, bits) in lines[word..].iter_mut().zip(unit) {
                    lines[line] = *bits;
                }
                continue;
            }
            let (eight, k) = (number / DEPTH, number % DEPTH);
            for element in 0..ACROSS {
                let bits = unit[element / 2] >> (16 * (element % 2)) & 0xffff;
                lines[k / 2][at(ACROSS * eight + element)] |= bits << (16 * (k % 2));
            }
        }
        lines
    }
}
