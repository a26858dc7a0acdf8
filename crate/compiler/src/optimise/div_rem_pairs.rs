//! Pairs of divisions and remainders: what is left over of a division that is there anyway is the number less the
//! quotient times the divisor, as in LLVM's `DivRemPairs`, so that the machine divides once.

use super::analyses::Analyses;
use crate::hash::HashMap;
use crate::ir::{Bin, Block, Body, Inst, Op, Value};

/// What is divided by what, and whether with signs.
type Division = (bool, Value, Value);

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let mut quotients: HashMap<Division, Vec<(Block, Inst)>> = HashMap::default();
    let mut remainders: Vec<(Division, Block, Inst)> = Vec::new();
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let (is_signed, is_quotient) = match data.op {
                Op::Bin(Bin::DivU) => (false, true),
                Op::Bin(Bin::DivS) => (true, true),
                Op::Bin(Bin::RemU) => (false, false),
                Op::Bin(Bin::RemS) => (true, false),
                _ => continue,
            };
            let division = (is_signed, data.args[0], data.args[1]);
            match is_quotient {
                true => quotients.entry(division).or_default().push((*block, *inst)),
                false => remainders.push((division, *block, *inst)),
            }
        }
    }
    for (division, block, remainder) in remainders {
        let Some(found) = quotients.get(&division) else {
            continue;
        };
        // One that is there already, or one that comes later and moves up.
        let above = found
            .iter()
            .find(|(other, _)| graph.dominates(*other, block));
        let below = found
            .iter()
            .find(|(other, _)| graph.dominates(block, *other));
        if let Some((home, quotient)) = above.or(below).copied() {
            if home == block || !graph.dominates(home, block) {
                bring_before(body, (home, quotient), (block, remainder));
            }
            multiply_back(body, (block, remainder), quotient);
        }
    }
}

/// Moves the quotient before the remainder, unless it stands there. What it divides is known there too.
fn bring_before(
    body: &mut Body,
    (home, quotient): (Block, Inst),
    (block, remainder): (Block, Inst),
) {
    let place = |block: Block, inst: Inst| {
        let mut insts = body.block(block).insts.iter();
        insts.position(|other| *other == inst)
    };
    let (Some(at), Some(wanted)) = (place(home, quotient), place(block, remainder)) else {
        return;
    };
    if home != block || at > wanted {
        body.blocks[home.0 as usize].insts.remove(at);
        body.blocks[block.0 as usize].insts.insert(wanted, quotient);
    }
}

fn multiply_back(body: &mut Body, (block, remainder): (Block, Inst), quotient: Inst) {
    let data = body.inst(remainder);
    let (number, divisor, loc) = (data.args[0], data.args[1], data.loc);
    let times = body.inst(quotient).results[0];
    let ty = body.ty(times);
    let product = body.make(Op::Bin(Bin::Mul), &[ty], [times, divisor], loc);
    let product_value = body.inst(product).results[0];
    let insts = &mut body.blocks[block.0 as usize].insts;
    if let Some(at) = insts.iter().position(|inst| *inst == remainder) {
        insts.insert(at, product);
    }
    let data = &mut body.insts[remainder.0 as usize];
    data.op = Op::Bin(Bin::Sub);
    data.args = [number, product_value].into();
}
