//! PTX ISA: `membar`, `fence` and `bar.warp.sync`. Threads of this emulator take turns, so that these only tell a checked launch what is in order.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::warp::{MEMBERS, SYNC};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::program::kinds::Kind;

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
    if let Some(members) = matched.operands().first() {
        let members = lowerer.source(matched, members, Kind::Bits32)?;
        lowerer.effect(MEMBERS, &[], &[members], SYNC, 0);
    }
    lowerer.effect(WARP_SYNC, &[], &[], 0, 0);
    Ok(())
}

const WARP_SYNC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) warp_sync(lanes, world, inst));

fn warp_sync(lanes: &mut Lanes, world: &mut World, _inst: &Inst) {
    let Some(shadow) = &mut world.check else {
        return;
    };
    for warp in lanes.active.first..lanes.active.last {
        if lanes.active.mask[warp] != 0 {
            shadow.meet(lanes.first_warp + warp);
        }
    }
}
