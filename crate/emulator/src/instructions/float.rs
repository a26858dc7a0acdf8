//! PTX ISA chapter "Floating-Point Instructions": single and double precision.

use crate::operations::drive::computes;
use crate::operations::rounding::{
    NAN_BITS, TINY_SCALE, add_f32, add_f64, canonical, canonical_f64, div_f32, div_f64, flushed,
    flushed_if, fma_f32, fma_f64, mul_f32, mul_f64, sqrt_f32, sqrt_f64,
};
use crate::program::floats::Modes;

computes!(ADD_F32, binary, (f32, f32) => f32, |a, b| canonical(a + b));
computes!(SUB_F32, binary, (f32, f32) => f32, |a, b| canonical(a - b));
computes!(MUL_F32, binary, (f32, f32) => f32, |a, b| canonical(a * b));
computes!(FMA_F32, ternary, (f32, f32, f32) => f32, |a, b, c| canonical(a.mul_add(b, c)));
computes!(ADD_FTZ_F32, binary, (f32, f32) => f32, |a, b| canonical(flushed(flushed(a) + flushed(b))));
computes!(SUB_FTZ_F32, binary, (f32, f32) => f32, |a, b| canonical(flushed(flushed(a) - flushed(b))));
computes!(MUL_FTZ_F32, binary, (f32, f32) => f32, |a, b| {
    let (a, b) = (flushed(a), flushed(b));
    canonical(flushed_if(a * b, (a * TINY_SCALE) * b))
});

computes!(FMA_FTZ_F32, ternary, (f32, f32, f32) => f32, |a, b, c| {
    let (a, b, c) = (flushed(a), flushed(b), flushed(c));
    let scaled = (a * TINY_SCALE).mul_add(b, c * TINY_SCALE);
    canonical(flushed_if(a.mul_add(b, c), scaled))
});

computes!(one ADD_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    modes.result(add_f32(modes.input(a), modes.input(b), modes.rounding()))
});

computes!(one SUB_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b: f32| {
    modes.result(add_f32(modes.input(a), modes.input(-b), modes.rounding()))
});

computes!(one MUL_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    let (a, b) = (modes.input(a), modes.input(b));
    modes.result_of(|scale| mul_f32(a * scale, b, modes.rounding()))
});

computes!(one FMA_MODES_F32, ternary_modes, (f32, f32, f32) => f32, |modes: Modes, a, b, c| {
    let (a, b, c) = (modes.input(a), modes.input(b), modes.input(c));
    modes.result_of(|scale| fma_f32(a * scale, b, c * scale, modes.rounding()))
});

computes!(DIV_F32, binary, (f32, f32) => f32, |a, b| canonical(a / b));
computes!(one DIV_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    let (a, b) = (modes.input(a), modes.input(b));
    modes.result_of(|scale| div_f32(a * scale, b, modes.rounding()))
});

computes!(SQRT_F32, unary, (f32) => f32, root);
computes!(one SQRT_MODES_F32, unary_modes, (f32) => f32, |modes: Modes, a| {
    modes.result(sqrt_f32(modes.input(a), modes.rounding()))
});

computes!(RCP_F32, unary, (f32) => f32, |a| canonical(1.0 / a));
computes!(one RCP_MODES_F32, unary_modes, (f32) => f32, |modes: Modes, a| {
    let a = modes.input(a);
    modes.result_of(|scale| div_f32(scale, a, modes.rounding()))
});

computes!(ABS_F32, unary, (f32) => f32, |a| canonical(a.abs()));
computes!(NEG_F32, unary, (f32) => f32, |a| canonical(-a));
computes!(ABS_FTZ_F32, unary, (f32) => f32, |a| canonical(flushed(a).abs()));
computes!(NEG_FTZ_F32, unary, (f32) => f32, |a| canonical(-flushed(a)));
computes!(ABS_F64, unary, (f64) => f64, |a| canonical_f64(a.abs(), [a]));
computes!(NEG_F64, unary, (f64) => f64, |a| canonical_f64(-a, [a]));
computes!(COPYSIGN_F32, binary, (f32, f32) => f32, |sign, value| value.copysign(sign));
computes!(COPYSIGN_F64, binary, (f64, f64) => f64, |sign, value| value.copysign(sign));

computes!(MIN_F32, binary, (f32, f32) => f32, |a, b| least(a, b));
computes!(MAX_F32, binary, (f32, f32) => f32, |a, b| greatest(a, b));
computes!(MIN_FTZ_F32, binary, (f32, f32) => f32, |a, b| least(flushed(a), flushed(b)));
computes!(MAX_FTZ_F32, binary, (f32, f32) => f32, |a, b| greatest(flushed(a), flushed(b)));
computes!(one MIN_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| chosen(modes, a, b, least));
computes!(one MAX_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| chosen(modes, a, b, greatest));
computes!(MIN_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(-greatest_f64(-a, -b), [b, a]));
computes!(MAX_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(greatest_f64(a, b), [b, a]));

// Of several NaNs sums and products give the second operand's, then the third's; quotients the first's.
computes!(ADD_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(a + b, [b, a]));
computes!(SUB_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(a - b, [b, a]));
computes!(MUL_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(a * b, [b, a]));
computes!(FMA_F64, ternary, (f64, f64, f64) => f64, |a, b, c| canonical_f64(a.mul_add(b, c), [b, c, a]));
computes!(DIV_F64, binary, (f64, f64) => f64, |a, b| canonical_f64(a / b, [a, b]));
computes!(SQRT_F64, unary, (f64) => f64, |a| canonical_f64(a.sqrt(), [a]));
computes!(RCP_F64, unary, (f64) => f64, |a| canonical_f64(1.0 / a, [a]));
computes!(one ADD_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| {
    canonical_f64(add_f64(a, b, modes.rounding()), [b, a])
});

computes!(one SUB_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b: f64| {
    canonical_f64(add_f64(a, -b, modes.rounding()), [b, a])
});

computes!(one MUL_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| {
    canonical_f64(mul_f64(a, b, modes.rounding()), [b, a])
});

computes!(one FMA_MODES_F64, ternary_modes, (f64, f64, f64) => f64, |modes: Modes, a, b, c| {
    canonical_f64(fma_f64(a, b, c, modes.rounding()), [b, c, a])
});

computes!(one DIV_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| {
    canonical_f64(div_f64(a, b, modes.rounding()), [a, b])
});

computes!(one SQRT_MODES_F64, unary_modes, (f64) => f64, |modes: Modes, a| {
    canonical_f64(sqrt_f64(a, modes.rounding()), [a])
});

computes!(one RCP_MODES_F64, unary_modes, (f64) => f64, |modes: Modes, a| {
    canonical_f64(div_f64(1.0, a, modes.rounding()), [a])
});

/// `min` and `max` with `.ftz`, `.NaN` and `.xorsign.abs`.
fn chosen(modes: Modes, a: f32, b: f32, choose: impl Fn(f32, f32) -> f32) -> f32 {
    let (a, b) = (modes.input(a), modes.input(b));
    if a.is_nan() && b.is_nan() || modes.has(Modes::NAN) && (a.is_nan() || b.is_nan()) {
        return canonical(f32::NAN);
    }
    if !modes.has(Modes::XOR_SIGN) {
        return choose(a, b);
    }
    let negative = a.is_sign_negative() != b.is_sign_negative();
    let sign = if negative { -1.0 } else { 1.0 };
    choose(a.abs(), b.abs()).copysign(sign)
}

/// A root, and for what has none the usual NaN. Told by its bits, or else the compiler takes the NaN that the host's
/// instruction gives for as good.
#[inline(always)]
fn root(a: f32) -> f32 {
    let (bits, minus_zero, infinity) = (a.to_bits(), 0x8000_0000, 0x7f80_0000);
    let exists = bits <= infinity || bits == minus_zero;
    f32::from_bits(if exists { a.sqrt().to_bits() } else { NAN_BITS })
}

/// The lesser; the other one if one is NaN; -0 is less than +0.
#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    let least = if a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    };
    canonical(if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        least
    })
}

/// The greater; the other one if one is NaN; +0 is greater than -0.
#[inline(always)]
fn greatest(a: f32, b: f32) -> f32 {
    let greatest = if a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    };
    canonical(if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        greatest
    })
}

#[inline(always)]
fn greatest_f64(a: f64, b: f64) -> f64 {
    let greatest = if a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    };
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        greatest
    }
}
