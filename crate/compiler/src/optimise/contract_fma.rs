//! Contraction to fused multiply-add: products that are added become one operation, which rounds once. By NVIDIA's
//! rule: within a block, only in sums, not in differences, and only products that are used in sums alone, in less than
//! five.

use super::analyses::Analyses;
use super::operand_rank::{Order, Ranks};
use super::product_uses::{Uses, twice, uses};
use super::{iterations, signs};
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Value};

/// `before` are the ranks of values before arithmetic moved past ways, where some did.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, before: Option<Ranks>) {
    if !has_arithmetic(body) {
        return;
    }
    let known = before.unwrap_or_default();
    let used = uses(body);
    signs::turn_differences(body, &used);
    let varying = iterations::varying(body);
    let turned = signs::turn(body, &used, &varying);
    let mut uses = uses(body);
    let order = Order::new(body, &analyses.graph(body), &known, &varying).without(turned);
    for number in 0..body.blocks.len() {
        contract_block(body, Block(number as u32), &mut uses, &order);
    }
    add_twice(body);
}

/// Whether there are sums, differences or products of floats: all else stays as it is.
fn has_arithmetic(body: &Body) -> bool {
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        let data = body.inst(*inst);
        matches!(data.op, Op::Bin(Bin::Add | Bin::Sub | Bin::Mul))
            && body.ty(data.args[0]).is_float()
    })
}

/// `x * 2` that no sum took in is `x + x`, which takes `x` in if that is a product of the block that is used in sums only.
fn add_twice(body: &mut Body) {
    let mut doubled = Vec::new();
    for number in 0..body.blocks.len() {
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            let data = body.inst(inst);
            if !data.op.is_bin(Bin::Mul) || !body.ty(data.args[0]).is_float() {
                continue;
            }
            let two = twice(body.ty(data.args[0]));
            let is_two = |value: &&Value| body.constant(**value) == Some(two);
            let others: Vec<Value> = data
                .args
                .iter()
                .filter(|arg| !is_two(arg))
                .copied()
                .collect();
            if let [other] = others[..] {
                let data = &mut body.insts[inst.0 as usize];
                (data.op, data.args) = (Op::Bin(Bin::Add), vec![other, other].into());
                doubled.push(inst);
            }
        }
    }
    if !doubled.is_empty() {
        take_in_doubled(body, &doubled);
    }
}

/// Of sums of a value and itself: those of a product become one operation with it.
fn take_in_doubled(body: &mut Body, doubled: &[Inst]) {
    let uses = uses(body);
    for inst in doubled {
        let product = body.inst(*inst).args[0];
        let Def::Inst(made, _) = body.values[product.0 as usize].1 else {
            continue;
        };
        let data = body.inst(made);
        if data.op.is_bin(Bin::Mul) && uses[product.0 as usize].may_be_taken_in() {
            let args = [data.args[0], data.args[1], product];
            let data = &mut body.insts[inst.0 as usize];
            (data.op, data.args) = (Op::Fma, args.into());
        }
    }
}

/// The last sums first: one that takes a product in adds what else it adds no longer as a sum does.
fn contract_block(body: &mut Body, block: Block, uses: &mut [Uses], order: &Order) {
    for at in (0..body.block(block).insts.len()).rev() {
        let inst = body.block(block).insts[at];
        let data = body.inst(inst);
        if !data.op.is_bin(Bin::Add) || !body.ty(data.args[0]).is_float() {
            continue;
        }
        let (mut a, mut b) = (data.args[0], data.args[1]);
        if order.is_swapped(body, inst) {
            std::mem::swap(&mut a, &mut b);
        }
        let factors = |value: Value| {
            let product = body.def(value).filter(|def| def.op.is_bin(Bin::Mul))?;
            let uses = uses[value.0 as usize];
            (uses.may_be_taken_in()).then(|| (product.args[0], product.args[1]))
        };
        let (product, (x, y), other) = match (factors(a), factors(b)) {
            (Some(factors), _) => (a, factors, b),
            (None, Some(factors)) => (b, factors, a),
            (None, None) => continue,
        };
        uses[product.0 as usize].count -= 1;
        for side in [product, other] {
            let sums = &mut uses[side.0 as usize].sums;
            *sums = sums.saturating_sub(1);
        }
        let data = &mut body.insts[inst.0 as usize];
        (data.op, data.args) = (Op::Fma, [x, y, other].into());
    }
}
