//! PTX ISA chapter "Floating-Point Instructions", those with `.approx` and `.full`: what ptxas makes of each for `sm_90`.
//!
//! With `.ftz` most are one instruction of the special-function unit. Without, operands that the unit takes for zeros or whose
//! results it flushes are scaled before, and the result after; the sequences are those of ptxas 13.0, as `nvdisasm` shows them.

use crate::operations::drive::computes;
use crate::operations::half::{cut, packed, to_single};
use crate::operations::mufu;
use crate::operations::rounding::{TINY_SCALE, canonical, canonical_f64, flushed, flushed_if};
use crate::program::floats::{BF16, F16, Format};

computes!(RCP, unary_table, (f32) => f32, reciprocal);
computes!(RCP_FTZ, unary_table, (f32) => f32, mufu::reciprocal);
computes!(RSQRT, unary_table, (f32) => f32, reciprocal_root);
computes!(RSQRT_FTZ, unary_table, (f32) => f32, mufu::reciprocal_root);
computes!(SQRT, unary_table, (f32) => f32, root);
computes!(SQRT_FTZ, unary_table, (f32) => f32, mufu::root);
computes!(LG2, unary_table, (f32) => f32, logarithm);
computes!(LG2_FTZ, unary_table, (f32) => f32, mufu::logarithm);
computes!(EX2, unary_table, (f32) => f32, power_of_two);
computes!(EX2_FTZ, unary_table, (f32) => f32, mufu::power_of_two);
computes!(SIN, unary_table, (f32) => f32, sine);
computes!(COS, unary_table, (f32) => f32, cosine);
computes!(TANH, unary_table, (f32) => f32, mufu::hyperbolic_tangent);
computes!(DIV, binary_table, (f32, f32) => f32, divide);
computes!(DIV_FTZ, binary_table, (f32, f32) => f32, divide_ftz);
computes!(DIV_FULL, binary_table, (f32, f32) => f32, divide_full);
computes!(DIV_FULL_FTZ, binary_table, (f32, f32) => f32, divide_full_ftz);

computes!(one RCP_F64, unary, (f64) => f64, |a| upper(mufu::reciprocal_upper, a));
computes!(one RSQRT_FTZ_F64, unary, (f64) => f64, |a| upper(mufu::reciprocal_root_upper, a));
computes!(one RSQRT_F64, unary, (f64) => f64, reciprocal_root_f64);

computes!(one EX2_F16, unary, (u16) => u16, |a| half(F16, mufu::power_of_two, a));
computes!(one EX2_F16X2, unary, (u32) => u32, |a| halves(F16, mufu::power_of_two, a));
computes!(one EX2_BF16, unary, (u16) => u16, |a| half(BF16, mufu::power_of_two, a));
computes!(one EX2_BF16X2, unary, (u32) => u32, |a| halves(BF16, mufu::power_of_two, a));
computes!(one TANH_F16, unary, (u16) => u16, |a| half(F16, mufu::hyperbolic_tangent, a));
computes!(one TANH_F16X2, unary, (u32) => u32, |a| halves(F16, mufu::hyperbolic_tangent, a));
computes!(one TANH_BF16, unary, (u16) => u16, |a| half(BF16, mufu::hyperbolic_tangent, a));
computes!(one TANH_BF16X2, unary, (u32) => u32, |a| halves(BF16, mufu::hyperbolic_tangent, a));

/// What brings a subnormal up: 2^24.
const UP: f32 = 16_777_216.0;
/// 1/(2 pi), as ptxas has it.
const TURN: f32 = f32::from_bits(0x3e22_f983);

// The functions on single precision are inlined wherever they go over lanes: there they become vector instructions.

#[inline(always)]
fn is_small(a: f32) -> bool {
    a.abs() < f32::MIN_POSITIVE
}

/// Whether a divisor's reciprocal is subnormal.
#[inline(always)]
fn is_large(a: f32) -> bool {
    a.abs() > f32::from_bits(0x7e80_0000)
}

/// What an operand is multiplied by before the unit has it.
#[inline(always)]
fn scale(a: f32) -> f32 {
    if is_small(a) { UP } else { 1.0 }
}

#[inline(always)]
fn reciprocal(a: f32) -> f32 {
    let scale = if is_large(a) { 0.25 } else { scale(a) };
    canonical(scale * mufu::reciprocal(a * scale))
}

#[inline(always)]
fn reciprocal_root(a: f32) -> f32 {
    let back = if is_small(a) { 4096.0 } else { 1.0 };
    canonical(mufu::reciprocal_root(a * scale(a)) * back)
}

#[inline(always)]
fn root(a: f32) -> f32 {
    let back = if is_small(a) { 1.0 / 4096.0 } else { 1.0 };
    canonical(mufu::root(a * scale(a)) * back)
}

#[inline(always)]
fn logarithm(a: f32) -> f32 {
    let back = if is_small(a) { 24.0 } else { 0.0 };
    canonical(mufu::logarithm(a * scale(a)) - back)
}

/// The square of the half's power, where the power would be subnormal.
#[inline(always)]
fn power_of_two(a: f32) -> f32 {
    let is_small = u32::from(a < -126.0);
    let power = mufu::power_of_two(a * f32::from_bits((127 - is_small) << 23));
    let (bits, square) = (power.to_bits(), (power * power).to_bits());
    // By a mask, since the compiler makes a choice a branch, and then no vector instructions.
    let mask = is_small.wrapping_neg();
    canonical(f32::from_bits(bits & !mask | square & mask))
}

#[inline(always)]
fn sine(a: f32) -> f32 {
    mufu::sine_of_turns(turns(a))
}

#[inline(always)]
fn cosine(a: f32) -> f32 {
    mufu::cosine_of_turns(turns(a))
}

/// The product with 1/(2 pi), rounded toward zero. That one too small for a normal number becomes a zero does not matter: the
/// unit takes it for one.
#[inline(always)]
fn turns(a: f32) -> f32 {
    let product = f64::from(a) * f64::from(TURN);
    let magnitude = ((product.to_bits() >> 29) as u32).wrapping_sub((1023 - 127) << 23);
    let magnitude = if product.abs() < f64::from(f32::MIN_POSITIVE) {
        0
    } else {
        magnitude
    };
    let turns = f32::from_bits(magnitude).copysign(a);
    if a.is_finite() { turns } else { f32::NAN }
}

/// `a / b` by the reciprocal, subnormal divisors scaled.
#[inline(always)]
fn divide(a: f32, b: f32) -> f32 {
    let scale = scale(b);
    canonical(a * scale * mufu::reciprocal(b * scale))
}

#[inline(always)]
fn divide_ftz(a: f32, b: f32) -> f32 {
    product(a, mufu::reciprocal(b))
}

#[inline(always)]
fn divide_full(a: f32, b: f32) -> f32 {
    let scale = if is_large(b) { 0.25 } else { 1.0 };
    divide(a * scale, b * scale)
}

#[inline(always)]
fn divide_full_ftz(a: f32, b: f32) -> f32 {
    let scale = if is_large(b) { 0.25 } else { 1.0 };
    product(product(a, scale), mufu::reciprocal(product(b, scale)))
}

/// `mul.ftz.f32`
#[inline(always)]
fn product(a: f32, b: f32) -> f32 {
    let (a, b) = (flushed(a), flushed(b));
    canonical(flushed_if(a * b, (a * TINY_SCALE) * b))
}

/// PTX ISA, `rcp.approx.ftz.f64`: the unit has the upper half of the operand and gives that of the result.
fn upper(f: impl Fn(u32) -> u32, a: f64) -> f64 {
    f64::from_bits(u64::from(f((a.to_bits() >> 32) as u32)) << 32)
}

/// Two steps of Newton's method in one, from the unit's 20 bits; subnormal operands are scaled by 2^54.
fn reciprocal_root_f64(a: f64) -> f64 {
    let step = |a: f64| {
        let root = upper(mufu::reciprocal_root_upper, a);
        let rest = a.mul_add(-(root * root), 1.0);
        rest.mul_add(0.375, 0.5).mul_add(root * rest, root)
    };
    if a.is_nan() || a < 0.0 {
        canonical_f64(f64::NAN, [a])
    } else if a.is_subnormal() {
        step(a * 2f64.powi(54)) * 2f64.powi(27)
    } else if a == 0.0 {
        f64::INFINITY.copysign(a)
    } else if a.is_infinite() {
        0.0
    } else {
        step(a)
    }
}

/// The unit on a 16-bit float: its result is cut off, and what is too large is infinite.
fn half(format: Format, f: impl Fn(f32) -> f32, a: u16) -> u16 {
    cut(format, f(to_single(format, a)))
}

fn halves(format: Format, f: impl Fn(f32) -> f32 + Copy, a: u32) -> u32 {
    packed(a, 0, |a, _| half(format, f, a))
}
