//! Loop load elimination: drops loads of what was loaded before control came to their block, from a place that had
//! another name there, and what was computed so: what a loop loaded or computed for its condition is what its next
//! iteration begins with (LLVM's `LoopLoadElimination`).

use super::alias::Access;
use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{
    Bin, Block, Body, Cache, Def, Inst, Instruction, Loc, Mem, Op, Origin, Space, Term, Ty, Value,
    Values,
};
use crate::lower::KernelParam;

/// Instructions that are looked at for one load and one way to it.
const MOST_STEPS: usize = 200;

/// How deep the computation of an address is followed.
const DEEPEST: usize = 8;

/// Values that are looked at for one condition.
const MOST_ASKED: usize = 64;

/// Before loops are unrolled, or behind it: then what is in a register on the way back is loaded before the loop, if it is not
/// there. Of the loops that run what is left over that is so for what the loop's variable itself is the index of.
#[derive(Clone, Copy)]
pub(super) enum Stage<'a> {
    Before,
    Behind(&'a [Block]),
}

/// By what is computed: the value.
type Computed = HashMap<(Op, Values, Ty), Value>;

/// True if something was dropped.
pub(super) fn run(
    builder: &mut Builder,
    analyses: &mut Analyses,
    params: &[KernelParam],
    stage: Stage,
) -> bool {
    let graph = analyses.graph(&builder.body);
    let mut computed: Option<Computed> = None;
    let mut replaced = Replaced::new(&builder.body);
    for block in &graph.order {
        let before = &graph.before[block.0 as usize];
        // Only a loop comes to a place again that has another name then.
        if before.len() < 2 || !before.iter().any(|from| graph.dominates(*block, *from)) {
            continue;
        }
        let loads = first_loads(&builder.body, *block);
        let numbers = numbers(&builder.body, &graph, *block);
        for inst in loads.into_iter().chain(numbers) {
            let computed = computed.get_or_insert_with(|| all_computed(&builder.body, &graph));
            let mut search = Search {
                builder,
                graph: &graph,
                params,
                computed,
                block: *block,
                stage,
            };
            let Some(values) = search.known(inst) else {
                continue;
            };
            let body = &mut builder.body;
            let (result, loc) = (body.inst(inst).results[0], body.inst(inst).loc);
            let op = Op::Phi(before.to_vec());
            let phi = body.make(op, &[body.ty(result)], values, loc);
            replaced.set(result, body.inst(phi).results[0]);
            let insts = &mut body.blocks[block.0 as usize].insts;
            insts.retain(|other| *other != inst);
            insts.insert(0, phi);
        }
    }
    replaced.apply(&mut builder.body);
    !replaced.is_empty()
}

/// The plain loads of a block before which nothing in it changes memory.
fn first_loads(body: &Body, block: Block) -> Vec<Inst> {
    let insts = body.block(block).insts.iter();
    let unchanged = insts.take_while(|inst| match &body.inst(**inst).op {
        Op::Store(_) => false,
        Op::Load(mem) => !mem.is_volatile,
        op => !op.may_write(),
    });
    let is_load = |inst: &&Inst| matches!(&body.inst(**inst).op, Op::Load(mem) if is_plain(mem));
    unchanged.filter(is_load).copied().collect()
}

/// What a loop's first block computes of floating-point numbers, where the loop goes on if something of that sort is so.
fn numbers(body: &Body, graph: &Graph, header: Block) -> Vec<Inst> {
    let is_number = |data: &Instruction| {
        let of_floats = |result: &Value| body.ty(*result).is_float();
        matches!(data.op, Op::Bin(_)) && data.results.first().is_some_and(of_floats)
    };
    let mut latches = graph.before[header.0 as usize].iter();
    let asks_for_numbers = latches.any(|from| {
        let asked = asked(body, *from);
        graph.dominates(header, *from)
            && asked
                .iter()
                .any(|value| body.def(*value).is_some_and(is_number))
    });
    let insts = body.block(header).insts.iter();
    let insts = insts.filter(|inst| asks_for_numbers && is_number(body.inst(**inst)));
    insts.copied().collect()
}

/// What the branch at a block's end follows from.
fn asked(body: &Body, block: Block) -> Vec<Value> {
    let Term::Branch(condition, ..) = body.block(block).term else {
        return Vec::new();
    };
    let (mut found, mut at) = (vec![condition], 0);
    while at < found.len() && found.len() < MOST_ASKED {
        let data = body.def(found[at]).filter(|data| data.op.is_pure());
        let is_new = |arg: &&Value| {
            !matches!(data, Some(Instruction { op: Op::Phi(_), .. })) && !found.contains(arg)
        };
        let args: Vec<Value> = data
            .iter()
            .flat_map(|data| &data.args)
            .filter(is_new)
            .copied()
            .collect();
        found.extend(args);
        at += 1;
    }
    found
}

fn is_plain(mem: &Mem) -> bool {
    let is_data = !matches!(mem.space, Space::Local | Space::Param | Space::Constant);
    is_data && mem.count == 1 && !mem.is_volatile && mem.cache == Cache::Any
}

fn all_computed(body: &Body, graph: &Graph) -> Computed {
    let insts = (graph.order.iter()).flat_map(|block| &body.block(*block).insts);
    let of = |inst: &Inst| {
        let data = body.inst(*inst);
        let [result] = data.results[..] else {
            return None;
        };
        let key = (data.op.clone(), data.args.clone(), body.ty(result));
        is_sum(&data.op).then_some((key, result))
    };
    // Of several that are the same the first, which is there wherever the others are, mostly.
    let mut found = Computed::default();
    for (key, value) in insts.filter_map(of) {
        found.entry(key).or_insert(value);
    }
    found
}

/// What addresses are computed by.
fn is_sum(op: &Op) -> bool {
    matches!(op, Op::Bin(_) | Op::Cvt(_))
}

struct Search<'a> {
    builder: &'a mut Builder,
    graph: &'a Graph,
    params: &'a [KernelParam],
    computed: &'a Computed,
    block: Block,
    stage: Stage<'a>,
}

impl Search<'_> {
    /// What an instruction gives, on each of the ways to its block.
    fn known(&mut self, inst: Inst) -> Option<Vec<Value>> {
        let data = self.builder.body.inst(inst);
        match (data.op.clone(), data.args[0], data.results[0]) {
            (Op::Load(mem), address, loaded) => {
                let of = (self.builder.body.ty(loaded), data.loc);
                self.loaded(mem, address, of)
            }
            (_, _, number) => self.computed(number),
        }
    }

    fn loaded(&mut self, mem: Mem, address: Value, (ty, loc): (Ty, Loc)) -> Option<Vec<Value>> {
        let graph = self.graph;
        let before = &graph.before[self.block.0 as usize];
        let mut values = Vec::with_capacity(before.len());
        let mut missing = None;
        for from in before {
            let made = self.builder.body.insts.len();
            let there = self.on_way(address, *from, 0)?;
            if there == address {
                return None;
            }
            let access = Access::new(&self.builder.body, mem, self.same(there, 0));
            let known = self.at_end(*from, &access);
            // From outside it is loaded there, if nothing else can follow.
            let is_entry = !graph.dominates(self.block, *from);
            let may_load =
                is_entry && self.builder.body.block(*from).term == Term::Jump(self.block);
            match known {
                Some(known) => values.push(known),
                None if may_load && missing.is_none() => {
                    let made = made..self.builder.body.insts.len();
                    missing = Some((*from, there, made));
                    values.push(there);
                }
                None => return None,
            }
        }
        let Some((from, there, made)) = missing else {
            return Some(values);
        };
        if values.len() < 2 || !self.is_loaded_before(mem, address) {
            return None;
        }
        let body = &mut self.builder.body;
        let copy = body.make(Op::Load(mem), &[ty], [there], loc);
        let result = body.inst(copy).results[0];
        let insts = &mut body.blocks[from.0 as usize].insts;
        insts.extend(made.map(|inst| Inst(inst as u32)));
        insts.push(copy);
        let at = before.iter().position(|block| *block == from)?;
        values[at] = result;
        Some(values)
    }

    /// Whether LLVM loads this before the loop, so that each iteration has it of the one before.
    fn is_loaded_before(&self, mem: Mem, address: Value) -> bool {
        match self.stage {
            Stage::Before => false,
            Stage::Behind(rests) if rests.contains(&self.block) => {
                let is_plain = Access::new(&self.builder.body, mem, address).at.offset == 0;
                is_plain && self.is_at_variable(address, false)
            }
            Stage::Behind(_) => self.is_at_variable(address, true),
        }
    }

    /// Whether an address is that of an element whose index is what the loop counts, or that and a constant: LLVM does not find
    /// out where `in[first + k]` is in the next iteration.
    fn is_at_variable(&self, address: Value, or_near: bool) -> bool {
        let body = &self.builder.body;
        let (mut at, mut is_pointer) = (address, true);
        for _ in 0..DEEPEST {
            let Some(data) = body.def(at) else {
                return false;
            };
            let mut own = data.args.iter().filter(|arg| self.is_own(**arg));
            let by_constant = or_near && data.args.iter().any(|arg| body.constant(*arg).is_some());
            at = match (&data.op, own.next(), own.next()) {
                (Op::Phi(_), ..) => return self.is_own(at),
                (Op::Bin(Bin::Add), Some(only), None) if is_pointer || by_constant => {
                    is_pointer &= by_constant;
                    *only
                }
                (Op::Bin(Bin::Mul | Bin::Shl) | Op::Cvt(_), Some(only), None) => {
                    is_pointer = false;
                    *only
                }
                _ => return false,
            };
        }
        false
    }

    /// What was computed for the condition on which the loop goes on, and before the loop for whether it begins.
    fn computed(&mut self, number: Value) -> Option<Vec<Value>> {
        let graph = self.graph;
        let before = &graph.before[self.block.0 as usize];
        let mut values = Vec::with_capacity(before.len());
        for from in before {
            let there = self.on_way(number, *from, 0)?;
            let found = self.same(there, 0);
            let body = &self.builder.body;
            let is_there = match graph.dominates(self.block, *from) {
                true => asked(body, *from).contains(&found),
                false => {
                    body.constant(found).is_some() || found != there && self.is_before(found, *from)
                }
            };
            if !is_there || found == number {
                return None;
            }
            values.push(found);
        }
        Some(values)
    }

    /// Whether a value is computed whenever control comes to a block's end.
    fn is_before(&self, value: Value, block: Block) -> bool {
        let body = &self.builder.body;
        let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
            return true;
        };
        let mut blocks = self.graph.order.iter();
        let home = blocks.find(|block| body.block(**block).insts.contains(&inst));
        home.is_some_and(|home| self.graph.dominates(*home, block))
    }

    /// Whether the block itself gives a value.
    fn is_own(&self, value: Value) -> bool {
        let body = &self.builder.body;
        match body.values[value.0 as usize].1 {
            Def::Inst(inst, _) => body.block(self.block).insts.contains(&inst),
            _ => false,
        }
    }

    /// A value as it will be when control comes from one of the blocks before.
    fn on_way(&mut self, value: Value, from: Block, depth: usize) -> Option<Value> {
        let body = &self.builder.body;
        let Some(data) = body.def(value).filter(|_| self.is_own(value)) else {
            return Some(value);
        };
        let data = data.clone();
        if let Op::Phi(blocks) = &data.op {
            let at = blocks.iter().position(|block| *block == from)?;
            return data.args.get(at).copied();
        }
        if !is_sum(&data.op) || depth > DEEPEST {
            return None;
        }
        let mut args = Vec::with_capacity(data.args.len());
        for arg in &data.args {
            args.push(self.on_way(*arg, from, depth + 1)?);
        }
        let ty = self.builder.body.ty(value);
        // The block has its end, so that nothing is put into it.
        self.builder.at = from;
        Some(self.builder.value(data.op, ty, &args))
    }

    /// What the kernel computes that is the same as a value.
    fn same(&self, value: Value, depth: usize) -> Value {
        let body = &self.builder.body;
        let Some(data) = body
            .def(value)
            .filter(|data| is_sum(&data.op) && depth < DEEPEST)
        else {
            return value;
        };
        let args: Values = (data.args.iter().map(|arg| self.same(*arg, depth + 1))).collect();
        let key = (data.op.clone(), args, body.ty(value));
        self.computed.get(&key).copied().unwrap_or(value)
    }

    /// What is known to lie at a place at the end of a block that control comes through.
    fn at_end(&self, block: Block, wanted: &Access) -> Option<Value> {
        let body = &self.builder.body;
        let (mut at, mut steps) = (block, 0);
        loop {
            for inst in body.block(at).insts.iter().rev() {
                steps += 1;
                let data = body.inst(*inst);
                let is_same = |mem: &Mem| {
                    let plain = |mem: &Mem| Mem {
                        origin: Origin::default(),
                        ..*mem
                    };
                    let access = Access::new(body, *mem, data.args[0]);
                    plain(mem) == plain(&wanted.mem) && access.at == wanted.at
                };
                match &data.op {
                    Op::Load(mem) if is_same(mem) => return data.results.first().copied(),
                    // Of what is narrower than a register only a part is stored.
                    Op::Store(mem) if is_same(mem) && mem.ty.bytes() >= 4 => {
                        return data.args.get(1).copied();
                    }
                    Op::Load(mem) if mem.is_volatile => return None,
                    Op::Store(mem) => {
                        let store = Access::new(body, *mem, data.args[0]);
                        if mem.is_volatile || store.may_overlap(wanted, self.params) {
                            return None;
                        }
                    }
                    op if op.may_write() => {
                        let space = op.atomic_space()?;
                        if space == wanted.mem.space || wanted.mem.space == Space::Generic {
                            return None;
                        }
                    }
                    _ => {}
                }
            }
            match self.graph.before[at.0 as usize] {
                [only] if steps < MOST_STEPS => at = only,
                _ => return None,
            }
        }
    }
}
