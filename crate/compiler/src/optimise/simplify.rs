//! Instruction simplification: folds every instruction again, now that more of its arguments are known, by the rules of
//! `ir::fold`.

use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::ir::build::Builder;
use crate::ir::graph::prune_phis;
use crate::ir::{Bin, Body, Cvt, Def, Exact, Instruction, Mem, Op, Space, Term, Ty, Value};
use crate::lower::SymbolData;

/// True if something changed.
pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses, symbols: &[SymbolData]) -> bool {
    let graph = analyses.graph(&builder.body);
    prune_phis(&mut builder.body, &graph);
    let mut replaced = Replaced::new(&builder.body);
    let mut decided = false;
    for block in &graph.order {
        let at = block.0 as usize;
        let room = Vec::with_capacity(builder.body.blocks[at].insts.len());
        let insts = std::mem::replace(&mut builder.body.blocks[at].insts, room);
        let term = std::mem::replace(&mut builder.body.blocks[at].term, Term::None);
        builder.at = *block;
        for inst in insts {
            let Body { insts, values, .. } = &mut builder.body;
            let data = &mut insts[inst.0 as usize];
            for arg in &mut data.args {
                *arg = replaced.get(*arg);
            }
            if is_settled(data, values) {
                builder.body.blocks[at].insts.push(inst);
                continue;
            }
            let args = std::mem::take(&mut data.args);
            builder.loc = data.loc;
            builder.iteration = data.iteration;
            let exact = data.exact;
            // Put back below: nothing that folds asks for the instruction itself.
            let op = std::mem::replace(&mut data.op, Op::Fma);
            let result = if data.results.len() == 1 {
                Some(data.results[0])
            } else {
                None
            };
            let found = match (&op, result) {
                (Op::Phi(_), Some(result)) => same_phi(&args, result),
                (Op::Load(mem), Some(_)) => known_load(builder, mem, args[0], symbols),
                (op, Some(result)) if is_part_of_nothing(&builder.body, op, &args) => {
                    let ty = builder.body.ty(result);
                    Some(builder.constant(ty, 0))
                }
                (op, Some(result)) if op.is_pure() => {
                    let ty = builder.body.ty(result);
                    builder.exact = exact;
                    let found = builder.fold(op, ty, &args);
                    builder.exact = Exact::No;
                    found
                }
                _ => None,
            };
            // What was never set is not worth storing.
            let stores_nothing = match &op {
                Op::Store(mem) => {
                    !mem.is_volatile
                        && args
                            .iter()
                            .skip(1)
                            .all(|value| builder.body.is_undefined(*value))
                }
                _ => false,
            };
            let data = &mut builder.body.insts[inst.0 as usize];
            data.op = op;
            data.args = args;
            match (found, result) {
                (Some(value), Some(result)) if value != result => replaced.set(result, value),
                _ if stores_nothing => decided = true,
                _ => builder.body.blocks[at].insts.push(inst),
            }
        }
        let term = match term {
            Term::Branch(condition, yes, no) => {
                let condition = replaced.get(condition);
                match builder.body.constant(condition) {
                    Some(bits) => {
                        decided = true;
                        Term::Jump(if bits != 0 { yes } else { no })
                    }
                    None => straight(&builder.body, condition, yes, no),
                }
            }
            other => other,
        };
        builder.body.blocks[at].term = term;
    }
    let changed = decided || !replaced.is_empty();
    replaced.apply(&mut builder.body);
    changed
}

/// A branch by a negated condition goes the other way by the condition itself.
fn straight(body: &Body, condition: Value, yes: crate::ir::Block, no: crate::ir::Block) -> Term {
    match body.def(condition) {
        Some(inst) if inst.op == Op::Un(crate::ir::Un::Not) => Term::Branch(inst.args[0], no, yes),
        _ => Term::Branch(condition, yes, no),
    }
}

/// Whether an instruction takes some bits of what was never set: a bit field or a byte is put beside them, and any will do.
fn is_part_of_nothing(body: &Body, op: &Op, args: &[Value]) -> bool {
    let takes_part = matches!(
        op,
        Op::Bin(Bin::And) | Op::Cvt(Cvt::ZeroExtendFrom(_) | Cvt::SignExtendFrom(_))
    );
    takes_part && args.iter().any(|arg| body.is_undefined(*arg))
}

/// The one value that a phi can have.
pub(super) fn same_phi(args: &[Value], result: Value) -> Option<Value> {
    let mut found = None;
    for arg in args {
        if *arg != result {
            match found {
                None => found = Some(*arg),
                Some(other) if other == *arg => {}
                Some(_) => return None,
            }
        }
    }
    found
}

/// Whether an instruction can be had for nothing less in any case.
fn is_settled(data: &Instruction, values: &[(Ty, Def)]) -> bool {
    match &data.op {
        Op::Fma => {
            let is_constant = |arg: &Value| matches!(values[arg.0 as usize].1, Def::Const(_));
            !data.args.iter().all(is_constant)
        }
        Op::Intrinsic(_) | Op::Asm(_) | Op::ToGeneric(_) => true,
        Op::Param(_) | Op::ParamAddress(_) | Op::Symbol(_) | Op::Slot(_) => true,
        _ => false,
    }
}

/// What is read of a constant that the source gives.
fn known_load(
    builder: &mut Builder,
    mem: &Mem,
    address: Value,
    symbols: &[SymbolData],
) -> Option<Value> {
    if mem.is_volatile || mem.count != 1 {
        return None;
    }
    let (mut at, mut offset) = (address, 0_u64);
    let symbol = loop {
        let inst = builder.body.def(at)?;
        match (&inst.op, &inst.args[..]) {
            (Op::Symbol(symbol), _) => break *symbol,
            (Op::ToGeneric(Space::Constant | Space::Global), [inner]) => at = *inner,
            (Op::Bin(Bin::Add), [base, by]) => {
                offset = offset.wrapping_add(builder.body.constant(*by)?);
                at = *base;
            }
            _ => return None,
        }
    };
    let data = symbols
        .get(symbol.0 as usize)
        .filter(|data| data.is_constexpr)?;
    let bytes = data.init.as_ref()?;
    let from = usize::try_from(offset).ok()?;
    let found = bytes.get(from..from.checked_add(mem.ty.bytes() as usize)?)?;
    let mut bits = [0; 8];
    bits[..found.len()].copy_from_slice(found);
    let bits = u64::from_le_bytes(bits);
    let bits = match mem.ty {
        crate::ir::MemTy::S8 => bits as u8 as i8 as u64,
        crate::ir::MemTy::S16 => bits as u16 as i16 as u64,
        _ => bits,
    };
    let ty: Ty = mem.ty.ty();
    Some(builder.constant(ty, bits))
}
