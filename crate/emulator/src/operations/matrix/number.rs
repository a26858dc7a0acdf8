//! The numbers that tensor cores take and give: apart into sign, exponent and significand, and sums back together.

use crate::program::matrix::{Factor, Sum};

/// Exponent of what is zero or not finite: far below all others, also in a sum of two.
pub(crate) const NO_EXPONENT: i32 = -4096;

/// A binary floating-point format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
    /// The highest exponent is that of infinities and NaNs; else only all bits set are a NaN.
    has_infinity: bool,
}

const fn ieee(exponent_bits: u32, fraction_bits: u32) -> Format {
    Format {
        exponent_bits,
        fraction_bits,
        has_infinity: true,
    }
}

pub(crate) const F16: Format = ieee(5, 10);
pub(crate) const BF16: Format = ieee(8, 7);
pub(crate) const TF32: Format = ieee(8, 10);
pub(crate) const F32: Format = ieee(8, 23);
pub(crate) const E5M2: Format = ieee(5, 2);
pub(crate) const E4M3: Format = Format {
    has_infinity: false,
    ..ieee(4, 3)
};

/// `significand` / 2^`fraction_bits` × 2^`exponent`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) significand: i32,
    pub(crate) exponent: i32,
    pub(crate) is_finite: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Finite,
    Infinite,
    Nan,
}

impl Format {
    pub(crate) fn of_factor(ty: Factor) -> Self {
        match ty {
            Factor::F16 => F16,
            Factor::Tf32 => TF32,
            Factor::E4m3 => E4M3,
            Factor::E5m2 => E5M2,
            _ => BF16,
        }
    }

    pub(crate) fn of_sum(ty: Sum) -> Self {
        if ty == Sum::F16 { F16 } else { F32 }
    }

    /// Bits of a number.
    pub(crate) const fn bits(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
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
        let is_top =
            (biased == most) & (self.has_infinity | (fraction == (1 << self.fraction_bits) - 1));
        let is_finite = !is_top;
        let magnitude = if is_finite { fraction | implicit } else { 0 };
        let least = if biased != 0 { biased } else { 1 };
        Parts {
            significand: if self.is_negative(bits) {
                -magnitude
            } else {
                magnitude
            },
            exponent: if magnitude != 0 {
                least - (most >> 1)
            } else {
                NO_EXPONENT
            },
            is_finite,
        }
    }

    /// The number as f32, in which all formats have room; 0 if it is not finite. `parts` are those of the same bits.
    #[inline(always)]
    pub(crate) fn value(self, bits: u32, parts: Parts) -> f32 {
        if self.exponent_bits == 8 {
            let bits = bits << (32 - self.bits());
            return f32::from_bits(if parts.is_finite { bits } else { 0 });
        }
        let unit = parts.exponent.max(-64) - self.fraction_bits as i32;
        parts.significand as f32 * power(unit)
    }

    /// A number of 8 bits as f16, in which all of them have room.
    pub(crate) fn as_f16(self, bits: u32) -> u32 {
        let sign = u32::from(self.is_negative(bits)) << 15;
        match self.class(bits) {
            Class::Nan => 0x7fff,
            Class::Infinite => sign | 0x7c00,
            Class::Finite => {
                let parts = self.parts(bits);
                let magnitude = i64::from(parts.significand.abs());
                sign | to_f16(magnitude, parts.exponent - self.fraction_bits as i32)
            }
        }
    }

    pub(crate) fn class(self, bits: u32) -> Class {
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        match (self.parts(bits).is_finite, fraction) {
            (true, _) => Class::Finite,
            (_, 0) if self.has_infinity => Class::Infinite,
            _ => Class::Nan,
        }
    }

    #[inline(always)]
    pub(crate) fn is_negative(self, bits: u32) -> bool {
        bits >> (self.bits() - 1) & 1 == 1
    }

    pub(crate) fn is_zero(self, bits: u32) -> bool {
        bits & ((1 << (self.bits() - 1)) - 1) == 0
    }
}

/// 2^`exponent`, which is a normal f32.
#[inline(always)]
pub(crate) fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// `sum` × 2^`unit` as f32, rounded toward zero to so many bits of fraction.
pub(crate) fn to_f32(sum: i64, unit: i32, fraction_bits: u32) -> u32 {
    if sum == 0 {
        return 0;
    }
    // Exact: a sum has at most 33 bits.
    let bits = (sum as f64).to_bits();
    let leading = (bits >> 52 & 0x7ff) as i32 - 1023;
    let exponent = unit + leading;
    let fraction = (bits >> 29 & 0x7f_ffff) as u32;
    let kept = !((1 << (23 - fraction_bits)) - 1);
    match exponent {
        -126..=127 => sign(sum) | ((exponent + 127) as u32) << 23 | fraction & kept,
        128.. => sign(sum) | 0x7f80_0000,
        // Subnormal, or nothing at all.
        ..=-150 => 0,
        _ => sign(sum) | (fraction | 1 << 23) >> (-126 - exponent) & kept,
    }
}

/// The same as f16, rounded to nearest even.
pub(crate) fn to_f16(sum: i64, unit: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let magnitude = sum.unsigned_abs();
    let leading = 63 - magnitude.leading_zeros() as i32;
    let exponent = unit + leading;
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

fn sign(sum: i64) -> u32 {
    if sum < 0 { 1 << 31 } else { 0 }
}
