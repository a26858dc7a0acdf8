//! Moves what only one way needs behind the branch that decides, loads too: as LLVM does, and so the counters of loads
//! are the same.

use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Effect, Inst, Op, Term, Value};
use std::collections::HashMap;

/// Where a value is used: by which instruction in which block, if that is one only.
struct Use {
    count: u32,
    block: Block,
}

pub(super) fn sink(body: &mut Body) {
    let graph = Graph::new(body);
    let mut uses = uses(body, &graph);
    for block in graph.order.iter().rev() {
        let mut moved: HashMap<Block, Vec<Inst>> = HashMap::new();
        let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        let mut writes = false;
        for inst in insts.into_iter().rev() {
            let data = body.inst(inst);
            let target = single_target(body, &graph, &uses, *block, inst).filter(|_| may_move(body, inst, writes));
            writes |= has_effect(&data.op);
            match target {
                Some(target) => {
                    for arg in &data.args {
                        if let Some(found) = uses.get_mut(arg) {
                            if found.count == 1 {
                                found.block = target;
                            }
                        }
                    }
                    moved.entry(target).or_default().push(inst);
                }
                None => kept.push(inst),
            }
        }
        kept.reverse();
        body.blocks[block.0 as usize].insts = kept;
        for (target, mut insts) in moved {
            insts.reverse();
            let old = std::mem::take(&mut body.blocks[target.0 as usize].insts);
            let phis = old.iter().take_while(|inst| matches!(body.inst(**inst).op, Op::Phi(_))).count();
            let mut all: Vec<Inst> = old[..phis].to_vec();
            all.extend(insts);
            all.extend(&old[phis..]);
            body.blocks[target.0 as usize].insts = all;
        }
    }
}

fn uses(body: &Body, graph: &Graph) -> HashMap<Value, Use> {
    let mut uses: HashMap<Value, Use> = HashMap::new();
    let mut note = |value: Value, block: Block| {
        let found = uses.entry(value).or_insert(Use { count: 0, block });
        found.count += 1;
        found.block = block;
    };
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            match &data.op {
                Op::Phi(from) => data.args.iter().zip(from).for_each(|(arg, from)| note(*arg, *from)),
                _ => data.args.iter().for_each(|arg| note(*arg, *block)),
            }
        }
        if let Term::Branch(condition, ..) = body.block(*block).term {
            note(condition, *block);
        }
    }
    uses
}

/// The successor in which all results are used, if nothing else leads there.
fn single_target(body: &Body, graph: &Graph, uses: &HashMap<Value, Use>, from: Block, inst: Inst) -> Option<Block> {
    let results = &body.inst(inst).results;
    let mut target = None;
    let mut count = 0;
    for result in results {
        if let Some(found) = uses.get(result) {
            count += found.count;
            target = match target {
                None => Some(found.block),
                Some(block) if block == found.block => Some(block),
                Some(_) => return None,
            };
        }
    }
    let target = target.filter(|target| *target != from)?;
    // One use only, of a vector one for each of its parts.
    if count > results.len() as u32 || graph.before[target.0 as usize] != [from] {
        return None;
    }
    Some(target)
}

fn may_move(body: &Body, inst: Inst, writes: bool) -> bool {
    match &body.inst(inst).op {
        Op::Phi(_) | Op::Store(_) => false,
        Op::Load(mem) => !mem.is_volatile && (mem.is_constant || !writes),
        Op::Ptx(ptx) => ptx.effect == Effect::Pure,
        _ => true,
    }
}

fn has_effect(op: &Op) -> bool {
    match op {
        Op::Store(_) => true,
        Op::Ptx(ptx) => ptx.effect == Effect::Memory || (ptx.is_asm && ptx.effect == Effect::Volatile),
        _ => false,
    }
}
