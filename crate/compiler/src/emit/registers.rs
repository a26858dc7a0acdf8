//! A register for each value, or for several that share one, and what registers are called.

use super::digits::push_number;
use crate::ir::{Body, Ty, Value};
use std::fmt;

/// All kinds, in their order.
const KINDS: [Ty; 6] = [Ty::Pred, Ty::B16, Ty::B32, Ty::B64, Ty::F32, Ty::F64];

#[derive(Debug)]
pub(super) struct Registers {
    names: Vec<Option<u32>>,
    /// How many there are, by the kind.
    counts: [u32; KINDS.len()],
}

/// A register, by its kind and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    ty: Ty,
    number: u32,
}

impl Register {
    pub(super) fn write(self, text: &mut String) {
        text.push_str(prefix(self.ty));
        push_number(text, self.number);
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", prefix(self.ty), self.number)
    }
}

/// What a register of this kind is called.
pub(super) fn prefix(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "%p",
        Ty::B16 => "%rs",
        Ty::B32 => "%r",
        Ty::B64 => "%rd",
        Ty::F32 => "%f",
        Ty::F64 => "%fd",
    }
}

impl Registers {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            names: vec![None; body.values.len()],
            counts: [0; KINDS.len()],
        }
    }

    pub(super) fn fresh(&mut self, ty: Ty) -> Register {
        let count = &mut self.counts[ty as usize];
        *count += 1;
        Register { ty, number: *count }
    }

    pub(super) fn of(&mut self, body: &Body, value: Value) -> Register {
        let ty = body.ty(value);
        let at = value.0 as usize;
        if let Some(number) = self.names[at] {
            return Register { ty, number };
        }
        let register = self.fresh(ty);
        self.names[at] = Some(register.number);
        register
    }

    pub(super) fn are_same(&self, a: Value, b: Value) -> bool {
        self.names[a.0 as usize].is_some() && self.names[a.0 as usize] == self.names[b.0 as usize]
    }

    /// Gives all of these one register.
    pub(super) fn share(&mut self, body: &Body, values: &[Value]) {
        let Some(first) = values.first() else { return };
        let register = self.of(body, *first);
        for value in values {
            self.names[value.0 as usize] = Some(register.number);
        }
    }

    /// How many of each kind there are, where there are any.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Ty, u32)> {
        let counts = KINDS.into_iter().zip(self.counts);
        counts.filter(|(_, count)| *count > 0)
    }
}
