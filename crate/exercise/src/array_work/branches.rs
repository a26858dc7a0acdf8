//! The work of the exercise on divergence: numbers that are mixed in one of two ways.

use super::{Arrays, Seed, distinct, x_to_y};

/// Items that take one of two ways before the others take the other.
const GROUP: usize = 8;

/// The first way, 40 steps.
fn multiplied(mut x: u32) -> u32 {
    for _ in 0..40 {
        x = (x ^ (x >> 15)).wrapping_mul(739_982_445);
    }
    x
}

/// The second, 24 steps.
fn shifted(mut x: u32) -> u32 {
    for _ in 0..24 {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

pub(super) fn two_ways(items: usize, salt: u32, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let way = |(i, x): (usize, &u32)| match i / GROUP % 2 {
        0 => multiplied(x ^ salt),
        _ => shifted(x ^ salt),
    };
    let y = x.iter().enumerate().map(way).collect();
    x_to_y(x, y)
}
