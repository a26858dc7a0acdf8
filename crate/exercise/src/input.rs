//! What the input of a check holds: elements of which none tells another, so that a kernel has to read them all. What is to become of them is `work`'s.

use super::seed::{Numbers, Seed};
use cornerturn_base::element::ElementType;
use cornerturn_base::pattern;
use cornerturn_base::shape::Shape;

/// Every so many elements of a histogram's input, about, fall into one bin.
const OF_FULL_BIN: u64 = 4;

/// Different finite elements, never zero and never poison; for types too small to be different, well mixed ones.
pub(super) fn distinct(element: ElementType, shape: Shape, seed: Seed) -> Vec<u8> {
    let mut numbers = seed.numbers(&format!("input of {shape}"));
    let order = Order::new(&mut numbers, bits_of_order(element));
    let elements = (shape.rows * shape.columns) as u64;
    let width = element.bytes();
    let bits = (0..elements).map(|index| pattern::bits(element, order.place(index)));
    bits.flat_map(|bits| bits.to_le_bytes().into_iter().take(width))
        .collect()
}

/// Numbers of which many fall into one of 256 bins, another one for each seed.
pub(super) fn uneven(shape: Shape, seed: Seed) -> Vec<u8> {
    let mut numbers = seed.numbers(&format!("input of {shape}"));
    let full = numbers.next() & 0xFF;
    let elements = 0..shape.rows * shape.columns;
    let value = |_| {
        let bits = numbers.next();
        let is_full = (bits >> 32).is_multiple_of(OF_FULL_BIN);
        let value = if is_full { (bits & !0xFF) | full } else { bits };
        (value as u32).to_le_bytes()
    };
    elements.flat_map(value).collect()
}

/// How many places of a pattern are different from each other, as a power of two.
fn bits_of_order(element: ElementType) -> u32 {
    match element.bytes() {
        8 => 62,
        _ => 31,
    }
}

/// The numbers below a power of two in an order of its own: sums, products with odd numbers and shifts, each of which
/// can be undone, so that no two places become one.
struct Order {
    bits: u32,
    rounds: [(u64, u64); 4],
}

impl Order {
    fn new(numbers: &mut Numbers, bits: u32) -> Self {
        let rounds = [(); 4].map(|()| (numbers.next(), numbers.next() | 1));
        Self { bits, rounds }
    }

    fn place(&self, index: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        self.rounds.iter().fold(index & mask, |at, (add, times)| {
            let at = at.wrapping_add(*add).wrapping_mul(*times) & mask;
            at ^ (at >> (self.bits / 2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_measure::verify::bits_of;
    use std::collections::HashSet;

    const SHAPE: Shape = Shape::new(300, 500);

    fn elements(element: ElementType, seed: u64) -> Vec<u64> {
        let bytes = distinct(element, SHAPE, Seed(seed));
        bytes.chunks(element.bytes()).map(bits_of).collect()
    }

    #[test]
    fn elements_are_different_and_neither_zero_nor_poison() {
        for element in [ElementType::F32, ElementType::F64, ElementType::U32] {
            let given = elements(element, 5);
            let set: HashSet<u64> = given.iter().copied().collect();
            assert_eq!((given.len(), set.len()), (150_000, 150_000), "{element}");
            assert!(!set.contains(&0) && !set.contains(&u64::from(u32::MAX)));
        }
    }

    #[test]
    fn another_seed_gives_other_elements_and_neighbours_tell_nothing() {
        let (one, two) = (elements(ElementType::F32, 1), elements(ElementType::F32, 2));
        let same = one.iter().zip(&two).filter(|(a, b)| a == b).count();
        assert!(same < 10, "{same}");
        assert_eq!(one, elements(ElementType::F32, 1));
        // A step from element to element that came again would be a rule.
        let steps: HashSet<u64> = one
            .windows(2)
            .map(|two| two[1].wrapping_sub(two[0]))
            .collect();
        assert!(steps.len() > 100_000, "{}", steps.len());
    }

    #[test]
    fn a_histograms_full_bin_is_the_seeds_and_no_bin_is_empty() {
        let full = |seed: u64| {
            let mut bins = [0_u32; 256];
            for bytes in uneven(SHAPE, Seed(seed)).chunks(4) {
                bins[bits_of(bytes) as usize % 256] += 1;
            }
            assert!(bins.iter().all(|&count| count > 0), "{bins:?}");
            bins.iter().position(|&count| count > 30_000).unwrap()
        };
        let bins: HashSet<usize> = (0..8).map(full).collect();
        assert!(bins.len() > 4, "{bins:?}");
    }
}
