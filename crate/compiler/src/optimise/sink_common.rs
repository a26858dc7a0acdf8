//! Sinking of common code: makes one store, or one load, of those with which all ways to a block end, where NVIDIA's
//! compiler seems to do so too (LLVM's `MergedLoadStoreMotion`). What all ways begin with is left to `hoist_common`.

use super::analyses::Analyses;
use super::natural_loops::{Natural, loops};
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::graph::{Graph, uses};
use crate::ir::{Block, Body, Cache, Cmp, Def, Inst, Mem, Op, Origin, Term, Value, Values};

/// How deep the computation of an address is followed.
const DEEPEST: usize = 8;

/// Ways to one place that are looked at.
const MOST_WAYS: usize = 16;

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let found = loops(body, &graph);
    let uses = uses(body);
    for block in graph.order.clone() {
        let before = &graph.before[block.0 as usize];
        if before.len() < 2 || before.iter().any(|from| graph.dominates(block, *from)) {
            continue;
        }
        // Most ways end with nothing of the kind.
        if !before.iter().all(|from| last(body, *from).is_some()) {
            continue;
        }
        let Some(all) = all_ways(body, &graph, block) else {
            continue;
        };
        let ways = Ways {
            count: before.len(),
            home: homes(body, &all),
            told: all.iter().map(|way| told(body, &graph, *way)).collect(),
            before: all,
            to: block,
            uses: &uses,
            around: found
                .iter()
                .filter(|natural| natural.blocks.contains(&block))
                .min_by_key(|natural| natural.blocks.len()),
        };
        while ways.merge_stores(body) {}
        ways.merge_loads(body);
    }
}

/// The blocks from which control comes to a block, and behind them those from which it comes to where that leads on at once:
/// they meet there as well. None if it comes from one of them as well that could go elsewhere.
fn all_ways(body: &Body, graph: &Graph, block: Block) -> Option<Vec<Block>> {
    let is_empty = |block: Block| {
        let mut insts = body.block(block).insts.iter();
        insts.all(|inst| matches!(body.inst(*inst).op, Op::Phi(_)))
    };
    let mut end = block;
    for _ in 0..MOST_WAYS {
        match body.block(end).term {
            Term::Jump(next) if is_empty(end) && !graph.dominates(next, end) => end = next,
            _ => break,
        }
    }
    let mut all = graph.before[block.0 as usize].to_vec();
    let mut open = vec![end];
    // All returns are one place.
    let returns = |block: Block| body.block(block).term == Term::Return && is_empty(block);
    if returns(end) {
        open.extend(graph.order.iter().copied().filter(|other| returns(*other)));
    }
    let mut seen = Vec::new();
    while let Some(at) = open.pop() {
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        for from in &graph.before[at.0 as usize] {
            if !matches!(body.block(*from).term, Term::Jump(_)) {
                return None;
            }
            if is_empty(*from) && !graph.before[from.0 as usize].is_empty() {
                open.push(*from);
            } else if !all.contains(from) {
                all.push(*from);
            }
        }
        if all.len() > MOST_WAYS {
            return None;
        }
    }
    let jumps = |from: &Block| matches!(body.block(*from).term, Term::Jump(_));
    all.iter().all(jumps).then_some(all)
}

/// The number that a block's one way in tells to be a constant.
fn told(body: &Body, graph: &Graph, block: Block) -> Option<Value> {
    let [from] = graph.before[block.0 as usize][..] else {
        return None;
    };
    let Term::Branch(condition, yes, no) = body.block(from).term else {
        return None;
    };
    let inst = body.def(condition)?;
    let equal = match inst.op {
        Op::Cmp(Cmp::Eq) => yes,
        Op::Cmp(Cmp::Ne) => no,
        _ => return None,
    };
    let (number, other) = (inst.args[0], inst.args[1]);
    (equal == block && body.constant(other).is_some()).then_some(number)
}

/// In which of some blocks, by its number among them, an instruction stands.
fn homes(body: &Body, blocks: &[Block]) -> HashMap<Inst, usize> {
    let mut homes = HashMap::default();
    for (way, block) in blocks.iter().enumerate() {
        homes.extend(body.block(*block).insts.iter().map(|inst| (*inst, way)));
    }
    homes
}

/// All the ways on which control comes to a block.
struct Ways<'a> {
    /// Those that end here come first, so many of them.
    before: Vec<Block>,
    count: usize,
    uses: &'a [u32],
    /// By way: a number that is a constant there, because control came there.
    told: Vec<Option<Value>>,
    to: Block,
    home: HashMap<Inst, usize>,
    around: Option<&'a Natural>,
}

impl Ways<'_> {
    /// The instruction that gives a value, if it stands on this way.
    fn on_way(&self, body: &Body, value: Value, way: usize) -> Option<Inst> {
        match body.values[value.0 as usize].1 {
            Def::Inst(inst, _) if self.home.get(&inst) == Some(&way) => Some(inst),
            _ => None,
        }
    }

    fn is_above(&self, body: &Body, value: Value) -> bool {
        (0..self.before.len()).all(|way| self.on_way(body, value, way).is_none())
    }

    fn merge_stores(&self, body: &mut Body) -> bool {
        let lasts: Option<Vec<Inst>> = self.before.iter().map(|from| last(body, *from)).collect();
        let Some(lasts) = lasts else { return false };
        let Some(mem) = same_access(body, &lasts, true) else {
            return false;
        };
        let of = |at: usize| -> Vec<Value> {
            lasts.iter().map(|inst| body.inst(*inst).args[at]).collect()
        };
        let (addresses, values) = (of(0), of(1));
        if !self.may_merge(body, &lasts, &addresses, &values) {
            return false;
        }
        let mut insts = Vec::new();
        let address = match self.is_above(body, addresses[0]) {
            true => addresses[0],
            false => self.copied(body, addresses[0], &mut insts),
        };
        let value = self.chosen(body, &values);
        let loc = body.inst(lasts[0]).loc;
        let store = body.make(Op::Store(mem), &[], [address, value], loc);
        for (from, inst) in self.before[..self.count].iter().zip(&lasts) {
            body.blocks[from.0 as usize]
                .insts
                .retain(|other| other != inst);
        }
        // What was merged before stood behind it.
        insts.push(store);
        self.put_first(body, insts);
        true
    }

    /// Stores to one place become one if its address is there before the ways part, whatever is stored. What each way computes
    /// for an address must be for that only, and no constant be stored on some of them.
    fn may_merge(
        &self,
        body: &Body,
        lasts: &[Inst],
        addresses: &[Value],
        values: &[Value],
    ) -> bool {
        let first = addresses[0];
        let is_same =
            (1..addresses.len()).all(|way| self.is_same(body, first, 0, addresses[way], way, 0));
        let is_told = |way: usize| self.is_told(body, addresses[way], way);
        if !is_same || (0..addresses.len()).any(is_told) {
            return false;
        }
        if self.is_above(body, first)
            || self.is_fixed(body, first, 0)
            || self.begins_alike(body, lasts)
        {
            return true;
        }
        let constants = values
            .iter()
            .filter(|value| body.constant(**value).is_some());
        let is_mixed = ![0, values.len()].contains(&constants.count());
        let is_single = |way: usize| self.is_used_once(body, addresses[way], way, 0);
        !is_mixed && (0..addresses.len()).all(is_single)
    }

    /// Whether an address depends on a number that control tells on this way: `i` where `i == 0`, which stands for it there.
    fn is_told(&self, body: &Body, address: Value, way: usize) -> bool {
        let Some(number) = self.told.get(way).copied().flatten() else {
            return false;
        };
        let mut open = vec![(address, 0)];
        while let Some((value, depth)) = open.pop() {
            if value == number {
                return true;
            }
            if let Some(inst) = body
                .def(value)
                .filter(|inst| depth < DEEPEST && is_plain(&inst.op))
            {
                open.extend(inst.args.iter().map(|arg| (*arg, depth + 1)));
            }
        }
        false
    }

    /// Whether all that a way computes for a value is for this value only.
    fn is_used_once(&self, body: &Body, value: Value, way: usize, depth: usize) -> bool {
        let Some(inst) = self.on_way(body, value, way) else {
            return true;
        };
        let is_single = self
            .uses
            .get(value.0 as usize)
            .is_some_and(|uses| *uses == 1);
        let mut args = body.inst(inst).args.iter();
        is_single
            && depth < DEEPEST
            && args.all(|arg| self.is_used_once(body, *arg, way, depth + 1))
    }

    /// Whether two values are the same, or are computed in the same way from such, each on its way.
    fn is_same(
        &self,
        body: &Body,
        a: Value,
        way_a: usize,
        b: Value,
        way_b: usize,
        depth: usize,
    ) -> bool {
        if a == b {
            return self.on_way(body, a, way_a).is_none();
        }
        let (Some(x), Some(y)) = (self.on_way(body, a, way_a), self.on_way(body, b, way_b)) else {
            return false;
        };
        let (x, y) = (body.inst(x), body.inst(y));
        depth < DEEPEST
            && is_plain(&x.op)
            && x.op == y.op
            && body.ty(a) == body.ty(b)
            && x.args.len() == y.args.len()
            && x.args
                .iter()
                .zip(&y.args)
                .all(|(a, b)| self.is_same(body, *a, way_a, *b, way_b, depth + 1))
    }

    /// Whether a value is the same in all iterations of the loop around, so that it is computed before it.
    fn is_fixed(&self, body: &Body, value: Value, depth: usize) -> bool {
        let Some(around) = self.around else {
            return false;
        };
        let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
            return true;
        };
        let inside = around
            .blocks
            .iter()
            .any(|block| body.block(*block).insts.contains(&inst));
        let data = body.inst(inst);
        !inside
            || depth < DEEPEST
                && is_plain(&data.op)
                && data
                    .args
                    .iter()
                    .all(|arg| self.is_fixed(body, *arg, depth + 1))
    }

    /// Whether all ways begin with the same, as far as the shortest goes before its store.
    fn begins_alike(&self, body: &Body, lasts: &[Inst]) -> bool {
        let until = |way: usize| -> &[Inst] {
            let insts = &body.block(self.before[way]).insts;
            let end = insts.iter().position(|inst| *inst == lasts[way]);
            &insts[..end.unwrap_or(0)]
        };
        let shortest = (0..lasts.len()).map(until).min_by_key(|insts| insts.len());
        let count = shortest.map_or(0, <[Inst]>::len);
        let first = until(0);
        (1..lasts.len()).all(|way| {
            first[..count].iter().zip(until(way)).all(|(a, b)| {
                let (x, y) = (body.inst(*a).results.first(), body.inst(*b).results.first());
                matches!((x, y), (Some(x), Some(y)) if self.is_same(body, *x, 0, *y, way, 0))
            })
        })
    }

    /// A value that the first way computes, computed where the ways have met.
    fn copied(&self, body: &mut Body, value: Value, into: &mut Vec<Inst>) -> Value {
        let Some(inst) = self.on_way(body, value, 0) else {
            return value;
        };
        let data = body.inst(inst).clone();
        let args: Values = data
            .args
            .iter()
            .map(|arg| self.copied(body, *arg, into))
            .collect();
        let copy = body.make(data.op, &[body.ty(value)], args, data.loc);
        into.push(copy);
        body.inst(copy).results[0]
    }

    /// Puts instructions where the ways have met, before all but the phis.
    fn put_first(&self, body: &mut Body, insts: Vec<Inst>) {
        let is_phi = |inst: &Inst| matches!(body.inst(*inst).op, Op::Phi(_));
        let all = &body.block(self.to).insts;
        let at = all
            .iter()
            .position(|inst| !is_phi(inst))
            .unwrap_or(all.len());
        body.blocks[self.to.0 as usize].insts.splice(at..at, insts);
    }

    /// The value of the way that was taken.
    fn chosen(&self, body: &mut Body, values: &[Value]) -> Value {
        let values = &values[..self.count];
        if values.iter().all(|value| *value == values[0]) {
            return values[0];
        }
        let loc = body.block(self.to).loc;
        let phi = body.make(
            Op::Phi(self.before[..self.count].to_vec()),
            &[body.ty(values[0])],
            values,
            loc,
        );
        body.blocks[self.to.0 as usize].insts.insert(0, phi);
        body.inst(phi).results[0]
    }

    /// Loads whose results meet in a phi become one of the address that was chosen.
    fn merge_loads(&self, body: &mut Body) {
        let phis: Vec<Inst> = body.block(self.to).insts.clone();
        let mut replaced = Replaced::new(body);
        for phi in phis {
            let data = body.inst(phi);
            let Op::Phi(from) = &data.op else { continue };
            let of = |block: &Block| {
                from.iter()
                    .position(|other| other == block)
                    .map(|at| data.args[at])
            };
            let Some(values) = self.before.iter().map(of).collect::<Option<Vec<Value>>>() else {
                continue;
            };
            let loads: Option<Vec<Inst>> = (values.iter().enumerate())
                .map(|(way, value)| {
                    let load = self.on_way(body, *value, way)?;
                    (last(body, self.before[way]) == Some(load)
                        && self.uses.get(value.0 as usize) == Some(&1))
                    .then_some(load)
                })
                .collect();
            let Some(loads) = loads else { continue };
            let Some(mem) = same_access(body, &loads, false) else {
                continue;
            };
            let addresses: Vec<Value> = loads.iter().map(|inst| body.inst(*inst).args[0]).collect();
            let (ty, loc, result) = (body.ty(values[0]), data.loc, data.results[0]);
            let address = self.chosen(body, &addresses);
            let load = body.make(Op::Load(mem), &[ty], [address], loc);
            for (from, inst) in self.before[..self.count].iter().zip(&loads) {
                body.blocks[from.0 as usize]
                    .insts
                    .retain(|other| other != inst);
            }
            body.blocks[self.to.0 as usize]
                .insts
                .retain(|other| *other != phi);
            self.put_first(body, vec![load]);
            replaced.set(result, body.inst(load).results[0]);
        }
        replaced.apply(body);
    }
}

/// The last load or store of a block, if nothing that has an effect stands behind it.
fn last(body: &Body, block: Block) -> Option<Inst> {
    let found = body.block(block).insts.iter().rev().find(|inst| {
        let op = &body.inst(**inst).op;
        !op.is_pure() || matches!(op, Op::Load(_))
    })?;
    matches!(body.inst(*found).op, Op::Load(_) | Op::Store(_)).then_some(*found)
}

/// The access that all of these are: plain ones of one element.
fn same_access(body: &Body, insts: &[Inst], is_store: bool) -> Option<Mem> {
    let mem = |inst: &Inst| match &body.inst(*inst).op {
        Op::Store(mem) if is_store => Some(*mem),
        Op::Load(mem) if !is_store => Some(*mem),
        _ => None,
    };
    let first = mem(&insts[0])?;
    let is_plain = first.count == 1 && !first.is_volatile && first.cache == Cache::Any;
    let origins: Option<Vec<Origin>> = insts.iter().map(|inst| Some(mem(inst)?.origin)).collect();
    let origins = origins?;
    let origin = match origins.iter().all(|origin| *origin == first.origin) {
        true => first.origin,
        // What is said of one of the places is not said of the others.
        false => Origin {
            align: origins.iter().map(|origin| origin.align).min().unwrap_or(0),
            member: 0,
        },
    };
    let of_all = |mem: Mem| Mem { origin, ..mem };
    let is_same = |inst: &Inst| mem(inst).is_some_and(|mem| of_all(mem) == of_all(first));
    (is_plain && insts.iter().all(is_same)).then_some(of_all(first))
}

fn is_plain(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin(_)
            | Op::Un(_)
            | Op::Cvt(_)
            | Op::ToGeneric(_)
            | Op::FromGeneric(_)
            | Op::Symbol(_)
            | Op::Param(_)
    )
}
