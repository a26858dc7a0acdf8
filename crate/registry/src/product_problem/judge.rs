//! Whether a result is the product: bit by bit on exact factors, within a bound of the rounding on random ones.
//!
//! A large product of exact factors is not calculated again. With a random vector *x*, C · x must be A · (B · x), which takes
//! m · n + k · n + m · k multiplications in the place of m · n · k (R. Freivalds, *Probabilistic machines can use less running time*,
//! 1977). Here *x* holds numbers of 64 bits and all is calculated modulo 2⁶⁴: a row of C in which any element is wrong is taken for
//! right with a probability below 2⁻³², by both vectors below 2⁻⁶⁴.

use super::data::{Factor, Inputs, ProductData};
use super::explain::explain;
use super::parallel::in_ranges;
use super::sums::{Sum, of_columns, of_rows};
use super::{ProductProblem, explain};
use cornerturn_base::error::Result;
use cornerturn_base::number::NumberType;
use cornerturn_base::product_mismatch::{ProductMismatch, ProductMistake};
use std::sync::OnceLock;

/// A product of so many multiplications is calculated again, every element.
const MOST_WHOLE: u64 = 1 << 27;

/// Of a larger random one so many rows and columns are.
const SAMPLED: usize = 12;

/// Rows of C that are calculated together.
const ROWS: usize = 32;

/// How near a result came on random factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The largest error of an element, as a share of the sum of its products' sizes.
    pub worst: f64,
    /// The largest error as a share of the bound that it must keep.
    pub of_bound: f64,
    /// Elements that were compared.
    pub compared: u64,
}

impl Accuracy {
    const NONE: Self = Self {
        worst: 0.0,
        of_bound: 0.0,
        compared: 0,
    };

    fn and(self, other: Self) -> Self {
        Self {
            worst: self.worst.max(other.worst),
            of_bound: self.of_bound.max(other.of_bound),
            compared: self.compared + other.compared,
        }
    }
}

/// What a result is compared with.
pub struct Judge {
    problem: ProductProblem,
    data: ProductData,
    inputs: Inputs,
    sketch: OnceLock<Sketch>,
    samples: OnceLock<Samples>,
}

/// What an element must be, given its index and its sum.
pub(crate) type After<'a> = &'a dyn Fn(usize, Sum) -> Sum;

/// Two vectors, and the product times each of them.
struct Sketch {
    x: Vec<[u64; 2]>,
    product: Vec<[u64; 2]>,
}

/// Some rows and columns of the product.
struct Samples {
    rows: Vec<usize>,
    columns: Vec<usize>,
    of_rows: Vec<Sum>,
    of_columns: Vec<Sum>,
}

impl Judge {
    /// Of products of factors with this data.
    ///
    /// # Errors
    /// [`Error::ProductShape`](cornerturn_base::Error::ProductShape) where there are no such factors.
    pub fn new(problem: &ProductProblem, data: ProductData) -> Result<Self> {
        Self::drawn(problem, data, 0)
    }

    /// The same of factors that are drawn from a seed.
    ///
    /// # Errors
    /// As [`Judge::new`].
    pub fn drawn(problem: &ProductProblem, data: ProductData, seed: u64) -> Result<Self> {
        Ok(Self {
            problem: *problem,
            data,
            inputs: Inputs::new(problem, data, seed)?,
            sketch: OnceLock::new(),
            samples: OnceLock::new(),
        })
    }

    /// What the factors hold.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Whether every element is compared with a sum of its own.
    pub(crate) fn is_whole(&self) -> bool {
        self.problem.shape.multiply_adds() <= MOST_WHOLE
    }

    /// Compares C, as it lies in memory, with the product.
    pub fn compare(&self, found: &[u8]) -> Result<Accuracy, Box<ProductMismatch>> {
        match (self.is_whole(), self.data) {
            (true, _) => self.compare_whole(found, None),
            (false, ProductData::Exact) => self.compare_sketch(found),
            (false, ProductData::Random) => self.compare_samples(found),
        }
    }

    /// The same of a product of which something else is made before it is stored: `after` turns the sum of the element at an
    /// index into what must stand there. One that is as smooth as an addition, so that the bound holds for it. Every element
    /// is compared, whatever the size.
    pub fn compare_after(
        &self,
        found: &[u8],
        after: After,
    ) -> Result<Accuracy, Box<ProductMismatch>> {
        self.compare_whole(found, Some(after))
    }

    /// The largest error that an element may have: γ of the sum of its products' sizes, as each of the roundings on the way
    /// changes a number by `u` at most, whatever their order (N. J. Higham, *Accuracy and Stability of Numerical
    /// Algorithms*, section 3.1), and the result's own rounding.
    fn bound(&self, sum: Sum) -> f64 {
        if self.data == ProductData::Exact || self.problem.input.is_whole() {
            return 0.0;
        }
        let ProductProblem {
            input,
            output,
            accumulate,
            ..
        } = self.problem;
        let u = roundoff(input, accumulate);
        // A product, its addition for each, and the additions of a few partial sums.
        let roundings = self.problem.shape.k as f64 + 8.0;
        let gamma = match roundings * u {
            small if small < 0.5 => small / (1.0 - small),
            large => 2.0 * large,
        };
        let reference = roundings * f64::EPSILON;
        let added = (gamma + reference) * sum.size;
        let smallest = output.decode(1).abs();
        let rounded = match output == accumulate {
            true => 0.0,
            false => output.unit_roundoff() * (sum.sum.abs() + added) + smallest,
        };
        added + rounded
    }

    fn found(&self, found: &[u8], index: usize) -> (f64, u32) {
        let width = self.problem.output.bytes();
        let mut bits = [0; 4];
        bits[..width].copy_from_slice(&found[index * width..][..width]);
        let bits = u32::from_le_bytes(bits);
        (self.problem.output.decode(bits), bits)
    }

    /// The element that must stand there, where that is one only.
    fn exact(&self, sum: f64) -> f64 {
        let output = self.problem.output;
        output.decode(output.encode(sum))
    }

    /// How near an element is; `None` if it is wrong.
    fn near(&self, sum: Sum, found: f64) -> Option<Accuracy> {
        let one = Accuracy {
            compared: 1,
            ..Accuracy::NONE
        };
        if self.data == ProductData::Exact {
            return (found == self.exact(sum.sum)).then_some(one);
        }
        let (error, bound) = ((found - sum.sum).abs(), self.bound(sum));
        let share = |of: f64| if error == 0.0 { 0.0 } else { error / of };
        // Not where it is no number.
        (error <= bound).then(|| Accuracy {
            worst: share(sum.size),
            of_bound: share(bound),
            ..one
        })
    }

    fn compare_whole(
        &self,
        found: &[u8],
        after: Option<After>,
    ) -> Result<Accuracy, Box<ProductMismatch>> {
        let shape = self.problem.shape;
        let mut all = Accuracy::NONE;
        let mut wrong = Wrong::default();
        let rows: Vec<usize> = (0..shape.m).collect();
        for rows in rows.chunks(ROWS) {
            let sums = of_rows(&self.problem, &self.inputs, rows);
            for (i, sum) in sums.iter().enumerate() {
                let index = rows[0] * shape.n + i;
                let sum = after.map_or(*sum, |after| after(index, *sum));
                match self.near(sum, self.found(found, index).0) {
                    Some(near) => all = all.and(near),
                    None => wrong.add(index, sum),
                }
            }
        }
        if wrong.first().is_none() {
            return Ok(all);
        }
        let mut mismatch = self.mismatch(found, &wrong, shape.m * shape.n, "elements");
        // What is recognised otherwise is a sum that belongs elsewhere, and these are sums no more.
        if after.is_some() && mismatch.guess != Some(ProductMistake::Unwritten) {
            mismatch.guess = None;
        }
        Err(mismatch)
    }

    fn compare_samples(&self, found: &[u8]) -> Result<Accuracy, Box<ProductMismatch>> {
        let shape = self.problem.shape;
        let samples = self.samples.get_or_init(|| self.sampled());
        let mut all = Accuracy::NONE;
        let mut wrong = Wrong::default();
        let of_rows = samples.rows.iter().flat_map(|row| {
            let row = row * shape.n;
            (0..shape.n).map(move |column| row + column)
        });
        let of_columns = samples
            .columns
            .iter()
            .flat_map(|column| (0..shape.m).map(move |row| row * shape.n + column));
        let sums = samples.of_rows.iter().chain(&samples.of_columns);
        for (index, sum) in of_rows.chain(of_columns).zip(sums) {
            match self.near(*sum, self.found(found, index).0) {
                Some(near) => all = all.and(near),
                None => wrong.add(index, *sum),
            }
        }
        let looked_at = samples.of_rows.len() + samples.of_columns.len();
        if wrong.first().is_some() {
            return Err(self.mismatch(found, &wrong, looked_at, "sampled elements"));
        }
        // Every other element is at least a number.
        let of = (1_usize << 16).div_ceil(shape.n);
        let odd = in_ranges(shape.m, of, |rows| {
            (rows.start * shape.n..rows.end * shape.n)
                .find(|&index| !self.found(found, index).0.is_finite())
        });
        match odd.into_iter().flatten().next() {
            None => Ok(all),
            Some(index) => {
                let sums = of_rows_at(&self.problem, &self.inputs, index / shape.n);
                wrong.add(index, sums[index % shape.n]);
                Err(self.mismatch(found, &wrong, shape.m * shape.n, "elements or more"))
            }
        }
    }

    /// The first and the last rows and columns, and some between.
    fn sampled(&self) -> Samples {
        let of = |side: usize| {
            let between = (2..SAMPLED).map(|i| (i * side / SAMPLED + 37 * i) % side);
            let mut places: Vec<usize> = between.chain([0, side - 1]).collect();
            places.sort_unstable();
            places.dedup();
            places
        };
        let (rows, columns) = (of(self.problem.shape.m), of(self.problem.shape.n));
        Samples {
            of_rows: of_rows(&self.problem, &self.inputs, &rows),
            of_columns: of_columns(&self.problem, &self.inputs, &columns),
            rows,
            columns,
        }
    }

    fn compare_sketch(&self, found: &[u8]) -> Result<Accuracy, Box<ProductMismatch>> {
        let shape = self.problem.shape;
        let Sketch { x, product } = self.sketch.get_or_init(|| self.sketched());
        let flagged = in_ranges(shape.m, 16, |rows| {
            let differs = |row: &usize| {
                let mut sums = [0_u64; 2];
                for (column, x) in x.iter().enumerate() {
                    let value = self.found(found, row * shape.n + column).0;
                    if value.fract() != 0.0 || !value.is_finite() {
                        return true;
                    }
                    for (sum, x) in sums.iter_mut().zip(x) {
                        *sum = sum.wrapping_add((value as i64 as u64).wrapping_mul(*x));
                    }
                }
                sums != product[*row]
            };
            rows.filter(differs).collect::<Vec<usize>>()
        });
        let flagged = flagged.concat();
        let mut wrong = Wrong::default();
        // A result that had to be rounded is no mistake: such a row is right if each of its elements is.
        for rows in flagged.chunks(ROWS) {
            let sums = of_rows(&self.problem, &self.inputs, rows);
            for (row, sums) in rows.iter().zip(sums.chunks_exact(shape.n)) {
                for (column, sum) in sums.iter().enumerate() {
                    let index = row * shape.n + column;
                    if self.near(*sum, self.found(found, index).0).is_none() {
                        wrong.add(index, *sum);
                    }
                }
            }
            if wrong.first().is_some() {
                wrong.count = flagged.len();
                return Err(self.mismatch(found, &wrong, shape.m, "rows"));
            }
        }
        Ok(Accuracy {
            compared: (shape.m * shape.n) as u64,
            ..Accuracy::NONE
        })
    }

    fn sketched(&self) -> Sketch {
        let shape = self.problem.shape;
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let x: Vec<[u64; 2]> = (0..shape.n).map(|_| [next(), next()]).collect();
        let times = |factor: Factor, rows: usize, x: &[[u64; 2]]| -> Vec<[u64; 2]> {
            let products = in_ranges(rows, 16, |rows| {
                let mut line = vec![0.0; x.len()];
                let mut product = |row: usize| {
                    self.inputs.fill_row(factor, row, 0, &mut line);
                    let mut sums = [0_u64; 2];
                    for (value, x) in line.iter().zip(x) {
                        let value = *value as i64 as u64;
                        for (sum, x) in sums.iter_mut().zip(x) {
                            *sum = sum.wrapping_add(value.wrapping_mul(*x));
                        }
                    }
                    sums
                };
                rows.map(&mut product).collect::<Vec<_>>()
            });
            products.concat()
        };
        let of_b = times(Factor::B, shape.k, &x);
        Sketch {
            product: times(Factor::A, shape.m, &of_b),
            x,
        }
    }

    fn mismatch(
        &self,
        found: &[u8],
        wrong: &Wrong,
        of: usize,
        unit: &'static str,
    ) -> Box<ProductMismatch> {
        let (index, sum) = wrong.first().unwrap_or_default();
        let n = self.problem.shape.n;
        let output = self.problem.output;
        let (value, bits) = self.found(found, index);
        let expected = match self.data {
            ProductData::Exact => {
                let exact = self.exact(sum.sum);
                format!(
                    "{exact} (bits {:#0width$x})",
                    output.encode(sum.sum),
                    width = 2 + 2 * output.bytes()
                )
            }
            ProductData::Random => format!("{:e} ± {:.1e}", sum.sum, self.bound(sum)),
        };
        let element = |index: usize| self.found(found, index);
        let looked_at = explain::View {
            problem: &self.problem,
            inputs: &self.inputs,
            is_exact: self.data == ProductData::Exact,
            found: &element,
        };
        Box::new(ProductMismatch {
            row: index / n,
            column: index % n,
            expected,
            found: format!(
                "{value} (bits {bits:#0width$x})",
                width = 2 + 2 * output.bytes()
            ),
            guess: explain(&looked_at, &wrong.places),
            wrong: wrong.count,
            of,
            unit,
        })
    }
}

/// The wrong elements: the first one, some, and how many.
#[derive(Default)]
struct Wrong {
    first: Option<(usize, Sum)>,
    /// Indices of some, spread over all.
    places: Vec<usize>,
    count: usize,
}

impl Wrong {
    fn add(&mut self, index: usize, sum: Sum) {
        self.count += 1;
        if self.first.is_none_or(|(first, _)| index < first) {
            self.first = Some((index, sum));
        }
        // The 1st, 2nd, 4th, 8th, …
        if self.count.is_power_of_two() {
            self.places.push(index);
        }
    }

    fn first(&self) -> Option<(usize, Sum)> {
        self.first
    }
}

fn of_rows_at(problem: &ProductProblem, inputs: &Inputs, row: usize) -> Vec<Sum> {
    of_rows(problem, inputs, &[row])
}

/// By how much one addition changes a sum at most, as a share of it. A fused product and sum rounds to the nearest; tensor cores
/// cut off, after a bit more or less, and with 8-bit floats they keep about 14 bits of a sum.
fn roundoff(input: NumberType, accumulate: NumberType) -> f64 {
    let bits = match (accumulate, input) {
        (NumberType::F16, _) => 10,
        (_, NumberType::E4m3 | NumberType::E5m2) => 13,
        (_, NumberType::F32) => 24,
        _ => 23,
    };
    match accumulate.is_whole() {
        true => 0.0,
        false => 0.5_f64.powi(bits),
    }
}

#[cfg(test)]
mod tests;
