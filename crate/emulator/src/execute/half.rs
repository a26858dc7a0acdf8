//! Half precision: the formats `f16` and `bf16`, and PTX ISA chapter "Half Precision Floating-Point Instructions".

use crate::execute::drive::computes;
use crate::execute::rounding::{Modes, Rounding, add_to_odd, narrow};

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

    fn infinity(self) -> u16 {
        ((1 << self.exponent_bits()) - 1) << self.mantissa
    }

    /// Replaces any NaN by the one that instructions give.
    fn canonical(self, bits: u16) -> u16 {
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
computes!(NEG_F16, unary, (u16) => u16, |a| F16.canonical(a ^ 0x8000));
computes!(ABS_F16, unary, (u16) => u16, |a| F16.canonical(a & 0x7fff));
computes!(NEG_F16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| F16.canonical(a ^ 0x8000)));
computes!(ABS_F16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| F16.canonical(a & 0x7fff)));
computes!(one ADD_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| add(F16, a, b)));
computes!(one SUB_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| sub(F16, a, b)));
computes!(one MUL_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| mul(F16, a, b)));
computes!(one FMA_F16X2, ternary, (u32, u32, u32) => u32, |a, b, c| fma_packed(F16, a, b, c));
computes!(one MIN_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| least(F16, a, b)));
computes!(one MAX_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| greatest(F16, a, b)));

computes!(NEG_BF16, unary, (u16) => u16, |a| BF16.canonical(a ^ 0x8000));
computes!(ABS_BF16, unary, (u16) => u16, |a| BF16.canonical(a & 0x7fff));
computes!(NEG_BF16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| BF16.canonical(a ^ 0x8000)));
computes!(ABS_BF16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| BF16.canonical(a & 0x7fff)));
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

// The same with modifiers: each is one function of a format, for one number and for two in a word.
macro_rules! with_modes {
    ($($single:ident, $pair:ident, $format:ident, ($($arg:ident),*), $driver:ident, $f:ident;)*) => {$(
        computes!(one $single, $driver, ($(with_modes!(@ u16 $arg)),*) => u16, |modes: Modes, $($arg: u16),*| {
            $f($format, modes, $($arg),*)
        });
        computes!(one $pair, $driver, ($(with_modes!(@ u32 $arg)),*) => u32, |modes: Modes, $($arg: u32),*| {
            let low = $f($format, modes, $($arg as u16),*);
            let high = $f($format, modes, $(($arg >> 16) as u16),*);
            u32::from(low) | u32::from(high) << 16
        });
    )*};
    (@ $ty:ident $arg:ident) => { $ty };
}

with_modes! {
    ADD_MODES_F16, ADD_MODES_F16X2, F16, (a, b), binary_modes, add_modes;
    SUB_MODES_F16, SUB_MODES_F16X2, F16, (a, b), binary_modes, sub_modes;
    MUL_MODES_F16, MUL_MODES_F16X2, F16, (a, b), binary_modes, mul_modes;
    FMA_MODES_F16, FMA_MODES_F16X2, F16, (a, b, c), ternary_modes, fma_modes;
    FMA_MODES_BF16, FMA_MODES_BF16X2, BF16, (a, b, c), ternary_modes, fma_modes;
    MIN_MODES_F16, MIN_MODES_F16X2, F16, (a, b), binary_modes, min_modes;
    MIN_MODES_BF16, MIN_MODES_BF16X2, BF16, (a, b), binary_modes, min_modes;
    MAX_MODES_F16, MAX_MODES_F16X2, F16, (a, b), binary_modes, max_modes;
    MAX_MODES_BF16, MAX_MODES_BF16X2, BF16, (a, b), binary_modes, max_modes;
    EX2_F16, EX2_F16X2, F16, (a), unary_modes, ex2;
    EX2_BF16, EX2_BF16X2, BF16, (a), unary_modes, ex2;
    TANH_F16, TANH_F16X2, F16, (a), unary_modes, tanh;
    TANH_BF16, TANH_BF16X2, BF16, (a), unary_modes, tanh;
    FLUSH_F16, FLUSH_F16X2, F16, (a), unary_modes, flush;
    NEG_FTZ_F16, NEG_FTZ_F16X2, F16, (a), unary_modes, negative;
    ABS_FTZ_F16, ABS_FTZ_F16X2, F16, (a), unary_modes, absolute;
}

impl Format {
    /// An operand under `.ftz`.
    fn input(self, modes: Modes, bits: u16) -> f64 {
        self.widen(self.flushed(modes, bits))
    }

    fn flushed(self, modes: Modes, bits: u16) -> u16 {
        let exponent = (bits & 0x7fff) >> self.mantissa;
        if modes.flushes() && exponent == 0 {
            bits & 0x8000
        } else {
            bits
        }
    }

    /// A result under `.sat`, `.relu` and `.ftz`.
    fn result(self, modes: Modes, value: f64) -> u16 {
        let value = if modes.saturates() {
            if value > 0.0 { value.min(1.0) } else { 0.0 }
        } else if modes.has(Modes::RELU) && value.is_sign_negative() && !value.is_nan() {
            0.0
        } else {
            value
        };
        self.flushed(modes, self.round(value, Rounding::Nearest))
    }
}

fn add_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) + format.input(modes, b))
}

fn sub_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) - format.input(modes, b))
}

fn mul_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) * format.input(modes, b))
}

fn fma_modes(format: Format, modes: Modes, a: u16, b: u16, c: u16) -> u16 {
    let product = format.input(modes, a) * format.input(modes, b);
    format.result(modes, add_to_odd(product, format.input(modes, c)))
}

fn min_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    chosen(format, modes, a, b, least)
}

fn max_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    chosen(format, modes, a, b, greatest)
}

/// `min` and `max` with `.ftz`, `.NaN` and `.xorsign.abs`.
fn chosen(
    format: Format,
    modes: Modes,
    a: u16,
    b: u16,
    choose: impl Fn(Format, u16, u16) -> u16,
) -> u16 {
    let (a, b) = (format.flushed(modes, a), format.flushed(modes, b));
    let nan = |bits: u16| format.widen(bits).is_nan();
    if (nan(a) && nan(b)) || (modes.has(Modes::NAN) && (nan(a) || nan(b))) {
        return format.nan;
    }
    if !modes.has(Modes::XOR_SIGN) {
        return choose(format, a, b);
    }
    choose(format, a & 0x7fff, b & 0x7fff) & 0x7fff | (a ^ b) & 0x8000
}

// `approx`: rounded once from a double, at least as accurate as the hardware's.
fn ex2(format: Format, modes: Modes, a: u16) -> u16 {
    format.result(modes, format.input(modes, a).exp2())
}

fn tanh(format: Format, modes: Modes, a: u16) -> u16 {
    format.result(modes, format.input(modes, a).tanh())
}

fn flush(format: Format, _modes: Modes, a: u16) -> u16 {
    format.flushed(Modes::new(Rounding::Nearest, true, false), a)
}

fn negative(format: Format, modes: Modes, a: u16) -> u16 {
    format.flushed(modes, a) ^ 0x8000
}

fn absolute(format: Format, modes: Modes, a: u16) -> u16 {
    format.flushed(modes, a) & 0x7fff
}

/// A 16-bit float to `f32`: exact.
pub(crate) fn to_single(format: Format, bits: u16) -> f32 {
    narrow(format.widen(bits), 0.0, Rounding::Nearest)
}
