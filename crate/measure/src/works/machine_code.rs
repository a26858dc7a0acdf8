//! The work of the chapter on machine code: sums of short rows.

use super::with_smaller;
use crate::work::Work;

/// Floats of a row.
pub const ROW: usize = 32;

/// `sums[i]` is the sum of row `i` of 32 floats, added up from its first to its last.
///
/// Kernels take `(const float* x, float* sums, unsigned rows)`.
pub fn row_sums(rows: usize) -> Work {
    with_smaller(rows, |rows| {
        let x: Vec<f32> = (0..rows * ROW).map(number).collect();
        let sums: Vec<f32> = x
            .chunks_exact(ROW)
            .map(|row| row.iter().fold(0.0, |sum, x| sum + x))
            .collect();
        Work::new(format!("the sums of {rows} rows of {ROW} floats"))
            .input("x", &x)
            .output("sums", &sums)
            .value(rows as u32)
    })
}

/// From 1 on, in no order; a sum of 32 rounds.
fn number(i: usize) -> f32 {
    let mixed = (i as u32).wrapping_mul(2_654_435_761) >> 8;
    1.0 + mixed as f32 / 65_536.0
}
