//! One turn of a strand: how long it may run, and what follows from the pause with which it ends. Whose turn it is, is in `block`.

use crate::machine::world::World;
use crate::program::kinds::{GROUP_WARPS, Mask};
use crate::run::block::bounds::{Bounds, Ended, FIRST_SLICE, IDLE_SLICE, SHORT_SLICE, SLICE};
use crate::run::block::state::BlockRun;
use crate::run::group::Group;
use crate::run::strand::{Pause, State, Strand};

/// Strands of a block beyond which its lanes take turns at a lock: what they do in vain is charged so many times, as
/// each of them runs alone.
const MANY_STRANDS: usize = 64;
const LOCK_CHARGE: u64 = 8;

/// Short turns in a row after which lanes are no longer held back by others of their warp that wait.
const MOST_HELD: u32 = 16;

impl BlockRun<'_, '_, '_> {
    /// One strand's turn.
    pub(super) fn turn(
        &mut self,
        group: usize,
        number: usize,
        bounds: &mut Bounds,
    ) -> Option<Ended> {
        let Group {
            lanes,
            strands,
            spent,
            ..
        } = &mut self.groups[group];
        let strand = &mut strands[number];
        strand.stalled = None;
        let before = self.world.warp_instructions;
        let changes = self.world.all_changes();
        let slice = match self.course.rounds.are_many() {
            true => whole_rounds(
                slice(strand, self.world.program.order_matters),
                strand.round,
            ),
            false => slice(strand, self.world.program.order_matters),
        };
        let top = strand.top_block(self.world);
        let runs = |world: &World| top.map_or(0, |top| world.block_runs[top].warps);
        let runs_before = runs(self.world);
        let pause = strand.run(
            lanes,
            self.world,
            spent,
            slice.min(bounds.warp_budget.saturating_add(1)),
        );
        let waited = self.world.waits != strand.waits;
        self.course.moved |= !(waited && matches!(pause, Pause::Slice));
        match pause {
            Pause::Exited => strand.state = State::Done,
            // A loop through a barrier uses up no slice.
            Pause::Barrier(_) if spent.iter().any(|spent| *spent >= bounds.warp_budget) => {
                let mask = strand.mask();
                self.endless(group, &mask, bounds.warp_budget);
                return Some(Ended::Stopped);
            }
            Pause::Barrier(arrival) => {
                return self.at_barrier(group, number, arrival, before, bounds);
            }
            Pause::Cluster(kind, pc) => {
                return self.at_cluster(group, number, (kind, pc), bounds.check);
            }
            Pause::Blocked(stall) => {
                let others = strand.split_warps(&stall.blocked.waiting);
                strand.stalled = Some(stall);
                let mask = strand.mask();
                strands.extend(others);
                return self.overrun(group, &mask, before, bounds);
            }
            Pause::Slice => {
                let executed = self.world.warp_instructions - before;
                strand.round = round(executed, runs(self.world) - runs_before);
                self.tell_place(group, number);
                let mask = self.after_slice(group, number, (before, changes), bounds.epoch);
                return self.overrun(group, &mask, before, bounds);
            }
            Pause::Fault { kind, place } => {
                let mask = strand.mask();
                let detail = std::mem::take(&mut self.world.detail);
                self.stop(kind, place, group, &mask, detail);
                return Some(Ended::Stopped);
            }
            Pause::Stopped => return Some(Ended::Stopped),
        }
        None
    }

    /// A strand has used up its slice, at the start of which so many warp instructions had been executed and memory had
    /// been changed so often; its running lanes.
    fn after_slice(
        &mut self,
        group: usize,
        number: usize,
        (before, changes): (u64, u64),
        epoch: u64,
    ) -> Mask {
        let count: usize = if self.groups[group].strands[number].spins {
            self.groups.iter().map(|group| group.strands.len()).sum()
        } else {
            0
        };
        let Group {
            lanes,
            strands,
            spent,
            ..
        } = &mut self.groups[group];
        let strand = &mut strands[number];
        let waited = self.world.waits != strand.waits;
        strand.waits = self.world.waits;
        strand.held = match waited && strand.holds_back() {
            true => strand.held + 1,
            false => 0,
        };
        // Lanes that wait for their neighbours to leave a loop may be what those wait for: a lock. Apart, they no longer come
        // to a `__syncwarp()` together: so not where the others are only on their way.
        strand.watch.is_idle = waited && self.world.all_changes() == changes;
        let is_long = self.world.warp_instructions - before >= FIRST_SLICE / 2;
        let is_apart = is_long || strand.watch.is_idle || strand.held >= MOST_HELD;
        let mut others = match strand.held > 0 && is_apart {
            true => strand.split(),
            false => None,
        };
        strand.spins = waited;
        if let Some(others) = &mut others {
            others.spins = true;
        }
        if strand.watch.is_idle {
            let epoch = epoch.wrapping_add(changes);
            strand
                .watch
                .see(strand.state_hash(lanes, self.world), epoch);
            if count > MANY_STRANDS {
                charge(spent, &strand.mask(), self.world.warp_instructions - before);
            }
        }
        let mask = strand.mask();
        strands.extend(others);
        mask
    }

    /// Ends the block if a warp has used up its budget or something elsewhere stops the launch.
    fn overrun(
        &mut self,
        group: usize,
        mask: &Mask,
        before: u64,
        bounds: &mut Bounds,
    ) -> Option<Ended> {
        let spent = &self.groups[group].spent;
        if spent.iter().any(|spent| *spent >= bounds.warp_budget) {
            self.endless(group, mask, bounds.warp_budget);
            return Some(Ended::Stopped);
        }
        (bounds.abandon)(self.world.warp_instructions - before).then_some(Ended::Abandoned)
    }
}

/// How many instructions a strand may run now.
fn slice(strand: &Strand, order_matters: bool) -> u64 {
    match (strand.spins, strand.watch.is_idle) {
        (true, true) => IDLE_SLICE,
        (true, false) => SHORT_SLICE,
        (false, _) if order_matters => FIRST_SLICE,
        (false, _) => SLICE,
    }
}

/// A slice of so many rounds of a loop that a counter of 8 or 16 bits in it has the same value after few of them: a power of 2.
fn whole_rounds(slice: u64, round: u64) -> u64 {
    match slice.checked_div(round) {
        Some(rounds) if rounds > 1 => round << rounds.ilog2(),
        _ => slice,
    }
}

/// The instructions of a round in which a basic block that was executed so often is executed once; 0 if the turn was too
/// short to tell.
fn round(executed: u64, times: u64) -> u64 {
    executed
        .checked_div(times)
        .filter(|round| *round < times)
        .unwrap_or(0)
}

/// Charges warps for what they did in vain as one strand of many.
fn charge(spent: &mut [u64; GROUP_WARPS], mask: &Mask, executed: u64) {
    for (spent, _) in spent.iter_mut().zip(mask).filter(|(_, lanes)| **lanes != 0) {
        *spent += (LOCK_CHARGE - 1) * executed;
    }
}
