//! How the elements of a matrix lie in the registers of a warp: the layouts of `mma`, of which `wmma` has one or two.
//!
//! PTX ISA gives the layouts of `mma` and leaves those of `wmma` open; the latter are as an H200 has them, found by
//! loading matrices of indices (`tests/h200/matrix/layouts.csv`).

use crate::machine::stage::Row;
use crate::operations::matrix::dot::{Lines, WORDS};
use crate::program::kinds::WARP;
use crate::program::matrix::{Factor, Sum};

/// The most rows, and the most elements of f64 along `k`, of one multiplication of the hardware.
pub(crate) const MOST_ROWS: usize = 16;
pub(crate) const MOST_DEPTH: usize = 16;
/// Columns of every one.
pub(crate) const COLUMNS: usize = 8;

/// First row and `k` of what a register of a factor holds, of which there are so many for each `k`: a lane in each four
/// holds the elements of a row, those of one register beside each other.
#[inline(always)]
fn place(ty: Factor, blocks: usize, register: usize) -> (usize, usize) {
    (register % blocks * 8, register / blocks * ty.depth())
}

/// Rows of A, or of B eight columns in the [order of sums](position): in each block of 8 of them, lane `l` holds some
/// elements of number `l / 4`.
#[inline(always)]
pub(crate) fn lines<const L: usize>(stage: &[Row], registers: usize, blocks: usize) -> Lines<L> {
    let mut lines = [[0; L]; WORDS];
    for register in 0..registers {
        let (first, word) = (register % blocks * 8, register / blocks * 4);
        for lane in 0..WARP {
            let line = match L {
                COLUMNS => position(lane / 4),
                _ => first + lane / 4,
            };
            lines[(word + lane % 4) % WORDS][line % L] = stage[register][lane];
        }
    }
    lines
}

/// Where a column's element lies among those of a row: four lanes hold two columns each, in registers of their own or in
/// the halves of one, so that columns 0, 2, 4 and 6 come before the others.
#[inline(always)]
pub(crate) fn position(column: usize) -> usize {
    column / 8 * 8 + column % 2 * 4 + column % 8 / 2
}

/// The registers of a sum of 8 columns and so many rows, of which the row's are of the first 8 or of those after.
#[inline(always)]
fn register_of(ty: Sum, row: usize, odd: usize) -> usize {
    row / 8 * ty.registers() + if ty == Sum::F16 { 0 } else { odd }
}

/// Reads a row of sums of 32 bits or 16, of which each 8 columns have so many registers: in the order of [`position`].
#[inline(always)]
pub(crate) fn row_of<const L: usize>(stage: &[Row], ty: Sum, each: usize, row: usize) -> [u32; L] {
    let mut out = [0; L];
    for (at, four) in out.chunks_exact_mut(4).enumerate() {
        let register = at / 2 * each + register_of(ty, row, at % 2);
        let from = &stage[register][row % 8 * 4..][..4];
        for (out, from) in four.iter_mut().zip(from) {
            *out = match ty {
                Sum::F16 => from >> (16 * (at % 2)) & 0xffff,
                _ => *from,
            };
        }
    }
    out
}

/// The other way round.
#[inline(always)]
pub(crate) fn set_row<const L: usize>(
    stage: &mut [Row],
    ty: Sum,
    each: usize,
    row: usize,
    values: &[u32; L],
) {
    for (at, four) in values.chunks_exact(4).enumerate() {
        let register = at / 2 * each + register_of(ty, row, at % 2);
        let to = &mut stage[register][row % 8 * 4..][..4];
        for (to, value) in to.iter_mut().zip(four) {
            *to = match (ty, at % 2) {
                (Sum::F16, 0) => *value,
                (Sum::F16, _) => *to | value << 16,
                _ => *value,
            };
        }
    }
}

/// Elements of a factor of f64 by row (of A; column of B) and `k`, as bits.
pub(crate) type Elements = [[u64; MOST_DEPTH]; MOST_ROWS];

/// Reads `rows` × `depth` of them.
#[inline(always)]
pub(crate) fn factor(stage: &[Row], rows: usize, depth: usize) -> Elements {
    let mut elements = [[0; MOST_DEPTH]; MOST_ROWS];
    let blocks = rows / 8;
    for register in 0..blocks * (depth / Factor::F64.depth()) {
        let (row, k) = place(Factor::F64, blocks, register);
        for lane in 0..WARP {
            elements[row + lane / 4][k + lane % 4] = long(stage, register, lane);
        }
    }
    elements
}

/// A 64-bit register of one lane.
#[inline(always)]
fn long(stage: &[Row], register: usize, lane: usize) -> u64 {
    u64::from(stage[2 * register][lane]) | u64::from(stage[2 * register + 1][lane]) << 32
}

/// Elements of a sum of f64 by row and column, as bits.
pub(crate) type Sums = [[u64; COLUMNS]; MOST_ROWS];

/// Reads `rows` × 8 of them: in each block of 8 rows, lane `l` holds two of row `l / 4`.
#[inline(always)]
pub(crate) fn sums(stage: &[Row], rows: usize) -> Sums {
    let mut elements = [[0; COLUMNS]; MOST_ROWS];
    for block in 0..rows / 8 {
        for lane in 0..WARP {
            let out = &mut elements[8 * block + lane / 4][lane % 4 * 2..][..2];
            for (at, out) in out.iter_mut().enumerate() {
                *out = long(stage, 2 * block + at, lane);
            }
        }
    }
    elements
}

/// The other way round.
#[inline(always)]
pub(crate) fn set_sums(stage: &mut [Row], rows: usize, elements: &Sums) {
    for block in 0..rows / 8 {
        for lane in 0..WARP {
            let from = &elements[8 * block + lane / 4][lane % 4 * 2..][..2];
            for (at, value) in from.iter().enumerate() {
                stage[4 * block + 2 * at][lane] = *value as u32;
                stage[4 * block + 2 * at + 1][lane] = (value >> 32) as u32;
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
