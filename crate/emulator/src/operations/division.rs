//! Lets a launch's checks see the divisors of integers: one that is 0 is found. What a quotient is then is `instructions::integer`'s.

use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::report::{Detail, FindingKind};

/// The divisor `s[0]`, of `imm` bits.
pub(crate) const DIVISOR: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) divisor(lanes, world, inst));

fn divisor(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if world.check.is_none() {
        return;
    }
    let (mut first, mut count) = (None, 0);
    for_each_lane(&lanes.active, |lane| {
        let is_zero = match inst.imm {
            64 => lanes.longs.source(inst.s[0])[lane] == 0,
            16 => lanes.words.source(inst.s[0])[lane] as u16 == 0,
            _ => lanes.words.source(inst.s[0])[lane] == 0,
        };
        if is_zero {
            first.get_or_insert(lane);
            count += 1;
        }
    });
    let Some(lane) = first else {
        return;
    };
    world.fault(Fault {
        kind: FindingKind::Division,
        block: world.block,
        place: inst.place,
        space: None,
        thread: lanes.thread(lane),
        address: None,
        access_bytes: 0,
        is_store: false,
        count,
        detail: Detail::None,
    });
}
