//! What the assembler makes of atomics, as far as the PTX tells: it decides what they count. The counting is not here.
//!
//! Read off the machine code that `ptxas` 13.0 makes for sm_90 (the kernels `all_*` and the probes `atom_*` of
//! `tests/h200/` hold it to the counters of an H200):
//! - `atom` on global memory whose result nobody reads becomes a reduction, but for `exch` and `cas`;
//! - a 32-bit integer operation on one address for the whole warp is done by one lane: `add` always, `min`, `max`
//!   and the bitwise ones where nobody reads the result; a 64-bit `add` only of one value for all lanes;
//! - on shared memory, `add` of the constant 1 whose result nobody reads puts together the lanes of each word;
//! - what the memory cannot do itself becomes a loop: on shared memory floating point and 64-bit arithmetic, anywhere
//!   anything on 16 bits.

use crate::decode::flow::Graph;
use crate::decode::ir::{Act, Body, Op, Value};
use crate::decode::optimise::definitions;
use crate::program::access::{Assembled, AtomicOp};
use crate::program::preset::{Preset, Special};
use crate::report::Space;

/// Decides for every atomic of the function.
pub(super) fn assemble_atomics(graph: &Graph, body: &mut Body) {
    if body.accesses.iter().all(|shape| shape.atomic.is_none()) {
        return;
    }
    let uniform = uniform_registers(graph, body);
    let mut used = vec![false; body.regs.len()];
    for block in &graph.blocks {
        for reg in block.ops.iter().flat_map(Op::uses).chain(block.end.uses()) {
            used[reg.0 as usize] = true;
        }
    }
    for op in graph.blocks.iter().flat_map(|block| &block.ops) {
        if !op.is_memory {
            continue;
        }
        let shape = &body.accesses[op.aux as usize];
        let (Some(atomic), Some(space)) = (shape.atomic, shape.space) else {
            continue;
        };
        let (site, bytes) = (shape.site as usize, shape.element);
        let is_used = op.results().any(|reg| used[reg.0 as usize]);
        let is_uniform = |value: &Value| is_uniform(value, &uniform, body);
        let one_lane = is_uniform(&op.s[0])
            && match atomic {
                AtomicOp::Add => bytes == 4 || is_uniform(&op.s[1]),
                _ => atomic.can_be_combined() && bytes == 4 && !is_used,
            };
        let is_one = is_preset(&op.s[1], body, &Preset::Bits(1));
        let assembled = if atomic.needs_loop(bytes, space) {
            Assembled::Loop
        } else if space == Space::Shared && atomic == AtomicOp::Add && is_one && !is_used {
            Assembled::EachWord
        } else if one_lane {
            Assembled::OneLane
        } else {
            Assembled::EachLane
        };
        body.accesses[op.aux as usize].assembled = assembled;
        let is_loop = assembled == Assembled::Loop;
        body.sites[site].is_store = !is_used && atomic.can_forget_result() && !is_loop;
    }
}

/// The registers that hold one value for all lanes of a warp, whatever the launch.
///
/// A register that is written at several places may hold what lanes came by on different ways: it does not count.
fn uniform_registers(graph: &Graph, body: &Body) -> Vec<bool> {
    let definitions = definitions(graph, body.regs.len());
    let mut uniform = vec![false; body.regs.len()];
    // In reverse post-order a register that is written once is written before it is read.
    for op in graph.blocks.iter().flat_map(|block| &block.ops) {
        let is_load = op.is_memory && body.accesses[op.aux as usize].atomic.is_none();
        let follows = op.is_pure || matches!(op.act, Act::Copy) || is_load;
        let sources = op.s.iter().all(|value| is_uniform(value, &uniform, body));
        if follows && op.guard.is_none() && sources {
            for reg in op.results() {
                uniform[reg.0 as usize] = definitions[reg.0 as usize].is_single();
            }
        }
    }
    uniform
}

fn is_uniform(value: &Value, uniform: &[bool], body: &Body) -> bool {
    match value {
        Value::None => true,
        Value::Reg(reg) => uniform[reg.0 as usize],
        Value::Preset(number) => match body.presets[*number as usize].1 {
            Preset::Special(special) => matches!(
                special,
                Special::Ntid(_)
                    | Special::Ctaid(_)
                    | Special::Nctaid(_)
                    | Special::ClusterId(_)
                    | Special::ClusterCount(_)
                    | Special::ClusterCtaid(_)
                    | Special::ClusterNctaid(_)
                    | Special::ClusterRank
                    | Special::ClusterSize
                    | Special::GridId
                    | Special::DynamicShared
                    | Special::TotalShared
            ),
            _ => true,
        },
    }
}

fn is_preset(value: &Value, body: &Body, preset: &Preset) -> bool {
    matches!(value, Value::Preset(number) if body.presets[*number as usize].1 == *preset)
}
