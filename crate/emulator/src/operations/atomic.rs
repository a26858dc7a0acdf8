//! What atomics do to memory, lane after lane.

mod cost;

use cost::Cost;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::check::{Touch, TouchAct};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::{Recorded, World};
use crate::machine::worst::{different, joined_reach, needed_sectors};
use crate::memory::faults::Fault;
use crate::operations::remote::Owner;
use crate::operations::rounding::{canonical, flushed};
use crate::operations::{drive::one, half};
use crate::program::access::{AccessShape, AtomicOp, Wanted};
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::program::space::{WINDOW_BYTES, WINDOWS, address_bits};
use crate::report::{FindingKind, Space};

impl AtomicOp {
    /// Whether the result depends on the order in which threads do it.
    pub(crate) fn depends_on_order(self) -> bool {
        matches!(
            self,
            AtomicOp::AddSingle
                | AtomicOp::AddDouble
                | AtomicOp::AddHalf(_)
                | AtomicOp::Exchange
                | AtomicOp::CompareAndSwap
        )
    }

    fn apply16(self, old: u16, b: u16, c: u16) -> u16 {
        match self {
            AtomicOp::AddHalf(format) => half::add(format, old, b),
            AtomicOp::MinHalf(format) => half::least(format, old, b),
            AtomicOp::MaxHalf(format) => half::greatest(format, old, b),
            AtomicOp::CompareAndSwap if old != b => old,
            AtomicOp::CompareAndSwap => c,
            _ => b,
        }
    }

    /// Whether a warp can put its values together and do it once, as `REDUX` can.
    pub(crate) fn can_be_combined(self) -> bool {
        matches!(
            self,
            AtomicOp::Add
                | AtomicOp::MinUnsigned
                | AtomicOp::MinSigned
                | AtomicOp::MaxUnsigned
                | AtomicOp::MaxSigned
                | AtomicOp::And
                | AtomicOp::Or
                | AtomicOp::Xor
        )
    }

    /// Whether there is a reduction, `RED`, that does the same without a result.
    pub(crate) fn can_forget_result(self) -> bool {
        !matches!(self, AtomicOp::Exchange | AtomicOp::CompareAndSwap)
    }

    /// Whether the memory cannot do it on an element of so many bytes, so that it takes a loop.
    pub(crate) fn needs_loop(self, bytes: u32, space: Space) -> bool {
        let is_shared = space == Space::Shared;
        match self {
            _ if bytes < 4 => true,
            AtomicOp::Exchange | AtomicOp::CompareAndSwap => false,
            AtomicOp::AddSingle | AtomicOp::AddDouble => is_shared,
            AtomicOp::AddHalf(_) | AtomicOp::MinHalf(_) | AtomicOp::MaxHalf(_) => is_shared,
            _ => is_shared && bytes == 8,
        }
    }

    pub(crate) fn apply32(self, old: u32, b: u32, c: u32, flush: bool) -> u32 {
        match self {
            AtomicOp::Add => old.wrapping_add(b),
            AtomicOp::AddSingle => {
                let (old, b) = (f32::from_bits(old), f32::from_bits(b));
                // PTX ISA, `atom`: on global memory, subnormals are flushed.
                canonical(if flush {
                    flushed(flushed(old) + flushed(b))
                } else {
                    old + b
                })
                .to_bits()
            }
            AtomicOp::MinUnsigned => old.min(b),
            AtomicOp::MaxUnsigned => old.max(b),
            AtomicOp::MinSigned => (old as i32).min(b as i32) as u32,
            AtomicOp::MaxSigned => (old as i32).max(b as i32) as u32,
            AtomicOp::And => old & b,
            AtomicOp::Or => old | b,
            AtomicOp::Xor => old ^ b,
            AtomicOp::Exchange | AtomicOp::AddDouble => b,
            AtomicOp::AddHalf(_) | AtomicOp::MinHalf(_) | AtomicOp::MaxHalf(_) => {
                half::packed(old, b, |old, b| self.apply16(old, b, 0))
            }
            AtomicOp::CompareAndSwap => {
                if old == b {
                    c
                } else {
                    old
                }
            }
            AtomicOp::Increment => {
                if old >= b {
                    0
                } else {
                    old + 1
                }
            }
            AtomicOp::Decrement => {
                if old == 0 || old > b {
                    b
                } else {
                    old - 1
                }
            }
        }
    }

    pub(crate) fn apply64(self, old: u64, b: u64, c: u64) -> u64 {
        match self {
            AtomicOp::Add => old.wrapping_add(b),
            AtomicOp::AddDouble => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
            AtomicOp::MinUnsigned => old.min(b),
            AtomicOp::MaxUnsigned => old.max(b),
            AtomicOp::MinSigned => (old as i64).min(b as i64) as u64,
            AtomicOp::MaxSigned => (old as i64).max(b as i64) as u64,
            AtomicOp::And => old & b,
            AtomicOp::Or => old | b,
            AtomicOp::Xor => old ^ b,
            AtomicOp::CompareAndSwap => {
                if old == b {
                    c
                } else {
                    old
                }
            }
            _ => b,
        }
    }
}

pub(crate) const ATOMIC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) atomic(lanes, world, inst));

/// `d = [s[0] + imm]; [s[0] + imm] = op(d, s[1], s[2])`, lane after lane.
fn atomic(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let shape = world.program.accesses[inst.aux as usize];
    let active = lanes.active;
    world.waits += 1;
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 {
            continue;
        }
        let mut addresses = [0; WARP];
        for (lane, address) in addresses.iter_mut().enumerate() {
            let base = lanes.longs.source(inst.s[0])[warp * WARP + lane];
            *address = base.wrapping_add(inst.imm) & address_bits(shape.space);
        }
        count(&shape, lanes, world, warp, mask, &addresses);
        if world.touches.is_some() {
            mark(&shape, world, lanes.first_warp + warp, mask, &addresses);
        }
        if world.check.is_some() {
            watch(
                &shape,
                inst,
                lanes.first_warp + warp,
                mask,
                &addresses,
                world,
            );
        }
        for_elements(mask, shape.count as usize, |lane, element| {
            let at = warp * WARP + lane;
            let (b, c) = (
                operand(lanes, &shape, inst.s[1 + element], at),
                operand(lanes, &shape, inst.s[2 + element], at),
            );
            let address = addresses[lane].wrapping_add(u64::from(shape.element) * element as u64);
            let old = match update(&shape, world, address, b, c) {
                Ok(old) => {
                    world.changes += u64::from(changes(&shape, old, b, c));
                    old
                }
                Err((kind, space)) => {
                    let detail = std::mem::take(&mut world.detail);
                    let thread = (lanes.first_warp * WARP + at) as u32;
                    world.fault(Fault {
                        kind,
                        block: world.block,
                        place: inst.place,
                        space: Some(space),
                        thread,
                        address: Some(addresses[lane]),
                        access_bytes: shape.bytes(),
                        is_store: true,
                        count: 1,
                        detail,
                    });
                    0
                }
            };
            let d = usize::from(inst.d[element]);
            if inst.d[element] != NO_SLOT {
                if shape.long {
                    lanes.longs.registers[d][at] = old;
                } else {
                    lanes.words.registers[d][at] = old as u32;
                }
            }
        });
    }
}

/// Whether an atomic leaves another value than it found.
fn changes(shape: &AccessShape, old: u64, b: u64, c: u64) -> bool {
    match (shape.atomic, shape.element) {
        (Some(op), 4) => op.apply32(old as u32, b as u32, c as u32, true) != old as u32,
        (Some(op), 8) => op.apply64(old, b, c) != old,
        _ => true,
    }
}

/// Each lane's elements in turn.
fn for_elements(mask: u32, count: usize, mut f: impl FnMut(usize, usize)) {
    for_lanes(mask, |lane| (0..count).for_each(|element| f(lane, element)));
}

fn operand(lanes: &Lanes, shape: &AccessShape, slot: u16, at: usize) -> u64 {
    match (slot, shape.long) {
        (NO_SLOT, _) => 0,
        (slot, true) => lanes.longs.source(slot)[at],
        (slot, false) => u64::from(lanes.words.source(slot)[at]),
    }
}

/// The space that a lane's address means, and the address in it.
fn resolve(shape: &AccessShape, address: u64) -> (Space, u64) {
    match shape.space {
        Some(space) => (space, address),
        None => match address.wrapping_sub(WINDOWS) / WINDOW_BYTES {
            0 => (Space::Shared, address - WINDOWS),
            1 => (Space::Local, address - WINDOWS - WINDOW_BYTES),
            _ => (Space::Global, address),
        },
    }
}

fn count(
    shape: &AccessShape,
    lanes: &Lanes,
    world: &mut World,
    warp: usize,
    mask: u32,
    addresses: &[u64; WARP],
) {
    let (space, _) = resolve(shape, addresses[mask.trailing_zeros() as usize]);
    let is_generic = shape.space.is_none();
    let site = shape.site as usize + usize::from(is_generic && space == Space::Shared);
    let mut own = mask;
    if space == Space::Shared {
        for_lanes(mask, |lane| {
            let place = world.shared_place(resolve(shape, addresses[lane]).1);
            own &= !(u32::from(matches!(place, Ok((Owner::Other(_), _)))) << lane);
        });
    }
    let cost = match own {
        0 => Cost::elsewhere(shape, addresses, mask),
        own => Cost::new(shape, space, addresses, own),
    };
    let count = &mut world.sites[site];
    count.executed += cost.executed;
    count.requests += cost.requests;
    count.sectors += cost.sectors;
    count.wavefronts += cost.wavefronts;
    count.bank_conflicts += cost.bank_conflicts;
    let resolved = addresses.map(|address| resolve(shape, address).1);
    weigh(
        shape,
        world,
        (site, lanes.first_warp + warp),
        (&resolved, mask),
        &cost,
    );
    world.beside += cost.beside;
    if world.trace.is_some() {
        world.record(&Recorded {
            site,
            space,
            is_store: true,
            access_bytes: shape.element,
            warp: lanes.first_warp + warp,
            mask,
            addresses: &resolved,
        });
    }
}

/// Notes how far a warp's atomic is from one in which no two lanes meet.
fn weigh(
    shape: &AccessShape,
    world: &mut World,
    access: (usize, usize),
    (addresses, mask): (&[u64; WARP], u32),
    cost: &Cost,
) {
    let (lanes, met) = (mask.count_ones(), different(addresses, mask));
    // The assembler has one lane act for all: the others do not meet it.
    let is_joined = cost.sectors == 1 && met == 1;
    let needed = u64::from(needed_sectors(lanes, shape.bytes()));
    let excess = cost.sectors.saturating_sub(needed);
    let count = &mut world.sites[access.0];
    count.excess_sectors += excess;
    count.addresses += u64::from(met);
    for_lanes(mask, |lane| {
        let end = addresses[lane].saturating_add(u64::from(shape.bytes()));
        count.reach = joined_reach(count.reach, Some((addresses[lane], end)));
    });
    let excess = if is_joined { 0 } else { lanes - met };
    world.weigh(access, (addresses, mask), excess);
}

/// Marks what a warp's atomic reads and writes of global memory.
#[cold]
fn mark(shape: &AccessShape, world: &mut World, warp: usize, mask: u32, addresses: &[u64; WARP]) {
    let (mut part, mut resolved) = (0, [0; WARP]);
    for_lanes(mask, |lane| {
        let (space, address) = resolve(shape, addresses[lane]);
        resolved[lane] = address;
        part |= u32::from(space == Space::Global) << lane;
    });
    for is_store in [false, true] {
        let lanes = (&resolved, part);
        world.mark((shape.site as usize, warp), lanes, shape.bytes(), is_store);
    }
}

/// Shows a warp's atomic to the launch's checks, space by space.
#[cold]
fn watch(
    shape: &AccessShape,
    inst: &Inst,
    warp: usize,
    mask: u32,
    addresses: &[u64; WARP],
    world: &mut World,
) {
    let strength = world.program.accesses[inst.aux as usize].strength;
    let reads = shape.atomic != Some(AtomicOp::Exchange) || inst.d[0] != NO_SLOT;
    for space in [Space::Global, Space::Shared] {
        let mut part = 0;
        let mut resolved = [0; WARP];
        for_lanes(mask, |lane| {
            let (there, address) = resolve(shape, addresses[lane]);
            resolved[lane] = address;
            part |= u32::from(there == space) << lane;
        });
        if part == 0 {
            continue;
        }
        let touch = Touch {
            space,
            place: inst.place,
            warp,
            mask: part,
            addresses: &resolved,
            bytes: shape.element,
            act: TouchAct::Atomic {
                reads,
                swaps: shape.atomic == Some(AtomicOp::CompareAndSwap),
            },
            is_narrow: shape.is_narrow,
            is_constant: false,
            wanted: Wanted::ALL,
            is_copy: false,
        };
        match space {
            Space::Shared => world.touch_shared(&touch, strength),
            _ => world.touch(&touch, strength),
        }
    }
}

fn update(
    shape: &AccessShape,
    world: &mut World,
    address: u64,
    b: u64,
    c: u64,
) -> Result<u64, (FindingKind, Space)> {
    let Some(op) = shape.atomic else { return Ok(0) };
    let (space, address) = resolve(shape, address);
    let bytes = u64::from(shape.element);
    let shift = 8 * (address % 4);
    if !address.is_multiple_of(bytes) {
        return Err((FindingKind::Misaligned, space));
    }
    match space {
        Space::Global => {
            let found = world.find(shape.site as usize, address, bytes as usize);
            let (buffer, offset) = found.ok_or((FindingKind::OutOfBounds, space))?;
            if let Some((kind, detail)) = world.heap_fault(shape.site as usize, address, bytes) {
                world.detail = detail;
                return Err((kind, space));
            }
            Ok(update_global(
                op,
                &buffer.words[offset / 4..],
                (bytes, shift),
                b,
                c,
            ))
        }
        Space::Shared => {
            let words = match world.shared_words(address, bytes) {
                Ok(words) => words,
                Err((kind, detail)) => {
                    world.detail = detail;
                    return Err((kind, space));
                }
            };
            Ok(update_shared(op, words, (bytes, shift), b, c))
        }
        // Atomics on a thread's own memory have no meaning.
        _ => Err((FindingKind::InvalidAddress, space)),
    }
}

pub(crate) fn update_global(
    op: AtomicOp,
    words: &[AtomicU32],
    (bytes, shift): (u64, u64),
    b: u64,
    c: u64,
) -> u64 {
    if bytes == 2 {
        let mut before = 0;
        let _ = words[0].fetch_update(Relaxed, Relaxed, |old| {
            before = (old >> shift) as u16;
            let new = op.apply16(before, b as u16, c as u16);
            Some(old & !(0xffff << shift) | u32::from(new) << shift)
        });
        return u64::from(before);
    }
    if bytes == 4 {
        let updated = words[0].fetch_update(Relaxed, Relaxed, |old| {
            Some(op.apply32(old, b as u32, c as u32, true))
        });
        return u64::from(updated.unwrap_or_default());
    }
    // Not one access: a launch with 64-bit atomics on global memory runs on one thread.
    let old = u64::from(words[0].load(Relaxed)) | u64::from(words[1].load(Relaxed)) << 32;
    let new = op.apply64(old, b, c);
    words[0].store(new as u32, Relaxed);
    words[1].store((new >> 32) as u32, Relaxed);
    old
}

fn update_shared(
    op: AtomicOp,
    words: &mut [u32],
    (bytes, shift): (u64, u64),
    b: u64,
    c: u64,
) -> u64 {
    if bytes == 2 {
        let old = words[0];
        let before = (old >> shift) as u16;
        let new = op.apply16(before, b as u16, c as u16);
        words[0] = old & !(0xffff << shift) | u32::from(new) << shift;
        return u64::from(before);
    }
    if bytes == 4 {
        let old = words[0];
        words[0] = op.apply32(old, b as u32, c as u32, false);
        return u64::from(old);
    }
    let old = u64::from(words[0]) | u64::from(words[1]) << 32;
    let new = op.apply64(old, b, c);
    words[0] = new as u32;
    words[1] = (new >> 32) as u32;
    old
}
