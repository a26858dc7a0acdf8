//! The seed of a check, and the numbers that are drawn from it. What they decide is `input`'s, `shapes`' and `data`'s.

use serde::Serialize;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// What the inputs and the matrices of a check are drawn from. The same seed draws the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// A new one, of at most ten digits, so that people can pass it on.
    pub fn draw() -> Self {
        // Each of these hashers has keys from the system's random numbers.
        Self(RandomState::new().hash_one(0_u64) >> 32)
    }

    /// The numbers for one purpose, which are others than those for another.
    pub(super) fn numbers(self, purpose: &str) -> Numbers {
        let mut state = mixed(self.0);
        for byte in purpose.bytes() {
            state = mixed(state ^ u64::from(byte));
        }
        Numbers(state)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Numbers without end (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(self.0)
    }

    /// From `least` to `most`.
    pub(super) fn within(&mut self, least: usize, most: usize) -> usize {
        let span = (most.max(least) - least + 1) as u64;
        least + (self.next() % span) as usize
    }

    /// One of these; `None` where there is none.
    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let last = choices.len().checked_sub(1)?;
        choices.get(self.within(0, last)).copied()
    }
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn seeds_are_drawn_anew_and_repeat_what_they_drew() {
        let seeds: HashSet<u64> = (0..100).map(|_| Seed::draw().0).collect();
        assert!(seeds.len() > 95, "{}", seeds.len());
        let few = |seed: u64, purpose: &str| -> Vec<u64> {
            let mut numbers = Seed(seed).numbers(purpose);
            (0..4).map(|_| numbers.next()).collect()
        };
        assert_eq!(few(7, "a"), few(7, "a"));
        assert_ne!(few(7, "a"), few(8, "a"));
        assert_ne!(few(7, "a"), few(7, "b"));
    }

    #[test]
    fn a_number_within_bounds_reaches_both() {
        let mut numbers = Seed(1).numbers("bounds");
        let drawn: HashSet<usize> = (0..200).map(|_| numbers.within(3, 6)).collect();
        assert_eq!(drawn, HashSet::from([3, 4, 5, 6]));
        assert_eq!(numbers.within(5, 5), 5);
        assert_eq!(numbers.one_of::<u8>(&[]), None);
    }
}
