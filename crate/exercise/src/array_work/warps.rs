//! The works of the exercises on warps that talk: running sums and a softmax.

use super::{Arrays, PIECE, Seed, distinct, x_to_y};

/// `x` and its running sums.
pub(super) fn scans(items: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let scan = |piece: &[u32]| {
        let mut sum = 0_u32;
        let mut add = |x: &u32| {
            sum = sum.wrapping_add(*x);
            sum
        };
        piece.iter().map(&mut add).collect::<Vec<u32>>()
    };
    let y: Vec<u32> = x.chunks(PIECE).flat_map(scan).collect();
    x_to_y(x, y)
}

/// The elements of a row differ by less than nine, so that the powers are multiples of 2⁻⁸ and each sum is exact in any
/// order. They lie so far from zero that no power of one alone is a float.
pub(super) fn softmax(rows: usize, columns: usize, seed: Seed) -> Arrays {
    let mut numbers = seed.numbers("rows");
    let mut x: Vec<f32> = Vec::with_capacity(columns * rows);
    for _ in 0..rows {
        let far = numbers.within(200, 4000) as f32;
        let sign = if numbers.next().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        x.extend((0..columns).map(|_| sign * far - (numbers.next() % 9) as f32));
    }
    let soft = |row: &[f32]| {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = row.iter().map(|x| (x - largest).exp2()).collect();
        let sum: f32 = powers.iter().sum();
        powers
            .into_iter()
            .map(move |power| power / sum)
            .collect::<Vec<f32>>()
    };
    let y: Vec<f32> = x.chunks(columns.max(1)).flat_map(soft).collect();
    Box::new(move |work| work.input("x", &x).output("y", &y).of(rows))
}
