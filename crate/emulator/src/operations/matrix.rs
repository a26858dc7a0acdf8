//! Between registers and the stage in which a matrix instruction works: its sources are put there, its results taken from
//! there. What happens in between is in the files of `instructions::matrix`.

pub(crate) mod descriptor;
pub(crate) mod dot;
pub(crate) mod fragment;
pub(crate) mod number;

use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::report::{Detail, FindingKind};

/// Rows of the stage from `inst.imm` on are the registers `s[0..]`, as many as there are.
pub(crate) fn put(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &mut world.stage.warp(warp)[inst.imm as usize..];
        for (row, slot) in stage.iter_mut().zip(inst.s) {
            if slot == NO_SLOT {
                break;
            }
            row.copy_from_slice(&lanes.words.source(slot)[warp * WARP..][..WARP]);
        }
    }
}

/// The same for 64-bit registers.
fn put_longs(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &mut world.stage.warp(warp)[inst.imm as usize..];
        for (rows, slot) in stage.chunks_exact_mut(2).zip(inst.s) {
            if slot == NO_SLOT {
                break;
            }
            let source = &lanes.longs.source(slot)[warp * WARP..][..WARP];
            for lane in 0..WARP {
                rows[0][lane] = source[lane] as u32;
                rows[1][lane] = (source[lane] >> 32) as u32;
            }
        }
    }
}

/// The registers `d[0..]`, as many as there are, are the rows of the stage from `inst.imm` on.
pub(crate) fn take(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &world.stage.warp(warp)[inst.imm as usize..];
        for (row, slot) in stage.iter().zip(inst.d) {
            if slot == NO_SLOT {
                break;
            }
            let out = &mut lanes.words.registers[usize::from(slot)][warp * WARP..][..WARP];
            for_lanes(active.mask[warp], |lane| out[lane] = row[lane]);
        }
    }
}

/// The same for 64-bit registers.
fn take_longs(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &world.stage.warp(warp)[inst.imm as usize..];
        for (rows, slot) in stage.chunks_exact(2).zip(inst.d) {
            if slot == NO_SLOT {
                break;
            }
            let out = &mut lanes.longs.registers[usize::from(slot)][warp * WARP..][..WARP];
            for_lanes(active.mask[warp], |lane| {
                out[lane] = u64::from(rows[0][lane]) | u64::from(rows[1][lane]) << 32;
            });
        }
    }
}

pub(crate) const PUT: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) put(lanes, world, inst));
pub(crate) const PUT_LONGS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) put_longs(lanes, world, inst));
pub(crate) const TAKE: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) take(lanes, world, inst));
pub(crate) const TAKE_LONGS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) take_longs(lanes, world, inst));

// ---- execution ----

/// Runs `f` for each warp with its active lanes. A warp that is not whole is reported: "all threads in the warp must
/// execute the same instruction", and what happens otherwise is undefined.
pub(crate) fn for_whole_warps(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    mut f: impl FnMut(&mut Lanes, &mut World, usize, u32),
) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 {
            continue;
        }
        if mask != u32::MAX {
            report_divergence(lanes, world, inst, warp, mask);
        }
        f(lanes, world, warp, mask);
    }
}

#[cold]
pub(crate) fn report_divergence(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    warp: usize,
    mask: u32,
) {
    let first = (lanes.first_warp + warp) * WARP + mask.trailing_zeros() as usize;
    world.fault(Fault {
        kind: FindingKind::BarrierDivergence,
        block: world.block,
        place: inst.place,
        space: None,
        thread: first as u32,
        address: None,
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail: Detail::Warp {
            active: mask.count_ones(),
        },
    });
}
