//! `malloc` and `free` of device code.

use crate::check::{Touch, TouchAct};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::program::access::{Strength, Wanted};
use crate::program::kinds::WARP;
use crate::report::{Detail, FindingKind, Space};

/// What `free` is taken to store: no value that somebody else stores too.
const FREED: u32 = 0x0dea_110c;

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
        if world.check.is_some() {
            watch_free(lanes, world, inst, lane, address);
        }
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

/// Shows the launch's checks that a lane of the group gives memory back: a store to all of it, which must come after what
/// others do there.
fn watch_free(lanes: &Lanes, world: &mut World, inst: &Inst, lane: usize, address: u64) {
    let asked = world.heap.and_then(|heap| heap.asked(address));
    let end = address.saturating_add(asked.unwrap_or(0));
    let mut at = address;
    while at < end {
        // The widest access that is aligned and not too long.
        let aligned = 1u64 << at.trailing_zeros().min(4);
        let bytes = aligned.min(1 << (end - at).ilog2());
        let touch = Touch {
            space: Space::Global,
            place: inst.place,
            warp: lanes.first_warp + lane / WARP,
            mask: 1 << (lane % WARP),
            addresses: &[at; WARP],
            bytes: bytes as u32,
            act: TouchAct::Store(&[[FREED; WARP]; 4]),
            is_narrow: false,
            is_constant: false,
            wanted: Wanted::ALL,
            is_copy: false,
        };
        world.touch(&touch, Strength::Weak);
        at += bytes;
    }
}
