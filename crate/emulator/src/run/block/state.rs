//! A block while it runs: its groups, its world, how far it has come, and who waits where. What happens to it is in the other files here.

use crate::machine::world::World;
use crate::program::Place;
use crate::program::kinds::Mask;
use crate::run::block::rounds::Rounds;
use crate::run::cluster::ClusterState;
use crate::run::group::{Group, lanes_in};
use crate::run::strand::{Arrival, State, Strand};

/// How far a block has come, beside what its threads hold.
#[derive(Debug)]
pub(in crate::run) struct Course {
    /// Threads that have passed `bar.arrive`, by barrier.
    pub(super) arrivals: Vec<(u32, u32)>,
    /// Barriers that a thread has passed so which comes after the grid before.
    pub(super) arrived_after: Vec<u32>,
    /// Warp instructions up to barriers that nobody has been told of yet.
    pub(super) unreported: u64,
    pub(super) cluster: ClusterState,
    pub(super) idle_rounds: u32,
    /// Passes in a row in which all have waited.
    pub(super) waiting_passes: u32,
    /// Some strand's last turn did more than wait.
    pub(super) moved: bool,
    /// In a checked launch, the threads that have come to each barrier of the text so far, by group.
    pub(super) came: Vec<(BarrierPlace, Vec<Mask>)>,
    /// Its states, as far as they are looked at.
    pub(super) rounds: Rounds,
    /// Warp instructions since the first finding in it.
    pub(super) since_found: u64,
}

/// Lines of CUDA C++ and none of PTX, unless there are no others: a loop that the compiler unrolls has many barriers of
/// one line.
pub(super) type BarrierPlace = Place;

pub(super) struct BlockRun<'b, 'w, 'a> {
    pub(super) groups: &'b mut [Group],
    pub(super) world: &'w mut World<'a>,
    pub(super) course: &'b mut Course,
}

impl BlockRun<'_, '_, '_> {
    /// Strands that wait at a barrier, with their group.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, &Strand, Arrival)> {
        self.groups.iter().enumerate().flat_map(|(number, group)| {
            group
                .strands
                .iter()
                .filter_map(move |strand| match strand.state {
                    State::Waiting(arrival) => Some((number, strand, arrival)),
                    _ => None,
                })
        })
    }

    pub(super) fn arrived(&self, barrier: u32) -> u32 {
        self.waiting()
            .filter(|(_, _, arrival)| arrival.barrier == barrier)
            .map(|(_, strand, _)| lanes_in(&strand.mask()))
            .sum()
    }

    pub(super) fn live(&self) -> u32 {
        self.groups
            .iter()
            .map(|group| lanes_in(&group.live()))
            .sum()
    }

    /// Where a barrier stands in the text.
    pub(super) fn barrier_place(&self, arrival: &Arrival) -> BarrierPlace {
        let program = self.world.program;
        let place = self.world.code[arrival.pc as usize].place;
        match program.places.get(place as usize) {
            Some(place) if place.file != u32::MAX => Place {
                ptx_line: 0,
                ..*place
            },
            _ => Place {
                ptx_line: program.ptx_line(place),
                ..Place::UNKNOWN
            },
        }
    }

    /// Whether threads of a warp may come to the barrier one by one; `aux` marks these.
    pub(super) fn is_loose(&self, arrival: &Arrival) -> bool {
        self.is_loose_at(arrival.pc)
    }

    pub(super) fn is_loose_at(&self, pc: u32) -> bool {
        self.world.code[pc as usize].aux != 0
    }
}
