//! THE table of instructions: what is written, which chapter of the PTX ISA says what it means, what executes it.
//!
//! Parser, decoder, executor and the page of supported instructions all go by it. To add an
//! instruction: a row here, its function in the chapter's file of `instructions/`, a fixture in `tests/`.

mod effects;
mod misfit;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::decode::calls;
use crate::decode::lower::{Lowering, Misfit, Picks};
use crate::instructions::matrix::{load, multiply, wgmma, wmma};
use crate::instructions::{
    approximate, atomic, bulk, carry, cluster, compare, control, convert, copy, float, frame, half,
    integer, logic, mbarrier, moves, order, packed, surface, texture, video, warp,
};
use crate::operations::{basic, drive::Compute};
use crate::program::kinds::Kind;

pub use effects::MemoryEffect;

/// One form of an instruction.
pub(crate) struct Row {
    /// How it is written. `{a|b}` is a choice, `?` after an element makes it optional, `:name` names it
    /// for the function that decodes it.
    pub(crate) pattern: &'static str,
    /// The chapter of the PTX ISA manual that defines it.
    pub(crate) chapter: &'static str,
    /// What decodes and executes it.
    pub(crate) lowering: Lowering,
}

/// One line of the page of supported instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Supported {
    /// How the instruction is written: `{a|b}` is a choice, `?` marks what may be left out.
    pub pattern: &'static str,
    /// The chapter of the PTX ISA manual that defines it.
    pub chapter: &'static str,
    /// Its operands, if it computes one result from its sources in each lane by itself.
    pub operands: Option<Operands>,
    /// What it does to memory, and where that is counted; `None` if nothing.
    pub memory: Option<MemoryEffect>,
}

/// The operands of an instruction that computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    /// What it gives.
    pub result: Kind,
    /// What it takes, in order.
    pub sources: &'static [Kind],
}

impl Supported {
    /// Whether `opcode`, with all its modifiers, is one of its spellings.
    pub fn spells(&self, opcode: &str) -> bool {
        let mut parts = opcode.split('.');
        let elements = elements(self.pattern);
        let (Some(name), Some((first, modifiers))) = (parts.next(), elements.split_first()) else {
            return false;
        };
        first.choices.contains(&name) && fit(modifiers, parts, true).is_some()
    }

    /// Every way to write it: each choice, with and without what may be left out.
    pub fn spellings(&self) -> Vec<String> {
        let mut texts = vec![String::new()];
        for (at, element) in elements(self.pattern).iter().enumerate() {
            let mut longer = Vec::new();
            let dot = if at > 0 { "." } else { "" };
            for text in &texts {
                if element.optional {
                    longer.push(text.clone());
                }
                let choices = element.choices.iter();
                longer.extend(choices.map(|choice| format!("{text}{dot}{choice}")));
            }
            texts = longer;
        }
        texts
    }
}

/// Every form of instruction that the emulator runs, in the order of the manual.
pub fn supported_instructions() -> impl Iterator<Item = Supported> {
    ROWS.iter().map(|row| Supported {
        pattern: row.pattern,
        chapter: row.chapter,
        operands: match row.lowering {
            Lowering::Compute(Compute {
                result, sources, ..
            }) => Some(Operands { result, sources }),
            Lowering::Built(_) => None,
        },
        memory: effects::of(row.pattern),
    })
}

macro_rules! rows {
    ($($chapter:literal { $($pattern:literal => $($part:ident)::+ $(($build:path))?;)* })*) => {
        &[$($(Row {
            pattern: $pattern,
            chapter: $chapter,
            lowering: lowering!($($part)::+ $(($build))?),
        },)*)*]
    };
}

macro_rules! lowering {
    (Built($build:path)) => {
        Lowering::Built($build)
    };
    ($compute:path) => {
        Lowering::Compute($compute)
    };
}

static ROWS: &[Row] = rows! {
    "Integer Arithmetic Instructions" {
        "add.{u16|s16}" => integer::ADD_16;
        "add.{u32|s32}" => basic::ADD_32;
        "add.{u64|s64}" => basic::ADD_64;
        "add.sat.s32" => integer::ADD_SAT_S32;
        "add.{u16x2|s16x2}" => integer::ADD_16X2;
        "sub.{u16|s16}" => integer::SUB_16;
        "sub.{u32|s32}" => integer::SUB_32;
        "sub.{u64|s64}" => integer::SUB_64;
        "sub.sat.s32" => integer::SUB_SAT_S32;
        "mul.lo.{u16|s16}" => integer::MUL_LO_16;
        "mul.lo.{u32|s32}" => integer::MUL_LO_32;
        "mul.lo.{u64|s64}" => integer::MUL_LO_64;
        "mul.hi.u16" => integer::MUL_HI_U16;
        "mul.hi.s16" => integer::MUL_HI_S16;
        "mul.hi.u32" => integer::MUL_HI_U32;
        "mul.hi.s32" => integer::MUL_HI_S32;
        "mul.hi.u64" => integer::MUL_HI_U64;
        "mul.hi.s64" => integer::MUL_HI_S64;
        "mul.wide.u16" => integer::MUL_WIDE_U16;
        "mul.wide.s16" => integer::MUL_WIDE_S16;
        "mul.wide.u32" => integer::MUL_WIDE_U32;
        "mul.wide.s32" => integer::MUL_WIDE_S32;
        "mad.lo.{u16|s16}" => integer::MAD_LO_16;
        "mad.lo.{u32|s32}" => integer::MAD_LO_32;
        "mad.lo.{u64|s64}" => basic::MAD_LO_64;
        "mad.hi.u16" => integer::MAD_HI_U16;
        "mad.hi.s16" => integer::MAD_HI_S16;
        "mad.hi.u32" => integer::MAD_HI_U32;
        "mad.hi.s32" => integer::MAD_HI_S32;
        "mad.hi.sat.s32" => integer::MAD_HI_SAT_S32;
        "mad.hi.u64" => integer::MAD_HI_U64;
        "mad.hi.s64" => integer::MAD_HI_S64;
        "mad.wide.u16" => integer::MAD_WIDE_U16;
        "mad.wide.s16" => integer::MAD_WIDE_S16;
        "mad.wide.u32" => integer::MAD_WIDE_U32;
        "mad.wide.s32" => integer::MAD_WIDE_S32;
        "mul24.lo.u32" => integer::MUL24_LO_U32;
        "mul24.lo.s32" => integer::MUL24_LO_S32;
        "mul24.hi.u32" => integer::MUL24_HI_U32;
        "mul24.hi.s32" => integer::MUL24_HI_S32;
        "mad24.hi.u32" => integer::MAD24_HI_U32;
        "mad24.hi.s32" => integer::MAD24_HI_S32;
        "mad24.hi.sat.s32" => integer::MAD24_HI_SAT_S32;
        "mad24.lo.u32" => integer::MAD24_LO_U32;
        "mad24.lo.s32" => integer::MAD24_LO_S32;
        "sad.u16" => integer::SAD_U16;
        "sad.s16" => integer::SAD_S16;
        "sad.u32" => integer::SAD_U32;
        "sad.s32" => integer::SAD_S32;
        "sad.u64" => integer::SAD_U64;
        "sad.s64" => integer::SAD_S64;
        "div.u16" => integer::DIV_U16;
        "div.s16" => integer::DIV_S16;
        "div.u32" => integer::DIV_U32;
        "div.s32" => integer::DIV_S32;
        "div.u64" => integer::DIV_U64;
        "div.s64" => integer::DIV_S64;
        "rem.u16" => integer::REM_U16;
        "rem.s16" => integer::REM_S16;
        "rem.u32" => integer::REM_U32;
        "rem.s32" => integer::REM_S32;
        "rem.u64" => integer::REM_U64;
        "rem.s64" => integer::REM_S64;
        "abs.s16" => integer::ABS_S16;
        "abs.s32" => integer::ABS_S32;
        "abs.s64" => integer::ABS_S64;
        "neg.s16" => integer::NEG_S16;
        "neg.s32" => integer::NEG_S32;
        "neg.s64" => integer::NEG_S64;
        "min.u16" => integer::MIN_U16;
        "min.s16" => integer::MIN_S16;
        "min.u32" => integer::MIN_U32;
        "min.s32" => integer::MIN_S32;
        "min.u64" => integer::MIN_U64;
        "min.s64" => integer::MIN_S64;
        "max.u16" => integer::MAX_U16;
        "max.s16" => integer::MAX_S16;
        "max.u32" => integer::MAX_U32;
        "max.s32" => integer::MAX_S32;
        "max.u64" => integer::MAX_U64;
        "max.s64" => integer::MAX_S64;
        "min.u16x2" => integer::MIN_U16X2;
        "min.s16x2" => integer::MIN_S16X2;
        "min.relu.s16x2" => integer::MIN_RELU_S16X2;
        "min.relu.s32" => integer::MIN_RELU_S32;
        "max.u16x2" => integer::MAX_U16X2;
        "max.s16x2" => integer::MAX_S16X2;
        "max.relu.s16x2" => integer::MAX_RELU_S16X2;
        "max.relu.s32" => integer::MAX_RELU_S32;
        "popc.b32" => integer::POPC_32;
        "popc.b64" => integer::POPC_64;
        "clz.b32" => integer::CLZ_32;
        "clz.b64" => integer::CLZ_64;
        "bfind.u32" => integer::BFIND_U32;
        "bfind.u64" => integer::BFIND_U64;
        "bfind.s32" => integer::BFIND_S32;
        "bfind.s64" => integer::BFIND_S64;
        "bfind.shiftamt.u32" => integer::BFIND_SHIFTAMT_U32;
        "bfind.shiftamt.u64" => integer::BFIND_SHIFTAMT_U64;
        "bfind.shiftamt.s32" => integer::BFIND_SHIFTAMT_S32;
        "bfind.shiftamt.s64" => integer::BFIND_SHIFTAMT_S64;
        "brev.b32" => integer::BREV_32;
        "brev.b64" => integer::BREV_64;
        "bfe.u32" => integer::BFE_U32;
        "bfe.u64" => integer::BFE_U64;
        "bfe.s32" => integer::BFE_S32;
        "bfe.s64" => integer::BFE_S64;
        "bfi.b32" => integer::BFI_32;
        "bfi.b64" => integer::BFI_64;
        "dp4a.u32.u32" => integer::DP4A_U32_U32;
        "dp4a.u32.s32" => integer::DP4A_U32_S32;
        "dp4a.s32.u32" => integer::DP4A_S32_U32;
        "dp4a.s32.s32" => integer::DP4A_S32_S32;
        "dp2a.lo.u32.u32" => integer::DP2A_LO_U32_U32;
        "dp2a.lo.u32.s32" => integer::DP2A_LO_U32_S32;
        "dp2a.lo.s32.u32" => integer::DP2A_LO_S32_U32;
        "dp2a.lo.s32.s32" => integer::DP2A_LO_S32_S32;
        "dp2a.hi.u32.u32" => integer::DP2A_HI_U32_U32;
        "dp2a.hi.u32.s32" => integer::DP2A_HI_U32_S32;
        "dp2a.hi.s32.u32" => integer::DP2A_HI_S32_U32;
        "dp2a.hi.s32.s32" => integer::DP2A_HI_S32_S32;
        "fns.b32" => integer::FNS;
        "bmsk.clamp.b32" => integer::BMSK_CLAMP;
        "bmsk.wrap.b32" => integer::BMSK_WRAP;
        "szext.clamp.u32" => integer::SZEXT_CLAMP_U32;
        "szext.wrap.u32" => integer::SZEXT_WRAP_U32;
        "szext.clamp.s32" => integer::SZEXT_CLAMP_S32;
        "szext.wrap.s32" => integer::SZEXT_WRAP_S32;
    }
    "Extended-Precision Integer Arithmetic Instructions" {
        "add.cc.{u32|s32|u64|s64}:type" => Built(carry::lower);
        "addc.cc?.{u32|s32|u64|s64}:type" => Built(carry::lower);
        "sub.cc.{u32|s32|u64|s64}:type" => Built(carry::lower);
        "subc.cc?.{u32|s32|u64|s64}:type" => Built(carry::lower);
        "mad.{lo|hi}.cc.{u32|s32|u64|s64}:type" => Built(carry::lower);
        "madc.{lo|hi}.cc?.{u32|s32|u64|s64}:type" => Built(carry::lower);
    }
    "Floating-Point Instructions" {
        "testp.{finite|infinite|number|notanumber|normal|subnormal}.{f32|f64}" => Built(compare::lower_testp);
        "copysign.f32" => float::COPYSIGN_F32;
        "copysign.f64" => float::COPYSIGN_F64;
        "add.rn?.f32" => float::ADD_F32;
        "add.rn?.ftz.f32" => float::ADD_FTZ_F32;
        "add.{rn|rz|rm|rp}?.ftz?.sat?.f32" => float::ADD_MODES_F32;
        "add.rn?.f64" => float::ADD_F64;
        "add.{rz|rm|rp}.f64" => float::ADD_MODES_F64;
        "sub.rn?.f32" => float::SUB_F32;
        "sub.rn?.ftz.f32" => float::SUB_FTZ_F32;
        "sub.{rn|rz|rm|rp}?.ftz?.sat?.f32" => float::SUB_MODES_F32;
        "sub.rn?.f64" => float::SUB_F64;
        "sub.{rz|rm|rp}.f64" => float::SUB_MODES_F64;
        "mul.rn?.f32" => float::MUL_F32;
        "mul.rn?.ftz.f32" => float::MUL_FTZ_F32;
        "mul.{rn|rz|rm|rp}?.ftz?.sat?.f32" => float::MUL_MODES_F32;
        "mul.rn?.f64" => float::MUL_F64;
        "mul.{rz|rm|rp}.f64" => float::MUL_MODES_F64;
        "{fma|mad}.rn.f32" => float::FMA_F32;
        "{fma|mad}.rn.ftz.f32" => float::FMA_FTZ_F32;
        "{fma|mad}.{rn|rz|rm|rp}.ftz?.sat?.f32" => float::FMA_MODES_F32;
        "{fma|mad}.rn.f64" => float::FMA_F64;
        "{fma|mad}.{rz|rm|rp}.f64" => float::FMA_MODES_F64;
        "div.rn.f32" => float::DIV_F32;
        "div.{rn|rz|rm|rp}.ftz?.f32" => float::DIV_MODES_F32;
        "div.approx.f32" => approximate::DIV;
        "div.approx.ftz.f32" => approximate::DIV_FTZ;
        "div.full.f32" => approximate::DIV_FULL;
        "div.full.ftz.f32" => approximate::DIV_FULL_FTZ;
        "div.rn.f64" => float::DIV_F64;
        "div.{rz|rm|rp}.f64" => float::DIV_MODES_F64;
        "abs.f32" => float::ABS_F32;
        "abs.ftz.f32" => float::ABS_FTZ_F32;
        "abs.f64" => float::ABS_F64;
        "neg.f32" => float::NEG_F32;
        "neg.ftz.f32" => float::NEG_FTZ_F32;
        "neg.f64" => float::NEG_F64;
        "min.f32" => float::MIN_F32;
        "min.ftz.f32" => float::MIN_FTZ_F32;
        "min.ftz?.NaN?.f32" => float::MIN_MODES_F32;
        "min.ftz?.NaN?.xorsign.abs.f32" => float::MIN_MODES_F32;
        "min.f64" => float::MIN_F64;
        "max.f32" => float::MAX_F32;
        "max.ftz.f32" => float::MAX_FTZ_F32;
        "max.ftz?.NaN?.f32" => float::MAX_MODES_F32;
        "max.ftz?.NaN?.xorsign.abs.f32" => float::MAX_MODES_F32;
        "max.f64" => float::MAX_F64;
        "rcp.rn.f32" => float::RCP_F32;
        "rcp.{rn|rz|rm|rp}.ftz?.f32" => float::RCP_MODES_F32;
        "rcp.approx.f32" => approximate::RCP;
        "rcp.approx.ftz.f32" => approximate::RCP_FTZ;
        "rcp.rn.f64" => float::RCP_F64;
        "rcp.{rz|rm|rp}.f64" => float::RCP_MODES_F64;
        "rcp.approx.ftz.f64" => approximate::RCP_F64;
        "sqrt.rn.f32" => float::SQRT_F32;
        "sqrt.{rn|rz|rm|rp}.ftz?.f32" => float::SQRT_MODES_F32;
        "sqrt.approx.f32" => approximate::SQRT;
        "sqrt.approx.ftz.f32" => approximate::SQRT_FTZ;
        "sqrt.rn.f64" => float::SQRT_F64;
        "sqrt.{rz|rm|rp}.f64" => float::SQRT_MODES_F64;
        "rsqrt.approx.f32" => approximate::RSQRT;
        "rsqrt.approx.ftz.f32" => approximate::RSQRT_FTZ;
        "rsqrt.approx.f64" => approximate::RSQRT_F64;
        "rsqrt.approx.ftz.f64" => approximate::RSQRT_FTZ_F64;
        "sin.approx.ftz?.f32" => approximate::SIN;
        "cos.approx.ftz?.f32" => approximate::COS;
        "lg2.approx.f32" => approximate::LG2;
        "lg2.approx.ftz.f32" => approximate::LG2_FTZ;
        "ex2.approx.f32" => approximate::EX2;
        "ex2.approx.ftz.f32" => approximate::EX2_FTZ;
        "tanh.approx.f32" => approximate::TANH;
    }
    "Half Precision Floating-Point Instructions" {
        "add.rn?.f16" => half::ADD_F16;
        "add.rn?.f16x2" => half::ADD_F16X2;
        "add.rn?.bf16" => half::ADD_BF16;
        "add.rn?.bf16x2" => half::ADD_BF16X2;
        "sub.rn?.f16" => half::SUB_F16;
        "sub.rn?.f16x2" => half::SUB_F16X2;
        "sub.rn?.bf16" => half::SUB_BF16;
        "sub.rn?.bf16x2" => half::SUB_BF16X2;
        "mul.rn?.f16" => half::MUL_F16;
        "mul.rn?.f16x2" => half::MUL_F16X2;
        "mul.rn?.bf16" => half::MUL_BF16;
        "mul.rn?.bf16x2" => half::MUL_BF16X2;
        "fma.rn.f16" => half::FMA_F16;
        "fma.rn.f16x2" => half::FMA_F16X2;
        "fma.rn.bf16" => half::FMA_BF16;
        "fma.rn.bf16x2" => half::FMA_BF16X2;
        "neg.f16" => half::NEG_F16;
        "neg.f16x2" => half::NEG_F16X2;
        "neg.bf16" => half::NEG_BF16;
        "neg.bf16x2" => half::NEG_BF16X2;
        "abs.f16" => half::ABS_F16;
        "abs.f16x2" => half::ABS_F16X2;
        "abs.bf16" => half::ABS_BF16;
        "abs.bf16x2" => half::ABS_BF16X2;
        "min.f16" => half::MIN_F16;
        "min.f16x2" => half::MIN_F16X2;
        "min.bf16" => half::MIN_BF16;
        "min.bf16x2" => half::MIN_BF16X2;
        "max.f16" => half::MAX_F16;
        "max.f16x2" => half::MAX_F16X2;
        "max.bf16" => half::MAX_BF16;
        "max.bf16x2" => half::MAX_BF16X2;
        "add.rn?.ftz?.sat?.f16" => half::ADD_MODES_F16;
        "add.rn?.ftz?.sat?.f16x2" => half::ADD_MODES_F16X2;
        "sub.rn?.ftz?.sat?.f16" => half::SUB_MODES_F16;
        "sub.rn?.ftz?.sat?.f16x2" => half::SUB_MODES_F16X2;
        "mul.rn?.ftz?.sat?.f16" => half::MUL_MODES_F16;
        "mul.rn?.ftz?.sat?.f16x2" => half::MUL_MODES_F16X2;
        "fma.rn.ftz?.{sat|relu}?.f16" => half::FMA_MODES_F16;
        "fma.rn.ftz?.{sat|relu}?.f16x2" => half::FMA_MODES_F16X2;
        "fma.rn.relu.bf16" => half::FMA_MODES_BF16;
        "fma.rn.relu.bf16x2" => half::FMA_MODES_BF16X2;
        "neg.ftz.f16" => half::NEG_FTZ_F16;
        "neg.ftz.f16x2" => half::NEG_FTZ_F16X2;
        "abs.ftz.f16" => half::ABS_FTZ_F16;
        "abs.ftz.f16x2" => half::ABS_FTZ_F16X2;
        "min.ftz?.NaN?.f16" => half::MIN_MODES_F16;
        "min.ftz?.NaN?.xorsign.abs.f16" => half::MIN_MODES_F16;
        "min.ftz?.NaN?.f16x2" => half::MIN_MODES_F16X2;
        "min.ftz?.NaN?.xorsign.abs.f16x2" => half::MIN_MODES_F16X2;
        "min.NaN?.bf16" => half::MIN_MODES_BF16;
        "min.NaN?.xorsign.abs.bf16" => half::MIN_MODES_BF16;
        "min.NaN?.bf16x2" => half::MIN_MODES_BF16X2;
        "min.NaN?.xorsign.abs.bf16x2" => half::MIN_MODES_BF16X2;
        "max.ftz?.NaN?.f16" => half::MAX_MODES_F16;
        "max.ftz?.NaN?.xorsign.abs.f16" => half::MAX_MODES_F16;
        "max.ftz?.NaN?.f16x2" => half::MAX_MODES_F16X2;
        "max.ftz?.NaN?.xorsign.abs.f16x2" => half::MAX_MODES_F16X2;
        "max.NaN?.bf16" => half::MAX_MODES_BF16;
        "max.NaN?.xorsign.abs.bf16" => half::MAX_MODES_BF16;
        "max.NaN?.bf16x2" => half::MAX_MODES_BF16X2;
        "max.NaN?.xorsign.abs.bf16x2" => half::MAX_MODES_BF16X2;
        "ex2.approx.f16" => approximate::EX2_F16;
        "ex2.approx.f16x2" => approximate::EX2_F16X2;
        "ex2.approx.ftz.bf16" => approximate::EX2_BF16;
        "ex2.approx.ftz.bf16x2" => approximate::EX2_BF16X2;
        "tanh.approx.f16" => approximate::TANH_F16;
        "tanh.approx.f16x2" => approximate::TANH_F16X2;
        "tanh.approx.bf16" => approximate::TANH_BF16;
        "tanh.approx.bf16x2" => approximate::TANH_BF16X2;
    }
    "Comparison and Selection Instructions" {
        "set.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan}:cmp.{and|or|xor}:bool?.ftz?.{u32|s32|f32}:dtype.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16|f16x2|bf16x2}:type" => Built(compare::lower_set);
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}:cmp.{and|or|xor}:bool?.ftz?.{f16|bf16|u16|s16|f16x2|bf16x2}:dtype.{f16|bf16|f16x2|bf16x2}:type" => Built(compare::lower_set);
        "setp.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan}:cmp.{and|or|xor}:bool?.ftz?.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16|f16x2|bf16x2}:type" => Built(compare::lower_setp);
        "selp.{b16|u16|s16}" => compare::SELP_16;
        "selp.{b32|u32|s32}" => compare::SELP_32;
        "selp.{b64|u64|s64}" => compare::SELP_64;
        "selp.f32" => compare::SELP_F32;
        "selp.f64" => compare::SELP_F64;
        "slct.{b32|u32|s32|f32}.s32" => compare::SLCT_32_S32;
        "slct.{b64|u64|s64|f64}.s32" => compare::SLCT_64_S32;
        "slct.ftz?.{b32|u32|s32|f32}.f32" => compare::SLCT_32_F32;
        "slct.ftz?.{b64|u64|s64|f64}.f32" => compare::SLCT_64_F32;
    }
    "Logic and Shift Instructions" {
        "and.b16" => logic::AND_16;
        "and.b32" => logic::AND_32;
        "and.b64" => logic::AND_64;
        "and.pred" => logic::AND_PRED;
        "or.b16" => logic::OR_16;
        "or.b32" => logic::OR_32;
        "or.b64" => logic::OR_64;
        "or.pred" => logic::OR_PRED;
        "xor.b16" => logic::XOR_16;
        "xor.b32" => logic::XOR_32;
        "xor.b64" => logic::XOR_64;
        "xor.pred" => logic::XOR_PRED;
        "not.b16" => logic::NOT_16;
        "not.b32" => logic::NOT_32;
        "not.b64" => logic::NOT_64;
        "not.pred" => Built(logic::lower_not_pred);
        "cnot.b16" => logic::CNOT_16;
        "cnot.b32" => logic::CNOT_32;
        "cnot.b64" => logic::CNOT_64;
        "lop3.b32" => logic::LOP3;
        "lop3.{and|or}:bool.b32" => Built(logic::lower_lop3);
        "shf.l.wrap.b32" => logic::SHF_L_WRAP;
        "shf.l.clamp.b32" => logic::SHF_L_CLAMP;
        "shf.r.wrap.b32" => logic::SHF_R_WRAP;
        "shf.r.clamp.b32" => logic::SHF_R_CLAMP;
        "shl.b16" => logic::SHL_16;
        "shl.b32" => logic::SHL_32;
        "shl.b64" => logic::SHL_64;
        "shr.{u16|b16}" => logic::SHR_U16;
        "shr.{u32|b32}" => logic::SHR_U32;
        "shr.{u64|b64}" => logic::SHR_U64;
        "shr.s16" => logic::SHR_S16;
        "shr.s32" => logic::SHR_S32;
        "shr.s64" => logic::SHR_S64;
    }
    "Data Movement and Conversion Instructions" {
        "mov.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64|pred|b128}:type" => Built(moves::lower_mov);
        "shfl.sync?.{up|down|bfly|idx}.b32" => Built(warp::lower_shfl);
        "prmt.b32" => logic::PRMT;
        "prmt.b32.f4e" => logic::PRMT_F4E;
        "prmt.b32.b4e" => logic::PRMT_B4E;
        "prmt.b32.rc8" => logic::PRMT_RC8;
        "prmt.b32.ecl" => logic::PRMT_ECL;
        "prmt.b32.ecr" => logic::PRMT_ECR;
        "prmt.b32.rc16" => logic::PRMT_RC16;
        "ld.mmio?.{weak|volatile|relaxed|acquire}?.{cta|cluster|gpu|sys}?.{global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func}:space?.{ca|cg|cs|lu|cv}?.nc?.{L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate}?.{L2::evict_normal|L2::evict_first|L2::evict_last}?.L2::cache_hint?.{L2::64B|L2::128B|L2::256B}?.{v2|v4|v8}:vec?.{b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64}:type" => Built(moves::lower_ld);
        "ldu.{global}:space?.{v2|v4}:vec?.{b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64}:type" => Built(moves::lower_ld);
        "st.mmio?.{weak|volatile|relaxed|release}?.{cta|cluster|gpu|sys}?.{global|shared|shared::cta|shared::cluster|local|const|param|param::func}:space?.{wb|cg|cs|wt}?.{L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate}?.{L2::evict_normal|L2::evict_first|L2::evict_last}?.L2::cache_hint?.{v2|v4|v8}:vec?.{b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64}:type" => Built(moves::lower_st);
        "st.async.weak?.shared::cluster?.mbarrier::complete_tx::bytes?.{v2|v4}:vec?.{b32|b64|u32|u64|s32|s64|f32|f64}:type" => Built(bulk::lower_store_async);
        "prefetch.{global|local}?.{L1|L2|L2::evict_last|L2::evict_normal}" => Built(moves::lower_nothing);
        "prefetchu.L1" => Built(moves::lower_nothing);
        "prefetch.{param|const}?.tensormap" => Built(moves::lower_nothing);
        "isspacep.{global|shared|shared::cta|shared::cluster|local|const|param|param::entry}:space" => Built(moves::lower_isspacep);
        "cvta.to?.{global|shared|shared::cta|shared::cluster|local|const|param|param::entry}:space.u64" => Built(moves::lower_cvta);
        "cvt.{rn|rz|rm|rp|rni|rzi|rmi|rpi}:round?.ftz?.sat?.{u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64}:dtype.{u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64}:atype" => Built(convert::lower);
        "cvt.{rn|rz}.relu?.satfinite?.f16x2.f32" => packed::F16X2_F32;
        "cvt.{rn|rz}.relu?.satfinite?.bf16x2.f32" => packed::BF16X2_F32;
        "cvt.{rn|rz}.relu?.satfinite?.f16.f32" => packed::F16_F32;
        "cvt.{rn|rz}.relu?.satfinite?.bf16.f32" => packed::BF16_F32;
        "cvt.rna.satfinite?.tf32.f32" => packed::TF32_RNA_F32;
        "cvt.{rn|rz}.relu?.satfinite?.tf32.f32" => packed::TF32_F32;
        "cvt.rn.satfinite.relu?.e4m3x2.f32" => packed::E4M3X2_F32;
        "cvt.rn.satfinite.relu?.e5m2x2.f32" => packed::E5M2X2_F32;
        "cvt.rn.satfinite.relu?.e4m3x2.f16x2" => packed::E4M3X2_F16X2;
        "cvt.rn.satfinite.relu?.e5m2x2.f16x2" => packed::E5M2X2_F16X2;
        "cvt.rn.relu?.f16x2.e4m3x2" => packed::F16X2_E4M3X2;
        "cvt.rn.relu?.f16x2.e5m2x2" => packed::F16X2_E5M2X2;
        "cvt.pack.sat.{u16|s16|u8|s8|u4|s4|u2|s2}:dtype.{s32|u32}.b32?" => Built(packed::lower_pack);
        "mapa.shared::cluster?.{u32|u64}" => Built(cluster::lower_mapa);
        "getctarank.shared::cluster?.{u32|u64}" => Built(cluster::lower_getctarank);
        "cp.async.{ca|cg}.{shared|shared::cta}.global.L2::cache_hint?.{L2::64B|L2::128B|L2::256B}?" => Built(copy::lower);
        "cp.async.commit_group" => Built(copy::lower_commit);
        "cp.async.{wait_group|wait_all}" => Built(copy::lower_wait);
        "cp.async.bulk.{shared::cluster|shared::cta}.global.mbarrier::complete_tx::bytes.multicast::cluster?.L2::cache_hint?" => Built(bulk::lower_load);
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" => Built(bulk::lower_load);
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?" => Built(bulk::lower_store);
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.{add|min|max|inc|dec|and|or|xor}:op.noftz?.{b32|b64|u32|u64|s32|s64|f16|bf16|f32|f64}:type" => Built(bulk::lower_store);
        "cp.async.bulk.prefetch.L2.global.L2::cache_hint?" => Built(moves::lower_nothing);
        "cp.async.bulk.tensor.{1d|2d|3d|4d|5d}:dim.{shared::cluster|shared::cta}.global.tile?.mbarrier::complete_tx::bytes.multicast::cluster?.L2::cache_hint?" => Built(bulk::lower_load_tile);
        "cp.async.bulk.tensor.{1d|2d|3d|4d|5d}:dim.global.shared::cta.tile?.bulk_group.L2::cache_hint?" => Built(bulk::lower_store_tile);
        "cp.reduce.async.bulk.tensor.{1d|2d|3d|4d|5d}:dim.global.shared::cta.{add|min|max|inc|dec|and|or|xor}:op.tile?.bulk_group.L2::cache_hint?" => Built(bulk::lower_store_tile);
        "cp.async.bulk.prefetch.tensor.{1d|2d|3d|4d|5d}.L2.global.tile?.L2::cache_hint?" => Built(moves::lower_nothing);
        "cp.async.bulk.commit_group" => Built(copy::lower_commit);
        "cp.async.bulk.wait_group.read?" => Built(copy::lower_wait);
    }
    "Texture Instructions" {
        "tex.{1d|2d|a1d|a2d|cube|acube}:geometry.v4.{f32|u32|s32}.{f32|s32}:ctype" => Built(texture::lower_fetch);
        "tld4.{r|g|b|a}:component.2d.v4.{f32|u32|s32}.f32" => Built(texture::lower_fetch);
        "txq.{width|height}.b32" => Built(texture::lower_query);
    }
    "Surface Instructions" {
        "suld.b.{1d|2d|a1d|a2d}:geometry.{v2|v4}:vec?.{b8|b16|b32|b64}:type.{trap|clamp|zero}:beyond?" => Built(surface::lower_read);
        "sust.b.{1d|2d|a1d|a2d}:geometry.{v2|v4}:vec?.{b8|b16|b32|b64}:type.{trap|clamp|zero}:beyond?" => Built(surface::lower_write);
    }
    "Control Flow Instructions" {
        "bra.uni?" => Built(control::lower_bra);
        "brx.idx.uni?" => Built(control::lower_brx);
        "call.uni?" => Built(calls::lower_call);
        "ret.uni?" => Built(control::lower_exit);
        "exit" => Built(control::lower_exit);
    }
    "Parallel Synchronization and Communication Instructions" {
        "{bar|barrier}.cta?.{sync|arrive}:op.aligned?" => Built(control::lower_bar);
        "{bar|barrier}.cta?.red:op.{popc|and|or}:red.aligned?.{u32|pred}" => Built(control::lower_bar);
        "bar.warp.sync" => Built(order::lower_warp_sync);
        "barrier.cluster.{arrive|wait}.{release|relaxed|acquire}?.aligned?" => Built(cluster::lower_barrier);
        "membar.{cta|gl|sys}:scope" => Built(order::lower_fence);
        "membar.proxy.{alias|async}.{global|shared::cta|shared::cluster}?" => Built(order::lower_proxy_fence);
        "fence.{sc|acq_rel|acquire|release}?.{cta|cluster|gpu|sys}:scope" => Built(order::lower_fence);
        "fence.proxy.{alias|async}.{global|shared::cta|shared::cluster}?" => Built(order::lower_proxy_fence);
        "fence.proxy.{tensormap::generic|async::generic}.{acquire|release}.{sync_restrict::shared::cta|sync_restrict::shared::cluster}?.{cta|cluster|gpu|sys}" => Built(moves::lower_nothing);
        "fence.{acquire|release}.{sync_restrict::shared::cta|sync_restrict::shared::cluster}.cluster" => Built(moves::lower_nothing);
        "fence.mbarrier_init.release.cluster" => Built(moves::lower_nothing);
        "atom.{relaxed|acquire|release|acq_rel}?.{cta|cluster|gpu|sys}?.{global|shared|shared::cta|shared::cluster}:space?.{add|min|max|and|or|xor|exch|cas|inc|dec}:op.noftz?.L2::cache_hint?.{v2|v4|v8}:vec?.{b16|b32|b64|u32|u64|s32|s64|f16|bf16|f16x2|bf16x2|f32|f64}:type" => Built(atomic::lower);
        "red.{relaxed|release}?.{cta|cluster|gpu|sys}?.{global|shared|shared::cta|shared::cluster}:space?.{add|min|max|and|or|xor|inc|dec}:op.noftz?.L2::cache_hint?.{v2|v4|v8}:vec?.{b32|b64|u32|u64|s32|s64|f16|bf16|f16x2|bf16x2|f32|f64}:type" => Built(atomic::lower);
        "red.async.relaxed.cluster.shared::cluster?.mbarrier::complete_tx::bytes?.{inc|dec|add|min|max|and|or|xor}:op.{b32|u32|s32|u64|s64}:type" => Built(bulk::lower_store_async);
        "vote.sync?.{all|any|uni}.pred" => Built(warp::lower_vote);
        "vote.sync?.ballot.b32" => Built(warp::lower_vote);
        "match.{any|all}.sync.{b32|b64}" => Built(warp::lower_match);
        "activemask.b32" => Built(warp::lower_activemask);
        "redux.sync.{add|min|max}.{u32|s32}" => Built(warp::lower_redux);
        "redux.sync.{and|or|xor}.b32" => Built(warp::lower_redux);
        "elect.sync" => Built(warp::lower_elect);
        "mbarrier.init.{shared|shared::cta}:space?.b64" => Built(mbarrier::lower_init);
        "mbarrier.inval.{shared|shared::cta}:space?.b64" => Built(mbarrier::lower_inval);
        "mbarrier.{expect_tx|complete_tx}.relaxed?.{cta|cluster}?.{shared|shared::cta|shared::cluster}:space?.b64" => Built(mbarrier::lower_transactions);
        "mbarrier.{arrive|arrive_drop}.expect_tx?.{release|relaxed}?.{cta|cluster}?.{shared|shared::cta|shared::cluster}:space?.b64" => Built(mbarrier::lower_arrive);
        "mbarrier.{arrive|arrive_drop}.noComplete.release?.cta?.{shared|shared::cta}:space?.b64" => Built(mbarrier::lower_arrive);
        "cp.async.mbarrier.arrive.noinc?.{shared|shared::cta}:space?.b64" => Built(mbarrier::lower_copy_arrive);
        "mbarrier.{test_wait|try_wait}.parity?.{acquire|relaxed}?.{cta|cluster}?.{shared|shared::cta}:space?.b64" => Built(mbarrier::lower_wait);
        "mbarrier.pending_count.b64" => mbarrier::PENDING_COUNT;
        "griddepcontrol.{launch_dependents|wait}" => Built(order::lower_grid_dependency);
    }
    "Video Instructions" {
        "{vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2}.{u32|s32}:dtype.{u32|s32}:atype.{u32|s32}:btype.{sat|add}?" => Built(video::lower);
        "{vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4}.{u32|s32}:dtype.{u32|s32}:atype.{u32|s32}:btype.{sat|add}?" => Built(video::lower);
    }
    "Stack Manipulation Instructions" {
        "alloca.{u32|b32|u64|b64}" => Built(frame::lower_alloca);
        "{stacksave|stackrestore}.{u32|b32|u64|b64}" => Built(frame::lower_stack);
    }
    "Warp Level Matrix Multiply-Accumulate Instructions" {
        "wmma.load.{a|b}:op.sync.aligned.{row|col}.{m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4}:shape.{global|shared|shared::cta}:space?.{f16|bf16|tf32|f64|s8|u8}:type" => Built(wmma::lower_load);
        "wmma.load.c:op.sync.aligned.{row|col}.{m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4}:shape.{global|shared|shared::cta}:space?.{f16|f32|f64|s32}:type" => Built(wmma::lower_load);
        "wmma.store.d:op.sync.aligned.{row|col}.{m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4}:shape.{global|shared|shared::cta}:space?.{f16|f32|f64|s32}:type" => Built(wmma::lower_store);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m32n8k16|m8n32k16}:shape.{f16|f32}:d.{f16|f32}:c" => Built(wmma::lower_mma);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m32n8k16|m8n32k16}:shape.f32:d.bf16:a.bf16:b.f32:c" => Built(wmma::lower_mma);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.m16n16k8:shape.f32:d.tf32:a.tf32:b.f32:c" => Built(wmma::lower_mma);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.m8n8k4:shape.rn?.f64:d.f64:a.f64:b.f64:c" => Built(wmma::lower_mma);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m32n8k16|m8n32k16}:shape.s32:d.s8:a.s8:b.s32:c.satfinite?" => Built(wmma::lower_mma);
        "wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m32n8k16|m8n32k16}:shape.s32:d.u8:a.u8:b.s32:c.satfinite?" => Built(wmma::lower_mma);
        "mma.sync.aligned.{m16n8k8|m16n8k16}:shape.row.col.f16:d.f16:a.f16:b.f16:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.{m16n8k8|m16n8k16}:shape.row.col.f32:d.f16:a.f16:b.f32:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.{m16n8k8|m16n8k16}:shape.row.col.f32:d.bf16:a.bf16:b.f32:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.{m16n8k4|m16n8k8}:shape.row.col.f32:d.tf32:a.tf32:b.f32:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.m16n8k32:shape.row.col.f32:d.{e4m3|e5m2}:a.{e4m3|e5m2}:b.f32:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.{m8n8k4|m16n8k4|m16n8k8|m16n8k16}:shape.row.col.f64:d.f64:a.f64:b.f64:c" => Built(multiply::lower_mma);
        "mma.sync.aligned.{m8n8k16|m16n8k16|m16n8k32}:shape.row.col.satfinite?.s32:d.{s8|u8}:a.{s8|u8}:b.s32:c" => Built(multiply::lower_mma);
        "ldmatrix.sync.aligned.m8n8.{x1|x2|x4}:num.trans?.{shared|shared::cta}:space?.b16" => Built(load::lower_ldmatrix);
        "stmatrix.sync.aligned.m8n8.{x1|x2|x4}:num.trans?.{shared|shared::cta}:space?.b16" => Built(load::lower_stmatrix);
        "movmatrix.sync.aligned.m8n8.trans.b16" => Built(load::lower_movmatrix);
    }
    "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions" {
        "wgmma.fence.sync.aligned" => Built(wgmma::lower_fence);
        "wgmma.commit_group.sync.aligned" => Built(wgmma::lower_commit);
        "wgmma.wait_group.sync.aligned" => Built(wgmma::lower_wait);
        "wgmma.mma_async.sync.aligned.{m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16}:shape.{f16|f32}:d.f16:a.f16:b" => Built(wgmma::lower_multiply);
        "wgmma.mma_async.sync.aligned.{m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16}:shape.f32:d.bf16:a.bf16:b" => Built(wgmma::lower_multiply);
        "wgmma.mma_async.sync.aligned.{m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8}:shape.f32:d.tf32:a.tf32:b" => Built(wgmma::lower_multiply);
        "wgmma.mma_async.sync.aligned.{m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32}:shape.{f16|f32}:d.{e4m3|e5m2}:a.{e4m3|e5m2}:b" => Built(wgmma::lower_multiply);
        "wgmma.mma_async.sync.aligned.{m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32|m64n256k32}:shape.s32:d.{s8|u8}:a.{s8|u8}:b.satfinite?" => Built(wgmma::lower_multiply);
        "wgmma.mma_async.sync.aligned.{m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|m64n112k256|m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|m64n224k256|m64n240k256|m64n256k256}:shape.s32:d.b1:a.b1:b.and.popc" => Built(wgmma::lower_multiply);
    }
    "Miscellaneous Instructions" {
        "trap" => Built(control::lower_trap);
        "brkpt" => Built(moves::lower_nothing);
        "discard.global?.L2" => Built(moves::lower_nothing);
        "applypriority.global?.L2::evict_normal" => Built(moves::lower_nothing);
        "createpolicy.fractional.{L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged}.{L2::evict_first|L2::evict_unchanged}?.b64" => Built(moves::lower_policy);
        "createpolicy.range.global?.{L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged}.{L2::evict_first|L2::evict_unchanged}?.b64" => Built(moves::lower_policy);
        "createpolicy.cvt.L2.b64" => Built(moves::lower_policy);
        "setmaxnreg.{inc|dec}.sync.aligned.u32" => Built(wgmma::lower_registers);
        "nanosleep.u32" => Built(moves::lower_nothing);
        "pmevent.mask?" => Built(moves::lower_nothing);
    }
};

/// One element of a pattern.
struct Element {
    name: &'static str,
    choices: Vec<&'static str>,
    optional: bool,
}

struct Compiled {
    row: &'static Row,
    elements: Vec<Element>,
}

/// The rows by opcode.
static COMPILED: LazyLock<HashMap<&'static str, Vec<Compiled>>> = LazyLock::new(|| {
    let mut compiled: HashMap<&'static str, Vec<Compiled>> = HashMap::new();
    for row in ROWS {
        let mut parts = elements(row.pattern);
        let opcodes = parts.remove(0);
        for opcode in opcodes.choices {
            compiled.entry(opcode).or_default().push(Compiled {
                row,
                elements: elements(row.pattern).split_off(1),
            });
        }
    }
    compiled
});

/// Takes a pattern apart: elements are separated by dots outside braces.
fn elements(pattern: &'static str) -> Vec<Element> {
    let mut elements = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, mark) in pattern.char_indices().chain([(pattern.len(), '.')]) {
        match mark {
            '{' => depth += 1,
            '}' => depth -= 1,
            '.' if depth == 0 => {
                elements.push(element(&pattern[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    elements
}

fn element(text: &'static str) -> Element {
    let (text, optional) = text
        .strip_suffix('?')
        .map_or((text, false), |text| (text, true));
    let name_at = text.rfind(':').filter(|at| !text[..*at].ends_with(':'));
    // `shared::cta` has colons of its own; a name follows a single one.
    let (text, name) = name_at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]));
    let choices = match text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        Some(choices) => choices.split('|').collect(),
        None => vec![text],
    };
    Element {
        name,
        choices,
        optional,
    }
}

/// The row that an opcode as written fits: one that has the modifiers in this order, if there is one.
pub(crate) fn find(opcode: &str) -> Result<(Lowering, Picks), Misfit> {
    let mut parts = opcode.split('.');
    let rows = COMPILED.get(parts.next().unwrap_or_default());
    let rows = rows.map_or(&[] as &[Compiled], Vec::as_slice);
    let fitting = |ordered: bool| {
        rows.iter().find_map(|compiled| {
            let picks = fit(&compiled.elements, parts.clone(), ordered)?;
            Some((compiled.row.lowering, picks))
        })
    };
    fitting(true)
        .or_else(|| fitting(false))
        .ok_or_else(|| misfit::of(opcode, rows))
}

/// Each modifier goes to the first free element that has it, if `ordered` after that of the modifier before:
/// compilers do not all keep the manual's order.
fn fit<'o>(
    elements: &[Element],
    modifiers: impl Iterator<Item = &'o str>,
    ordered: bool,
) -> Option<Picks> {
    let mut next = 0;
    let mut picks: Picks = elements
        .iter()
        .map(|element| (element.name, None))
        .collect();
    for modifier in modifiers {
        let (at, choice) = elements.iter().enumerate().find_map(|(at, element)| {
            let choice = element.choices.iter().find(|choice| **choice == modifier)?;
            let free = picks[at].1.is_none() && (!ordered || at >= next);
            free.then_some((at, *choice))
        })?;
        picks[at].1 = Some(choice);
        next = at + 1;
    }
    let complete = elements
        .iter()
        .zip(&picks)
        .all(|(element, (_, pick))| element.optional || pick.is_some());
    complete.then_some(picks)
}
