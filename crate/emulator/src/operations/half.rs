//! Arithmetic on the 16-bit formats `f16` and `bf16`.

use crate::operations::rounding::{add_to_odd, narrow};
use crate::program::floats::{Format, Modes, Rounding};

impl Format {
    pub(crate) fn exponent_bits(self) -> u32 {
        15 - self.mantissa
    }

    pub(crate) fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    pub(crate) fn infinity(self) -> u16 {
        ((1 << self.exponent_bits()) - 1) << self.mantissa
    }

    /// Replaces any NaN by the one that instructions give.
    pub(crate) fn canonical(self, bits: u16) -> u16 {
        if bits & 0x7fff > self.infinity() {
            self.nan
        } else {
            bits
        }
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
        let infinity = self.infinity();
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
pub(crate) fn packed(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

// Sums and products of two 16-bit floats, rounded first to double, round the same as directly.
pub(crate) fn add(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) + format.widen(b), Rounding::Nearest)
}

pub(crate) fn sub(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) - format.widen(b), Rounding::Nearest)
}

pub(crate) fn mul(format: Format, a: u16, b: u16) -> u16 {
    format.round(format.widen(a) * format.widen(b), Rounding::Nearest)
}

pub(crate) fn fma(format: Format, a: u16, b: u16, c: u16) -> u16 {
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

impl Format {
    /// An operand under `.ftz`.
    pub(crate) fn input(self, modes: Modes, bits: u16) -> f64 {
        self.widen(self.flushed(modes, bits))
    }

    pub(crate) fn flushed(self, modes: Modes, bits: u16) -> u16 {
        let exponent = (bits & 0x7fff) >> self.mantissa;
        if modes.flushes() && exponent == 0 {
            bits & 0x8000
        } else {
            bits
        }
    }

    /// A result under `.sat`, `.relu` and `.ftz`.
    pub(crate) fn result(self, modes: Modes, value: f64) -> u16 {
        let value = if modes.saturates() {
            if value > 0.0 { value.min(1.0) } else { 0.0 }
        } else if modes.has(Modes::RELU) && value.is_sign_negative() && !value.is_nan() {
            0.0
        } else {
            value
        };
        // Too small once it is rounded to as many bits as a normal number has, as for single precision.
        let least = 2f64.powi(1 - self.bias()) * (1.0 - 2f64.powi(-(self.mantissa as i32) - 2));
        if modes.flushes() && value.abs() < least {
            return self.round(0f64.copysign(value), Rounding::Nearest);
        }
        self.round(value, Rounding::Nearest)
    }
}

/// A 16-bit float to `f32`: exact.
pub(crate) fn to_single(format: Format, bits: u16) -> f32 {
    narrow(format.widen(bits), 0.0, Rounding::Nearest)
}

/// Without what a 16-bit float has no room for; what is too large for it is infinite.
pub(crate) fn cut(format: Format, value: f32) -> u16 {
    let is_too_large = f64::from(value.abs()) >= 2f64.powi(format.bias() + 1);
    let value = if is_too_large {
        f32::INFINITY.copysign(value)
    } else {
        value
    };
    format.round(f64::from(value), Rounding::Zero)
}
