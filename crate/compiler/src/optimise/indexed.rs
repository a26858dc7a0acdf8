//! Arrays with the variable of an unrolled loop for an index: LLVM orders the sides of sums while the loop is still one, so that
//! the array is not made of values yet, and each use of an element is a load of its own.

use super::iterations::Ordinals;
use super::parts::Places;
use crate::hash::HashMap;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Instruction, Loc, ORDERED, Op, Slot, Value};

/// Such arrays, and what is loaded from them.
pub(super) struct Indexed {
    /// By slot.
    is_indexed: Vec<bool>,
    /// By value that is loaded from them: the statement that does it.
    loaded: Vec<Option<Loc>>,
}

impl Indexed {
    pub(super) fn new(body: &Body, graph: &Graph, places: &Places) -> Self {
        let mut indexed = Self {
            is_indexed: vec![false; body.slots.len()],
            loaded: Vec::new(),
        };
        if body.loops.is_empty() {
            return indexed;
        }
        let mut ordinals: HashMap<Slot, Ordinals> = HashMap::default();
        let mut offsets: HashMap<(Slot, (Loc, u32)), u64> = HashMap::default();
        for inst in graph
            .order
            .iter()
            .flat_map(|block| &body.block(*block).insts)
        {
            let data = body.inst(*inst);
            if data.iteration == 0 || data.iteration == ORDERED {
                continue;
            }
            let Some((slot, offset, bytes)) = access(data, places) else {
                continue;
            };
            let number = slot.0 as usize;
            if !indexed.is_indexed[number] && body.slots[number].size > bytes {
                let key = (slot, ordinals.entry(slot).or_default().next(data));
                indexed.is_indexed[number] = *offsets.entry(key).or_insert(offset) != offset;
            }
        }
        indexed
    }

    /// Marks what takes in an element of such an array in the statement that loads it.
    pub(super) fn mark(&mut self, body: &mut Body, block: Block, places: &Places) {
        if !self.is_indexed.contains(&true) {
            return;
        }
        self.loaded.resize(body.values.len(), None);
        for at in 0..body.block(block).insts.len() {
            let inst = body.block(block).insts[at];
            let data = &body.insts[inst.0 as usize];
            if self.is_element(data, places) {
                for result in &data.results {
                    self.loaded[result.0 as usize] = Some(data.loc);
                }
            } else if self.takes_element(data) {
                body.insts[inst.0 as usize].rereads = true;
            }
        }
    }

    fn is_element(&self, data: &Instruction, places: &Places) -> bool {
        let of = || access(data, places);
        matches!(data.op, Op::Load(_))
            && of().is_some_and(|(slot, ..)| self.is_indexed[slot.0 as usize])
    }

    /// Whether its statement loaded something that it takes in.
    fn takes_element(&self, data: &Instruction) -> bool {
        let statement = |value: &Value| self.loaded.get(value.0 as usize).copied().flatten();
        data.args.iter().any(|arg| statement(arg) == Some(data.loc))
    }
}

/// Of floats in a local object: the object, and where and how many bytes they are.
fn access(data: &Instruction, places: &Places) -> Option<(Slot, u64, u64)> {
    let (Op::Load(mem) | Op::Store(mem)) = data.op else {
        return None;
    };
    let (slot, offset) = places
        .get(data.args[0])
        .filter(|_| mem.ty.ty().is_float())?;
    Some((slot, offset, mem.ty.bytes() * u64::from(mem.count)))
}
