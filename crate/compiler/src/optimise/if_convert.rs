//! If-conversion: ways that differ by few instructions become one, with a choice between two values at its end, as in
//! LLVM's `SimplifyCFG`.

use super::analyses::Analyses;
use crate::hash::HashSet;
use crate::ir::graph::{Graph, successors};
use crate::ir::intrinsics::InstructionCost;
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Term, Ty, Un, Value};

/// Rounds, each of which takes ways that do not touch each other.
const ROUNDS: usize = 16;

/// What an only way may cost to be run whether or not it is taken, whatever is chosen at its end.
const MOST: usize = 1;

/// What each of the ways may cost where no more than [`MOST_CHOSEN`] values are chosen at their end.
const MOST_OF_EACH: usize = 5;

const MOST_CHOSEN: usize = 3;

/// What both may cost together before the last instruction of a value is looked at.
const MOST_BEFORE: usize = 3;

/// Instructions of a way that only asks for another part of a condition.
const MOST_OF_CONDITION: usize = 3;

/// Which ways become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    /// Those that ask for another part of a condition: `a || (b && c)`. So what `c` needs is not moved behind `b`.
    Conditions,
    All,
}

/// True if something changed.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, ways: Ways) -> bool {
    let mut changed = false;
    for _ in 0..ROUNDS {
        let graph = analyses.graph(body);
        let mut touched: HashSet<Block> = HashSet::default();
        for block in graph.order.iter().rev() {
            if !matches!(body.block(*block).term, Term::Branch(..)) {
                continue;
            }
            let around: Vec<Block> = successors(body.block(*block).term)
                .flat_map(|next| [next].into_iter().chain(successors(body.block(next).term)))
                .collect();
            let is_free =
                !touched.contains(block) && !around.iter().any(|other| touched.contains(other));
            if is_free && flatten(body, &graph, *block, ways) {
                touched.insert(*block);
                touched.extend(around);
            }
        }
        if touched.is_empty() {
            break;
        }
        changed = true;
        super::simplify_cfg::run(body, analyses, false);
    }
    changed
}

fn flatten(body: &mut Body, graph: &Graph, block: Block, ways: Ways) -> bool {
    let Term::Branch(condition, yes, no) = body.block(block).term else {
        return false;
    };
    let is_side = |side: Block, to: Block| {
        let insts = &body.block(side).insts;
        graph.before[side.0 as usize] == [block]
            && body.block(side).term == Term::Jump(to)
            && insts.len() <= MOST_OF_EACH
            && insts.iter().all(|inst| is_quick(body, *inst))
            && (ways == Ways::All || is_condition(body, side))
            && side != to
    };
    let next_of = |side: Block| match body.block(side).term {
        Term::Jump(next) => Some(next),
        _ => None,
    };
    // Where both ways meet, and the blocks from which they come there.
    let (meet, from_yes, from_no) = match () {
        () if is_side(yes, no) => (no, yes, block),
        () if is_side(no, yes) => (yes, block, no),
        () => match next_of(yes) {
            Some(next) if is_side(yes, next) && is_side(no, next) => (next, yes, no),
            _ => return false,
        },
    };
    let is_wanted = || match ways {
        Ways::Conditions => joins_conditions(body, meet),
        Ways::All => Cost::is_low(body, meet, block, [from_yes, from_no]),
    };
    if meet == block || !is_wanted() {
        return false;
    }
    for side in [from_yes, from_no]
        .into_iter()
        .filter(|side| *side != block)
    {
        let moved = std::mem::take(&mut body.blocks[side.0 as usize].insts);
        body.blocks[block.0 as usize].insts.extend(moved);
        body.blocks[side.0 as usize].term = Term::None;
    }
    for inst in body.block(meet).insts.clone() {
        let data = body.inst(inst);
        let Op::Phi(from) = &data.op else { continue };
        let (from, given, loc) = (from.clone(), data.args.clone(), data.loc);
        let of = |side: Block| {
            from.iter()
                .position(|other| *other == side)
                .map(|at| given[at])
        };
        let (Some(a), Some(b)) = (of(from_yes), of(from_no)) else {
            continue;
        };
        let value = if a == b {
            a
        } else {
            chosen(body, block, [condition, a, b], loc)
        };
        let mut blocks = vec![block];
        let mut args = vec![value];
        for (other, arg) in from.iter().zip(&given) {
            if *other != from_yes && *other != from_no {
                blocks.push(*other);
                args.push(*arg);
            }
        }
        let data = &mut body.insts[inst.0 as usize];
        data.op = Op::Phi(blocks);
        data.args = args.into();
    }
    body.blocks[block.0 as usize].term = Term::Jump(meet);
    true
}

/// Whether a way is a part of a condition.
fn is_condition(body: &Body, side: Block) -> bool {
    let insts = &body.block(side).insts;
    let is_condition = |inst: &Inst| {
        let results = &body.inst(*inst).results;
        results
            .first()
            .is_some_and(|result| body.ty(*result) == Ty::Pred)
    };
    insts.len() <= MOST_OF_CONDITION && insts.iter().all(is_condition)
}

/// Whether all that meets in a block is conditions.
fn joins_conditions(body: &Body, meet: Block) -> bool {
    let insts = body.block(meet).insts.iter().map(|inst| body.inst(*inst));
    let mut phis = insts
        .filter(|inst| matches!(inst.op, Op::Phi(_)))
        .peekable();
    phis.peek().is_some() && phis.all(|phi| body.ty(phi.results[0]) == Ty::Pred)
}

/// What two ways cost, counted as LLVM does: from each value that is chosen at their end to what it follows from.
struct Cost<'a> {
    body: &'a Body,
    ways: [Block; 2],
    of_each: [usize; 2],
    seen: HashSet<Inst>,
}

impl<'a> Cost<'a> {
    /// Whether two ways from a block to where they meet may be run both; one of them may be the block itself.
    fn is_low(body: &'a Body, meet: Block, block: Block, ways: [Block; 2]) -> bool {
        let own = ways.iter().filter(|way| **way != block);
        let insts: Vec<Inst> = (own.clone())
            .flat_map(|way| body.block(*way).insts.iter().copied())
            .collect();
        let whole: usize = insts.iter().map(|inst| cost(body, *inst)).sum();
        if own.count() < 2 && whole <= MOST {
            return true;
        }
        let chosen = chosen_values(body, meet, ways);
        let mut cost = Self {
            body,
            ways: ways.map(|way| if way == block { meet } else { way }),
            of_each: [0; 2],
            seen: HashSet::default(),
        };
        chosen.len() <= MOST_CHOSEN
            && chosen
                .iter()
                .flatten()
                .all(|value| cost.takes(*value, true))
            && insts.iter().all(|inst| cost.seen.contains(inst))
    }

    /// Counts what a value follows from; false where that is too much.
    fn takes(&mut self, value: Value, is_last: bool) -> bool {
        let Def::Inst(inst, _) = self.body.values[value.0 as usize].1 else {
            return true;
        };
        let is_of = |way: &Block| self.body.block(*way).insts.contains(&inst);
        let Some(way) = self.ways.iter().position(is_of) else {
            return true;
        };
        let data = self.body.inst(inst);
        if matches!(data.op, Op::Phi(_)) || self.seen.contains(&inst) {
            return true;
        }
        if is_last && self.of_each.iter().sum::<usize>() > MOST_BEFORE {
            return false;
        }
        self.of_each[way] += cost(self.body, inst);
        self.seen.insert(inst);
        self.of_each[way] <= MOST_OF_EACH && data.args.iter().all(|arg| self.takes(*arg, false))
    }
}

/// The pairs of values between which two ways choose where they meet.
fn chosen_values(body: &Body, meet: Block, ways: [Block; 2]) -> Vec<[Value; 2]> {
    let mut found = Vec::new();
    for inst in &body.block(meet).insts {
        let data = body.inst(*inst);
        let Op::Phi(from) = &data.op else { continue };
        let of = |way: Block| from.iter().position(|other| *other == way);
        if let [Some(a), Some(b)] = ways.map(of)
            && data.args[a] != data.args[b]
        {
            found.push([data.args[a], data.args[b]]);
        }
    }
    found
}

/// How many instructions it is to LLVM.
fn cost(body: &Body, inst: Inst) -> usize {
    match &body.inst(inst).op {
        Op::Un(Un::Abs) => 3,
        Op::Bin(Bin::MinU | Bin::MinS | Bin::MaxU | Bin::MaxS) => 2,
        op => match op.cost() {
            Some(InstructionCost::Instructions(count)) => count,
            _ => 1,
        },
    }
}

/// What may be run whether or not it is wanted.
pub(super) fn is_quick(body: &Body, inst: Inst) -> bool {
    let op = &body.inst(inst).op;
    op.is_pure() && !matches!(op, Op::Load(_) | Op::Phi(_)) && !is_long(body, inst)
}

/// What is not run for nothing: what takes long, and functions, which are calls to NVIDIA's compiler yet.
fn is_long(body: &Body, inst: Inst) -> bool {
    let data = body.inst(inst);
    match &data.op {
        Op::Bin(Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS) => true,
        Op::Bin(Bin::Min | Bin::Max) | Op::Un(Un::Sqrt) | Op::Fma => true,
        Op::Un(Un::Abs) => body.ty(data.results[0]).is_float(),
        op => op.cost() == Some(InstructionCost::Long),
    }
}

fn chosen(body: &mut Body, block: Block, args: [Value; 3], loc: crate::ir::Loc) -> Value {
    let ty = body.ty(args[1]);
    let inst = body.make(Op::Select, &[ty], args, loc);
    body.blocks[block.0 as usize].insts.push(inst);
    body.inst(inst).results[0]
}
