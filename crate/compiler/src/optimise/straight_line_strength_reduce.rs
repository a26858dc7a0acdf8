//! Straight-line strength reduction of addresses, as in LLVM: goes from address to address by what lies between them.
//! Of `p + n`, `p + 2 * n` and `p + 3 * n` each is the one before and `n`, and that of element `i + n` is that of `i`
//! and `n` elements. One multiple of `n` is kept then instead of several.

use super::address::{Root, root};
use super::analyses::Analyses;
use super::natural_loops::{Natural, loops};
use super::trip_count::{append, put_before};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::home;
use crate::ir::{Bin, Block, Body, Inst, Op, Ty, Value};

/// So many multiplications are looked through.
const DEPTH: u32 = 4;

/// Addresses that are so many times a number behind a pointer, by both, in the order in which they are made.
type Points = HashMap<(Value, Value), Vec<(Block, u64, Value)>>;

/// Multiples by the number and the factor, and where they are made.
type Multiples = HashMap<(Value, u64), Vec<(Block, Value)>>;

/// What lies between two addresses, where one now comes from the other.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> HashSet<Value> {
    let graph = analyses.graph(body);
    let homes = graph.homes(body);
    let (mut points, mut multiples) = (Points::default(), Multiples::default());
    let mut between = HashSet::default();
    let mut natural: Option<Vec<Natural>> = None;
    let insts: Vec<(Block, Inst)> = graph.insts(body).collect();
    for (block, inst) in insts {
        let Some(&result) = body.inst(inst).results.first() else {
            continue;
        };
        if let Some(multiple) = multiple(body, result) {
            multiples.entry(multiple).or_default().push((block, result));
            continue;
        }
        let Some((pointer, number, factor)) = behind(body, inst) else {
            continue;
        };
        let above = |number: Value| {
            let points = points.get(&(pointer, number))?;
            let mut points = points.iter().rev();
            points.find(|(home, ..)| graph.dominates(*home, block))
        };
        let far = match above(number) {
            Some(&(_, near, _)) if near == factor => None,
            Some(&(_, near, from)) => Some((from, number, factor.wrapping_sub(near), block)),
            // Of the place of `i + n` from that of `i`.
            None => parts(body, number).into_iter().find_map(|[near, more]| {
                let &(_, _, from) = above(near).filter(|(_, near, _)| *near == factor)?;
                let made = home(body, &homes, more).unwrap_or(block);
                let natural = natural.get_or_insert_with(|| loops(body, &graph));
                let is_before = natural.iter().any(|found| found.is_entered(made, block));
                Some((from, more, factor, if is_before { made } else { block }))
            }),
        };
        if let Some((from, number, far, home)) = far {
            let far = far as i64;
            let made = multiples.entry((number, far.unsigned_abs())).or_default();
            let there = made.iter().find(|(home, _)| graph.dominates(*home, block));
            let step = there.map(|(_, step)| *step).unwrap_or_else(|| {
                let before = (home == block).then_some(inst);
                let step = multiply(body, (home, before), number, far.unsigned_abs());
                made.push((home, step));
                step
            });
            let bin = if far < 0 { Bin::Sub } else { Bin::Add };
            let data = &mut body.insts[inst.0 as usize];
            (data.op, data.args) = (Op::Bin(bin), [from, step].into());
            between.insert(step);
        }
        let points = points.entry((pointer, number)).or_default();
        points.push((block, factor, result));
    }
    between
}

/// Of an address that is a multiple of a number behind a pointer: both, and how many times the number.
fn behind(body: &Body, inst: Inst) -> Option<(Value, Value, u64)> {
    let data = body.inst(inst);
    let (Op::Bin(Bin::Add), &[a, b]) = (&data.op, &data.args[..]) else {
        return None;
    };
    let with = |pointer: Value, value: Value| {
        let (number, factor) = multiple(body, value)?;
        (root(body, pointer) != Root::Unknown).then_some((pointer, number, factor))
    };
    with(a, b).or_else(|| with(b, a))
}

/// The number of 64 bits that a value is a multiple of, and how many times.
fn multiple(body: &Body, value: Value) -> Option<(Value, u64)> {
    let (mut number, mut factor) = (value, 1_u64);
    for _ in 0..DEPTH {
        let Some(data) = body.def(number).filter(|_| body.ty(number) == Ty::B64) else {
            break;
        };
        let by = data.args.get(1).and_then(|by| body.constant(*by));
        let by = match (&data.op, by) {
            (Op::Bin(Bin::Mul), Some(by)) => by,
            (Op::Bin(Bin::Shl), Some(by @ 0..64)) => 1 << by,
            _ => break,
        };
        (number, factor) = (data.args[0], factor.wrapping_mul(by));
    }
    (number != value).then_some((number, factor))
}

/// The two numbers of which a sum is made, in both orders.
fn parts(body: &Body, sum: Value) -> Vec<[Value; 2]> {
    match body.def(sum).map(|data| (&data.op, &data.args[..])) {
        Some((Op::Bin(Bin::Add), &[a, b])) if body.constant(b).is_none() => {
            vec![[a, b], [b, a]]
        }
        _ => Vec::new(),
    }
}

/// A multiple of a number, made in front of an instruction or at the end of a block.
fn multiply(
    body: &mut Body,
    (block, before): (Block, Option<Inst>),
    number: Value,
    by: u64,
) -> Value {
    let (bin, by) = match by.is_power_of_two() {
        true => (
            Bin::Shl,
            body.make_constant(Ty::B32, u64::from(by.trailing_zeros())),
        ),
        false => (Bin::Mul, body.make_constant(Ty::B64, by)),
    };
    match before {
        Some(before) => put_before(body, (block, before), Op::Bin(bin), Ty::B64, [number, by]),
        None => {
            let loc = body.block(block).loc;
            append(body, block, Op::Bin(bin), Ty::B64, [number, by], loc)
        }
    }
}
