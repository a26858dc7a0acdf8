//! The work of the chapter on streams: numbers that a pipeline sends up, changes and gets back.

use super::{distinct, with_smaller};
use crate::work::Work;

/// A step of the generator: number × FACTOR + STEP, modulo 2³².
const FACTOR: u32 = 739_982_445;
const STEP: u32 = 12_345;

/// Each number after so many steps of a linear congruential generator, in its place.
///
/// Kernels take `(unsigned* data, unsigned first, unsigned items, unsigned rounds)`; here the first is 0.
pub fn polish(items: usize, rounds: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        Work::new(format!("{items} numbers, {rounds} rounds each"))
            .update("data", &x, &polished(&x, rounds))
            .value(0_u32)
            .value(items as u32)
            .value(rounds as u32)
    })
}

/// What [`polish`] makes of these numbers. So many steps in a row are one step of another generator.
pub fn polished(numbers: &[u32], rounds: usize) -> Vec<u32> {
    let step = |(factor, step): (u32, u32), _| {
        let next = step.wrapping_mul(FACTOR).wrapping_add(STEP);
        (factor.wrapping_mul(FACTOR), next)
    };
    let (factor, step) = (0..rounds).fold((1, 0), step);
    let all = |number: &u32| number.wrapping_mul(factor).wrapping_add(step);
    numbers.iter().map(all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rounds_at_once_are_the_rounds_one_by_one() {
        let numbers: Vec<u32> = distinct(77);
        assert_eq!(polished(&numbers, 0), numbers);
        let one = |numbers: Vec<u32>| polished(&numbers, 1);
        let seven = (0..7).fold(numbers.clone(), |numbers, _| one(numbers));
        assert_eq!(polished(&numbers, 7), seven);
        let by_hand = numbers[3].wrapping_mul(739_982_445).wrapping_add(12_345);
        assert_eq!(polished(&numbers, 1)[3], by_hand);
    }
}
