//! Underlying objects of addresses: where they come from, how far from there, and which may be the same. What is done
//! with that stands elsewhere.

use crate::ir::{Bin, Body, Op, Symbol, Ty, Value};
use crate::lower::KernelParam;

/// An address as a start and a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) base: Value,
    pub(super) offset: i64,
}

/// Where an address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Root {
    Symbol(Symbol),
    Param(u32),
    Slot(u32),
    Unknown,
}

pub(super) fn address(body: &Body, value: Value) -> Address {
    let (mut base, mut offset) = (value, 0_i64);
    while let Some(inst) = body.def(base) {
        match (&inst.op, &inst.args[..]) {
            (Op::Bin(Bin::Add), [inner, by]) => match body.constant(*by) {
                Some(by) => {
                    base = *inner;
                    offset = offset.wrapping_add(by as i64);
                }
                None => break,
            },
            _ => break,
        }
    }
    Address { base, offset }
}

/// The object that an address lies in, found through sums, phis and conversions.
pub(super) fn root(body: &Body, value: Value) -> Root {
    let value = match plain_root(body, value) {
        Ok(root) => return root,
        Err(value) => value,
    };
    let mut seen: Vec<Value> = Vec::new();
    let mut open = vec![value];
    let mut found: Option<Root> = None;
    while let Some(value) = open.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        if seen.len() > 200 {
            return Root::Unknown;
        }
        let Some(inst) = body.def(value) else {
            return Root::Unknown;
        };
        let here = match (&inst.op, &inst.args[..]) {
            (Op::Symbol(symbol), _) => Root::Symbol(*symbol),
            (Op::Slot(slot), _) => Root::Slot(slot.0),
            (Op::Param(number), _) => Root::Param(*number),
            (Op::ToGeneric(_) | Op::FromGeneric(_), [inner]) => {
                open.push(*inner);
                continue;
            }
            (Op::Bin(Bin::Add | Bin::Sub), [a, b]) => {
                match (may_be_address(body, *a), may_be_address(body, *b)) {
                    (true, false) => open.push(*a),
                    (false, true) => open.push(*b),
                    (true, true) => {
                        let (x, y) = (root_within(body, *a), root_within(body, *b));
                        match (x, y) {
                            (Root::Unknown, other) | (other, Root::Unknown) => {
                                if other == Root::Unknown {
                                    return Root::Unknown;
                                }
                                match found {
                                    Some(known) if known != other => return Root::Unknown,
                                    _ => found = Some(other),
                                }
                            }
                            _ => return Root::Unknown,
                        }
                    }
                    (false, false) => return Root::Unknown,
                }
                continue;
            }
            (Op::Phi(_), args) => {
                open.extend(args);
                continue;
            }
            (Op::Select, [_, a, b]) => {
                open.extend([*a, *b]);
                continue;
            }
            _ => return Root::Unknown,
        };
        match found {
            Some(known) if known != here => return Root::Unknown,
            _ => found = Some(here),
        }
    }
    found.unwrap_or(Root::Unknown)
}

/// Whether a side of a sum may be the address: products and extensions are none.
fn may_be_address(body: &Body, value: Value) -> bool {
    let is_address = |op: &Op| {
        matches!(
            op,
            Op::Symbol(_)
                | Op::Slot(_)
                | Op::Param(_)
                | Op::ToGeneric(_)
                | Op::FromGeneric(_)
                | Op::Phi(_)
                | Op::Select
                | Op::Bin(Bin::Add | Bin::Sub)
        )
    };
    body.def(value).is_some_and(|inst| is_address(&inst.op))
}

/// The same where nothing but one address leads to it, as nearly always; else how far that is so.
fn plain_root(body: &Body, value: Value) -> Result<Root, Value> {
    let mut value = value;
    for _ in 0..64 {
        let Some(inst) = body.def(value) else {
            return Ok(Root::Unknown);
        };
        value = match (&inst.op, &inst.args[..]) {
            (Op::Symbol(symbol), _) => return Ok(Root::Symbol(*symbol)),
            (Op::Slot(slot), _) => return Ok(Root::Slot(slot.0)),
            (Op::Param(number), _) => return Ok(Root::Param(*number)),
            (Op::ToGeneric(_) | Op::FromGeneric(_), [inner]) => *inner,
            (Op::Bin(Bin::Add | Bin::Sub), [a, b]) => {
                match (may_be_address(body, *a), may_be_address(body, *b)) {
                    (true, false) => *a,
                    (false, true) => *b,
                    _ => return Err(value),
                }
            }
            _ => return Err(value),
        };
    }
    Err(value)
}

/// The same along sums only, where both sides may be addresses.
fn root_within(body: &Body, value: Value) -> Root {
    let mut value = value;
    for _ in 0..64 {
        let Some(inst) = body.def(value) else {
            return Root::Unknown;
        };
        match (&inst.op, &inst.args[..]) {
            (Op::Symbol(symbol), _) => return Root::Symbol(*symbol),
            (Op::Slot(slot), _) => return Root::Slot(slot.0),
            (Op::Param(number), _) if body.ty(value) == Ty::B64 => return Root::Param(*number),
            (Op::ToGeneric(_) | Op::FromGeneric(_), [inner]) => value = *inner,
            (Op::Bin(Bin::Add | Bin::Sub), [a, _]) => value = *a,
            _ => return Root::Unknown,
        }
    }
    Root::Unknown
}

/// Whether addresses in these objects may be the same.
pub(super) fn may_alias(a: Root, b: Root, params: &[KernelParam]) -> bool {
    let is_free = |number: u32| {
        params
            .get(number as usize)
            .is_some_and(|param| param.is_restrict)
    };
    match (a, b) {
        (Root::Symbol(a), Root::Symbol(b)) => a == b,
        (Root::Slot(a), Root::Slot(b)) => a == b,
        (Root::Param(a), Root::Param(b)) => a == b || !(is_free(a) || is_free(b)),
        (Root::Param(_), Root::Symbol(_)) | (Root::Symbol(_), Root::Param(_)) => true,
        (Root::Slot(_), Root::Symbol(_) | Root::Param(_))
        | (Root::Symbol(_) | Root::Param(_), Root::Slot(_)) => false,
        _ => true,
    }
}
