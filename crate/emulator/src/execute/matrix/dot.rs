//! The arithmetic of Hopper's tensor cores: sums of products to the last bit.
//!
//! PTX ISA leaves order and rounding open ("at least single precision"). The model here is the one that an H200 was
//! found to follow in every one of the results in `tests/h200/mma.bin`; its parameters differ between
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

use crate::execute::matrix::fragment::{COLUMNS, Factor, MOST_ROWS, Sum};

/// Binary places below the largest exponent that survive alignment.
const KEPT_BITS: i32 = 25;

/// Exponent of what is zero or not finite: far below all others, also in a sum of two.
const NO_EXPONENT: i32 = -4096;

/// A binary floating-point format.
#[derive(Debug, Clone, Copy)]
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};
const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
};
const TF32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 10,
};
const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
};

/// `significand` / 2^`fraction_bits` × 2^`exponent`.
#[derive(Debug, Clone, Copy)]
struct Parts {
    significand: i32,
    exponent: i32,
    class: Class,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Finite,
    Infinite,
    Nan,
}

impl Format {
    #[inline(always)]
    fn parts(self, bits: u32) -> Parts {
        let fraction = (bits & ((1 << self.fraction_bits) - 1)) as i32;
        let biased = bits >> self.fraction_bits & ((1 << self.exponent_bits) - 1);
        let most = (1 << self.exponent_bits) - 1;
        let bias = most as i32 >> 1;
        let (magnitude, exponent, class) = if biased == most {
            let class = if fraction == 0 {
                Class::Infinite
            } else {
                Class::Nan
            };
            (0, NO_EXPONENT, class)
        } else if biased != 0 {
            let implicit = 1 << self.fraction_bits;
            (fraction | implicit, biased as i32 - bias, Class::Finite)
        } else if fraction != 0 {
            (fraction, 1 - bias, Class::Finite)
        } else {
            (0, NO_EXPONENT, Class::Finite)
        };
        let negative = bits >> (self.exponent_bits + self.fraction_bits) & 1 == 1;
        Parts {
            significand: if negative { -magnitude } else { magnitude },
            exponent,
            class,
        }
    }

    fn is_negative(self, bits: u32) -> bool {
        bits >> (self.exponent_bits + self.fraction_bits) & 1 == 1
    }

    fn is_zero(self, bits: u32) -> bool {
        bits & ((1 << (self.exponent_bits + self.fraction_bits)) - 1) == 0
    }
}

/// The format of a factor and its bits in it.
fn format(ty: Factor) -> (Format, u32) {
    match ty {
        Factor::F16 => (F16, 0),
        Factor::Tf32 => (TF32, 13),
        _ => (BF16, 0),
    }
}

/// The factors of one multiplication, `rows` × `k` and `k` × 8, taken apart.
pub(super) struct Floats {
    format: Format,
    depth: usize,
    a: [[i32; 16]; MOST_ROWS],
    a_exponents: [[i32; 16]; MOST_ROWS],
    b: [[i32; COLUMNS]; 16],
    b_exponents: [[i32; COLUMNS]; 16],
    /// Rows of A and columns of B in which something is infinite or no number.
    special_rows: u32,
    special_columns: u32,
    a_bits: [[u32; 16]; MOST_ROWS],
    b_bits: [[u32; COLUMNS]; 16],
}

/// Elements by row (column) and `k`.
type Bits = super::fragment::Elements;

impl Floats {
    #[inline(always)]
    pub(super) fn new(ty: Factor, a: &Bits, b: &Bits, rows: usize, depth: usize) -> Self {
        let (format, skipped) = format(ty);
        let mut floats = Self {
            format,
            depth: depth.min(16),
            a: [[0; 16]; MOST_ROWS],
            a_exponents: [[0; 16]; MOST_ROWS],
            b: [[0; COLUMNS]; 16],
            b_exponents: [[0; COLUMNS]; 16],
            special_rows: 0,
            special_columns: 0,
            a_bits: [[0; 16]; MOST_ROWS],
            b_bits: [[0; COLUMNS]; 16],
        };
        for k in 0..floats.depth {
            for row in 0..rows {
                let bits = (a[row][k] >> skipped) as u32;
                let parts = format.parts(bits);
                floats.a_bits[row][k] = bits;
                floats.a[row][k] = parts.significand;
                floats.a_exponents[row][k] = parts.exponent;
                floats.special_rows |= u32::from(parts.class != Class::Finite) << row;
            }
            for column in 0..COLUMNS {
                let bits = (b[column][k] >> skipped) as u32;
                let parts = format.parts(bits);
                floats.b_bits[k][column] = bits;
                floats.b[k][column] = parts.significand;
                floats.b_exponents[k][column] = parts.exponent;
                floats.special_columns |= u32::from(parts.class != Class::Finite) << column;
            }
        }
        floats
    }

    /// One row of the result: `to` as bits of the sums of products and the row `addends`, both of type `ty`.
    #[inline(always)]
    pub(super) fn row(&self, row: usize, addends: &[u64; COLUMNS], ty: Sum) -> [u64; COLUMNS] {
        let from = if ty == Sum::F16 { F16 } else { F32 };
        let mut c = [0; COLUMNS];
        let mut largest = [NO_EXPONENT; COLUMNS];
        let mut special = self.special_columns;
        if self.special_rows >> row & 1 == 1 {
            special = u32::MAX;
        }
        for column in 0..COLUMNS {
            let parts = from.parts(addends[column] as u32);
            c[column] = parts.significand;
            largest[column] = parts.exponent;
            special |= u32::from(parts.class != Class::Finite) << column;
        }
        let c_exponents = largest;
        let (a, a_exponents) = (&self.a[row], &self.a_exponents[row]);
        for k in 0..self.depth {
            for column in 0..COLUMNS {
                let exponent = a_exponents[k] + self.b_exponents[k][column];
                largest[column] = largest[column].max(exponent);
            }
        }
        // 17 terms below 2^27 do not fit 32 bits with a sign, but those of one sign do without.
        let (mut plus, mut minus) = ([0u32; COLUMNS], [0u32; COLUMNS]);
        for column in 0..COLUMNS {
            let lift = KEPT_BITS as u32 - from.fraction_bits;
            let lower = (largest[column] - c_exponents[column]) as u32;
            add(
                &mut plus[column],
                &mut minus[column],
                c[column],
                lift,
                lower,
            );
        }
        let lift = KEPT_BITS as u32 - 2 * self.format.fraction_bits;
        for k in 0..self.depth {
            for column in 0..COLUMNS {
                let exponent = a_exponents[k] + self.b_exponents[k][column];
                let product = a[k] * self.b[k][column];
                let lower = (largest[column] - exponent) as u32;
                add(&mut plus[column], &mut minus[column], product, lift, lower);
            }
        }
        std::array::from_fn(|column| {
            if special >> column & 1 == 1 {
                return self.not_finite(row, column, addends[column] as u32, ty);
            }
            let sum = i64::from(plus[column]) - i64::from(minus[column]);
            u64::from(match ty {
                Sum::F16 => to_f16(sum, largest[column]),
                _ => to_f32(sum, largest[column]),
            })
        })
    }

    /// A sum with a term that is infinite or no number is one of these.
    #[cold]
    fn not_finite(&self, row: usize, column: usize, addend: u32, ty: Sum) -> u64 {
        let from = if ty == Sum::F16 { F16 } else { F32 };
        let mut terms = [(from.parts(addend).class, from.is_negative(addend)); 17];
        for k in 0..self.depth {
            let (a, b) = (self.a_bits[row][k], self.b_bits[k][column]);
            let format = self.format;
            let classes = [format.parts(a).class, format.parts(b).class];
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

/// Adds a term, lifted and then moved `lower` places down, to the sum of its sign.
#[inline(always)]
fn add(plus: &mut u32, minus: &mut u32, term: i32, lift: u32, lower: u32) {
    let magnitude = term.unsigned_abs() << lift;
    let kept = if lower < 32 { magnitude >> lower } else { 0 };
    *plus += if term >= 0 { kept } else { 0 };
    *minus += if term >= 0 { 0 } else { kept };
}

/// `sum` × 2^(`exponent` - [`KEPT_BITS`]) as f32, rounded toward zero.
#[inline(always)]
fn to_f32(sum: i64, exponent: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let magnitude = sum.unsigned_abs();
    // The exponent of the leading bit.
    let leading = 63 - magnitude.leading_zeros() as i32;
    let exponent = exponent - KEPT_BITS + leading;
    if exponent > 127 {
        return sign(sum) | 0x7f80_0000;
    }
    if exponent < -149 {
        return 0;
    }
    // Left-aligned to 63 bits, then down to 24, or fewer for a subnormal.
    let aligned = magnitude << (62 - leading);
    let fraction = (aligned >> (62 - 23 + (-126 - exponent).max(0))) as u32;
    let biased = (exponent + 127).max(1) as u32;
    // The leading bit, if there, adds one to an exponent that is one too low.
    sign(sum) | (((biased - 1) << 23) + fraction)
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
    // Rounding up may carry into the exponent, up to infinity, as it should.
    let value = ((biased - 1) << 10) + fraction + u32::from(up);
    if value == 0 {
        0
    } else {
        sign(sum) >> 16 | value
    }
}

fn sign(sum: i64) -> u32 {
    if sum < 0 { 1 << 31 } else { 0 }
}

/// One element of a product of f64: fused multiply-adds from `k` = 0 on. Of several NaNs that of `b` goes on before
/// that of the sum and that of `a`, made quiet; a NaN that arises has the sign set and no payload.
#[inline(always)]
pub(super) fn doubles(a: &[u64], b: &[u64], addend: u64) -> u64 {
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
pub(super) fn integers(
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
