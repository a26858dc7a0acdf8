//! The arithmetic of Hopper's tensor cores: sums of products to the last bit.
//!
//! PTX ISA leaves order and rounding open ("at least single precision"). The model here is the one that an H200 was
//! found to follow in every one of the results in `tests/h200/matrix/mma.bin`; its parameters differ between
//! architectures, so an A100 or a B200 rounds otherwise:
//!
//! - All products of one `mma` and the addend are summed at once, `k` = 16 included; there is no order.
//! - A product is exact. Its exponent is the sum of its factors' exponents, its significand in [0, 4); subnormals keep
//!   the smallest exponent of their format and are not flushed.
//! - All terms are aligned to the largest exponent of a term that is not zero and cut off, toward zero, after
//!   [`KEPT_BITS`] binary places. Then they are summed exactly.
//! - The sum is rounded to f32 toward zero, to f16 to nearest even. A sum of zero is +0, whatever the signs.
//! - Any NaN is the one NaN with all bits of its fraction set and no sign.
//! - tf32 factors are the upper 19 bits of the register; the lower 13 are not looked at.

use std::hint::black_box;

use crate::machine::stage::Row;
use crate::operations::matrix::fragment::{COLUMNS, MOST_ROWS, factor, place};
use crate::program::kinds::WARP;
use crate::program::matrix::{Factor, Sum};

/// Binary places below the largest exponent that survive alignment.
const KEPT_BITS: i32 = 25;

/// Exponent of what is zero or not finite: far below all others, also in a sum of two.
const NO_EXPONENT: i32 = -4096;

/// A binary floating-point format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
}

pub(crate) const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};

pub(crate) const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
};

const TF32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 10,
};

pub(crate) const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
};

/// `significand` / 2^`fraction_bits` × 2^`exponent`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) significand: i32,
    pub(crate) exponent: i32,
    pub(crate) is_finite: bool,
}

impl Format {
    pub(crate) fn new(ty: Sum) -> Self {
        if ty == Sum::F16 { F16 } else { F32 }
    }

    /// Without branches, so that it works on several numbers at once.
    #[inline(always)]
    pub(crate) fn parts(self, bits: u32) -> Parts {
        let fraction = (bits & ((1 << self.fraction_bits) - 1)) as i32;
        let most = (1 << self.exponent_bits) - 1;
        let biased = (bits >> self.fraction_bits) as i32 & most;
        let implicit = if biased != 0 {
            1 << self.fraction_bits
        } else {
            0
        };
        let is_finite = biased != most;
        let magnitude = if is_finite { fraction | implicit } else { 0 };
        let least = if biased != 0 { biased } else { 1 };
        let is_negative = bits >> (self.exponent_bits + self.fraction_bits) & 1 == 1;
        Parts {
            significand: if is_negative { -magnitude } else { magnitude },
            exponent: if magnitude != 0 {
                least - (most >> 1)
            } else {
                NO_EXPONENT
            },
            is_finite,
        }
    }

    fn class(self, bits: u32) -> Class {
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        match (self.parts(bits).is_finite, fraction) {
            (true, _) => Class::Finite,
            (_, 0) => Class::Infinite,
            _ => Class::Nan,
        }
    }

    pub(crate) fn is_negative(self, bits: u32) -> bool {
        bits >> (self.exponent_bits + self.fraction_bits) & 1 == 1
    }

    fn is_zero(self, bits: u32) -> bool {
        bits & ((1 << (self.exponent_bits + self.fraction_bits)) - 1) == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Finite,
    Infinite,
    Nan,
}

/// The most elements along `k` of floating-point factors.
const DEPTH: usize = 16;

/// Elements of one register of all lanes, taken apart.
struct Taken {
    pub(crate) significands: [i32; WARP],
    pub(crate) exponents: [i32; WARP],
    /// Lanes whose element is infinite or no number.
    pub(crate) special: u32,
}

impl Taken {
    /// The elements that start `shift` bits up in the register.
    #[inline(always)]
    pub(crate) fn new(format: Format, row: &Row, shift: u32) -> Self {
        let width = format.exponent_bits + format.fraction_bits + 1;
        let mut taken = Self {
            significands: [0; WARP],
            exponents: [0; WARP],
            special: 0,
        };
        let mut special = [false; WARP];
        for lane in 0..WARP {
            let bits = row[lane] >> shift & ((1 << width) - 1);
            let parts = format.parts(bits);
            taken.significands[lane] = parts.significand;
            taken.exponents[lane] = parts.exponent;
            special[lane] = !parts.is_finite;
        }
        if special != [false; WARP] {
            for lane in 0..WARP {
                taken.special |= u32::from(special[lane]) << lane;
            }
        }
        taken
    }
}

/// The factors of one multiplication, `rows` × `k` and `k` × 8, taken apart.
pub(crate) struct Floats<'s> {
    pub(crate) ty: Factor,
    pub(crate) format: Format,
    /// Lowest bits of an element that are not looked at.
    pub(crate) skipped: u32,
    pub(crate) depth: usize,
    pub(crate) a_rows: &'s [Row],
    pub(crate) b_rows: &'s [Row],
    pub(crate) rows: usize,
    pub(crate) a: [[i32; DEPTH]; MOST_ROWS],
    pub(crate) a_exponents: [[i32; DEPTH]; MOST_ROWS],
    pub(crate) b: [[i32; COLUMNS]; DEPTH],
    pub(crate) b_exponents: [[i32; COLUMNS]; DEPTH],
    /// Rows of A and columns of B in which something is infinite or no number.
    pub(crate) special_rows: u32,
    pub(crate) special_columns: u32,
}

impl<'s> Floats<'s> {
    /// Of two fragments in the stage.
    #[inline(always)]
    pub(crate) fn new(
        ty: Factor,
        a_rows: &'s [Row],
        b_rows: &'s [Row],
        rows: usize,
        depth: usize,
    ) -> Self {
        let (format, skipped) = match ty {
            Factor::F16 => (F16, 0),
            Factor::Tf32 => (TF32, 13),
            _ => (BF16, 0),
        };
        let mut floats = Self {
            ty,
            format,
            skipped,
            depth: depth.min(DEPTH),
            a_rows,
            b_rows,
            rows,
            a: [[0; DEPTH]; MOST_ROWS],
            a_exponents: [[0; DEPTH]; MOST_ROWS],
            b: [[0; COLUMNS]; DEPTH],
            b_exponents: [[0; COLUMNS]; DEPTH],
            special_rows: 0,
            special_columns: 0,
        };
        // So that the compiler knows the format.
        match ty {
            Factor::F16 => floats.take_apart(F16),
            Factor::Tf32 => floats.take_apart(TF32),
            _ => floats.take_apart(BF16),
        }
        floats
    }
    #[inline(always)]
    pub(crate) fn take_apart(&mut self, format: Format) {
        let (ty, blocks, per) = (self.ty, self.rows / 8, self.ty.per_register());
        let registers = self.depth / ty.depth();
        for element in 0..per {
            let shift = self.skipped + (ty.bits() * element) as u32;
            for register in 0..registers * blocks {
                let (row, k) = place(ty, blocks, register);
                let taken = Taken::new(format, &self.a_rows[register], shift);
                for lane in 0..WARP {
                    let (row, k) = (row + lane / 4, k + lane % 4 * per + element);
                    self.a[row & (MOST_ROWS - 1)][k & (DEPTH - 1)] = taken.significands[lane];
                    self.a_exponents[row & (MOST_ROWS - 1)][k & (DEPTH - 1)] =
                        taken.exponents[lane];
                }
                self.special_rows |= lines(taken.special) << row;
            }
            for register in 0..registers {
                let (_, k) = place(ty, 1, register);
                let taken = Taken::new(format, &self.b_rows[register], shift);
                for lane in 0..WARP {
                    let (column, k) = (lane / 4, k + lane % 4 * per + element);
                    self.b[k & (DEPTH - 1)][column] = taken.significands[lane];
                    self.b_exponents[k & (DEPTH - 1)][column] = taken.exponents[lane];
                }
                self.special_columns |= lines(taken.special);
            }
        }
    }

    /// One row of the result: the sums of products and of the row `addends`, as bits of type `ty`.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize, addends: &[u64; COLUMNS], ty: Sum) -> [u64; COLUMNS] {
        let from = Format::new(ty);
        let mut special = self.special_columns;
        if self.special_rows >> row & 1 == 1 {
            special = u32::MAX;
        }
        let (mut c, mut largest) = ([0; COLUMNS], [0; COLUMNS]);
        for column in 0..COLUMNS {
            let parts = from.parts(addends[column] as u32);
            c[column] = parts.significand;
            largest[column] = parts.exponent;
            special |= u32::from(!parts.is_finite) << column;
        }
        let lowest = largest;
        let (a, a_exponents) = (&self.a[row], &self.a_exponents[row]);
        for k in 0..self.depth {
            // Not to be seen through: else the sums along `k` are vectorized, which is slower than those along columns.
            let k = black_box(k) & (DEPTH - 1);
            for column in 0..COLUMNS {
                let exponent = a_exponents[k] + self.b_exponents[k][column];
                largest[column] = largest[column].max(exponent);
            }
        }
        // 17 terms below 2^27 do not fit 32 bits, 9 do.
        let mut sums = [[0i32; COLUMNS]; 2];
        let lift = KEPT_BITS as u32 - from.fraction_bits;
        for column in 0..COLUMNS {
            sums[0][column] = aligned(c[column], lift, largest[column] - lowest[column]);
        }
        let lift = KEPT_BITS as u32 - 2 * self.format.fraction_bits;
        for (half, sums) in sums.iter_mut().enumerate() {
            for k in (half * 8).min(self.depth)..(half * 8 + 8).min(self.depth) {
                let k = black_box(k) & (DEPTH - 1);
                for column in 0..COLUMNS {
                    let exponent = a_exponents[k] + self.b_exponents[k][column];
                    let product = a[k] * self.b[k][column];
                    sums[column] += aligned(product, lift, largest[column] - exponent);
                }
            }
        }
        let mut out = [0; COLUMNS];
        for column in 0..COLUMNS {
            let sum = i64::from(sums[0][column]) + i64::from(sums[1][column]);
            out[column] = u64::from(match ty {
                Sum::F16 => to_f16(sum, largest[column]),
                _ => to_f32(sum, largest[column]),
            });
        }
        if special != 0 {
            for column in (0..COLUMNS).filter(|column| special >> column & 1 == 1) {
                out[column] = self.not_finite(row, column, addends[column] as u32, ty);
            }
        }
        out
    }

    /// A sum with a term that is infinite or no number is one of these.
    #[cold]
    fn not_finite(&self, row: usize, column: usize, addend: u32, ty: Sum) -> u64 {
        let (from, format) = (Format::new(ty), self.format);
        let a = factor(self.a_rows, self.ty, self.rows, self.depth);
        let b = factor(self.b_rows, self.ty, COLUMNS, self.depth);
        let mut terms = [(from.class(addend), from.is_negative(addend)); DEPTH + 1];
        for k in 0..self.depth {
            let [a, b] = [a[row][k], b[column][k]].map(|bits| (bits >> self.skipped) as u32);
            let classes = [format.class(a), format.class(b)];
            let class = if classes.contains(&Class::Nan) {
                Class::Nan
            } else if !classes.contains(&Class::Infinite) {
                Class::Finite
            } else if format.is_zero(a) || format.is_zero(b) {
                Class::Nan
            } else {
                Class::Infinite
            };
            terms[k + 1] = (class, format.is_negative(a) != format.is_negative(b));
        }
        let has = |term| terms.contains(&term);
        let (plus, minus) = (has((Class::Infinite, false)), has((Class::Infinite, true)));
        let nan = has((Class::Nan, false)) || has((Class::Nan, true)) || (plus && minus);
        match (ty, nan, minus) {
            (Sum::F16, true, _) => 0x7fff,
            (Sum::F16, _, true) => 0xfc00,
            (Sum::F16, ..) => 0x7c00,
            (_, true, _) => 0x7fff_ffff,
            (_, _, true) => 0xff80_0000,
            _ => 0x7f80_0000,
        }
    }
}

/// The lines, of four lanes each, in which a bit is set.
#[inline(always)]
pub(crate) fn lines(lanes: u32) -> u32 {
    if lanes == 0 {
        return 0;
    }
    let has = |line: u32| u32::from(lanes >> (4 * line) & 15 != 0) << line;
    (0..8).map(has).sum()
}

/// A term lifted by some places and then cut off, toward zero, by moving it `lower` places down.
#[inline(always)]
pub(crate) fn aligned(term: i32, lift: u32, lower: i32) -> i32 {
    let magnitude = term.unsigned_abs() << lift;
    let kept = if lower < 32 {
        magnitude >> (lower & 31)
    } else {
        0
    };
    let sign = term >> 31;
    (kept as i32 ^ sign) - sign
}

/// `sum` × 2^(`exponent` - [`KEPT_BITS`]) as f32, rounded toward zero.
#[inline(always)]
fn to_f32(sum: i64, exponent: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    // Exact: a sum has at most 32 bits.
    let bits = (sum as f64).to_bits();
    let leading = (bits >> 52 & 0x7ff) as i32 - 1023;
    let exponent = exponent - KEPT_BITS + leading;
    let fraction = bits >> 29 & 0x7f_ffff;
    match exponent {
        -126..=127 => sign(sum) | ((exponent + 127) as u32) << 23 | fraction as u32,
        128.. => sign(sum) | 0x7f80_0000,
        // Subnormal, or nothing at all.
        ..=-150 => 0,
        _ => sign(sum) | (fraction as u32 | 1 << 23) >> (-126 - exponent),
    }
}

/// The same as f16, rounded to nearest even.
#[inline(always)]
fn to_f16(sum: i64, exponent: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let magnitude = sum.unsigned_abs();
    let leading = 63 - magnitude.leading_zeros() as i32;
    let exponent = exponent - KEPT_BITS + leading;
    if exponent > 15 {
        return sign(sum) >> 16 | 0x7c00;
    }
    if exponent < -25 {
        return 0;
    }
    let aligned = magnitude << (62 - leading);
    let dropped = 62 - 10 + (-14 - exponent).max(0);
    let rest = aligned & ((1 << dropped) - 1);
    let half = 1u64 << (dropped - 1);
    let fraction = (aligned >> dropped) as u32;
    let up = rest > half || rest == half && fraction & 1 == 1;
    let biased = (exponent + 15).max(1) as u32;
    // The leading bit, if there, adds one to an exponent that is one too low; rounding up may carry into it as well.
    let value = ((biased - 1) << 10) + fraction + u32::from(up);
    if value == 0 {
        0
    } else {
        sign(sum) >> 16 | value
    }
}

pub(crate) fn sign(sum: i64) -> u32 {
    if sum < 0 { 1 << 31 } else { 0 }
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

/// One element of a product of bytes: the exact sum, cut off or wrapped round to 32 bits.
#[inline(always)]
pub(crate) fn integers(
    (a, a_type): (&[u64], Factor),
    (b, b_type): (&[u64], Factor),
    addend: u64,
    saturate: bool,
) -> u64 {
    let value = |bits: u64, ty: Factor| {
        if ty == Factor::S8 {
            i32::from(bits as i8)
        } else {
            i32::from(bits as u8)
        }
    };
    let mut products = 0i32;
    for (a, b) in a.iter().zip(b) {
        products += value(*a, a_type) * value(*b, b_type);
    }
    let addend = addend as i32;
    let sum = if saturate {
        addend.saturating_add(products)
    } else {
        addend.wrapping_add(products)
    };
    u64::from(sum as u32)
}
