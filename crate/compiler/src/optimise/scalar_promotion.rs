//! Scalar promotion: keeps in a register what a loop loads from one place and stores there again, and stores it when
//! the loop is left, as LLVM's `LICM` does.

use super::alias::Access;
use super::analyses::Analyses;
use super::licm::always_runs;
use super::natural_loops::{Natural, loops};
use crate::hash::HashSet;
use crate::ir::build::Builder;
use crate::ir::graph::{Graph, successors};
use crate::ir::{
    Block, BlockData, Body, Cache, Def, Effect, Inst, Mem, Op, Slot, SlotData, Space, Term, Ty,
    Value,
};
use crate::lower::KernelParam;

/// True if such a place was found: it is a local object now.
pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses, params: &[KernelParam]) -> bool {
    let body = &mut builder.body;
    let graph = analyses.graph(body);
    let mut all = loops(body, &graph);
    all.sort_by_key(|natural| natural.blocks.len());
    let mut taken: Vec<Block> = Vec::new();
    let mut changed = false;
    for natural in &all {
        // Loops around one that was changed have other ways now.
        if natural.blocks.iter().any(|block| taken.contains(block)) {
            continue;
        }
        let found = places(body, &graph, natural, params);
        for (address, mem) in &found {
            keep(body, natural, *address, *mem);
        }
        if !found.is_empty() {
            taken.extend(&natural.blocks);
            changed = true;
        }
    }
    changed
}

/// The places that a loop stores to in every iteration, and that nothing else in it touches.
fn places(
    body: &Body,
    graph: &Graph,
    natural: &Natural,
    params: &[KernelParam],
) -> Vec<(Value, Mem)> {
    let insts = || {
        natural
            .blocks
            .iter()
            .flat_map(|block| &body.block(*block).insts)
    };
    let mine: HashSet<Inst> = insts().copied().collect();
    let inside = |value: Value| match body.values[value.0 as usize].1 {
        Def::Inst(inst, _) => mine.contains(&inst),
        _ => false,
    };
    let is_fixed_store = |inst: &Inst| {
        let data = body.inst(*inst);
        matches!(data.op, Op::Store(_)) && !inside(data.args[0])
    };
    if !insts().any(is_fixed_store) {
        return Vec::new();
    }
    let mut accesses: Vec<(Value, Access, Block, bool)> = Vec::new();
    for block in graph
        .order
        .iter()
        .filter(|block| natural.blocks.contains(block))
    {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            match &data.op {
                Op::Store(mem) | Op::Load(mem) if !mem.is_volatile => {
                    let is_store = matches!(data.op, Op::Store(_));
                    accesses.push((
                        data.args[0],
                        Access::new(body, *mem, data.args[0]),
                        *block,
                        is_store,
                    ));
                }
                Op::Store(_) | Op::Load(_) => return Vec::new(),
                op if op.effect() != Effect::Pure => return Vec::new(),
                _ => {}
            }
        }
    }
    let mut found: Vec<(Value, Mem)> = Vec::new();
    for (address, access, block, is_store) in &accesses {
        let mem = access.mem;
        let is_new = *is_store && found.iter().all(|(other, _)| other != address);
        let is_plain = mem.count == 1 && mem.cache == Cache::Any && mem.space != Space::Local;
        if !is_new || !is_plain || inside(*address) || !always_runs(body, graph, natural, *block) {
            continue;
        }
        let is_alone = accesses.iter().all(|(other, with, ..)| {
            if other == address {
                return (with.mem.ty, with.mem.count) == (mem.ty, 1)
                    && with.mem.cache == Cache::Any;
            }
            with.mem.is_constant || !with.may_overlap(access, params)
        });
        let is_read = accesses
            .iter()
            .any(|(other, .., is_store)| other == address && !is_store);
        if is_alone && is_read {
            found.push((*address, mem));
        }
    }
    found
}

fn keep(body: &mut Body, natural: &Natural, address: Value, mem: Mem) {
    body.slots.push(SlotData {
        size: mem.ty.bytes(),
        align: mem.ty.bytes(),
    });
    let slot = Slot(body.slots.len() as u32 - 1);
    let loc = body.block(natural.before).loc;
    let made = body.make(Op::Slot(slot), &[Ty::B64], [], loc);
    body.blocks[0].insts.insert(0, made);
    let place = body.inst(made).results[0];
    let local = Mem {
        space: Space::Local,
        ..mem
    };
    let insts = moved(body, (address, mem), (place, local), loc);
    body.blocks[natural.before.0 as usize].insts.extend(insts);
    for block in &natural.blocks {
        for inst in body.block(*block).insts.clone() {
            let data = &mut body.insts[inst.0 as usize];
            if data.args.first() == Some(&address) && matches!(data.op, Op::Load(_) | Op::Store(_))
            {
                data.args[0] = place;
                data.op = match data.op {
                    Op::Load(_) => Op::Load(local),
                    _ => Op::Store(local),
                };
            }
        }
    }
    let mut blocks: Vec<Block> = natural.blocks.iter().copied().collect();
    blocks.sort_unstable();
    for from in blocks {
        let outside: Vec<Block> = successors(body.block(from).term)
            .filter(|next| !natural.blocks.contains(next))
            .collect();
        for to in outside {
            let insts = moved(body, (place, local), (address, mem), loc);
            put_between(body, from, to, insts);
        }
    }
}

/// A load from one place and a store to another.
fn moved(body: &mut Body, from: (Value, Mem), to: (Value, Mem), loc: crate::ir::Loc) -> [Inst; 2] {
    let load = body.make(Op::Load(from.1), &[from.1.ty.ty()], [from.0], loc);
    let value = body.inst(load).results[0];
    [load, body.make(Op::Store(to.1), &[], [to.0, value], loc)]
}

/// Puts a block on the way from one to another.
pub(super) fn put_between<const COUNT: usize>(
    body: &mut Body,
    from: Block,
    to: Block,
    insts: [Inst; COUNT],
) {
    let between = Block(body.blocks.len() as u32);
    let loc = body.block(from).loc;
    body.blocks.push(BlockData {
        insts: insts.to_vec(),
        term: Term::Jump(to),
        loc,
        unroll: None,
        is_done: false,
        iteration: body.block(from).iteration,
    });
    let lead = |next: Block| if next == to { between } else { next };
    let term = &mut body.blocks[from.0 as usize].term;
    *term = match *term {
        Term::Jump(next) => Term::Jump(lead(next)),
        Term::Branch(condition, yes, no) => Term::Branch(condition, lead(yes), lead(no)),
        other => other,
    };
    for inst in body.block(to).insts.clone() {
        if let Op::Phi(blocks) = &mut body.insts[inst.0 as usize].op {
            for block in blocks.iter_mut().filter(|block| **block == from) {
                *block = between;
            }
        }
    }
}
