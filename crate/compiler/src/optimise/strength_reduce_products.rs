//! Straight-line strength reduction of products, as in LLVM: makes a product whose factor is one more or less than
//! another's from that one's, `(k + 1) * n` from `k * n` and `n`. Addresses are left to
//! `straight_line_strength_reduce`.

use super::analyses::Analyses;
use crate::hash::HashMap;
use crate::ir::graph::{Graph, uses};
use crate::ir::{Bin, Block, Body, Inst, Instruction, Op, Value};

/// A product of a number and a constant more, by another number, perhaps with something added: all but the constant.
type Line = (Value, Value, Option<Value>);

/// The lines that something stands on, and where.
type Lines = [Option<(Line, u64)>; 2];

/// Where on its line something was made, and what it is.
type Point = (Block, u64, Value);

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let uses = uses(body);
    let is_of_sum = of_sums(body, &graph, &uses);
    let mut points: HashMap<Line, Vec<Point>> = HashMap::default();
    for block in &graph.order {
        for inst in body.block(*block).insts.clone() {
            let Some((lines, result)) = lines(body, inst, &uses) else {
                continue;
            };
            if is_of_sum[result.0 as usize] {
                continue;
            }
            let near = lines.iter().flatten().find_map(|(line, at)| {
                let found = points.get(line)?.iter().rev();
                let mut above = found.filter(|(home, ..)| graph.dominates(*home, *block));
                let (_, from, value) = above.next()?;
                Some((*value, at.wrapping_sub(*from), line.1))
            });
            let mask = body.ty(result).mask();
            match near {
                Some((value, 1, by)) => become_sum(body, inst, Bin::Add, [value, by]),
                Some((value, far, by)) if far & mask == mask => {
                    become_sum(body, inst, Bin::Sub, [value, by])
                }
                _ => {}
            }
            for (line, at) in lines.into_iter().flatten() {
                points.entry(line).or_default().push((*block, at, result));
            }
        }
    }
}

/// The lines that an instruction stands on, and what it gives, if it is a product, or a sum that takes one in.
fn lines(body: &Body, inst: Inst, uses: &[u32]) -> Option<(Lines, Value)> {
    let data = body.inst(inst);
    let result = *data.results.first()?;
    let ((a, b), more) = match data.op {
        Op::Bin(Bin::Mul) => (factors(body, result)?, None),
        Op::Bin(Bin::Add) => {
            let (product, more) = taken_in(body, data, uses)?;
            (factors(body, product)?, Some(more))
        }
        _ => return None,
    };
    let line = |number: Value, by: Value| match body.def(number) {
        Some(sum) if sum.op.is_bin(Bin::Add) => match body.constant(sum.args[1]) {
            Some(at) => ((sum.args[0], by, more), at),
            None => ((number, by, more), 0),
        },
        _ => ((number, by, more), 0),
    };
    Some((
        [Some(line(a, b)), Some(line(b, a)).filter(|_| a != b)],
        result,
    ))
}

/// The product that a sum alone needs, and what it is added to.
fn taken_in(body: &Body, sum: &Instruction, uses: &[u32]) -> Option<(Value, Value)> {
    let (Op::Bin(Bin::Add), &[a, b]) = (&sum.op, &sum.args[..]) else {
        return None;
    };
    let is_open = body.constant(a).is_none() && body.constant(b).is_none();
    let is_single = |value: Value| uses[value.0 as usize] == 1 && factors(body, value).is_some();
    match () {
        () if !is_open => None,
        () if is_single(a) => Some((a, b)),
        () if is_single(b) => Some((b, a)),
        () => None,
    }
}

/// What a product multiplies, if neither is a constant.
fn factors(body: &Body, value: Value) -> Option<(Value, Value)> {
    let product = (body.def(value)).filter(|inst| inst.op.is_bin(Bin::Mul))?;
    let (a, b) = (product.args[0], product.args[1]);
    let is_open = body.constant(a).is_none() && body.constant(b).is_none();
    (is_open && !body.ty(value).is_float()).then_some((a, b))
}

fn become_sum(body: &mut Body, inst: Inst, bin: Bin, args: [Value; 2]) {
    let data = &mut body.insts[inst.0 as usize];
    (data.op, data.args) = (Op::Bin(bin), args.into());
}

/// By value: whether it is a product that a sum takes in.
fn of_sums(body: &Body, graph: &Graph, uses: &[u32]) -> Vec<bool> {
    let mut found = vec![false; body.values.len()];
    for inst in graph
        .order
        .iter()
        .flat_map(|block| &body.block(*block).insts)
    {
        if let Some((product, _)) = taken_in(body, body.inst(*inst), uses) {
            found[product.0 as usize] = true;
        }
    }
    found
}
