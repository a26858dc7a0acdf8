//! A strand runs: instruction after instruction, until something else has to happen. What a branch does to its lanes is in `strand`, what a call does in `call`.

use crate::decode::external::ASSERT;
use crate::machine::inst::{AccessFn, Action, ComputeFn, Inst};
use crate::machine::lanes::{Active, Lanes};
use crate::machine::wide::note_run;
use crate::machine::world::World;
use crate::operations::drive;
use crate::program::BarrierKind;
use crate::program::kinds::{FileKind, GROUP_WARPS, NO_SLOT, WARP};
use crate::report::FindingKind;
use crate::run::call::restore;
use crate::run::follow;
use crate::run::step;
use crate::run::strand::{Arrival, Pause, Stall, Strand};

impl Strand {
    /// Runs until something else has to happen, at most `slice` instructions.
    pub(super) fn run(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        spent: &mut [u64; GROUP_WARPS],
        slice: u64,
    ) -> Pause {
        let is_followed = world.recorder().is_some();
        if world.check.is_none() && !is_followed {
            return self.run_as::<false, false>(lanes, world, spent, slice);
        }
        world.faults.may_doubt = world.check.is_some();
        let pause = match is_followed {
            true => self.run_as::<true, true>(lanes, world, spent, slice),
            false => self.run_as::<true, false>(lanes, world, spent, slice),
        };
        world.faults.may_doubt = false;
        pause
    }

    /// The same; `IS_CHECKED` if the launch may be, `IS_FOLLOWED` if a warp of the block is, step by step.
    fn run_as<const IS_CHECKED: bool, const IS_FOLLOWED: bool>(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        spent: &mut [u64; GROUP_WARPS],
        slice: u64,
    ) -> Pause {
        let program = world.program;
        let code = world.code;
        self.fewest = usize::MAX;
        let Some(mut pc) = self.resume(lanes) else {
            return Pause::Exited;
        };
        let mut left = slice;
        loop {
            let inst = &code[pc as usize];
            pc += 1;
            if IS_CHECKED && !lanes.undefined.is_empty() {
                follow::before(lanes, world, pc - 1);
            }
            if IS_FOLLOWED {
                step::begin(lanes, world, inst);
            }
            match inst.action {
                Action::Compute(function) => {
                    compute(function, lanes, inst);
                    if IS_FOLLOWED {
                        step::end(lanes, world, pc - 1);
                    }
                    if IS_CHECKED && !world.faults.doubtful.is_empty() {
                        follow::after(lanes, world, pc - 1);
                    }
                }
                Action::Access(function) => {
                    access(function, lanes, world, inst);
                    if IS_FOLLOWED {
                        step::end(lanes, world, pc - 1);
                    }
                    if IS_CHECKED && !world.faults.doubtful.is_empty() {
                        follow::after(lanes, world, pc - 1);
                    }
                }
                Action::Wait(function) => {
                    access(function, lanes, world, inst);
                    if IS_FOLLOWED {
                        step::end(lanes, world, pc - 1);
                    }
                    if IS_CHECKED && !world.faults.doubtful.is_empty() {
                        follow::after(lanes, world, pc - 1);
                    }
                    if let Some(blocked) = world.blocked.take() {
                        self.set_pc(pc);
                        return Pause::Blocked(Stall {
                            pc: pc - 1,
                            blocked,
                        });
                    }
                }
                Action::Block(weight) => {
                    if inst.imm != 0 && self.rejoin(pc - 1) {
                        match self.resume(lanes) {
                            Some(next) => pc = next,
                            None => return Pause::Exited,
                        }
                        continue;
                    }
                    // Every turn gets at least one block done, however long.
                    if left == 0 {
                        self.set_pc(pc - 1);
                        return Pause::Slice;
                    }
                    count(lanes, world, spent, weight, inst.aux as usize);
                    if let Some(trace) = &mut world.trace
                        && let Some((_, runs)) = &mut trace.wides
                    {
                        note_run(runs, inst.aux, lanes);
                    }
                    // Jumps take time even where there is nothing to count.
                    left = left.saturating_sub(u64::from(weight.max(1)));
                }
                Action::Jump(target) => pc = target,
                Action::Branch {
                    taken,
                    other,
                    joins,
                } => {
                    pc = self.branch(lanes, world, inst, [taken, other, joins]);
                }
                Action::Switch { joins } => pc = self.switch(lanes, world, inst, joins),
                Action::Exit => match self.exit(lanes) {
                    Some(next) => pc = next,
                    None => return Pause::Exited,
                },
                Action::MoveLast(file) => {
                    move_last(lanes, inst, file);
                    if IS_FOLLOWED {
                        step::end(lanes, world, pc - 1);
                    }
                }
                Action::Barrier(kind) => {
                    self.set_pc(pc);
                    return Pause::Barrier(arrival(lanes, inst, kind, pc - 1));
                }
                Action::ClusterBarrier(kind) => {
                    self.set_pc(pc);
                    return Pause::Cluster(kind, pc - 1);
                }
                Action::Trap => {
                    let kind = if inst.aux == ASSERT {
                        FindingKind::Assert
                    } else {
                        FindingKind::Trap
                    };
                    return Pause::Fault {
                        kind,
                        place: inst.place,
                    };
                }
                Action::Restore => restore(lanes, program, inst),
                Action::Call | Action::Return => {
                    let done = if matches!(inst.action, Action::Call) {
                        self.call(lanes, world, inst, pc)
                    } else {
                        self.give_back(lanes, world);
                        Ok(())
                    };
                    match done.map(|()| self.resume(lanes)) {
                        Ok(Some(next)) => pc = next,
                        Ok(None) => return Pause::Exited,
                        Err(pause) => return pause,
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn compute(function: ComputeFn, lanes: &mut Lanes, inst: &Inst) {
    guarded(lanes, inst, |lanes| {
        // SAFETY: `Both::chosen` picked a version that this machine can run.
        unsafe { function(lanes, inst) }
    });
}

#[inline(always)]
fn access(function: AccessFn, lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    guarded(lanes, inst, |lanes| {
        // SAFETY: `Both::chosen` picked a version that this machine can run.
        unsafe { function(lanes, world, inst) }
    });
}

/// Runs an instruction for the lanes that its guard lets through.
#[inline(always)]
fn guarded(lanes: &mut Lanes, inst: &Inst, run: impl FnOnce(&mut Lanes)) {
    if inst.guard == NO_SLOT {
        return run(lanes);
    }
    let (before, whole) = (lanes.active, lanes.whole);
    let guard = &lanes.preds[usize::from(inst.guard)];
    let flip = if inst.guard_negated { u32::MAX } else { 0 };
    let mut mask = before.mask;
    for (lanes, guard) in mask.iter_mut().zip(guard) {
        *lanes &= guard ^ flip;
    }
    if mask == before.mask {
        return run(lanes);
    }
    if mask != [0; GROUP_WARPS] {
        lanes.activate(Active::new(mask));
        run(lanes);
        (lanes.active, lanes.whole) = (before, whole);
    }
}

#[inline(always)]
fn count(
    lanes: &Lanes,
    world: &mut World,
    spent: &mut [u64; GROUP_WARPS],
    weight: u32,
    block: usize,
) {
    let weight = u64::from(weight);
    let active = &lanes.active;
    let mut warps = 0;
    for warp in active.first..active.last {
        let some = u64::from(active.mask[warp] != 0);
        spent[warp] += weight * some;
        warps += some;
    }
    world.warp_instructions += weight * warps;
    let threads = if active.full {
        warps * WARP as u64
    } else {
        u64::from(active.lanes())
    };
    let runs = &mut world.block_runs[block];
    runs.warps += warps;
    runs.lanes += threads;
}

/// A copy whose source is not used again: a whole group exchanges the two registers' arrays.
fn move_last(lanes: &mut Lanes, inst: &Inst, file: FileKind) {
    let (d, s) = (usize::from(inst.d[0]), usize::from(inst.s[0]));
    match (file, lanes.whole) {
        (FileKind::Longs, true) => lanes.longs.registers.swap(d, s),
        (_, true) => lanes.words.registers.swap(d, s),
        (FileKind::Longs, false) => drive::unary::<{ drive::WHOLE }, u64, u64>(lanes, inst, |a| a),
        (_, false) => drive::unary::<{ drive::WHOLE }, u32, u32>(lanes, inst, |a| a),
    }
}

fn arrival(lanes: &Lanes, inst: &Inst, kind: BarrierKind, pc: u32) -> Arrival {
    let first = lanes.active.first;
    let lane =
        first * WARP + lanes.active.mask[first.min(GROUP_WARPS - 1)].trailing_zeros() as usize;
    let operand = |slot| {
        if slot == NO_SLOT {
            None
        } else {
            Some(lanes.words.source(slot)[lane])
        }
    };
    let predicate = match inst.s[2] {
        NO_SLOT => [0; GROUP_WARPS],
        slot => lanes.preds[usize::from(slot)],
    };
    Arrival {
        pc,
        kind,
        barrier: operand(inst.s[0]).unwrap_or(0),
        threads: operand(inst.s[1]),
        predicate,
    }
}
