//! Drops loads of what was loaded before control came to their block, from a place that had another name there: what a loop
//! loaded for its condition is what its next iteration begins with.

use super::number::{atomic_space, is_changing};
use super::overlap::Access;
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Cache, Def, Inst, Mem, Op, Origin, Space, Ty, Value, Values};
use crate::lower::KernelParam;

/// Instructions that are looked at for one load and one way to it.
const MOST_STEPS: usize = 200;

/// How deep the computation of an address is followed.
const DEEPEST: usize = 8;

/// By what is computed: the value.
type Computed = HashMap<(Op, Values, Ty), Value>;

/// True if a load was dropped.
pub(super) fn carried(builder: &mut Builder, params: &[KernelParam]) -> bool {
    let graph = Graph::new(&builder.body);
    let mut computed: Option<Computed> = None;
    let mut replaced = Replaced::new(&builder.body);
    for block in &graph.order {
        let before = &graph.before[block.0 as usize];
        // Only a loop comes to a place again that has another name then.
        if before.len() < 2 || !before.iter().any(|from| graph.dominates(*block, *from)) {
            continue;
        }
        for load in first_loads(&builder.body, *block) {
            let computed = computed.get_or_insert_with(|| all_computed(&builder.body, &graph));
            let mut search = Search {
                builder,
                graph: &graph,
                params,
                computed,
                block: *block,
            };
            let Some(values) = search.known(load) else {
                continue;
            };
            let body = &mut builder.body;
            let (result, loc) = (body.inst(load).results[0], body.inst(load).loc);
            let op = Op::Phi(before.to_vec());
            let phi = body.make(op, &[body.ty(result)], values, loc);
            replaced.set(result, body.inst(phi).results[0]);
            let insts = &mut body.blocks[block.0 as usize].insts;
            insts.retain(|inst| *inst != load);
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
        Op::Ptx(ptx) => !is_changing(ptx),
        _ => true,
    });
    let is_load = |inst: &&Inst| matches!(&body.inst(**inst).op, Op::Load(mem) if is_plain(mem));
    unchanged.filter(is_load).copied().collect()
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
    insts.filter_map(of).collect()
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
}

impl Search<'_> {
    /// What a load gives, on each of the ways to its block.
    fn known(&mut self, load: Inst) -> Option<Vec<Value>> {
        let data = self.builder.body.inst(load);
        let (Op::Load(mem), address) = (data.op.clone(), data.args[0]) else {
            return None;
        };
        let graph = self.graph;
        let before = &graph.before[self.block.0 as usize];
        let mut values = Vec::with_capacity(before.len());
        for from in before {
            let there = self.on_way(address, *from, 0)?;
            if there == address {
                return None;
            }
            let there = self.same(there, 0);
            let access = Access::new(&self.builder.body, mem, there);
            values.push(self.at_end(*from, &access)?);
        }
        Some(values)
    }

    /// A value as it will be when control comes from one of the blocks before.
    fn on_way(&mut self, value: Value, from: Block, depth: usize) -> Option<Value> {
        let body = &self.builder.body;
        let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
            return Some(value);
        };
        if !body.block(self.block).insts.contains(&inst) {
            return Some(value);
        }
        let data = body.inst(inst).clone();
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
                    Op::Ptx(ptx) if is_changing(ptx) => {
                        let space = atomic_space(ptx)?;
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
