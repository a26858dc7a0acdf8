//! Arrays with the variable of an unrolled loop for an index: LLVM orders the sides of sums while the loop is still one, so that
//! the array is not made of values yet, and each use of an element is a load of its own.

use super::iterations::Ordinals;
use super::slot_partition::Places;
use crate::hash::HashMap;
use crate::ir::graph::Graph;
use crate::ir::{Body, Instruction, Loc, ORDERED, Op, Slot, Value};

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

    /// Notes what is loaded from an object.
    pub(super) fn note(&mut self, data: &Instruction, slot: Slot) {
        if !self.is_indexed[slot.0 as usize] {
            return;
        }
        for result in &data.results {
            let at = result.0 as usize;
            if self.loaded.len() <= at {
                self.loaded.resize(at + 1, None);
            }
            self.loaded[at] = Some(data.loc);
        }
    }

    /// Whether an instruction takes in an element of such an array that its statement loads.
    pub(super) fn takes_element(&self, data: &Instruction) -> bool {
        if self.loaded.is_empty() {
            return false;
        }
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
