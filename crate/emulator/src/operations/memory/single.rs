//! Accesses of a single lane to words of global and shared memory, as a kernel of one thread has them: the rest of a warp is not looked at. What is out of the ordinary takes the slower way of `request`, with the same counts.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::check::LaneTouch;
use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::row::Row;
use crate::machine::world::World;
use crate::operations::memory::elements::Stored;
use crate::program::access::{AccessShape, Strength};
use crate::program::kinds::WARP;
use crate::report::Space;

/// Where a lane's access goes: words of a buffer, or of shared memory, from an index on.
enum Place<'a> {
    Global(&'a [AtomicU32], usize),
    Shared(usize),
}

/// Loads for a lane of the group; returns whether it did.
#[inline(always)]
pub(super) fn load<T: Stored>(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    shape: &AccessShape,
    lane: usize,
) -> bool {
    let address = lanes.longs.lane(inst.s[0], lane).wrapping_add(inst.imm);
    let warp = lanes.first_warp + lane / WARP;
    let Some(place) = admit(world, inst, shape, address, (warp, lane % WARP), false) else {
        return false;
    };
    let words = size_of::<T>() / 4;
    for (register, slot) in inst.d.iter().enumerate().take(shape.count as usize) {
        let word = |number: usize| match place {
            Place::Global(buffer, first) => buffer[first + register * words + number].load(Relaxed),
            Place::Shared(first) => world.shared[first + register * words + number],
        };
        let value = T::joined(word(0), if words == 2 { word(1) } else { 0 });
        // In whichever lanes nobody looks at.
        if lanes.whole {
            T::file_mut(lanes).set_row(*slot, Row::constant(value));
        } else {
            T::file_mut(lanes).registers[usize::from(*slot)][lane] = value;
        }
    }
    true
}

/// Stores for a lane of the group; returns whether it did.
#[inline(always)]
pub(super) fn store<T: Stored>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    shape: &AccessShape,
    lane: usize,
) -> bool {
    let address = lanes.longs.lane(inst.s[0], lane).wrapping_add(inst.imm);
    let warp = lanes.first_warp + lane / WARP;
    let Some(place) = admit(world, inst, shape, address, (warp, lane % WARP), true) else {
        return false;
    };
    let words = size_of::<T>() / 4;
    for register in 0..shape.count as usize {
        let value = T::file(lanes).lane(inst.s[1 + register], lane);
        let parts = [value.low(), value.high()];
        for (number, part) in parts.into_iter().enumerate().take(words) {
            match place {
                Place::Global(buffer, first) => {
                    buffer[first + register * words + number].store(part, Relaxed);
                }
                Place::Shared(first) => world.shared[first + register * words + number] = part,
            }
        }
    }
    true
}

/// Where the access goes, if nothing is wrong with it; it is counted then, and the launch's checks have seen it.
#[inline(always)]
fn admit<'a>(
    world: &mut World<'a>,
    inst: &Inst,
    shape: &AccessShape,
    address: u64,
    (warp, lane): (usize, usize),
    is_store: bool,
) -> Option<Place<'a>> {
    let (site, bytes) = (shape.site as usize, shape.bytes());
    let is_global = shape.space == Some(Space::Global);
    if !address.is_multiple_of(u64::from(bytes)) || is_global && world.touches.is_some() {
        return None;
    }
    let place = if is_global {
        let (buffer, offset) = world.find(site, address, bytes as usize)?;
        Place::Global(&buffer.words, offset / 4)
    } else {
        if !world.has_shared(address, u64::from(bytes)) {
            return None;
        }
        Place::Shared(address as usize / 4)
    };
    if let Some(shadow) = &mut world.check {
        let index = world.sites[site].buffer;
        let touch = LaneTouch {
            place: inst.place,
            warp,
            lane,
            buffer: is_global.then(|| (index, world.buffers[index])),
            address,
            bytes,
            is_store,
            is_constant: shape.is_constant,
        };
        if shape.strength != Strength::Weak || !shadow.take_lane(&touch) {
            return None;
        }
    }
    let count = &mut world.sites[site];
    count.executed += 1;
    count.requests += 1;
    count.lanes += 1;
    if is_global {
        count.sectors += 1;
    } else {
        count.wavefronts += 1;
    }
    Some(place)
}
