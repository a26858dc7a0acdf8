//! Copies of a loop that has one way in and one way back: what unrolling and splitting share. Which loops are copied
//! stands in these passes.

use super::natural_loops::Natural;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
use crate::ir::{Block, BlockData, Body, Inst, Loc, Op, Term, Ty, Value};

/// A loop without others in it.
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
    /// Of a loop that is left at its end only.
    pub(super) fn new(body: &Body, graph: &Graph, natural: &Natural) -> Option<Self> {
        let mut shape = Self::with_exits(body, graph, natural)?;
        let mut exits = shape.blocks.iter().flat_map(|block| {
            let outside = |next: &Block| !natural.blocks.contains(next);
            let next = successors(body.block(*block).term).filter(outside);
            next.map(|next| (*block, next))
        });
        let (Some((from, exit)), None) = (exits.next(), exits.next()) else {
            return None;
        };
        if from != shape.latch {
            return None;
        }
        shape.exit = exit;
        Some(shape)
    }

    /// The same of a loop that may be left anywhere: which exit is meant is not known yet, and its header stands for it.
    pub(super) fn with_exits(body: &Body, graph: &Graph, natural: &Natural) -> Option<Self> {
        let (header, before) = (natural.header, natural.before);
        let in_loop = |block: &&Block| natural.blocks.contains(block);
        let blocks: Vec<Block> = graph.order.iter().filter(in_loop).copied().collect();
        let mut latch = None;
        for block in &blocks {
            for next in successors(body.block(*block).term) {
                let is_back = natural.blocks.contains(&next) && graph.dominates(next, *block);
                // One way back, and no loop in it.
                if is_back && (next != header || latch.replace(*block).is_some()) {
                    return None;
                }
            }
        }
        let is_phi = |inst: &&Inst| matches!(body.inst(**inst).op, Op::Phi(_));
        let phis: Vec<Inst> = (body.block(header).insts.iter().filter(is_phi))
            .copied()
            .collect();
        Some(Self {
            header,
            before,
            latch: latch?,
            exit: header,
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

    /// What the loop's instructions give.
    pub(super) fn own_values(&self, body: &Body) -> HashSet<Value> {
        let insts = self
            .blocks
            .iter()
            .flat_map(|block| &body.block(*block).insts);
        let results = insts.flat_map(|inst| body.inst(*inst).results.iter());
        results.copied().collect()
    }

    /// Copies of the loop that run so many iterations with it, each beginning with what the one before it carries on.
    pub(super) fn iterations(&self, body: &mut Body, count: usize) -> Vec<Copied> {
        let mut copies: Vec<Copied> = Vec::new();
        for _ in 1..count {
            let mut carried = HashMap::default();
            for phi in &self.phis {
                if let Some(next) = self.arg(body, *phi, self.latch) {
                    let next = copies.last().map_or(next, |copy| copy.of(next));
                    carried.insert(body.inst(*phi).results[0], next);
                }
            }
            copies.push(self.copy(body, carried));
        }
        copies
    }

    /// Takes the way back from what the loop carries: only its beginning is left.
    pub(super) fn begin_once(&self, body: &mut Body) {
        for phi in &self.phis {
            if let Some(begin) = self.arg(body, *phi, self.before) {
                set_ways(body, *phi, [(self.before, begin)]);
            }
        }
    }

    /// Values of the loop that are wanted behind it.
    fn wanted(&self, body: &Body) -> Vec<Value> {
        let inside: HashSet<Block> = self.blocks.iter().copied().collect();
        let own = self.own_values(body);
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
            let (loc, iteration) = (body.block(*block).loc, body.block(*block).iteration);
            let copy = new_block(body, loc);
            body.blocks[copy.0 as usize].iteration = iteration;
            blocks.insert(*block, copy);
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
        iteration: 0,
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
    made.iteration = data.iteration;
    made.exact = data.exact;
    for (from, to) in data.results.iter().zip(&made.results) {
        values.insert(*from, *to);
    }
    copy
}
