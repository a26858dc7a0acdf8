//! Steps that the decoder puts in by itself and that several instructions are made of: copies, halves, sums, negations.

use crate::machine::inst::{AccessFn, Both, ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::drive::{Compute, both, compare, computes};
use crate::program::kinds::{Kind, Mask};

computes!(MOV_32, unary by SUM, (u32) => u32, |a| a);
computes!(MOV_64, unary by SUM, (u64) => u64, |a| a);
computes!(PACK_64, binary, (u32, u32) => u64, |low, high| u64::from(low) | u64::from(high) << 32);
computes!(PACK_32, binary, (u16, u16) => u32, |low, high| u32::from(low) | u32::from(high) << 16);
computes!(LOW_32, unary by SUM, (u64) => u32, |a| a as u32);
computes!(HIGH_32, unary by PICK, (u64) => u32, |a| (a >> 32) as u32);
computes!(LOW_16, unary by PICK, (u32) => u32, |a| a & 0xffff);
computes!(HIGH_16, unary by PICK, (u32) => u32, |a| a >> 16);

pub(crate) const MOV_PRED: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let a = lanes.preds[usize::from(inst.s[0])];
    let mask = lanes.active.mask;
    let out = &mut lanes.preds[usize::from(inst.d[0])];
    for warp in 0..mask.len() {
        out[warp] = (out[warp] & !mask[warp]) | (a[warp] & mask[warp]);
    }
});

/// Counts the lanes that a guard lets through, for the instruction that follows.
pub(crate) const COUNT_LANES: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    world.guarded_lanes[inst.aux as usize] += u64::from(lanes.active.lanes());
});

computes!(ADD_32, binary by SUM, (u32, u32) => u32, |a, b| a.wrapping_add(b));
computes!(ADD_64, binary by SUM, (u64, u64) => u64, |a, b| a.wrapping_add(b));
computes!(MAD_LO_64, ternary by PRODUCT, (u64, u64, u64) => u64, |a, b, c| a.wrapping_mul(b).wrapping_add(c));

computes!(SHL_ADD_64, ternary by SCALE, (u64, u32, u64) => u64, |a, b, c| {
    (if b > 63 { 0 } else { a.wrapping_shl(b) }).wrapping_add(c)
});
computes!(U64_U32, unary by WIDE_SUM, (u32) => u64, |a| u64::from(a));
computes!(S64_S32, unary by WIDE_SUM, (i32) => i64, |a| i64::from(a));

/// `d = a == b`, or its opposite if `imm` is 1.
pub(crate) const EQ_32: Both<ComputeFn> = both!(
    ComputeFn,
    fn(lanes: &mut Lanes, inst: &Inst) compare::<FORM, u32>(lanes, inst, |a, b| a == b)
);

/// Of the first source; an instruction on predicates has two.
pub(crate) const NOT_PRED: Compute = Compute {
    function: both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) predicates(lanes, inst, |a, _| !a)),
    result: Kind::Pred,
    sources: &[Kind::Pred, Kind::Pred],
};

/// `d = f(a, b)` on predicates, 32 lanes at a time.
#[inline(always)]
pub(crate) fn predicates(lanes: &mut Lanes, inst: &Inst, f: impl Fn(u32, u32) -> u32) {
    let a: Mask = lanes.preds[usize::from(inst.s[0])];
    let b: Mask = lanes.preds[usize::from(inst.s[1])];
    let mask = &lanes.active.mask;
    let out = &mut lanes.preds[usize::from(inst.d[0])];
    for warp in 0..mask.len() {
        out[warp] = (out[warp] & !mask[warp]) | (f(a[warp], b[warp]) & mask[warp]);
    }
}
