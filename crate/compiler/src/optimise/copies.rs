//! A loop with one way in, one way back and one way out, and copies of it.

use super::natural::Natural;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Block, BlockData, Body, Inst, Loc, Op, Term, Ty, Value};

/// A loop without others in it that is left at its end only.
pub(super) struct Shape {
    pub(super) header: Block,
    /// From where control comes to it.
    pub(super) before: Block,
    /// Its end.
    pub(super) latch: Block,
    /// Where control goes then.
    pub(super) exit: Block,
    /// The blocks, each behind those that lead to it.
    pub(super) blocks: Vec<Block>,
    /// What it carries from one iteration to the next.
    pub(super) phis: Vec<Inst>,
}

/// Which values and blocks stand for those of the loop in one of its copies.
pub(super) struct Copied {
    values: HashMap<Value, Value>,
    blocks: HashMap<Block, Block>,
    pub(super) header: Block,
    pub(super) latch: Block,
}

impl Copied {
    pub(super) fn of(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    pub(super) fn block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }
}

impl Shape {
    pub(super) fn new(body: &Body, graph: &Graph, natural: &Natural) -> Option<Self> {
        let (header, before) = (natural.header, natural.before);
        let in_loop = |block: &&Block| natural.blocks.contains(block);
        let blocks: Vec<Block> = graph.order.iter().filter(in_loop).copied().collect();
        let (mut latch, mut exit) = (None, None);
        for block in &blocks {
            for next in successors(body.block(*block).term) {
                let is_inside = natural.blocks.contains(&next);
                let is_back = is_inside && graph.dominates(next, *block);
                // One way out, one way back, and no loop in it.
                if !is_inside && exit.replace((next, *block)).is_some()
                    || is_back && (next != header || latch.replace(*block).is_some())
                {
                    return None;
                }
            }
        }
        let (latch, (exit, from)) = (latch?, exit?);
        if from != latch {
            return None;
        }
        let is_phi = |inst: &&Inst| matches!(body.inst(**inst).op, Op::Phi(_));
        let phis: Vec<Inst> = (body.block(header).insts.iter().filter(is_phi))
            .copied()
            .collect();
        Some(Self {
            header,
            before,
            latch,
            exit,
            blocks,
            phis,
        })
    }

    /// What a phi of the header takes of a block.
    pub(super) fn arg(&self, body: &Body, phi: Inst, block: Block) -> Option<Value> {
        let data = body.inst(phi);
        let Op::Phi(from) = &data.op else { return None };
        let at = from.iter().position(|other| *other == block)?;
        data.args.get(at).copied()
    }

    /// Makes values that are wanted behind the loop phis of a block that only leads out, whose arguments are not known yet.
    pub(super) fn lead_out(&self, body: &mut Body, out: Block) -> Vec<(Value, Inst)> {
        body.blocks[out.0 as usize].term = Term::Jump(self.exit);
        for inst in body.block(self.exit).insts.clone() {
            if let Op::Phi(from) = &mut body.insts[inst.0 as usize].op {
                let latches = from.iter_mut().filter(|from| **from == self.latch);
                latches.for_each(|from| *from = out);
            }
        }
        let mut ends = Vec::new();
        let mut by: HashMap<Value, Value> = HashMap::default();
        for value in self.wanted(body) {
            let phi = body.make(
                Op::Phi(Vec::new()),
                &[body.ty(value)],
                [],
                body.block(out).loc,
            );
            body.blocks[out.0 as usize].insts.push(phi);
            by.insert(value, body.inst(phi).results[0]);
            ends.push((value, phi));
        }
        if by.is_empty() {
            return ends;
        }
        let inside: HashSet<Block> = self.blocks.iter().copied().collect();
        let Body { blocks, insts, .. } = body;
        for (number, data) in blocks.iter_mut().enumerate() {
            if inside.contains(&Block(number as u32)) {
                continue;
            }
            let args = data.insts.iter().flat_map(|inst| [inst.0 as usize]);
            for inst in args {
                for arg in &mut insts[inst].args {
                    *arg = by.get(arg).copied().unwrap_or(*arg);
                }
            }
            if let Term::Branch(condition, ..) = &mut data.term {
                *condition = by.get(condition).copied().unwrap_or(*condition);
            }
        }
        ends
    }

    /// Values of the loop that are wanted behind it.
    fn wanted(&self, body: &Body) -> Vec<Value> {
        let inside: HashSet<Block> = self.blocks.iter().copied().collect();
        let mut own: HashSet<Value> = HashSet::default();
        for block in &self.blocks {
            for inst in &body.block(*block).insts {
                own.extend(&body.inst(*inst).results);
            }
        }
        let mut wanted: Vec<Value> = Vec::new();
        for (number, block) in body.blocks.iter().enumerate() {
            if inside.contains(&Block(number as u32)) {
                continue;
            }
            for inst in &block.insts {
                let args = body.inst(*inst).args.iter();
                wanted.extend(args.filter(|arg| own.contains(arg)));
            }
            if let Term::Branch(condition, ..) = block.term {
                wanted.extend(own.contains(&condition).then_some(condition));
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The loop once more, with what it carries where that is known, and else with phis.
    pub(super) fn copy(&self, body: &mut Body, carried: HashMap<Value, Value>) -> Copied {
        let mut values = carried;
        let known = values.len();
        let mut blocks: HashMap<Block, Block> = HashMap::default();
        for block in &self.blocks {
            let loc = body.block(*block).loc;
            blocks.insert(*block, new_block(body, loc));
        }
        let of = |block: Block| blocks.get(&block).copied().unwrap_or(block);
        for block in &self.blocks {
            let mut insts = Vec::with_capacity(body.block(*block).insts.len());
            for inst in body.block(*block).insts.clone() {
                if known == 0 || !self.phis.contains(&inst) {
                    insts.push(copy_inst(body, inst, &mut values, &of));
                }
            }
            let term = match body.block(*block).term {
                Term::Jump(next) => Term::Jump(of(next)),
                Term::Branch(condition, yes, no) => {
                    let condition = values.get(&condition).copied().unwrap_or(condition);
                    Term::Branch(condition, of(yes), of(no))
                }
                other => other,
            };
            let data = &mut body.blocks[of(*block).0 as usize];
            (data.insts, data.term) = (insts, term);
        }
        Copied {
            header: of(self.header),
            latch: of(self.latch),
            values,
            blocks,
        }
    }
}

pub(super) fn inst_of(body: &Body, value: Value) -> Option<Inst> {
    match body.values[value.0 as usize].1 {
        crate::ir::Def::Inst(inst, _) => Some(inst),
        _ => None,
    }
}

pub(super) fn new_block(body: &mut Body, loc: Loc) -> Block {
    body.blocks.push(BlockData {
        insts: Vec::new(),
        term: Term::None,
        loc,
        unroll: None,
        is_done: false,
    });
    Block(body.blocks.len() as u32 - 1)
}

pub(super) fn make_phi(body: &mut Body, block: Block, ways: [(Block, Value); 2]) -> Inst {
    let (ty, loc) = (body.ty(ways[1].1), body.block(block).loc);
    let phi = body.make(Op::Phi(Vec::new()), &[ty], [], loc);
    set_ways(body, phi, ways);
    body.blocks[block.0 as usize].insts.insert(0, phi);
    phi
}

pub(super) fn set_ways<const COUNT: usize>(
    body: &mut Body,
    phi: Inst,
    ways: [(Block, Value); COUNT],
) {
    let data = &mut body.insts[phi.0 as usize];
    data.op = Op::Phi(ways.iter().map(|(block, _)| *block).collect());
    data.args = ways.map(|(_, value)| value).into();
}

fn copy_inst(
    body: &mut Body,
    inst: Inst,
    values: &mut HashMap<Value, Value>,
    of: &impl Fn(Block) -> Block,
) -> Inst {
    let data = body.inst(inst).clone();
    let op = match data.op {
        Op::Phi(from) => Op::Phi(from.into_iter().map(of).collect()),
        other => other,
    };
    let types: Vec<Ty> = data.results.iter().map(|result| body.ty(*result)).collect();
    let args: Vec<Value> = (data.args.iter())
        .map(|arg| values.get(arg).copied().unwrap_or(*arg))
        .collect();
    let copy = body.make(op, &types, args, data.loc);
    let made = &mut body.insts[copy.0 as usize];
    made.is_unrolled = data.is_unrolled;
    made.exact = data.exact;
    for (from, to) in data.results.iter().zip(&made.results) {
        values.insert(*from, *to);
    }
    copy
}
