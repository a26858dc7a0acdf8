//! Simplification of the control-flow graph: drops blocks that nothing leads to, joins blocks that follow each other,
//! and skips jumps that lead on at once. Branches become choices in `if_convert`.

use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::ir::graph::prune_phis;
use crate::ir::{Block, Body, Op, Term};

/// Joins blocks that follow each other, and with `all` leads jumps past blocks that only lead on.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, all: bool) {
    for block in &mut body.blocks {
        if let Term::Branch(_, yes, no) = block.term
            && yes == no
        {
            block.term = Term::Jump(yes);
        }
    }
    if all {
        skip_empty(body);
    }
    analyses.graph_changed();
    let graph = analyses.graph(body);
    for (number, block) in body.blocks.iter_mut().enumerate() {
        if !graph.is_reached(Block(number as u32)) {
            block.insts.clear();
            block.term = Term::None;
        }
    }
    prune_phis(body, &graph);
    let mut replaced = Replaced::new(body);
    // A block that is the only way to the next one takes it in.
    for block in &graph.order {
        while let Term::Jump(next) = body.block(*block).term {
            let is_only =
                graph.before[next.0 as usize].len() == 1 && next != *block && next != Block(0);
            let has_phis = body
                .block(next)
                .insts
                .iter()
                .any(|inst| matches!(body.inst(*inst).op, Op::Phi(_)));
            if !is_only
                || body.block(next).term == Term::None
                    && body.block(next).insts.is_empty()
                    && !graph.is_reached(next)
            {
                break;
            }
            if has_phis && !drop_single_phis(body, next, &mut replaced) {
                break;
            }
            let data = &mut body.blocks[next.0 as usize];
            let (insts, term, loc) = (
                std::mem::take(&mut data.insts),
                std::mem::replace(&mut data.term, Term::None),
                data.loc,
            );
            rename_phis(body, term, next, *block);
            let data = &mut body.blocks[block.0 as usize];
            data.insts.extend(insts);
            data.term = term;
            data.loc = loc;
        }
    }
    replaced.apply(body);
    analyses.graph_changed();
}

/// Phis of one argument are that argument. False if one is left.
fn drop_single_phis(body: &mut Body, block: Block, replaced: &mut Replaced) -> bool {
    let mut has_phis = false;
    let Body { blocks, insts, .. } = body;
    blocks[block.0 as usize].insts.retain(|inst| {
        let data = &insts[inst.0 as usize];
        if !matches!(data.op, Op::Phi(_)) {
            return true;
        }
        let is_single = data.args.len() == 1;
        if is_single {
            replaced.set(data.results[0], data.args[0]);
        }
        has_phis |= !is_single;
        !is_single
    });
    !has_phis
}

fn rename_phis(body: &mut Body, term: Term, from: Block, to: Block) {
    for next in crate::ir::graph::successors(term) {
        let Body { blocks, insts, .. } = &mut *body;
        for inst in &blocks[next.0 as usize].insts {
            if let Op::Phi(blocks) = &mut insts[inst.0 as usize].op {
                for block in blocks {
                    if *block == from {
                        *block = to;
                    }
                }
            }
        }
    }
}

fn skip_empty(body: &mut Body) {
    let has_phis: Vec<bool> = body
        .blocks
        .iter()
        .map(|block| {
            block
                .insts
                .iter()
                .any(|inst| matches!(body.inst(*inst).op, Op::Phi(_)))
        })
        .collect();
    let target = |mut block: Block| {
        for _ in 0..64 {
            match &body.blocks[block.0 as usize] {
                data if !data.insts.is_empty() => return block,
                data => match data.term {
                    Term::Jump(next) if !has_phis[next.0 as usize] && next != block => block = next,
                    _ => return block,
                },
            }
        }
        block
    };
    let terms: Vec<Term> = body
        .blocks
        .iter()
        .map(|block| match block.term {
            Term::Jump(next) => Term::Jump(target(next)),
            Term::Branch(condition, yes, no) => match (target(yes), target(no)) {
                (yes, no) if yes == no => Term::Jump(yes),
                (yes, no) => Term::Branch(condition, yes, no),
            },
            other => other,
        })
        .collect();
    for (block, term) in body.blocks.iter_mut().zip(terms) {
        block.term = term;
    }
}
