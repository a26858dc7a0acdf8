//! `malloc` and `free` of device code.

use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::report::{Detail, FindingKind};

/// `d = malloc(s[0])`
pub(crate) const MALLOC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    world.changes += 1;
    for_each_lane(&active, |lane| {
        let bytes = lanes.longs.source(inst.s[0])[lane];
        let address = world.heap.map_or(0, |heap| heap.allocate(bytes));
        lanes.longs.registers[usize::from(inst.d[0])][lane] = address;
    });
});

/// `free(s[0])`
pub(crate) const FREE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    world.changes += 1;
    for_each_lane(&active, |lane| {
        let address = lanes.longs.source(inst.s[0])[lane];
        if address == 0 || world.heap.is_some_and(|heap| heap.free(address)) {
            return;
        }
        world.fault(Fault {
            kind: FindingKind::InvalidAddress,
            block: world.block,
            place: inst.place,
            space: None,
            thread: lanes.thread(lane),
            address: Some(address),
            access_bytes: 0,
            is_store: false,
            count: 1,
            detail: Detail::Free,
        });
    });
});
