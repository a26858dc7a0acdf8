//! PTX ISA chapter "Floating-Point Instructions": single and double precision.

use crate::execute::drive::computes;
use crate::execute::rounding::{
    Modes, add_f32, add_f64, canonical, div_f32, div_f64, flushed, fma_f32, fma_f64, mul_f32,
    mul_f64, sqrt_f32, sqrt_f64,
};

computes!(ADD_F32, binary, (f32, f32) => f32, |a, b| canonical(a + b));
computes!(SUB_F32, binary, (f32, f32) => f32, |a, b| canonical(a - b));
computes!(MUL_F32, binary, (f32, f32) => f32, |a, b| canonical(a * b));
computes!(FMA_F32, ternary, (f32, f32, f32) => f32, |a, b, c| canonical(a.mul_add(b, c)));

computes!(ADD_FTZ_F32, binary, (f32, f32) => f32, |a, b| canonical(flushed(flushed(a) + flushed(b))));
computes!(SUB_FTZ_F32, binary, (f32, f32) => f32, |a, b| canonical(flushed(flushed(a) - flushed(b))));
computes!(MUL_FTZ_F32, binary, (f32, f32) => f32, |a, b| canonical(flushed(flushed(a) * flushed(b))));
computes!(FMA_FTZ_F32, ternary, (f32, f32, f32) => f32, |a, b, c| {
    canonical(flushed(flushed(a).mul_add(flushed(b), flushed(c))))
});

computes!(one ADD_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    modes.result(add_f32(modes.input(a), modes.input(b), modes.rounding()))
});
computes!(one SUB_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b: f32| {
    modes.result(add_f32(modes.input(a), modes.input(-b), modes.rounding()))
});
computes!(one MUL_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    modes.result(mul_f32(modes.input(a), modes.input(b), modes.rounding()))
});
computes!(one FMA_MODES_F32, ternary_modes, (f32, f32, f32) => f32, |modes: Modes, a, b, c| {
    modes.result(fma_f32(modes.input(a), modes.input(b), modes.input(c), modes.rounding()))
});

computes!(DIV_F32, binary, (f32, f32) => f32, |a, b| canonical(a / b));
computes!(one DIV_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| {
    modes.result(div_f32(modes.input(a), modes.input(b), modes.rounding()))
});
computes!(SQRT_F32, unary, (f32) => f32, |a| canonical(a.sqrt()));
computes!(one SQRT_MODES_F32, unary_modes, (f32) => f32, |modes: Modes, a| {
    modes.result(sqrt_f32(modes.input(a), modes.rounding()))
});
computes!(RCP_F32, unary, (f32) => f32, |a| canonical(1.0 / a));
computes!(one RCP_MODES_F32, unary_modes, (f32) => f32, |modes: Modes, a| {
    modes.result(div_f32(1.0, modes.input(a), modes.rounding()))
});

computes!(ABS_F32, unary, (f32) => f32, |a| a.abs());
computes!(NEG_F32, unary, (f32) => f32, |a| -a);
computes!(ABS_FTZ_F32, unary, (f32) => f32, |a| flushed(a).abs());
computes!(NEG_FTZ_F32, unary, (f32) => f32, |a| -flushed(a));
computes!(ABS_F64, unary, (f64) => f64, |a| a.abs());
computes!(NEG_F64, unary, (f64) => f64, |a| -a);
computes!(COPYSIGN_F32, binary, (f32, f32) => f32, |sign, value| value.copysign(sign));
computes!(COPYSIGN_F64, binary, (f64, f64) => f64, |sign, value| value.copysign(sign));

computes!(MIN_F32, binary, (f32, f32) => f32, |a, b| least(a, b));
computes!(MAX_F32, binary, (f32, f32) => f32, |a, b| greatest(a, b));
computes!(MIN_FTZ_F32, binary, (f32, f32) => f32, |a, b| least(flushed(a), flushed(b)));
computes!(MAX_FTZ_F32, binary, (f32, f32) => f32, |a, b| greatest(flushed(a), flushed(b)));
computes!(one MIN_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| chosen(modes, a, b, least));
computes!(one MAX_MODES_F32, binary_modes, (f32, f32) => f32, |modes: Modes, a, b| chosen(modes, a, b, greatest));
computes!(MIN_F64, binary, (f64, f64) => f64, |a, b| -greatest_f64(-a, -b));
computes!(MAX_F64, binary, (f64, f64) => f64, |a, b| greatest_f64(a, b));

computes!(ADD_F64, binary, (f64, f64) => f64, |a, b| a + b);
computes!(SUB_F64, binary, (f64, f64) => f64, |a, b| a - b);
computes!(MUL_F64, binary, (f64, f64) => f64, |a, b| a * b);
computes!(FMA_F64, ternary, (f64, f64, f64) => f64, |a, b, c| a.mul_add(b, c));
computes!(DIV_F64, binary, (f64, f64) => f64, |a, b| a / b);
computes!(SQRT_F64, unary, (f64) => f64, |a| a.sqrt());
computes!(RCP_F64, unary, (f64) => f64, |a| 1.0 / a);
computes!(one ADD_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| add_f64(a, b, modes.rounding()));
computes!(one SUB_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b: f64| add_f64(a, -b, modes.rounding()));
computes!(one MUL_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| mul_f64(a, b, modes.rounding()));
computes!(one FMA_MODES_F64, ternary_modes, (f64, f64, f64) => f64, |modes: Modes, a, b, c| {
    fma_f64(a, b, c, modes.rounding())
});
computes!(one DIV_MODES_F64, binary_modes, (f64, f64) => f64, |modes: Modes, a, b| div_f64(a, b, modes.rounding()));
computes!(one SQRT_MODES_F64, unary_modes, (f64) => f64, |modes: Modes, a| sqrt_f64(a, modes.rounding()));
computes!(one RCP_MODES_F64, unary_modes, (f64) => f64, |modes: Modes, a| div_f64(1.0, a, modes.rounding()));

computes!(one RCP_APPROX_F64, unary, (f64) => f64, |a| gross(a, |a| 1.0 / a));
computes!(one RSQRT_APPROX_F64, unary, (f64) => f64, |a| gross(a, |a| 1.0 / a.sqrt()));

// The `approx` functions are a little more accurate here than the hardware's, within the documented error.
computes!(one RSQRT_F32, unary_modes, (f32) => f32, |modes: Modes, a| {
    modes.result((1.0 / f64::from(modes.input(a)).sqrt()) as f32)
});
computes!(one RSQRT_F64, unary_modes, (f64) => f64, |_: Modes, a| 1.0 / a.sqrt());
computes!(one SIN_F32, unary_modes, (f32) => f32, |modes: Modes, a| modes.result(modes.input(a).sin()));
computes!(one COS_F32, unary_modes, (f32) => f32, |modes: Modes, a| modes.result(modes.input(a).cos()));
computes!(one LG2_F32, unary_modes, (f32) => f32, |modes: Modes, a| modes.result(modes.input(a).log2()));
computes!(one EX2_F32, unary_modes, (f32) => f32, |modes: Modes, a| modes.result(modes.input(a).exp2()));
computes!(one TANH_F32, unary_modes, (f32) => f32, |modes: Modes, a| modes.result(modes.input(a).tanh()));

/// PTX ISA, `rcp.approx.ftz.f64`: only the upper halves of operand and result count; subnormals are zero.
fn gross(a: f64, f: impl Fn(f64) -> f64) -> f64 {
    let upper = |value: f64| {
        let value = f64::from_bits(value.to_bits() >> 32 << 32);
        if value.is_subnormal() {
            0f64.copysign(value)
        } else {
            value
        }
    };
    let result = f(if a.is_nan() { a } else { upper(a) });
    if result.is_nan() {
        result
    } else {
        upper(result)
    }
}

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
