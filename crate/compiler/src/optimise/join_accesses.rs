//! Joining of accesses: makes one load or store of several that `vectorise_accesses` found.

use super::access_groups::Group;
use super::address::{Root, root};
use crate::hash::{HashMap, HashSet};
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, Mem, MemTy, Op, Ty, Value, Values};

/// One of several loads or stores.
#[derive(Debug)]
pub(super) struct Single {
    pub(super) inst: Inst,
    /// Where it stands in its block.
    pub(super) place: usize,
    pub(super) base: Value,
    pub(super) offset: i64,
    pub(super) mem: Mem,
}

/// What a block's list of instructions becomes.
#[derive(Debug, Default)]
pub(super) struct Edits {
    before: HashMap<Inst, Vec<Inst>>,
    gone: HashSet<Inst>,
}

impl Edits {
    fn put_before(&mut self, at: Inst, inst: Inst) {
        self.before.entry(at).or_default().push(inst);
    }

    pub(super) fn apply(mut self, body: &mut Body, block: Block) {
        if self.before.is_empty() && self.gone.is_empty() {
            return;
        }
        let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            kept.extend(self.before.remove(&inst).unwrap_or_default());
            if !self.gone.contains(&inst) {
                kept.push(inst);
            }
        }
        body.blocks[block.0 as usize].insts = kept;
    }
}

/// Puts a group where the first of its loads stood.
pub(super) fn loads(body: &mut Body, run: &[Single], group: &Group, edits: &mut Edits) {
    let members: Vec<&Single> = group.members.iter().flatten().map(|at| &run[*at]).collect();
    let Some(earliest) = members.iter().min_by_key(|single| single.place) else {
        return;
    };
    align(body, earliest.base);
    let mem = joined(&members, group.count);
    let address = address_at(body, members[0], earliest.inst, edits);
    let types = vec![mem.ty.ty(); group.count];
    let loc = body.inst(earliest.inst).loc;
    let wide = body.make(Op::Load(mem), &types, [address], loc);
    edits.put_before(earliest.inst, wide);
    for (number, member) in group.members.iter().enumerate() {
        let Some(single) = member.map(|at| &run[at]) else {
            continue;
        };
        let found = body.inst(wide).results[number];
        let result = body.inst(single.inst).results[0];
        if single.mem.ty == mem.ty {
            edits.gone.insert(single.inst);
            let results = &mut body.insts[wide.0 as usize].results;
            results[number] = result;
            body.values[result.0 as usize].1 = Def::Inst(wide, number as u32);
        } else {
            let data = &mut body.insts[single.inst.0 as usize];
            data.op = Op::Cvt(conversion(single.mem.ty));
            data.args = [found].into();
        }
    }
}

/// Puts a group where the last of its stores stood.
pub(super) fn stores(body: &mut Body, run: &[Single], group: &Group, edits: &mut Edits) {
    let members: Vec<&Single> = group.members.iter().flatten().map(|at| &run[*at]).collect();
    let Some(last) = members.iter().max_by_key(|single| single.place) else {
        return;
    };
    let mem = joined(&members, group.count);
    let mut args = vec![body.inst(members[0].inst).args[0]];
    for single in &members {
        let value = body.inst(single.inst).args[1];
        args.push(match body.ty(value) == mem.ty.ty() {
            true => value,
            false => bits(body, value, mem.ty.ty(), last.inst, edits),
        });
    }
    align(body, last.base);
    for single in &members {
        if single.inst != last.inst {
            edits.gone.insert(single.inst);
        }
    }
    let data = &mut body.insts[last.inst.0 as usize];
    data.op = Op::Store(mem);
    data.args = Values::from(args);
}

/// Places a local object as its accesses need it.
fn align(body: &mut Body, base: Value) {
    if let Root::Slot(slot) = root(body, base) {
        let data = &mut body.slots[slot as usize];
        data.align = data.best_align();
    }
}

/// The access to all: of one type where all are, else of a whole number as wide.
fn joined(members: &[&Single], count: usize) -> Mem {
    let first = members[0].mem;
    let is_one = members.iter().all(|single| single.mem.ty == first.ty);
    let ty = match (is_one, first.ty.bytes()) {
        (true, _) => first.ty,
        (false, 1) => MemTy::U8,
        (false, 2) => MemTy::U16,
        (false, 4) => MemTy::B32,
        (false, _) => MemTy::B64,
    };
    Mem {
        ty,
        count: count as u8,
        ..first
    }
}

/// From a whole number without sign.
fn conversion(to: MemTy) -> Cvt {
    match to {
        MemTy::S8 => Cvt::SignExtendFrom(8),
        MemTy::S16 => Cvt::SignExtendFrom(16),
        _ => Cvt::Bits,
    }
}

/// An address as it was computed for the first of its neighbours, before an instruction that may stand above that.
fn address_at(body: &mut Body, single: &Single, before: Inst, edits: &mut Edits) -> Value {
    if single.inst == before {
        return body.inst(before).args[0];
    }
    if single.offset == 0 {
        return single.base;
    }
    let loc = body.inst(before).loc;
    let by = body.make_constant(Ty::B64, single.offset as u64);
    let sum = body.make(Op::Bin(Bin::Add), &[Ty::B64], [single.base, by], loc);
    edits.put_before(before, sum);
    body.inst(sum).results[0]
}

fn bits(body: &mut Body, value: Value, ty: Ty, before: Inst, edits: &mut Edits) -> Value {
    let loc = body.inst(before).loc;
    let inst = body.make(Op::Cvt(Cvt::Bits), &[ty], [value], loc);
    edits.put_before(before, inst);
    body.inst(inst).results[0]
}
