//! PTX ISA chapter "Extended-Precision Integer Arithmetic Instructions": sums and products with the carry flag `CC.CF`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::operations::drive::one;
use crate::program::kinds::{Kind, NO_SLOT, WARP};

const ADD: u64 = 0;
const SUBTRACT: u64 = 1;
const LOW_PRODUCT: u64 = 2;
const HIGH_PRODUCT: u64 = 3;
/// Added to the above: the factors are signed.
const SIGNED: u64 = 4;

/// `add{c}{.cc}`, `sub{c}{.cc}`, `mad{c}.{lo|hi}{.cc}`: a `c` in the opcode takes the flag in, `.cc` puts it out.
pub(crate) fn lower(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let opcode = matched.opcode();
    let is_product = opcode.starts_with("mad");
    let count = if is_product { 4 } else { 3 };
    lowerer.expect_operands(matched, count..=count)?;
    let operands = matched.operands();
    let ty = matched.element("type");
    let (kind, function) = if ty.ends_with("64") {
        (Kind::Bits64, LONGS)
    } else {
        (Kind::Bits32, WORDS)
    };
    let flag = lowerer.carry_flag();
    let mut sources = Vec::new();
    for operand in &operands[1..] {
        sources.push(lowerer.source(matched, operand, kind)?);
    }
    sources.resize(3, Default::default());
    if opcode.ends_with('c') {
        sources.push(flag.into());
    }
    let d = lowerer.result(matched, &operands[0], kind)?;
    let out = matched.has("cc").then_some(flag);
    let mode = match opcode {
        "add" | "addc" => ADD,
        "sub" | "subc" => SUBTRACT,
        _ if matched.has("hi") => HIGH_PRODUCT,
        _ => LOW_PRODUCT,
    };
    let signed = if ty.starts_with('s') { SIGNED } else { 0 };
    lowerer.exchange(function, &[Some(d), out], &sources, mode | signed);
    Ok(())
}

const WORDS: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let at = |lanes: &Lanes, slot: u16, lane: usize| match slot {
        NO_SLOT => 0,
        slot => u64::from(lanes.words.source(slot)[lane]),
    };
    let active = lanes.active;
    for_each_lane(&active, |lane| {
        let [a, b, c] = [inst.s[0], inst.s[1], inst.s[2]].map(|slot| at(lanes, slot, lane));
        let (value, carry) = compute(inst.imm, [a, b, c], 32, flag(lanes, inst, lane));
        lanes.words.registers[usize::from(inst.d[0])][lane] = value as u32;
        set_flag(lanes, inst, lane, carry);
    });
});

const LONGS: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let at = |lanes: &Lanes, slot: u16, lane: usize| match slot {
        NO_SLOT => 0,
        slot => lanes.longs.source(slot)[lane],
    };
    let active = lanes.active;
    for_each_lane(&active, |lane| {
        let [a, b, c] = [inst.s[0], inst.s[1], inst.s[2]].map(|slot| at(lanes, slot, lane));
        let (value, carry) = compute(inst.imm, [a, b, c], 64, flag(lanes, inst, lane));
        lanes.longs.registers[usize::from(inst.d[0])][lane] = value;
        set_flag(lanes, inst, lane, carry);
    });
});

fn flag(lanes: &Lanes, inst: &Inst, lane: usize) -> u64 {
    match inst.s[3] {
        NO_SLOT => 0,
        slot => u64::from(lanes.preds[usize::from(slot)][lane / WARP] >> (lane % WARP) & 1),
    }
}

fn set_flag(lanes: &mut Lanes, inst: &Inst, lane: usize, carry: bool) {
    if inst.d[1] != NO_SLOT {
        let word = &mut lanes.preds[usize::from(inst.d[1])][lane / WARP];
        let bit = 1 << (lane % WARP);
        *word = if carry { *word | bit } else { *word & !bit };
    }
}

/// The result in `bits` bits, and the carry or borrow out.
fn compute(mode: u64, [a, b, c]: [u64; 3], bits: u32, carry: u64) -> (u64, bool) {
    let ones = u64::MAX >> (64 - bits);
    let sum = |x: u64, y: u64| {
        let sum = u128::from(x) + u128::from(y) + u128::from(carry);
        (sum as u64 & ones, sum >> bits != 0)
    };
    match mode & 3 {
        ADD => sum(a, b),
        SUBTRACT => {
            let taken = u128::from(b) + u128::from(carry);
            (
                a.wrapping_sub(b).wrapping_sub(carry) & ones,
                u128::from(a) < taken,
            )
        }
        half => {
            let product = if mode & SIGNED != 0 {
                let extend = |x: u64| i128::from((x << (64 - bits)) as i64 >> (64 - bits));
                (extend(a).wrapping_mul(extend(b))) as u128
            } else {
                u128::from(a).wrapping_mul(u128::from(b))
            };
            let part = if half == HIGH_PRODUCT {
                product >> bits
            } else {
                product
            };
            sum(part as u64 & ones, c)
        }
    }
}
