//! Separation of constant offsets (LLVM's `SeparateConstOffsetFromGEP`): computes once what the addresses of several
//! accesses have in common. `a[4 * i + 1]` lies behind `a[4 * i]`, since the sum does not wrap around; LLVM sees that
//! too, but where a loop carries the index along. And what several branches compute of their own accesses' addresses
//! stands before them.

use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::hash::grouped;
use crate::ir::graph::{Graph, home};
use crate::ir::{Bin, Block, Body, Cvt, Exact, Inst, Op, Ty, Value};

/// Where an address is: an index is widened, multiplied by a constant, and added to a base.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    base: Value,
    index: Value,
    factor: u64,
}

/// An address that is so many bytes behind its place.
struct Member {
    block: Block,
    inst: Inst,
    more: u64,
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let homes = graph.homes(body);
    let mut replaced = Replaced::new(body);
    for (place, group) in groups(body, &graph) {
        let first = &group[0];
        let Some(common) = graph.above_all(group.iter().map(|member| member.block)) else {
            continue;
        };
        let is_there = |value: &Value| {
            home(body, &homes, *value).is_none_or(|home| graph.dominates(home, common))
        };
        let near = if first.block == common && first.more == 0 {
            body.inst(first.inst).results[0]
        } else if first.block == common {
            address(body, place, (common, Some(first.inst)))
        } else if [place.base, place.index].iter().all(is_there) {
            address(body, place, (common, None))
        } else {
            continue;
        };
        for member in &group {
            if member.more == 0 {
                replaced.set(body.inst(member.inst).results[0], near);
                continue;
            }
            let more = body.make_constant(Ty::B64, member.more);
            let data = &mut body.insts[member.inst.0 as usize];
            (data.args, data.exact) = ([near, more].into(), Exact::No);
        }
    }
    replaced.apply(body);
}

/// Places that several addresses are behind, or one is behind by a constant.
fn groups(body: &Body, graph: &Graph) -> Vec<(Place, Vec<Member>)> {
    let mut groups = grouped(graph.insts(body).filter_map(|(block, inst)| {
        let (place, more) = place(body, inst)?;
        Some((place, Member { block, inst, more }))
    }));
    groups.retain(|(_, group)| group.len() > 1 || group[0].more != 0);
    groups
}

/// Puts what gives a place's address in front of an instruction, or at a block's end.
fn address(body: &mut Body, place: Place, (block, before): (Block, Option<Inst>)) -> Value {
    let loc = before.map_or(body.block(block).loc, |inst| body.inst(inst).loc);
    let insts = &body.block(block).insts;
    let found = insts.iter().position(|inst| Some(*inst) == before);
    let mut at = found.unwrap_or(insts.len());
    let factor = body.make_constant(Ty::B64, place.factor);
    let mut put = |op: Op, args: &[Value]| {
        let inst = body.make(op, &[Ty::B64], args.to_vec(), loc);
        body.blocks[block.0 as usize].insts.insert(at, inst);
        at += 1;
        body.inst(inst).results[0]
    };
    let wide = put(Op::Cvt(Cvt::ZeroExtend), &[place.index]);
    let scaled = put(Op::Bin(Bin::Mul), &[wide, factor]);
    put(Op::Bin(Bin::Add), &[place.base, scaled])
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
