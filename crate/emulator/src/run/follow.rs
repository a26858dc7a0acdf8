//! Follows values that nobody may use through the registers, in a checked launch: an unwritten word that a thread loads
//! and drops is no mistake. What they are is known to `check::undefined`.
//!
//! A finding waits while its value is only computed with, chosen by `selp` or combined with a predicate that decides
//! alone. It is told when the value reaches an address, a store, an atomic, a branch, a guard, a call or other lanes.

use crate::check::{Causes, Undefined};
use crate::machine::inst::{Action, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::flow::Follow;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, NO_SLOT, PRESET, Slot, WARP};
use crate::report::{Detail, Space};

type Place = (FileKind, Slot);

/// The register of an operand, if it is one.
fn place(file: Option<FileKind>, slot: Slot) -> Option<Place> {
    let is_register = slot != NO_SLOT && slot & PRESET == 0;
    file.filter(|_| is_register).map(|file| (file, slot))
}

/// An instruction is about to run.
#[cold]
pub(super) fn before(lanes: &mut Lanes, world: &mut World, pc: u32) {
    let (inst, flow) = (&world.code[pc as usize], &world.program.flows[pc as usize]);
    let mut undefined = std::mem::take(&mut lanes.undefined);
    let mut mask = lanes.active.mask;
    if inst.guard != NO_SLOT {
        let guard = (FileKind::Preds, inst.guard);
        tell(
            &mut undefined,
            lanes,
            world,
            (guard, inst.place, true),
            &mask,
        );
        let flip = if inst.guard_negated { u32::MAX } else { 0 };
        let guard = &lanes.preds[usize::from(inst.guard)];
        for (lanes, guard) in mask.iter_mut().zip(guard) {
            *lanes &= guard ^ flip;
        }
    }
    let sources = || (flow.s.iter().zip(inst.s)).map(|(file, slot)| place(*file, slot));
    let results = || (flow.d.iter().zip(inst.d)).filter_map(|(file, slot)| place(*file, slot));
    let mut causes = Causes::NONE;
    if flow.follow != Follow::Moves {
        let used = sources().flatten();
        used.for_each(|place| disturb(&undefined, lanes, world, (place, inst.place), &mask));
    }
    match flow.follow {
        // Its arguments, and what it finds when it returns, are in memory.
        _ if matches!(inst.action, Action::Call | Action::Return) => {
            let used = undefined.places();
            for place in used {
                tell(
                    &mut undefined,
                    lanes,
                    world,
                    (place, inst.place, false),
                    &mask,
                );
            }
        }
        Follow::Uses | Follow::Loads | Follow::Stores | Follow::Exchanges => {
            let is_kept = only_keeps(world, inst, flow.follow, sources().flatten().count());
            for (number, place) in sources().flatten().enumerate() {
                // Behind the address. A lane's value may well be unread by the others.
                let unset = match flow.follow {
                    Follow::Exchanges => undefined.holds_all(place, &mask),
                    _ => number == 0 || !is_kept,
                };
                tell(
                    &mut undefined,
                    lanes,
                    world,
                    (place, inst.place, unset),
                    &mask,
                );
            }
        }
        // A product that takes them may be told to leave them out.
        Follow::Moves if results().next().is_none() => {
            for place in sources().flatten() {
                tell(
                    &mut undefined,
                    lanes,
                    world,
                    (place, inst.place, false),
                    &mask,
                );
            }
        }
        Follow::Moves => causes = undefined.causes(sources().flatten().next()),
        Follow::Computes => {
            for source in sources().flatten() {
                let of_source = undefined.causes(Some(source));
                merge(&mut undefined, &mut causes, &of_source, |_| true);
            }
        }
        Follow::Either | Follow::Both | Follow::Any => {
            let [a, b, c] = [0, 1, 2].map(|at| place(flow.s[at], inst.s[at]));
            let [of_a, of_b, of_c] = [a, b, c].map(|place| undefined.causes(place));
            let holds = |place: Option<Place>, lane: usize| {
                place.is_some_and(|(_, slot)| {
                    lanes.preds[usize::from(slot)][lane / WARP] >> (lane % WARP) & 1 != 0
                })
            };
            if flow.follow == Follow::Either {
                merge(&mut undefined, &mut causes, &of_c, |_| true);
                merge(&mut undefined, &mut causes, &of_a, |lane| {
                    of_c.of(lane) != 0 || holds(c, lane)
                });
                merge(&mut undefined, &mut causes, &of_b, |lane| {
                    of_c.of(lane) != 0 || !holds(c, lane)
                });
            } else {
                // The other operand decides alone if it is false, or true.
                let is_open = flow.follow == Follow::Both;
                merge(&mut undefined, &mut causes, &of_a, |lane| {
                    of_b.of(lane) != 0 || holds(b, lane) == is_open
                });
                merge(&mut undefined, &mut causes, &of_b, |lane| {
                    of_a.of(lane) != 0 || holds(a, lane) == is_open
                });
            }
        }
    }
    results().for_each(|place| undefined.write(place, &mask, &causes));
    lanes.undefined = undefined;
}

/// An instruction has run, and there are findings that may wait for what becomes of its results.
#[cold]
pub(super) fn after(lanes: &mut Lanes, world: &mut World, pc: u32) {
    let (inst, flow) = (&world.code[pc as usize], &world.program.flows[pc as usize]);
    // A shuffle's members are looked at by the operation before it.
    let next = world.program.flows.get(pc as usize + 1);
    if flow.follow == Follow::Uses && next.is_some_and(|next| next.follow == Follow::Exchanges) {
        return;
    }
    let may_wait = matches!(flow.follow, Follow::Loads | Follow::Exchanges);
    for (fault, readers) in std::mem::take(&mut world.faults.doubtful) {
        let warp = (fault.thread as usize / WARP).checked_sub(lanes.first_warp);
        match warp.filter(|warp| may_wait && *warp < GROUP_WARPS) {
            Some(warp) => {
                let mut mask = [0; GROUP_WARPS];
                mask[warp] = readers;
                let places = flow.d.iter().zip(inst.d);
                let places = places.filter_map(|(file, slot)| place(*file, slot));
                let told = lanes.undefined.hold(fault, &mask, places);
                told.into_iter().for_each(|fault| world.fault(fault));
            }
            None => world.fault(fault),
        }
    }
}

/// Whether an instruction with so many registers stores what nobody may ever read: more than one value, as parts of a
/// structure, or a copy in the block's or the thread's own memory.
fn only_keeps(world: &World, inst: &Inst, follow: Follow, sources: usize) -> bool {
    match follow {
        Follow::Stores => {
            let space = world.program.accesses[inst.aux as usize].space;
            sources > 2 || space.is_some_and(|space| space != Space::Global)
        }
        // What else stores, a whole matrix or by a copy.
        Follow::Uses => {
            let sites = world.program.sites.iter();
            let mut stores = sites
                .filter(|site| site.place == inst.place && site.is_store)
                .peekable();
            let is_store = stores.peek().is_some();
            is_store && (sources > 2 || stores.all(|site| site.space != Space::Global))
        }
        _ => false,
    }
}

/// The lanes of a mask use what is in a register, at a place; if it was never set, that is told if it is `unset`.
fn tell(
    undefined: &mut Undefined,
    lanes: &Lanes,
    world: &mut World,
    (register, place, unset): (Place, u32, bool),
    mask: &Mask,
) {
    let causes = undefined.causes(Some(register));
    if causes.is_none() {
        return;
    }
    for fault in undefined.used(register, mask, unset) {
        if fault.detail != Detail::Unset {
            world.fault(fault);
            continue;
        }
        let warp = (fault.thread as usize / WARP).saturating_sub(lanes.first_warp) % GROUP_WARPS;
        let users = (warp * WARP..(warp + 1) * WARP)
            .filter(|lane| mask[warp] >> (lane % WARP) & 1 != 0 && causes.of(*lane) != 0);
        let Some(first) = users.clone().next() else {
            continue;
        };
        world.fault(Fault {
            place,
            thread: lanes.thread(first),
            count: users.count() as u64,
            ..fault
        });
    }
}

/// The lanes of a mask use a register, which may be a result of what is still under way.
fn disturb(
    undefined: &Undefined,
    lanes: &Lanes,
    world: &mut World,
    (register, place): (Place, u32),
    mask: &Mask,
) {
    for (fault, lane) in undefined.disturbed(register, mask) {
        let thread = lanes.thread(lane);
        world.fault(Fault {
            place,
            thread,
            ..fault
        });
    }
}

/// Takes over the causes of another register for some lanes.
fn merge(
    undefined: &mut Undefined,
    causes: &mut Causes,
    others: &Causes,
    takes: impl Fn(usize) -> bool,
) {
    if others.is_none() {
        return;
    }
    for (lane, cause) in causes.lanes_mut().iter_mut().enumerate() {
        let other = others.of(lane);
        if other != 0 && takes(lane) {
            *cause = undefined.join(*cause, other);
        }
    }
}
