//! Alias analysis: whether two accesses to memory may touch the same bytes, told from their addresses' roots and
//! offsets. No points-to sets: an address that was loaded may point anywhere.

use super::address::{Address, Root, address, may_alias, root};
use crate::ir::compute::{constant_bin, constant_cvt};
use crate::ir::{Bin, Body, Cvt, Mem, Op, Space, Value};
use crate::lower::KernelParam;

/// An access, and what is known of where it goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) mem: Mem,
    pub(super) at: Address,
    root: Root,
    few: Option<Few>,
}

/// That an address is one of few, all between these two distances from a start.
#[derive(Debug, Clone, Copy)]
struct Few {
    base: Value,
    first: i64,
    last: i64,
}

impl Access {
    pub(super) fn new(body: &Body, mem: Mem, to: Value) -> Self {
        let at = address(body, to);
        Self {
            mem,
            at,
            root: root(body, to),
            few: few(body, &mem, at),
        }
    }

    pub(super) fn shares_space(&self, other: &Mem) -> bool {
        self.shares(other.space)
    }

    pub(super) fn shares(&self, space: Space) -> bool {
        let is_generic = self.mem.space == Space::Generic || space == Space::Generic;
        self.mem.space == space || is_generic
    }

    pub(super) fn may_overlap(&self, other: &Access, params: &[KernelParam]) -> bool {
        if !self.shares_space(&other.mem) {
            return false;
        }
        if self.at.base == other.at.base {
            let (a, b) = (self.at.offset, other.at.offset);
            return a < b + bytes(&other.mem) && b < a + bytes(&self.mem);
        }
        if let (Some(a), Some(b)) = (self.few, other.few)
            && a.base == b.base
            && (a.first >= b.last.saturating_add(bytes(&other.mem))
                || b.first >= a.last.saturating_add(bytes(&self.mem)))
        {
            return false;
        }
        !self.mem.origin.is_apart(other.mem.origin) && may_alias(self.root, other.root, params)
    }
}

/// Places that an index may have, beyond which they are not told from each other any more.
const MOST_PLACES: usize = 64;

/// Instructions between an index and the constants that it may be.
const MOST_STEPS: usize = 8;

/// Between which places in an object of the thread's own an address lies, where the ways to it bring constants.
fn few(body: &Body, mem: &Mem, at: Address) -> Option<Few> {
    if mem.space != Space::Local {
        return None;
    }
    let Some((Op::Bin(Bin::Add), [base, by])) =
        (body.def(at.base)).map(|inst| (&inst.op, &inst.args[..]))
    else {
        let (first, last) = (at.offset, at.offset);
        return Some(Few {
            base: at.base,
            first,
            last,
        });
    };
    let mut places = Vec::new();
    constants(body, *by, MOST_STEPS, &mut places)?;
    let places = || places.iter().map(|place| *place as i64);
    let (first, last) = (places().min()?, places().max()?);
    let start = address(body, *base);
    let from = at.offset.checked_add(start.offset)?;
    Some(Few {
        base: start.base,
        first: from.checked_add(first)?,
        last: from.checked_add(last)?,
    })
}

/// Adds the constants that a whole number may be; none if it may be others too.
fn constants(body: &Body, value: Value, steps: usize, into: &mut Vec<u64>) -> Option<()> {
    if let Some(bits) = body.constant(value) {
        into.push(bits);
        return (into.len() <= MOST_PLACES).then_some(());
    }
    let (data, steps) = (body.def(value)?, steps.checked_sub(1)?);
    let ty = body.ty(value);
    let known = into.len();
    match (&data.op, &data.args[..]) {
        (Op::Phi(_), args) => {
            for arg in args {
                constants(body, *arg, steps, into)?;
            }
        }
        (Op::Bin(bin), [of, by]) => {
            let by = body.constant(*by)?;
            constants(body, *of, steps, into)?;
            for bits in &mut into[known..] {
                *bits = constant_bin(*bin, ty, *bits, by)? & ty.mask();
            }
        }
        (Op::Cvt(cvt @ (Cvt::SignExtend | Cvt::ZeroExtend)), [of]) => {
            constants(body, *of, steps, into)?;
            let from = body.ty(*of);
            for bits in &mut into[known..] {
                *bits = constant_cvt(*cvt, from, ty, *bits)? & ty.mask();
            }
        }
        _ => return None,
    }
    Some(())
}

fn bytes(mem: &Mem) -> i64 {
    (mem.ty.bytes() * u64::from(mem.count)) as i64
}
