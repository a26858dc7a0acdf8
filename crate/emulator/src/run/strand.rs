//! A strand: lanes of a group that run together, and the stack by which those that diverge rejoin.
//!
//! At a branch on which lanes disagree, one side runs first, then the other, both up to the place where they go on
//! together (`join`). There may be several such places, one inside the other (`decode::joins`): lanes that come to an
//! outer one, out of a loop by `break`, are no longer waited for at the inner ones.

use crate::decode::emit::NO_JOIN;
use crate::decode::external::ASSERT;
use crate::machine::inst::{AccessFn, Action, ComputeFn, Inst};
use crate::machine::lanes::{Active, Lanes};
use crate::machine::wide::note_run;
use crate::machine::world::{Blocked, World};
use crate::operations::drive;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, NO_SLOT, Slot, WARP, for_lanes};
use crate::program::{BarrierKind, ClusterBarrier, Program};
use crate::report::FindingKind;
use crate::run::call::restore;
use crate::run::follow;

/// Lanes that wait to run from `pc`, or run now if on top of the stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) pc: u32,
    /// Where the lanes leave this entry for the one below.
    pub(super) join: u32,
    pub(super) mask: Mask,
    /// Calls that the lanes are in.
    pub(super) depth: u32,
    /// Their frame of local memory: first byte, and the first behind it.
    pub(super) base: u32,
    pub(super) end: u32,
}

/// Lanes that run together.
#[derive(Debug)]
pub(super) struct Strand {
    pub(super) stack: Vec<Entry>,
    pub(super) state: State,
    /// Waiting accesses seen when it last used up a slice.
    pub(super) waits: u64,
    /// The wait in vain with which its last turn ended.
    pub(super) stalled: Option<Stall>,
    /// It may wait for others: it gets short turns until the next barrier.
    pub(super) spins: bool,
    pub(super) watch: Watch,
}

/// What is remembered of a strand that waits, to tell whether it ever does anything else.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Watch {
    /// Its last turn changed no memory.
    pub(super) is_idle: bool,
    /// Its state after some turn, and how many turns ago that was; it is taken anew after 1, 2, 4, … turns.
    state: u64,
    turns: u32,
    renewed_after: u32,
    /// How often memory had been changed then.
    epoch: u64,
    stuck: bool,
}

impl Watch {
    /// A turn has left the strand in this state and changed no memory.
    pub(super) fn see(&mut self, state: u64, epoch: u64) {
        if self.epoch != epoch || self.renewed_after == 0 {
            *self = Self {
                is_idle: self.is_idle,
                state,
                renewed_after: 1,
                epoch,
                ..Self::default()
            };
            return;
        }
        self.stuck |= state == self.state;
        self.turns += 1;
        if self.turns == self.renewed_after {
            (self.state, self.turns) = (state, 0);
            self.renewed_after = self.renewed_after.saturating_mul(2);
        }
    }

    /// Whether it has come back to a state in which it was, with memory as it has been since.
    pub(super) fn is_stuck(&self, epoch: u64) -> bool {
        self.stuck && self.epoch == epoch
    }
}

/// A wait in vain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stall {
    /// The instruction.
    pub(super) pc: u32,
    pub(super) blocked: Blocked,
}

/// What a strand is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Ready,
    Waiting(Arrival),
    Done,
}

/// A barrier that a strand has come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arrival {
    /// The barrier instruction.
    pub(super) pc: u32,
    pub(super) kind: BarrierKind,
    pub(super) barrier: u32,
    /// Threads to wait for; all of the block if `None`.
    pub(super) threads: Option<u32>,
    pub(super) predicate: Mask,
}

/// Why a strand stopped running.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pause {
    Exited,
    Barrier(Arrival),
    /// `barrier.cluster`
    Cluster(ClusterBarrier, u32),
    /// It has waited in vain: others have to do something.
    Blocked(Stall),
    /// It has run long enough; others may be waiting.
    Slice,
    /// The running lanes stop the launch; the world has the details.
    Fault {
        kind: FindingKind,
        place: u32,
    },
    /// A finding stops the launch.
    Stopped,
}

impl Strand {
    /// All threads at the start of the program; the stack is an empty one.
    pub(super) fn with_stack(mut stack: Vec<Entry>, mask: Mask, program: &Program) -> Self {
        stack.push(Entry {
            pc: 0,
            join: NO_JOIN,
            mask,
            depth: 0,
            base: 0,
            end: program.local_bytes,
        });
        Self {
            stack,
            state: State::Ready,
            waits: 0,
            stalled: None,
            spins: false,
            watch: Watch::default(),
        }
    }

    /// A number for all that decides what the strand does next, but for memory.
    pub(super) fn state_hash(&self, lanes: &Lanes, program: &Program) -> u64 {
        let mut hash = 0u64;
        let mut add = |value: u64| {
            hash = (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        };
        for entry in &self.stack {
            add(u64::from(entry.pc) << 32 | u64::from(entry.base));
            entry.mask.iter().for_each(|lanes| add(u64::from(*lanes)));
        }
        let mask = self.mask();
        for (warp, lanes_here) in mask.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            (lanes.preds.iter()).for_each(|holds| add(u64::from(holds[warp] & lanes_here)));
            for_lanes(*lanes_here, |lane| {
                let at = warp * WARP + lane;
                for slot in 0..program.word_slots {
                    add(u64::from(lanes.words.source(slot as Slot)[at]));
                }
                for slot in 0..program.long_slots {
                    add(lanes.longs.source(slot as Slot)[at]);
                }
            });
        }
        hash
    }

    /// Runs until something else has to happen, at most `slice` instructions.
    pub(super) fn run(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        spent: &mut [u64; GROUP_WARPS],
        slice: u64,
    ) -> Pause {
        if world.check.is_none() {
            return self.run_as::<false>(lanes, world, spent, slice);
        }
        world.faults.may_doubt = true;
        let pause = self.run_as::<true>(lanes, world, spent, slice);
        world.faults.may_doubt = false;
        pause
    }

    /// The same; `IS_CHECKED` if the launch is.
    fn run_as<const IS_CHECKED: bool>(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        spent: &mut [u64; GROUP_WARPS],
        slice: u64,
    ) -> Pause {
        let program = world.program;
        let code = world.code;
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
            match inst.action {
                Action::Compute(function) => {
                    compute(function, lanes, inst);
                    if IS_CHECKED && !world.faults.doubtful.is_empty() {
                        follow::after(lanes, world, pc - 1);
                    }
                }
                Action::Access(function) => {
                    access(function, lanes, world, inst);
                    if IS_CHECKED && !world.faults.doubtful.is_empty() {
                        follow::after(lanes, world, pc - 1);
                    }
                }
                Action::Wait(function) => {
                    access(function, lanes, world, inst);
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
                Action::MoveLast(file) => move_last(lanes, inst, file),
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

    /// Makes the top of the stack the active lanes and returns where they go on.
    fn resume(&mut self, lanes: &mut Lanes) -> Option<u32> {
        while let Some(top) = self.stack.last() {
            let active = Active::new(top.mask);
            if !active.is_empty() {
                lanes.activate(active);
                lanes.frame.base = u64::from(top.base);
                lanes.frame.end = u64::from(top.end);
                return Some(top.pc);
            }
            self.stack.pop();
        }
        None
    }

    fn set_pc(&mut self, pc: u32) {
        if let Some(top) = self.stack.last_mut() {
            top.pc = pc;
        }
    }
    #[inline(always)]
    fn branch(
        &mut self,
        lanes: &mut Lanes,
        world: &World,
        inst: &Inst,
        [taken, other, joins]: [u32; 3],
    ) -> u32 {
        let holds = &lanes.preds[usize::from(inst.s[0])];
        let active = &lanes.active;
        let (mut yes, mut no) = ([0; GROUP_WARPS], [0; GROUP_WARPS]);
        let (mut any_yes, mut any_no) = (0, 0);
        for warp in 0..GROUP_WARPS {
            yes[warp] = active.mask[warp] & holds[warp];
            no[warp] = active.mask[warp] & !holds[warp];
            any_yes |= yes[warp];
            any_no |= no[warp];
        }
        if any_no == 0 {
            taken
        } else if any_yes == 0 {
            other
        } else {
            self.diverge(lanes, world, joins, &[(other, no), (taken, yes)])
        }
    }

    /// Splits the active lanes into parts; the last part runs first.
    fn diverge(
        &mut self,
        lanes: &mut Lanes,
        world: &World,
        joins: u32,
        parts: &[(u32, Mask)],
    ) -> u32 {
        let (joins, code) = (&world.program.joins[joins as usize], world.code);
        // The lanes wait for each other at the places where none of them does yet.
        let Some(mut top) = self.stack.pop() else {
            return 0;
        };
        for join in joins {
            if top.join != *join && self.way_to(*join, top.depth).is_none() {
                let pc = *join;
                self.stack.push(Entry { pc, ..top });
                top.join = pc;
            }
        }
        for (pc, mask) in parts {
            if top.depth == 0 && joins.first() == Some(pc) && exits(code, *pc) {
                // They only wait for the others to exit with them: nobody may wait for them any more.
                for (live, gone) in lanes.live.iter_mut().zip(mask) {
                    *live &= !gone;
                }
            }
            if *pc != top.join {
                let (pc, mask) = (*pc, *mask);
                self.stack.push(Entry { pc, mask, ..top });
            }
        }
        // There is an entry: at least one part, or the one that waits at the join.
        self.resume(lanes).unwrap_or(top.join)
    }

    /// The innermost entry of the calls so deep whose lanes leave it at `join`.
    fn way_to(&self, join: u32, depth: u32) -> Option<usize> {
        let below = self.stack.iter().rposition(|entry| entry.depth != depth);
        let first = below.map_or(0, |below| below + 1);
        let found = self.stack[first..]
            .iter()
            .rposition(|entry| entry.join == join);
        found.map(|at| first + at)
    }

    /// The active lanes have come to a place where some may wait for them; whether some do.
    fn rejoin(&mut self, pc: u32) -> bool {
        let Some(top) = self.stack.last().copied() else {
            return false;
        };
        if top.join == pc {
            self.stack.pop();
            return true;
        }
        let Some(way) = self.way_to(pc, top.depth) else {
            return false;
        };
        // Nobody waits for them at the places inside any more.
        let inside = self.stack.split_off(way);
        let stay = inside.into_iter().filter_map(|mut entry| {
            let lanes = entry.mask.iter_mut().zip(top.mask);
            lanes.for_each(|(lanes, gone)| *lanes &= !gone);
            (entry.mask != [0; GROUP_WARPS]).then_some(entry)
        });
        self.stack.extend(stay);
        true
    }

    fn switch(&mut self, lanes: &mut Lanes, world: &World, inst: &Inst, joins: u32) -> u32 {
        let targets = &world.program.tables[inst.aux as usize];
        let index = lanes.words.source(inst.s[0]);
        let mut parts: Vec<(u32, Mask)> = Vec::new();
        crate::machine::lanes::for_each_lane(&lanes.active, |lane| {
            // An index past the list is undefined; the last target will do.
            let at = (index[lane] as usize).min(targets.len() - 1);
            let target = targets[at];
            let part = match parts.iter().position(|(pc, _)| *pc == target) {
                Some(part) => part,
                None => {
                    parts.push((target, [0; GROUP_WARPS]));
                    parts.len() - 1
                }
            };
            parts[part].1[lane / WARP] |= 1 << (lane % WARP);
        });
        match parts.as_slice() {
            [(target, _)] => *target,
            parts => self.diverge(lanes, world, joins, parts),
        }
    }

    /// The active lanes are done.
    fn exit(&mut self, lanes: &mut Lanes) -> Option<u32> {
        let gone = lanes.active.mask;
        for (live, gone) in lanes.live.iter_mut().zip(gone) {
            *live &= !gone;
        }
        self.remove(&gone);
        self.resume(lanes)
    }

    /// Takes lanes out of all entries.
    fn remove(&mut self, gone: &Mask) {
        for entry in &mut self.stack {
            for (lanes, gone) in entry.mask.iter_mut().zip(gone) {
                *lanes &= !gone;
            }
        }
        self.stack.retain(|entry| entry.mask != [0; GROUP_WARPS]);
    }

    /// Leaves only these lanes' warps in this strand; the others, if there are any, become one of their own.
    pub(super) fn split_warps(&mut self, stay: &Mask) -> Option<Strand> {
        let stay = stay.map(|lanes| if lanes == 0 { 0 } else { u32::MAX });
        let mut others = Strand {
            stack: self.stack.clone(),
            state: State::Ready,
            waits: self.waits,
            stalled: None,
            spins: self.spins,
            watch: Watch::default(),
        };
        others.remove(&stay);
        self.remove(&stay.map(|lanes| !lanes));
        (!others.stack.is_empty()).then_some(others)
    }

    /// Whether two strands' lanes are at the same place, also in the branches and calls that they will
    /// return from.
    pub(super) fn is_with(&self, other: &Strand) -> bool {
        let place = |entry: &Entry| (entry.pc, entry.join, entry.base, entry.end, entry.depth);
        self.state == State::Ready
            && other.state == State::Ready
            && self
                .stack
                .iter()
                .map(place)
                .eq(other.stack.iter().map(place))
    }

    /// Takes in another strand that is at the same place.
    pub(super) fn join(&mut self, other: &Strand) {
        for (entry, other) in self.stack.iter_mut().zip(&other.stack) {
            for (lanes, more) in entry.mask.iter_mut().zip(other.mask) {
                *lanes |= more;
            }
        }
    }

    /// Leaves only the running lanes in this strand; the others become one of their own.
    pub(super) fn split(&mut self) -> Option<Strand> {
        if self.stack.len() < 2 {
            return None;
        }
        let mut top = self.stack.pop()?;
        let below = std::mem::take(&mut self.stack);
        // Where the running lanes return to.
        for depth in 0..top.depth {
            let caller = below.iter().rev().find(|entry| {
                let shared = entry.mask.iter().zip(top.mask).any(|(a, b)| a & b != 0);
                entry.depth == depth && shared
            });
            self.stack.extend(caller.map(|caller| Entry {
                join: NO_JOIN,
                mask: top.mask,
                ..*caller
            }));
        }
        let mut others = Strand {
            stack: below,
            state: State::Ready,
            waits: self.waits,
            stalled: None,
            spins: self.spins,
            watch: Watch::default(),
        };
        others.remove(&top.mask);
        top.join = NO_JOIN;
        self.stack.push(top);
        (!others.stack.is_empty()).then_some(others)
    }

    /// The running lanes of warps of which other lanes wait elsewhere, and not just to exit.
    pub(super) fn apart(&self, code: &[Inst]) -> Option<Mask> {
        let top = self.stack.last()?;
        if top.depth == 0 && exits(code, top.join) {
            return None;
        }
        let mut apart = [0; GROUP_WARPS];
        for entry in &self.stack {
            for ((apart, lanes), running) in apart.iter_mut().zip(entry.mask).zip(top.mask) {
                if running != 0 && lanes & !running != 0 {
                    *apart = running;
                }
            }
        }
        (apart != [0; GROUP_WARPS]).then_some(apart)
    }

    /// The lanes that run, or wait at a barrier.
    pub(super) fn mask(&self) -> Mask {
        self.stack.last().map_or([0; GROUP_WARPS], |top| top.mask)
    }
}

/// Whether lanes that go to `pc` do nothing but exit.
fn exits(code: &[Inst], pc: u32) -> bool {
    match code.get(pc as usize..) {
        Some([block, next, ..]) => {
            matches!(
                (block.action, next.action),
                (Action::Block(_), Action::Exit)
            )
        }
        _ => true,
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
    world.block_lanes[block] += threads;
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
