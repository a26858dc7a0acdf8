//! Demotion of values to memory: keeps values of a loop that are wanted behind it in local objects, so that the loop
//! can get more ways out (LLVM's `DemoteRegToStack`). `mem2reg` makes registers of them.

use super::loop_clone::{Shape, inst_of};
use crate::hash::HashMap;
use crate::ir::{
    Block, Body, Cache, Inst, Mem, MemTy, Op, Origin, Slot, SlotData, Space, Term, Ty, Value,
};

/// Puts what is wanted behind the loop, but for phis that it leads to itself, into local objects. False where that cannot be.
pub(super) fn keep_for_behind(body: &mut Body, shape: &Shape) -> bool {
    let Some(uses) = uses_behind(body, shape) else {
        return false;
    };
    let mut wanted: Vec<Value> = uses.iter().map(|(_, _, value)| *value).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let types: Option<Vec<MemTy>> = (wanted.iter())
        .map(|value| mem_ty(body.ty(*value)))
        .collect();
    let Some(types) = types else { return false };
    let mut places: HashMap<Value, (Value, MemTy)> = HashMap::default();
    for (value, ty) in wanted.into_iter().zip(types) {
        let place = new_slot(body, ty, shape.header);
        places.insert(value, (place, ty));
        store_behind(body, shape, value, place, ty);
    }
    for (block, inst, value) in uses {
        let (place, ty) = places[&value];
        let load = body.make(
            Op::Load(local(ty)),
            &[ty.ty()],
            [place],
            body.block(block).loc,
        );
        let again = body.inst(load).results[0];
        let is_phi = matches!(body.inst(inst).op, Op::Phi(_));
        let insts = &mut body.blocks[block.0 as usize].insts;
        // A phi wants it at the end of a block that leads to it.
        let at = insts.iter().position(|other| *other == inst && !is_phi);
        insts.insert(at.unwrap_or(insts.len()), load);
        let is_there = |from: &Block| *from == block;
        let data = &mut body.insts[inst.0 as usize];
        for (number, arg) in data.args.iter_mut().enumerate() {
            let is_way = match &data.op {
                Op::Phi(from) => from.get(number).is_some_and(is_there),
                _ => true,
            };
            if is_way && *arg == value {
                *arg = again;
            }
        }
    }
    true
}

/// Where values of the loop are wanted: the block, the instruction, and the value; none if a branch wants one.
fn uses_behind(body: &Body, shape: &Shape) -> Option<Vec<(Block, Inst, Value)>> {
    let own = shape.own_values(body);
    let mut uses = Vec::new();
    for (number, data) in body.blocks.iter().enumerate() {
        let block = Block(number as u32);
        if shape.blocks.contains(&block) {
            continue;
        }
        if let Term::Branch(condition, ..) = data.term
            && own.contains(&condition)
        {
            return None;
        }
        for inst in &data.insts {
            let data = body.inst(*inst);
            for (number, arg) in data.args.iter().enumerate() {
                let at = match &data.op {
                    Op::Phi(from) => from[number],
                    _ => block,
                };
                if own.contains(arg) && !shape.blocks.contains(&at) {
                    uses.push((at, *inst, *arg));
                }
            }
        }
    }
    uses.sort_unstable();
    uses.dedup();
    Some(uses)
}

/// The place of a new local object.
pub(super) fn new_slot(body: &mut Body, ty: MemTy, header: Block) -> Value {
    let (size, align) = (ty.bytes(), ty.bytes());
    body.slots.push(SlotData { size, align });
    let slot = Slot(body.slots.len() as u32 - 1);
    let made = body.make(Op::Slot(slot), &[Ty::B64], [], body.block(header).loc);
    body.blocks[0].insts.insert(0, made);
    body.inst(made).results[0]
}

/// Stores a value of the loop as soon as it is there.
fn store_behind(body: &mut Body, shape: &Shape, value: Value, place: Value, ty: MemTy) {
    let Some(inst) = inst_of(body, value) else {
        return;
    };
    let store = body.make(
        Op::Store(local(ty)),
        &[],
        [place, value],
        body.inst(inst).loc,
    );
    for block in &shape.blocks {
        let insts = &body.block(*block).insts;
        if let Some(at) = insts.iter().position(|other| *other == inst) {
            let is_phi = |inst: &Inst| matches!(body.inst(*inst).op, Op::Phi(_));
            let phis = insts.iter().filter(|inst| is_phi(inst)).count();
            let at = if is_phi(&inst) { phis } else { at + 1 };
            body.blocks[block.0 as usize].insts.insert(at, store);
            return;
        }
    }
}

/// An access to such an object.
pub(super) fn local(ty: MemTy) -> Mem {
    Mem {
        space: Space::Local,
        ty,
        count: 1,
        is_volatile: false,
        is_constant: false,
        cache: Cache::Any,
        origin: Origin::default(),
    }
}

/// How a value lies in memory, if it can.
pub(super) fn mem_ty(ty: Ty) -> Option<MemTy> {
    match ty {
        Ty::B32 => Some(MemTy::B32),
        Ty::B64 => Some(MemTy::B64),
        Ty::F32 => Some(MemTy::F32),
        Ty::F64 => Some(MemTy::F64),
        Ty::Pred | Ty::B16 => None,
    }
}
