//! PTX ISA: `ld`, `st` in every state space, for a group of warps. Whole warps in order are `fast`'s affair, all others become a request each.

mod backing;
mod constant;
mod elements;
mod fast;
mod global;
mod local;
mod request;
mod shared;
mod single;
mod space;
mod words;

use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Active, Column, Lanes};
use crate::machine::world::World;
use crate::operations::drive::both;
use crate::program::access::Strength;
use crate::program::kinds::WARP;
use elements::{Stored, pack, unpack};

pub(crate) use elements::Data;
pub(crate) use request::Request;

pub(crate) const LOAD_WORDS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load::<u32>(lanes, world, inst));
pub(crate) const LOAD_LONGS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load::<u64>(lanes, world, inst));
pub(crate) const STORE_WORDS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store::<u32>(lanes, world, inst));
pub(crate) const STORE_LONGS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store::<u64>(lanes, world, inst));

/// `d[0..count] = [s[0] + imm]`
#[inline(always)]
fn load<T: Stored>(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let shape = &program.accesses[inst.aux as usize];
    // In a loop that spins, what is loaded so may be what another thread will store.
    world.waits += u64::from(shape.strength != Strength::Weak);
    // Not a closure: it would be compiled without the vector instructions.
    let form = fast::form(shape, world).filter(|_| !world.is_exact);
    let done = match (form, lanes.active.alone()) {
        (Some(_), Some(lane)) if single::load::<T>(lanes, world, inst, shape, lane) => return,
        (Some(form), None) => fast::load::<T>(lanes, world, inst, form),
        _ => 0,
    };
    let active = lanes.active;
    if all_done(&active, done) {
        return;
    }
    let count = shape.count as usize;
    let mut out: [Column<T>; 4] = Default::default();
    for (out, slot) in out.iter_mut().zip(inst.d).take(count) {
        *out = T::file_mut(lanes).take(slot);
    }
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 || done & (1 << warp) != 0 {
            continue;
        }
        let at = warp * WARP;
        let mut data: Data = [[0; WARP]; 4];
        Request::new(lanes, inst, shape, warp, mask, false).run(lanes, world, &mut data);
        for (element, out) in out.iter_mut().enumerate().take(count) {
            unpack(&mut out[at..at + WARP], &data, shape, element, mask);
        }
    }
    for (out, slot) in out.into_iter().zip(inst.d).take(count) {
        T::file_mut(lanes).give(slot, out);
    }
}

/// Nothing is left to do of an access of which these warps, as bits, are done.
#[inline(always)]
fn all_done(active: &Active, done: u32) -> bool {
    active.warps() & !done == 0
}

/// `[s[0] + imm] = s[1..=count]`
#[inline(always)]
fn store<T: Stored>(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let shape = &program.accesses[inst.aux as usize];
    world.changes += u64::from(!world.is_exact);
    let active = lanes.active;
    let form = fast::form(shape, world).filter(|_| !world.is_exact);
    let done = match (form, active.alone()) {
        (Some(_), Some(lane)) if single::store::<T>(lanes, world, inst, shape, lane) => return,
        (Some(form), None) => fast::store::<T>(lanes, world, inst, form),
        _ => 0,
    };
    if all_done(&active, done) {
        return;
    }
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 || done & (1 << warp) != 0 {
            continue;
        }
        let at = warp * WARP;
        let mut data: Data = [[0; WARP]; 4];
        for element in 0..shape.count as usize {
            let source = &T::file(lanes).source(inst.s[1 + element])[at..at + WARP];
            pack(&mut data, source, shape, element);
        }
        Request::new(lanes, inst, shape, warp, mask, true).run(lanes, world, &mut data);
    }
}
