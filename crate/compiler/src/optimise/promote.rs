//! Local objects become values: each part of one that is read and written at known places only.

use super::frontier::Frontiers;
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, MemTy, Op, Slot, Ty, Value};

/// A part of an object that becomes values: so many bytes from an offset.
#[derive(Debug, Clone, Copy)]
struct Part {
    slot: Slot,
    offset: u64,
    bytes: u64,
    ty: Ty,
    /// Whether all accesses to it are of all of it, as the same kind of register.
    is_uniform: bool,
}

/// The parts of all objects that can be taken apart.
#[derive(Debug, Default)]
struct Parts {
    list: Vec<Part>,
    /// By slot, in order: the offsets where accesses begin, each with the number of the part that holds it.
    at: Vec<Vec<(u64, u32)>>,
    /// By slot: whether a part of it is not accessed in the same way everywhere.
    mixed: Vec<bool>,
    /// By slot: the blocks that set any of it.
    set_in: Vec<Vec<Block>>,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn get(&self, slot: Slot, offset: u64) -> Option<u32> {
        let all = &self.at[slot.0 as usize];
        // Mostly they lie side by side, one as large as the other.
        let (first, number) = *all.first()?;
        let bytes = self.list[number as usize].bytes;
        let likely = all.get((offset.wrapping_sub(first) / bytes) as usize);
        if let Some((_, number)) = likely.filter(|(at, _)| *at == offset) {
            return Some(*number);
        }
        let at = all.binary_search_by_key(&offset, |(at, _)| *at).ok()?;
        Some(all[at].1)
    }
}

/// True if any object became values; none if one does not that was relied on.
pub(super) fn promote(builder: &mut Builder) -> Option<bool> {
    let graph = Graph::new(&builder.body);
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
        last: HashMap::default(),
        first: HashMap::default(),
        joins: Vec::new(),
        taken: Vec::new(),
    };
    let mut replaced = Replaced::new(&builder.body);
    for block in &graph.order {
        rewrite_block(builder, *block, &places, &mut values, &mut replaced);
    }
    values.complete(builder);
    values.drop_same(&mut replaced);
    values.make_phis(&mut builder.body);
    replaced.apply(&mut builder.body);
    Some(true)
}

/// By value: in which object it is an address, and where in it.
struct Places(Vec<Option<(Slot, u64)>>);

impl Places {
    fn get(&self, value: Value) -> Option<(Slot, u64)> {
        self.0.get(value.0 as usize).copied().flatten()
    }

    fn set(&mut self, value: Value, slot: Slot, offset: u64) {
        self.0[value.0 as usize] = Some((slot, offset));
    }
}

/// The addresses in objects that are read and written at known places only; by slot, whether it is no such object.
fn places(body: &Body, graph: &Graph) -> (Places, Vec<bool>) {
    let mut places = Places(vec![None; body.values.len()]);
    let mut lost = vec![false; body.slots.len()];
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let first = data.args.first().and_then(|arg| places.get(*arg));
            match (&data.op, first) {
                (Op::Slot(slot), _) => {
                    places.set(data.results[0], *slot, 0);
                    continue;
                }
                (Op::ToGeneric(_) | Op::FromGeneric(_), Some((slot, offset))) => {
                    places.set(data.results[0], slot, offset);
                    continue;
                }
                (Op::Bin(Bin::Add), Some((slot, offset))) => {
                    if let Some(by) = body.constant(data.args[1]) {
                        places.set(data.results[0], slot, offset.wrapping_add(by));
                        continue;
                    }
                }
                (Op::Load(mem), Some((slot, offset))) => {
                    lost[slot.0 as usize] |=
                        mem.is_volatile || !fits(body, slot, offset, mem.ty, mem.count);
                    continue;
                }
                (Op::Store(mem), Some((slot, offset))) => {
                    lost[slot.0 as usize] |=
                        mem.is_volatile || !fits(body, slot, offset, mem.ty, mem.count);
                }
                _ => {}
            }
            let is_store = matches!(data.op, Op::Store(_));
            for arg in &data.args[usize::from(is_store)..] {
                if let Some((slot, _)) = places.get(*arg) {
                    lost[slot.0 as usize] = true;
                }
            }
            if is_store && first.is_none() {
                continue;
            }
        }
    }
    for place in &mut places.0 {
        *place = place.filter(|(slot, _)| !lost[slot.0 as usize]);
    }
    (places, lost)
}

fn fits(body: &Body, slot: Slot, offset: u64, ty: MemTy, count: u8) -> bool {
    let end = offset.checked_add(ty.bytes() * u64::from(count));
    end.is_some_and(|end| end <= body.slots[slot.0 as usize].size)
}

/// Cuts objects into parts that no access crosses.
fn partition(body: &Body, graph: &Graph, places: &Places) -> Parts {
    let mut ranges: Vec<Ranges> = Vec::new();
    ranges.resize_with(body.slots.len(), Ranges::default);
    let mut set_in = vec![Vec::new(); body.slots.len()];
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let (Op::Load(mem) | Op::Store(mem)) = &data.op else {
                continue;
            };
            if let Some((slot, offset)) = places.get(data.args[0]) {
                let set_in = &mut set_in[slot.0 as usize];
                if matches!(data.op, Op::Store(_)) && set_in.last() != Some(block) {
                    set_in.push(*block);
                }
                let all = &mut ranges[slot.0 as usize];
                for number in 0..u64::from(mem.count) {
                    all.note(offset + number * mem.ty.bytes(), mem.ty);
                }
            }
        }
    }
    let mut parts = Parts {
        set_in,
        ..Parts::default()
    };
    for (slot, all) in ranges.into_iter().enumerate() {
        let mut offsets = Vec::new();
        let found = cut(Slot(slot as u32), all.list);
        let is_uniform =
            |found: &Vec<(Part, Vec<u64>)>| found.iter().all(|(part, _)| part.is_uniform);
        parts.mixed.push(!found.as_ref().is_some_and(is_uniform));
        for (part, starts) in found.unwrap_or_default() {
            let number = parts.list.len() as u32;
            parts.list.push(part);
            offsets.extend(starts.into_iter().map(|offset| (offset, number)));
        }
        parts.at.push(offsets);
    }
    parts
}

/// What is accessed of an object, each range at least once.
#[derive(Debug, Default)]
struct Ranges {
    list: Vec<(u64, MemTy)>,
    /// By quarters of the offset: a type with which it was noted already.
    noted: Vec<Option<MemTy>>,
}

impl Ranges {
    /// Offsets beyond which it is not looked whether they were noted.
    const FURTHEST: u64 = 1 << 12;

    fn note(&mut self, offset: u64, ty: MemTy) {
        if offset.is_multiple_of(4) && offset < Self::FURTHEST {
            let at = (offset / 4) as usize;
            if self.noted.len() <= at {
                self.noted.resize(at + 1, None);
            }
            if self.noted[at].replace(ty) == Some(ty) {
                return;
            }
        }
        self.list.push((offset, ty));
    }
}

/// The parts with the offsets where accesses begin; none if one would be too wide for a register.
fn cut(slot: Slot, mut ranges: Vec<(u64, MemTy)>) -> Option<Vec<(Part, Vec<u64>)>> {
    ranges.sort_by_key(|(offset, ty)| (*offset, ty.bytes()));
    let mut groups: Vec<Vec<(u64, MemTy)>> = Vec::new();
    let mut end = 0;
    for (offset, ty) in ranges {
        match groups.last_mut() {
            Some(group) if offset < end => group.push((offset, ty)),
            _ => groups.push(vec![(offset, ty)]),
        }
        end = end.max(offset + ty.bytes());
    }
    let mut found = Vec::new();
    for group in groups {
        let (start, first) = group[0];
        let end = group.iter().map(|(offset, ty)| offset + ty.bytes()).max()?;
        let bytes = end - start;
        let is_uniform = group
            .iter()
            .all(|(offset, ty)| *offset == start && ty.bytes() == bytes);
        let same_register = group.iter().all(|(_, ty)| ty.ty() == first.ty());
        let is_uniform = is_uniform && same_register;
        let ty = match bytes {
            _ if is_uniform => first.ty(),
            0..=4 => Ty::B32,
            5..=8 => Ty::B64,
            _ => return None,
        };
        let mut offsets: Vec<u64> = group.iter().map(|(offset, _)| *offset).collect();
        offsets.dedup();
        found.push((
            Part {
                slot,
                offset: start,
                bytes,
                ty,
                is_uniform,
            },
            offsets,
        ));
    }
    Some(found)
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
        let mut passed = Vec::new();
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
                    let above = self.graph.dominator[at.0 as usize].unwrap_or(Block(0));
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
        for block in passed {
            self.first.insert((part, block), value);
        }
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

    /// Makes phis of the joins, before all else in their blocks, the last one first.
    fn make_phis(&self, body: &mut Body) {
        let mut by_block: HashMap<Block, Vec<Inst>> = HashMap::default();
        for join in self.joins.iter().rev() {
            let before = &self.graph.before[join.block.0 as usize];
            let args = &self.taken[join.from..join.from + before.len()];
            let loc = body.block(join.block).loc;
            let inst = body.make(Op::Phi(before.to_vec()), &[], args, loc);
            body.insts[inst.0 as usize].results = [join.result].into();
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
    values: &mut Values<'_>,
    replaced: &mut Replaced,
) {
    let at = block.0 as usize;
    let insts = std::mem::take(&mut builder.body.blocks[at].insts);
    let term = std::mem::replace(&mut builder.body.blocks[at].term, crate::ir::Term::None);
    builder.at = block;
    for inst in insts {
        let data = builder.body.inst(inst);
        let (Op::Load(mem) | Op::Store(mem)) = data.op else {
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
