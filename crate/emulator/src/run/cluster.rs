//! `barrier.cluster` as one block of the cluster sees it: a barrier at which threads arrive first and wait later. That all blocks have come is found out in `unit`.

use crate::program::kinds::{GROUP_WARPS, Mask};
use crate::report::ClusterBarrierFault;

/// The number of this barrier among those of `bar`.
pub(super) const CLUSTER: u32 = u32::MAX;

/// Which threads of a block have done what.
#[derive(Debug, Default)]
pub(super) struct ClusterState {
    /// By group: threads that have arrived in the current phase.
    arrived: Vec<Mask>,
    /// Threads that have arrived in a phase that is complete, and not waited yet.
    passed: Vec<Mask>,
    /// The last instruction at which threads have arrived.
    pub(super) last_arrival: u32,
}

impl ClusterState {
    pub(super) fn new(groups: usize) -> Self {
        Self {
            arrived: vec![[0; GROUP_WARPS]; groups],
            passed: vec![[0; GROUP_WARPS]; groups],
            last_arrival: 0,
        }
    }

    /// What is wrong with threads that arrive now, if anything, and which they are.
    pub(super) fn misfit(
        &self,
        group: usize,
        threads: &Mask,
        waits: bool,
    ) -> Option<(ClusterBarrierFault, Mask)> {
        let mut wrong = [0; GROUP_WARPS];
        for (warp, wrong) in wrong.iter_mut().enumerate() {
            let came = self.arrived[group][warp] | self.passed[group][warp];
            *wrong = threads[warp] & if waits { !came } else { came };
        }
        let fault = match waits {
            true => ClusterBarrierFault::WaitAlone,
            false => ClusterBarrierFault::ArriveTwice,
        };
        (wrong != [0; GROUP_WARPS]).then_some((fault, wrong))
    }

    /// Threads that have arrived and not waited, of the first group that has such.
    pub(super) fn left(&self) -> Option<(usize, Mask)> {
        let groups = self.arrived.iter().zip(&self.passed).enumerate();
        groups
            .map(|(group, (arrived, passed))| {
                (
                    group,
                    std::array::from_fn(|warp| arrived[warp] | passed[warp]),
                )
            })
            .find(|(_, left)| *left != [0; GROUP_WARPS])
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
