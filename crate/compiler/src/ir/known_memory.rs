//! Store-to-load forwarding while a body is written: what lies in a thread's own objects, as far as it was written or
//! read in the block at hand. Copies of iterations do not load it again.

use super::build::Builder;
use super::{Bin, Block, Mem, MemTy, Op, Slot, Space, Value};
use crate::hash::HashMap;

/// A place in an object of the thread's own.
pub(crate) type Place = (Slot, u64);

/// It holds where the objects become registers. That they do is seen when they should (`optimise::promote`).
#[derive(Debug, Default)]
pub(crate) struct KnownMemory {
    pub(crate) here: Here,
    /// Of addresses that were loaded: what they were known to be.
    loaded: HashMap<Value, Value>,
    /// By value: the number of a slot, counted from 1, and the offset in it of an address there; 0 of other values.
    places: Vec<(u32, u32)>,
    /// By slot: whether it is among those that the body says were relied on.
    is_relied_on: Vec<bool>,
    pub(crate) is_off: bool,
}

/// What was found in one block.
#[derive(Debug, Default)]
pub(crate) struct Here {
    block: Option<Block>,
    values: ByPlace<(MemTy, Value)>,
    addresses: ByPlace<Value>,
}

/// Something for each of some places. Forgetting all of it costs nothing.
#[derive(Debug)]
struct ByPlace<T> {
    /// By slot and quarter of the offset: when it was put there, and what.
    near: Vec<Vec<(u32, T)>>,
    /// Of places that are no multiple of four, or further than `FURTHEST`.
    others: HashMap<Place, T>,
    /// Counts how often all was forgotten; at first nothing is there.
    now: u32,
}

impl<T> Default for ByPlace<T> {
    fn default() -> Self {
        Self {
            near: Vec::new(),
            others: HashMap::default(),
            now: 1,
        }
    }
}

impl<T: Copy> ByPlace<T> {
    const FURTHEST: u64 = 1 << 12;

    fn index((slot, offset): Place) -> Option<(usize, usize)> {
        let is_near = offset.is_multiple_of(4) && offset < Self::FURTHEST;
        is_near.then_some((slot.0 as usize, (offset / 4) as usize))
    }

    fn get(&self, place: Place) -> Option<T> {
        match Self::index(place) {
            Some((slot, at)) => {
                let (then, what) = self.near.get(slot)?.get(at)?;
                (*then == self.now).then_some(*what)
            }
            None => self.others.get(&place).copied(),
        }
    }

    fn put(&mut self, place: Place, what: T) {
        let Some((slot, at)) = Self::index(place) else {
            self.others.insert(place, what);
            return;
        };
        if self.near.len() <= slot {
            self.near.resize_with(slot + 1, Vec::new);
        }
        let of = &mut self.near[slot];
        if of.len() <= at {
            of.resize(at + 1, (0, what));
        }
        of[at] = (self.now, what);
    }

    fn forget(&mut self) {
        self.now += 1;
        self.others.clear();
    }
}

impl Here {
    /// Forgets all that was not found in this block.
    fn enter(&mut self, block: Block) {
        if self.block != Some(block) {
            self.forget();
            self.block = Some(block);
        }
    }

    pub(crate) fn forget(&mut self) {
        self.block = None;
        self.values.forget();
        self.addresses.forget();
    }
}

/// Whether an access is of what can be held.
pub(crate) fn can_be_known(mem: &Mem) -> bool {
    mem.count == 1 && !mem.is_volatile && mem.ty.bytes() >= 4
}

impl Builder {
    /// The place in an object of the thread's own that an address is, if it is a known one.
    pub(crate) fn place_of(&self, address: Value) -> Option<Place> {
        let (mut at, mut offset) = (address, 0_u64);
        if let Some((slot @ 1.., offset)) = self.known.places.get(at.0 as usize) {
            return Some((Slot(slot - 1), u64::from(*offset)));
        }
        loop {
            let inst = self.body.def(at)?;
            match (&inst.op, &inst.args[..]) {
                (Op::Slot(slot), _) => return Some((*slot, offset)),
                (Op::ToGeneric(Space::Local), [inner]) => at = *inner,
                (Op::Bin(Bin::Add), [base, by]) => {
                    offset = offset.wrapping_add(self.body.constant_or_symbolic(*by)?);
                    at = *base;
                }
                (Op::Load(_), _) => at = *self.known.loaded.get(&at)?,
                _ => return None,
            }
        }
    }

    /// Notes that something of an object was not loaded because it was known.
    pub(crate) fn rely_on(&mut self, slot: Slot) {
        let known = &mut self.known.is_relied_on;
        if known.len() <= slot.0 as usize {
            known.resize(slot.0 as usize + 1, false);
        }
        if !std::mem::replace(&mut known[slot.0 as usize], true) {
            self.body.relied_on.insert(slot);
        }
    }

    /// Notes what a store leaves.
    pub(super) fn note_store(&mut self, mem: &Mem, args: &[Value]) {
        let place = match args {
            [to, _] if can_be_known(mem) => self.place_of(*to),
            _ => None,
        };
        self.known.here.enter(self.at);
        match (place, args) {
            (Some(place), [_, value]) => {
                self.known.here.values.put(place, (mem.ty, *value));
            }
            _ => self.known.here.values.forget(),
        }
    }

    /// Notes what an address is that was loaded.
    pub(super) fn note_load(&mut self, mem: &Mem, address: Value, result: Value) {
        if mem.ty == MemTy::B64
            && let Some((slot, value)) = self.known_at(mem, address)
        {
            self.rely_on(slot);
            self.known.loaded.insert(result, value);
        }
    }

    /// What is known to lie at an address, and in which object.
    fn known_at(&mut self, mem: &Mem, address: Value) -> Option<(Slot, Value)> {
        if self.known.is_off || !can_be_known(mem) {
            return None;
        }
        let place = self.place_of(address)?;
        self.known.here.enter(self.at);
        let (ty, value) = self.known.here.values.get(place)?;
        (ty == mem.ty).then_some((place.0, value))
    }

    /// What an access reads, which is not loaded where it is known.
    pub(crate) fn load_unless_known(&mut self, mem: Mem, address: Value) -> Value {
        if let Some((slot, value)) = self.known_at(&mem, address) {
            self.rely_on(slot);
            return value;
        }
        let value = self.load(mem, address)[0];
        if can_be_known(&mem)
            && !self.known.is_off
            && let Some(place) = self.place_of(address)
        {
            self.known.here.values.put(place, (mem.ty, value));
        }
        value
    }

    /// A sum that may be an address in an object, which is not computed where it was before.
    pub(crate) fn sum_unless_known(&mut self, a: Value, b: Value) -> Value {
        let by = self.body.constant_or_symbolic(b);
        let place = by.filter(|_| !self.known.is_off).and_then(|by| {
            let (slot, offset) = self.place_of(a)?;
            Some((slot, offset.wrapping_add(by)))
        });
        let Some(place) = place else {
            return self.bin(Bin::Add, a, b);
        };
        self.known.here.enter(self.at);
        if let Some(value) = self.known.here.addresses.get(place) {
            return value;
        }
        let value = self.bin(Bin::Add, a, b);
        self.known.here.addresses.put(place, value);
        if let (slot, Ok(offset)) = (place.0.0 + 1, u32::try_from(place.1)) {
            let at = value.0 as usize;
            if self.known.places.len() <= at {
                self.known.places.resize(at + 1, (0, 0));
            }
            self.known.places[at] = (slot, offset);
        }
        value
    }
}
