//! Rounding as PTX names it: to nearest, towards zero, down, up; flushing of subnormals; saturation; canonical NaN.

use crate::operations::exact;
use crate::program::floats::{Modes, Rounding};

impl Modes {
    const FLUSH: u64 = 4;
    const SATURATE: u64 = 8;
    pub(crate) const RELU: u64 = 16;
    pub(crate) const NAN: u64 = 32;
    pub(crate) const XOR_SIGN: u64 = 64;
    pub(crate) const FINITE: u64 = 128;

    pub(crate) fn new(rounding: Rounding, flush: bool, saturate: bool) -> Self {
        let flush = if flush { Self::FLUSH } else { 0 };
        let saturate = if saturate { Self::SATURATE } else { 0 };
        Modes(rounding as u64 | flush | saturate)
    }

    /// With one of the modifiers named by the constants.
    pub(crate) fn with(self, modifier: u64, is_there: bool) -> Self {
        Modes(if is_there { self.0 | modifier } else { self.0 })
    }
    #[inline(always)]
    pub(crate) fn has(self, modifier: u64) -> bool {
        self.0 & modifier != 0
    }

    pub(crate) fn flushes(self) -> bool {
        self.has(Self::FLUSH)
    }

    pub(crate) fn saturates(self) -> bool {
        self.has(Self::SATURATE)
    }
    #[inline(always)]
    pub(crate) fn rounding(self) -> Rounding {
        match self.0 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::Down,
            _ => Rounding::Up,
        }
    }

    /// `.ftz` on an operand.
    #[inline(always)]
    pub(crate) fn input(self, value: f32) -> f32 {
        if self.0 & Self::FLUSH != 0 {
            flushed(value)
        } else {
            value
        }
    }

    /// As [`Modes::result`], for a result that is rounded: `f` computes it, times a power of two.
    #[inline(always)]
    pub(crate) fn result_of(self, f: impl Fn(f32) -> f32) -> f32 {
        self.result(if self.0 & Self::FLUSH != 0 {
            flushed_if(f(1.0), f(TINY_SCALE))
        } else {
            f(1.0)
        })
    }

    /// `.ftz` and `.sat` on a result, and the canonical NaN.
    #[inline(always)]
    pub(crate) fn result(self, value: f32) -> f32 {
        let value = self.input(value);
        canonical(if self.0 & Self::SATURATE != 0 {
            saturated(value)
        } else {
            value
        })
    }
}

/// The one NaN that single-precision instructions give.
pub(crate) const NAN_BITS: u32 = 0x7fff_ffff;

/// Replaces any NaN by the one that the hardware gives.
#[inline(always)]
pub(crate) fn canonical(value: f32) -> f32 {
    f32::from_bits(if value.is_nan() {
        NAN_BITS
    } else {
        value.to_bits()
    })
}

/// The NaN that double-precision instructions give where no operand is one.
const NAN_BITS_64: u64 = 0xfff8_0000_0000_0000;

/// Replaces a NaN by the one that the hardware gives: of the operands that are NaNs the first, made quiet.
/// The operands come in the order in which the hardware looks at them (measured on an H200).
#[inline(always)]
pub(crate) fn canonical_f64<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let mut nan = NAN_BITS_64;
    for operand in operands.into_iter().rev() {
        if operand.is_nan() {
            nan = operand.to_bits() | QUIET_64;
        }
    }
    f64::from_bits(if result.is_nan() {
        nan
    } else {
        result.to_bits()
    })
}

/// The bit that makes a double-precision NaN quiet.
pub(crate) const QUIET_64: u64 = 1 << 51;

/// A subnormal becomes a zero of its sign.
#[inline(always)]
pub(crate) fn flushed(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// Brings a result near the least normal number up to where all have the same precision. It overflows only where
/// the result is far from small.
pub(crate) const TINY_SCALE: f32 = f32::from_bits((127 + 64) << 23);

/// A result becomes a zero of its sign if it would be subnormal with the precision of normal numbers, also if rounding
/// as a subnormal made it the least normal number (measured on an H200). `scaled` is the result times
/// [`TINY_SCALE`].
#[inline(always)]
pub(crate) fn flushed_if(value: f32, scaled: f32) -> f32 {
    f32::from_bits(if scaled.abs() < f32::MIN_POSITIVE * TINY_SCALE {
        value.to_bits() & 0x8000_0000
    } else {
        value.to_bits()
    })
}

/// Clamped to [0, 1]; NaN becomes 0.
#[inline(always)]
fn saturated(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// `a + b` as a rounded sum and its exact error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Rounds the exact value `value + error` to single; `error` is at most half a unit of `value`'s last place.
pub(crate) fn narrow(value: f64, error: f64, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    if rounding == Rounding::Nearest || value.is_nan() || value.is_infinite() {
        return nearest;
    }
    if nearest.is_infinite() {
        return match (rounding, nearest > 0.0) {
            (Rounding::Zero | Rounding::Down, true) => f32::MAX,
            (Rounding::Zero | Rounding::Up, false) => f32::MIN,
            _ => nearest,
        };
    }
    let rest = value - f64::from(nearest);
    let rest = if rest != 0.0 { rest } else { error };
    match step(rest, value < 0.0 || (value == 0.0 && error < 0.0), rounding) {
        Step::Stay => nearest,
        Step::Down => nearest.next_down(),
        Step::Up => nearest.next_up(),
    }
}

enum Step {
    Stay,
    Down,
    Up,
}

/// Which way to correct a value rounded to nearest, given the sign of what it lacks.
fn step(rest: f64, negative: bool, rounding: Rounding) -> Step {
    let wants_down = rounding == Rounding::Down || (rounding == Rounding::Zero && !negative);
    if rest < 0.0 && wants_down {
        Step::Down
    } else if rest > 0.0 && !wants_down {
        Step::Up
    } else {
        Step::Stay
    }
}

/// A sum that is exactly zero although its terms are not is negative only when rounding down.
fn zero_sum(sum: f64, a: f64, b: f64, rounding: Rounding) -> f64 {
    if sum == 0.0 && rounding == Rounding::Down && a.is_sign_negative() != b.is_sign_negative() {
        -0.0
    } else {
        sum
    }
}

pub(crate) fn add_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return a + b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let (sum, error) = two_sum(a, b);
    narrow(zero_sum(sum, a, b, rounding), error, rounding)
}

pub(crate) fn mul_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    // 48 bits: exact in a double.
    narrow(f64::from(a) * f64::from(b), 0.0, rounding)
}

pub(crate) fn fma_f32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return a.mul_add(b, c);
    }
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let (sum, error) = two_sum(product, c);
    narrow(zero_sum(sum, product, c, rounding), error, rounding)
}

pub(crate) fn div_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return a / b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a) * b.signum();
    narrow(quotient, if rest.is_nan() { 0.0 } else { rest }, rounding)
}

pub(crate) fn sqrt_f32(a: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return a.sqrt();
    }
    let a = f64::from(a);
    let root = a.sqrt();
    let rest = (-root).mul_add(root, a);
    narrow(root, if rest.is_nan() { 0.0 } else { rest }, rounding)
}

pub(crate) fn add_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    match a.is_finite() && b.is_finite() && rounding != Rounding::Nearest {
        true => exact::fma(a, 1.0, b, rounding),
        false => a + b,
    }
}

pub(crate) fn mul_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let zero = f64::from_bits((a.to_bits() ^ b.to_bits()) & (1 << 63));
    match a.is_finite() && b.is_finite() && rounding != Rounding::Nearest {
        true => exact::fma(a, b, zero, rounding),
        false => a * b,
    }
}

pub(crate) fn fma_f64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let finite = a.is_finite() && b.is_finite() && c.is_finite();
    match finite && rounding != Rounding::Nearest {
        true => exact::fma(a, b, c, rounding),
        false => a.mul_add(b, c),
    }
}

pub(crate) fn div_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let finite = a.is_finite() && b.is_finite() && b != 0.0;
    match finite && rounding != Rounding::Nearest {
        true => exact::div(a, b, rounding),
        false => a / b,
    }
}

pub(crate) fn sqrt_f64(a: f64, rounding: Rounding) -> f64 {
    match a.is_finite() && a > 0.0 && rounding != Rounding::Nearest {
        true => exact::sqrt(a, rounding),
        false => a.sqrt(),
    }
}

/// Rounds to an integral value.
pub(crate) fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

/// The sum rounded to odd: rounding it again to a much narrower format gives what one rounding would.
pub(crate) fn add_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    }
}
