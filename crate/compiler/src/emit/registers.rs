//! A register for each value. A phi shares one with what comes back to it, where that hurts nothing.

use super::names::push_number;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Instruction, Op, Term, Ty, Value};
use std::fmt;

#[derive(Debug)]
pub(super) struct Registers {
    names: Vec<Option<u32>>,
    counts: HashMap<Ty, u32>,
}

/// A register, by its kind and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    ty: Ty,
    number: u32,
}

impl Register {
    pub(super) fn write(self, text: &mut String) {
        text.push_str(prefix(self.ty));
        push_number(text, self.number);
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", prefix(self.ty), self.number)
    }
}

/// What a register of this kind is called.
pub(super) fn prefix(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "%p",
        Ty::B16 => "%rs",
        Ty::B32 => "%r",
        Ty::B64 => "%rd",
        Ty::F32 => "%f",
        Ty::F64 => "%fd",
    }
}

impl Registers {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            names: vec![None; body.values.len()],
            counts: HashMap::default(),
        }
    }

    pub(super) fn fresh(&mut self, ty: Ty) -> Register {
        let count = self.counts.entry(ty).or_default();
        *count += 1;
        Register { ty, number: *count }
    }

    pub(super) fn of(&mut self, body: &Body, value: Value) -> Register {
        let ty = body.ty(value);
        let at = value.0 as usize;
        if let Some(number) = self.names[at] {
            return Register { ty, number };
        }
        let register = self.fresh(ty);
        self.names[at] = Some(register.number);
        register
    }

    pub(super) fn are_same(&self, a: Value, b: Value) -> bool {
        self.names[a.0 as usize].is_some() && self.names[a.0 as usize] == self.names[b.0 as usize]
    }

    fn share(&mut self, body: &Body, a: Value, b: Value) {
        self.of(body, a);
        self.names[b.0 as usize] = self.names[a.0 as usize];
    }

    /// How many of each kind there are.
    pub(super) fn counts(&self) -> Vec<(Ty, u32)> {
        let mut counts: Vec<(Ty, u32)> = self
            .counts
            .iter()
            .map(|(ty, count)| (*ty, *count))
            .collect();
        counts.sort();
        counts
    }
}

/// An address as a register and a constant that the access adds.
pub(super) fn split(body: &Body, address: Value) -> (Value, i64) {
    if let Some(inst) = body.def(address)
        && let (Op::Bin(Bin::Add), [base, by]) = (&inst.op, &inst.args[..])
        && let Some(by) = body
            .constant(*by)
            .and_then(|by| i32::try_from(by as i64).ok())
    {
        return (*base, i64::from(by));
    }
    (address, 0)
}

/// What an instruction reads when it is written, and what those read that may be written with it: an address with a constant in
/// it is `[base+constant]`, a product in a sum is `mad`.
fn reads<'b>(body: &'b Body, inst: &'b Instruction) -> impl Iterator<Item = Value> + 'b {
    let base = match inst.op {
        Op::Load(_) | Op::Store(_) => Some(split(body, inst.args[0]).0),
        _ => None,
    };
    let is_sum = inst.op == Op::Bin(Bin::Add) && body.ty(inst.results[0]) == Ty::B32;
    let products = inst.args.iter().filter(move |_| is_sum);
    let products = products.filter_map(|arg| body.def(*arg));
    let products = products.filter(|inst| inst.op == Op::Bin(Bin::Mul));
    let factors = products.flat_map(|product| product.args.iter().copied());
    inst.args.iter().copied().chain(base).chain(factors)
}

/// Which phis' values are still wanted at the start of each block.
pub(super) struct Live {
    /// By value: the blocks, in order, if it is a phi's and wanted anywhere.
    at: HashMap<Value, Vec<Block>>,
}

impl Live {
    pub(super) fn new(body: &Body, graph: &Graph) -> Self {
        // By value: the block of the phi that it is of.
        let mut of_phi: Vec<Option<Block>> = vec![None; body.values.len()];
        for block in &graph.order {
            for inst in &body.block(*block).insts {
                let data = body.inst(*inst);
                if matches!(data.op, Op::Phi(_)) {
                    of_phi[data.results[0].0 as usize] = Some(*block);
                }
            }
        }
        let mut uses: Vec<(Value, Block)> = Vec::new();
        for block in &graph.order {
            let mut used = |value: Value, at: Block| {
                if of_phi[value.0 as usize].is_some() {
                    uses.push((value, at));
                }
            };
            for inst in &body.block(*block).insts {
                let data = body.inst(*inst);
                match &data.op {
                    Op::Phi(from) => data
                        .args
                        .iter()
                        .zip(from)
                        .for_each(|(arg, from)| used(*arg, *from)),
                    _ => reads(body, data).for_each(|arg| used(arg, *block)),
                }
            }
            if let Term::Branch(condition, ..) = body.block(*block).term {
                used(condition, *block);
            }
        }
        uses.sort_unstable();
        uses.dedup();
        let mut at = HashMap::default();
        // By block: the last value that was found to be wanted there.
        let mut seen: Vec<Option<Value>> = vec![None; body.blocks.len()];
        for all in uses.chunk_by(|a, b| a.0 == b.0) {
            let value = all[0].0;
            let mut open: Vec<Block> = all.iter().map(|(_, block)| *block).collect();
            let mut wanted = Vec::new();
            // From each use backwards to the phi.
            while let Some(block) = open.pop() {
                let is_home = of_phi[value.0 as usize] == Some(block);
                if is_home || seen[block.0 as usize].replace(value) == Some(value) {
                    continue;
                }
                wanted.push(block);
                open.extend(&graph.before[block.0 as usize]);
            }
            wanted.sort_unstable();
            at.insert(value, wanted);
        }
        Self { at }
    }

    pub(super) fn is_live(&self, value: Value, block: Block) -> bool {
        let blocks = self.at.get(&value);
        blocks.is_some_and(|blocks| blocks.binary_search(&block).is_ok())
    }
}

/// Where values of a body are made, and where phis' values are read.
struct Places {
    /// By value: its block, and which instruction there gives it.
    home: Vec<Option<(Block, usize)>>,
    /// The last instruction of a block that reads a phi's value.
    last_read: HashMap<(Block, Value), usize>,
    /// What the phis of other blocks take of this one.
    taken: HashSet<(Block, Value)>,
}

impl Places {
    fn new(body: &Body, graph: &Graph) -> Self {
        let mut places = Self {
            home: vec![None; body.values.len()],
            last_read: HashMap::default(),
            taken: HashSet::default(),
        };
        let is_phi = |value: Value| {
            body.def(value)
                .is_some_and(|inst| matches!(inst.op, Op::Phi(_)))
        };
        for block in &graph.order {
            for (at, inst) in body.block(*block).insts.iter().enumerate() {
                let data = body.inst(*inst);
                for result in &data.results {
                    places.home[result.0 as usize] = Some((*block, at));
                }
                for arg in reads(body, data).filter(|arg| is_phi(*arg)) {
                    places.last_read.insert((*block, arg), at);
                }
                if let Op::Phi(from) = &data.op {
                    let taken = data.args.iter().zip(from);
                    places.taken.extend(taken.map(|(arg, from)| (*from, *arg)));
                }
            }
        }
        places
    }
}

/// Lets phis share registers with what is copied to them at the end of a block.
pub(super) fn share(body: &Body, graph: &Graph, live: &Live, registers: &mut Registers) {
    let mut taken: HashSet<Value> = HashSet::default();
    let uses = super::body::uses(body);
    let places = Places::new(body, graph);
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let Op::Phi(from) = &data.op else { continue };
            let phi = data.results[0];
            for (arg, from) in data.args.iter().zip(from) {
                if !taken.contains(arg)
                    && !taken.contains(&phi)
                    && may_share(body, graph, live, &places, &uses, phi, *arg, *from, *block)
                {
                    registers.share(body, phi, *arg);
                    taken.insert(*arg);
                    taken.insert(phi);
                }
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn may_share(
    body: &Body,
    graph: &Graph,
    live: &Live,
    places: &Places,
    uses: &[u32],
    phi: Value,
    arg: Value,
    from: Block,
    to: Block,
) -> bool {
    // What else reads the value must not find the next one there: on a way back of a loop nothing can.
    if uses[arg.0 as usize] != 1 && !graph.dominates(to, from) {
        return false;
    }
    let Some((home, at)) = places.home[arg.0 as usize].filter(|(home, _)| *home == from) else {
        return false;
    };
    let data = body.inst(body.block(home).insts[at]);
    if matches!(data.op, Op::Phi(_) | Op::Ptx(_)) || data.results.len() != 1 {
        return false;
    }
    // Nobody may want the phi's value once the other one is there.
    let later = places
        .last_read
        .get(&(from, phi))
        .is_some_and(|last| *last > at);
    let decides = matches!(body.block(from).term, Term::Branch(condition, ..) if condition == phi);
    let elsewhere =
        successors(body.block(from).term).any(|next| next != to && live.is_live(phi, next));
    let copied = places.taken.contains(&(from, phi));
    !later && !decides && !elsewhere && !copied && !live.is_live(phi, to)
}
