//! Hoisting of common code: takes what both ways behind a branch have in common before it, as LLVM's `GVNHoist` and
//! `SimplifyCFG` do. What both ways end with is left to `sink_common`.

use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::{Block, Body, Inst, Op, Term, Ty, Value, Values};

/// Takes what both ways begin with before them, as long as they are the same step by step: stores too.
pub(super) fn beginnings(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let mut replaced = Replaced::new(body);
    for block in graph.order.iter().rev() {
        let Term::Branch(_, yes, no) = body.block(*block).term else {
            continue;
        };
        let is_only = |next: Block| graph.before[next.0 as usize] == [*block];
        if !is_only(yes) || !is_only(no) {
            continue;
        }
        let of = |body: &Body, block: Block| body.block(block).insts.clone();
        let pairs: Vec<(Inst, Inst)> = of(body, yes).into_iter().zip(of(body, no)).collect();
        let mut count = 0;
        for (a, b) in pairs {
            for inst in [a, b] {
                for arg in &mut body.insts[inst.0 as usize].args {
                    *arg = replaced.get(*arg);
                }
            }
            let (x, y) = (body.inst(a), body.inst(b));
            let types = |body: &Body, results: &Values| -> Vec<Ty> {
                results.iter().map(|result| body.ty(*result)).collect()
            };
            let is_plain_store = matches!(&x.op, Op::Store(mem) if !mem.is_volatile);
            let is_same = x.op == y.op
                && x.args == y.args
                && types(body, &x.results) == types(body, &y.results)
                && (is_plain_store || is_movable(&x.op, false));
            if !is_same {
                break;
            }
            for (from, to) in y.results.iter().zip(&x.results) {
                replaced.set(*from, *to);
            }
            body.insts[a.0 as usize].loc = body.block(*block).loc;
            body.blocks[block.0 as usize].insts.push(a);
            count += 1;
        }
        for way in [yes, no] {
            body.blocks[way.0 as usize].insts.drain(..count);
        }
    }
    replaced.apply(body);
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let mut replaced = Replaced::new(body);
    for block in graph.order.iter().rev() {
        let Term::Branch(_, yes, no) = body.block(*block).term else {
            continue;
        };
        let is_only = |next: Block| graph.before[next.0 as usize] == [*block];
        if is_only(yes) && is_only(no) {
            join(body, *block, yes, no, &mut replaced);
        }
    }
    replaced.apply(body);
}

fn join(body: &mut Body, above: Block, yes: Block, no: Block, replaced: &mut Replaced) {
    let mut known: HashMap<(Op, Values, Ty), Inst> = HashMap::default();
    let mut writes = false;
    for inst in &body.block(yes).insts {
        let data = body.inst(*inst);
        writes |= has_effect(&data.op);
        let stays = is_load(&data.op) || data.op.is_special() || data.results.is_empty();
        if is_movable(&data.op, writes) && !stays {
            let args = data.args.iter().map(|arg| replaced.get(*arg)).collect();
            known.insert((data.op.clone(), args, body.ty(data.results[0])), *inst);
        }
    }
    let mut moved = Vec::new();
    writes = false;
    let others = std::mem::take(&mut body.blocks[no.0 as usize].insts);
    let mut kept = Vec::new();
    let mut above_values: Vec<Value> = Vec::new();
    for inst in others {
        for arg in &mut body.insts[inst.0 as usize].args {
            *arg = replaced.get(*arg);
        }
        let data = body.inst(inst);
        writes |= has_effect(&data.op);
        let key = data
            .results
            .first()
            .map(|result| (data.op.clone(), data.args.clone(), body.ty(*result)));
        let twin = key
            .filter(|_| is_movable(&data.op, writes))
            .and_then(|key| known.get(&key).copied());
        // Its arguments must be there above too.
        let is_above = |value: &Value| match body.values[value.0 as usize].1 {
            crate::ir::Def::Inst(def, _) => {
                !body.block(yes).insts.contains(&def) || above_values.contains(value)
            }
            _ => true,
        };
        match twin {
            Some(twin) if body.inst(twin).args.iter().all(is_above) => {
                let (from, to) = (
                    body.inst(inst).results.clone(),
                    body.inst(twin).results.clone(),
                );
                for (from, to) in from.iter().zip(&to) {
                    replaced.set(*from, *to);
                }
                above_values.extend(&to);
                if !moved.contains(&twin) {
                    moved.push(twin);
                }
            }
            _ => kept.push(inst),
        }
    }
    body.blocks[no.0 as usize].insts = kept;
    body.blocks[yes.0 as usize]
        .insts
        .retain(|inst| !moved.contains(inst));
    let loc = body.block(above).loc;
    for inst in &moved {
        body.insts[inst.0 as usize].loc = loc;
    }
    body.blocks[above.0 as usize].insts.extend(moved);
}

/// Loads and what reads special registers are taken before a branch only from where both ways begin.
fn is_load(op: &Op) -> bool {
    matches!(op, Op::Load(_))
}

fn is_movable(op: &Op, writes: bool) -> bool {
    match op {
        Op::Phi(_) | Op::Store(_) => false,
        Op::Load(mem) => !mem.is_volatile && (mem.is_constant || !writes),
        Op::Asm(_) => false,
        op @ Op::Intrinsic(_) => op.is_pure(),
        _ => true,
    }
}

fn has_effect(op: &Op) -> bool {
    match op {
        Op::Store(_) => true,
        Op::Load(mem) => mem.is_volatile,
        op => op.may_write(),
    }
}
