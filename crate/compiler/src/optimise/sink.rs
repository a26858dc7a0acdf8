//! Sinking: moves what only one way needs behind the branch that decides, loads too. By the rule that NVIDIA's compiler
//! seems to follow: a group of instructions moves if all that needs them stands in one block, and if no more values are
//! kept over the branch than before.

use super::analyses::Analyses;
use super::natural_loops::{Natural, loops};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Def, Inst, Instruction, Op, Term, Ty, Value};

/// Instructions that hang together beyond which it is not tried which of them could move.
const LARGEST: usize = 400;

/// The blocks in which each value is used, and by what.
pub(super) struct Uses {
    /// By value: where its uses begin in `all`; behind the last the end.
    starts: Vec<u32>,
    all: Vec<(Option<Inst>, Block)>,
}

impl Uses {
    pub(super) fn of(&self, value: Value) -> &[(Option<Inst>, Block)] {
        let at = value.0 as usize;
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub(super) fn of_mut(&mut self, value: Value) -> &mut [(Option<Inst>, Block)] {
        let at = value.0 as usize;
        &mut self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Whether what only a loop needs moves behind the branch that decides whether the loop is entered. Before loops are unrolled
/// it does not: then several copies of the loop will need it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BeforeLoops {
    Stay,
    Move,
}

/// What stands behind an instruction in its block.
#[derive(Default, Clone, Copy)]
struct Behind {
    writes: bool,
    /// No load moves over `asm`, whatever it says.
    has_asm: bool,
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses, before_loops: BeforeLoops) {
    let graph = analyses.graph(body);
    let mut uses = uses(body, &graph);
    let loops = match before_loops {
        BeforeLoops::Stay => loops(body, &graph),
        BeforeLoops::Move => Vec::new(),
    };
    for block in graph.order.iter().rev() {
        let Term::Branch(_, yes, no) = body.block(*block).term else {
            continue;
        };
        for next in [yes, no] {
            if graph.before[next.0 as usize] == [*block] {
                sink_into(body, &graph, &loops, &mut uses, (*block, next));
            }
        }
    }
}

pub(super) fn uses(body: &Body, graph: &Graph) -> Uses {
    let mut starts = vec![0_u32; body.values.len() + 2];
    each_use(body, graph, |value, _, _| starts[value.0 as usize + 2] += 1);
    let mut count = 0;
    for start in &mut starts {
        count += *start;
        *start = count;
    }
    let mut all = vec![(None, Block(0)); count as usize];
    each_use(body, graph, |value, inst, block| {
        let next = &mut starts[value.0 as usize + 1];
        all[*next as usize] = (inst, block);
        *next += 1;
    });
    Uses { starts, all }
}

/// Calls with each value that is used, by what and in which block.
fn each_use(body: &Body, graph: &Graph, mut note: impl FnMut(Value, Option<Inst>, Block)) {
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            match &data.op {
                Op::Phi(from) => data
                    .args
                    .iter()
                    .zip(from)
                    .for_each(|(arg, from)| note(*arg, None, *from)),
                _ => data
                    .args
                    .iter()
                    .for_each(|arg| note(*arg, Some(*inst), *block)),
            }
        }
        if let Term::Branch(condition, ..) = body.block(*block).term {
            note(condition, None, *block);
        }
    }
}

fn sink_into(
    body: &mut Body,
    graph: &Graph,
    loops: &[Natural],
    uses: &mut Uses,
    (from, to): (Block, Block),
) {
    let insts = body.block(from).insts.clone();
    let mut chosen: HashSet<Inst> = HashSet::default();
    let mut behind = Behind::default();
    for inst in insts.iter().rev() {
        let data = body.inst(*inst);
        // What moves too is then there.
        let place = |(by, at): &(Option<Inst>, Block)| match by {
            Some(by) if chosen.contains(by) => to,
            _ => *at,
        };
        let only_there = |value: &Value| {
            let mut places = uses.of(*value).iter().map(place);
            places.next().is_none_or(|first| {
                first != from
                    && graph.dominates(to, first)
                    && places.all(|place| place == first)
                    && !loops.iter().any(|found| found.is_entered(from, first))
            })
        };
        let is_used = |value: &Value| !uses.of(*value).is_empty();
        let is_used = data.results.iter().any(is_used);
        let all = data.results.iter().all(only_there);
        if is_used && all && may_move(body, uses, *inst, behind) {
            chosen.insert(*inst);
        }
        behind.writes |= has_effect(&data.op);
        behind.has_asm |= data.op.is_asm();
    }
    let mut moved = Vec::new();
    for group in groups(body, &insts, &chosen) {
        let kept = pruned(body, graph, uses, from, &group);
        if kept.is_empty() {
            continue;
        }
        for inst in &kept {
            for arg in &body.inst(*inst).args {
                for (by, at) in uses.of_mut(*arg) {
                    if *by == Some(*inst) {
                        *at = to;
                    }
                }
            }
        }
        moved.push(loads_first(body, &kept));
    }
    let gone: HashSet<Inst> = moved.iter().flatten().copied().collect();
    if gone.is_empty() {
        return;
    }
    let insts = &mut body.blocks[from.0 as usize].insts;
    insts.retain(|inst| !gone.contains(inst));
    // The last group stands first.
    let target = &mut body.blocks[to.0 as usize].insts;
    target.splice(0..0, moved.into_iter().rev().flatten());
}

/// A group with the arithmetic of floats behind what loads them, so that the loads wait together: the driver's compiler does
/// not part them much from what stands between them.
fn loads_first(body: &Body, group: &[Inst]) -> Vec<Inst> {
    let mut wanted: HashSet<Value> = HashSet::default();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for inst in group.iter().rev() {
        let data = body.inst(*inst);
        let is_arithmetic = matches!(data.op, Op::Bin(_) | Op::Un(_) | Op::Fma)
            && body.ty(data.results[0]).is_float();
        if is_arithmetic && !data.results.iter().any(|result| wanted.contains(result)) {
            last.push(*inst);
        } else {
            wanted.extend(&data.args);
            first.push(*inst);
        }
    }
    first.reverse();
    first.extend(last.into_iter().rev());
    first
}

/// The chosen instructions in groups that share no value, each in order. The groups follow each other as their last
/// instructions do.
fn groups(body: &Body, insts: &[Inst], chosen: &HashSet<Inst>) -> Vec<Vec<Inst>> {
    let chosen: Vec<Inst> = (insts.iter().copied())
        .filter(|inst| chosen.contains(inst))
        .collect();
    let number: HashMap<Inst, usize> = (chosen.iter().enumerate())
        .map(|(number, inst)| (*inst, number))
        .collect();
    // By instruction: a later one of its group, or itself, which is the group's last then.
    let mut later: Vec<usize> = (0..chosen.len()).collect();
    for (at, inst) in chosen.iter().enumerate() {
        for arg in &body.inst(*inst).args {
            if let Def::Inst(def, _) = body.values[arg.0 as usize].1
                && let Some(other) = number.get(&def)
            {
                let last = last_of(&mut later, *other);
                later[last] = at;
            }
        }
    }
    let mut groups: Vec<Vec<Inst>> = vec![Vec::new(); chosen.len()];
    for (at, inst) in chosen.iter().enumerate() {
        groups[last_of(&mut later, at)].push(*inst);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The last of a group; the way there is shortened.
fn last_of(later: &mut [usize], of: usize) -> usize {
    let mut at = of;
    while later[at] != at {
        later[at] = later[later[at]];
        at = later[at];
    }
    at
}

/// The last instructions of a group that can move without more values being kept.
fn pruned(body: &Body, graph: &Graph, uses: &Uses, from: Block, group: &[Inst]) -> Vec<Inst> {
    if group.len() > LARGEST {
        return Vec::new();
    }
    for start in 0..group.len() {
        let moved: HashSet<Inst> = group[start..].iter().copied().collect();
        let is_moved = |by: &Option<Inst>| by.is_some_and(|by| moved.contains(&by));
        let mut kept = HashSet::default();
        let mut spared = 0;
        for inst in &moved {
            let data = body.inst(*inst);
            for arg in &data.args {
                let Def::Inst(mut def, _) = body.values[arg.0 as usize].1 else {
                    continue;
                };
                let mut arg = arg;
                if !moved.contains(&def)
                    && let Some(base) = base(body, def)
                    && let Def::Inst(other, _) = body.values[base.0 as usize].1
                {
                    (arg, def) = (base, other);
                }
                // What is wanted behind the branch is kept anyway.
                let is_behind = |(by, at): &(Option<Inst>, Block)| {
                    !is_moved(by) && *at != from && leads_to(body, graph, from, *at)
                };
                let is_new = !moved.contains(&def) && !uses.of(*arg).iter().any(is_behind);
                if is_new && !is_free(body, body.inst(def)) {
                    kept.insert(*arg);
                }
            }
            spared += data
                .results
                .iter()
                .filter(|result| uses.of(**result).iter().any(|(by, _)| !is_moved(by)))
                .count();
        }
        if kept.len() <= spared {
            return group[start..].to_vec();
        }
    }
    Vec::new()
}

/// Whether control gets from a block to another that does not stand before it.
fn leads_to(body: &Body, graph: &Graph, from: Block, to: Block) -> bool {
    let place = |block: Block| graph.place[block.0 as usize];
    let mut seen = HashSet::default();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if block == to {
            return true;
        }
        let next = successors(body.block(block).term);
        open.extend(next.filter(|next| place(*next) <= place(to) && seen.insert(*next)));
    }
    false
}

/// What an address of so many bytes more is computed from, which costs nothing where it is used.
pub(super) fn base(body: &Body, inst: Inst) -> Option<&Value> {
    let data = body.inst(inst);
    let is_sum = data.op.is_bin(Bin::Add) && body.ty(data.results[0]) == Ty::B64;
    (is_sum && body.constant(data.args[1]).is_some()).then(|| &data.args[0])
}

/// What is there without being kept: parameters and what lies in the module, as addresses of a space too.
pub(super) fn is_free(body: &Body, inst: &Instruction) -> bool {
    match &inst.op {
        Op::Param(_) | Op::Symbol(_) | Op::Slot(_) | Op::ParamAddress(_) => true,
        Op::FromGeneric(_) => body
            .def(inst.args[0])
            .is_some_and(|of| matches!(of.op, Op::Param(_))),
        _ => false,
    }
}

fn may_move(body: &Body, uses: &Uses, inst: Inst, behind: Behind) -> bool {
    match &body.inst(inst).op {
        Op::Phi(_) | Op::Store(_) => false,
        Op::Load(mem) => !mem.is_volatile && !behind.has_asm && (mem.is_constant || !behind.writes),
        // What `asm` says stays where threads come to it together.
        Op::Asm(_) => false,
        op @ Op::Intrinsic(_) => op.is_pure(),
        Op::Bin(Bin::Add) => !takes_product_in(body, uses, inst),
        _ => true,
    }
}

/// Whether a sum will be one operation with a product, and what is added is no constant: such a sum stays.
pub(super) fn takes_product_in(body: &Body, uses: &Uses, inst: Inst) -> bool {
    let args = &body.inst(inst).args;
    let is_sum =
        |(by, _): &(Option<Inst>, Block)| by.is_some_and(|by| body.inst(by).op.is_bin(Bin::Add));
    let is_product = |arg: &Value| {
        let is_product = body.def(*arg).is_some_and(|def| def.op.is_bin(Bin::Mul));
        is_product && uses.of(*arg).iter().all(is_sum)
    };
    body.ty(args[0]).is_float()
        && args.iter().any(is_product)
        && args.iter().all(|arg| body.constant(*arg).is_none())
}

fn has_effect(op: &Op) -> bool {
    match op {
        Op::Store(_) => true,
        op => op.may_write(),
    }
}
