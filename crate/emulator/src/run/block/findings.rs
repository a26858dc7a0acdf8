//! What keeps a block from going on, as findings: loops without end, barriers that wait for nobody. What is wrong with a barrier that is complete is in `divergence`.

use crate::machine::inst::Action;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::kinds::{Mask, WARP};
use crate::report::{Detail, FindingKind};
use crate::run::block::state::BlockRun;
use crate::run::cluster::CLUSTER;
use crate::run::strand::{Stall, State};

impl BlockRun<'_, '_, '_> {
    /// Ends the block where its threads wait for what nobody will do.
    pub(super) fn wait_for_ever(&mut self, detail: Detail) {
        let found = self.groups.iter().enumerate().find_map(|(number, group)| {
            let mut strands = group.strands.iter();
            let strand = strands.find(|strand| strand.state == State::Ready)?;
            let pc = strand.stack.last().map_or(0, |top| top.pc);
            Some((number, strand.mask(), pc))
        });
        let Some((group, mask, pc)) = found else {
            return;
        };
        let place = place_near(self.world, pc);
        self.stop(FindingKind::EndlessLoop, place, group, &mask, detail);
    }

    /// Nothing can go on: some barrier waits for threads that will not come.
    pub(super) fn stuck(&mut self) {
        let first = self
            .waiting()
            .map(|(group, strand, arrival)| (group, strand.mask(), arrival))
            .next();
        let Some((group, mask, arrival)) = first else {
            return;
        };
        let expected = arrival.threads.unwrap_or_else(|| self.live());
        let arrived = match arrival.barrier {
            CLUSTER => self.course.cluster.arrivals(),
            barrier => self.arrived(barrier),
        };
        let detail = Detail::Barrier {
            barrier: arrival.barrier,
            arrived,
            expected,
            is_counted: arrival.threads.is_some(),
        };
        let place = self.world.code[arrival.pc as usize].place;
        self.stop(FindingKind::BarrierDivergence, place, group, &mask, detail);
    }

    /// All that could go on waits at mbarriers, and nothing will complete them.
    pub(super) fn stuck_waiting(&mut self) {
        let first = self.groups.iter().enumerate().find_map(|(number, group)| {
            let stalled = group.strands.iter().filter_map(|strand| strand.stalled);
            stalled.map(|stall| (number, stall)).next()
        });
        let Some((group, Stall { pc, blocked })) = first else {
            return;
        };
        let detail = self.world.incomplete(blocked.barrier);
        let place = self.world.code[pc as usize].place;
        self.stop(
            FindingKind::Mbarrier,
            place,
            group,
            &blocked.waiting,
            detail,
        );
    }

    pub(super) fn endless(&mut self, group: usize, mask: &Mask, budget: u64) {
        let pc = self.groups[group]
            .strands
            .iter()
            .find(|strand| strand.mask() == *mask)
            .map_or(0, |strand| strand.stack.last().map_or(0, |top| top.pc));
        let place = place_near(self.world, pc);
        self.stop(
            FindingKind::EndlessLoop,
            place,
            group,
            mask,
            Detail::Budget {
                instructions: budget,
                whole_launch: false,
            },
        );
    }

    pub(super) fn stop(
        &mut self,
        kind: FindingKind,
        place: u32,
        group: usize,
        mask: &Mask,
        detail: Detail,
    ) {
        let warp = mask.iter().position(|lanes| *lanes != 0).unwrap_or(0);
        let lane = mask[warp].trailing_zeros() as usize % WARP;
        let thread = (self.groups[group].lanes.first_warp + warp) * WARP + lane;
        self.world.fault(Fault {
            kind,
            block: self.world.block,
            place,
            space: None,
            thread: thread as u32,
            address: None,
            access_bytes: 0,
            is_store: false,
            count: 1,
            detail,
        });
    }
}

/// The place of the first instruction from `pc` on that has one.
fn place_near(world: &World, pc: u32) -> u32 {
    let code = &world.code[pc as usize..];
    let with_place = code.iter().find(|inst| {
        !matches!(
            inst.action,
            Action::Block(_) | Action::Jump(_) | Action::Exit
        )
    });
    with_place.map_or(0, |inst| inst.place)
}
