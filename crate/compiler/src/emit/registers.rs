//! A register for each value. A phi shares one with what comes back to it, where that hurts nothing.

use super::names::push_number;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Block, Body, Op, Term, Ty, Value};
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

/// Which phis' values are still wanted at the start of each block.
pub(super) struct Live {
    /// As many as have a bit for each block.
    words: usize,
    /// By value of a phi that is wanted anywhere: where its words begin in `wanted`.
    starts: HashMap<Value, usize>,
    wanted: Vec<u64>,
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
        let mut live = Self {
            words: body.blocks.len().div_ceil(64),
            starts: HashMap::default(),
            wanted: Vec::new(),
        };
        // From each use backwards to the phi.
        let mut open: Vec<Block> = Vec::new();
        let mut used = |value: Value, at: Block| {
            let Some(home) = of_phi[value.0 as usize] else {
                return;
            };
            let start = live.start(value);
            open.push(at);
            while let Some(block) = open.pop() {
                if block != home && live.want(start, block) {
                    open.extend(&graph.before[block.0 as usize]);
                }
            }
        };
        for block in &graph.order {
            for inst in &body.block(*block).insts {
                let data = body.inst(*inst);
                match &data.op {
                    Op::Phi(from) => data
                        .args
                        .iter()
                        .zip(from)
                        .for_each(|(arg, from)| used(*arg, *from)),
                    _ => data.args.iter().for_each(|arg| used(*arg, *block)),
                }
            }
            if let Term::Branch(condition, ..) = body.block(*block).term {
                used(condition, *block);
            }
        }
        live
    }

    /// Where a phi's value begins in `wanted`.
    fn start(&mut self, value: Value) -> usize {
        let Self {
            words,
            starts,
            wanted,
        } = self;
        *starts.entry(value).or_insert_with(|| {
            let start = wanted.len();
            wanted.resize(start + *words, 0);
            start
        })
    }

    /// True if it was not known yet.
    fn want(&mut self, start: usize, block: Block) -> bool {
        let (word, bit) = (block.0 as usize / 64, 1 << (block.0 % 64));
        let word = &mut self.wanted[start + word];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(super) fn is_live(&self, value: Value, block: Block) -> bool {
        let (word, bit) = (block.0 as usize / 64, 1 << (block.0 % 64));
        let start = self.starts.get(&value);
        start.is_some_and(|start| self.wanted[start + word] & bit != 0)
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
                for arg in data.args.iter().filter(|arg| is_phi(**arg)) {
                    places.last_read.insert((*block, *arg), at);
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
