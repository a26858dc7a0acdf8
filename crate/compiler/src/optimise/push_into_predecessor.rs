//! Folding into predecessors: computes what follows from a choice between constants and one number on the way that
//! brings the number, as LLVM's `InstCombine` does with operations on phis. A product is then no part of a sum behind,
//! which would round both at once.

use super::analyses::Analyses;
use super::natural_loops::loops;
use super::rewrite::Replaced;
use super::scalar_promotion::put_between;
use crate::ir::compute::constant_bin;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Def, Inst, Op, Term, Value};

/// True if something changed. Of a kernel whose loop was split what several ways brought stays where it is.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, is_split: bool) -> bool {
    let graph = analyses.graph(body);
    let candidates = candidates(body, &graph);
    if candidates.is_empty() {
        return false;
    }
    let all = loops(body, &graph);
    let mut replaced = Replaced::new(body);
    for (inst, phi, home) in candidates {
        let Op::Phi(from) = body.inst(phi).op.clone() else {
            continue;
        };
        let args = body.inst(phi).args.clone();
        let is_constant = |value: &Value| body.constant(*value).is_some();
        let Some(at) = args.iter().position(|arg| !is_constant(arg)) else {
            continue;
        };
        let leaves = all
            .iter()
            .any(|natural| natural.blocks.contains(&from[at]) && !natural.blocks.contains(&home));
        let jumps = matches!(body.block(from[at]).term, Term::Jump(_));
        let is_one = args.iter().filter(|arg| !is_constant(arg)).count() == 1;
        let is_joined = |value| {
            body.def(value)
                .is_some_and(|inst| matches!(inst.op, Op::Phi(_)))
        };
        if !is_one || !(jumps || leaves) || is_split && is_joined(args[at]) {
            continue;
        }
        let Some(values) = on_ways(body, inst, phi, at) else {
            continue;
        };
        let (ty, loc) = (body.ty(values[0]), body.inst(inst).loc);
        if let Def::Inst(made, _) = body.values[values[at].0 as usize].1 {
            match jumps {
                true => body.blocks[from[at].0 as usize].insts.push(made),
                false => put_between(body, from[at], home, [made]),
            }
        }
        // The way may lead through a new block now.
        let Op::Phi(from) = body.inst(phi).op.clone() else {
            continue;
        };
        let chosen = body.make(Op::Phi(from), &[ty], values, loc);
        body.blocks[home.0 as usize].insts.insert(0, chosen);
        replaced.set(body.inst(inst).results[0], body.inst(chosen).results[0]);
    }
    replaced.apply(body);
    !replaced.is_empty()
}

/// Operations on floats with a constant and a phi that nothing else wants, and the phi's block.
fn candidates(body: &Body, graph: &Graph) -> Vec<(Inst, Inst, Block)> {
    let mut uses = vec![0_u32; body.values.len()];
    let home = graph.homes(body);
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            for arg in &body.inst(*inst).args {
                uses[arg.0 as usize] += 1;
            }
        }
    }
    let mut found = Vec::new();
    for inst in (graph.order.iter()).flat_map(|block| &body.block(*block).insts) {
        let data = body.inst(*inst);
        let (Op::Bin(_), [a, b]) = (&data.op, &data.args[..]) else {
            continue;
        };
        let number = match (body.constant(*a), body.constant(*b)) {
            (None, Some(_)) => *a,
            (Some(_), None) => *b,
            _ => continue,
        };
        if let Def::Inst(phi, _) = body.values[number.0 as usize].1
            && body.ty(number).is_float()
            && matches!(body.inst(phi).op, Op::Phi(_))
            && uses[number.0 as usize] == 1
            && let Some(home) = home[phi.0 as usize]
        {
            found.push((*inst, phi, home));
        }
    }
    found
}

/// What an operation gives on each way to a phi; on one of them by an instruction that is in no block yet.
fn on_ways(body: &mut Body, inst: Inst, phi: Inst, at: usize) -> Option<Vec<Value>> {
    let data = body.inst(inst).clone();
    let result = body.inst(phi).results[0];
    let Op::Bin(bin) = data.op else { return None };
    let ty = body.ty(data.results[0]);
    let mut values = Vec::new();
    for (way, arg) in body.inst(phi).args.clone().iter().enumerate() {
        let of = |value: &Value| if *value == result { *arg } else { *value };
        let [a, b] = [of(&data.args[0]), of(&data.args[1])];
        values.push(match way == at {
            true => {
                let made = body.make(Op::Bin(bin), &[ty], [a, b], data.loc);
                body.insts[made.0 as usize].iteration = data.iteration;
                body.inst(made).results[0]
            }
            false => {
                let bits = constant_bin(bin, ty, body.constant(a)?, body.constant(b)?)?;
                body.make_constant(ty, bits)
            }
        });
    }
    Some(values)
}
