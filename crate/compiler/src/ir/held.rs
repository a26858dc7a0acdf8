//! What lies in a thread's own objects, as far as copies of iterations wrote and read it in the block at hand: what they read again is not loaded again.

use super::{Bin, Block, Body, MemTy, Op, Slot, Space, Value};
use crate::hash::HashMap;

/// A place in an object of the thread's own.
pub(crate) type Place = (Slot, u64);

/// It holds where the objects become registers. That they do is seen when they should (`optimise::promote`).
#[derive(Debug, Default)]
pub(crate) struct Held {
    block: Option<Block>,
    values: HashMap<Place, (MemTy, Value)>,
    addresses: HashMap<Place, Value>,
}

impl Held {
    /// Forgets all that was not found in this block.
    pub(crate) fn enter(&mut self, block: Block) {
        if self.block != Some(block) {
            self.forget();
            self.block = Some(block);
        }
    }

    pub(crate) fn forget(&mut self) {
        self.block = None;
        self.forget_values();
        self.addresses.clear();
    }

    /// Forgets what lies anywhere.
    pub(crate) fn forget_values(&mut self) {
        if !self.values.is_empty() {
            self.values.clear();
        }
    }

    pub(crate) fn value(&self, place: Place, ty: MemTy) -> Option<Value> {
        let (other, value) = self.values.get(&place)?;
        (*other == ty).then_some(*value)
    }

    /// Notes what is stored at a place.
    pub(crate) fn put(&mut self, place: Place, ty: MemTy, value: Value) {
        self.values.insert(place, (ty, value));
    }

    pub(crate) fn address(&self, place: Place) -> Option<Value> {
        self.addresses.get(&place).copied()
    }

    pub(crate) fn put_address(&mut self, place: Place, value: Value) {
        self.addresses.insert(place, value);
    }
}

/// The place in an object of the thread's own that an address is, if it is a known one.
pub(crate) fn place_of(body: &Body, address: Value) -> Option<Place> {
    let (mut at, mut offset) = (address, 0_u64);
    loop {
        let inst = body.def(at)?;
        match (&inst.op, &inst.args[..]) {
            (Op::Slot(slot), _) => return Some((*slot, offset)),
            (Op::ToGeneric(Space::Local), [inner]) => at = *inner,
            (Op::Bin(Bin::Add), [base, by]) => {
                offset = offset.wrapping_add(body.constant_or_open(*by)?);
                at = *base;
            }
            _ => return None,
        }
    }
}
