//! Ways that differ by an instruction at most become one, with a choice between two values at its end, as in LLVM.

use crate::hash::HashSet;
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Inst, Op, Term, Ty, Un, Value};

/// Rounds, each of which takes ways that do not touch each other.
const ROUNDS: usize = 16;

/// Instructions of a way that are run whether or not it is taken.
const MOST: usize = 1;

/// The same where the other way has some, too.
const MOST_OF_BOTH: usize = 2;

/// The same where a way only asks for another part of a condition.
const MOST_OF_CONDITION: usize = 3;

/// Which ways become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    /// Those that ask for another part of a condition: `a || (b && c)`. So what `c` needs is not moved behind `b`.
    Conditions,
    All,
}

/// True if something changed.
pub(super) fn select(body: &mut Body, ways: Ways) -> bool {
    let mut changed = false;
    for _ in 0..ROUNDS {
        let graph = Graph::new(body);
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
        super::clean::blocks(body, false);
    }
    changed
}

fn flatten(body: &mut Body, graph: &Graph, block: Block, ways: Ways) -> bool {
    let Term::Branch(condition, yes, no) = body.block(block).term else {
        return false;
    };
    let is_side = |side: Block, to: Block, most: usize| {
        let is_cheap = |inst: &Inst| {
            let op = &body.inst(*inst).op;
            op.is_pure() && !matches!(op, Op::Load(_) | Op::Phi(_)) && !is_long(body, *inst)
        };
        side != to
            && graph.before[side.0 as usize] == [block]
            && body.block(side).term == Term::Jump(to)
            && body.block(side).insts.iter().all(is_cheap)
            && is_short(body, side, ways, most)
    };
    let next_of = |side: Block| match body.block(side).term {
        Term::Jump(next) => Some(next),
        _ => None,
    };
    // Where both ways meet, and the blocks from which they come there.
    let (meet, from_yes, from_no) = match () {
        () if is_side(yes, no, MOST) => (no, yes, block),
        () if is_side(no, yes, MOST) => (yes, block, no),
        () => match next_of(yes) {
            Some(next) if is_side(yes, next, MOST_OF_BOTH) && is_side(no, next, MOST_OF_BOTH) => {
                (next, yes, no)
            }
            _ => return false,
        },
    };
    if meet == block || ways == Ways::Conditions && !joins_conditions(body, meet) {
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

fn is_short(body: &Body, side: Block, ways: Ways, most: usize) -> bool {
    let insts = &body.block(side).insts;
    let is_condition = |inst: &Inst| {
        let results = &body.inst(*inst).results;
        results
            .first()
            .is_some_and(|result| body.ty(*result) == Ty::Pred)
    };
    match ways {
        Ways::Conditions => insts.len() <= MOST_OF_CONDITION && insts.iter().all(is_condition),
        Ways::All => insts.len() <= most,
    }
}

/// Whether all that meets in a block is conditions.
fn joins_conditions(body: &Body, meet: Block) -> bool {
    let insts = body.block(meet).insts.iter().map(|inst| body.inst(*inst));
    let mut phis = insts
        .filter(|inst| matches!(inst.op, Op::Phi(_)))
        .peekable();
    phis.peek().is_some() && phis.all(|phi| body.ty(phi.results[0]) == Ty::Pred)
}

/// What is not run for nothing: what takes long, and functions of floats, which are calls to NVIDIA's compiler yet.
fn is_long(body: &Body, inst: Inst) -> bool {
    let data = body.inst(inst);
    match &data.op {
        Op::Bin(Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS) => true,
        Op::Bin(Bin::Min | Bin::Max) | Op::Un(Un::Sqrt) | Op::Fma => true,
        Op::Un(Un::Abs) => body.ty(data.results[0]).is_float(),
        _ => false,
    }
}

fn chosen(body: &mut Body, block: Block, args: [Value; 3], loc: crate::ir::Loc) -> Value {
    let ty = body.ty(args[1]);
    let inst = body.make(Op::Select, &[ty], args, loc);
    body.blocks[block.0 as usize].insts.push(inst);
    body.inst(inst).results[0]
}
