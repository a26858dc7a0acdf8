//! PTX ISA: `mbarrier` and `cp.async.mbarrier.arrive`: the instructions. What they do to the object is in `object`,
//! what is copied when a phase completes in `asynchronous`.

use crate::operations::mbarrier::{BYTES, COUNT, MOST_COUNT, Mbarrier, Rule, parity};

use crate::check::{Touch, TouchAct};
use crate::decode::ir::Value;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Origin, Ties};
use crate::machine::world::{Blocked, World};
use crate::operations::asynchronous::Broken;
use crate::operations::drive::{computes, one};
use crate::operations::remote::Owner;
use crate::program::access::{Strength, Wanted};
use crate::program::kinds::{FileKind, GROUP_WARPS, Kind, NO_SLOT, Slot, WARP, for_lanes};
use crate::program::space::{WINDOW_BYTES, WINDOWS, address_bits};
use crate::report::{FindingKind, HandoverKind, Space};

/// The space of an mbarrier operand: `None` is a generic address.
fn is_generic(matched: &Matched) -> u64 {
    u64::from(matched.element("space").is_empty())
}

/// Bits of `aux`.
const GENERIC: u32 = 1;
const DROP: u32 = 2;
const NO_INCREMENT: u32 = 4;
const PARITY: u32 = 8;
const WAITS: u32 = 16;
const BEGINS: u32 = 32;

/// Resolves the address operand of an mbarrier instruction: an offset in the block's shared memory.
pub(crate) fn resolve(world: &World, address: u64, generic: bool) -> Result<u32, Broken> {
    match place(world, address, generic)? {
        (Owner::Own, offset) => Ok(offset),
        (Owner::Other(_), offset) => Err(against(
            offset,
            (FindingKind::InvalidAddress, Some(ELSEWHERE)),
        )),
    }
}

const ELSEWHERE: &str =
    "this takes an mbarrier of the block's own shared memory, and this one is another block's";

/// The same where another block of the cluster may have the mbarrier.
fn place(world: &World, address: u64, generic: bool) -> Result<(Owner, u32), Broken> {
    let broken = |kind, space, address| Broken {
        kind,
        space,
        address,
        bytes: BYTES,
        is_store: true,
        rule: None,
    };
    let mut offset = address & address_bits(Some(Space::Shared));
    if generic {
        offset = address.wrapping_sub(WINDOWS);
        if offset >= WINDOW_BYTES {
            return Err(broken(FindingKind::InvalidAddress, Space::Global, address));
        }
    }
    let Ok((owner, offset)) = world.shared_place(offset) else {
        return Err(broken(FindingKind::OutOfBounds, Space::Shared, offset));
    };
    if !offset.is_multiple_of(u64::from(BYTES)) {
        return Err(broken(FindingKind::Misaligned, Space::Shared, offset));
    }
    // The word has to lie in the block's memory whole.
    if !world.has_shared(offset, u64::from(BYTES)) || world.has_ended(owner) {
        return Err(broken(FindingKind::OutOfBounds, Space::Shared, offset));
    }
    Ok((owner, offset as u32))
}

/// Checks that an initialised mbarrier is where a bulk copy names one.
pub(crate) fn checked(world: &World, address: u64) -> Result<u32, Broken> {
    let offset = resolve(world, address, false)?;
    match world.initialised(offset) {
        Ok(_) => Ok(offset),
        Err(rule) => Err(against(offset, rule)),
    }
}

/// Checks that an initialised mbarrier is at an offset in the block's shared memory.
pub(crate) fn known(world: &World, offset: u32) -> Result<(), Broken> {
    let known = world.initialised(offset).map(drop);
    known.map_err(|rule| against(offset, rule))
}

fn against(offset: u32, (kind, rule): Rule) -> Broken {
    Broken {
        kind,
        space: Space::Shared,
        address: u64::from(offset),
        bytes: BYTES,
        is_store: true,
        rule,
    }
}

/// Shows a warp's use of mbarriers to the launch's checks: `mbarrier.init` must come before it, in order. What the
/// instruction itself stores is shown where it does.
fn watch(lanes: &Lanes, world: &mut World, inst: &Inst, warp: usize) {
    if world.check.is_none() {
        return;
    }
    let mut addresses = [0; WARP];
    let mut mask = 0;
    let number = lanes.first_warp + warp;
    for_lanes(lanes.active.mask[warp], |lane| {
        let at = warp * WARP + lane;
        let address = lanes.longs.source(inst.s[0])[at].wrapping_add(inst.imm);
        if let Ok(offset) = resolve(world, address, inst.aux & GENERIC != 0)
            && world.meets(offset, number, inst.aux & WAITS != 0)
        {
            addresses[lane] = u64::from(offset);
            mask |= 1 << lane;
        }
    });
    if mask == 0 || inst.aux & BEGINS != 0 {
        return;
    }
    let touch = Touch {
        space: Space::Shared,
        place: inst.place,
        warp: number,
        mask,
        addresses: &addresses,
        bytes: BYTES,
        act: TouchAct::Atomic {
            reads: true,
            swaps: false,
        },
        is_narrow: false,
        is_constant: false,
        wanted: Wanted::ALL,
        is_copy: false,
    };
    // What orders threads at mbarriers is told and learned apart.
    world.touch(&touch, Strength::Relaxed);
}

/// Calls `f` for each active lane with its index and the mbarrier's address; what is wrong becomes a finding.
fn for_mbarriers(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    mut f: impl FnMut(&mut Lanes, &mut World, usize, u32) -> Result<(), Rule>,
) {
    let active = lanes.active;
    for warp in active.first..active.last {
        watch(lanes, world, inst, warp);
        for_lanes(active.mask[warp], |lane| {
            let at = warp * WARP + lane;
            let address = lanes.longs.source(inst.s[0])[at].wrapping_add(inst.imm);
            let done =
                place(world, address, inst.aux & GENERIC != 0).and_then(|(owner, offset)| {
                    let done = match owner {
                        Owner::Own => f(lanes, world, at, offset),
                        Owner::Other(rank) => {
                            world.tell_cluster(lanes.first_warp + warp, rank as u32, offset);
                            world.in_other(rank, |world| f(lanes, world, at, offset))
                        }
                    };
                    done.map_err(|rule| against(offset, rule))
                });
            if let Err(broken) = done {
                world.broken(lanes, inst, at, broken);
            }
        });
    }
}

fn word(lanes: &Lanes, slot: Slot, at: usize) -> u32 {
    lanes.words.source(slot)[at]
}

// ---- init, inval ----

/// `mbarrier.init{.shared{::cta}}.b64 [addr], count;`
pub(crate) fn lower_init(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let (address, offset) =
        lowerer.address(matched, &matched.operands()[0], lowerer.space(matched)?)?;
    let count = lowerer.source(matched, &matched.operands()[1], Kind::Bits32)?;
    let aux = is_generic(matched) as u32 | BEGINS;
    lowerer.effect(INIT, &[], &[address, count], offset, aux);
    Ok(())
}

const INIT: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        let count = word(lanes, inst.s[1], at);
        if !(1..=MOST_COUNT).contains(&count) {
            return Err((FindingKind::Mbarrier, Some(COUNT)));
        }
        world.untie(address);
        let before = world.pending.barriers.remove(&address);
        let inits = before.map_or(0, |ties| ties.inits).saturating_add(1);
        world.pending.barriers.insert(address, Ties { inits, ..Ties::default() });
        let by = Origin {
            place: inst.place,
            thread: (lanes.first_warp * WARP + at) as u32,
            early: 0,
        };
        world.write_shared(by, address, &[0; BYTES as usize]);
        world.set_mbarrier(address, Mbarrier { pending: count, expected: count, transactions: 0, parity: false });
        if world.trace.is_some() {
            let what = HandoverKind::Init { barrier: address, arrivals: count };
            world.record_handover(inst.place, lanes.first_warp + at / WARP, what);
        }
        Ok(())
    })
});

/// `mbarrier.inval{.shared{::cta}}.b64 [addr];`
pub(crate) fn lower_inval(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 1..=1)?;
    let (address, offset) =
        lowerer.address(matched, &matched.operands()[0], lowerer.space(matched)?)?;
    lowerer.effect(INVAL, &[], &[address], offset, is_generic(matched) as u32);
    Ok(())
}

const INVAL: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_mbarriers(lanes, world, inst, |_, world, _, address| {
        world.initialised(address)?;
        world.untie(address);
        world.pending.barriers.remove(&address);
        Ok(())
    })
});

// ---- transactions ----

/// `mbarrier.{expect_tx|complete_tx}{…}.b64 [addr], bytes;`
pub(crate) fn lower_transactions(
    lowerer: &mut Lowerer,
    matched: &Matched,
) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let (address, offset) =
        lowerer.address(matched, &matched.operands()[0], lowerer.space(matched)?)?;
    let bytes = lowerer.source(matched, &matched.operands()[1], Kind::Bits32)?;
    let function = if matched.has("expect_tx") {
        EXPECT
    } else {
        COMPLETE
    };
    let aux = is_generic(matched) as u32;
    lowerer.effect(function, &[], &[address, bytes], offset, aux);
    Ok(())
}

const EXPECT: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        world.expect(address, i64::from(word(lanes, inst.s[1], at)))
    })
});

const COMPLETE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        world.expect(address, -i64::from(word(lanes, inst.s[1], at)))
    })
});

// ---- arrive ----

/// `mbarrier.{arrive|arrive_drop}{.expect_tx}{.noComplete}{…}.b64 {state|_}, [addr]{, count | bytes};`
pub(crate) fn lower_arrive(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let operands = matched.operands();
    let last = matched.has("expect_tx") || matched.has("noComplete");
    lowerer.expect_operands(matched, if last { 3..=3 } else { 2..=3 })?;
    let state = match lowerer.is_sink(&operands[0]) {
        true => None,
        false => Some(lowerer.result(matched, &operands[0], Kind::Bits64)?),
    };
    let (address, offset) = lowerer.address(matched, &operands[1], lowerer.space(matched)?)?;
    let mut count = lowerer.bits(FileKind::Words, 1);
    let mut bytes = lowerer.bits(FileKind::Words, 0);
    if let Some(operand) = operands.get(2) {
        let value = lowerer.source(matched, operand, Kind::Bits32)?;
        *(if matched.has("expect_tx") {
            &mut bytes
        } else {
            &mut count
        }) = value;
    }
    let mut aux = is_generic(matched) as u32;
    if matched.has("arrive_drop") {
        aux |= DROP;
    }
    lowerer.effect(ARRIVE, &[state], &[address, count, bytes], offset, aux);
    Ok(())
}

const ARRIVE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if world.trace.is_some() {
        record_arrivals(lanes, world, inst);
    }
    let mut told = None;
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        let warp = lanes.first_warp + at / WARP;
        // At another block's mbarrier there are no checks to be told.
        let whom = (warp, address, world.check.is_some());
        if told.replace(whom) != Some(whom) {
            world.tell(warp, address);
        }
        let bytes = word(lanes, inst.s[2], at);
        if bytes != 0 {
            world.expect(address, i64::from(bytes))?;
        }
        let state = world.arrive(address, word(lanes, inst.s[1], at), inst.aux & DROP != 0)?;
        if inst.d[0] != NO_SLOT {
            lanes.longs.registers[usize::from(inst.d[0])][at] = state;
        }
        Ok(())
    })
});

/// Those of each lane, at the mbarriers of any block of the cluster.
#[cold]
fn record_arrivals(lanes: &Lanes, world: &mut World, inst: &Inst) {
    let own = world.cluster.as_ref().map_or(0, |cluster| cluster.rank);
    for warp in lanes.active.first..lanes.active.last {
        for_lanes(lanes.active.mask[warp], |lane| {
            let at = warp * WARP + lane;
            let address = lanes.longs.source(inst.s[0])[at].wrapping_add(inst.imm);
            let Ok((owner, barrier)) = place(world, address, inst.aux & GENERIC != 0) else {
                return;
            };
            let what = HandoverKind::Arrive {
                barrier,
                rank: match owner {
                    Owner::Own => own,
                    Owner::Other(rank) => rank as u32,
                },
                arrivals: word(lanes, inst.s[1], at),
                bytes: word(lanes, inst.s[2], at),
            };
            world.record_handover(inst.place, lanes.first_warp + warp, what);
        });
    }
}

/// `cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [addr];`
pub(crate) fn lower_copy_arrive(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 1..=1)?;
    let (address, offset) =
        lowerer.address(matched, &matched.operands()[0], lowerer.space(matched)?)?;
    let mut aux = is_generic(matched) as u32;
    if matched.has("noinc") {
        aux |= NO_INCREMENT;
    }
    lowerer.effect(COPY_ARRIVE, &[], &[address], offset, aux);
    Ok(())
}

const COPY_ARRIVE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        let increments = inst.aux & NO_INCREMENT == 0;
        let mut mbarrier = world.settle_for(address, u32::from(!increments))?;
        if increments {
            if mbarrier.pending == MOST_COUNT {
                return Err((FindingKind::Mbarrier, Some(COUNT)));
            }
            mbarrier.pending += 1;
            world.set_mbarrier(address, mbarrier);
        }
        world.tie_arrival(address, lanes.first_warp + at / WARP, at % WARP);
        Ok(())
    })
});

// ---- wait ----

/// `mbarrier.{test_wait|try_wait}{.parity}{…}.b64 done, [addr], {state|parity}{, hint};`
pub(crate) fn lower_wait(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let most = if matched.has("try_wait") { 4 } else { 3 };
    lowerer.expect_operands(matched, 3..=most)?;
    let operands = matched.operands();
    let done = lowerer.result(matched, &operands[0], Kind::Pred)?;
    let (address, offset) = lowerer.address(matched, &operands[1], lowerer.space(matched)?)?;
    let mut aux = is_generic(matched) as u32 | WAITS;
    let mut sources = [address, Value::None, Value::None];
    if matched.has("parity") {
        aux |= PARITY;
        sources[1] = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    } else {
        sources[2] = lowerer.source(matched, &operands[2], Kind::Bits64)?;
    }
    if let Some(hint) = operands.get(3) {
        lowerer.source(matched, hint, Kind::Bits32)?;
    }
    lowerer.wait(TEST, &[Some(done)], &sources, offset, aux);
    Ok(())
}

const TEST: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) test(lanes, world, inst));

fn test(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let mut waiting = [0u32; GROUP_WARPS];
    let mut barrier = 0;
    for_mbarriers(lanes, world, inst, |lanes, world, at, address| {
        let phase = if inst.aux & PARITY != 0 {
            word(lanes, inst.s[1], at) & 1 == 1
        } else {
            parity(lanes.longs.source(inst.s[2])[at])
        };
        if !world.test(address, phase)? {
            waiting[at / WARP] |= 1 << (at % WARP);
            barrier = address;
        } else if at % WARP == lanes.active.mask[at / WARP].trailing_zeros() as usize {
            world.learn(lanes.first_warp + at / WARP, address);
            if world.trace.is_some() {
                let what = HandoverKind::Wait {
                    barrier: address,
                    parity: phase,
                };
                world.record_handover(inst.place, lanes.first_warp + at / WARP, what);
            }
        }
        Ok(())
    });
    // Whoever completed the phase may have waited for the grid before: nobody is told who it was.
    if let Some(dependence) = &mut world.dependence
        && dependence.waits()
    {
        for (warp, active) in lanes.active.mask.iter().enumerate() {
            dependence.wait(lanes.first_warp + warp, active & !waiting[warp]);
        }
    }
    let done = &mut lanes.preds[usize::from(inst.d[0])];
    for (warp, active) in lanes.active.mask.iter().enumerate() {
        done[warp] = (done[warp] & !active) | (!waiting[warp] & active);
    }
    if waiting != [0; GROUP_WARPS] {
        world.blocked = Some(Blocked { waiting, barrier });
    }
}

computes!(PENDING_COUNT, unary, (u64) => u32, |state| state as u32 & MOST_COUNT);
