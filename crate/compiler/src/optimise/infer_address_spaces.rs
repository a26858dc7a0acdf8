//! Inference of address spaces: finds in which space each address lies, as LLVM's pass of that name, so that accesses
//! name it and generic addresses are left only where they are needed.

use super::analyses::Analyses;
use super::rewrite::Replaced;
use crate::hash::HashMap;
use crate::ir::graph::Graph;
use crate::ir::intrinsics::Call;
use crate::ir::{Bin, Body, Inst, Op, Space, Ty, Value};
use std::rc::Rc;

/// Names the spaces; whether some question about one is answered by that.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> bool {
    let graph = analyses.graph(body);
    let spaces = all_spaces(body, &graph);
    let mut twins = Twins {
        spaces,
        made: HashMap::default(),
        behind: HashMap::default(),
        open: Vec::new(),
    };
    let mut replaced = Replaced::new(body);
    let mut is_answered = false;
    for block in &graph.order {
        for inst in body.block(*block).insts.clone() {
            is_answered |= answer(body, inst, &twins.spaces, &mut replaced);
            name_space(body, inst, &mut twins, &mut replaced);
        }
    }
    twins.complete(body);
    for block in &graph.order {
        let at = block.0 as usize;
        let insts = std::mem::take(&mut body.blocks[at].insts);
        let mut phis = Vec::new();
        let mut others = Vec::with_capacity(insts.len());
        for inst in insts {
            let is_phi = matches!(body.inst(inst).op, Op::Phi(_));
            let into = if is_phi { &mut phis } else { &mut others };
            into.push(inst);
            into.extend(twins.behind.get(&inst).copied());
        }
        phis.extend(others);
        body.blocks[at].insts = phis;
    }
    replaced.apply(body);
    is_answered
}

/// Whether an address lies in a space, where that is known.
fn answer(
    body: &mut Body,
    inst: Inst,
    spaces: &HashMap<Value, Space>,
    replaced: &mut Replaced,
) -> bool {
    let data = body.inst(inst);
    let (Op::Intrinsic(call), [address], [result]) = (&data.op, &data.args[..], &data.results[..])
    else {
        return false;
    };
    let asked = call.row().asks;
    let known = spaces
        .get(address)
        .filter(|space| **space != Space::Generic);
    let (Some(asked), Some(known)) = (asked, known) else {
        return false;
    };
    let is = match asked {
        Space::Shared | Space::Global => *known == asked,
        _ => return false,
    };
    let result = *result;
    let by = body.make_constant(Ty::B32, u64::from(is));
    replaced.set(result, by);
    true
}

fn name_space(body: &mut Body, inst: Inst, twins: &mut Twins, replaced: &mut Replaced) {
    let data = body.inst(inst);
    if !matches!(
        data.op,
        Op::Load(_) | Op::Store(_) | Op::FromGeneric(_) | Op::Intrinsic(_) | Op::Asm(_)
    ) {
        return;
    }
    let data = data.clone();
    let Some(address) = data.args.first().copied() else {
        return;
    };
    let known = twins
        .spaces
        .get(&address)
        .copied()
        .filter(|space| *space != Space::Generic);
    match (&data.op, known) {
        // Nothing stores to constant memory: what comes to that all the same is told when it runs.
        (Op::Store(_), Some(Space::Constant)) => {}
        (Op::Load(mem) | Op::Store(mem), Some(space)) if mem.space == Space::Generic => {
            let twin = twins.twin(body, address);
            let is_load = matches!(data.op, Op::Load(_));
            let mem = crate::ir::Mem { space, ..*mem };
            let data = &mut body.insts[inst.0 as usize];
            data.args[0] = twin;
            data.op = if is_load {
                Op::Load(mem)
            } else {
                Op::Store(mem)
            };
        }
        (Op::FromGeneric(wanted), Some(space)) if *wanted == space => {
            let twin = twins.twin(body, address);
            replaced.set(data.results[0], twin);
        }
        (op @ (Op::Intrinsic(_) | Op::Asm(_)), Some(space @ (Space::Global | Space::Shared))) => {
            let named = match op {
                Op::Intrinsic(call) if call.row().is_in_a_space => Op::Intrinsic(Call {
                    space,
                    ..call.clone()
                }),
                Op::Asm(asm) if asm.space.is_some() => Op::Asm(Rc::new(asm.in_space(space))),
                _ => return,
            };
            let twin = twins.twin(body, address);
            let data = &mut body.insts[inst.0 as usize];
            data.args[0] = twin;
            data.op = named;
        }
        _ => {}
    }
}

/// The space of each value that is an address; `Generic` where it may be one of several.
fn all_spaces(body: &Body, graph: &Graph) -> HashMap<Value, Space> {
    let mut spaces: HashMap<Value, Space> = HashMap::default();
    let mut changes = true;
    while changes {
        changes = false;
        for block in &graph.order {
            for inst in &body.block(*block).insts {
                let data = body.inst(*inst);
                let [result] = data.results[..] else { continue };
                if body.ty(result) != Ty::B64 {
                    continue;
                }
                let found = match &data.op {
                    Op::ToGeneric(space) => Some(*space),
                    Op::Bin(Bin::Add) => {
                        match (spaces.get(&data.args[0]), spaces.get(&data.args[1])) {
                            (Some(space), None) | (None, Some(space)) => Some(*space),
                            (Some(_), Some(_)) => Some(Space::Generic),
                            _ => None,
                        }
                    }
                    Op::Bin(Bin::Sub) => spaces
                        .get(&data.args[0])
                        .copied()
                        .filter(|_| !spaces.contains_key(&data.args[1])),
                    Op::Select => meet(data.args[1..].iter(), &spaces, body, false),
                    Op::Phi(_) => meet(data.args.iter(), &spaces, body, true),
                    _ => None,
                };
                if let Some(found) = found {
                    let before = spaces.insert(result, found);
                    changes |= before != Some(found);
                }
            }
        }
    }
    spaces
}

/// The space that all of these have. What is not known yet does not count in a loop.
fn meet<'a>(
    args: impl Iterator<Item = &'a Value>,
    spaces: &HashMap<Value, Space>,
    body: &Body,
    in_loop: bool,
) -> Option<Space> {
    let mut found = None;
    let mut others = false;
    for arg in args {
        match (spaces.get(arg), found) {
            (Some(space), None) => found = Some(*space),
            (Some(space), Some(other)) if *space != other => return Some(Space::Generic),
            (Some(_), _) => {}
            (None, _) => others |= !in_loop || !may_become_address(body, *arg),
        }
    }
    if others && found.is_some() {
        Some(Space::Generic)
    } else {
        found
    }
}

/// Whether a value may turn out to be an address when more is known.
fn may_become_address(body: &Body, value: Value) -> bool {
    body.def(value).is_some_and(|inst| {
        matches!(
            inst.op,
            Op::Phi(_) | Op::Bin(Bin::Add | Bin::Sub) | Op::Select
        )
    })
}

/// Addresses in their space beside the generic ones.
struct Twins {
    spaces: HashMap<Value, Space>,
    made: HashMap<Value, Value>,
    /// What comes right behind an instruction.
    behind: HashMap<Inst, Inst>,
    open: Vec<(Inst, Value)>,
}

impl Twins {
    fn twin(&mut self, body: &mut Body, value: Value) -> Value {
        if let Some(twin) = self.made.get(&value) {
            return *twin;
        }
        let Some(data) = body.def(value).cloned() else {
            return value;
        };
        if let Op::ToGeneric(_) = data.op {
            self.made.insert(value, data.args[0]);
            return data.args[0];
        }
        let inst = body.make(data.op, &[Ty::B64], data.args, data.loc);
        let twin = body.inst(inst).results[0];
        if let crate::ir::Def::Inst(original, _) = body.values[value.0 as usize].1 {
            self.behind.insert(original, inst);
        }
        self.made.insert(value, twin);
        self.open.push((inst, value));
        twin
    }

    /// Gives the twins the twins of their originals' arguments.
    fn complete(&mut self, body: &mut Body) {
        while let Some((inst, _)) = self.open.pop() {
            let mut args = body.inst(inst).args.clone();
            for arg in &mut args {
                if self.spaces.contains_key(arg) {
                    *arg = self.twin(body, *arg);
                }
            }
            body.insts[inst.0 as usize].args = args;
        }
    }
}
