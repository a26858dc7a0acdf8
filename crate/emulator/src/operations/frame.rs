//! The address of a frame of local memory, and the pointer that the next call goes through.

use crate::machine::inst::{AccessFn, Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, Left, Returned, for_each_lane};
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

/// The part of the running lanes' frame from the upper half of `imm` to the lower one comes into use.
pub(crate) const ENTER_FRAME: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if world.check.is_some() {
        let (base, mask) = (lanes.frame.base, lanes.active.mask);
        lanes.frame.enter(base + (inst.imm >> 32), base + (inst.imm & 0xffff_ffff), &mask);
    }
});

/// The same goes out of use: the function number `aux` of those inlined has returned.
pub(crate) const LEAVE_FRAME: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if world.check.is_some() {
        let (base, mask) = (lanes.frame.base, lanes.active.mask);
        lanes.frame.leave(Left {
            base: base + (inst.imm >> 32),
            end: base + (inst.imm & 0xffff_ffff),
            function: Returned::Inlined(inst.aux),
            lanes: mask,
        });
    }
});
