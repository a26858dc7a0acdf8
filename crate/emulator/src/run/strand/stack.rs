//! The stack by which lanes that diverge rejoin.
//!
//! At a branch on which lanes disagree, one side runs first, then the other, both up to the place where they go on
//! together (`join`). There may be several such places, one inside the other (`decode::joins`): lanes that come to an
//! outer one, out of a loop by `break`, are no longer waited for at the inner ones.

use crate::machine::inst::{Action, Inst};
use crate::machine::lanes::{Active, Lanes, for_each_lane};
use crate::machine::world::World;
use crate::program::kinds::{GROUP_WARPS, Mask, WARP};
use crate::run::strand::{Entry, Strand};

impl Strand {
    /// Makes the top of the stack the active lanes and returns where they go on.
    pub(in crate::run) fn resume(&mut self, lanes: &mut Lanes) -> Option<u32> {
        while let Some(top) = self.stack.last() {
            let active = Active::new(top.mask);
            if !active.is_empty() {
                lanes.activate(active);
                lanes.frame.base = u64::from(top.base);
                lanes.frame.end = u64::from(top.end);
                self.fewest = self.fewest.min(self.stack.len());
                return Some(top.pc);
            }
            self.stack.pop();
        }
        None
    }

    /// The basic block at whose start it goes on, if it does at one.
    pub(in crate::run) fn top_block(&self, world: &World) -> Option<usize> {
        let inst = world.code.get(self.stack.last()?.pc as usize)?;
        matches!(inst.action, Action::Block(_)).then_some(inst.aux as usize)
    }

    pub(in crate::run) fn set_pc(&mut self, pc: u32) {
        if let Some(top) = self.stack.last_mut() {
            top.pc = pc;
        }
    }

    #[inline(always)]
    pub(in crate::run) fn branch(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
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
            count_splits(world, inst.place, &[(other, no), (taken, yes)]);
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
    pub(in crate::run) fn rejoin(&mut self, pc: u32) -> bool {
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

    pub(in crate::run) fn switch(
        &mut self,
        lanes: &mut Lanes,
        world: &mut World,
        inst: &Inst,
        joins: u32,
    ) -> u32 {
        let targets = &world.program.tables[inst.aux as usize];
        let index = lanes.words.source(inst.s[0]);
        let mut parts: Vec<(u32, Mask)> = Vec::new();
        for_each_lane(&lanes.active, |lane| {
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
            parts => {
                count_splits(world, inst.place, parts);
                self.diverge(lanes, world, joins, parts)
            }
        }
    }

    /// The active lanes are done.
    pub(in crate::run) fn exit(&mut self, lanes: &mut Lanes) -> Option<u32> {
        let gone = lanes.active.mask;
        for (live, gone) in lanes.live.iter_mut().zip(gone) {
            *live &= !gone;
        }
        self.remove(&gone);
        self.resume(lanes)
    }

    /// Takes lanes out of all entries.
    pub(super) fn remove(&mut self, gone: &Mask) {
        for entry in &mut self.stack {
            for (lanes, gone) in entry.mask.iter_mut().zip(gone) {
                *lanes &= !gone;
            }
        }
        self.stack.retain(|entry| entry.mask != [0; GROUP_WARPS]);
    }
}

/// Whether lanes that go to `pc` do nothing but exit.
pub(super) fn exits(code: &[Inst], pc: u32) -> bool {
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

/// Counts the warps of which lanes go different ways.
fn count_splits(world: &mut World, place: u32, parts: &[(u32, Mask)]) {
    let ways = |warp: usize| parts.iter().filter(|(_, mask)| mask[warp] != 0).count();
    let split = (0..GROUP_WARPS).filter(|warp| ways(*warp) > 1).count();
    if let Some(splits) = world.splits.get_mut(place as usize) {
        *splits += split as u64;
    }
}
