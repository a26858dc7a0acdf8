//! What CUDA leaves undefined about a barrier that is complete: who came to another one, or had exited. That a barrier is never complete is in `findings`.

use crate::program::kinds::{GROUP_WARPS, Mask};
use crate::report::{Detail, FindingKind};
use crate::run::block::state::BlockRun;
use crate::run::group::lanes_in;
use crate::run::strand::Arrival;

impl BlockRun<'_, '_, '_> {
    /// What CUDA leaves undefined about a barrier that is complete.
    pub(super) fn check_divergence(&mut self, barrier: u32) {
        let arrivals: Vec<(usize, Mask, Arrival)> = self
            .waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier && !self.is_loose(arrival))
            .map(|(group, strand, arrival)| (group, strand.mask(), arrival))
            .collect();
        let Some((_, _, first)) = arrivals.first().copied() else {
            return;
        };
        for (group, mask, arrival) in &arrivals {
            if let Some(missing) = self.missing(*group, mask, arrival, &arrivals) {
                self.divergence(*group, arrival, &missing);
                return;
            }
        }
        if first.threads.is_none() {
            self.check_places(&arrivals);
            self.check_exited(&first);
        }
        self.remember(&arrivals);
    }

    fn remember(&mut self, arrivals: &[(usize, Mask, Arrival)]) {
        let groups = self.groups.len();
        for (group, mask, arrival) in arrivals {
            let place = self.barrier_place(arrival);
            let came = &mut self.course.came;
            let known = came.iter().position(|(other, _)| *other == place);
            let at = known.unwrap_or_else(|| {
                came.push((place, vec![[0; GROUP_WARPS]; groups]));
                came.len() - 1
            });
            for (all, lanes) in came[at].1[*group].iter_mut().zip(mask) {
                *all |= lanes;
            }
        }
    }

    /// The lanes of warps of which others, that have not exited, do not wait at the same place.
    fn missing(
        &self,
        group: usize,
        mask: &Mask,
        arrival: &Arrival,
        arrivals: &[(usize, Mask, Arrival)],
    ) -> Option<Mask> {
        let live = self.groups[group].live();
        let mut here = [0; GROUP_WARPS];
        for (_, lanes, _) in arrivals
            .iter()
            .filter(|(other, _, at)| *other == group && at.pc == arrival.pc)
        {
            for (here, lanes) in here.iter_mut().zip(lanes) {
                *here |= lanes;
            }
        }
        let mut missing = [0; GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            if mask[warp] != 0 && here[warp] != live[warp] {
                missing[warp] = mask[warp];
            }
        }
        (missing != [0; GROUP_WARPS]).then_some(missing)
    }

    /// All threads of the block must come to one `__syncthreads()`, not each to its own.
    fn check_places(&mut self, arrivals: &[(usize, Mask, Arrival)]) {
        let program = self.world.program;
        let (_, _, first) = &arrivals[0];
        let other = arrivals
            .iter()
            .find(|(_, _, at)| self.barrier_place(at) != self.barrier_place(first));
        if let Some((group, mask, arrival)) = other {
            let place = |arrival: &Arrival| self.world.code[arrival.pc as usize].place;
            let (place, elsewhere) = (place(arrival), place(first));
            let detail = Detail::TwoBarriers {
                source: program.source(elsewhere),
                ptx_line: program.ptx_line(elsewhere),
            };
            self.stop(FindingKind::BarrierDivergence, place, *group, mask, detail);
        }
    }

    /// Since Volta a barrier does not wait for threads that have exited. It is a mistake all the same if some of them
    /// have come to this one before: a loop that not all threads go through equally often.
    fn check_exited(&mut self, arrival: &Arrival) {
        let mut exited = 0;
        let mut first = None;
        let place = self.barrier_place(arrival);
        let came = self.course.came.iter().find(|(other, _)| *other == place);
        let mut came_before = false;
        for (number, group) in self.groups.iter().enumerate() {
            let mut gone = group.threads;
            for (gone, live) in gone.iter_mut().zip(group.live()) {
                *gone &= !live;
            }
            exited += lanes_in(&gone);
            if let Some((_, came)) = came {
                came_before |= gone
                    .iter()
                    .zip(came[number])
                    .any(|(gone, came)| gone & came != 0);
            }
            if first.is_none() && gone != [0; GROUP_WARPS] {
                first = Some((number, gone));
            }
        }
        if let Some((group, gone)) = first {
            let place = self.world.code[arrival.pc as usize].place;
            let detail = Detail::Exited {
                threads: exited,
                came_before,
            };
            self.stop(FindingKind::BarrierDivergence, place, group, &gone, detail);
        }
    }

    pub(super) fn divergence(&mut self, group: usize, arrival: &Arrival, mask: &Mask) {
        if !self.is_loose(arrival) {
            let place = self.world.code[arrival.pc as usize].place;
            self.stop(
                FindingKind::BarrierDivergence,
                place,
                group,
                mask,
                Detail::None,
            );
        }
    }
}
