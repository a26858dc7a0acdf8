//! Loop-invariant code motion: moves what is the same in every iteration in front of its loop. Stores stay;
//! `scalar_promotion` takes them out.

use super::address::{may_alias, root};
use super::analyses::Analyses;
use super::natural_loops::{Natural, loops};
use super::operand_rank::order_sums;
use super::rewrite::Replaced;
use super::unroll_runtime;
use crate::hash::HashSet;
use crate::ir::graph::{Graph, home};
use crate::ir::{Block, Body, Cache, Effect, Inst, Mem, Op, Space, Value};
use crate::lower::KernelParam;

/// Before loops are unrolled, or behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Before,
    Behind,
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses, params: &[KernelParam], when: When) {
    let graph = analyses.graph(body);
    let mut all = loops(body, &graph);
    if when == When::Before {
        order_sums(body, &graph, all.iter().flat_map(|found| &found.blocks));
    }
    // Inner loops first, so that what leaves one may leave the next.
    all.sort_by_key(|found| found.blocks.len());
    let mut homes = graph.homes(body);
    for found in &all {
        // The loads of a loop in it that was unrolled were not known to be the same when NVIDIA's compiler moves them for the
        // first time: there that loop is unrolled just before the one around it is.
        let stays = when == When::Before && unroll_runtime::is_unrolled(body, &graph, found);
        move_out(body, &graph, found, &mut homes, params, stays);
    }
}

/// What `asm` computes that is the same in all iterations. LLVM moves that last, among the machine's instructions, and only then
/// does it see that two are the same: in front of a loop there is one.
pub(super) fn hoist_asm(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let mut all = loops(body, &graph);
    all.sort_by_key(|found| std::cmp::Reverse(found.blocks.len()));
    let mut replaced = Replaced::new(body);
    for found in &all {
        let blocks = in_order(&graph, found);
        let mut insts = blocks.iter().flat_map(|block| &body.block(*block).insts);
        if !insts.any(|inst| is_pure_asm(&body.inst(*inst).op)) {
            continue;
        }
        let own = blocks.iter().flat_map(|block| &body.block(*block).insts);
        let results = own.flat_map(|inst| body.inst(*inst).results.iter().copied());
        let mut inside: HashSet<Value> = results.collect();
        for block in blocks {
            for inst in body.block(block).insts.clone() {
                let data = body.inst(inst);
                if !is_pure_asm(&data.op) || data.args.iter().any(|arg| inside.contains(arg)) {
                    continue;
                }
                let is_same = |other: &&Inst| {
                    let other = body.inst(**other);
                    other.op == data.op && other.args == data.args
                };
                let same = body.block(found.before).insts.iter().find(is_same).copied();
                for (at, result) in data.results.iter().enumerate() {
                    inside.remove(result);
                    if let Some(same) = same {
                        replaced.set(*result, body.inst(same).results[at]);
                    }
                }
                body.blocks[block.0 as usize]
                    .insts
                    .retain(|other| *other != inst);
                if same.is_none() {
                    body.blocks[found.before.0 as usize].insts.push(inst);
                }
            }
        }
    }
    replaced.apply(body);
}

/// A loop's blocks, each after those that come before it but for ways back.
fn in_order(graph: &Graph, of: &Natural) -> Vec<Block> {
    let own = graph.order.iter().filter(|block| of.blocks.contains(block));
    own.copied().collect()
}

fn is_pure_asm(op: &Op) -> bool {
    op.is_asm() && op.effect() == Effect::Pure
}

fn move_out(
    body: &mut Body,
    graph: &Graph,
    of: &Natural,
    homes: &mut [Option<Block>],
    params: &[KernelParam],
    stays: bool,
) {
    let (stores, clobbers) = effects(body, of);
    for block in in_order(graph, of) {
        let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = body.inst(inst);
            let is_outside = |value: &Value| {
                home(body, homes, *value).is_none_or(|block| !of.blocks.contains(&block))
            };
            let may_move = match &data.op {
                Op::Phi(_) | Op::Store(_) => false,
                Op::Asm(_) => false,
                op @ Op::Intrinsic(_) => op.is_pure(),
                Op::Load(mem) if mem.is_volatile || stays && data.iteration != 0 => false,
                Op::Load(mem)
                    if mem.is_constant || matches!(mem.space, Space::Param | Space::Constant) =>
                {
                    always_runs(body, graph, of, block)
                }
                Op::Load(mem) => {
                    let from = root(body, data.args[0]);
                    let is_written = stores.iter().any(|(store, to)| {
                        (store.space == mem.space
                            || store.space == Space::Generic
                            || mem.space == Space::Generic)
                            && !store.origin.is_apart(mem.origin)
                            && may_alias(*to, from, params)
                    });
                    !clobbers
                        && !is_written
                        && mem.cache == Cache::Any
                        && always_runs(body, graph, of, block)
                }
                _ => true,
            };
            if may_move && data.args.iter().all(is_outside) {
                homes[inst.0 as usize] = Some(of.before);
                body.blocks[of.before.0 as usize].insts.push(inst);
            } else {
                kept.push(inst);
            }
        }
        body.blocks[block.0 as usize].insts = kept;
    }
}

/// Where the loop writes, and whether it may write anywhere.
fn effects(body: &Body, of: &Natural) -> (Vec<(Mem, super::address::Root)>, bool) {
    let (mut stores, mut clobbers) = (Vec::new(), false);
    for block in &of.blocks {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            match &data.op {
                Op::Store(mem) => stores.push((*mem, root(body, data.args[0]))),
                Op::Load(mem) => clobbers |= mem.is_volatile,
                op => clobbers |= op.may_write(),
            }
        }
    }
    (stores, clobbers)
}

/// Whether a block is run whenever its loop is entered: every way out comes after it.
pub(super) fn always_runs(body: &Body, graph: &Graph, of: &Natural, block: Block) -> bool {
    of.blocks.iter().all(|from| {
        let leaves = crate::ir::graph::successors(body.block(*from).term)
            .any(|next| !of.blocks.contains(&next));
        let goes_back =
            crate::ir::graph::successors(body.block(*from).term).any(|next| next == of.header);
        !(leaves || goes_back) || graph.dominates(block, *from)
    })
}
