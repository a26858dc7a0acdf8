//! The arithmetic of Hopper's tensor cores: sums of products to the last bit.
//!
//! PTX ISA leaves order and rounding open ("at least single precision"). The model here is the one that an H200 was
//! found to follow in every one of the results in `tests/h200/matrix/mma.bin` and `wgmma.bin`; its parameters differ
//! between architectures, so an A100 or a B200 rounds otherwise:
//!
//! - All products of one instruction and the addend are summed at once, whatever `k` is; there is no order.
//! - A product is exact. Its exponent is the sum of its factors' exponents, its significand in [0, 4); subnormals keep
//!   the smallest exponent of their format and are not flushed.
//! - All terms are aligned to the largest exponent of a term that is not zero, or to [`LEAST_LARGEST`] if that is larger,
//!   and cut off, toward zero, after [`Rule::kept`] binary places: 25, for 8-bit floats 13. Then they are summed exactly.
//! - The sum is rounded to f32 toward zero, to f16 to nearest even; of 8-bit floats, to 13 bits of fraction toward zero
//!   where it is an f32. A sum of zero is +0, whatever the signs.
//! - Any NaN is the one NaN with all bits of its fraction set and no sign.
//! - tf32 factors are the upper 19 bits of the register; the lower 13 are not looked at.

use std::hint::black_box;

use crate::operations::matrix::number::{
    self, Class, Format, NO_EXPONENT, Parts, power, to_f16, to_f32,
};
use crate::program::matrix::{Factor, Sum};

/// Rows of A that are worked on together.
pub(crate) const ROWS: usize = 16;
/// The most elements along `k` of floating-point factors.
const DEPTH: usize = 32;
/// Words of a row or column: its elements along `k`, packed.
pub(crate) const WORDS: usize = 8;

/// The exponent to which terms are aligned at least: -133 or -132, no result that was seen tells them apart.
const LEAST_LARGEST: i32 = -133;

/// Rows of A or columns of B as they lie in memory: word `w` of line `l` is at `[w][l]`.
pub(crate) type Lines<const L: usize> = [[u32; L]; WORDS];

/// How sums of a type of factors are rounded.
#[derive(Debug, Clone, Copy)]
struct Rule {
    /// Binary places below the largest exponent that survive alignment.
    kept: i32,
    /// Of a result that is an f32.
    fraction_bits: u32,
}

impl Rule {
    #[inline(always)]
    fn of(ty: Factor) -> Self {
        match ty {
            Factor::E4m3 | Factor::E5m2 => Rule {
                kept: 13,
                fraction_bits: 13,
            },
            _ => Rule {
                kept: 25,
                fraction_bits: 23,
            },
        }
    }
}

/// Lines of a factor, taken apart: element `k` of line `l` is at `[k][l]`.
#[derive(Debug, Clone)]
pub(crate) struct Taken<const L: usize> {
    ty: Factor,
    depth: usize,
    lines: Lines<L>,
    values: [[f32; L]; DEPTH],
    exponents: [[i16; L]; DEPTH],
    /// Lines in which something is infinite or no number.
    special: u32,
    /// Exponents of what is not zero.
    least: i32,
    most: i32,
}

impl<const L: usize> Taken<L> {
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        Self {
            ty: Factor::F16,
            depth: 0,
            lines: [[0; L]; WORDS],
            values: [[0.0; L]; DEPTH],
            exponents: [[0; L]; DEPTH],
            special: 0,
            least: i32::MAX,
            most: i32::MIN,
        }
    }

    /// Takes lines apart in the place of those before. Whole numbers stay as they lie.
    #[inline(always)]
    pub(crate) fn set(&mut self, ty: Factor, lines: &Lines<L>, depth: usize) {
        (self.ty, self.depth, self.lines) = (ty, depth.min(DEPTH), *lines);
        (self.special, self.least, self.most) = (0, i32::MAX, i32::MIN);
        // So that the compiler knows the format.
        match ty {
            Factor::F16 => self.take_apart(number::F16, 0),
            Factor::Bf16 => self.take_apart(number::BF16, 0),
            Factor::Tf32 => self.take_apart(number::TF32, 13),
            Factor::E4m3 => self.take_apart(number::E4M3, 0),
            Factor::E5m2 => self.take_apart(number::E5M2, 0),
            Factor::F64 | Factor::S8 | Factor::U8 | Factor::B1 => {}
        }
    }

    pub(crate) fn lines(&self) -> &Lines<L> {
        &self.lines
    }

    /// Elements start `skipped` bits up in their place.
    #[inline(always)]
    fn take_apart(&mut self, format: Format, skipped: u32) {
        let width = format.bits() + skipped;
        let per = (32 / width) as usize;
        let (mut least, mut most, mut special) = ([i32::MAX; L], [i32::MIN; L], [0u32; L]);
        for k in 0..self.depth {
            let k = black_box(k) % DEPTH;
            let shift = skipped + width * (k % per) as u32;
            let words = self.lines[k / per % WORDS];
            // Apart from `self`, so that all lines are worked on at once.
            let (mut values, mut exponents) = ([0.0; L], [0i16; L]);
            for line in 0..L {
                let bits = words[line] >> shift & ((1 << format.bits()) - 1);
                let parts = format.parts(bits);
                values[line] = format.value(bits, parts);
                exponents[line] = parts.exponent as i16;
                let is_zero = parts.exponent == NO_EXPONENT;
                least[line] = least[line].min(if is_zero { i32::MAX } else { parts.exponent });
                most[line] = most[line].max(parts.exponent);
                special[line] |= u32::from(!parts.is_finite);
            }
            self.values[k] = values;
            self.exponents[k] = exponents;
        }
        for line in 0..L {
            self.least = self.least.min(least[line]);
            self.most = self.most.max(most[line]);
            self.special |= special[line] << line;
        }
    }

    /// Element `k` of a line, as bits.
    fn element(&self, line: usize, k: usize) -> u32 {
        let format = Format::of_factor(self.ty);
        let skipped = if self.ty == Factor::Tf32 { 13 } else { 0 };
        let width = format.bits() + skipped;
        let per = (32 / width) as usize;
        let shift = skipped + width * (k % per) as u32;
        self.lines[k / per % WORDS][line] >> shift & ((1 << format.bits()) - 1)
    }
}

/// The most that exponents may be, of products and of addends, and the least, for all that [`sums`] does in f32 to be exact.
const HIGHEST: i32 = 115;
const LOWEST_PRODUCT: i32 = -126;
const LOWEST_SUM: i32 = -100;

/// One row of the result: the sums of products of a row of A with columns of B, and of `addends`, as bits of type `ty`.
#[inline(always)]
pub(crate) fn sums<const L: usize>(
    a: &Taken<ROWS>,
    row: usize,
    b: &Taken<L>,
    addends: &[u32; L],
    ty: Sum,
) -> [u32; L] {
    let (row, depth, from) = (row % ROWS, a.depth.min(b.depth), Format::of_sum(ty));
    let lowest = a.least.saturating_add(b.least);
    let highest = a.most.saturating_add(b.most);
    if lowest < LOWEST_PRODUCT || highest > HIGHEST || a.special >> row & 1 == 1 {
        return std::array::from_fn(|column| exact(a, row, b, column, addends[column], ty));
    }
    let rule = Rule::of(a.ty);
    let mut of_products = [i16::MIN; L];
    // `k` is not to be seen through: else the loops along it are vectorized, which is slower than those along columns.
    for k in 0..depth {
        let k = black_box(k) % DEPTH;
        let exponent = a.exponents[k][row];
        for column in 0..L {
            let sum = exponent.wrapping_add(b.exponents[k][column]);
            of_products[column] = of_products[column].max(sum);
        }
    }
    let (mut largest, mut scale, mut addend, mut wild) = ([0; L], [0.0; L], [0; L], [false; L]);
    for column in 0..L {
        let parts = from.parts(addends[column]);
        let top = i32::from(of_products[column]).max(parts.exponent);
        wild[column] = !parts.is_finite
            | (parts.exponent > HIGHEST)
            | ((top < LOWEST_SUM) & (top > NO_EXPONENT));
        largest[column] = top.max(LOWEST_SUM);
        scale[column] = power(rule.kept - largest[column]);
        addend[column] = cut_off(from.value(addends[column], parts) * scale[column]);
    }
    let mut products = [0i32; L];
    for k in 0..depth {
        let k = black_box(k) % DEPTH;
        let factor = a.values[k][row];
        for column in 0..L {
            // Exact: both factors have at most 11 bits, and the exponent of the product is one of f32.
            products[column] += cut_off(factor * b.values[k][column] * scale[column]);
        }
    }
    let mut out = [0; L];
    for column in 0..L {
        let sum = f64::from(products[column]) + f64::from(addend[column]);
        out[column] = match ty {
            Sum::F16 => to_f16(sum as i64, largest[column] - rule.kept),
            _ => {
                let dropped = (1u64 << (52 - rule.fraction_bits)) - 1;
                let cut = f64::from_bits(sum.to_bits() & !dropped);
                (cut as f32 * power(largest[column] - rule.kept)).to_bits()
            }
        };
    }
    if b.special != 0 || wild != [false; L] {
        for column in 0..L {
            if b.special >> column & 1 == 1 || wild[column] {
                out[column] = exact(a, row, b, column, addends[column], ty);
            }
        }
    }
    out
}

/// Toward zero.
#[inline(always)]
fn cut_off(term: f32) -> i32 {
    // SAFETY: what is aligned to an exponent that is no less than its own by `power(kept - largest)` is smaller than
    // 2^27: factors are below 2 in units of their exponents, and `kept` is 25 at most. Nothing here is a NaN, as what is
    // not finite has the value 0, and the scale is between 2^-103 and 2^125.
    unsafe { term.to_int_unchecked() }
}

/// The same for one element, whatever it is made of.
#[cold]
#[inline(never)]
fn exact<const L: usize>(
    a: &Taken<ROWS>,
    row: usize,
    b: &Taken<L>,
    column: usize,
    addend: u32,
    ty: Sum,
) -> u32 {
    let (from, rule) = (Format::of_sum(ty), Rule::of(a.ty));
    let (of_a, of_b) = (Format::of_factor(a.ty), Format::of_factor(b.ty));
    let depth = a.depth.min(b.depth);
    let pairs = || (0..depth).map(|k| (a.element(row, k), b.element(column, k)));
    let is_finite = from.class(addend) == Class::Finite
        && pairs().all(|(a, b)| of_a.class(a) == Class::Finite && of_b.class(b) == Class::Finite);
    if !is_finite {
        let terms = pairs().map(|(a, b)| class_of_product((of_a, a), (of_b, b)));
        let addend = (from.class(addend), from.is_negative(addend));
        return not_finite(terms.chain([addend]), ty);
    }
    let mut terms = [(0i64, NO_EXPONENT); DEPTH + 1];
    let Parts {
        significand,
        exponent,
        ..
    } = from.parts(addend);
    terms[0] = (
        i64::from(significand) << (40 - from.fraction_bits),
        exponent,
    );
    let fraction_bits = of_a.fraction_bits + of_b.fraction_bits;
    for (term, (a, b)) in terms[1..].iter_mut().zip(pairs()) {
        let (a, b) = (of_a.parts(a), of_b.parts(b));
        let product = i64::from(a.significand) * i64::from(b.significand);
        *term = (product << (40 - fraction_bits), a.exponent + b.exponent);
    }
    let largest = terms.iter().map(|(_, exponent)| *exponent);
    let largest = largest.fold(LEAST_LARGEST, i32::max);
    let aligned = terms.iter().map(|(term, exponent)| {
        let lower = 40 - rule.kept + largest - exponent;
        // Toward zero, as a quotient is.
        if lower < 63 { term / (1 << lower) } else { 0 }
    });
    let (sum, unit) = (aligned.sum(), largest - rule.kept);
    match ty {
        Sum::F16 => to_f16(sum, unit),
        _ => to_f32(sum, unit, rule.fraction_bits),
    }
}

/// What kind of number a product is, and whether it is negative.
fn class_of_product((of_a, a): (Format, u32), (of_b, b): (Format, u32)) -> (Class, bool) {
    let classes = [of_a.class(a), of_b.class(b)];
    let class = if classes.contains(&Class::Nan) {
        Class::Nan
    } else if !classes.contains(&Class::Infinite) {
        Class::Finite
    } else if of_a.is_zero(a) || of_b.is_zero(b) {
        Class::Nan
    } else {
        Class::Infinite
    };
    (class, of_a.is_negative(a) != of_b.is_negative(b))
}

/// A sum with a term that is infinite or no number.
fn not_finite(terms: impl Iterator<Item = (Class, bool)>, ty: Sum) -> u32 {
    let (mut nan, mut plus, mut minus) = (false, false, false);
    for (class, is_negative) in terms {
        nan |= class == Class::Nan;
        plus |= class == Class::Infinite && !is_negative;
        minus |= class == Class::Infinite && is_negative;
    }
    match (ty, nan || plus && minus, minus) {
        (Sum::F16, true, _) => 0x7fff,
        (Sum::F16, _, true) => 0xfc00,
        (Sum::F16, ..) => 0x7c00,
        (_, true, _) => 0x7fff_ffff,
        (_, _, true) => 0xff80_0000,
        _ => 0x7f80_0000,
    }
}

/// One row of a product of whole numbers: the exact sums, cut off or wrapped round to 32 bits. Of bits, how many are set
/// in both.
#[inline(always)]
pub(crate) fn whole_sums<const L: usize>(
    (a, a_type): (&Lines<ROWS>, Factor),
    row: usize,
    (b, b_type): (&Lines<L>, Factor),
    words: usize,
    addends: &[u32; L],
    saturate: bool,
) -> [u32; L] {
    let mut products = [0i32; L];
    for word in 0..words.min(WORDS) {
        let (a, b) = (a[word][row % ROWS], &b[word]);
        if a_type == Factor::B1 {
            for column in 0..L {
                products[column] += (a & b[column]).count_ones() as i32;
            }
            continue;
        }
        for byte in 0..4 {
            let a = byte_of(a, byte, a_type);
            for column in 0..L {
                products[column] += a * byte_of(b[column], byte, b_type);
            }
        }
    }
    let mut out = [0; L];
    for column in 0..L {
        let addend = addends[column] as i32;
        let sum = if saturate {
            addend.saturating_add(products[column])
        } else {
            addend.wrapping_add(products[column])
        };
        out[column] = sum as u32;
    }
    out
}

#[inline(always)]
fn byte_of(word: u32, byte: u32, ty: Factor) -> i32 {
    let bits = word >> (8 * byte);
    if ty == Factor::S8 {
        i32::from(bits as i8)
    } else {
        i32::from(bits as u8)
    }
}

/// One element of a product of f64: fused multiply-adds from `k` = 0 on. Of several NaNs that of `b` goes on before
/// that of the sum and that of `a`, made quiet; a NaN that arises has the sign set and no payload.
#[inline(always)]
pub(crate) fn doubles(a: &[u64], b: &[u64], addend: u64) -> u64 {
    let mut sum = f64::from_bits(addend);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
        let next = a.mul_add(b, sum);
        if !next.is_nan() {
            sum = next;
            continue;
        }
        let nan = [b, sum, a].into_iter().find(|value| value.is_nan());
        let bits = nan.map_or(0xfff8 << 48, |nan| nan.to_bits() | 1 << 51);
        sum = f64::from_bits(bits);
    }
    sum.to_bits()
}
