//! Strands come apart, so that lanes which wait hold up no others, and go on as one from the same place.

use crate::decode::emit::NO_JOIN;
use crate::machine::inst::Inst;
use crate::program::kinds::{GROUP_WARPS, Mask};
use crate::run::strand::stack::exits;
use crate::run::strand::watch::Watch;
use crate::run::strand::{Entry, State, Strand};

impl Strand {
    /// Leaves only these lanes' warps in this strand; the others, if there are any, become one of their own.
    pub(in crate::run) fn split_warps(&mut self, stay: &Mask) -> Option<Strand> {
        let stay = stay.map(|lanes| if lanes == 0 { 0 } else { u32::MAX });
        let mut others = Strand {
            stack: self.stack.clone(),
            state: State::Ready,
            waits: self.waits,
            stalled: None,
            spins: self.spins,
            fewest: 0,
            held: 0,
            round: 0,
            watch: Watch::default(),
        };
        others.remove(&stay);
        self.remove(&stay.map(|lanes| !lanes));
        (!others.stack.is_empty()).then_some(others)
    }

    /// Whether two strands' lanes are at the same place, also in the branches and calls that they will
    /// return from.
    pub(in crate::run) fn is_with(&self, other: &Strand) -> bool {
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
    pub(in crate::run) fn join(&mut self, other: &Strand) {
        for (entry, other) in self.stack.iter_mut().zip(&other.stack) {
            for (lanes, more) in entry.mask.iter_mut().zip(other.mask) {
                *lanes |= more;
            }
        }
    }

    /// Whether lanes have waited for the others ever since its turn began.
    pub(in crate::run) fn holds_back(&self) -> bool {
        let (below, ran) = self
            .stack
            .split_at(self.fewest.saturating_sub(1).min(self.stack.len()));
        let lanes = |entries: &[Entry]| {
            let mut all = [0; GROUP_WARPS];
            for entry in entries {
                all.iter_mut()
                    .zip(entry.mask)
                    .for_each(|(all, lanes)| *all |= lanes);
            }
            all
        };
        let (waiting, ran) = (lanes(below), lanes(ran));
        waiting
            .iter()
            .zip(ran)
            .any(|(waiting, ran)| waiting & !ran != 0)
    }

    /// Leaves only the running lanes in this strand; the others become one of their own.
    pub(in crate::run) fn split(&mut self) -> Option<Strand> {
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
            fewest: 0,
            held: 0,
            round: 0,
            watch: Watch::default(),
        };
        others.remove(&top.mask);
        top.join = NO_JOIN;
        self.stack.push(top);
        (!others.stack.is_empty()).then_some(others)
    }

    /// The running lanes of warps of which other lanes wait elsewhere, and not just to exit.
    pub(in crate::run) fn apart(&self, code: &[Inst]) -> Option<Mask> {
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
}
