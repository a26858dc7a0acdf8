//! Runtime unrolling: runs several iterations at a time of loops whose length is known only when they are entered, by
//! LLVM's rules, and unrolls those whose length is the same for each thread of a block. Those that run over constants
//! are unrolled in `lower::loops`, `unroll_full` and `unroll_partial`.

use super::analyses::Analyses;
use super::loop_clone::{Copied, Shape, inst_of, make_phi, new_block, set_ways};
use super::natural_loops::{Natural, loops};
use super::trip_count::{Trips, append};
use crate::hash::HashMap;
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Cmp, Cvt, Inst, Loc, Op, Term, Ty, Value};

/// Instructions of all iterations that run at a time, as it was found for NVIDIA's compiler.
pub(super) const MOST_TOGETHER: usize = 200;

/// Instructions of a loop up to which two iterations run at a time.
const FOR_TWO: usize = 94;

/// Loops in no other that have no more iterations than this are not unrolled where their length is known only when they are
/// entered.
const FEW_TRIPS: u64 = 20;

/// Instructions that all iterations at a time have together, where the source says how many those are.
pub(super) const MOST_ASKED: usize = 4096;

/// The same of a loop whose iterations are all there are, where the source does not ask for it.
pub(super) const MOST_WHOLLY: usize = 400;

/// What a division counts.
const OF_DIVISION: usize = 4;

/// Arguments of the source's PTX that count as an instruction.
const MANY: usize = 16;

/// If a loop was unrolled, where the loops begin that run what is left over. A block has so many threads at most, where that is
/// known.
pub(super) fn run(
    body: &mut Body,
    analyses: &mut Analyses,
    threads: Option<u64>,
) -> Option<Vec<Block>> {
    let graph = analyses.graph(body);
    let (mut plans, mut whole) = (Vec::new(), Vec::new());
    for natural in loops(body, &graph) {
        match Plan::of_all(body, &graph, &natural, threads) {
            Some(plan) => whole.push(plan),
            None => plans.extend(Plan::new(body, &graph, &natural)),
        }
    }
    let rests = plans
        .iter()
        .filter_map(|plan| plan.carry_out(body))
        .collect();
    for plan in &whole {
        plan.begin_for_sure(body, &graph);
        plan.carry_out_wholly(body);
    }
    (!plans.is_empty() || !whole.is_empty()).then_some(rests)
}

/// Whether a loop will be unrolled that belongs to none that was unrolled already.
pub(super) fn is_unrolled(body: &Body, graph: &Graph, natural: &Natural) -> bool {
    let Some(plan) = Plan::new(body, graph, natural) else {
        return false;
    };
    let Term::Branch(condition, ..) = body.block(plan.shape.latch).term else {
        return false;
    };
    body.def(condition).is_some_and(|test| test.iteration == 0)
}

/// Whether a loop stands in another: in one that was unrolled, or what is before it comes behind it again.
fn is_in_another(body: &Body, shape: &Shape) -> bool {
    let latch = body.block(shape.latch);
    if let Term::Branch(condition, ..) = latch.term
        && body.def(condition).is_some_and(|test| test.iteration != 0)
    {
        return true;
    }
    let mut seen = vec![false; body.blocks.len()];
    let mut open = vec![shape.header];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.0 as usize], true) {
            open.extend(successors(body.block(block).term));
        }
    }
    seen[shape.before.0 as usize]
}

/// A loop that will be unrolled.
struct Plan {
    shape: Shape,
    /// Iterations at a time.
    count: u32,
}

/// One of the two loops that there are then: that of several iterations at a time, and that of the rest.
struct Part<'a> {
    enter: Block,
    header: Block,
    phis: Vec<Inst>,
    /// The iteration that it ends with.
    last: &'a Copied,
}

impl Plan {
    fn new(body: &Body, graph: &Graph, natural: &Natural) -> Option<Self> {
        let shape = Shape::new(body, graph, natural)?;
        let count = at_a_time(body, shape.header, &shape.blocks)?;
        let trips = Trips::new(body, shape.header, shape.latch, &shape.blocks)?;
        let is_asked = body.block(shape.header).unroll.is_some();
        let has_few = || trips.most(body).is_some_and(|most| most <= FEW_TRIPS);
        if !is_asked && has_few() && !is_in_another(body, &shape) {
            return None;
        }
        Some(Self { shape, count })
    }

    /// For a loop that has so many iterations in each thread, few enough to stand one behind the other.
    fn of_all(body: &Body, graph: &Graph, natural: &Natural, threads: Option<u64>) -> Option<Self> {
        let shape = Shape::new(body, graph, natural)?;
        let trips = Trips::new(body, shape.header, shape.latch, &shape.blocks)?;
        let count = u32::try_from(trips.of_all_threads(body, threads)?).ok()?;
        let all = size(body, &shape.blocks).checked_mul(count as usize)?;
        let fits = match body.block(shape.header).unroll {
            Some(asked) => count <= asked && all <= MOST_ASKED,
            None => all <= MOST_WHOLLY,
        };
        (fits && count > 1).then_some(Self { shape, count })
    }

    /// Takes away the question whether there is an iteration at all.
    fn begin_for_sure(&self, body: &mut Body, graph: &Graph) {
        let shape = &self.shape;
        let trips = Trips::new(body, shape.header, shape.latch, &shape.blocks);
        let [asks] = graph.before[shape.before.0 as usize] else {
            return;
        };
        if let (Term::Branch(condition, yes, _), Some(trips)) = (body.block(asks).term, trips)
            && yes == shape.before
            && trips.begins_if(body, condition)
        {
            body.blocks[asks.0 as usize].term = Term::Jump(shape.before);
        }
    }

    /// One iteration behind the other, and no way back.
    fn carry_out_wholly(&self, body: &mut Body) {
        let shape = &self.shape;
        let out = new_block(body, body.block(shape.header).loc);
        let ends = shape.lead_out(body, out);
        let copies = self.shape.iterations(body, self.count as usize);
        let Some(last) = copies.last() else { return };
        let mut latch = shape.latch;
        for copy in &copies {
            body.blocks[latch.0 as usize].term = Term::Jump(copy.header);
            latch = copy.latch;
        }
        body.blocks[latch.0 as usize].term = Term::Jump(out);
        shape.begin_once(body);
        for (value, end) in ends {
            set_ways(body, end, [(last.latch, last.of(value))]);
        }
    }

    /// Where the loop begins that runs what is left over.
    fn carry_out(&self, body: &mut Body) -> Option<Block> {
        // What it depends on may have another name since a loop before it was unrolled.
        let shape = &self.shape;
        let trips = Trips::new(body, shape.header, shape.latch, &shape.blocks)?;
        let loc = body.block(self.shape.header).loc;
        let out = new_block(body, loc);
        let ends = self.shape.lead_out(body, out);
        let rest = self.shape.copy(body, HashMap::default());
        body.blocks[rest.header.0 as usize].is_done = true;
        let main = &mut body.blocks[self.shape.header.0 as usize];
        main.is_done = main.unroll.is_some();
        let copies = self.shape.iterations(body, self.count as usize);
        let last = copies.last()?;
        let [enter_rest, enter_main, middle] = [(); 3].map(|()| new_block(body, loc));
        let main_part = Part {
            enter: enter_main,
            header: self.shape.header,
            phis: self.shape.phis.clone(),
            last,
        };
        let phi_of = |inst: &Inst| rest.of(body.inst(*inst).results[0]);
        let rest_phis: Vec<Value> = self.shape.phis.iter().map(phi_of).collect();
        let rest_part = Part {
            enter: enter_rest,
            header: rest.header,
            phis: rest_phis
                .iter()
                .filter_map(|phi| inst_of(body, *phi))
                .collect(),
            last: &rest,
        };
        let is_behind = self.rest_is_behind(body);
        let (first, second) = match is_behind {
            true => (&main_part, &rest_part),
            false => (&rest_part, &main_part),
        };
        // How many there are to run, and how many of them one by one.
        let more = trips.more(body, self.shape.before, loc);
        let ty = body.ty(more);
        let one = body.make_constant(ty, 1);
        let all = append(
            body,
            self.shape.before,
            Op::Bin(Bin::Add),
            ty,
            [more, one],
            loc,
        );
        let (by, bits) = match self.count.is_power_of_two() {
            true => (Bin::And, self.count - 1),
            false => (Bin::RemU, self.count),
        };
        let by_count = body.make_constant(ty, u64::from(bits));
        let left = append(
            body,
            self.shape.before,
            Op::Bin(by),
            ty,
            [all, by_count],
            loc,
        );
        let none = body.make_constant(ty, 0);
        let few = body.make_constant(ty, u64::from(self.count - 1));
        let is_few = (Cmp::LtU, more, few);
        let is_even = (Cmp::Eq, left, none);
        let (skips_first, skips_second) = match is_behind {
            true => (is_few, is_even),
            false => (is_even, is_few),
        };
        self.pass(body, first, second, &ends, middle);
        for (block, (cmp, a, b), skipped, taken) in [
            (self.shape.before, skips_first, middle, first.enter),
            (middle, skips_second, out, second.enter),
        ] {
            let skips = append(body, block, Op::Cmp(cmp), Ty::Pred, [a, b], loc);
            body.blocks[block.0 as usize].term = Term::Branch(skips, skipped, taken);
        }
        let mut latch = self.shape.latch;
        for copy in &copies {
            body.blocks[latch.0 as usize].term = Term::Jump(copy.header);
            latch = copy.latch;
        }
        let (main_end, rest_end) = match is_behind {
            true => (middle, out),
            false => (out, middle),
        };
        count_down(body, &rest_part, left, 1, rest_end, loc);
        if is_behind {
            let even = append(
                body,
                self.shape.before,
                Op::Bin(Bin::Sub),
                ty,
                [all, left],
                loc,
            );
            count_down(body, &main_part, even, u64::from(self.count), main_end, loc);
        } else {
            let term = &mut body.blocks[last.latch.0 as usize].term;
            if let Term::Branch(condition, yes, _) = *term {
                *term = match yes == self.shape.exit {
                    true => Term::Branch(condition, main_end, self.shape.header),
                    false => Term::Branch(condition, self.shape.header, main_end),
                };
            }
        }
        Some(rest.header)
    }

    /// What is left over runs behind the others where something that the loop carries begins with a constant, which it then
    /// stays; else before them.
    fn rest_is_behind(&self, body: &Body) -> bool {
        self.shape.phis.iter().any(|phi| {
            let data = body.inst(*phi);
            let first = self.shape.arg(body, *phi, self.shape.before);
            !body.ty(data.results[0]).is_float()
                && first.is_some_and(|first| body.constant(first).is_some())
        })
    }

    /// Gives both parts what they begin with and carry on, and what is behind the loop what comes out of them.
    fn pass(
        &self,
        body: &mut Body,
        first: &Part<'_>,
        second: &Part<'_>,
        ends: &[(Value, Inst)],
        middle: Block,
    ) {
        for part in [first, second] {
            body.blocks[part.enter.0 as usize].term = Term::Jump(part.header);
        }
        let carried: Vec<(Value, Value)> = (self.shape.phis.iter())
            .filter_map(|phi| {
                let arg = |block| self.shape.arg(body, *phi, block);
                Some((arg(self.shape.before)?, arg(self.shape.latch)?))
            })
            .collect();
        let mut known: HashMap<Value, Value> = HashMap::default();
        for (number, (begin, next)) in carried.into_iter().enumerate() {
            let ways = [
                (self.shape.before, begin),
                (first.last.latch, first.last.of(next)),
            ];
            let phi = make_phi(body, middle, ways);
            let between = body.inst(phi).results[0];
            known.insert(first.last.of(next), between);
            let of = |part: &Part<'_>, begin| {
                let next = (part.last.latch, part.last.of(next));
                (part.phis[number], [(part.enter, begin), next])
            };
            for (phi, ways) in [of(first, begin), of(second, between)] {
                set_ways(body, phi, ways);
            }
        }
        for (value, end) in ends {
            let after = first.last.of(*value);
            let between = known.get(&after).copied().unwrap_or_else(|| {
                let none = body.make_undefined(body.ty(*value));
                let phi = make_phi(
                    body,
                    middle,
                    [(self.shape.before, none), (first.last.latch, after)],
                );
                body.inst(phi).results[0]
            });
            let last = (second.last.latch, second.last.of(*value));
            set_ways(body, *end, [(middle, between), last]);
        }
    }
}

/// Lets a part run until a number of iterations, taken off so many at a time, is nothing.
fn count_down(body: &mut Body, part: &Part<'_>, from: Value, by: u64, end: Block, loc: Loc) {
    let ty = body.ty(from);
    let latch = part.last.latch;
    let phi = make_phi(body, part.header, [(part.enter, from), (latch, from)]);
    let now = body.inst(phi).results[0];
    let less = body.make_constant(ty, by.wrapping_neg());
    let next = append(body, latch, Op::Bin(Bin::Add), ty, [now, less], loc);
    set_ways(body, phi, [(part.enter, from), (latch, next)]);
    let none = body.make_constant(ty, 0);
    let goes_on = append(body, latch, Op::Cmp(Cmp::Ne), Ty::Pred, [next, none], loc);
    body.blocks[latch.0 as usize].term = Term::Branch(goes_on, part.header, end);
}

/// What the instructions of a loop count, but for its way back.
pub(super) fn size(body: &Body, blocks: &[Block]) -> usize {
    let insts = |block: &Block| body.block(*block).insts.iter();
    let cost = |block| 1 + insts(block).map(|inst| cost(body, *inst)).sum::<usize>();
    blocks.iter().map(cost).sum::<usize>().saturating_sub(1)
}

/// How many iterations of a loop run at a time, if more than one.
fn at_a_time(body: &Body, header: Block, blocks: &[Block]) -> Option<u32> {
    let size = size(body, blocks);
    match body.block(header).unroll {
        Some(asked) => (asked > 1 && size * asked as usize <= MOST_ASKED).then_some(asked),
        None if size * 4 <= MOST_TOGETHER => Some(4),
        None if size <= FOR_TWO => Some(2),
        None => None,
    }
}

/// What an instruction counts: phis nothing, of an index that becomes an address only the sum, and PTX of the source more
/// where it takes many values: with them kept, twice the loop is no gain.
pub(super) fn cost(body: &Body, inst: Inst) -> usize {
    let data = body.inst(inst);
    let is_constant = |at: usize| {
        let arg = data.args.get(at);
        arg.is_some_and(|arg| body.constant(*arg).is_some())
    };
    let is_wide = data
        .results
        .first()
        .is_some_and(|result| body.ty(*result) == Ty::B64);
    match &data.op {
        Op::Phi(_) | Op::Param(_) | Op::Symbol(_) | Op::Slot(_) | Op::ToGeneric(_) => 0,
        Op::Bin(Bin::Mul | Bin::Shl | Bin::Add) if is_wide && is_constant(1) => 0,
        Op::Cvt(Cvt::SignExtend | Cvt::ZeroExtend) if is_wide => {
            let of_phi = body
                .def(data.args[0])
                .is_some_and(|inst| matches!(inst.op, Op::Phi(_)));
            usize::from(!of_phi)
        }
        Op::Bin(Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS) => OF_DIVISION,
        Op::Asm(_) => 1 + data.args.len() / MANY,
        _ => 1,
    }
}
