//! Full unrolling: unrolls the loops that end at the latest after iterations that can be counted, from constants,
//! whatever other ways lead out of them. Small ones whose variable is declared in a `for` are unrolled in
//! `lower::loops`.

use super::analyses::Analyses;
use super::demote_exit_values::keep_for_behind;
use super::loop_clone::{Copied, Shape};
use super::natural_loops::{Natural, loops};
use super::unroll_partial::leaves_few;
use super::unroll_runtime::{MOST_WHOLLY, size};
use crate::ir::compute::{constant_bin, constant_cmp};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Term, Ty, Value};

/// Iterations that are counted.
const MOST_TRIPS: usize = 160;

/// Instructions of all iterations, those too that count nothing.
const MOST_INSTS: usize = 4096;

/// What all iterations count of a loop that counts elements of an object of the thread's own.
const MOST_FOR_OBJECTS: usize = 3000;

/// Instructions between what a loop carries and what its condition asks of it.
const MOST_STEPS: usize = 8;

/// Which loops are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loops {
    /// At first: of several conditions to go on one may still become, of which no number follows; but what counts elements of
    /// a local object is unrolled in any case.
    First,
    All,
}

/// True if a loop was unrolled: what it leaves behind are local objects then.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, which: Loops) -> bool {
    if !has_count(body) {
        return false;
    }
    let graph = analyses.graph(body);
    let homes = graph.homes(body);
    let found = loops(body, &graph);
    let plans: Vec<Plan> = (found.iter())
        .filter_map(|natural| Plan::new(body, (&graph, &homes), natural, which))
        .collect();
    let mut changed = false;
    for plan in &plans {
        changed |= plan.carry_out(body);
    }
    changed
}

/// Whether a loop carries a number that begins with a constant and is changed by one: else there is nothing to look for.
fn has_count(body: &Body) -> bool {
    let is_constant = |value: &Value| matches!(body.values[value.0 as usize].1, Def::Const(_));
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        let data = body.inst(*inst);
        let (Op::Phi(_), [a, b]) = (&data.op, &data.args[..]) else {
            return false;
        };
        let next = match (is_constant(a), is_constant(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return false,
        };
        body.def(*next).is_some_and(|step| {
            let is_own = step.args.contains(&data.results[0]);
            matches!(step.op, Op::Bin(_)) && is_own && step.args.iter().any(is_constant)
        })
    })
}

/// A loop that will be unrolled.
struct Plan {
    shape: Shape,
    /// The block that ends the last iteration.
    ends: Block,
    /// Iterations at most.
    trips: usize,
}

impl Plan {
    fn new(
        body: &Body,
        (graph, homes): (&Graph, &[Option<Block>]),
        natural: &Natural,
        which: Loops,
    ) -> Option<Self> {
        if body.block(natural.header).unroll == Some(1) {
            return None;
        }
        let mut shape = Shape::with_exits(body, graph, natural)?;
        let latch = shape.latch;
        let counted = shape.blocks.iter().filter_map(|block| {
            let Term::Branch(condition, yes, no) = body.block(*block).term else {
                return None;
            };
            let inside = |to| natural.blocks.contains(&to);
            let (goes_on, exit) = match (inside(yes), inside(no)) {
                (true, false) => (true, no),
                (false, true) => (false, yes),
                _ => return None,
            };
            let asked = graph.dominates(*block, latch);
            let trips = asked.then(|| trips(body, &shape, condition, goes_on))?;
            Some((trips?, *block, exit))
        });
        let (trips, ends, exit) = counted.min_by_key(|(trips, ..)| *trips)?;
        shape.exit = exit;
        let indexes = which == Loops::First && indexes_objects(body, &shape);
        let exits = shape.blocks.iter();
        let exits = exits.filter_map(|block| natural.way_out(body, homes, *block));
        let has_one_exit = exits.count() < 2;
        if which == Loops::First && !indexes && !has_one_exit {
            return None;
        }
        let most = body
            .block(shape.header)
            .unroll
            .map_or(MOST_TRIPS, |asked| asked as usize);
        let insts = |block: &Block| body.block(*block).insts.len();
        let all = shape.blocks.iter().map(insts).sum::<usize>() * trips;
        let is_small = || match indexes {
            true => size(body, &shape.blocks) * trips <= MOST_FOR_OBJECTS,
            false => {
                size(body, &shape.blocks) * trips <= MOST_WHOLLY
                    || has_one_exit && leaves_few(body, &shape, trips as u64)
            }
        };
        let fits = trips <= most && all <= MOST_INSTS && is_small();
        let plan = Self { shape, ends, trips };
        fits.then_some(plan)
    }

    /// One iteration behind the other, and no way back. False where it cannot be.
    fn carry_out(&self, body: &mut Body) -> bool {
        let shape = &self.shape;
        if !keep_for_behind(body, shape) {
            return false;
        }
        let copies = shape.iterations(body, self.trips);
        self.lead_out(body, &copies);
        let header = |number: usize| copies.get(number).map(|copy: &Copied| copy.header);
        let latches = std::iter::once(shape.latch).chain(copies.iter().map(|copy| copy.latch));
        for (number, latch) in latches.enumerate() {
            let own = match number.checked_sub(1) {
                None => Some(shape.header),
                Some(before) => header(before),
            };
            if let (Some(own), Some(next)) = (own, header(number)) {
                let to = |block| if block == own { next } else { block };
                let term = &mut body.blocks[latch.0 as usize].term;
                *term = match *term {
                    Term::Jump(block) => Term::Jump(to(block)),
                    Term::Branch(condition, yes, no) => Term::Branch(condition, to(yes), to(no)),
                    other => other,
                };
            }
        }
        let last = copies
            .last()
            .map_or(self.ends, |copy| copy.block(self.ends));
        body.blocks[last.0 as usize].term = Term::Jump(shape.exit);
        shape.begin_once(body);
        true
    }

    /// Tells the phis behind the loop what comes out of each of the copies.
    fn lead_out(&self, body: &mut Body, copies: &[Copied]) {
        let mut exits: Vec<Block> = Vec::new();
        for block in &self.shape.blocks {
            exits.extend(successors(body.block(*block).term));
        }
        exits.retain(|exit| !self.shape.blocks.contains(exit));
        exits.sort_unstable();
        exits.dedup();
        for exit in exits {
            for inst in &body.blocks[exit.0 as usize].insts {
                let data = &mut body.insts[inst.0 as usize];
                let Op::Phi(from) = &mut data.op else {
                    continue;
                };
                let ways: Vec<(Block, Value)> = (from.iter().copied())
                    .zip(data.args.iter().copied())
                    .filter(|(block, _)| self.shape.blocks.contains(block))
                    .collect();
                let mut args = data.args.to_vec();
                for copy in copies {
                    from.extend(ways.iter().map(|(block, _)| copy.block(*block)));
                    args.extend(ways.iter().map(|(_, value)| copy.of(*value)));
                }
                data.args = args.into();
            }
        }
    }
}

/// Whether a loop counts elements of an object of the thread's own, which is in registers only when it is unrolled.
fn indexes_objects(body: &Body, shape: &Shape) -> bool {
    let own = shape.own_values(body);
    let insts = shape
        .blocks
        .iter()
        .flat_map(|block| &body.block(*block).insts);
    insts.map(|inst| body.inst(*inst)).any(|data| {
        data.op.is_bin(Bin::Add)
            && data.args.iter().any(|arg| own.contains(arg))
            && data
                .args
                .iter()
                .any(|arg| is_in_object(body, *arg, MOST_STEPS))
    })
}

/// Whether an address is one in an object of the thread's own.
fn is_in_object(body: &Body, address: Value, steps: usize) -> bool {
    let Some(data) = body.def(address).filter(|_| steps > 0) else {
        return false;
    };
    match data.op {
        Op::Slot(_) => true,
        Op::ToGeneric(_) => is_in_object(body, data.args[0], steps - 1),
        Op::Bin(Bin::Add) => is_in_object(body, data.args[0], steps - 1),
        _ => false,
    }
}

/// In which iteration a condition leads out, all that it follows from being constants when the loop begins.
fn trips(body: &Body, shape: &Shape, condition: Value, goes_on: bool) -> Option<usize> {
    let phis = phis_of(body, shape, condition)?;
    let carried = phis.iter().map(|phi| {
        let data = body.inst(*phi);
        let begin = shape.arg(body, *phi, shape.before)?;
        let next = shape.arg(body, *phi, shape.latch)?;
        Some((data.results[0], body.constant(begin)?, next))
    });
    let carried: Vec<(Value, u64, Value)> = carried.collect::<Option<_>>()?;
    let mut now: Vec<(Value, u64)> = carried
        .iter()
        .map(|(phi, begin, _)| (*phi, *begin))
        .collect();
    for trip in 1..=MOST_TRIPS {
        let holds = computed(body, &now, condition, MOST_STEPS)? != 0;
        if holds != goes_on {
            return Some(trip);
        }
        let next = |(phi, _, next): &(Value, u64, Value)| {
            Some((*phi, computed(body, &now, *next, MOST_STEPS)?))
        };
        now = carried.iter().map(next).collect::<Option<_>>()?;
    }
    None
}

/// What the loop carries that a value follows from, in this iteration or in a later one.
fn phis_of(body: &Body, shape: &Shape, value: Value) -> Option<Vec<Inst>> {
    let (mut found, mut open, mut steps) = (Vec::new(), vec![value], 0);
    while let Some(value) = open.pop() {
        steps += 1;
        if steps > 4 * MOST_STEPS {
            return None;
        }
        let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
            continue;
        };
        if found.contains(&inst) {
            continue;
        }
        if shape.phis.contains(&inst) {
            found.push(inst);
            open.push(shape.arg(body, inst, shape.latch)?);
            continue;
        }
        let data = body.inst(inst);
        if !matches!(data.op, Op::Bin(_) | Op::Cmp(_)) {
            return None;
        }
        open.extend(&data.args);
    }
    Some(found)
}

/// A whole number that follows from those that are known.
fn computed(body: &Body, known: &[(Value, u64)], value: Value, steps: usize) -> Option<u64> {
    if let Some((_, bits)) = known.iter().find(|(phi, _)| *phi == value) {
        return Some(*bits);
    }
    if let Some(bits) = body.constant(value) {
        return Some(bits);
    }
    let data = body.def(value)?;
    let [a, b] = data.args[..] else { return None };
    let ty = body.ty(a);
    if !matches!(ty, Ty::B32 | Ty::B64) || body.ty(b) != ty {
        return None;
    }
    let steps = steps.checked_sub(1)?;
    let of = |value| computed(body, known, value, steps);
    match data.op {
        Op::Bin(bin) => Some(constant_bin(bin, ty, of(a)?, of(b)?)? & ty.mask()),
        Op::Cmp(cmp) => Some(u64::from(constant_cmp(cmp, ty, of(a)?, of(b)?))),
        _ => None,
    }
}
