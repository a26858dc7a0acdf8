//! Calls that are not inlined: a strand enters functions and comes back, its registers kept in its frame.

use crate::decode::emit::NO_JOIN;
use crate::machine::inst::Inst;
use crate::machine::lanes::{Active, Lanes, Left, Returned, for_each_lane};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::Program;
use crate::program::call::{CallSite, Piece};
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, Slot, WARP};
use crate::program::space::{FUNCTION_BYTES, FUNCTIONS};
use crate::report::{Detail, FindingKind};
use crate::run::strand::{Entry, Pause, Strand};

/// A call needs some room, if only to know where to return to.
const LEAST_FRAME_BYTES: u32 = 16;

/// Lanes of a group, which are a word of local memory apart.
const STRIDE: usize = GROUP_WARPS * WARP;

impl Strand {
    /// The active lanes call a function each, and go on at `back` when they return.
    pub(super) fn call(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        inst: &Inst,
        back: u32,
    ) -> Result<(), Pause> {
        let program = world.program;
        let site = &program.calls[inst.aux as usize];
        let targets = targets(lanes, world, inst, site)?;
        let Some(caller) = self.stack.last_mut() else {
            return Ok(());
        };
        let active = lanes.active;
        let base = lanes
            .frame
            .highest(&active)
            .next_multiple_of(FUNCTION_BYTES);
        let frame = |function: u32| {
            let bytes = program.functions[function as usize].frame_bytes;
            bytes.max(LEAST_FRAME_BYTES)
        };
        let most = targets.iter().map(|(function, _)| frame(*function)).max();
        let end = base + u64::from(most.unwrap_or(0));
        if end > program.stack_limit() {
            world.detail = Detail::Stack {
                depth: caller.depth + 1,
                bytes: end,
                most: program.stack_limit(),
            };
            let (kind, place) = (FindingKind::Limit, inst.place);
            return Err(Pause::Fault { kind, place });
        }
        lanes.grow_local(end);
        lanes.frame.enter(base, end, &active.mask);
        save(lanes, site, &active);
        for piece in &site.arguments {
            let (from, to) = (
                lanes.frame.base + u64::from(piece.caller),
                base + u64::from(piece.callee),
            );
            copy(lanes, &active, piece, from, to);
        }
        caller.pc = back;
        let depth = caller.depth + 1;
        for (function, mask) in targets {
            let end = base as u32 + frame(function);
            let function = &program.functions[function as usize];
            clear(lanes, &function.cleared, &Active::new(mask));
            self.stack.push(Entry {
                pc: function.start,
                join: NO_JOIN,
                mask,
                depth,
                base: base as u32,
                end,
            });
        }
        Ok(())
    }

    /// The active lanes return from the function that they are in.
    pub(super) fn give_back(&mut self, lanes: &mut Lanes, world: &World) {
        let (program, code, is_checked) = (world.program, world.code, world.check.is_some());
        let gone = lanes.active.mask;
        let Some(callee) = self.stack.last().copied() else {
            return;
        };
        if is_checked {
            let functions = (0..).zip(&program.functions);
            let begun = functions.filter(|(_, function)| function.start <= callee.pc);
            let here = begun.max_by_key(|(_, function)| function.start);
            if let Some((number, _)) = here {
                lanes.frame.leave(Left {
                    base: u64::from(callee.base),
                    end: u64::from(callee.end),
                    function: Returned::Called(number),
                    lanes: gone,
                });
            }
        }
        let below = self.stack.iter().rev();
        let caller = below
            .clone()
            .find(|entry| entry.depth < callee.depth)
            .copied();
        if let Some(caller) = caller {
            let active = lanes.active;
            let site = &program.calls[code[caller.pc as usize].aux as usize];
            for piece in &site.results {
                let (from, to) = (callee.base + piece.callee, caller.base + piece.caller);
                copy(lanes, &active, piece, u64::from(from), u64::from(to));
            }
            // What `alloca` gave is free again.
            for_each_lane(&active, |lane| {
                lanes.frame.tops[lane] = lanes.frame.tops[lane].min(u64::from(callee.base));
            });
        }
        for entry in self
            .stack
            .iter_mut()
            .filter(|entry| entry.depth >= callee.depth)
        {
            for (lanes, gone) in entry.mask.iter_mut().zip(gone) {
                *lanes &= !gone;
            }
        }
        self.stack.retain(|entry| entry.mask != [0; GROUP_WARPS]);
    }
}

/// Which functions the active lanes call.
fn targets(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    site: &CallSite,
) -> Result<Vec<(u32, Mask)>, Pause> {
    let active = lanes.active;
    if let Some(function) = site.target {
        return Ok(vec![(function, active.mask)]);
    }
    let program = world.program;
    let mut targets: Vec<(u32, Mask)> = Vec::new();
    let mut wrong = None;
    for_each_lane(&active, |lane| {
        let pointer = lanes.frame.pointers[lane];
        let function = program.addresses.get(&pointer).copied();
        let fits =
            |function: &u32| program.functions[*function as usize].signature == site.signature;
        let Some(function) = function.filter(fits) else {
            wrong.get_or_insert((lane, pointer));
            return;
        };
        let at = match targets.iter().position(|(known, _)| *known == function) {
            Some(at) => at,
            None => {
                targets.push((function, [0; GROUP_WARPS]));
                targets.len() - 1
            }
        };
        targets[at].1[lane / WARP] |= 1 << (lane % WARP);
    });
    let Some((lane, pointer)) = wrong else {
        return Ok(targets);
    };
    let known =
        pointer >= FUNCTIONS && (pointer - FUNCTIONS) / FUNCTION_BYTES < program.known_functions;
    world.fault(Fault {
        kind: FindingKind::InvalidAddress,
        block: world.block,
        place: inst.place,
        space: None,
        thread: lanes.thread(lane),
        address: Some(pointer),
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail: Detail::Call { is_function: known },
    });
    Err(Pause::Stopped)
}

/// Keeps the registers that the caller needs afterwards.
fn save(lanes: &mut Lanes, site: &CallSite, active: &Active) {
    let mut at = (lanes.frame.base + u64::from(site.save_at)) as usize / 4 * STRIDE;
    for (file, slot) in &site.saved {
        let slot = usize::from(*slot);
        match file {
            FileKind::Preds => for_each_lane(active, |lane| {
                lanes.local[at + lane] = (lanes.preds[slot][lane / WARP] >> (lane % WARP)) & 1;
            }),
            FileKind::Words => for_each_lane(active, |lane| {
                lanes.local[at + lane] = lanes.words.registers[slot][lane];
            }),
            FileKind::Longs => for_each_lane(active, |lane| {
                let value = lanes.longs.registers[slot][lane];
                lanes.local[at + lane] = value as u32;
                lanes.local[at + STRIDE + lane] = (value >> 32) as u32;
            }),
        }
        at += file.words() * STRIDE;
    }
}

/// Gives the caller its registers back.
pub(super) fn restore(lanes: &mut Lanes, program: &Program, inst: &Inst) {
    let site = &program.calls[inst.aux as usize];
    let active = lanes.active;
    let mut at = (lanes.frame.base + u64::from(site.save_at)) as usize / 4 * STRIDE;
    for (file, slot) in &site.saved {
        let slot = usize::from(*slot);
        match file {
            FileKind::Preds => for_each_lane(&active, |lane| {
                let (bit, held) = (1 << (lane % WARP), lanes.local[at + lane] != 0);
                let word = &mut lanes.preds[slot][lane / WARP];
                *word = if held { *word | bit } else { *word & !bit };
            }),
            FileKind::Words => for_each_lane(&active, |lane| {
                lanes.words.registers[slot][lane] = lanes.local[at + lane];
            }),
            FileKind::Longs => for_each_lane(&active, |lane| {
                let (low, high) = (lanes.local[at + lane], lanes.local[at + STRIDE + lane]);
                lanes.longs.registers[slot][lane] = u64::from(low) | u64::from(high) << 32;
            }),
        }
        at += file.words() * STRIDE;
    }
}

fn copy(lanes: &mut Lanes, active: &Active, piece: &Piece, from: u64, to: u64) {
    for word in 0..piece.words as usize {
        let (from, to) = (from as usize / 4 + word, to as usize / 4 + word);
        // A caller's variable may be smaller than the parameter, in PTX that no compiler writes.
        if (from.max(to) + 1) * STRIDE > lanes.local.len() {
            break;
        }
        for_each_lane(active, |lane| {
            lanes.local[to * STRIDE + lane] = lanes.local[from * STRIDE + lane];
        });
    }
}

/// Zeroes registers that a function may read before it writes them.
fn clear(lanes: &mut Lanes, cleared: &[(FileKind, Slot)], active: &Active) {
    for (file, slot) in cleared {
        let slot = usize::from(*slot);
        for_each_lane(active, |lane| match file {
            FileKind::Preds => lanes.preds[slot][lane / WARP] &= !(1 << (lane % WARP)),
            FileKind::Words => lanes.words.registers[slot][lane] = 0,
            FileKind::Longs => lanes.longs.registers[slot][lane] = 0,
        });
    }
}
