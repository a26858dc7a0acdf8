//! Products that are added become one operation, which rounds once. By NVIDIA's rule: within a block, and only products
//! that are used once, or less than five times and in sums only.

use crate::hash::HashMap;
use crate::ir::{Bin, Block, Body, Inst, Op, Un, Value};

/// Uses of a product beyond which it stays one.
const MOST_SUMS: usize = 4;

/// How often a value is used, and whether in sums only.
type Uses = HashMap<Value, (usize, bool)>;

pub(super) fn contract(body: &mut Body) {
    let mut uses = Uses::default();
    for block in &body.blocks {
        for inst in &block.insts {
            let data = body.inst(*inst);
            for arg in &data.args {
                let (count, only_sums) = uses.entry(*arg).or_insert((0, true));
                *count += 1;
                *only_sums &= data.op == Op::Bin(Bin::Add);
            }
        }
    }
    for number in 0..body.blocks.len() {
        contract_block(body, Block(number as u32), &uses);
    }
}

fn contract_block(body: &mut Body, block: Block, uses: &Uses) {
    let insts = body.block(block).insts.clone();
    let mut products: HashMap<Value, (Value, Value)> = HashMap::default();
    let mut made: Vec<Inst> = Vec::with_capacity(insts.len());
    for inst in insts {
        let data = body.inst(inst).clone();
        let is_float = data
            .results
            .first()
            .is_some_and(|result| body.ty(*result).is_float());
        let may_go = |value: &Value| {
            uses.get(value).is_some_and(|(count, only_sums)| {
                *count == 1 || (*only_sums && *count <= MOST_SUMS)
            })
        };
        if let (Op::Bin(Bin::Mul), true) = (
            &data.op,
            is_float && data.results.first().is_some_and(may_go),
        ) {
            products.insert(data.results[0], (data.args[0], data.args[1]));
        }
        if let (Op::Bin(bin @ (Bin::Add | Bin::Sub)), true) = (&data.op, is_float) {
            let (a, b) = (data.args[0], data.args[1]);
            let ty = body.ty(a);
            let mut negated = |body: &mut Body, value: Value| {
                let inst = body.make(Op::Un(Un::Neg), &[ty], vec![value], data.loc);
                made.push(inst);
                body.inst(inst).results[0]
            };
            let args = match (products.get(&a).copied(), products.get(&b).copied(), bin) {
                (Some((x, y)), _, Bin::Add) => Some(vec![x, y, b]),
                (None, Some((x, y)), Bin::Add) => Some(vec![x, y, a]),
                (Some((x, y)), _, _) => {
                    let rest = negated(body, b);
                    Some(vec![x, y, rest])
                }
                (None, Some((x, y)), _) => {
                    let x = negated(body, x);
                    Some(vec![x, y, a])
                }
                (None, None, _) => None,
            };
            if let Some(args) = args {
                let data = &mut body.insts[inst.0 as usize];
                data.op = Op::Fma;
                data.args = args;
            }
        }
        made.push(inst);
    }
    body.blocks[block.0 as usize].insts = made;
}
