//! The works of the chapter on launches: three steps on floats, the three in one, what a consumer makes of them, and nothing.

use super::{distinct, with_smaller};
use crate::work::Work;

/// Factors of a consumer's table.
const FACTORS: usize = 1024;

/// Numbers that no kernel touches.
///
/// Kernels take `(const unsigned* x, unsigned items)`.
pub fn untouched(items: usize) -> Work {
    Work::new(format!("{items} numbers that stay as they are"))
        .input("x", &distinct::<u32>(items))
        .value(items as u32)
        .of(items)
}

/// Floats from −524287.5 to 524287.5, half a unit from whole numbers, none like its neighbours: each of the steps is exact,
/// so that it does not matter whether a compiler makes one instruction of two of them.
pub fn halves(items: usize) -> Vec<f32> {
    let mixed = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 12;
    (0..items).map(|i| mixed(i) as f32 - 524_287.5).collect()
}

fn scaled(x: f32) -> f32 {
    x * 0.5
}

fn offset_by(x: f32) -> f32 {
    x + 0.25
}

fn clamped(x: f32) -> f32 {
    x.clamp(-200_000.0, 200_000.0)
}

/// One step on every float.
fn each(items: usize, what: &str, step: impl Fn(f32) -> f32) -> Work {
    with_smaller(items, |items| {
        let x = halves(items);
        let y: Vec<f32> = x.iter().map(|&x| step(x)).collect();
        Work::new(format!("{what} of {items} floats"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}

/// `y[i] = x[i] / 2`.
///
/// Kernels take `(const float* x, float* y, unsigned items)`, as those of the next three.
pub fn scale(items: usize) -> Work {
    each(items, "the halves", scaled)
}

/// `y[i] = x[i] + 1/4`.
pub fn offset(items: usize) -> Work {
    each(items, "a quarter more than each", offset_by)
}

/// `y[i]` is `x[i]`, but no less than −200000 and no more than 200000.
pub fn clamp(items: usize) -> Work {
    each(items, "the clamped ones", clamped)
}

/// The three, one after the other.
pub fn scale_offset_clamp(items: usize) -> Work {
    each(items, "half and a quarter, clamped,", all_steps)
}

/// What the three make of a float.
pub fn all_steps(x: f32) -> f32 {
    clamped(offset_by(scaled(x)))
}

/// `z[i] = y[i] * table[i % 1024]`.
///
/// Kernels take `(const float* y, const float* table, float* z, unsigned items)`.
pub fn consume(items: usize) -> Work {
    with_smaller(items, |items| {
        let (y, table) = (halves(items), factors());
        let z: Vec<f32> = y
            .iter()
            .enumerate()
            .map(|(i, y)| y * table[i % FACTORS])
            .collect();
        Work::new(format!("{items} floats by a table"))
            .input("y", &y)
            .input("table", &table)
            .output("z", &z)
            .value(items as u32)
    })
}

/// The table of [`consume`]: whole numbers, all different.
pub fn factors() -> Vec<f32> {
    (0..FACTORS).map(|k| (k + 3) as f32).collect()
}
