//! Removes instructions whose results nobody wants, blocks that nothing leads to, and jumps that lead on at once.

use super::rewrite::Replaced;
use crate::ir::graph::{Graph, prune_phis};
use crate::ir::{Block, Body, Def, Inst, Op, Term, Ty, Value};

/// Drops what has no effect and whose results are not used.
pub(super) fn unused(body: &mut Body) {
    let dead_slots = unread_slots(body);
    let mut wanted = Wanted {
        values: &body.values,
        known: vec![Known::Nothing; body.insts.len()],
        open: Vec::new(),
    };
    // Backwards, so that mostly what wants a value is met before what gives it.
    for block in body.blocks.iter().rev() {
        if let Term::Branch(condition, ..) = block.term {
            wanted.want(condition);
        }
        for inst in block.insts.iter().rev() {
            let data = body.inst(*inst);
            let is_dead_store = || {
                let to = data.args.first().map_or(0, |to| to.0 as usize);
                matches!(data.op, Op::Store(_)) && dead_slots.get(to) == Some(&true)
            };
            let known = &mut wanted.known[inst.0 as usize];
            if *known == Known::Wanted || !data.op.is_pure() && !is_dead_store() {
                *known = Known::Wanted;
                data.args.iter().for_each(|arg| wanted.want(*arg));
            } else {
                *known = Known::Passed;
            }
        }
    }
    while let Some(inst) = wanted.open.pop() {
        let args = &body.inst(inst).args;
        args.iter().for_each(|arg| wanted.want(*arg));
    }
    let known = wanted.known;
    for block in &mut body.blocks {
        block
            .insts
            .retain(|inst| known[inst.0 as usize] == Known::Wanted);
    }
}

/// Whether there are objects in local memory.
pub(super) fn has_slots(body: &Body) -> bool {
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(body.inst(*inst).op, Op::Slot(_)))
}

/// What is wanted, as far as it is known.
struct Wanted<'a> {
    values: &'a [(Ty, Def)],
    /// By instruction.
    known: Vec<Known>,
    /// Instructions that were passed, and of which it became known later that they are wanted.
    open: Vec<Inst>,
}

/// What is known of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Wanted,
    /// Nothing has wanted it when it was met.
    Passed,
}

impl Wanted<'_> {
    fn want(&mut self, value: Value) {
        if let Def::Inst(inst, _) = self.values[value.0 as usize].1
            && std::mem::replace(&mut self.known[inst.0 as usize], Known::Wanted) == Known::Passed
        {
            self.open.push(inst);
        }
    }
}

/// By value: whether it is an address of a local object that is written only. Empty where there are no local objects.
fn unread_slots(body: &Body) -> Vec<bool> {
    if !has_slots(body) {
        return Vec::new();
    }
    let mut of: Vec<Option<u32>> = vec![None; body.values.len()];
    let mut read = vec![false; body.slots.len()];
    let graph = Graph::new(body);
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let slot_of = |value: &Value| of[value.0 as usize];
            match (&data.op, &data.args[..]) {
                (Op::Slot(slot), _) => of[data.results[0].0 as usize] = Some(slot.0),
                (Op::ToGeneric(_) | Op::FromGeneric(_), [from]) => {
                    of[data.results[0].0 as usize] = slot_of(from)
                }
                (Op::Bin(_), [a, b]) if slot_of(b).is_none() => {
                    of[data.results[0].0 as usize] = slot_of(a)
                }
                (Op::Store(mem), [_, values @ ..]) => {
                    for value in values {
                        if let Some(slot) = slot_of(value) {
                            read[slot as usize] = true;
                        }
                    }
                    if let (true, Some(slot)) = (mem.is_volatile, slot_of(&data.args[0])) {
                        read[slot as usize] = true;
                    }
                }
                _ => {
                    for arg in &data.args {
                        if let Some(slot) = slot_of(arg) {
                            read[slot as usize] = true;
                        }
                    }
                }
            }
        }
    }
    let is_unread = |slot: &Option<u32>| slot.is_some_and(|slot| !read[slot as usize]);
    of.iter().map(is_unread).collect()
}

/// Joins blocks that follow each other, and with `all` leads jumps past blocks that only lead on.
pub(super) fn blocks(body: &mut Body, all: bool) {
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
    let graph = Graph::new(body);
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
