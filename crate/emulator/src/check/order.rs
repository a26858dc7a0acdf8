//! What happened before what among blocks that wait for each other: which intervals of which warps have been released.

use std::collections::HashMap;

use crate::check::cells::Actor;
use crate::check::clocks::{Clocks, WARPS};
use crate::program::observation::Observation;

/// The phases of all blocks so far, in the order in which they told what they did, and their releases.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The block of each phase.
    blocks: Vec<u64>,
    /// Releases so far: their clock.
    now: u32,
    /// For each block, of each of its warps: when intervals up to which stamp were released. Both go up.
    released: HashMap<u64, Vec<Vec<(u32, u32)>>>,
    /// The last release that a strong store to an address tells of.
    told: HashMap<u64, u32>,
}

impl Order {
    /// A block's next phase.
    pub(super) fn begin(&mut self, block: u64) -> u32 {
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    /// A warp of a block tells others, who may acquire it from now on, of what fences made visible: for each warp of
    /// the block, its intervals up to this stamp. Returns the release by which all of it is known.
    pub(super) fn release(&mut self, block: u64, visible: &[u32]) -> u32 {
        let released = self
            .released
            .entry(block)
            .or_insert_with(|| vec![Vec::new(); WARPS]);
        let (time, mut last) = (self.now + 1, 0);
        for (times, stamp) in released
            .iter_mut()
            .zip(visible)
            .filter(|(_, stamp)| **stamp > 0)
        {
            if times.last().map_or(0, |(_, last)| *last) < *stamp {
                times.push((time, *stamp));
                self.now = time;
            }
            let at = times.partition_point(|(_, released)| released < stamp);
            last = last.max(times[at].0);
        }
        last
    }

    /// Who reads at an address learns of the releases up to this one; an atomic that `links` lets stand what was told there
    /// before. That one learns of earlier releases by others too errs on the side of silence.
    pub(super) fn tell_at(&mut self, address: u64, release: u32, links: bool) {
        if release > 0 || !links && !self.told.is_empty() {
            let told = self.told.entry(address).or_default();
            *told = if links { release.max(*told) } else { release };
        }
    }

    /// The last release that who reads at an address learns of.
    pub(super) fn told_at(&self, address: u64) -> u32 {
        self.told.get(&address).copied().unwrap_or(0)
    }

    /// The last release so far.
    pub(super) fn now(&self) -> u32 {
        self.now
    }

    pub(super) fn block(&self, phase: u32) -> u64 {
        self.blocks[phase as usize]
    }

    /// Whether what a warp of a block did in an interval was released no later than this.
    fn is_released(&self, block: u64, (warp, stamp): (usize, u32), acquired: u32) -> bool {
        let Some(times) = self.released.get(&block).and_then(|warps| warps.get(warp)) else {
            return false;
        };
        let at = times.partition_point(|(_, released)| *released < stamp);
        times.get(at).is_some_and(|(time, _)| *time <= acquired)
    }
}

/// What the warps of a block know of others as they do something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acquired<'o> {
    pub(super) order: &'o Order,
    /// The block's own, and for each warp the last release that it knows of.
    pub(super) clocks: &'o Clocks,
    pub(super) observation: &'o Observation,
}

impl Acquired<'_> {
    /// Whether what a thread of another block did in an interval of its warp happened before what one of this block
    /// does now.
    pub(super) fn is_ordered(&self, block: u64, (old, stamp): (Actor, u32), new: Actor) -> bool {
        let acquired = self.clocks.acquired()[new.warp() % WARPS];
        self.order.is_released(block, (old.warp(), stamp), acquired)
    }

    /// The same of a thread of this block.
    pub(super) fn is_ordered_within(&self, (old, stamp): (Actor, u32), new: Actor) -> bool {
        self.clocks.ordered(new.warp(), old.warp(), stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cells::Manner;

    #[test]
    fn a_release_covers_the_intervals_that_were_visible_of_each_warp() {
        let mut order = Order::default();
        order.release(7, &[5, 0]);
        let first = order.now();
        order.release(7, &[5, 3]);
        let by = |warp: u32| Actor::new(0, 32 * warp, Manner::Weak);
        let observation = Observation::default();
        let is_ordered = |old: (u32, u32), last: u32| {
            let mut clocks = Clocks::new();
            clocks.start(2);
            clocks.acquire_from_blocks(1, last);
            let acquired = Acquired {
                order: &order,
                clocks: &clocks,
                observation: &observation,
            };
            assert!(
                !acquired.is_ordered(7, (by(old.0), old.1), by(0)),
                "warp 0 has acquired nothing"
            );
            acquired.is_ordered(7, (by(old.0), old.1), by(1))
        };
        assert!(is_ordered((0, 5), first) && !is_ordered((0, 6), first));
        assert!(
            !is_ordered((1, 3), first),
            "the other warp's was not visible yet"
        );
        assert!(is_ordered((1, 3), order.now()) && !is_ordered((1, 4), order.now()));
    }

    #[test]
    fn what_releases_nothing_new_is_no_release() {
        let mut order = Order::default();
        order.release(0, &[2, 2]);
        let now = order.now();
        order.release(0, &[2, 1]);
        order.release(1, &[0, 0]);
        assert_eq!(order.now(), now);
    }
}
