//! Sinking of scaled indices: multiplies an index by the size of an element in each block that computes an address with
//! it, as LLVM's `CodeGenPrepare` does: there an address is one instruction until machine instructions are written,
//! block by block. From block to block the index is kept.

use super::address::{Root, root};
use super::analyses::Analyses;
use super::trip_count::put_before;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::home;
use crate::ir::{Bin, Block, Body, Inst, Op, Ty, Value};

/// What lies between two addresses is kept where it is.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, between: &HashSet<Value>) {
    let graph = analyses.graph(body);
    let homes = graph.homes(body);
    let mut own: HashMap<(Block, Value), Value> = HashMap::default();
    let insts: Vec<(Block, Inst)> = graph.insts(body).collect();
    for (block, inst) in insts {
        let Some((side, scaled)) = scaled(body, inst) else {
            continue;
        };
        if between.contains(&scaled) || home(body, &homes, scaled) == Some(block) {
            continue;
        }
        let again = match own.get(&(block, scaled)) {
            Some(again) => Some(*again),
            None => compute_again(body, (block, inst), scaled),
        };
        if let Some(again) = again {
            own.insert((block, scaled), again);
            body.insts[inst.0 as usize].args[side] = again;
        }
    }
}

/// Of an address that is a pointer and a multiple of some constant: which side of the sum that is, and the multiple.
fn scaled(body: &Body, inst: Inst) -> Option<(usize, Value)> {
    let data = body.inst(inst);
    let (Op::Bin(Bin::Add), &[a, b]) = (&data.op, &data.args[..]) else {
        return None;
    };
    if body.ty(a) != Ty::B64 {
        return None;
    }
    let is_multiple = |value: Value| {
        let data = body.def(value);
        data.is_some_and(|data| {
            matches!(data.op, Op::Bin(Bin::Mul | Bin::Shl)) && body.constant(data.args[1]).is_some()
        })
    };
    let is_pointer = |value: Value| root(body, value) != Root::Unknown;
    if is_multiple(b) && is_pointer(a) {
        return Some((1, b));
    }
    (is_multiple(a) && is_pointer(b)).then_some((0, a))
}

/// A copy of what gives a value, in front of an instruction.
fn compute_again(body: &mut Body, place: (Block, Inst), value: Value) -> Option<Value> {
    let data = body.def(value)?;
    let (op, args) = (data.op.clone(), data.args.clone());
    Some(put_before(body, place, op, Ty::B64, args))
}
