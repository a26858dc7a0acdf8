//! The address of a frame of local memory, and the pointer that the next call goes through.

use crate::machine::inst::{AccessFn, Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::operations::drive::one;

/// `d = imm`, an address relative to the frame, in the running lanes' frame.
pub(crate) const FRAME_ADDRESS: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let address = inst.imm.wrapping_add(lanes.frame.base);
    let active = lanes.active;
    let out = &mut lanes.longs.registers[usize::from(inst.d[0])];
    for_each_lane(&active, |lane| out[lane] = address);
});

/// Notes which function each lane calls next.
pub(crate) const CHOOSE_FUNCTION: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, _world: &mut World, inst: &Inst) {
    let pointers = lanes.longs.source(inst.s[0]).to_vec();
    lanes.frame.pointers.clear();
    lanes.frame.pointers.extend(pointers);
});
