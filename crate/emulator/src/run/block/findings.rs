//! What keeps a block from going on, as findings: loops without end, barriers that wait for nobody. What is wrong with a barrier that is complete is in `divergence`.

use std::sync::atomic::Ordering::Relaxed;

use crate::machine::inst::Action;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::kinds::{Mask, WARP};
use crate::report::{Detail, FindingKind};
use crate::run::block::state::BlockRun;
use crate::run::cluster::CLUSTER;
use crate::run::strand::{Stall, State, Strand};

impl BlockRun<'_, '_, '_> {
    /// Ends the block where its threads wait for what nobody will do.
    pub(super) fn wait_for_ever(&mut self, detail: Detail) {
        let of = |wanted: &dyn Fn(&Strand) -> bool| {
            self.groups.iter().enumerate().find_map(|(group, all)| {
                let number = all.strands.iter().position(wanted)?;
                Some((group, number))
            })
        };
        // In a loop through a barrier, all may be waiting there.
        let runs = |strand: &Strand| strand.state == State::Ready && strand.stalled.is_none();
        if let Some((group, number)) = of(&runs).or_else(|| of(&|_| true)) {
            self.stop_round(group, number, detail);
        }
    }

    /// Tells who watches the launch where a strand is.
    pub(super) fn tell_place(&self, group: usize, number: usize) {
        let Some(headway) = self.world.headway else {
            return;
        };
        let top = self.groups[group].strands[number].stack.last();
        let place = place_near(self.world, top.map_or(0, |top| top.pc));
        let program = self.world.program;
        let source = program.source(place).map(|source| source.line);
        let line = source.unwrap_or(program.ptx_line(place));
        headway.line.store(line, Relaxed);
    }

    /// Ends the block at a strand that never leaves its loop.
    pub(super) fn stop_round(&mut self, group: usize, number: usize, detail: Detail) {
        let strand = &self.groups[group].strands[number];
        let pc = match strand.state {
            State::Waiting(arrival) => arrival.pc,
            _ => strand.stack.last().map_or(0, |top| top.pc),
        };
        let (mask, place) = (strand.mask(), place_near(self.world, pc));
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
