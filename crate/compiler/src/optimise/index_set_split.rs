//! Index set splitting: splits a loop that leaves out one iteration, or does something else in one, in what is before
//! it, the iteration itself, and what is behind, as NVIDIA's compiler does where there is known to be a number behind
//! that iteration's.

use super::analyses::Analyses;
use super::loop_clone::{Copied, Shape, inst_of, make_phi, new_block, set_ways};
use super::natural_loops::{Natural, loops};
use super::trip_count::append;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Cmp, Def, Inst, Op, Term, Ty, Value};

/// Only the loop of a kernel that has no other one is split: so it was found for NVIDIA's compiler.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> bool {
    let graph = analyses.graph(body);
    let is_back = |from: Block, to: Block| graph.dominates(to, from);
    let ways = (graph.order.iter())
        .flat_map(|block| successors(body.block(*block).term).map(|next| (*block, next)));
    let mut headers: Vec<Block> = ways
        .filter(|(from, to)| is_back(*from, *to))
        .map(|(_, header)| header)
        .collect();
    headers.dedup();
    if headers.len() != 1 {
        return false;
    }
    let plan = loops(body, &graph)
        .first()
        .and_then(|natural| Plan::new(body, &graph, natural));
    match plan {
        Some(plan) => {
            plan.carry_out(body);
            true
        }
        None => false,
    }
}

/// A loop that will be split.
struct Plan {
    shape: Shape,
    /// The number that is counted, and which iteration is another one.
    phi: Inst,
    other: Value,
    bound: Value,
    /// Where all others go on.
    go_on: Block,
}

impl Plan {
    fn new(body: &Body, graph: &Graph, natural: &Natural) -> Option<Self> {
        let Term::Branch(asked, yes, no) = body.block(natural.header).term else {
            return None;
        };
        let go_on = match body.def(asked)?.op {
            Op::Cmp(Cmp::Eq) => no,
            Op::Cmp(Cmp::Ne) => yes,
            _ => return None,
        };
        let shape = Shape::new(body, graph, natural)?;
        let (number, other) = (body.def(asked)?.args[0], body.def(asked)?.args[1]);
        let of = |number: Value| {
            let is_it = |phi: &&Inst| body.inst(**phi).results.first() == Some(&number);
            shape.phis.iter().find(is_it).copied()
        };
        let (phi, other) = match of(number) {
            Some(phi) => (phi, other),
            None => (of(other)?, number),
        };
        let own: HashSet<Inst> = (shape.blocks.iter())
            .flat_map(|block| body.block(*block).insts.iter().copied())
            .collect();
        let inside = |value: Value| match body.values[value.0 as usize].1 {
            Def::Inst(inst, _) => own.contains(&inst),
            _ => false,
        };
        let counted = body.inst(phi).results[0];
        let next = shape.arg(body, phi, shape.latch)?;
        let sum = body.def(next)?;
        let is_by_one = sum.op.is_bin(Bin::Add)
            && sum.args[0] == counted
            && body.constant(sum.args[1]) == Some(1);
        // It goes on as long as the next number is less than the bound.
        let Term::Branch(test, yes, _) = body.block(shape.latch).term else {
            return None;
        };
        let test = body.def(test)?;
        let is_up = test.op == Op::Cmp(Cmp::LtS) && test.args[0] == next && yes == shape.header;
        let bound = *test.args.get(1)?;
        let is_fixed = !inside(bound) && !inside(other) && body.constant(other).is_none();
        let is_meant = is_by_one && is_up && is_fixed && body.ty(counted) == Ty::B32;
        (is_meant && is_less(body, graph, natural.before, other)).then_some(Self {
            shape,
            phi,
            other,
            bound,
            go_on,
        })
    }

    fn carry_out(&self, body: &mut Body) {
        let shape = &self.shape;
        let loc = body.block(shape.header).loc;
        let [enter, middle, behind, out] = [(); 4].map(|()| new_block(body, loc));
        let ends = shape.lead_out(body, out);
        let first = shape.copy(body, HashMap::default());
        let carried = self.carried(body);
        let mut between: HashMap<Value, Value> = HashMap::default();
        for way in &carried {
            let ways = [(shape.before, way.begin), (first.latch, first.of(way.next))];
            let made = make_phi(body, middle, ways);
            between.insert(way.result, body.inst(made).results[0]);
        }
        let single = shape.copy(body, between.clone());
        for way in &carried {
            let (first_next, single_next) = (first.of(way.next), single.of(way.next));
            if let Some(copy) = inst_of(body, first.of(way.result)) {
                set_ways(body, copy, [(enter, way.begin), (first.latch, first_next)]);
            }
            let ways = [(behind, single_next), (shape.latch, way.next)];
            set_ways(body, way.phi, ways);
        }
        for (value, end) in ends {
            let none = body.make_undefined(body.ty(value));
            let ways = [(shape.before, none), (first.latch, first.of(value))];
            let phi = make_phi(body, middle, ways);
            let early = (middle, body.inst(phi).results[0]);
            let late = [(single.latch, single.of(value)), (shape.latch, value)];
            set_ways(body, end, [early, late[0], late[1]]);
        }
        // Neither of the loops asks any more.
        body.blocks[first.header.0 as usize].term = Term::Jump(first.block(self.go_on));
        body.blocks[shape.header.0 as usize].term = Term::Jump(self.go_on);
        for (block, next) in [(enter, first.header), (behind, shape.header)] {
            body.blocks[block.0 as usize].term = Term::Jump(next);
        }
        set_exit(
            body,
            single.latch,
            (single.header, behind),
            (shape.exit, out),
        );
        let back = (shape.header, shape.header);
        set_exit(body, shape.latch, back, (shape.exit, out));
        self.bound_first(
            body,
            &carried,
            &between,
            &first,
            [enter, middle, out, single.header],
        );
    }

    /// The first part ends where the other iteration begins, or where all ends.
    fn bound_first(
        &self,
        body: &mut Body,
        carried: &[Carried],
        between: &HashMap<Value, Value>,
        first: &Copied,
        [enter, middle, out, single]: [Block; 4],
    ) {
        let (before, loc) = (self.shape.before, body.block(self.shape.header).loc);
        let Some(counted) = carried.iter().find(|way| way.phi == self.phi) else {
            return;
        };
        let nearer = [self.other, self.bound];
        let end = append(body, before, Op::Bin(Bin::MinS), Ty::B32, nearer, loc);
        let now = between.get(&counted.result).copied().unwrap_or(end);
        for (block, cmp, args, yes, no) in [
            (before, Cmp::LtS, [counted.begin, end], enter, middle),
            (
                first.latch,
                Cmp::LtS,
                [first.of(counted.next), end],
                first.header,
                middle,
            ),
            (middle, Cmp::GeS, [now, self.bound], out, single),
        ] {
            let test = append(body, block, Op::Cmp(cmp), Ty::Pred, args, loc);
            body.blocks[block.0 as usize].term = Term::Branch(test, yes, no);
        }
    }

    fn carried(&self, body: &Body) -> Vec<Carried> {
        let shape = &self.shape;
        let of = |phi: &Inst| {
            Some(Carried {
                phi: *phi,
                result: body.inst(*phi).results[0],
                begin: shape.arg(body, *phi, shape.before)?,
                next: shape.arg(body, *phi, shape.latch)?,
            })
        };
        shape.phis.iter().filter_map(of).collect()
    }
}

/// What the loop carries from one iteration to the next.
struct Carried {
    phi: Inst,
    result: Value,
    begin: Value,
    next: Value,
}

/// Leads the ways of a loop's end to other blocks.
fn set_exit(body: &mut Body, latch: Block, back: (Block, Block), exit: (Block, Block)) {
    let turn = |next: Block| match next {
        next if next == back.0 => back.1,
        next if next == exit.0 => exit.1,
        next => next,
    };
    let term = &mut body.blocks[latch.0 as usize].term;
    if let Term::Branch(condition, yes, no) = *term {
        *term = Term::Branch(condition, turn(yes), turn(no));
    }
}

/// Whether a branch on every way to a block has told that a number is less than another one: then there is one behind it.
fn is_less(body: &Body, graph: &Graph, block: Block, number: Value) -> bool {
    let mut next = block;
    while let Some(at) = graph.dominator(next) {
        if let Term::Branch(condition, yes, no) = body.block(at).term
            && graph.before[next.0 as usize] == [at]
            && yes != no
            && let Some(test) = body.def(condition)
        {
            let is_told = match (&test.op, &test.args[..]) {
                (Op::Cmp(Cmp::LtS), [a, _]) if yes == next => *a == number,
                (Op::Cmp(Cmp::GeS), [a, _]) if no == next => *a == number,
                (Op::Cmp(Cmp::GtS), [_, b]) if yes == next => *b == number,
                (Op::Cmp(Cmp::LeS), [_, b]) if no == next => *b == number,
                _ => false,
            };
            if is_told {
                return true;
            }
        }
        next = at;
    }
    false
}
