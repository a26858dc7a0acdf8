//! Fewer operations with the same effect: copies are seen through, unused results dropped. Counting is not
//! touched: blocks already know how many PTX instructions they stand for.

use crate::decode::flow::{Block, End, Graph};
use crate::decode::fuse::fuse;
use crate::decode::ir::{Act, Body, Op, Part, Reg, Value};
use crate::operations::basic::{MAD_LO_64, SHL_ADD_64};

/// Where a register is written, and what that says of its uses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Definitions {
    /// How often it is written.
    pub(super) count: u32,
    /// Block and position of an unguarded write.
    pub(super) first: Option<(u32, u32)>,
    /// Every use comes after that write, on every way to it.
    pub(super) covers_uses: bool,
}

impl Definitions {
    /// Written once, before all uses: its value can be followed.
    pub(super) fn is_single(&self) -> bool {
        self.count == 1 && self.covers_uses
    }
}

/// The position of what ends a block, after all its operations.
const AT_END: u32 = u32::MAX;

/// Finds each register's writes and whether one of them covers all uses.
pub(super) fn definitions(graph: &Graph, regs: usize) -> Vec<Definitions> {
    let mut found = vec![
        Definitions {
            covers_uses: true,
            ..Definitions::default()
        };
        regs
    ];
    for (number, block) in graph.blocks.iter().enumerate() {
        for (at, op) in block.ops.iter().enumerate() {
            for reg in op.results() {
                let entry = &mut found[reg.0 as usize];
                entry.count += 1;
                // In this order a write that covers the uses comes before any other.
                if entry.first.is_none() && op.guard.is_none() {
                    entry.first = Some((number as u32, at as u32));
                }
                // A guarded write leaves some lanes as they were, which is a use of the old value.
                if op.guard.is_some() && entry.first.is_none() {
                    entry.covers_uses = false;
                }
            }
        }
    }
    let mut used = |reg: Reg, block: usize, at: u32| {
        let entry = &mut found[reg.0 as usize];
        entry.covers_uses &= entry.first.is_some_and(|(first_block, first_at)| {
            let first_block = first_block as usize;
            if first_block == block {
                first_at < at
            } else {
                graph.dominates(first_block, block)
            }
        });
    };
    for (number, block) in graph.blocks.iter().enumerate() {
        for (at, op) in block.ops.iter().enumerate() {
            op.uses().for_each(|reg| used(reg, number, at as u32));
            if op.guard.is_some() {
                op.results().for_each(|reg| used(reg, number, at as u32));
            }
        }
        if let Some(reg) = block.end.uses() {
            used(reg, number, AT_END);
        }
    }
    found
}

/// Replaces uses of copies by what was copied, and drops what is then unused. With `fuses`, products and sums become one
/// where the assembler makes them one.
pub(super) fn optimise(graph: &mut Graph, body: &mut Body, fuses: bool) {
    let definitions = definitions(graph, body.regs.len());
    let mut known: Vec<Option<Value>> = vec![None; body.regs.len()];
    // In reverse post-order a copy comes before its uses, and what it copies before the copy.
    for block in &mut graph.blocks {
        for op in &mut block.ops {
            replace(&mut op.s, &known);
            replace_guard(op, &known);
            let (Act::Copy, None, Some(d)) = (op.act, op.guard, op.d[0]) else {
                continue;
            };
            let follows = definitions[d.0 as usize].is_single()
                && match op.s[0] {
                    Value::Reg(source) => definitions[source.0 as usize].is_single(),
                    Value::Preset(_) => true,
                    Value::None => false,
                };
            if follows {
                known[d.0 as usize] = Some(op.s[0]);
            }
        }
        match &mut block.end {
            End::Branch { reg, .. } => {
                if let Some(Value::Reg(source)) = known[reg.0 as usize] {
                    *reg = source;
                }
            }
            End::Switch { index, .. } => replace(std::slice::from_mut(index), &known),
            _ => {}
        }
    }
    join_sums(graph, body.regs.len());
    drop_unused(&mut graph.blocks, body.regs.len());
    if fuses {
        fuse(graph, body);
    }
    separate(&mut graph.blocks, body);
}

fn replace(values: &mut [Value], known: &[Option<Value>]) {
    for value in values {
        if let Value::Reg(reg) = value
            && let Some(replacement) = known[reg.0 as usize]
        {
            *value = replacement;
        }
    }
}

fn replace_guard(op: &mut Op, known: &[Option<Value>]) {
    if let Some((reg, _)) = &mut op.guard
        && let Some(Value::Reg(source)) = known[reg.0 as usize]
    {
        *reg = source;
    }
}

/// Joins a sum with the product or shift that only it uses: `a * b + c`, `(a << b) + c`.
fn join_sums(graph: &mut Graph, regs: usize) {
    let definitions = definitions(graph, regs);
    let single = |value: &Value| match value {
        Value::Reg(reg) => definitions[reg.0 as usize].is_single(),
        _ => true,
    };
    let mut uses = vec![0u32; regs];
    let mut parts: Vec<Option<Op>> = vec![None; regs];
    for block in &graph.blocks {
        for op in &block.ops {
            op.uses().for_each(|reg| uses[reg.0 as usize] += 1);
            let joins = matches!(op.part, Some(Part::Product | Part::Shift));
            if let (true, None, Some(d)) = (joins && op.s.iter().all(single), op.guard, op.d[0]) {
                parts[d.0 as usize] = Some(*op);
            }
        }
        block
            .end
            .uses()
            .into_iter()
            .for_each(|reg| uses[reg.0 as usize] += 1);
    }
    for op in graph.blocks.iter_mut().flat_map(|block| &mut block.ops) {
        if op.part != Some(Part::Sum) {
            continue;
        }
        for (term, other) in [(0, 1), (1, 0)] {
            let Value::Reg(reg) = op.s[term] else {
                continue;
            };
            let reg = reg.0 as usize;
            let (Some(part), true) = (parts[reg], uses[reg] == 1 && single(&op.s[term])) else {
                continue;
            };
            let lowering = if part.part == Some(Part::Product) {
                MAD_LO_64
            } else {
                SHL_ADD_64
            };
            let rest = op.s[other];
            op.s[..3].copy_from_slice(&[part.s[0], part.s[1], rest]);
            op.act = Act::Compute(lowering.function.chosen());
            op.part = None;
            break;
        }
    }
}

fn drop_unused(blocks: &mut [Block], regs: usize) {
    let mut uses = vec![0u32; regs];
    for block in blocks.iter() {
        for reg in block.ops.iter().flat_map(Op::uses).chain(block.end.uses()) {
            uses[reg.0 as usize] += 1;
        }
    }
    // Backwards, so that what only a dropped operation used is dropped in the same pass.
    for block in blocks.iter_mut().rev() {
        let mut kept = Vec::with_capacity(block.ops.len());
        for op in block.ops.drain(..).rev() {
            let pure = matches!(op.act, Act::Compute(_) | Act::Copy);
            if pure && op.results().all(|reg| uses[reg.0 as usize] == 0) {
                op.uses().for_each(|reg| uses[reg.0 as usize] -= 1);
            } else {
                kept.push(op);
            }
        }
        kept.reverse();
        block.ops = kept;
    }
}

/// Gives each operation destinations of its own: the interpreter takes a destination's lanes out while it
/// reads the sources.
fn separate(blocks: &mut [Block], body: &mut Body) {
    for block in blocks {
        // A register moved to itself is as it was. The block's weight still counts the instruction.
        block
            .ops
            .retain(|op| !matches!(op.act, Act::Copy) || op.d[0].map(Value::Reg) != Some(op.s[0]));
        let clashes = |op: &Op| {
            !matches!(op.act, Act::Copy)
                && op.d.iter().enumerate().any(|(at, d)| {
                    d.is_some_and(|reg| {
                        op.s.contains(&Value::Reg(reg)) || op.d[..at].contains(&Some(reg))
                    })
                })
        };
        if !block.ops.iter().any(clashes) {
            continue;
        }
        let mut ops = Vec::with_capacity(block.ops.len() + 8);
        for mut op in std::mem::take(&mut block.ops) {
            if !clashes(&op) {
                ops.push(op);
                continue;
            }
            let mut copies = Vec::new();
            for d in op.d.iter_mut().flatten() {
                let info = body.regs[d.0 as usize];
                let fresh = body.fresh(info.file, info.bits);
                copies.push(Op {
                    act: Act::Copy,
                    d: [Some(*d), None, None, None],
                    s: [
                        fresh.into(),
                        Value::None,
                        Value::None,
                        Value::None,
                        Value::None,
                        Value::None,
                    ],
                    weight: 0,
                    ..op
                });
                *d = fresh;
            }
            // Computing idle lanes of a register that nothing else reads does no harm.
            if op.is_pure {
                op.guard = None;
            }
            ops.push(op);
            ops.extend(copies);
        }
        block.ops = ops;
    }
}
