//! PTX ISA: `cvt` to and from two or four numbers in a word, 8-bit floats and `tf32`; `cvt.pack`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::operations::drive::{computes, one};
use crate::operations::rounding::NAN_BITS;
use crate::program::floats::{BF16, F16, Format, Modes, Rounding};
use crate::program::kinds::{Kind, WARP, for_lanes};

// `d` takes `a` in its upper half and `b` in its lower.
computes!(one F16X2_F32, binary_modes, (f32, f32) => u32, |modes: Modes, a, b| halves(F16, modes, a, b));
computes!(one BF16X2_F32, binary_modes, (f32, f32) => u32, |modes: Modes, a, b| halves(BF16, modes, a, b));
computes!(one F16_F32, unary_modes, (f32) => u16, |modes: Modes, a: f32| half(F16, modes, f64::from(a)));
computes!(one BF16_F32, unary_modes, (f32) => u16, |modes: Modes, a: f32| half(BF16, modes, f64::from(a)));
computes!(one TF32_F32, unary_modes, (f32) => u32, |modes: Modes, a| tensor_float(modes, a, false));
computes!(one TF32_RNA_F32, unary_modes, (f32) => u32, |modes: Modes, a| tensor_float(modes, a, true));

computes!(one E4M3X2_F32, binary_modes, (f32, f32) => u16, |modes: Modes, a: f32, b: f32| {
    E4M3.pair(modes, f64::from(a), f64::from(b))
});

computes!(one E5M2X2_F32, binary_modes, (f32, f32) => u16, |modes: Modes, a: f32, b: f32| {
    E5M2.pair(modes, f64::from(a), f64::from(b))
});

computes!(one E4M3X2_F16X2, unary_modes, (u32) => u16, |modes: Modes, a: u32| {
    E4M3.pair(modes, F16.widen((a >> 16) as u16), F16.widen(a as u16))
});

computes!(one E5M2X2_F16X2, unary_modes, (u32) => u16, |modes: Modes, a: u32| {
    E5M2.pair(modes, F16.widen((a >> 16) as u16), F16.widen(a as u16))
});

computes!(one F16X2_E4M3X2, unary_modes, (u16) => u32, |modes: Modes, a| E4M3.widened_pair(modes, a));
computes!(one F16X2_E5M2X2, unary_modes, (u16) => u32, |modes: Modes, a| E5M2.widened_pair(modes, a));

fn halves(format: Format, modes: Modes, a: f32, b: f32) -> u32 {
    let half = |value: f32| u32::from(half(format, modes, f64::from(value)));
    half(a) << 16 | half(b)
}

/// A number rounded to a half under `.relu` and `.satfinite`.
fn half(format: Format, modes: Modes, value: f64) -> u16 {
    let value = positive(modes, value);
    let most = format.widen(format.round(f64::INFINITY, Rounding::Nearest) - 1);
    let value = if modes.has(Modes::FINITE) && !value.is_nan() {
        value.clamp(-most, most)
    } else {
        value
    };
    format.round(value, modes.rounding())
}

/// `.relu`
fn positive(modes: Modes, value: f64) -> f64 {
    if modes.has(Modes::RELU) && !value.is_nan() && value.is_sign_negative() {
        0.0
    } else {
        value
    }
}

/// 10 bits of mantissa in the place of 23; `.rna` rounds ties away from zero.
fn tensor_float(modes: Modes, value: f32, ties_away: bool) -> u32 {
    const DROPPED: u32 = 13;
    if value.is_nan() {
        // As an H200 has it: `.rna` works on the bits without a look at what they are, and what is not finite becomes one less.
        let bits = if ties_away { value.to_bits() } else { NAN_BITS };
        let less = u32::from(ties_away && modes.has(Modes::FINITE)) << DROPPED;
        return (bits >> DROPPED << DROPPED) - less;
    }
    let value = positive(modes, f64::from(value)) as f32;
    let bits = value.to_bits();
    let up = match modes.rounding() {
        _ if value.is_infinite() => 0,
        _ if ties_away => 1 << (DROPPED - 1),
        Rounding::Zero => 0,
        _ => ((1 << (DROPPED - 1)) - 1) + (bits >> DROPPED & 1),
    };
    let rounded = (bits + up) >> DROPPED << DROPPED;
    let magnitude = rounded & 0x7fff_ffff;
    if modes.has(Modes::FINITE) && magnitude >= f32::INFINITY.to_bits() {
        return bits & 0x8000_0000 | (f32::MAX.to_bits() >> DROPPED << DROPPED);
    }
    rounded
}

/// PTX ISA section "Alternate Floating-Point Data Formats".
#[derive(Debug, Clone, Copy)]
struct Small {
    mantissa: i32,
    bias: i32,
    /// The largest finite number.
    most: f64,
    nan: u8,
    /// The bits of infinity, if there is one.
    infinity: Option<u8>,
}

const E4M3: Small = Small {
    mantissa: 3,
    bias: 7,
    most: 448.0,
    nan: 0x7f,
    infinity: None,
};

const E5M2: Small = Small {
    mantissa: 2,
    bias: 15,
    most: 57344.0,
    nan: 0x7f,
    infinity: Some(0x7c),
};

impl Small {
    /// To nearest, ties to even, never beyond the largest finite number: these conversions are `.satfinite`.
    fn round(self, value: f64) -> u8 {
        if value.is_nan() {
            return self.nan;
        }
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let magnitude = value.abs().min(self.most);
        let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(1 - self.bias);
        let steps = (magnitude / 2f64.powi(exponent - self.mantissa)).round_ties_even();
        let field = (exponent + self.bias - 1) as u32;
        let bits = (field << self.mantissa) + steps as u32;
        sign | bits as u8
    }

    /// Exact.
    fn widen(self, bits: u8) -> f64 {
        let magnitude = bits & 0x7f;
        let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
        if self.infinity == Some(magnitude) {
            return sign * f64::INFINITY;
        }
        if magnitude == self.nan || self.infinity.is_some_and(|infinity| magnitude > infinity) {
            return f64::NAN;
        }
        let exponent = i32::from(magnitude >> self.mantissa);
        let fraction = f64::from(magnitude & ((1 << self.mantissa) - 1));
        let hidden = if exponent == 0 {
            0.0
        } else {
            f64::from(1 << self.mantissa)
        };
        sign * (fraction + hidden) * 2f64.powi(exponent.max(1) - self.bias - self.mantissa)
    }

    fn pair(self, modes: Modes, a: f64, b: f64) -> u16 {
        let part = |value: f64| u16::from(self.round(positive(modes, value)));
        part(a) << 8 | part(b)
    }

    fn widened_pair(self, modes: Modes, a: u16) -> u32 {
        let part = |bits: u16| {
            let value = positive(modes, self.widen(bits as u8));
            u32::from(F16.round(value, Rounding::Nearest))
        };
        part(a >> 8) << 16 | part(a)
    }
}

/// `cvt.pack.sat.type.{s32|u32}{.b32} d, a, b{, c};`: `b` and, above it, `a`, clamped; above both the low bits of `c`.
pub(crate) fn lower_pack(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let ty = matched.element("dtype");
    let Ok(bits) = ty.trim_start_matches(['s', 'u']).parse::<u64>() else {
        return Err(lowerer.unsupported(matched));
    };
    let has_third = matched.has("b32");
    if has_third != (bits < 16) {
        return Err(lowerer.wrong(matched, "only types below 16 bits take a `c`, and need one"));
    }
    lowerer.expect_operands(matched, if has_third { 4..=4 } else { 3..=3 })?;
    let operands = matched.operands();
    let mut sources = Vec::new();
    for operand in &operands[1..] {
        sources.push(lowerer.source(matched, operand, Kind::Bits32)?);
    }
    if !has_third {
        sources.push(lowerer.bits(crate::program::kinds::FileKind::Words, 0));
    }
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let to_signed = u64::from(ty.starts_with('s'));
    let from_signed = u64::from(matched.has("s32"));
    let imm = bits | to_signed << 8 | from_signed << 9;
    lowerer.compute_parts(PACK, &[Some(d)], &sources, imm);
    Ok(())
}

const PACK: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let active = lanes.active;
    let mut out = lanes.words.take(inst.d[0]);
    for warp in active.first..active.last {
        for_lanes(active.mask[warp], |lane| {
            let at = warp * WARP + lane;
            let [a, b, c] = [0, 1, 2].map(|index| lanes.words.source(inst.s[index])[at]);
            out[at] = pack(inst.imm, a, b, c);
        });
    }
    lanes.words.give(inst.d[0], out);
});

fn pack(imm: u64, a: u32, b: u32, c: u32) -> u32 {
    let bits = (imm & 0xff) as u32;
    let (to_signed, from_signed) = (imm >> 8 & 1 == 1, imm >> 9 & 1 == 1);
    let (least, most) = if to_signed {
        (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
    } else {
        (0, (1i64 << bits) - 1)
    };
    let part = |value: u32| {
        let value = if from_signed {
            i64::from(value as i32)
        } else {
            i64::from(value)
        };
        u64::from(value.clamp(least, most) as u32) & ((1 << bits) - 1)
    };
    (u64::from(c) << (2 * bits) | part(a) << bits | part(b)) as u32
}
