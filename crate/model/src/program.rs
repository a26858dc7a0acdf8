//! What one warp executes, in the order in which the assembler would place it: the followed warp's steps with their costs. How warps share a multiprocessor is `simulate`'s.

use crate::machine::Machine;
use crate::observe::Observation;
use crate::op::{Op, Pipe, Role};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Lines of the text over which a branch may lead without ending the stretch that the assembler reorders.
const SHORT_BRANCH_LINES: u32 = 40;
/// Instructions that a load of shared memory rises over at most.
const NEAR_ITEMS: usize = 48;

/// An instruction of the warp.
#[derive(Debug, Clone)]
pub struct Item {
    /// Who executes it.
    pub pipe: Pipe,
    /// What it is to others.
    pub role: Role,
    /// Slots of the scheduler.
    pub slots: f64,
    /// Cycles of its unit in a quarter of the multiprocessor; of the whole for exchanges.
    pub cycles: f64,
    /// Cycles until its result is there, memory aside.
    pub latency: f64,
    /// Registers read and written.
    pub reads: Vec<u32>,
    /// Registers written.
    pub writes: Vec<u32>,
    /// How much of it an average warp does.
    pub weight: f64,
    /// Sites of its accesses.
    pub sites: Vec<u32>,
    line: u32,
    near: u8,
}

/// A warp's instructions.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// In order.
    pub items: Vec<Item>,
    /// Registers that they name.
    pub registers: usize,
    /// How often an average warp does what the items do: more than once where recording was cut.
    pub repeats: f64,
    /// Scheduler slots of an average warp that no item stands for.
    pub other_slots: f64,
}

/// Of the followed warp.
pub fn program(machine: &Machine, observed: &Observation) -> Program {
    let warps = observed.shape.blocks() as f64 * f64::from(observed.shape.warps());
    let mut traced = vec![0.0; observed.ops.len()];
    for step in &observed.steps {
        traced[step.op as usize] += 1.0;
    }
    let slots = |op: usize| f64::from(observed.ops[op].slots);
    let all: f64 = (0..observed.ops.len())
        .map(|op| observed.executed[op] / warps * slots(op))
        .sum();
    let seen: f64 = (0..observed.ops.len())
        .filter(|op| traced[*op] > 0.0)
        .map(|op| observed.executed[op] / warps * slots(op))
        .sum();
    let here: f64 = (0..observed.ops.len())
        .map(|op| traced[op] * slots(op))
        .sum();
    let repeats = match observed.is_cut && here > 0.0 {
        true => (seen / here).max(1.0),
        false => 1.0,
    };
    let mut items: Vec<Item> = observed
        .steps
        .iter()
        .map(|step| {
            let op = &observed.ops[step.op as usize];
            let weight =
                observed.executed[step.op as usize] / warps / traced[step.op as usize] / repeats;
            item(machine, op, weight, step.sites.clone())
        })
        .collect();
    reorder(&mut items);
    let registers = items
        .iter()
        .flat_map(|item| item.reads.iter().chain(&item.writes))
        .max()
        .map_or(0, |most| *most as usize + 1);
    Program {
        items,
        registers,
        repeats,
        other_slots: (all - seen).max(0.0) / repeats,
    }
}

fn item(machine: &Machine, op: &Op, weight: f64, sites: Vec<u32>) -> Item {
    let slots = f64::from(op.slots);
    let tensor = f64::from(op.tensor_ops);
    let (cycles, latency) = match op.pipe {
        Pipe::None => (0.0, 0.0),
        Pipe::Fma => (machine.fma_cycles, machine.alu_latency_cycles),
        Pipe::Imad => (
            machine.imad_cycles * slots.min(4.0),
            machine.alu_latency_cycles * slots.max(1.0),
        ),
        Pipe::Alu => (
            machine.alu_cycles * slots,
            machine.alu_latency_cycles * slots.max(1.0),
        ),
        Pipe::Xu => (machine.xu_cycles * slots, machine.xu_latency_cycles),
        Pipe::Fp64 => (machine.fp64_cycles, machine.fp64_latency_cycles),
        Pipe::Shuffle => (machine.shuffle_cycles, machine.shuffle_latency_cycles),
        Pipe::Tensor => (
            tensor / (machine.tensor_ops / 4.0),
            16.0 + tensor / (machine.tensor_ops / 4.0),
        ),
        Pipe::Group => (
            tensor / (machine.tensor_group_ops / 4.0),
            16.0 + tensor / (machine.tensor_group_ops / 4.0),
        ),
        Pipe::Memory | Pipe::Barrier | Pipe::Branch => (0.0, 0.0),
    };
    Item {
        pipe: op.pipe,
        role: op.role,
        slots,
        cycles,
        latency,
        reads: op.reads.clone(),
        writes: op.writes.clone(),
        weight,
        sites,
        line: op.ptx_line,
        near: space(&op.name),
    }
}

fn space(name: &str) -> u8 {
    let has = |part: &str| name.split('.').any(|piece| piece.starts_with(part));
    match name {
        _ if name.starts_with("tex") => 3,
        _ if has("nc") => 3,
        _ if has("shared") || name.starts_with("ldmatrix") || name.starts_with("stmatrix") => 1,
        _ if has("local") => 2,
        _ => 0,
    }
}

/// Moves loads up, with what their addresses need, within stretches that nothing holds together: as the assembler does, so
/// that many are under way.
fn reorder(items: &mut Vec<Item>) {
    let mut done = Vec::with_capacity(items.len());
    let mut stretch: Vec<Item> = Vec::new();
    let lines: Vec<u32> = items.iter().map(|item| item.line).collect();
    for (at, item) in std::mem::take(items).into_iter().enumerate() {
        let is_jump = match (item.role, lines.get(at + 1)) {
            (Role::Branch, Some(next)) => {
                *next < item.line || *next > item.line + SHORT_BRANCH_LINES
            }
            _ => false,
        };
        let holds = is_jump
            || matches!(
                item.role,
                Role::Barrier | Role::Atomic | Role::AwaitBulk | Role::Wait(_) | Role::Commit
            );
        stretch.push(item);
        if holds {
            place(&mut stretch, &mut done);
        }
    }
    place(&mut stretch, &mut done);
    *items = done;
}

fn place(stretch: &mut Vec<Item>, done: &mut Vec<Item>) {
    let mut stored = [false; 4];
    let mut may_rise = vec![false; stretch.len()];
    for (at, item) in stretch.iter().enumerate() {
        match item.role {
            Role::Load | Role::NearLoad => may_rise[at] = !stored[usize::from(item.near)],
            Role::Store | Role::Reduction | Role::AsyncCopy | Role::Bulk => {
                stored[usize::from(item.near)] = true
            }
            _ => {}
        }
    }
    let mut needed: BTreeSet<u32> = BTreeSet::new();
    let mut rises = vec![false; stretch.len()];
    for at in (0..stretch.len()).rev() {
        let item = &stretch[at];
        let is_needed = item.writes.iter().any(|register| needed.contains(register))
            && matches!(item.role, Role::Plain | Role::Load | Role::NearLoad);
        if may_rise[at] || is_needed {
            rises[at] = true;
            item.writes.iter().for_each(|register| {
                needed.remove(register);
            });
            needed.extend(&item.reads);
        }
    }
    let mut rest: VecDeque<(usize, Item)> = VecDeque::new();
    // What rises must not overtake the reader of a register that it writes anew.
    let mut read_below: BTreeMap<u32, ()> = BTreeMap::new();
    for (at, (item, rises)) in stretch.drain(..).zip(rises).enumerate() {
        let is_free = !(item.writes.iter()).any(|register| read_below.contains_key(register));
        if rises && is_free {
            // Shared memory is near: its loads need not rise far, and the registers are few.
            while item.role == Role::NearLoad
                && rest.front().is_some_and(|(from, _)| from + NEAR_ITEMS < at)
            {
                done.extend(rest.pop_front().map(|(_, item)| item));
            }
            done.push(item);
        } else {
            item.reads.iter().chain(&item.writes).for_each(|register| {
                read_below.insert(*register, ());
            });
            rest.push_back((at, item));
        }
    }
    done.extend(rest.into_iter().map(|(_, item)| item));
}
