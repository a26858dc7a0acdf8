//! The works of the chapter on coalescing: reads with a stride, shifted and permuted, and particles that move.

use super::{distinct, with_smaller};
use crate::work::Work;

/// `y[i] = x[i * stride]`: every `stride`-th element of `items * stride` floats.
///
/// Kernels take `(const float* x, float* y, unsigned items, unsigned stride)`.
pub fn gather(items: usize, stride: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = distinct(items * stride);
        let y: Vec<f32> = x.iter().step_by(stride).copied().collect();
        let bytes = 4 * items as u64;
        Work::new(format!("{items} floats, one of every {stride}"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(stride as u32)
            .moves(bytes, bytes)
    })
}

/// `y[i] = x[i + offset]`: as many floats of an array that has 31 more.
///
/// Kernels take `(const float* x, float* y, unsigned items, unsigned offset)`.
pub fn shift(items: usize, offset: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = distinct(items + 31);
        let bytes = 4 * items as u64;
        Work::new(format!("{items} floats from the one at {offset} on"))
            .input("x", &x)
            .output("y", &x[offset..offset + items])
            .value(items as u32)
            .value(offset as u32)
            .moves(bytes, bytes)
    })
}

/// `y[i] = x[j]`, where `j` is `i` with its last five bits permuted: lanes change places within their line of 128 bytes.
/// The last, incomplete line stays as it is.
///
/// Kernels take `(const float* x, float* y, unsigned items)`.
pub fn permute(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = distinct(items);
        let whole = items / 32 * 32;
        let from = |i: usize| {
            if i < whole {
                i / 32 * 32 + (i * 11 + 5) % 32
            } else {
                i
            }
        };
        let y: Vec<f32> = (0..items).map(|i| x[from(i)]).collect();
        Work::new(format!("{items} floats, permuted by 32"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}

/// How far time goes on in a step: a power of two, so that the product is exact and the sum is rounded once, fused or not.
const STEP: f32 = 0.5;

/// Position and velocity of a particle, by its number: `x, y, z, vx, vy, vz`.
fn particle(number: usize) -> [f32; 6] {
    let place = |axis: usize| (number * 3 + axis) as f32 * 0.25 + 1.0;
    let speed = |axis: usize| ((number * 7 + axis * 5) % 1021) as f32 * 0.125 - 60.0;
    [place(0), place(1), place(2), speed(0), speed(1), speed(2)]
}

fn moved([x, y, z, vx, vy, vz]: [f32; 6]) -> [f32; 6] {
    [x + STEP * vx, y + STEP * vy, z + STEP * vz, vx, vy, vz]
}

/// Particles of 24 bytes, an array of structures: every one moves on by half its velocity.
///
/// Kernels take `(Particle* particles, unsigned items, float step)`, with `struct Particle { float x, y, z, vx, vy, vz; }`.
pub fn drift_aos(items: usize) -> Work {
    with_smaller(items, |items| {
        let before: Vec<f32> = (0..items).flat_map(particle).collect();
        let after: Vec<f32> = (0..items).flat_map(|i| moved(particle(i))).collect();
        Work::new(format!("{items} particles, an array of structures"))
            .update("particles", &before, &after)
            .value(items as u32)
            .value(STEP)
            .moves(24 * items as u64, 12 * items as u64)
            .of(items)
    })
}

/// The same particles as a structure of arrays.
///
/// Kernels take `(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, unsigned items,
/// float step)`.
pub fn drift_soa(items: usize) -> Work {
    with_smaller(items, |items| {
        let field = |field: usize| -> Vec<f32> { (0..items).map(|i| particle(i)[field]).collect() };
        let after = |field: usize| -> Vec<f32> {
            let moved = |i: usize| moved(particle(i))[field];
            (0..items).map(moved).collect()
        };
        Work::new(format!("{items} particles, a structure of arrays"))
            .update("x", &field(0), &after(0))
            .update("y", &field(1), &after(1))
            .update("z", &field(2), &after(2))
            .input("vx", &field(3))
            .input("vy", &field(4))
            .input("vz", &field(5))
            .value(items as u32)
            .value(STEP)
            .of(items)
    })
}
