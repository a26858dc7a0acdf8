//! Demanded bits: takes what has no bit in a mask out of sums under it: `(i + 256) % 8` is `i % 8`. So NVIDIA's
//! compiler does, but not before it knows which loads are the same, and so this has to come behind what finds those.

use crate::ir::{Bin, Body, Op, Value};

/// True if something changed.
pub(super) fn run(body: &mut Body) -> bool {
    let mut changed = false;
    for number in 0..body.blocks.len() {
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            let data = body.inst(inst);
            let (Op::Bin(Bin::And), &[sum, mask]) = (&data.op, &data.args[..]) else {
                continue;
            };
            let Some(bits) = body
                .constant(mask)
                .filter(|bits| bits & bits.wrapping_add(1) == 0)
            else {
                continue;
            };
            let (mut rest, mut next) = (sum, Some(sum));
            while let Some(fewer) = next {
                rest = fewer;
                next = without_multiples(body, fewer, bits);
            }
            if rest != sum {
                body.insts[inst.0 as usize].args = [rest, mask].into();
                changed = true;
            }
        }
    }
    changed
}

/// The other side of a sum if one has none of a mask's bits, which are the lowest.
fn without_multiples(body: &Body, sum: Value, mask: u64) -> Option<Value> {
    let inst = body.def(sum)?;
    let (Op::Bin(Bin::Add), &[a, b]) = (&inst.op, &inst.args[..]) else {
        return None;
    };
    match (is_multiple(body, b, mask), is_multiple(body, a, mask)) {
        (true, _) => Some(a),
        (_, true) => Some(b),
        _ => None,
    }
}

/// Whether none of a mask's bits is in a value, as its last instruction tells.
fn is_multiple(body: &Body, value: Value, mask: u64) -> bool {
    if let Some(bits) = body.constant(value) {
        return bits & mask == 0;
    }
    let Some(inst) = body.def(value) else {
        return false;
    };
    let by = inst.args.get(1).and_then(|by| body.constant(*by));
    match (&inst.op, by) {
        (Op::Bin(Bin::Shl), Some(by)) => by < 64 && mask >> by == 0,
        (Op::Bin(Bin::Mul | Bin::And), Some(by)) => by & mask == 0,
        _ => false,
    }
}
