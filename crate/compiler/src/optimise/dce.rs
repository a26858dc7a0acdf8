//! Dead code elimination: drops instructions whose results nobody wants, marked backwards from what has an effect (the
//! sparse algorithm of Cytron and others, 1991, without control dependence: branches stay). Blocks are left to
//! `simplify_cfg`.

use super::analyses::Analyses;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Def, Inst, Instruction, Op, Term, Value};

/// Drops what has no effect and whose results are not used.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let slots = has_slots(body).then(|| Slots::new(body, &graph));
    let has_effect = |data: &Instruction| match &data.op {
        Op::Store(_) => !(slots.as_ref()).is_some_and(|slots| slots.is_unread(data.args[0])),
        op => !op.is_pure(),
    };
    let mut wanted = vec![false; body.values.len()];
    // What nothing wanted when it was met, and its block.
    let mut passed: Vec<(Block, Inst)> = Vec::new();
    let unreached = (0..body.blocks.len() as u32).map(Block);
    let unreached = unreached.filter(|block| !graph.is_reached(*block));
    // Backwards, so that mostly what wants a value is met before what gives it.
    for number in unreached.chain(graph.order.iter().rev().copied()) {
        let block = body.block(number);
        if let Term::Branch(condition, ..) = block.term {
            wanted[condition.0 as usize] = true;
        }
        for inst in block.insts.iter().rev() {
            let data = body.inst(*inst);
            if gives_wanted(data, &wanted) || has_effect(data) {
                for arg in &data.args {
                    wanted[arg.0 as usize] = true;
                }
            } else {
                passed.push((number, *inst));
            }
        }
    }
    want_late(body, &passed, &mut wanted);
    let Body { blocks, insts, .. } = body;
    passed.retain(|(_, inst)| !gives_wanted(&insts[inst.0 as usize], &wanted));
    let mut is_dropped = vec![false; insts.len()];
    for dropped in passed.chunk_by(|a, b| a.0 == b.0) {
        for (_, inst) in dropped {
            is_dropped[inst.0 as usize] = true;
        }
        let insts = &mut blocks[dropped[0].0.0 as usize].insts;
        insts.retain(|inst| !is_dropped[inst.0 as usize]);
    }
}

fn gives_wanted(data: &Instruction, wanted: &[bool]) -> bool {
    let mut results = data.results.iter();
    results.any(|result| wanted[result.0 as usize])
}

/// Marks what those instructions want that were passed before something wanted them.
fn want_late(body: &Body, passed: &[(Block, Inst)], wanted: &mut [bool]) {
    let late = passed.iter().map(|(_, inst)| *inst);
    let mut open: Vec<Inst> = late
        .filter(|inst| gives_wanted(body.inst(*inst), wanted))
        .collect();
    while let Some(inst) = open.pop() {
        for arg in &body.inst(inst).args {
            if !std::mem::replace(&mut wanted[arg.0 as usize], true)
                && let Def::Inst(inst, _) = body.values[arg.0 as usize].1
            {
                open.push(inst);
            }
        }
    }
}

/// Whether there are objects in local memory.
pub(super) fn has_slots(body: &Body) -> bool {
    if body.slots.is_empty() {
        return false;
    }
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(body.inst(*inst).op, Op::Slot(_)))
}

/// Local objects, and which of them are read.
struct Slots {
    /// By value: the object in which it is an address.
    of: Vec<Option<u32>>,
    read: Vec<bool>,
}

impl Slots {
    fn new(body: &Body, graph: &Graph) -> Self {
        let mut of: Vec<Option<u32>> = vec![None; body.values.len()];
        let mut read = vec![false; body.slots.len()];
        for inst in (graph.order.iter()).flat_map(|block| &body.block(*block).insts) {
            let data = body.inst(*inst);
            let slot_of = |value: &Value| of[value.0 as usize];
            let readers = match (&data.op, &data.args[..]) {
                (Op::Slot(slot), _) => {
                    of[data.results[0].0 as usize] = Some(slot.0);
                    continue;
                }
                (Op::ToGeneric(_) | Op::FromGeneric(_), [from]) => {
                    of[data.results[0].0 as usize] = slot_of(from);
                    continue;
                }
                (Op::Bin(_), [a, b]) if slot_of(b).is_none() => {
                    of[data.results[0].0 as usize] = slot_of(a);
                    continue;
                }
                (Op::Store(mem), [_, values @ ..]) if !mem.is_volatile => values,
                (_, args) => args,
            };
            for slot in readers.iter().filter_map(slot_of) {
                read[slot as usize] = true;
            }
        }
        Self { of, read }
    }

    /// Whether a value is an address in an object that is written only.
    fn is_unread(&self, address: Value) -> bool {
        self.of[address.0 as usize].is_some_and(|slot| !self.read[slot as usize])
    }
}
