//! The work of the exercise on tolerances: sums as a kernel found them, beside those that were expected.

use super::{Arrays, Seed};
use crate::seed::Numbers;

/// What one addition may be wrong by, as a part of the sum of its terms' sizes: half of a float's last digit.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Differences between these parts of the bound are not drawn: how somebody rounds the bound itself must not matter.
const NEAR: std::ops::Range<f64> = 0.95..3.0;

/// A sum as it was found and as it was expected, and the sum of its terms' sizes.
#[derive(Clone, Copy)]
struct Sum {
    found: f32,
    expected: f32,
    size: f32,
}

impl Sum {
    /// The difference, as a part of what so many roundings explain; `None` where there is none that is a number.
    fn of_bound(self, terms: u32) -> Option<f64> {
        let difference = (f64::from(self.found) - f64::from(self.expected)).abs();
        let bound = f64::from(terms) * ROUNDING * f64::from(self.size);
        difference.is_finite().then(|| difference / bound)
    }
}

/// `found`, `expected` and `sizes`, and which sums are wrong. Of every kind some are right and some wrong: sums of nearly nothing
/// whose terms are large, large sums, tiny ones, and what is no number at all.
pub(super) fn compared(items: usize, terms: u32, seed: Seed) -> Arrays {
    let mut numbers = seed.numbers("sums");
    let sums: Vec<Sum> = (0..items).map(|_| drawn(terms, &mut numbers)).collect();
    let of = |part: fn(&Sum) -> f32| -> Vec<f32> { sums.iter().map(part).collect() };
    let (found, expected) = (of(|sum| sum.found), of(|sum| sum.expected));
    let sizes = of(|sum| sum.size);
    let is_wrong = |sum: &Sum| u32::from(sum.of_bound(terms).is_none_or(|part| part > 1.0));
    let wrong: Vec<u32> = sums.iter().map(is_wrong).collect();
    Box::new(move |work| {
        let work = work.input("found", &found).input("expected", &expected);
        work.input("sizes", &sizes).output("wrong", &wrong)
    })
}

fn drawn(terms: u32, numbers: &mut Numbers) -> Sum {
    // From 2⁻¹⁰ to 2¹⁰, and what is left of it when positive and negative terms have cancelled each other.
    let power = numbers.within(0, 20) as i32 - 10;
    let size = (1.0 + part(numbers)) * 2.0_f64.powi(power);
    let left = [1.0, 0.5, 1e-3, 1e-7, 0.0][numbers.within(0, 4)];
    let sign = if numbers.next().is_multiple_of(2) {
        1.0
    } else {
        -1.0
    };
    let expected = (sign * size * left * (0.5 + part(numbers) / 2.0)) as f32;
    let size = size as f32;
    let bound = f64::from(terms) * ROUNDING * f64::from(size);
    let sum = |found: f64| Sum {
        found: found as f32,
        expected,
        size,
    };
    if numbers.next().is_multiple_of(16) {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        return sum(odd[numbers.within(0, 2)]);
    }
    let times = match numbers.within(0, 2) {
        0 => 0.0,
        1 => 0.3 + 0.6 * part(numbers),
        _ => 4.0 + 40.0 * part(numbers),
    };
    let near = sum(f64::from(expected) + sign * times * bound);
    match near
        .of_bound(terms)
        .is_some_and(|part| NEAR.contains(&part))
    {
        true => sum(f64::from(expected)),
        false => near,
    }
}

/// From 0 to 1.
fn part(numbers: &mut Numbers) -> f64 {
    (numbers.next() >> 11) as f64 / (1_u64 << 53) as f64
}
