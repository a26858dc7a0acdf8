//! Reassociation of addresses' sums: adds up once what several blocks add to something of their own: of `(y + j) *
//! width + x + column`, in a branch for each `j`, the sum of `x` and `column`, as in LLVM, which finds it before it
//! unrolls the loop over `j`. Where these sums are elements' numbers behind a pointer `in + first`, `first` is part of
//! what they have in common, and they lie behind `in`. Sums of floats keep their order.

use super::analyses::Analyses;
use super::trip_count::append;
use crate::hash::{HashMap, grouped};
use crate::ir::graph::{Graph, home, uses};
use crate::ir::{Bin, Block, Body, Cvt, Def, Exact, Inst, Instruction, Op, Ty, Value};

/// A side of a sum that is known before a block: a value, and whether it is a number of 32 bits that is widened in the block.
type Side = (Value, bool);

/// A sum of three sides, and the one that belongs to its block.
struct Sum {
    block: Block,
    inst: Inst,
    own: Value,
}

/// The address of an element whose number is used for nothing else.
struct Element {
    address: Inst,
    pointer: Value,
    shift: u64,
}

/// True if something changed.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> bool {
    let graph = analyses.graph(body);
    let (homes, uses) = (graph.homes(body), uses(body));
    let found = grouped(graph.insts(body).filter_map(|(block, inst)| {
        let (own, sides) = three_sides(body, inst, (block, &homes), &uses)?;
        Some((sides, Sum { block, inst, own }))
    }));
    if found.is_empty() {
        return false;
    }
    let elements = elements(body, &graph, &uses);
    let mut changed = false;
    for (sides, group) in found {
        let common = graph.above_all(group.iter().map(|sum| sum.block));
        let Some(home) = common.filter(|home| group.iter().all(|sum| sum.block != *home)) else {
            continue;
        };
        let more = move_to_front(body, &group, &elements, &uses);
        add_in(body, home, sides, more, &group);
        changed = true;
    }
    changed
}

/// Adds two sides, and what there is more, at the end of a block, for sums behind it.
fn add_in(body: &mut Body, home: Block, sides: (Side, Side), more: Option<Value>, group: &[Sum]) {
    let loc = body.inst(group[0].inst).loc;
    let [a, b] = [sides.0, sides.1].map(|(value, is_widened)| match is_widened {
        true => append(body, home, Op::Cvt(Cvt::ZeroExtend), Ty::B64, [value], loc),
        false => value,
    });
    let mut all = append(body, home, Op::Bin(Bin::Add), Ty::B64, [a, b], loc);
    if let Some(more) = more {
        all = append(body, home, Op::Bin(Bin::Add), Ty::B64, [all, more], loc);
    }
    for sum in group {
        let data = &mut body.insts[sum.inst.0 as usize];
        (data.args, data.exact) = ([sum.own, all].into(), Exact::No);
    }
}

/// Where these sums are elements' numbers that alone use a pointer `in + first`, the addresses become those behind `in`: then
/// `first` has to be added to the sums.
fn move_to_front(
    body: &mut Body,
    group: &[Sum],
    elements: &HashMap<Value, Element>,
    uses: &[u32],
) -> Option<Value> {
    let of_sum = |sum: &Sum| elements.get(&body.inst(sum.inst).results[0]);
    let elements: Vec<&Element> = group.iter().map(of_sum).collect::<Option<_>>()?;
    let Element { pointer, shift, .. } = **elements.first()?;
    let is_of_all = |element: &&Element| (element.pointer, element.shift) == (pointer, shift);
    if !elements.iter().all(is_of_all) || uses[pointer.0 as usize] as usize != elements.len() {
        return None;
    }
    let first = behind(body, body.def(pointer)?).filter(|first| first.shift == shift)?;
    for element in elements {
        for arg in &mut body.insts[element.address.0 as usize].args {
            if *arg == pointer {
                *arg = first.pointer;
            }
        }
    }
    Some(first.number)
}

/// Elements by their numbers.
fn elements(body: &Body, graph: &Graph, uses: &[u32]) -> HashMap<Value, Element> {
    let is_used_once = |value: Value| uses[value.0 as usize] == 1;
    let of_number = |(_, address): (Block, Inst)| {
        let behind = behind(body, body.inst(address))?;
        let Behind { pointer, shift, .. } = behind;
        (is_used_once(behind.number) && is_used_once(behind.shifted)).then_some((
            behind.number,
            Element {
                address,
                pointer,
                shift,
            },
        ))
    };
    graph.insts(body).filter_map(of_number).collect()
}

/// A pointer, and the number of an element behind it.
struct Behind {
    pointer: Value,
    number: Value,
    shift: u64,
    shifted: Value,
}

/// Of a sum of 64 bits whose one side is a number shifted by a constant.
fn behind(body: &Body, data: &Instruction) -> Option<Behind> {
    let (Op::Bin(Bin::Add), &[a, b]) = (&data.op, &data.args[..]) else {
        return None;
    };
    let with = |pointer: Value, shifted: Value| {
        let data = body
            .def(shifted)
            .filter(|data| data.op == Op::Bin(Bin::Shl))?;
        let (number, shift) = (data.args[0], body.constant(data.args[1])?);
        Some(Behind {
            pointer,
            number,
            shift,
            shifted,
        })
    };
    with(a, b).or_else(|| with(b, a))
}

/// Of a sum of 64 bits that alone needs another one: the side that its block computes, and the two that are known before.
fn three_sides(
    body: &Body,
    inst: Inst,
    (block, homes): (Block, &[Option<Block>]),
    uses: &[u32],
) -> Option<(Value, (Side, Side))> {
    let of_sum = |value: Value| {
        let data = body.def(value)?;
        match (&data.op, &data.args[..]) {
            (Op::Bin(Bin::Add), &[a, b]) if body.ty(value) == Ty::B64 => Some([a, b]),
            _ => None,
        }
    };
    let [a, b] = of_sum(*body.inst(inst).results.first()?)?;
    let inner = |value: Value| of_sum(value).filter(|_| uses[value.0 as usize] == 1);
    let ([x, y], z) = match (inner(a), inner(b)) {
        (Some(inner), _) => (inner, b),
        (None, Some(inner)) => (inner, a),
        (None, None) => return None,
    };
    let known = |value: Value| {
        let is_before = |value: Value| home(body, homes, value).is_some_and(|home| home != block);
        let widened = (body.def(value)).filter(|data| data.op == Op::Cvt(Cvt::ZeroExtend));
        match widened {
            _ if is_before(value) => Some((value, false)),
            Some(data) if is_before(data.args[0]) => Some((data.args[0], true)),
            _ => None,
        }
    };
    let (own, first, second) = match (known(x), known(y), known(z)) {
        (None, Some(a), Some(b)) => (x, a, b),
        (Some(a), None, Some(b)) => (y, a, b),
        (Some(a), Some(b), None) => (z, a, b),
        _ => return None,
    };
    let is_own = !matches!(body.values[own.0 as usize].1, Def::Const(_));
    is_own.then(|| (own, (first.min(second), first.max(second))))
}
