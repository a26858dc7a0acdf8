//! What the factors of a product hold: small whole numbers whose sums are exact in any order, or numbers of ordinary size.

use super::ProductProblem;
use super::parallel::in_ranges;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::number::NumberType;
use cornerturn_base::shape::Shape;

/// What the factors of a product hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProductData {
    /// Small whole numbers, so that every product and every sum of some is exact, in whichever order they are added: the
    /// result must be right bit by bit.
    Exact,
    /// Numbers between −1 and 1, in all the bits of their type; whole ones for whole types. What data a GPU multiplies
    /// decides what power it takes, so these are what is timed.
    Random,
}

/// One of the two matrices that are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// The left one, m × k.
    A,
    /// The right one, k × n.
    B,
}

/// A standard deviation is passed by so many of them about once in 10¹⁵ draws.
const SIGMAS: f64 = 8.0;

/// Different numbers that random factors of the narrower types are drawn from: 2 to this.
const RANDOM_BITS: u32 = 16;

/// The factors of a product, element by element.
#[derive(Debug, Clone)]
pub struct Inputs {
    problem: ProductProblem,
    draws: [Draws; 2],
    seed: u64,
}

/// From what the elements of one factor are drawn.
#[derive(Debug, Clone)]
enum Draws {
    /// One of these, each with its bits.
    Table(Vec<(f64, u32)>),
    /// 2²⁴ different floats.
    Floats,
}

impl Inputs {
    /// The factors of a problem; with another seed there are others.
    ///
    /// # Errors
    /// [`Error::ProductShape`] where no factors of its types and length of sums are exact.
    pub(crate) fn new(problem: &ProductProblem, data: ProductData, seed: u64) -> Result<Self> {
        let draws = match data {
            ProductData::Exact => exact(problem)?,
            ProductData::Random if problem.input.is_whole() => exact(problem)?,
            ProductData::Random if problem.input == NumberType::F32 => {
                [Draws::Floats, Draws::Floats]
            }
            ProductData::Random => {
                let count = 1_i32 << RANDOM_BITS;
                let even = (0..count).map(|i| f64::from(2 * i + 1 - count) / f64::from(count));
                let table = Draws::Table(even.map(|value| encoded(problem.input, value)).collect());
                [table.clone(), table]
            }
        };
        Ok(Self {
            problem: *problem,
            draws,
            seed,
        })
    }

    /// The matrix as it would lie if it were not transposed.
    fn logical(&self, factor: Factor) -> Shape {
        let shape = self.problem.shape;
        match factor {
            Factor::A => Shape::new(shape.m, shape.k),
            Factor::B => Shape::new(shape.k, shape.n),
        }
    }

    fn is_transposed(&self, factor: Factor) -> bool {
        match factor {
            Factor::A => self.problem.layout.is_a_transposed(),
            Factor::B => self.problem.layout.is_b_transposed(),
        }
    }

    /// The element of a row and a column of A (*m* × *k*) or B (*k* × *n*).
    pub(crate) fn value(&self, factor: Factor, row: usize, column: usize) -> f64 {
        self.drawn(factor, row, column).0
    }

    /// The element at an index of the factor's buffer.
    pub(crate) fn stored(&self, factor: Factor, index: usize) -> Option<f64> {
        let Shape { rows, columns } = self.logical(factor);
        if index >= rows * columns {
            return None;
        }
        Some(match self.is_transposed(factor) {
            false => self.value(factor, index / columns, index % columns),
            true => self.value(factor, index % rows, index / rows),
        })
    }

    /// The elements of a row of A from a column on, or of B.
    pub(crate) fn fill_row(&self, factor: Factor, row: usize, from: usize, out: &mut [f64]) {
        for (column, value) in (from..).zip(out) {
            *value = self.value(factor, row, column);
        }
    }

    fn drawn(&self, factor: Factor, row: usize, column: usize) -> (f64, u32) {
        let (draws, salt) = match factor {
            Factor::A => (&self.draws[0], 0x51_7CC1_B727),
            Factor::B => (&self.draws[1], 0xA2_54F5_3A4D),
        };
        let (index, salt) = (
            (row * self.logical(factor).columns + column) as u64,
            salt ^ self.seed,
        );
        match draws {
            Draws::Table(table) => {
                let place = (u64::from(mixed(index, salt)) * table.len() as u64) >> 32;
                table[place as usize]
            }
            Draws::Floats => {
                let value = (2 * i64::from(permuted(index, salt)) + 1 - (1 << 24)) as f32;
                let value = value / (1 << 24) as f32;
                (f64::from(value), value.to_bits())
            }
        }
    }

    /// The factor's buffer, whole.
    pub fn bytes(&self, factor: Factor) -> Vec<u8> {
        let Shape { rows, columns } = self.logical(factor);
        let (width, transposed) = (self.problem.input.bytes(), self.is_transposed(factor));
        let (lines, length) = match transposed {
            false => (rows, columns),
            true => (columns, rows),
        };
        let of = (1_usize << 20).div_ceil(length.max(1));
        let pieces = in_ranges(lines, of, |range| {
            let mut bytes = Vec::with_capacity(range.len() * length * width);
            for line in range {
                for place in 0..length {
                    let (_, bits) = match transposed {
                        false => self.drawn(factor, line, place),
                        true => self.drawn(factor, place, line),
                    };
                    bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
                }
            }
            bytes
        });
        pieces.concat()
    }
}

/// Whole numbers without 0, as large as leaves every sum exact; of B as many are 0 as leaves every result exact too.
fn exact(problem: &ProductProblem) -> Result<[Draws; 2]> {
    let k = problem.shape.k as f64;
    let sums = exact_sums(problem) as f64;
    let results = problem.output.exact_limit() as f64;
    let largest_of_sums = (sums / k).sqrt();
    // Signs are drawn for each, so that a result's standard deviation is less than largest² · √k.
    let largest_of_results = (results / (SIGMAS * k.sqrt())).sqrt();
    let of_type = problem.input.exact_limit().min(127) as f64;
    let largest = largest_of_sums
        .min(largest_of_results)
        .min(of_type)
        .max(1.0) as i32;
    if SIGMAS * k.sqrt() > sums {
        return Err(Error::ProductShape {
            shape: problem.shape,
            reason: format!(
                "sums of so many products are not exact in {}; take a smaller k",
                problem.accumulate
            ),
        });
    }
    // Of so many elements of B one is not 0.
    let of_b = (k / (results / SIGMAS).powi(2)).ceil().max(1.0) as usize;
    let numbers = (1..=largest).flat_map(|n| [f64::from(n), f64::from(-n)]);
    let a: Vec<_> = numbers.map(|n| encoded(problem.input, n)).collect();
    let zeros = (of_b - 1) * a.len();
    let b = a
        .iter()
        .copied()
        .chain(std::iter::repeat_n(encoded(problem.input, 0.0), zeros));
    Ok([Draws::Table(a.clone()), Draws::Table(b.collect())])
}

/// Whole numbers up to which every sum in the hardware is exact. Tensor cores keep about 14 bits when they add products of 8-bit
/// floats.
fn exact_sums(problem: &ProductProblem) -> u64 {
    match problem.input {
        NumberType::E4m3 | NumberType::E5m2 => 1 << 13,
        _ => problem.accumulate.exact_limit(),
    }
}

/// The nearest number of the type, with its bits.
fn encoded(ty: NumberType, value: f64) -> (f64, u32) {
    let bits = ty.encode(value);
    (ty.decode(bits), bits)
}

/// Well mixed bits of an index.
fn mixed(index: u64, salt: u64) -> u32 {
    let mut z = index.wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z >> 32) as u32
}

/// A number below 2²⁴, another for each of 2²⁴ indices in a row.
fn permuted(index: u64, salt: u64) -> u32 {
    const MASK: u32 = (1 << 24) - 1;
    let turns = mixed(index >> 24, salt);
    let mut x = (index as u32 ^ turns) & MASK;
    x = x.wrapping_mul(0x9E_3779) & MASK;
    x ^= x >> 11;
    x = x.wrapping_mul(0x5B_CA6B) & MASK;
    x ^ (x >> 13)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::product_shape::Layout;
    use std::collections::HashSet;

    fn all(problem: &ProductProblem, data: ProductData, factor: Factor) -> Vec<f64> {
        let inputs = Inputs::new(problem, data, 0).unwrap();
        let Shape { rows, columns } = inputs.logical(factor);
        let of = |i: usize| inputs.value(factor, i / columns, i % columns);
        (0..rows * columns).map(of).collect()
    }

    #[test]
    fn exact_factors_have_sums_that_every_type_of_the_way_holds() {
        for (input, output, k) in [
            (NumberType::F32, NumberType::F32, 4096),
            (NumberType::Bf16, NumberType::Bf16, 4096),
            (NumberType::F16, NumberType::F16, 1000),
            (NumberType::E4m3, NumberType::F32, 512),
            (NumberType::S8, NumberType::S32, 16_384),
        ] {
            let problem = ProductProblem::new(3, 5, k).input(input).output(output);
            let (a, b) = (
                all(&problem, ProductData::Exact, Factor::A),
                all(&problem, ProductData::Exact, Factor::B),
            );
            assert!(a.iter().all(|x| *x != 0.0 && x.fract() == 0.0), "{input}");
            let most = |values: &[f64]| values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let bound = most(&a) * most(&b) * k as f64;
            assert!(bound <= exact_sums(&problem) as f64, "{input} {bound}");
            assert!(b.iter().any(|x| *x < 0.0) && b.iter().any(|x| *x > 0.0));
        }
        let sparse = ProductProblem::new(3, 64, 4096)
            .input(NumberType::Bf16)
            .output(NumberType::Bf16);
        let b = all(&sparse, ProductData::Exact, Factor::B);
        let zeros = b.iter().filter(|x| **x == 0.0).count() as f64 / b.len() as f64;
        assert!((0.7..0.8).contains(&zeros), "{zeros}");
    }

    #[test]
    fn another_seed_gives_other_factors() {
        let problem = ProductProblem::new(31, 17, 53);
        for data in [ProductData::Exact, ProductData::Random] {
            let bytes = |seed: u64| {
                let inputs = Inputs::new(&problem, data, seed).unwrap();
                [Factor::A, Factor::B].map(|factor| inputs.bytes(factor))
            };
            let ([a, b], [other_a, other_b]) = (bytes(0), bytes(5));
            let same = |one: &[u8], other: &[u8]| {
                let pairs = one.chunks(4).zip(other.chunks(4));
                pairs.filter(|(a, b)| a == b).count()
            };
            assert!(same(&a, &other_a) < 31 * 53 / 20 && same(&b, &other_b) < 17 * 53 / 20);
            assert_eq!([a, b], bytes(0));
        }
    }

    #[test]
    fn a_sum_too_long_to_be_exact_is_refused() {
        let long = ProductProblem::new(1, 1, 1 << 20).accumulate(NumberType::F16);
        assert!(Inputs::new(&long, ProductData::Exact, 0).is_err());
    }

    #[test]
    fn random_floats_are_different_and_of_ordinary_size() {
        let problem = ProductProblem::new(97, 61, 331);
        let mut seen = HashSet::new();
        let (mut sum, values) = (0.0, all(&problem, ProductData::Random, Factor::A));
        for value in &values {
            assert!(value.abs() < 1.0 && *value != 0.0);
            assert!(seen.insert(value.to_bits()), "{value} twice");
            sum += value;
        }
        assert!((sum / values.len() as f64).abs() < 0.02, "{sum}");
        for input in [NumberType::Tf32, NumberType::F16, NumberType::E5m2] {
            let values = all(&problem.input(input), ProductData::Random, Factor::B);
            let different: HashSet<u64> = values.iter().map(|x| x.to_bits()).collect();
            assert!(different.len() > 50, "{input}: {}", different.len());
            assert!(values.iter().all(|x| x.abs() <= 1.0));
        }
    }

    #[test]
    fn a_transposed_factor_holds_the_same_elements_the_other_way() {
        let problem = ProductProblem::new(3, 5, 7).input(NumberType::Bf16);
        let bits = |layout: Layout, factor: Factor| {
            let problem = problem.layout(layout);
            let inputs = Inputs::new(&problem, ProductData::Random, 0).unwrap();
            let bytes = inputs.bytes(factor);
            for (i, pair) in bytes.chunks(2).enumerate() {
                let bits = u32::from(u16::from_le_bytes([pair[0], pair[1]]));
                let value = NumberType::Bf16.decode(bits);
                assert_eq!(inputs.stored(factor, i), Some(value));
            }
            assert_eq!(inputs.stored(factor, bytes.len() / 2), None);
            bytes
        };
        let (straight, turned) = (bits(Layout::Nn, Factor::B), bits(Layout::Nt, Factor::B));
        // Row 2, column 4 of 7 × 5, and row 4, column 2 of 5 × 7.
        assert_eq!(
            straight[2 * (2 * 5 + 4)..][..2],
            turned[2 * (4 * 7 + 2)..][..2]
        );
        assert_ne!(straight, turned);
        assert_eq!(bits(Layout::Nt, Factor::A), bits(Layout::Nn, Factor::A));
    }
}
