//! Promotion of memory to registers (Cytron and others, 1991), after objects are taken apart (LLVM's `SROA` and
//! `mem2reg`): local objects become values, each part of one that is read and written at known places only.

use super::analyses::Analyses;
use super::dominance_frontier::Frontiers;
use super::indexed::Indexed;
use super::rewrite::Replaced;
use super::slot_partition::{Part, Parts, Places, partition, places};
use crate::hash::HashMap;
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, MemTy, Op, Slot, Ty, Value};

/// True if any object became values; none if one does not that was relied on.
pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses) -> Option<bool> {
    let graph = analyses.graph(&builder.body);
    let (places, lost) = places(&builder.body, &graph);
    let parts = partition(&builder.body, &graph, &places);
    let relied_on = &mut builder.body.relied_on;
    let may_rely = |slot: &Slot| lost[slot.0 as usize] || !parts.mixed[slot.0 as usize];
    if !relied_on.iter().all(may_rely) {
        return None;
    }
    // An object whose address another one holds may become values in a later round.
    relied_on.retain(|slot| lost[slot.0 as usize]);
    if parts.is_empty() {
        return Some(false);
    }
    let mut values = Values {
        parts: &parts,
        graph: &graph,
        frontiers: Frontiers::new(&graph),
        meetings: vec![None; builder.body.slots.len()],
        now: vec![None; parts.list.len()],
        set: Vec::new(),
        last: room_for(4 * parts.list.len()),
        first: room_for(4 * parts.list.len()),
        joins: Vec::new(),
        passed: Vec::new(),
        taken: Vec::new(),
    };
    let mut replaced = Replaced::new(&builder.body);
    let mut indexed = Indexed::new(&builder.body, &graph, &places);
    for block in &graph.order {
        let found = (&mut values, &mut indexed);
        rewrite_block(builder, *block, &places, found, &mut replaced);
    }
    values.complete(builder);
    values.drop_same(&mut replaced);
    values.make_phis(&mut builder.body);
    replaced.apply(&mut builder.body);
    Some(true)
}

/// A map that need not grow for so many.
fn room_for<K, V>(count: usize) -> HashMap<K, V> {
    HashMap::with_capacity_and_hasher(count, Default::default())
}

/// The values that parts have, block by block.
struct Values<'a> {
    parts: &'a Parts,
    graph: &'a Graph,
    frontiers: Frontiers,
    /// By slot: where ways meet that may bring different values of it; none if nobody asked yet.
    meetings: Vec<Option<Vec<Block>>>,
    /// By part: the block at hand and the value there so far, if that is known.
    now: Vec<Option<(Block, Value)>>,
    /// The parts that the block at hand sets.
    set: Vec<u32>,
    /// At the end of a block, where it sets the part.
    last: HashMap<(u32, Block), Value>,
    /// At the start of a block.
    first: HashMap<(u32, Block), Value>,
    joins: Vec<Join>,
    /// Room for the blocks of one walk, empty between walks.
    passed: Vec<Block>,
    /// What the joins take, one behind the other: a value for each way.
    taken: Vec<Value>,
}

/// A block where ways meet that may bring different values of a part. Most turn out to bring the same.
struct Join {
    block: Block,
    part: u32,
    result: Value,
    /// What each way brings, in `taken` from here on.
    from: usize,
}

impl Values<'_> {
    /// The value of a part so far in the block at hand, if that is known.
    fn now(&self, part: u32, block: Block) -> Option<Value> {
        let (of, value) = self.now[part as usize]?;
        (of == block).then_some(value)
    }

    /// Keeps what the block at hand sets, at its end.
    fn leave(&mut self, block: Block) {
        for part in self.set.drain(..) {
            if let Some((_, value)) = self.now[part as usize] {
                self.last.insert((part, block), value);
            }
        }
    }

    fn at_start(&mut self, builder: &mut Builder, part: u32, block: Block) -> Value {
        let ty = self.parts.list[part as usize].ty;
        let mut at = block;
        let mut passed = std::mem::take(&mut self.passed);
        let value = loop {
            if let Some(value) = self.first.get(&(part, at)) {
                break *value;
            }
            match self.graph.before[at.0 as usize] {
                [] => {
                    let value = builder.body.make_undefined(ty);
                    self.first.insert((part, at), value);
                    break value;
                }
                [only] => at = self.pass(&mut passed, at, only),
                _ if !self.meets(part, at) => {
                    let above = self.graph.dominator(at).unwrap_or(Block(0));
                    at = self.pass(&mut passed, at, above);
                }
                _ => {
                    // Of no instruction until it is known to be one.
                    let result = builder.body.make_undefined(ty);
                    self.joins.push(Join {
                        block: at,
                        part,
                        result,
                        from: 0,
                    });
                    self.first.insert((part, at), result);
                    break result;
                }
            }
            if let Some(value) = self.last.get(&(part, at)) {
                break *value;
            }
        };
        for block in passed.drain(..) {
            self.first.insert((part, block), value);
        }
        self.passed = passed;
        value
    }

    fn pass(&self, passed: &mut Vec<Block>, at: Block, next: Block) -> Block {
        passed.push(at);
        next
    }

    /// Whether ways to a block may bring different values of a part.
    fn meets(&mut self, part: u32, block: Block) -> bool {
        let slot = self.parts.list[part as usize].slot.0 as usize;
        let meetings = &mut self.meetings[slot];
        let meetings =
            meetings.get_or_insert_with(|| self.frontiers.meetings(&self.parts.set_in[slot]));
        meetings.binary_search(&block).is_ok()
    }

    /// Finds what joins take, which may make more joins.
    fn complete(&mut self, builder: &mut Builder) {
        let graph = self.graph;
        let mut done = 0;
        while let Some(Join { block, part, .. }) = self.joins.get(done) {
            let (block, part) = (*block, *part);
            self.joins[done].from = self.taken.len();
            for from in &graph.before[block.0 as usize] {
                let value = match self.last.get(&(part, *from)) {
                    Some(value) => *value,
                    None => self.at_start(builder, part, *from),
                };
                self.taken.push(value);
            }
            done += 1;
        }
    }

    /// Of joins that all ways bring the same value to, that value is put in the place; the others stay.
    fn drop_same(&mut self, replaced: &mut Replaced) {
        let mut changes = true;
        while changes {
            changes = false;
            self.joins.retain(|join| {
                let ways = self.graph.before[join.block.0 as usize].len();
                let args = &mut self.taken[join.from..join.from + ways];
                for arg in &mut *args {
                    *arg = replaced.get(*arg);
                }
                let same = super::simplify::same_phi(args, join.result);
                if let Some(value) = same {
                    replaced.set(join.result, value);
                    changes = true;
                }
                same.is_none()
            });
        }
    }

    /// Makes phis of the joins, before all else in their blocks, in the order in which the variables were made.
    fn make_phis(&self, body: &mut Body) {
        let mut by_block: HashMap<Block, Vec<Inst>> = HashMap::default();
        let mut joins: Vec<&Join> = self.joins.iter().collect();
        joins.sort_by_key(|join| join.part);
        for join in joins {
            let before = &self.graph.before[join.block.0 as usize];
            let args = &self.taken[join.from..join.from + before.len()];
            let loc = body.block(join.block).loc;
            let inst = body.make(Op::Phi(before.to_vec()), &[], args, loc);
            let iteration = body.block(join.block).iteration;
            let data = &mut body.insts[inst.0 as usize];
            (data.results, data.iteration) = ([join.result].into(), iteration);
            body.values[join.result.0 as usize].1 = Def::Inst(inst, 0);
            by_block.entry(join.block).or_default().push(inst);
        }
        for (block, mut insts) in by_block {
            let others = &mut body.blocks[block.0 as usize].insts;
            insts.append(others);
            *others = insts;
        }
    }
}

fn rewrite_block(
    builder: &mut Builder,
    block: Block,
    places: &Places,
    (values, indexed): (&mut Values<'_>, &mut Indexed),
    replaced: &mut Replaced,
) {
    let at = block.0 as usize;
    let count = builder.body.blocks[at].insts.len();
    let room = Vec::with_capacity(count);
    let insts = std::mem::replace(&mut builder.body.blocks[at].insts, room);
    let term = std::mem::replace(&mut builder.body.blocks[at].term, crate::ir::Term::None);
    builder.at = block;
    for inst in insts {
        let data = builder.body.inst(inst);
        let (Op::Load(mem) | Op::Store(mem)) = data.op else {
            let takes_element = indexed.takes_element(data);
            builder.body.insts[inst.0 as usize].rereads |= takes_element;
            builder.body.blocks[at].insts.push(inst);
            continue;
        };
        let place = places.get(data.args[0]);
        let known = place.filter(|(slot, offset)| values.parts.get(*slot, *offset).is_some());
        let Some((slot, offset)) = known else {
            builder.body.blocks[at].insts.push(inst);
            continue;
        };
        let is_store = matches!(data.op, Op::Store(_));
        if !is_store {
            indexed.note(data, slot);
        }
        builder.loc = data.loc;
        for number in 0..usize::from(mem.count) {
            let offset = offset + number as u64 * mem.ty.bytes();
            let Some(part) = values.parts.get(slot, offset) else {
                continue;
            };
            let of = values.parts.list[part as usize];
            let shift = (offset - of.offset) * 8;
            let whole = of.bytes == mem.ty.bytes();
            let now = match values.now(part, block) {
                Some(value) => Some(value),
                None if is_store && whole => None,
                None => {
                    let value = values.at_start(builder, part, block);
                    values.now[part as usize] = Some((block, value));
                    Some(value)
                }
            };
            let data = builder.body.inst(inst);
            match (is_store, now) {
                (true, now) => {
                    let value = replaced.get(data.args[1 + number]);
                    let value = put(builder, of, now, value, mem.ty, shift, whole);
                    values.now[part as usize] = Some((block, value));
                    values.set.push(part);
                }
                (false, Some(now)) => {
                    let result = data.results[number];
                    let value = take(builder, replaced.get(now), of, mem.ty, shift);
                    replaced.set(result, value);
                }
                (false, None) => {}
            }
        }
    }
    values.leave(block);
    builder.body.blocks[at].term = term;
}

/// The part with a value in it.
fn put(
    builder: &mut Builder,
    of: Part,
    now: Option<Value>,
    value: Value,
    ty: MemTy,
    shift: u64,
    whole: bool,
) -> Value {
    if whole && of.ty == ty.ty() {
        return value;
    }
    let bits = if ty.bytes() == 8 { Ty::B64 } else { Ty::B32 };
    let value = builder.cvt(Cvt::Bits, bits, value);
    if whole {
        return builder.cvt(Cvt::Bits, of.ty, value);
    }
    let value = match ty.bytes() {
        1 => builder.cvt(Cvt::ZeroExtendFrom(8), Ty::B32, value),
        2 => builder.cvt(Cvt::ZeroExtendFrom(16), Ty::B32, value),
        _ => value,
    };
    let value = if of.ty == Ty::B64 {
        builder.cvt(Cvt::ZeroExtend, Ty::B64, value)
    } else {
        value
    };
    let mask = (u64::MAX >> (64 - 8 * ty.bytes())) << shift;
    let keep = builder.constant(of.ty, !mask);
    let by = builder.constant(of.ty, shift);
    let moved = builder.bin(Bin::Shl, value, by);
    match now {
        Some(now) => {
            let rest = builder.bin(Bin::And, now, keep);
            builder.bin(Bin::Or, rest, moved)
        }
        None => moved,
    }
}

/// A value out of the part.
fn take(builder: &mut Builder, now: Value, of: Part, ty: MemTy, shift: u64) -> Value {
    if of.bytes == ty.bytes() && of.ty == ty.ty() && ty.bytes() >= 4 {
        return now;
    }
    if of.bytes == ty.bytes() && ty.bytes() >= 4 {
        return builder.cvt(Cvt::Bits, ty.ty(), now);
    }
    let by = builder.constant(of.ty, shift);
    let moved = builder.bin(Bin::ShrU, now, by);
    let moved = if of.ty == Ty::B64 && ty.bytes() < 8 {
        builder.cvt(Cvt::Truncate, Ty::B32, moved)
    } else {
        moved
    };
    match ty {
        MemTy::U8 => builder.cvt(Cvt::ZeroExtendFrom(8), Ty::B32, moved),
        MemTy::S8 => builder.cvt(Cvt::SignExtendFrom(8), Ty::B32, moved),
        MemTy::U16 => builder.cvt(Cvt::ZeroExtendFrom(16), Ty::B32, moved),
        MemTy::S16 => builder.cvt(Cvt::SignExtendFrom(16), Ty::B32, moved),
        _ => builder.cvt(Cvt::Bits, ty.ty(), moved),
    }
}
