//! Narrowing of divisions: divides numbers of 64 bits by 32 where both fit in those, as LLVM's `BypassSlowDivision`
//! does for such machines: a GPU divides longer ones in a function of their own. Which divisions become products is no
//! matter of this file.

use super::loop_clone::{make_phi, new_block};
use super::rewrite::Replaced;
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Body, Cmp, Cvt, Inst, Instruction, Loc, Op, Term, Ty, Value, Values};

pub(super) fn run(body: &mut Body) {
    let mut found = Vec::new();
    for (number, block) in body.blocks.iter().enumerate() {
        let divisions = block.insts.iter().filter(|inst| is_long(body, **inst));
        found.extend(divisions.map(|inst| (Block(number as u32), *inst)));
    }
    let mut replaced = Replaced::new(body);
    // From the last on, so that what comes before a division stays in its block.
    for (block, inst) in found.into_iter().rev() {
        let args = &body.inst(inst).args;
        let asked: Vec<Value> = (args.iter().copied())
            .filter(|arg| !fits(body, *arg))
            .collect();
        let result = body.inst(inst).results[0];
        let value = match asked[..] {
            [] => known(body, block, inst),
            _ => ask(body, block, inst, &asked),
        };
        replaced.set(result, value);
    }
    replaced.apply(body);
}

/// Whether an instruction divides whole numbers of 64 bits.
fn is_long(body: &Body, inst: Inst) -> bool {
    let data = body.inst(inst);
    let divides = matches!(
        data.op,
        Op::Bin(Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS)
    );
    divides && body.ty(data.results[0]) == Ty::B64
}

/// Whether a number has none of the upper 32 bits.
fn fits(body: &Body, value: Value) -> bool {
    let is_widened = (body.def(value)).is_some_and(|inst| inst.op == Op::Cvt(Cvt::ZeroExtend));
    let most = body.unsigned_max(value);
    is_widened || most.is_some_and(|most| most <= u64::from(u32::MAX))
}

/// Divides in 32 bits what is known to fit in those.
fn known(body: &mut Body, block: Block, inst: Inst) -> Value {
    let mut made = Vec::new();
    let value = divided(body, inst, &mut made);
    let insts = &mut body.blocks[block.0 as usize].insts;
    if let Some(at) = insts.iter().position(|other| *other == inst) {
        insts.splice(at..=at, made);
    }
    value
}

/// Divides in 32 bits where what may not fit in those does, and in 64 else.
fn ask(body: &mut Body, block: Block, inst: Inst, asked: &[Value]) -> Value {
    let Instruction { op, args, loc, .. } = body.inst(inst).clone();
    let [short, long, behind] = [(); 3].map(|()| new_block(body, loc));
    let data = &mut body.blocks[block.0 as usize];
    let at = (data.insts.iter()).position(|other| *other == inst);
    let rest = data
        .insts
        .split_off(at.map_or(data.insts.len(), |at| at + 1));
    data.insts.pop();
    let (term, end) = (data.term, data.loc);
    for next in successors(term) {
        come_from(body, next, block, behind);
    }
    let mut made = Vec::new();
    let both = asked.iter().copied().reduce(|a, b| {
        let or = Op::Bin(Bin::Or);
        append(body, &mut made, or, Ty::B64, [a, b].into(), loc)
    });
    let (by, none) = (
        body.make_constant(Ty::B64, 32),
        body.make_constant(Ty::B64, 0),
    );
    let both = both.unwrap_or(none);
    let upper = append(
        body,
        &mut made,
        Op::Bin(Bin::ShrU),
        Ty::B64,
        [both, by].into(),
        loc,
    );
    let test = Op::Cmp(Cmp::Eq);
    let is_short = append(body, &mut made, test, Ty::Pred, [upper, none].into(), loc);
    body.blocks[block.0 as usize].insts.extend(made);
    body.blocks[block.0 as usize].term = Term::Branch(is_short, short, long);
    let (mut in_short, mut in_long) = (Vec::new(), Vec::new());
    let of_short = divided(body, inst, &mut in_short);
    let of_long = append(body, &mut in_long, op, Ty::B64, args, loc);
    for (side, insts) in [(short, in_short), (long, in_long)] {
        let data = &mut body.blocks[side.0 as usize];
        (data.insts, data.term) = (insts, Term::Jump(behind));
    }
    let data = &mut body.blocks[behind.0 as usize];
    (data.insts, data.term, data.loc) = (rest, term, end);
    let phi = make_phi(body, behind, [(short, of_short), (long, of_long)]);
    body.inst(phi).results[0]
}

/// The division in 32 bits, widened again.
fn divided(body: &mut Body, inst: Inst, made: &mut Vec<Inst>) -> Value {
    let Instruction { op, args, loc, .. } = body.inst(inst).clone();
    // Neither number has a sign there.
    let op = match op {
        Op::Bin(Bin::DivS) => Op::Bin(Bin::DivU),
        Op::Bin(Bin::RemS) => Op::Bin(Bin::RemU),
        other => other,
    };
    let halves: Values = (args.iter())
        .map(|arg| lower_half(body, *arg, made, loc))
        .collect();
    let result = append(body, made, op, Ty::B32, halves, loc);
    let widen = Op::Cvt(Cvt::ZeroExtend);
    append(body, made, widen, Ty::B64, [result].into(), loc)
}

fn append(body: &mut Body, made: &mut Vec<Inst>, op: Op, ty: Ty, args: Values, loc: Loc) -> Value {
    let inst = body.make(op, &[ty], args, loc);
    made.push(inst);
    body.inst(inst).results[0]
}

/// Lets control come to a block's phis from another block.
fn come_from(body: &mut Body, block: Block, old: Block, new: Block) {
    let Body { blocks, insts, .. } = body;
    for inst in &blocks[block.0 as usize].insts {
        if let Op::Phi(from) = &mut insts[inst.0 as usize].op {
            let ways = from.iter_mut().filter(|from| **from == old);
            ways.for_each(|from| *from = new);
        }
    }
}

fn lower_half(body: &mut Body, value: Value, made: &mut Vec<Inst>, loc: Loc) -> Value {
    if let Some(bits) = body.constant(value) {
        return body.make_constant(Ty::B32, bits & Ty::B32.mask());
    }
    match body.def(value) {
        Some(inst) if inst.op == Op::Cvt(Cvt::ZeroExtend) => inst.args[0],
        _ => {
            let truncate = Op::Cvt(Cvt::Truncate);
            append(body, made, truncate, Ty::B32, [value].into(), loc)
        }
    }
}
