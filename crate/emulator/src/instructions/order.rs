//! PTX ISA: `membar`, `fence` and `bar.warp.sync`. Threads of this emulator take turns, so that these only tell a checked launch what is in order.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::warp::{MEMBERS, SYNC, warp_of};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::program::kinds::{FileKind, Kind};

/// `membar.level;` and `fence{.sem}.scope;`
pub(crate) fn lower_fence(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let is_wide = matched.element("scope") != "cta";
    if is_wide {
        lowerer.orders_blocks();
    }
    lowerer.effect(FENCE, &[], &[], u64::from(is_wide), 0);
    Ok(())
}

const FENCE: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) fence(lanes, world, inst));

fn fence(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let Some(shadow) = &mut world.check else {
        return;
    };
    for warp in lanes.active.first..lanes.active.last {
        if lanes.active.mask[warp] != 0 {
            shadow.fence(lanes.first_warp + warp, inst.imm == 1);
        }
    }
}

/// `fence.proxy.async{.space};` and the same of `membar`; the other kinds order proxies that this emulator has not.
pub(crate) fn lower_proxy_fence(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    if matched.has("async") {
        lowerer.effect(PROXY_FENCE, &[], &[], 0, 0);
    }
    Ok(())
}

const PROXY_FENCE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) proxy_fence(lanes, world, inst));

fn proxy_fence(lanes: &mut Lanes, world: &mut World, _inst: &Inst) {
    let Some(shadow) = &mut world.check else {
        return;
    };
    for warp in lanes.active.first..lanes.active.last {
        if lanes.active.mask[warp] != 0 {
            shadow.fence_proxy(lanes.first_warp + warp);
        }
    }
}

/// `bar.warp.sync membermask;`
pub(crate) fn lower_warp_sync(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let members = match matched.operands().first() {
        Some(members) => {
            let members = lowerer.source(matched, members, Kind::Bits32)?;
            lowerer.effect(MEMBERS, &[], &[members], SYNC, 0);
            members
        }
        None => lowerer.bits(FileKind::Words, u64::from(u32::MAX)),
    };
    lowerer.effect(WARP_SYNC, &[], &[members], 0, 0);
    Ok(())
}

const WARP_SYNC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) warp_sync(lanes, world, inst));

fn warp_sync(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if let Some(dependence) = &mut world.dependence {
        for (warp, mask) in lanes.active.mask.iter().enumerate() {
            if dependence.is_after(lanes.first_warp + warp, *mask) {
                dependence.wait(lanes.first_warp + warp, *mask);
            }
        }
    }
    let Some(shadow) = &mut world.check else {
        return;
    };
    for warp in lanes.active.first..lanes.active.last {
        if lanes.active.mask[warp] != 0 {
            let comes = (lanes.active.mask[warp], lanes.live[warp]);
            let members = warp_of(lanes, inst.s[0], warp);
            shadow.meet_members(lanes.first_warp + warp, inst.place, comes, &members);
        }
    }
}

/// `griddepcontrol.launch_dependents;` and `griddepcontrol.wait;`. In a launch that is no programmatic dependent one both do
/// nothing; in one they only tell what may come before the end of the grid before, for that one has ended here.
pub(crate) fn lower_grid_dependency(
    lowerer: &mut Lowerer,
    matched: &Matched,
) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    lowerer.effect(GRID_DEPENDENCY, &[], &[], u64::from(matched.has("wait")), 0);
    Ok(())
}

const GRID_DEPENDENCY: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) grid_dependency(lanes, world, inst));

fn grid_dependency(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let Some(dependence) = &mut world.dependence else {
        return;
    };
    for (warp, mask) in lanes.active.mask.iter().enumerate() {
        match inst.imm {
            1 => dependence.wait(lanes.first_warp + warp, *mask),
            _ => dependence.let_begin(lanes.first_warp + warp, *mask),
        }
    }
}
