//! The works of the chapter on divergence: two branches of equal numbers of threads, and a loop whose length depends on the number.

use super::{distinct, with_smaller};
use crate::work::Work;

/// Rounds of the first branch.
const PRODUCT_ROUNDS: u32 = 64;
/// Rounds of the second.
const SHIFT_ROUNDS: u32 = 32;

/// The first branch: mixes by products.
fn multiplied(mut x: u32) -> u32 {
    for _ in 0..PRODUCT_ROUNDS {
        x = (x ^ (x >> 15)).wrapping_mul(739_982_445);
    }
    x
}

/// The second: mixes by shifts.
fn shifted(mut x: u32) -> u32 {
    for _ in 0..SHIFT_ROUNDS {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

/// `y[i]` is `x[i]` mixed in one of two ways: groups of `period` threads take turns, the first group 64 steps of
/// `x = (x ^ x >> 15) * 739982445`, the second 32 of `x ^= x << 13, x >> 17, x << 5`.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items, unsigned period)`.
pub fn branch(items: usize, period: usize) -> Work {
    two_ways(items, period, multiplied, shifted)
}

/// The same with two branches of one operation each: `x * 3`, and `x ^ 21930`.
pub fn light_branch(items: usize, period: usize) -> Work {
    two_ways(items, period, |x| x.wrapping_mul(3), |x| x ^ 21_930)
}

fn two_ways(items: usize, period: usize, one: fn(u32) -> u32, other: fn(u32) -> u32) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        let way = |(i, x): (usize, &u32)| match i / period % 2 {
            0 => one(*x),
            _ => other(*x),
        };
        let y: Vec<u32> = x.iter().enumerate().map(way).collect();
        Work::new(format!("{items} numbers, groups of {period} take turns"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(period as u32)
    })
}

/// In which order the numbers of [`steps`] lie.
const ORDERS: [&str; 3] = ["in no order", "sorted", "sorted by their steps"];

/// How many steps it takes from `n` to 1, halving what is even and going from an odd `n` to `3 n + 1`.
fn steps_of(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
        steps += 1;
    }
    steps
}

/// `y[i]` is the number of steps from `x[i]` to 1, halving what is even and going from an odd `n` to `3 n + 1`; `x` has
/// numbers below 2¹⁶, in no order (0), sorted (1), or sorted by their steps (2).
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items)`.
pub fn steps(items: usize, order: usize) -> Work {
    with_smaller(items, |items| {
        let mut x: Vec<u32> = distinct::<u32>(items);
        for number in &mut x {
            // Below 2¹⁶ no number on the way exceeds 32 bits.
            *number = (*number >> 8) & 0xFFFF | 1;
        }
        match order {
            0 => {}
            1 => x.sort_unstable(),
            _ => x.sort_by_cached_key(|number| steps_of(*number)),
        }
        let y: Vec<u32> = x.iter().map(|number| steps_of(*number)).collect();
        let name = ORDERS.get(order).unwrap_or(&ORDERS[2]);
        Work::new(format!("the steps of {items} numbers, {name}"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}
