//! PTX ISA chapter "Logic and Shift Instructions", and `prmt`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::operations::basic::{EQ_32, NOT_PRED, predicates};
use crate::operations::drive::{Compute, both, computes};
use crate::program::kinds::{FileKind, Kind};

computes!(AND_16, binary, (u16, u16) => u16, |a, b| a & b);
computes!(AND_32, binary by MASK, (u32, u32) => u32, |a, b| a & b);
computes!(AND_64, binary by MASK, (u64, u64) => u64, |a, b| a & b);
computes!(OR_16, binary, (u16, u16) => u16, |a, b| a | b);
computes!(OR_32, binary by MASK, (u32, u32) => u32, |a, b| a | b);
computes!(OR_64, binary by MASK, (u64, u64) => u64, |a, b| a | b);
computes!(XOR_16, binary, (u16, u16) => u16, |a, b| a ^ b);
computes!(XOR_32, binary by MASK, (u32, u32) => u32, |a, b| a ^ b);
computes!(XOR_64, binary by MASK, (u64, u64) => u64, |a, b| a ^ b);
computes!(NOT_16, unary, (u16) => u16, |a| !a);
computes!(NOT_32, unary by SUM, (u32) => u32, |a| !a);
computes!(NOT_64, unary by SUM, (u64) => u64, |a| !a);
computes!(CNOT_16, unary, (u16) => u16, |a| u16::from(a == 0));
computes!(CNOT_32, unary, (u32) => u32, |a| u32::from(a == 0));
computes!(CNOT_64, unary, (u64) => u64, |a| u64::from(a == 0));

// Shift amounts beyond the width act as the width.
computes!(SHL_16, binary, (u16, u32) => u16, |a, b| if b > 15 { 0 } else { a << b });
computes!(SHL_32, binary by SCALE, (u32, u32) => u32, |a, b| if b > 31 { 0 } else { a.wrapping_shl(b) });
computes!(SHL_64, binary by SCALE, (u64, u32) => u64, |a, b| if b > 63 { 0 } else { a.wrapping_shl(b) });
// What the decoder makes of a shift whose result is only added to something.

computes!(SHR_U16, binary, (u16, u32) => u16, |a, b| if b > 15 { 0 } else { a >> b });
computes!(SHR_U32, binary by PICK, (u32, u32) => u32, |a, b| if b > 31 { 0 } else { a.wrapping_shr(b) });
computes!(SHR_U64, binary by PICK, (u64, u32) => u64, |a, b| if b > 63 { 0 } else { a.wrapping_shr(b) });
computes!(SHR_S16, binary, (i16, u32) => i16, |a, b| a >> b.min(15));
computes!(SHR_S32, binary by PICK, (i32, u32) => i32, |a, b| a.wrapping_shr(b.min(31)));
computes!(SHR_S64, binary by PICK, (i64, u32) => i64, |a, b| a.wrapping_shr(b.min(63)));

computes!(SHF_L_WRAP, ternary, (u32, u32, u32) => u32, |low, high, by| funnel_left(low, high, by & 31));
computes!(SHF_L_CLAMP, ternary, (u32, u32, u32) => u32, |low, high, by| funnel_left(low, high, by.min(32)));
computes!(SHF_R_WRAP, ternary, (u32, u32, u32) => u32, |low, high, by| funnel_right(low, high, by & 31));
computes!(SHF_R_CLAMP, ternary, (u32, u32, u32) => u32, |low, high, by| funnel_right(low, high, by.min(32)));

computes!(one LOP3, quaternary, (u32, u32, u32, u32) => u32, |a, b, c, table| {
    let mut result = 0;
    for index in 0..8 {
        let chosen = 0u32.wrapping_sub((table >> index) & 1);
        let pick = |value: u32, bit: u32| if index & bit != 0 { value } else { !value };
        result |= chosen & pick(a, 4) & pick(b, 2) & pick(c, 1);
    }
    result
});

// PTX ISA section "Data Movement and Conversion Instructions: prmt".
computes!(PRMT, ternary, (u32, u32, u32) => u32, |a, b, select| {
    permute(a, b, |at| ((select >> (4 * at)) & 7, (select >> (4 * at)) & 8 != 0))
});

computes!(PRMT_F4E, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |at| ((c & 3) + at, false)));
computes!(PRMT_B4E, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |at| ((8 + (c & 3) - at) & 7, false)));
computes!(PRMT_RC8, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |_| (c & 3, false)));
computes!(PRMT_ECL, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |at| (at.max(c & 3), false)));
computes!(PRMT_ECR, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |at| (at.min(c & 3), false)));
computes!(PRMT_RC16, ternary, (u32, u32, u32) => u32, |a, b, c| permute(a, b, |at| (2 * (c & 1) + (at & 1), false)));

#[inline(always)]
fn funnel_left(low: u32, high: u32, by: u32) -> u32 {
    (((u64::from(high) << 32 | u64::from(low)) << by) >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, by: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> by) as u32
}

/// Builds a word of four bytes out of the eight of `b` and `a`; a chosen byte may give its sign only.
#[inline(always)]
fn permute(a: u32, b: u32, choose: impl Fn(u32) -> (u32, bool)) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let mut result = 0;
    for at in 0..4 {
        let (index, sign_only) = choose(at);
        let byte = (bytes >> (8 * index)) as u8;
        let byte = if sign_only {
            ((byte as i8) >> 7) as u8
        } else {
            byte
        };
        result |= u32::from(byte) << (8 * at);
    }
    result
}

macro_rules! on_predicates {
    ($name:ident, $sources:expr, |$a:ident, $b:ident| $f:expr) => {
        pub(crate) const $name: Compute = Compute {
            function: both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) predicates(lanes, inst, |$a, $b| $f)),
            result: Kind::Pred,
            sources: $sources,
        };
    };
}

on_predicates!(AND_PRED, &[Kind::Pred, Kind::Pred], |a, b| a & b);
on_predicates!(OR_PRED, &[Kind::Pred, Kind::Pred], |a, b| a | b);
on_predicates!(XOR_PRED, &[Kind::Pred, Kind::Pred], |a, b| a ^ b);

/// `lop3.BoolOp.b32 d|p, a, b, c, table, q;`: `p` also says whether any bit is set, combined with `q`.
pub(crate) fn lower_lop3(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 6..=6)?;
    let operands = matched.operands();
    let mut sources = Vec::new();
    for operand in &operands[1..5] {
        sources.push(lowerer.source(matched, operand, Kind::Bits32)?);
    }
    let q = lowerer.predicate(matched, &operands[5])?;
    let (d, p) = lowerer.result_and_pred(matched, &operands[0], Kind::Bits32)?;
    let value = lowerer.fresh(FileKind::Words);
    let set = lowerer.fresh(FileKind::Preds);
    let zero = lowerer.bits(FileKind::Words, 0);
    lowerer.compute_parts(LOP3.function, &[Some(value)], &sources, 0);
    lowerer.compute_parts(EQ_32, &[Some(set)], &[value.into(), zero], 1);
    let combine = if matched.has("and") {
        AND_PRED
    } else {
        OR_PRED
    };
    if p.is_some() {
        lowerer.compute_parts(combine.function, &[p], &[set.into(), q], 0);
    }
    lowerer.copy(d, value.into());
    Ok(())
}

/// `not.pred d, a;`
pub(crate) fn lower_not_pred(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let a = lowerer.source(matched, &operands[1], Kind::Pred)?;
    let d = lowerer.result(matched, &operands[0], Kind::Pred)?;
    lowerer.compute_parts(NOT_PRED.function, &[Some(d)], &[a, a], 0);
    Ok(())
}
