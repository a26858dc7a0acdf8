//! The works of the chapter on warps that talk: sums and running sums of blocks, softmax of rows, and odd numbers side by side.

use super::atomics::drawn;
use super::{distinct, with_few, with_smaller};
use crate::work::Work;

/// Numbers that a block takes.
const RUN: usize = 256;

/// The sum of each run of 256 floats, the last of which may be shorter: whole numbers, so that every order of additions
/// gives the same.
///
/// Kernels take `(const float* x, float* sums, unsigned items)`.
pub fn block_sums(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = (0..items).map(|i| drawn(i) as f32).collect();
        let sums: Vec<f32> = x.chunks(RUN).map(|run| run.iter().sum()).collect();
        Work::new(format!("the sums of {items} floats, {RUN} at a time"))
            .input("x", &x)
            .output("sums", &sums)
            .value(items as u32)
            .of(items)
    })
}

/// `y[i]` is the sum of the numbers up to `x[i]` within its run of 256, modulo 2³².
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items)`.
pub fn block_scans(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        let scan = |run: &[u32]| {
            let mut sum = 0_u32;
            let add = |number: &u32| {
                sum = sum.wrapping_add(*number);
                sum
            };
            run.iter().map(add).collect::<Vec<_>>()
        };
        let y: Vec<u32> = x.chunks(RUN).flat_map(scan).collect();
        Work::new(format!("running sums of {items} numbers, {RUN} at a time"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}

/// Rows of a softmax on which a large one is checked.
const FEW_ROWS: usize = 203;

/// The softmax to the base 2 of so many rows: 2 to the power of an element, by the sum of these over its row. Elements are
/// whole numbers from −4 to 4 without 0. So powers are multiples of 2⁻⁸ up to 1, every sum of 65536 of them is exact in any
/// order, and one division rounds.
///
/// Kernels take `(const float* x, float* y, unsigned items, unsigned columns)`.
pub fn softmax(items: usize, columns: usize) -> Work {
    with_few(items, FEW_ROWS, |items| {
        let element = |i| {
            let lot = drawn(i);
            ((lot + lot.signum()) / 2) as f32
        };
        let x: Vec<f32> = (0..items * columns).map(element).collect();
        let of_row = |row: &[f32]| {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let powers: Vec<f32> = row
                .iter()
                .map(|x| 2_f32.powi((x - largest) as i32))
                .collect();
            let sum: f32 = powers.iter().sum();
            powers
                .into_iter()
                .map(move |power| power / sum)
                .collect::<Vec<_>>()
        };
        let y: Vec<f32> = x.chunks(columns.max(1)).flat_map(of_row).collect();
        Work::new(format!("the softmax of {items} rows of {columns} floats"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(columns as u32)
            .of(items)
    })
}

/// The odd numbers of each run of 256 are put side by side at the run's beginning in `y`, whose other elements stay 0, and
/// `counts` says how many there are.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned* counts, unsigned items)`.
pub fn compact(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        let mut y = vec![0_u32; items];
        let mut counts = Vec::new();
        for (from, to) in x.chunks(RUN).zip(y.chunks_mut(RUN)) {
            let odd: Vec<u32> = from
                .iter()
                .copied()
                .filter(|number| number % 2 == 1)
                .collect();
            to[..odd.len()].copy_from_slice(&odd);
            counts.push(odd.len() as u32);
        }
        Work::new(format!("the odd ones of {items} numbers, {RUN} at a time"))
            .input("x", &x)
            .update("y", &vec![0_u32; items], &y)
            .output("counts", &counts)
            .value(items as u32)
            .moves(
                4 * items as u64,
                4 * (counts.iter().sum::<u32>() as usize + counts.len()) as u64,
            )
    })
}
