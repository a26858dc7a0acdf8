//! Jump threading: leads control past a block that only asks what a branch before it has answered, as LLVM's pass of
//! that name.

use super::analyses::Analyses;
use super::demote_exit_values;
use super::mem2reg;
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Def, Inst, MemTy, Op, Term, Value};

/// Instructions of a block that only asks.
const MOST: usize = 4;

/// Rounds, since what is asked a third time follows from what is led past the second.
const ROUNDS: usize = 4;

pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses) {
    for _ in 0..ROUNDS {
        let (changed, has_kept) = thread_all(&mut builder.body, analyses);
        if !changed {
            break;
        }
        super::simplify_cfg::run(&mut builder.body, analyses, false);
        if has_kept {
            mem2reg::run(builder, analyses);
        }
    }
}

/// Whether something changed, and whether local objects were made.
fn thread_all(body: &mut Body, analyses: &mut Analyses) -> (bool, bool) {
    let graph = analyses.graph(body);
    let (mut changed, mut has_kept) = (false, false);
    for block in &graph.order {
        let Term::Branch(condition, yes, no) = body.block(*block).term else {
            continue;
        };
        let before = &graph.before[block.0 as usize];
        // What is behind a loop's end is left as it is.
        let is_loop = before.iter().any(|from| graph.dominates(*block, *from));
        let phis = phis(body, *block);
        let asks_for_loop =
            !phis.is_empty() && [yes, no].iter().any(|to| begins_loop(body, &graph, *to));
        if before.len() < 2
            || is_loop
            || asks_for_loop
            || body.block(*block).insts.len() > MOST + phis.len()
        {
            continue;
        }
        let answers = before.iter().filter_map(|from| {
            let answer = answer(body, &graph, *from, *block, condition)?;
            Some((*from, if answer { yes } else { no }))
        });
        let answers: Vec<(Block, Block)> = answers.collect();
        if answers.is_empty() || !only_asks(body, *block) {
            continue;
        }
        let mut led = Vec::new();
        for (from, to) in answers {
            if lead(body, from, *block, to) {
                led.push(from);
            }
        }
        changed |= !led.is_empty();
        if !led.is_empty() {
            for phi in phis {
                has_kept |= keep(body, *block, phi, &led);
            }
        }
    }
    (changed, has_kept)
}

/// Whether a loop begins with a block, or with the next. NVIDIA's compiler asks at such a loop's own beginning yet.
fn begins_loop(body: &Body, graph: &Graph, block: Block) -> bool {
    let is_header = |block: Block| {
        let before = &graph.before[block.0 as usize];
        before.iter().any(|from| graph.dominates(block, *from))
    };
    let next = match body.block(block).term {
        Term::Jump(next) => next,
        _ => block,
    };
    is_header(block) || is_header(next)
}

/// The phis of a block.
fn phis(body: &Body, block: Block) -> Vec<Inst> {
    let insts = body.block(block).insts.iter().copied();
    insts
        .take_while(|inst| matches!(body.inst(*inst).op, Op::Phi(_)))
        .collect()
}

/// What a phi is where control comes from a block.
fn arg_of(body: &Body, phi: Inst, from: Block) -> Option<Value> {
    let data = body.inst(phi);
    let Op::Phi(blocks) = &data.op else {
        return None;
    };
    let at = blocks.iter().position(|block| *block == from)?;
    Some(data.args[at])
}

/// Puts what a phi of a block is into a local object, there and where control is led past it from, and loads it wherever
/// else it is wanted. False if it is wanted nowhere else.
fn keep(body: &mut Body, block: Block, phi: Inst, led: &[Block]) -> bool {
    let value = body.inst(phi).results[0];
    let Some(ty) = demote_exit_values::mem_ty(body.ty(value)) else {
        return false;
    };
    let mut wanted = Vec::new();
    for number in 0..body.blocks.len() {
        let of = Block(number as u32);
        for inst in &body.block(of).insts {
            let data = body.inst(*inst);
            for (number, arg) in data.args.iter().enumerate() {
                let at = match &data.op {
                    Op::Phi(from) => from[number],
                    _ => of,
                };
                if *arg == value && at != block {
                    wanted.push((at, *inst, number));
                }
            }
        }
    }
    if wanted.is_empty() {
        return false;
    }
    let place = demote_exit_values::new_slot(body, ty, block);
    let behind_phis = phis(body, block).len();
    store(body, (place, ty), value, (block, behind_phis));
    for from in led {
        if let Some(arg) = arg_of(body, phi, *from) {
            let end = body.block(*from).insts.len();
            store(body, (place, ty), arg, (*from, end));
        }
    }
    for (at, inst, number) in wanted {
        let loc = body.block(at).loc;
        let load = body.make(
            Op::Load(demote_exit_values::local(ty)),
            &[ty.ty()],
            [place],
            loc,
        );
        let again = body.inst(load).results[0];
        let is_phi = matches!(body.inst(inst).op, Op::Phi(_));
        let insts = &mut body.blocks[at.0 as usize].insts;
        let before = insts.iter().position(|other| *other == inst && !is_phi);
        insts.insert(before.unwrap_or(insts.len()), load);
        body.insts[inst.0 as usize].args[number] = again;
    }
    true
}

fn store(body: &mut Body, (place, ty): (Value, MemTy), value: Value, (block, at): (Block, usize)) {
    let loc = body.block(block).loc;
    let store = body.make(
        Op::Store(demote_exit_values::local(ty)),
        &[],
        [place, value],
        loc,
    );
    body.blocks[block.0 as usize].insts.insert(at, store);
}

/// Whether a block computes nothing but the condition with which it ends; what its phis choose may be wanted elsewhere too.
fn only_asks(body: &Body, block: Block) -> bool {
    let insts = &body.block(block).insts;
    let is_own = |value: &Value| match body.values[value.0 as usize].1 {
        Def::Inst(inst, _) => insts.contains(&inst) && !matches!(body.inst(inst).op, Op::Phi(_)),
        _ => false,
    };
    let may_be_kept =
        |inst: &Inst| demote_exit_values::mem_ty(body.ty(body.inst(*inst).results[0])).is_some();
    let is_cheap = |op: &Op| matches!(op, Op::Bin(_) | Op::Cmp(_) | Op::Un(_) | Op::Cvt(_));
    insts.iter().all(|inst| match &body.inst(*inst).op {
        Op::Phi(_) => may_be_kept(inst),
        op => is_cheap(op),
    }) && (body.blocks.iter().enumerate()).all(|(number, other)| {
        number == block.0 as usize
            || other
                .insts
                .iter()
                .all(|inst| !body.inst(*inst).args.iter().any(is_own))
                && !matches!(other.term, Term::Branch(condition, ..) if is_own(&condition))
    })
}

/// What a condition is where control comes from one block to another, if a branch on every way there has told it.
fn answer(body: &Body, graph: &Graph, from: Block, to: Block, asked: Value) -> Option<bool> {
    let (mut at, mut next) = (from, to);
    loop {
        if let Term::Branch(condition, yes, no) = body.block(at).term {
            // The way that was taken is the only one to what comes behind.
            let is_only = next == to && at == from || graph.before[next.0 as usize] == [at];
            let taken = match (yes == next, no == next) {
                (true, false) if is_only => Some(true),
                (false, true) if is_only => Some(false),
                _ => None,
            };
            if let (Some(taken), Some(same)) = (taken, is_same(body, condition, asked)) {
                return Some(taken == same);
            }
        }
        next = at;
        at = graph.dominator(at)?;
    }
}

/// Whether one condition is the other, or its opposite.
fn is_same(body: &Body, a: Value, b: Value) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let (x, y) = (body.def(a)?, body.def(b)?);
    let (Op::Cmp(first), Op::Cmp(second)) = (&x.op, &y.op) else {
        return None;
    };
    if x.args != y.args || body.ty(x.args[0]).is_float() {
        return None;
    }
    match first == second {
        true => Some(true),
        false => (first.opposite() == Some(*second)).then_some(false),
    }
}

/// Lets control go to where a block between would have led it. False if it cannot.
fn lead(body: &mut Body, from: Block, past: Block, to: Block) -> bool {
    let comes_already = crate::ir::graph::successors(body.block(from).term).any(|next| next == to);
    if comes_already || to == past {
        return false;
    }
    let turn = |next: Block| if next == past { to } else { next };
    let term = &mut body.blocks[from.0 as usize].term;
    *term = match *term {
        Term::Jump(next) => Term::Jump(turn(next)),
        Term::Branch(condition, yes, no) => Term::Branch(condition, turn(yes), turn(no)),
        other => other,
    };
    for inst in body.block(to).insts.clone() {
        let data = &mut body.insts[inst.0 as usize];
        let Op::Phi(blocks) = &mut data.op else {
            continue;
        };
        let Some(at) = blocks.iter().position(|block| *block == past) else {
            continue;
        };
        blocks.push(from);
        let arg = data.args[at];
        // A phi of the block between is known on this way.
        let arg = match body.values[arg.0 as usize].1 {
            Def::Inst(phi, _) if body.block(past).insts.contains(&phi) => {
                arg_of(body, phi, from).unwrap_or(arg)
            }
            _ => arg,
        };
        let data = &mut body.insts[inst.0 as usize];
        let args: Vec<Value> = data.args.iter().copied().chain([arg]).collect();
        data.args = args.into();
    }
    true
}
