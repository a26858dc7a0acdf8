//! Half precision: the formats `f16` and `bf16`, and PTX ISA chapter "Half Precision Floating-Point Instructions".

use crate::execute::drive::computes;
use crate::execute::rounding::{Rounding, add_to_odd, narrow};

/// Layout of a 16-bit float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Stored mantissa bits.
    mantissa: u32,
    /// Bits of the NaN that instructions give.
    nan: u16,
}

pub(crate) const F16: Format = Format {
    mantissa: 10,
    nan: 0x7fff,
};
pub(crate) const BF16: Format = Format {
    mantissa: 7,
    nan: 0x7fff,
};

impl Format {
    fn exponent_bits(self) -> u32 {
        15 - self.mantissa
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// Exact.
    pub(crate) fn widen(self, bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let exponent = i32::from((bits & 0x7fff) >> self.mantissa);
        let fraction = f64::from(bits & ((1 << self.mantissa) - 1));
        let scale = self.mantissa as i32;
        if exponent == (1 << self.exponent_bits()) - 1 {
            return if fraction == 0.0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        if exponent == 0 {
            return sign * fraction * 2f64.powi(1 - self.bias() - scale);
        }
        sign * (fraction + f64::from(1u32 << self.mantissa))
            * 2f64.powi(exponent - self.bias() - scale)
    }

    /// Rounds once.
    pub(crate) fn round(self, value: f64, rounding: Rounding) -> u16 {
        if value.is_nan() {
            return self.nan;
        }
        let sign = if value.is_sign_negative() {
            0x8000u16
        } else {
            0
        };
        let infinity = ((1u16 << self.exponent_bits()) - 1) << self.mantissa;
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | infinity;
        }
        // The step between neighbours at this magnitude; subnormals share the smallest.
        let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(1 - self.bias());
        let unit = 2f64.powi(exponent - self.mantissa as i32);
        let steps = magnitude / unit;
        let away = match rounding {
            Rounding::Nearest => steps.round_ties_even(),
            Rounding::Zero => steps.floor(),
            Rounding::Down if sign == 0 => steps.floor(),
            Rounding::Up if sign != 0 => steps.floor(),
            Rounding::Down | Rounding::Up => steps.ceil(),
        };
        // A whole number of steps below 2^(mantissa + 1), or just that: its bits follow from adding.
        let field = (exponent + self.bias() - 1).max(0) as u64;
        let bits = (field << self.mantissa) + away as u64;
        if bits < u64::from(infinity) {
            return sign | bits as u16;
        }
        let outward = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Down => sign != 0,
            Rounding::Up => sign == 0,
        };
        sign | if outward { infinity } else { infinity - 1 }
    }
}

/// `f` on both halves of packed words.
fn packed(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

// Sums and products of two 16-bit floats, rounded first to double, round the same as directly.
pub(crate) fn add(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) + format.widen(b), Rounding::Nearest)
}

fn sub(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) - format.widen(b), Rounding::Nearest)
}

fn mul(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) * format.widen(b), Rounding::Nearest)
}

fn fma(format: Format, a: u16, b: u16, c: u16) -> u16 {
    format.round(
        add_to_odd(format.widen(a) * format.widen(b), format.widen(c)),
        Rounding::Nearest,
    )
}

pub(crate) fn least(format: Format, a: u16, b: u16) -> u16 {
    let (x, y) = (format.widen(a), format.widen(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => format.nan,
        (true, false) => b,
        (false, true) => a,
        _ if x < y || (x == y && x.is_sign_negative()) => a,
        _ => b,
    }
}

pub(crate) fn greatest(format: Format, a: u16, b: u16) -> u16 {
    let (x, y) = (format.widen(a), format.widen(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => format.nan,
        (true, false) => b,
        (false, true) => a,
        _ if x > y || (x == y && x.is_sign_positive()) => a,
        _ => b,
    }
}

/// The formats in the order that `f16x2` multiplies: each half by its own.
fn fma_packed(format: Format, a: u32, b: u32, c: u32) -> u32 {
    let low = fma(format, a as u16, b as u16, c as u16);
    let high = fma(format, (a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(low) | u32::from(high) << 16
}

computes!(one ADD_F16, binary, (u16, u16) => u16, |a, b| add(F16, a, b));
computes!(one SUB_F16, binary, (u16, u16) => u16, |a, b| sub(F16, a, b));
computes!(one MUL_F16, binary, (u16, u16) => u16, |a, b| mul(F16, a, b));
computes!(one FMA_F16, ternary, (u16, u16, u16) => u16, |a, b, c| fma(F16, a, b, c));
computes!(one MIN_F16, binary, (u16, u16) => u16, |a, b| least(F16, a, b));
computes!(one MAX_F16, binary, (u16, u16) => u16, |a, b| greatest(F16, a, b));
computes!(NEG_16, unary, (u16) => u16, |a| a ^ 0x8000);
computes!(ABS_16, unary, (u16) => u16, |a| a & 0x7fff);
computes!(NEG_16X2, unary, (u32) => u32, |a| a ^ 0x8000_8000);
computes!(ABS_16X2, unary, (u32) => u32, |a| a & 0x7fff_7fff);
computes!(one ADD_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| add(F16, a, b)));
computes!(one SUB_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| sub(F16, a, b)));
computes!(one MUL_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| mul(F16, a, b)));
computes!(one FMA_F16X2, ternary, (u32, u32, u32) => u32, |a, b, c| fma_packed(F16, a, b, c));
computes!(one MIN_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| least(F16, a, b)));
computes!(one MAX_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| greatest(F16, a, b)));

computes!(one ADD_BF16, binary, (u16, u16) => u16, |a, b| add(BF16, a, b));
computes!(one SUB_BF16, binary, (u16, u16) => u16, |a, b| sub(BF16, a, b));
computes!(one MUL_BF16, binary, (u16, u16) => u16, |a, b| mul(BF16, a, b));
computes!(one FMA_BF16, ternary, (u16, u16, u16) => u16, |a, b, c| fma(BF16, a, b, c));
computes!(one MIN_BF16, binary, (u16, u16) => u16, |a, b| least(BF16, a, b));
computes!(one MAX_BF16, binary, (u16, u16) => u16, |a, b| greatest(BF16, a, b));
computes!(one ADD_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| add(BF16, a, b)));
computes!(one SUB_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| sub(BF16, a, b)));
computes!(one MUL_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| mul(BF16, a, b)));
computes!(one FMA_BF16X2, ternary, (u32, u32, u32) => u32, |a, b, c| fma_packed(BF16, a, b, c));
computes!(one MIN_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| least(BF16, a, b)));
computes!(one MAX_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| greatest(BF16, a, b)));

/// A 16-bit float to `f32`: exact.
pub(crate) fn to_single(format: Format, bits: u16) -> f32 {
    narrow(format.widen(bits), 0.0, Rounding::Nearest)
}
