//! Computes a value once where the text computes it several times: compilers repeat address arithmetic in every
//! branch, as registers are dear and arithmetic is cheap on a GPU. Here it is the other way round.

use std::collections::HashMap;

use crate::decode::flow::{End, Graph};
use crate::decode::ir::{Act, Op, Reg, Value};
use crate::decode::optimise::{definitions, replace, replace_guard};

/// What an operation computes: function, sources, modes.
type Key = (usize, [Value; 6], u64, u32);

/// Where a value is computed.
#[derive(Debug, Clone, Copy)]
struct Known {
    reg: Reg,
    block: usize,
    at: usize,
}

/// Replaces operations by an equal one that every way to them leads through. Where there is none, the equal
/// one is moved up to where all ways part: what only computes may be computed in vain.
pub(super) fn share(graph: &mut Graph, regs: usize) {
    let single: Vec<bool> = definitions(graph, regs)
        .iter()
        .map(|definitions| definitions.is_single())
        .collect();
    // Where each register that is written once is written; moves with what is moved.
    let mut home = vec![usize::MAX; regs];
    let mut blocks: Vec<Vec<Option<Op>>> = graph
        .blocks
        .iter_mut()
        .map(|block| {
            std::mem::take(&mut block.ops)
                .into_iter()
                .map(Some)
                .collect()
        })
        .collect();
    let mut values: Vec<Option<Value>> = vec![None; regs];
    let mut known: HashMap<Key, Known> = HashMap::new();
    for block in 0..blocks.len() {
        for at in 0..blocks[block].len() {
            let Some(op) = &mut blocks[block][at] else {
                continue;
            };
            replace(&mut op.s, &values);
            replace_guard(op, &values);
            for reg in op.results() {
                home[reg.0 as usize] = block;
            }
            let Some((key, reg)) = shareable(op, &single) else {
                continue;
            };
            let found = *known.entry(key).or_insert(Known { reg, block, at });
            if found.reg == reg {
                continue;
            }
            if !graph.dominates(found.block, block) {
                let meeting = graph.common_dominator(found.block, block);
                let ready = key.1.iter().all(|value| match value {
                    Value::Reg(source) => graph.dominates(home[source.0 as usize], meeting),
                    _ => true,
                });
                if !ready {
                    continue;
                }
                let moved = blocks[found.block][found.at].take();
                blocks[meeting].push(moved);
                home[found.reg.0 as usize] = meeting;
                let at = blocks[meeting].len() - 1;
                known.insert(
                    key,
                    Known {
                        reg: found.reg,
                        block: meeting,
                        at,
                    },
                );
            }
            blocks[block][at] = None;
            values[reg.0 as usize] = Some(Value::Reg(found.reg));
        }
        match &mut graph.blocks[block].end {
            End::Branch { reg, .. } => {
                if let Some(Value::Reg(source)) = values[reg.0 as usize] {
                    *reg = source;
                }
            }
            End::Switch { index, .. } => replace(std::slice::from_mut(index), &values),
            _ => {}
        }
    }
    for (block, ops) in graph.blocks.iter_mut().zip(blocks) {
        block.ops = ops.into_iter().flatten().collect();
    }
}

/// The key and the result of an operation that may be shared.
fn shareable(op: &Op, single: &[bool]) -> Option<(Key, Reg)> {
    let Act::Compute(function) = op.act else {
        return None;
    };
    let [Some(reg), None, None, None] = op.d else {
        return None;
    };
    let sources_hold = op.s.iter().all(|value| match value {
        Value::Reg(source) => single[source.0 as usize],
        _ => true,
    });
    let fits = op.is_pure && op.guard.is_none() && single[reg.0 as usize] && sources_hold;
    fits.then_some(((function as usize, op.s, op.imm, op.aux), reg))
}
