//! Scalar replacement of aggregates, its analysis: which local objects can become values, and the parts of which they
//! are made, each of them what is accessed in one piece. `mem2reg` replaces them.

use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, MemTy, Op, Slot, Ty, Value};

/// A part of an object that becomes values: so many bytes from an offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) slot: Slot,
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) ty: Ty,
    /// Whether all accesses to it are of all of it, as the same kind of register.
    pub(super) is_uniform: bool,
}

/// The parts of all objects that can be taken apart.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) list: Vec<Part>,
    /// By slot, in order: the offsets where accesses begin, each with the number of the part that holds it.
    pub(super) at: Vec<Vec<(u64, u32)>>,
    /// By slot: whether a part of it is not accessed in the same way everywhere.
    pub(super) mixed: Vec<bool>,
    /// By slot: the blocks that set any of it.
    pub(super) set_in: Vec<Vec<Block>>,
}

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn get(&self, slot: Slot, offset: u64) -> Option<u32> {
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

/// By value: in which object it is an address, and where in it.
pub(super) struct Places(Vec<Option<(Slot, u64)>>);

impl Places {
    pub(super) fn get(&self, value: Value) -> Option<(Slot, u64)> {
        self.0.get(value.0 as usize).copied().flatten()
    }

    fn set(&mut self, value: Value, slot: Slot, offset: u64) {
        self.0[value.0 as usize] = Some((slot, offset));
    }
}

/// The addresses in objects that are read and written at known places only; by slot, whether it is no such object.
pub(super) fn places(body: &Body, graph: &Graph) -> (Places, Vec<bool>) {
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
pub(super) fn partition(body: &Body, graph: &Graph, places: &Places) -> Parts {
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
    for (slot, mut all) in ranges.into_iter().enumerate() {
        let mut offsets: Vec<(u64, u32)> = Vec::with_capacity(all.list.len());
        let found = cut(Slot(slot as u32), &mut all.list);
        let is_uniform = |found: &Vec<(Part, _)>| found.iter().all(|(part, _)| part.is_uniform);
        parts.mixed.push(!found.as_ref().is_some_and(is_uniform));
        for (part, group) in found.unwrap_or_default() {
            let number = parts.list.len() as u32;
            parts.list.push(part);
            offsets.extend(group.iter().map(|(offset, _)| (*offset, number)));
        }
        offsets.dedup();
        parts.at.push(offsets);
    }
    parts
}

/// Where an access begins, and what is accessed.
type Range = (u64, MemTy);

/// What is accessed of an object, each range at least once.
#[derive(Debug, Default)]
struct Ranges {
    list: Vec<Range>,
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

/// The parts, each with what is accessed of it; none if one would be too wide for a register.
fn cut(slot: Slot, ranges: &mut [Range]) -> Option<Vec<(Part, &[Range])>> {
    ranges.sort_by_key(|(offset, ty)| (*offset, ty.bytes()));
    let mut found = Vec::with_capacity(ranges.len());
    let mut rest = &*ranges;
    while let Some((start, first)) = rest.first().copied() {
        let (mut end, mut count) = (start, 0);
        for (offset, ty) in rest {
            if count > 0 && *offset >= end {
                break;
            }
            end = end.max(offset + ty.bytes());
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        rest = others;
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
        found.push((
            Part {
                slot,
                offset: start,
                bytes,
                ty,
                is_uniform,
            },
            group,
        ));
    }
    Some(found)
}
