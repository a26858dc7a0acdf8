//! `barrier.cluster` in a cluster of one block: a barrier at which threads arrive first and wait later.

use crate::program::kinds::{GROUP_WARPS, Mask};

/// The number of this barrier among those of `bar`.
pub(super) const CLUSTER: u32 = u32::MAX;

/// Which threads have done what.
#[derive(Debug, Default)]
pub(super) struct ClusterState {
    /// By group: threads that have arrived in the current phase.
    arrived: Vec<Mask>,
    /// Threads that have arrived in a phase that is complete, and not waited yet.
    passed: Vec<Mask>,
}

impl ClusterState {
    pub(super) fn new(groups: usize) -> Self {
        Self {
            arrived: vec![[0; GROUP_WARPS]; groups],
            passed: vec![[0; GROUP_WARPS]; groups],
        }
    }

    pub(super) fn arrive(&mut self, group: usize, threads: &Mask) {
        for (arrived, threads) in self.arrived[group].iter_mut().zip(threads) {
            *arrived |= threads;
        }
    }

    /// Threads wait: whether they may go on at once.
    pub(super) fn wait(&mut self, group: usize, threads: &Mask) -> bool {
        let passed = &mut self.passed[group];
        let may = (passed.iter().zip(threads)).all(|(passed, threads)| threads & !passed == 0);
        if may {
            remove(passed, threads);
        }
        may
    }

    /// How many threads have arrived.
    pub(super) fn arrivals(&self) -> u32 {
        let warps = self.arrived.iter().flatten();
        warps.map(|lanes| lanes.count_ones()).sum()
    }

    /// Whether all threads that have not exited have arrived.
    pub(super) fn is_complete(&self, live: impl Iterator<Item = Mask>) -> bool {
        self.arrived.iter().zip(live).all(|(arrived, live)| {
            (arrived.iter().zip(live)).all(|(arrived, live)| live & !arrived == 0)
        })
    }

    /// Starts the next phase.
    pub(super) fn complete(&mut self) {
        for (passed, arrived) in self.passed.iter_mut().zip(&mut self.arrived) {
            for (passed, arrived) in passed.iter_mut().zip(arrived) {
                *passed |= std::mem::take(arrived);
            }
        }
    }
}

fn remove(from: &mut Mask, threads: &Mask) {
    for (from, threads) in from.iter_mut().zip(threads) {
        *from &= !threads;
    }
}
