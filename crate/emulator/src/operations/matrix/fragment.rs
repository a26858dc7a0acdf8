//! How the elements of a matrix lie in the registers of a warp: the layouts of `mma`, of which `wmma` has one or two.
//!
//! PTX ISA gives the layouts of `mma` and leaves those of `wmma` open; the latter are as an H200 has them, found by
//! loading matrices of indices (`tests/h200/matrix/layouts.csv`).

use crate::machine::stage::Row;
use crate::program::kinds::WARP;
use crate::program::matrix::{Factor, Sum};

/// The most rows, and the most elements along `k`, of one multiplication of the hardware.
pub(crate) const MOST_ROWS: usize = 16;
pub(crate) const MOST_DEPTH: usize = 32;
/// Columns of every one.
pub(crate) const COLUMNS: usize = 8;

/// First row and `k` of what a register of a factor holds, of which there are so many for each `k`: a lane in each four
/// holds the elements of a row, those of one register beside each other.
#[inline(always)]
pub(crate) fn place(ty: Factor, blocks: usize, register: usize) -> (usize, usize) {
    (register % blocks * 8, register / blocks * ty.depth())
}

/// Elements of a factor by row (of A; column of B) and `k`, as bits.
pub(crate) type Elements = [[u64; MOST_DEPTH]; MOST_ROWS];

/// Reads `rows` × `depth` elements: in each block of 8 rows, lane `l` holds some of row `l / 4`.
#[inline(always)]
pub(crate) fn factor(stage: &[Row], ty: Factor, rows: usize, depth: usize) -> Elements {
    let mut elements = [[0; MOST_DEPTH]; MOST_ROWS];
    let (blocks, per, bits) = (rows / 8, ty.per_register(), ty.bits());
    for register in 0..blocks * (depth / ty.depth()) {
        let (row, k) = place(ty, blocks, register);
        for lane in 0..WARP {
            let out = &mut elements[row + lane / 4][k + lane % 4 * per..][..per];
            if bits == 64 {
                out[0] = long(stage, register, lane);
                continue;
            }
            let word = u64::from(stage[register][lane]);
            for (at, out) in out.iter_mut().enumerate() {
                *out = word >> (bits * at) & ((1 << bits) - 1);
            }
        }
    }
    elements
}

/// A 64-bit register of one lane.
#[inline(always)]
pub(crate) fn long(stage: &[Row], register: usize, lane: usize) -> u64 {
    u64::from(stage[2 * register][lane]) | u64::from(stage[2 * register + 1][lane]) << 32
}

/// Elements of a sum by row and column, as bits.
pub(crate) type Sums = [[u64; COLUMNS]; MOST_ROWS];

/// Reads `rows` × 8 elements: in each block of 8 rows, lane `l` holds two of row `l / 4`.
#[inline(always)]
pub(crate) fn sums(stage: &[Row], ty: Sum, rows: usize) -> Sums {
    let mut elements = [[0; COLUMNS]; MOST_ROWS];
    for block in 0..rows / 8 {
        for lane in 0..WARP {
            let out = &mut elements[8 * block + lane / 4][lane % 4 * 2..][..2];
            for (at, out) in out.iter_mut().enumerate() {
                *out = match ty {
                    Sum::F16 => u64::from(stage[block][lane] >> (16 * at) & 0xffff),
                    Sum::F32 | Sum::S32 => u64::from(stage[2 * block + at][lane]),
                    Sum::F64 => long(stage, 2 * block + at, lane),
                };
            }
        }
    }
    elements
}

/// The other way round.
#[inline(always)]
pub(crate) fn set_sums(stage: &mut [Row], ty: Sum, rows: usize, elements: &Sums) {
    for block in 0..rows / 8 {
        for lane in 0..WARP {
            let from = &elements[8 * block + lane / 4][lane % 4 * 2..][..2];
            match ty {
                Sum::F16 => stage[block][lane] = from[0] as u32 | (from[1] as u32) << 16,
                Sum::F32 | Sum::S32 => {
                    stage[2 * block][lane] = from[0] as u32;
                    stage[2 * block + 1][lane] = from[1] as u32;
                }
                Sum::F64 => {
                    for (at, value) in from.iter().enumerate() {
                        stage[4 * block + 2 * at][lane] = *value as u32;
                        stage[4 * block + 2 * at + 1][lane] = (value >> 32) as u32;
                    }
                }
            }
        }
    }
}

/// Exchanges rows and columns of an 8×8 matrix of 16-bit elements, of which lane `l` holds two of row `l / 4`.
pub(crate) fn transposed(row: &Row) -> Row {
    let element = |i: usize, j: usize| row[4 * i + j / 2] >> (16 * (j % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (i, j) = (lane / 4, lane % 4 * 2);
        element(j, i) | element(j + 1, i) << 16
    })
}
