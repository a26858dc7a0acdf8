//! Double precision in the rounding modes that the host does not have: exact in integers, then rounded once.
//!
//! For finite operands; what NaNs and infinities give depends on no rounding.

use crate::program::floats::Rounding;

/// `mantissa * 2^exponent`, and less than one unit of the mantissa more if `sticky`.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    mantissa: u128,
    exponent: i32,
    sticky: bool,
}

/// Exponent of the last place of subnormal doubles.
const LEAST: i32 = -1074;

impl Exact {
    /// Of a finite value.
    fn of(value: f64) -> Self {
        let field = (value.to_bits() >> 52 & 0x7ff) as i32;
        let fraction = value.to_bits() & ((1 << 52) - 1);
        let hidden = if field == 0 { 0 } else { 1 << 52 };
        Self {
            negative: value.is_sign_negative(),
            mantissa: u128::from(fraction | hidden),
            exponent: field.max(1) - 1 + LEAST,
            sticky: false,
        }
    }

    /// The same value with its highest bit at `bit`, which is not below where it is.
    fn raised_to(self, bit: u32) -> Self {
        let by = (bit + self.mantissa.leading_zeros()).saturating_sub(127);
        Self {
            mantissa: self.mantissa << by,
            exponent: self.exponent - by as i32,
            ..self
        }
    }

    fn rounded(self, rounding: Rounding) -> f64 {
        let width = 128 - self.mantissa.leading_zeros() as i32;
        let last = (self.exponent + width - 53).max(LEAST);
        let drop = last - self.exponent;
        let (kept, lost) = match drop {
            ..=0 => (self.mantissa << -drop, false),
            1..=127 => {
                let kept = self.mantissa >> drop;
                (kept, kept << drop != self.mantissa)
            }
            _ => (0, self.mantissa != 0),
        };
        let outward = match rounding {
            Rounding::Nearest | Rounding::Zero => false,
            Rounding::Down => self.negative,
            Rounding::Up => !self.negative,
        };
        let kept = kept as u64 + u64::from(outward && (lost || self.sticky));
        // The hidden bit, and a carry out of the mantissa, add one to the exponent's field.
        let field = u64::from((last - LEAST).unsigned_abs());
        let bits = match field.checked_sub(2047) {
            None => (field << 52) + kept,
            Some(_) => u64::MAX,
        };
        let infinity = f64::INFINITY.to_bits();
        let bits = if bits < infinity {
            bits
        } else if outward {
            infinity
        } else {
            infinity - 1
        };
        f64::from_bits(bits | u64::from(self.negative) << 63)
    }
}

/// `a * b + c`
pub(crate) fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let (x, y, c) = (Exact::of(a), Exact::of(b), Exact::of(c));
    let product = Exact {
        negative: x.negative != y.negative,
        mantissa: x.mantissa * y.mantissa,
        exponent: x.exponent + y.exponent,
        sticky: false,
    };
    match (product.mantissa, c.mantissa) {
        (0, 0) if product.negative == c.negative => zero(c.negative),
        (0, 0) => zero(rounding == Rounding::Down),
        (0, _) => c.rounded(rounding),
        (_, 0) => product.rounded(rounding),
        _ => sum(product, c, rounding),
    }
}

/// Of values other than zero.
fn sum(a: Exact, b: Exact, rounding: Rounding) -> f64 {
    let (a, b) = (a.raised_to(126), b.raised_to(126));
    let before = |a: &Exact, b: &Exact| (a.exponent, a.mantissa) < (b.exponent, b.mantissa);
    let (large, small) = if before(&a, &b) { (b, a) } else { (a, b) };
    let by = (large.exponent - small.exponent) as u32;
    let moved = small.mantissa.checked_shr(by).unwrap_or(0);
    let sticky = moved.checked_shl(by).unwrap_or(0) != small.mantissa;
    let mantissa = if large.negative == small.negative {
        large.mantissa + moved
    } else {
        large.mantissa - moved - u128::from(sticky)
    };
    if mantissa == 0 {
        return zero(rounding == Rounding::Down);
    }
    Exact {
        mantissa,
        sticky,
        ..large
    }
    .rounded(rounding)
}

/// `a / b`, and `b` is not zero.
pub(crate) fn div(a: f64, b: f64, rounding: Rounding) -> f64 {
    let (a, b) = (Exact::of(a), Exact::of(b).raised_to(63));
    let negative = a.negative != b.negative;
    if a.mantissa == 0 {
        return zero(negative);
    }
    let a = a.raised_to(127);
    Exact {
        negative,
        mantissa: a.mantissa / b.mantissa,
        exponent: a.exponent - b.exponent,
        sticky: a.mantissa % b.mantissa != 0,
    }
    .rounded(rounding)
}

/// The root of a positive value.
pub(crate) fn sqrt(a: f64, rounding: Rounding) -> f64 {
    let a = Exact::of(a).raised_to(126);
    let (mantissa, exponent) = match a.exponent % 2 {
        0 => (a.mantissa, a.exponent),
        _ => (a.mantissa << 1, a.exponent - 1),
    };
    let root = mantissa.isqrt();
    Exact {
        negative: false,
        mantissa: root,
        exponent: exponent / 2,
        sticky: root * root != mantissa,
    }
    .rounded(rounding)
}

fn zero(negative: bool) -> f64 {
    if negative { -0.0 } else { 0.0 }
}
