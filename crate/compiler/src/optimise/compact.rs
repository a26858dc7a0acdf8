//! Renumbering: numbers what is left of a body anew, so that the passes behind keep no tables for what is gone. The
//! order stays.

use super::analyses::Analyses;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Def, Inst, Op, Term, Value};

/// The new numbers of what is kept. What is not kept is named nowhere.
struct Numbers {
    blocks: Vec<u32>,
    insts: Vec<u32>,
    values: Vec<u32>,
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    let graph = analyses.graph(body);
    let (insts, values) = kept(body, &graph);
    let blocks: Vec<bool> = (0..body.blocks.len())
        .map(|block| graph.is_reached(Block(block as u32)))
        .collect();
    let numbers = Numbers {
        blocks: numbers(&blocks),
        insts: numbers(&insts),
        values: numbers(&values),
    };
    retain(&mut body.blocks, &blocks);
    retain(&mut body.insts, &insts);
    retain(&mut body.values, &values);
    body.constants.retain(|_, value| values[value.0 as usize]);
    numbers.rename(body);
}

/// By number: the instructions and values that blocks which can be reached name.
fn kept(body: &Body, graph: &Graph) -> (Vec<bool>, Vec<bool>) {
    let mut insts = vec![false; body.insts.len()];
    let mut values = vec![false; body.values.len()];
    // What stands in blocks gives nearly all that is named.
    for inst in graph
        .order
        .iter()
        .flat_map(|block| &body.block(*block).insts)
    {
        insts[inst.0 as usize] = true;
        let results = &body.inst(*inst).results;
        results
            .iter()
            .for_each(|result| values[result.0 as usize] = true);
    }
    let mut open: Vec<Value> = Vec::new();
    for block in &graph.order {
        let data = body.block(*block);
        let is_other = |value: &Value| !values[value.0 as usize];
        for inst in &data.insts {
            open.extend(body.inst(*inst).args.iter().copied().filter(is_other));
        }
        if let Term::Branch(condition, ..) = data.term {
            open.push(condition);
        }
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut values[value.0 as usize], true) {
                continue;
            }
            if let Def::Inst(inst, _) = body.values[value.0 as usize].1
                && !std::mem::replace(&mut insts[inst.0 as usize], true)
            {
                open.extend(&body.inst(inst).args);
                open.extend(&body.inst(inst).results);
            }
        }
    }
    (insts, values)
}

/// For each that is kept, how many are before it.
fn numbers(kept: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let number = |kept: &bool| {
        let number = next;
        next += u32::from(*kept);
        number
    };
    kept.iter().map(number).collect()
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next() == Some(&true));
}

impl Numbers {
    fn rename(&self, body: &mut Body) {
        for block in &mut body.blocks {
            for inst in &mut block.insts {
                self.inst(inst);
            }
            match &mut block.term {
                Term::Jump(next) => self.block(next),
                Term::Branch(condition, yes, no) => {
                    self.value(condition);
                    self.block(yes);
                    self.block(no);
                }
                Term::None | Term::Return => {}
            }
        }
        for data in &mut body.insts {
            let values = data.args.iter_mut().chain(data.results.iter_mut());
            values.for_each(|value| self.value(value));
            if let Op::Phi(from) = &mut data.op {
                from.iter_mut().for_each(|block| self.block(block));
            }
        }
        for (_, def) in &mut body.values {
            if let Def::Inst(inst, _) = def {
                self.inst(inst);
            }
        }
        body.constants
            .values_mut()
            .for_each(|value| self.value(value));
    }

    fn block(&self, block: &mut Block) {
        block.0 = self.blocks[block.0 as usize];
    }

    fn inst(&self, inst: &mut Inst) {
        inst.0 = self.insts[inst.0 as usize];
    }

    fn value(&self, value: &mut Value) {
        value.0 = self.values[value.0 as usize];
    }
}
