//! Whole warps' accesses to words of global and shared memory, where nothing is out of the ordinary. All else
//! takes the slower way of `request`, with the same counts.
//!
//! A warp's addresses are its first lane's and a [`Pattern`], which is nearly always the same for all warps and all
//! times that an instruction runs: what depends on it alone is found out once.

mod checks;
mod plan;
mod steps;
mod transfer;
mod woven;

use crate::machine::inst::Inst;
use crate::machine::lanes::{Column, Lanes};
use crate::machine::pattern::Pattern;
use crate::machine::world::World;
use crate::operations::memory::elements::Stored;
use crate::program::access::AccessShape;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::Space;
use plan::Plan;

/// How an instruction's whole warps are taken, if they can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    is_global: bool,
    words: u32,
}

/// Words of 32 or 64 bits, not sign-extended, in global or shared memory; nothing is traced.
#[inline(always)]
pub(super) fn form(shape: &AccessShape, world: &World) -> Option<Form> {
    let width = if shape.long { 8 } else { 4 };
    let is_simple = shape.element == width
        && matches!(shape.space, Some(Space::Global | Space::Shared))
        && world.trace.is_none()
        // Each warp is asked whether it has waited.
        && world.dependence.is_none()
        // The others of a cluster are asked for each access.
        && (world.cluster.is_none() || world.check.is_none())
        // What `malloc` gave ends anywhere: lane by lane.
        && (world.heap.is_none() || shape.space == Some(Space::Shared));
    is_simple.then(|| Form {
        is_global: shape.space == Some(Space::Global),
        words: shape.bytes() / 4,
    })
}

/// Loads for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn load<T: Stored>(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    form: Form,
) -> u32 {
    // Not a function with a closure: that would be compiled without the vector instructions.
    let mut taken = world.patterns[inst.aux as usize].take().unwrap_or_default();
    let pattern = &mut *taken;
    // Known when this is compiled: a register of 64 bits is two words or more.
    let is_word = size_of::<T>() == 4;
    let done = match (form.is_global, form.words) {
        (true, 1) if is_word => load_warps::<T, true, 1>(lanes, world, inst, pattern),
        (true, 2) => load_warps::<T, true, 2>(lanes, world, inst, pattern),
        (true, _) => load_warps::<T, true, 4>(lanes, world, inst, pattern),
        (false, 1) if is_word => load_warps::<T, false, 1>(lanes, world, inst, pattern),
        (false, 2) => load_warps::<T, false, 2>(lanes, world, inst, pattern),
        (false, _) => load_warps::<T, false, 4>(lanes, world, inst, pattern),
    };
    world.patterns[inst.aux as usize] = Some(taken);
    done
}

/// Stores for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn store<T: Stored>(lanes: &Lanes, world: &mut World, inst: &Inst, form: Form) -> u32 {
    // Not a function with a closure: that would be compiled without the vector instructions.
    let mut taken = world.patterns[inst.aux as usize].take().unwrap_or_default();
    let pattern = &mut *taken;
    // Known when this is compiled: a register of 64 bits is two words or more.
    let is_word = size_of::<T>() == 4;
    let done = match (form.is_global, form.words) {
        (true, 1) if is_word => store_warps::<T, true, 1>(lanes, world, inst, pattern),
        (true, 2) => store_warps::<T, true, 2>(lanes, world, inst, pattern),
        (true, _) => store_warps::<T, true, 4>(lanes, world, inst, pattern),
        (false, 1) if is_word => store_warps::<T, false, 1>(lanes, world, inst, pattern),
        (false, 2) => store_warps::<T, false, 2>(lanes, world, inst, pattern),
        (false, _) => store_warps::<T, false, 4>(lanes, world, inst, pattern),
    };
    world.patterns[inst.aux as usize] = Some(taken);
    done
}

// Inlined for the vector instructions. In WebAssembly each is a function of its own: a browser makes quick code of one long
// before it is through with all of them.

#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn load_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    pattern: &mut Pattern,
) -> u32 {
    let registers = 4 * WORDS / size_of::<T>();
    let mut plan = Plan::<GLOBAL, WORDS>::new(world, inst, false);
    let row = lanes.longs.row(inst.s[0]).copied();
    if let Some(row) = &row {
        plan.admit_row(lanes, world, row, inst.imm, pattern);
        plan.prefetch(lanes, world, inst, pattern);
        plan.watch(lanes, world, inst, pattern);
        let all = plan.done == lanes.active.warps() && lanes.whole;
        if all && pattern.same == WARP {
            for register in 0..registers {
                let value = if GLOBAL {
                    plan.uniform::<T>(plan.words(), register)
                } else {
                    plan.uniform::<T>(world.shared.as_slice(), register)
                };
                T::file_mut(lanes).set_row(inst.d[register], value);
            }
            return plan.finish(world);
        }
        if plan.done == 0 {
            return 0;
        }
    }
    let mut out: [Column<T>; 4] = Default::default();
    for (out, slot) in out.iter_mut().zip(inst.d).take(registers) {
        *out = if lanes.whole {
            T::file_mut(lanes).take_whole(slot)
        } else {
            T::file_mut(lanes).take(slot)
        };
    }
    if row.is_none() || !plan.load_woven(pattern, &mut out) {
        // All warps of a row at once, else one after the other: one loop, so that the loads are compiled once.
        let mut warp = lanes.active.first;
        while warp < lanes.active.last {
            let warps = if row.is_some() {
                plan.done
            } else {
                plan.take_lanes(lanes, world, inst, pattern, warp)
            };
            if GLOBAL {
                plan.load(plan.words(), warps, pattern, &mut out);
            } else {
                plan.load(world.shared.as_slice(), warps, pattern, &mut out);
            }
            warp = if row.is_some() { GROUP_WARPS } else { warp + 1 };
        }
    }
    for (out, slot) in out.into_iter().zip(inst.d).take(registers) {
        T::file_mut(lanes).give(slot, out);
    }
    plan.finish(world)
}

#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn store_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    pattern: &mut Pattern,
) -> u32 {
    let registers = 4 * WORDS / size_of::<T>();
    let mut plan = Plan::<GLOBAL, WORDS>::new(world, inst, true);
    let mut sources: [&[T]; 4] = [&[]; 4];
    for (source, slot) in sources.iter_mut().zip(&inst.s[1..]).take(registers) {
        *source = T::file(lanes).source(*slot);
    }
    let row = lanes.longs.row(inst.s[0]);
    if let Some(row) = row {
        plan.admit_row(lanes, world, row, inst.imm, pattern);
        plan.prefetch(lanes, world, inst, pattern);
        plan.watch(lanes, world, inst, pattern);
        if plan.store_woven(pattern, &sources) {
            return plan.finish(world);
        }
    }
    // As for loads.
    let mut warp = lanes.active.first;
    while warp < lanes.active.last {
        let warps = if row.is_some() {
            plan.done
        } else {
            plan.take_lanes(lanes, world, inst, pattern, warp)
        };
        if GLOBAL {
            plan.store(plan.words(), warps, pattern, &sources);
        } else {
            plan.store(world.shared.as_mut_slice(), warps, pattern, &sources);
        }
        warp = if row.is_some() { GROUP_WARPS } else { warp + 1 };
    }
    plan.finish(world)
}
