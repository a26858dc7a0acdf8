//! Rematerialisation: computes again in a loop what is the same in all of its iterations, where the loop would have to
//! keep too many values else.

use super::analyses::Analyses;
use super::natural_loops::{Natural, loops};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Term, Ty, Un, Value};
use crate::lower::Kernel;

/// Registers of a multiprocessor.
const OF_MULTIPROCESSOR: u64 = 65536;

/// Registers of a thread where the source does not ask for fewer: so two blocks of 256 threads run at a time.
const OF_THREAD: u64 = 128;

/// So many instructions are looked back from a value.
const DEPTH: u32 = 12;

/// Registers that a thread may have where as many blocks are to run at a time as the source says.
pub(super) fn registers(kernel: &Kernel) -> u64 {
    let of_blocks = || {
        let threads = kernel.max_threads?.checked_mul(kernel.min_blocks?)?;
        OF_MULTIPROCESSOR.checked_div(threads)
    };
    let most = kernel.max_registers.or_else(of_blocks);
    most.map_or(OF_THREAD, |most| most.min(OF_THREAD))
}

/// Of loops that carry much, but not more than leaves room for other things: else the machine's own compiler does as well. Of
/// others that need a quarter of a thread's registers, the sums that are one instruction each. Whether there are any.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, registers: u64) -> bool {
    let mut is_any = false;
    let graph = analyses.graph(body);
    let mut found = loops(body, &graph);
    let sums = sums(body, &graph);
    // A block belongs to the innermost loop that it is in.
    found.sort_by_key(|natural| natural.blocks.len());
    let mut done: HashSet<Block> = HashSet::default();
    for natural in &found {
        let own = natural.blocks.iter().filter(|block| !done.contains(block));
        let mut own: Vec<Block> = own.copied().collect();
        own.sort_unstable();
        done.extend(&own);
        let carried = carried(body, natural);
        let has_room = (registers / 4..=registers * 5 / 8).contains(&carried);
        if !has_room && sums.is_empty() {
            continue;
        }
        let inside = insts_of(body, natural);
        let needed = carried + kept(body, natural);
        // A quarter is for what an iteration computes.
        let all = has_room && needed > registers * 3 / 4;
        if !all && (sums.is_empty() || needed <= registers / 4) {
            continue;
        }
        is_any = true;
        let may = |body: &Body, value: Value| match all {
            true => follows(body, &inside, value, DEPTH),
            false => sums.get(&value).is_some_and(|sum| !inside.contains(sum)),
        };
        for block in own {
            compute_again(body, block, &may);
        }
    }
    is_any
}

/// Sums of a constant and a special register, each one instruction from what is there anyway.
fn sums(body: &Body, graph: &Graph) -> HashMap<Value, Inst> {
    let mut sums = HashMap::default();
    for inst in (graph.order.iter()).flat_map(|block| &body.block(*block).insts) {
        let data = body.inst(*inst);
        if let (Op::Bin(Bin::Add), [of, by]) = (&data.op, &data.args[..])
            && body.constant(*by).is_some()
            && body.def(*of).is_some_and(|of| of.op.is_special())
        {
            sums.insert(data.results[0], *inst);
        }
    }
    sums
}

fn insts_of(body: &Body, of: &Natural) -> HashSet<Inst> {
    let blocks = of.blocks.iter();
    let insts = blocks.flat_map(|block| &body.block(*block).insts);
    insts.copied().collect()
}

/// How many registers take what a loop carries.
fn carried(body: &Body, of: &Natural) -> u64 {
    let insts = body.block(of.header).insts.iter();
    let phis = insts
        .map(|inst| body.inst(*inst))
        .filter(|data| matches!(data.op, Op::Phi(_)));
    phis.map(|phi| width(body.ty(phi.results[0]))).sum()
}

/// How many registers take what a loop uses from outside.
fn kept(body: &Body, of: &Natural) -> u64 {
    let mut made: HashSet<Value> = HashSet::default();
    let mut read: HashSet<Value> = HashSet::default();
    for block in &of.blocks {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            made.extend(data.results.iter());
            read.extend(data.args.iter());
        }
        if let Term::Branch(condition, ..) = body.block(*block).term {
            read.insert(condition);
        }
    }
    let is_kept = |value: &&Value| {
        let is_free = body.def(**value).is_none_or(|inst| is_leaf(&inst.op));
        !made.contains(*value) && !is_free
    };
    let outside = read.iter().filter(is_kept);
    outside.map(|value| width(body.ty(*value))).sum()
}

fn width(ty: Ty) -> u64 {
    match ty {
        Ty::Pred => 0,
        Ty::B64 | Ty::F64 => 2,
        _ => 1,
    }
}

/// What is there without being kept.
fn is_leaf(op: &Op) -> bool {
    match op {
        Op::Param(_) | Op::ParamAddress(_) | Op::Symbol(_) | Op::Slot(_) => true,
        _ => op.is_special(),
    }
}

fn is_cheap(op: &Op) -> bool {
    match op {
        Op::Bin(Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS) => false,
        Op::Un(Un::Sqrt) => false,
        Op::Bin(_) | Op::Un(_) | Op::Cmp(_) | Op::Cvt(_) | Op::Select => true,
        Op::ToGeneric(_) | Op::FromGeneric(_) => true,
        _ => false,
    }
}

/// Puts copies of what a block uses, where that may be computed again, in front of the first use, each once.
fn compute_again(body: &mut Body, block: Block, may: &impl Fn(&Body, Value) -> bool) {
    let mut copies: HashMap<Value, Value> = HashMap::default();
    let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
    let mut written = Vec::with_capacity(insts.len());
    for inst in insts {
        if !matches!(body.inst(inst).op, Op::Phi(_)) {
            let args = body.inst(inst).args.clone();
            for arg in args.iter() {
                copy(body, *arg, may, &mut copies, &mut written);
            }
            let again = args.map(|arg| copies.get(&arg).copied().unwrap_or(arg));
            body.insts[inst.0 as usize].args = again;
        }
        written.push(inst);
    }
    if let Term::Branch(condition, yes, no) = body.block(block).term {
        copy(body, condition, may, &mut copies, &mut written);
        let condition = copies.get(&condition).copied().unwrap_or(condition);
        body.blocks[block.0 as usize].term = Term::Branch(condition, yes, no);
    }
    body.blocks[block.0 as usize].insts = written;
}

/// Copies what gives a value, with what that needs.
fn copy(
    body: &mut Body,
    value: Value,
    may: &impl Fn(&Body, Value) -> bool,
    copies: &mut HashMap<Value, Value>,
    written: &mut Vec<Inst>,
) {
    if copies.contains_key(&value) || !may(body, value) {
        return;
    }
    let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
        return;
    };
    let data = body.inst(inst).clone();
    for arg in data.args.iter() {
        copy(body, *arg, may, copies, written);
    }
    let args = data
        .args
        .map(|arg| copies.get(&arg).copied().unwrap_or(arg));
    let made = body.make(data.op, &[body.ty(value)], args.to_vec(), data.loc);
    body.insts[made.0 as usize].exact = data.exact;
    copies.insert(value, body.inst(made).results[0]);
    written.push(made);
}

/// Whether a value begins with parameters, constants and special registers only.
fn follows(body: &Body, inside: &HashSet<Inst>, value: Value, depth: u32) -> bool {
    let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
        return true;
    };
    let data = body.inst(inst);
    if inside.contains(&inst) || data.results.len() != 1 || depth == 0 {
        return false;
    }
    let mut args = data.args.iter();
    is_leaf(&data.op)
        || is_cheap(&data.op) && args.all(|arg| follows(body, inside, *arg, depth - 1))
}
