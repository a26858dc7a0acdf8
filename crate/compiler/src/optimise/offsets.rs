//! Adds to an address what an index has more than a multiple of a power of two: `a[4 * i + 1]` lies behind `a[4 * i]`, since
//! such a sum does not wrap around. LLVM does so where no loop carries the index along.

use crate::hash::HashMap;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Cvt, Exact, Inst, Loc, Op, Ty, Value};

/// Where an address is: an index is widened, multiplied by a constant, and added to a base.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    base: Value,
    index: Value,
    factor: u64,
}

pub(super) fn offsets(body: &mut Body) {
    let graph = Graph::new(body);
    let mut known: HashMap<Place, Vec<(Block, Value)>> = HashMap::default();
    for block in &graph.order {
        let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
        let mut written = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some((place, more)) = place(body, inst) {
                let same = known.entry(place).or_default();
                let mut above = same
                    .iter()
                    .filter(|(home, _)| graph.dominates(*home, *block));
                let near = above.next().map(|(_, near)| *near);
                if more == 0 {
                    same.push((*block, body.inst(inst).results[0]));
                } else {
                    let near = near.unwrap_or_else(|| {
                        let near = address(body, &mut written, place, body.inst(inst).loc);
                        same.push((*block, near));
                        near
                    });
                    let more = body.make_constant(Ty::B64, more);
                    let data = &mut body.insts[inst.0 as usize];
                    (data.args, data.exact) = ([near, more].into(), Exact::No);
                }
            }
            written.push(inst);
        }
        body.blocks[block.0 as usize].insts = written;
    }
}

/// Appends what gives an address.
fn address(body: &mut Body, written: &mut Vec<Inst>, place: Place, loc: Loc) -> Value {
    let factor = body.make_constant(Ty::B64, place.factor);
    let mut append = |op: Op, args: &[Value]| {
        let inst = body.make(op, &[Ty::B64], args.to_vec(), loc);
        written.push(inst);
        body.inst(inst).results[0]
    };
    let wide = append(Op::Cvt(Cvt::ZeroExtend), &[place.index]);
    let scaled = append(Op::Bin(Bin::Mul), &[wide, factor]);
    append(Op::Bin(Bin::Add), &[place.base, scaled])
}

/// The place that an address is some bytes behind, if it is one.
fn place(body: &Body, inst: Inst) -> Option<(Place, u64)> {
    let data = body.inst(inst);
    let (Op::Bin(Bin::Add), &[a, b]) = (&data.op, &data.args[..]) else {
        return None;
    };
    if body.ty(a) != Ty::B64 {
        return None;
    }
    let (base, (number, factor)) = match (scaled(body, b), scaled(body, a)) {
        (Some(scaled), _) => (a, scaled),
        (None, Some(scaled)) => (b, scaled),
        (None, None) => return None,
    };
    let (index, more) = parts(body, number).unwrap_or((number, 0));
    let place = Place {
        base,
        index,
        factor,
    };
    Some((place, more.wrapping_mul(factor)))
}

/// Of a widened number of 32 bits times a constant: both.
fn scaled(body: &Body, value: Value) -> Option<(Value, u64)> {
    let data = body.def(value)?;
    let by = body.constant(*data.args.get(1)?)?;
    let factor = match data.op {
        Op::Bin(Bin::Mul) => by,
        Op::Bin(Bin::Shl) => 1_u64.checked_shl(u32::try_from(by).ok()?)?,
        _ => return None,
    };
    let wide = (body.def(data.args[0])).filter(|inst| inst.op == Op::Cvt(Cvt::ZeroExtend))?;
    let number = wide.args[0];
    (body.ty(number) == Ty::B32).then_some((number, factor))
}

/// A multiple of a power of two, and a constant below that which is added to it.
fn parts(body: &Body, number: Value) -> Option<(Value, u64)> {
    let sum = (body.def(number)).filter(|inst| matches!(inst.op, Op::Bin(Bin::Add | Bin::Or)))?;
    let (of, more) = (sum.args[0], body.constant(sum.args[1])?);
    let data = body.def(of)?;
    let by = body.constant(*data.args.get(1)?)?;
    let zeros = match data.op {
        Op::Bin(Bin::Shl) => u32::try_from(by).ok()?,
        Op::Bin(Bin::Mul | Bin::And) => by.trailing_zeros(),
        _ => return None,
    };
    (more < 1_u64.checked_shl(zeros)?).then_some((of, more))
}
