//! The work of the exercise on fusion: three steps, each of which rounds.

use super::{Arrays, Seed};

/// What the second step adds.
const OFFSET: f32 = 17.3;

/// `x`, and what three small kernels make of it one after the other. Elements have all the digits that a float has, so that
/// it shows where somebody rounds less often or adds in another order.
pub(super) fn three_steps(items: usize, gain: u32, seed: Seed) -> Arrays {
    let mut numbers = seed.numbers("elements of three steps");
    // From 1 to 2.
    let x: Vec<f32> = (0..items)
        .map(|_| f32::from_bits(1.0_f32.to_bits() | (numbers.next() >> 41) as u32))
        .collect();
    let b: Vec<f32> = x.iter().map(|x| gain as f32 * x + OFFSET).collect();
    let at = |i: Option<usize>| i.and_then(|i| b.get(i)).copied().unwrap_or(0.0);
    let sum = |i: usize| (at(i.checked_sub(1)) + b[i]) + at(Some(i + 1));
    let y: Vec<f32> = (0..items).map(sum).collect();
    Box::new(move |work| work.input("x", &x).output("y", &y))
}
