//! Leads control past a block that only asks what a branch before it has answered, as LLVM's jump threading does.

use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Def, Op, Term, Value};

/// Instructions of a block that only asks.
const MOST: usize = 4;

/// True if something changed.
pub(super) fn thread(body: &mut Body) -> bool {
    let graph = Graph::new(body);
    let mut changed = false;
    for block in &graph.order {
        let Term::Branch(condition, yes, no) = body.block(*block).term else {
            continue;
        };
        let before = &graph.before[block.0 as usize];
        // What is behind a loop's end is left as it is.
        let is_loop = before.iter().any(|from| graph.dominates(*block, *from));
        if before.len() < 2 || is_loop || body.block(*block).insts.len() > MOST {
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
        for (from, to) in answers {
            changed |= lead(body, from, *block, to);
        }
    }
    if changed {
        super::clean::blocks(body, false);
    }
    changed
}

/// Whether a block computes nothing but the condition with which it ends.
fn only_asks(body: &Body, block: Block) -> bool {
    let insts = &body.block(block).insts;
    let is_own = |value: &Value| match body.values[value.0 as usize].1 {
        Def::Inst(inst, _) => insts.contains(&inst),
        _ => false,
    };
    let is_cheap = |op: &Op| matches!(op, Op::Bin(_) | Op::Cmp(_) | Op::Un(_) | Op::Cvt(_));
    insts.iter().all(|inst| is_cheap(&body.inst(*inst).op))
        && (body.blocks.iter().enumerate()).all(|(number, other)| {
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
        let args: Vec<Value> = data.args.iter().copied().chain([data.args[at]]).collect();
        data.args = args.into();
    }
    true
}
