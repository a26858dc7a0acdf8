//! The works of the chapter on the roofline: chains of multiplications and additions in each precision, products of tensor cores, and the operations whose intensities the article lists.

use super::atomics::drawn;
use super::{distinct, with_few, with_smaller};
use crate::work::Work;

/// Numbers that differ; the others repeat them.
const DIFFERENT: usize = 1021;
/// −(1 − 2⁻¹¹) and 3, exact in each precision: a number keeps changing its sign and comes near neither 0 nor infinity.
const FACTOR: f64 = -0.999_511_718_75;
const ADDEND: f64 = 3.0;

fn start(i: usize) -> f64 {
    (i % DIFFERENT + 1) as f64
}

/// Where each of the different numbers ends, for so many items.
fn ends<T: Copy>(items: usize, end: impl Fn(usize) -> T) -> Vec<T> {
    let ends: Vec<T> = (0..DIFFERENT.min(items)).map(end).collect();
    (0..items).map(|i| ends[i % DIFFERENT]).collect()
}

/// `y[i]` is `x[i]` after so many times `x * factor + addend`, each rounded once.
///
/// Kernels take `(const float* x, float* y, unsigned items, unsigned times, float factor, float addend)`.
pub fn fmas(items: usize, times: usize) -> Work {
    with_smaller(items, |items| {
        let (factor, addend) = (FACTOR as f32, ADDEND as f32);
        let x: Vec<f32> = (0..items).map(|i| start(i) as f32).collect();
        let end = |i| (0..times).fold(start(i) as f32, |x, _| x.mul_add(factor, addend));
        Work::new(format!("{items} floats, {times} times x · a + b"))
            .input("x", &x)
            .output("y", &ends(items, end))
            .value(items as u32)
            .value(times as u32)
            .value(factor)
            .value(addend)
    })
}

/// The same with doubles.
///
/// Kernels take `(const double* x, double* y, unsigned items, unsigned times, double factor, double addend)`.
pub fn fmas_f64(items: usize, times: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f64> = (0..items).map(start).collect();
        let end = |i| (0..times).fold(start(i), |x, _| x.mul_add(FACTOR, ADDEND));
        Work::new(format!("{items} doubles, {times} times x · a + b"))
            .input("x", &x)
            .output("y", &ends(items, end))
            .value(items as u32)
            .value(times as u32)
            .value(FACTOR)
            .value(ADDEND)
    })
}

/// The same with two half-precision numbers in each word, the second of which begins at twice the first.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items, unsigned times, unsigned factor, unsigned addend)`.
pub fn fmas_half(items: usize, times: usize) -> Work {
    with_smaller(items, |items| {
        let pair = |low: f64, high: f64| half_bits(low) | half_bits(high) << 16;
        let x: Vec<u32> = (0..items).map(|i| pair(start(i), 2.0 * start(i))).collect();
        // A product of two halves and its sum with a third are exact as a double, so that the half's is the only rounding.
        let last = |x: f64| (0..times).fold(x, |x, _| to_half(x * FACTOR + ADDEND));
        let end = |i| pair(last(start(i)), last(2.0 * start(i)));
        Work::new(format!("{items} pairs of halves, {times} times x · a + b"))
            .input("x", &x)
            .output("y", &ends(items, end))
            .value(items as u32)
            .value(times as u32)
            .value(pair(FACTOR, FACTOR))
            .value(pair(ADDEND, ADDEND))
    })
}

/// The half nearest to a number, the even one of two; for 0 and numbers that are normal halves.
fn to_half(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let unit = 2_f64.powi(x.abs().log2().floor() as i32 - 10);
    (x / unit).round_ties_even() * unit
}

/// The bits of a number that is a normal half, or 0.
fn half_bits(x: f64) -> u32 {
    if x == 0.0 {
        return 0;
    }
    let exponent = x.abs().log2().floor() as i32;
    let fraction = (x.abs() / 2_f64.powi(exponent - 10)) as u32 - 1024;
    u32::from(x < 0.0) << 15 | ((exponent + 15) as u32) << 10 | fraction
}

/// What a tensor core multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factors {
    F16,
    Bf16,
    Tf32,
    S8,
}

impl Factors {
    /// Numbers in a word.
    fn of_word(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 => 1,
            Self::S8 => 4,
        }
    }

    fn bits(self, number: i32) -> u32 {
        match self {
            Self::F16 => half_bits(f64::from(number)),
            Self::Bf16 => (number as f32).to_bits() >> 16,
            Self::Tf32 => (number as f32).to_bits(),
            Self::S8 => u32::from(number as u8),
        }
    }

    /// Rows of 8 words each.
    fn words(self, numbers: &[Vec<i32>]) -> Vec<u32> {
        let word = |numbers: &[i32]| {
            let bits = 32 / self.of_word();
            let place = |(k, number): (usize, &i32)| self.bits(*number) << (k * bits);
            numbers.iter().enumerate().map(place).sum()
        };
        let words = |row: &Vec<i32>| row.chunks(self.of_word()).map(word).collect::<Vec<u32>>();
        numbers.iter().flat_map(words).collect()
    }
}

/// Rows and columns that a warp multiplies, and words of each.
const TILE: usize = 32;
const TILE_WORDS: usize = 8;
/// Sums begin at the number of their tile, modulo this.
const BEGINNINGS: usize = 61;

/// Each run of 1024 items is a tile: 32 rows times 32 columns, so many times added up, plus the tile's number modulo 61. Rows
/// and columns are 8 words; their numbers are whole ones from −4 to 4, so that every sum is exact.
fn tensor(items: usize, times: usize, factors: Factors) -> (Work, Vec<i32>) {
    let depth = TILE_WORDS * factors.of_word();
    let number = |seed: usize| (drawn(seed) + drawn(seed).signum()) / 2;
    let numbers = |seed: usize| -> Vec<Vec<i32>> {
        let row = |row: usize| (0..depth).map(|k| number(seed + row * depth + k)).collect();
        (0..TILE).map(row).collect()
    };
    let (a, b) = (numbers(0), numbers(TILE * depth));
    let product = |row: usize, column: usize| -> i32 {
        a[row].iter().zip(&b[column]).map(|(a, b)| a * b).sum()
    };
    let products: Vec<i32> = (0..TILE * TILE)
        .map(|i| product(i / TILE, i % TILE) * times as i32)
        .collect();
    let tile = TILE * TILE;
    let sums = (0..items).map(|i| products[i % tile] + (i / tile % BEGINNINGS) as i32);
    let work = Work::new(format!("{items} sums of {times} products of {depth} pairs"))
        .input("a", &factors.words(&a))
        .input("b", &factors.words(&b));
    (work, sums.collect())
}

fn tensor_to_float(items: usize, times: usize, factors: Factors) -> Work {
    with_smaller(items, |items| {
        let (work, sums) = tensor(items, times, factors);
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        let work = work.output("y", &sums);
        work.value(items as u32).value(times as u32)
    })
}

/// Tiles of 32 rows of 16 halves times 32 columns, added up so many times.
///
/// Kernels take `(const unsigned* a, const unsigned* b, float* y, unsigned items, unsigned times)`: rows of `a` and columns of
/// `b`, 8 words each.
pub fn tensor_f16(items: usize, times: usize) -> Work {
    tensor_to_float(items, times, Factors::F16)
}

/// The same with bfloat16.
pub fn tensor_bf16(items: usize, times: usize) -> Work {
    tensor_to_float(items, times, Factors::Bf16)
}

/// The same with 8 numbers in tf32.
pub fn tensor_tf32(items: usize, times: usize) -> Work {
    tensor_to_float(items, times, Factors::Tf32)
}

/// The same with 32 numbers of 8 bits, and whole sums.
///
/// Kernels take `(const unsigned* a, const unsigned* b, int* y, unsigned items, unsigned times)`.
pub fn tensor_s8(items: usize, times: usize) -> Work {
    with_smaller(items, |items| {
        let (work, sums) = tensor(items, times, Factors::S8);
        let work = work.output("y", &sums);
        work.value(items as u32).value(times as u32)
    })
}

/// `c[i]` is `a[i] + b[i]`.
///
/// Kernels take `(const float* a, const float* b, float* c, unsigned items)`.
pub fn vector_add(items: usize) -> Work {
    with_smaller(items, |items| {
        let a: Vec<f32> = distinct(items);
        let b: Vec<f32> = (0..items).map(|i| drawn(i) as f32).collect();
        let c: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        Work::new(format!("the sum of two vectors of {items} floats"))
            .input("a", &a)
            .input("b", &b)
            .output("c", &c)
            .value(items as u32)
    })
}

/// `y[i]` is `x[i]`, or 0 where that is negative.
///
/// Kernels take `(const float* x, float* y, unsigned items)`.
pub fn relu(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = (0..items)
            .map(|i| (drawn(i) * 1021) as f32 + start(i) as f32)
            .collect();
        let y: Vec<f32> = x.iter().map(|x| x.max(0.0)).collect();
        Work::new(format!("{items} floats, the negative ones 0"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}

/// Floats of a channel.
pub(super) const CHANNEL: usize = 4096;

/// Channels of 4096 floats, normalised: less their mean, by the root of their variance and 10⁻⁵, times `gamma` and plus `beta`
/// of the channel. The mean is a whole number, and so are the squares: every sum is exact.
///
/// Kernels take `(const float* x, const float* gamma, const float* beta, float* y, unsigned items)`.
pub fn batch_norm(items: usize) -> Work {
    with_few(items, 2 * CHANNEL + 333, |items| {
        let channels = items.div_ceil(CHANNEL);
        let gamma: Vec<f32> = (0..channels)
            .map(|channel| 1.0 + (channel % 5) as f32 / 4.0)
            .collect();
        let beta: Vec<f32> = (0..channels)
            .map(|channel| (channel % 7) as f32 - 3.0)
            .collect();
        // Neighbours are as far above the mean as below it; a last one that has no neighbour is the mean.
        let apart = |i: usize, count: usize| match (i % CHANNEL, i % 2) {
            (at, 0) if at + 1 == count => 0.0,
            (_, 0) => drawn(i) as f32,
            _ => -drawn(i - 1) as f32,
        };
        let (mut x, mut y) = (Vec::with_capacity(items), Vec::with_capacity(items));
        for channel in 0..channels {
            let first = channel * CHANNEL;
            let count = CHANNEL.min(items - first);
            let apart: Vec<f32> = (first..first + count).map(|i| apart(i, count)).collect();
            let squares: f32 = apart.iter().map(|apart| apart * apart).sum();
            let scale = gamma[channel] / (squares / count as f32 + 1e-5).sqrt();
            let mean = (channel % 100) as f32 + 1.0;
            x.extend(apart.iter().map(|apart| mean + apart));
            y.extend(
                apart
                    .iter()
                    .map(|apart| apart.mul_add(scale, beta[channel])),
            );
        }
        Work::new(format!("{items} floats, normalised by channels"))
            .input("x", &x)
            .input("gamma", &gamma)
            .input("beta", &beta)
            .output("y", &y)
            .value(items as u32)
    })
}

/// Floats of a query, a key and a value.
pub(super) const HEAD: usize = 32;

/// One head of attention to the base 2, 32 floats a query, over so many keys: each query's values, weighted by 2 to the power
/// of query · key, by the sum of the weights. A query has four numbers that are not 0, so a product is a whole number from −4
/// to 4; weights and sums are exact, and one division rounds.
///
/// Kernels take `(const float* queries, const float* keys, const float* values, float* y, unsigned items, unsigned count)`,
/// where items are the floats of `y`.
pub fn attention(items: usize, keys: usize) -> Work {
    with_smaller(items, |items| {
        let sign = |i: usize| drawn(i).signum() as f32;
        let rows = items.div_ceil(HEAD);
        let query = |i: usize| match i % HEAD % 8 == i / HEAD % 8 {
            true => sign(i),
            false => 0.0,
        };
        let queries: Vec<f32> = (0..rows * HEAD).map(query).collect();
        let signs: Vec<f32> = (0..keys * HEAD).map(|i| sign(i + 7_000_003)).collect();
        let values: Vec<f32> = (0..keys * HEAD)
            .map(|i| drawn(i + 900_001) as f32)
            .collect();
        let mut y: Vec<f32> = queries
            .chunks(HEAD)
            .flat_map(|query| attended(query, &signs, &values))
            .collect();
        y.truncate(items);
        Work::new(format!("attention of {rows} queries to {keys} keys"))
            .input("queries", &queries)
            .input("keys", &signs)
            .input("values", &values)
            .output("y", &y)
            .value(items as u32)
            .value(keys as u32)
    })
}

fn attended(query: &[f32], keys: &[f32], values: &[f32]) -> [f32; HEAD] {
    let asked: Vec<(usize, f32)> = (query.iter().copied().enumerate())
        .filter(|(_, number)| *number != 0.0)
        .collect();
    let score = |key: &[f32]| {
        asked
            .iter()
            .map(|(k, number)| number * key[*k])
            .sum::<f32>()
    };
    let scores: Vec<f32> = keys.chunks(HEAD).map(score).collect();
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (mut sum, mut sums) = (0.0, [0.0; HEAD]);
    for (score, value) in scores.iter().zip(values.chunks(HEAD)) {
        let weight = 2_f32.powi((score - largest) as i32);
        sum += weight;
        for (sum, value) in sums.iter_mut().zip(value) {
            *sum += weight * value;
        }
    }
    sums.map(|of_value| of_value / sum)
}

/// Rows of the first factor and columns of the second that differ; the others repeat them.
const DIFFERENT_ROWS: usize = 61;
const DIFFERENT_COLUMNS: usize = 67;

/// The first items of a product of matrices, row after row: `b` has so many rows and columns, `a` as many columns. All are
/// whole numbers from −8 to 8 without 0, so that every sum is exact.
///
/// Kernels take `(const float* a, const float* b, float* c, unsigned items, unsigned side)`.
pub fn gemm(items: usize, side: usize) -> Work {
    with_smaller(items, |items| {
        let rows = items.div_ceil(side);
        let of_a = |row: usize, k: usize| drawn(row % DIFFERENT_ROWS * side + k) as f32;
        let of_b = |k: usize, column: usize| {
            drawn(1_000_003 + k * DIFFERENT_COLUMNS + column % DIFFERENT_COLUMNS) as f32
        };
        let a: Vec<f32> = (0..rows * side).map(|i| of_a(i / side, i % side)).collect();
        let b: Vec<f32> = (0..side * side).map(|i| of_b(i / side, i % side)).collect();
        let (down, across) = (DIFFERENT_ROWS.min(rows), DIFFERENT_COLUMNS.min(side));
        let mut products = vec![0.0_f32; down * across];
        for (i, product) in products.iter_mut().enumerate() {
            let (row, column) = (i / across * side, i % across);
            *product = (0..side).map(|k| a[row + k] * b[k * side + column]).sum();
        }
        let of_c =
            |i: usize| products[i / side % DIFFERENT_ROWS * across + i % side % DIFFERENT_COLUMNS];
        let c: Vec<f32> = (0..items).map(of_c).collect();
        Work::new(format!(
            "{items} elements of a product of matrices, {side} across"
        ))
        .input("a", &a)
        .input("b", &b)
        .output("c", &c)
        .value(items as u32)
        .value(side as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_to_eleven_bits_and_written_as_the_hardware_has_them() {
        for (number, half, bits) in [
            (1.0, 1.0, 0x3c00),
            (-2.0, -2.0, 0xc000),
            (FACTOR, FACTOR, 0xbbff),
            (2049.0, 2048.0, 0x6800),
            (2051.0, 2052.0, 0x6802),
            (0.1, 0.099_975_585_937_5, 0x2e66),
        ] {
            assert_eq!(to_half(number), half, "{number}");
            assert_eq!(half_bits(half), bits, "{number}");
        }
        assert_eq!(half_bits(0.0), 0);
    }
}
