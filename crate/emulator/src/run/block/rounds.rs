//! Tells of a block whether it goes round in a circle: it has come back to a state in which it was, and has changed nothing on the way. Strands that wait for others by atomics or volatile loads are `watch`'s.

use crate::machine::deciding::{Asked, Stored};
use crate::machine::inst::{Action, Inst};
use crate::machine::spans::Spans;
use crate::machine::world::{Executions, World};
use crate::program::Program;
use crate::report::Detail;
use crate::run::block::bounds::{Bounds, Ended};
use crate::run::block::state::BlockRun;
use crate::run::strand::{Hash, State, Strand};

/// Warp instructions from one look at a block's state to the next, and how many there are at least for each value of it:
/// looking takes less than a hundredth of the time that the instructions do.
const EVERY: u64 = 1 << 18;
const EVERY_VALUE: u64 = 64;

/// Looks after which strands get slices of whole rounds.
const MANY: u32 = 8;

/// What is remembered of a block's states, to find one that comes again.
///
/// Brent's algorithm: a state is compared with one that is taken anew after 1, 2, 4, … looks. Registers come first, since
/// whether a store leaves another value is not known as long as stores go fast. Where they are as they were, the next
/// round is run with an eye to each store and with a copy of the whole state.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Warp instructions since the last look.
    executed: u64,
    /// A number for the registers at some look, and how many looks ago that was.
    registers: u64,
    looks: u32,
    renewed_after: u32,
    /// All looks so far.
    all: u32,
    trial: Option<Trial>,
    /// Lanes by basic block at the last look, and which blocks were executed before it, since the look before that.
    lanes: Vec<u64>,
    ran: Vec<bool>,
    /// Blocks that were executed since the state was taken with which others are compared.
    since: Vec<bool>,
}

impl Rounds {
    /// Whether the block has been looked at so often that what it waits for may be a counter that wraps.
    pub(super) fn are_many(&self) -> bool {
        self.all >= MANY
    }

    /// Notes which basic blocks have been executed since this was last called: so many lanes have been there.
    fn note_ran(&mut self, runs: &[Executions]) {
        let before = self.lanes.iter().copied().chain(std::iter::repeat(0));
        let lanes = || runs.iter().map(|runs| runs.lanes);
        self.ran = (lanes().zip(before))
            .map(|(now, before)| now != before)
            .collect();
        self.lanes = lanes().collect();
        self.since.resize(self.ran.len(), false);
        for (since, ran) in self.since.iter_mut().zip(&self.ran) {
            *since |= ran;
        }
    }
}

/// A round that is run to see whether it changes anything.
#[derive(Debug)]
struct Trial {
    /// The state at its start: all that decides, and the same if what is stored does not.
    state: Vec<u64>,
    without_stores: Vec<u64>,
    before: Marks,
    /// The basic blocks that it may execute.
    ways: Vec<bool>,
    /// Looks in a round, and those that are left.
    looks: u32,
    left: u32,
}

/// What a round without effect leaves as it is, and how often others were asked in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    changes: u64,
    /// Those by plain stores, while these are looked at.
    stores: u64,
    /// Changes by other blocks.
    elsewhere: u64,
    /// Moves whenever a clock is read.
    clock: u64,
    /// Atomics, volatile loads and the like: others may answer.
    waits: u64,
}

impl Marks {
    fn of(world: &World, bounds: &Bounds) -> Self {
        Self {
            changes: world.all_changes(),
            stores: world.spans.changes,
            elsewhere: bounds.epoch,
            clock: world.clock_start,
            waits: world.waits,
        }
    }
}

impl Marks {
    /// What no round may move, whatever it stores.
    fn but_for_stores(self) -> [u64; 3] {
        [
            self.changes.wrapping_sub(self.stores),
            self.elsewhere,
            self.clock,
        ]
    }
}

/// What a look has shown.
enum Shown {
    /// Nothing yet.
    Nothing,
    /// The block has come back to where it was and has changed nothing; `asks` if others may answer what it reads.
    Round { asks: bool },
}

impl BlockRun<'_, '_, '_> {
    /// After a pass of so many warp instructions: ends the block if it goes round in a circle, or is in a loop that nothing
    /// leads out of.
    pub(super) fn look(&mut self, executed: u64, bounds: &Bounds) -> Option<Ended> {
        let rounds = &mut self.course.rounds;
        rounds.executed += executed;
        if rounds.executed < EVERY || rounds.executed < EVERY_VALUE * self.values() {
            return None;
        }
        self.course.rounds.executed = 0;
        self.course.rounds.all = self.course.rounds.all.saturating_add(1);
        self.course.rounds.note_ran(&self.world.block_runs);
        // Who tries in vain at an mbarrier is given up after so many tries.
        let strands = || self.groups.iter().flat_map(|group| &group.strands);
        let is_ready = |strand: &&Strand| strand.state == State::Ready;
        if strands().any(|strand| is_ready(&strand))
            && strands()
                .filter(is_ready)
                .all(|strand| strand.stalled.is_some())
        {
            return None;
        }
        if let Some((group, number)) = self.without_exit() {
            self.stop_round(group, number, Detail::NoWayOut);
            return Some(Ended::Stopped);
        }
        let Shown::Round { asks } = self.compare(bounds) else {
            return None;
        };
        // Lanes that are held back by others of their warp may be what these wait for.
        let mut has_split = false;
        for group in &mut *self.groups {
            let strands = group.strands.iter_mut();
            let ready = strands.filter(|strand| strand.state == State::Ready);
            let others: Vec<Strand> = ready.filter_map(Strand::split).collect();
            has_split |= !others.is_empty();
            group.strands.extend(others);
        }
        if has_split {
            self.forget();
            return None;
        }
        Some(match asks || self.world.cluster.is_some() {
            true => Ended::Waits { for_ever: true },
            false => Ended::Endless,
        })
    }

    /// Values in the state of the block.
    fn values(&self) -> u64 {
        let program = self.world.program;
        let slots = program.word_slots + program.long_slots;
        let lanes: u32 = self.live();
        u64::from(lanes) * slots as u64
    }

    /// Compares the state with earlier ones.
    fn compare(&mut self, bounds: &Bounds) -> Shown {
        let now = Marks::of(self.world, bounds);
        if let Some(mut trial) = self.course.rounds.trial.take() {
            let ran = &self.course.rounds.ran;
            let stays = ran.iter().zip(&trial.ways).all(|(ran, may)| !ran | may);
            let is_quiet = stays && now.but_for_stores() == trial.before.but_for_stores();
            self.world.deciding.executed(&trial.ways);
            trial.left -= 1;
            if is_quiet && trial.left > 0 {
                self.course.rounds.trial = Some(trial);
                return Shown::Nothing;
            }
            if is_quiet && self.has_come_back(&trial, &now) {
                let asks = now.waits != trial.before.waits;
                // Whoever asks again is shown another round.
                self.course.rounds.trial = Some(Trial {
                    left: trial.looks,
                    before: now,
                    ..trial
                });
                return Shown::Round { asks };
            }
            self.world.is_exact = false;
        }
        let mut registers = Hash::default();
        let ran = std::mem::take(&mut self.course.rounds.ran);
        self.world.deciding.executed(&ran);
        ran.iter().for_each(|ran| registers.add(u64::from(*ran)));
        self.visit_state(Stored::IsLost, &mut |value| registers.add(value));
        let rounds = &mut self.course.rounds;
        rounds.looks += 1;
        if rounds.renewed_after > 0 && registers.0 == rounds.registers {
            let looks = rounds.looks;
            // If this one changes something, so may the next: it is not tried at once.
            rounds.renewed_after = rounds.renewed_after.saturating_mul(2);
            rounds.looks = 0;
            let ways = std::mem::take(&mut rounds.since);
            self.world.deciding.executed(&ways);
            self.world.is_exact = true;
            self.world.spans = Spans::default();
            self.course.rounds.trial = Some(Trial {
                state: self.state(Stored::Counts),
                without_stores: self.state(Stored::IsLost),
                before: Marks { stores: 0, ..now },
                ways,
                looks,
                left: looks,
            });
        } else if rounds.looks >= rounds.renewed_after {
            rounds.registers = registers.0;
            rounds.looks = 0;
            rounds.since.clear();
            rounds.renewed_after = rounds.renewed_after.saturating_mul(2).max(1);
        }
        Shown::Nothing
    }

    fn forget(&mut self) {
        self.course.rounds = Rounds::default();
        self.world.is_exact = false;
    }

    /// Whether a round has ended where it began, and has changed nothing that decides. What it stores may be other values
    /// if nothing that it loads to decide by lies there: by the addresses, which are the same in each round.
    fn has_come_back(&mut self, trial: &Trial, now: &Marks) -> bool {
        if now.changes == trial.before.changes && trial.state == self.state(Stored::Counts) {
            return true;
        }
        now.waits == trial.before.waits
            && self.world.cluster.is_none()
            && trial.without_stores == self.state(Stored::IsLost)
            && self.stores_are_lost()
    }

    /// Whether no load by which it is decided where a strand goes on reads what the round has stored.
    fn stores_are_lost(&mut self) -> bool {
        let strands = self.groups.iter().flat_map(|group| &group.strands);
        let places: Vec<u32> = strands
            .flat_map(|strand| strand.stack.iter().map(|entry| entry.pc))
            .collect();
        let (program, code) = (self.world.program, self.world.code);
        places.into_iter().all(|pc| {
            let asked = limited(Stored::IsLost);
            let ways = self.world.deciding.at(program, code, pc, asked);
            ways.is_some_and(|ways| !self.world.spans.meets(&ways.loads))
        })
    }

    fn state(&mut self, stored: Stored) -> Vec<u64> {
        let mut state = Vec::new();
        self.visit_state(stored, &mut |value| state.push(value));
        state
    }

    /// All that decides what the block does next, but for memory.
    fn visit_state(&mut self, stored: Stored, add: &mut impl FnMut(u64)) {
        for (barrier, threads) in &self.course.arrivals {
            add(u64::from(*barrier) << 32 | u64::from(*threads));
        }
        for group in &*self.groups {
            for strand in &group.strands {
                add(match strand.state {
                    State::Ready => u64::MAX,
                    State::Waiting(arrival) => u64::from(arrival.barrier),
                    State::Done => u64::MAX - 1,
                });
                strand.visit_state(&group.lanes, self.world, limited(stored), add);
            }
        }
    }

    /// A strand whose lanes can never come to an end, in its group.
    fn without_exit(&self) -> Option<(usize, usize)> {
        let (program, code) = (self.world.program, self.world.code);
        let is_lost = |strand: &Strand| {
            let top = strand.stack.last();
            top.is_some_and(|top| !leads_out(program, code, top.pc))
        };
        self.groups.iter().enumerate().find_map(|(group, all)| {
            let number = all.strands.iter().position(is_lost)?;
            Some((group, number))
        })
    }
}

/// Asks for what decides on ways that have been executed.
fn limited(stored: Stored) -> Asked {
    Asked {
        stored,
        is_limited: true,
    }
}

/// Whether there is a way from `pc` to an exit, a trap, or a call, in which there may be one.
fn leads_out(program: &Program, code: &[Inst], pc: u32) -> bool {
    let mut is_seen = vec![false; code.len()];
    let mut ways = vec![pc];
    while let Some(mut pc) = ways.pop() {
        while let Some(inst) = code.get(pc as usize) {
            if std::mem::replace(&mut is_seen[pc as usize], true) {
                break;
            }
            match inst.action {
                Action::Exit | Action::Trap | Action::Return | Action::Call => return true,
                Action::Jump(target) => pc = target,
                Action::Branch { taken, other, .. } => {
                    ways.push(taken);
                    pc = other;
                }
                Action::Switch { .. } => {
                    ways.extend(&program.tables[inst.aux as usize]);
                    break;
                }
                _ => pc += 1,
            }
        }
    }
    false
}
