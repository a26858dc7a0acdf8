//! What blocks of a cluster know of each other: up to which intervals of their warps. By what they come to know it is in `cluster`.

use crate::check::clocks::{Stamps, WARPS};

/// Of each block of the cluster, its warps' intervals up to which something is known.
pub(super) type Known = Vec<Stamps>;

/// What a block, or whoever looks at an object, knows of the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Knowledge {
    /// What they have done to memory.
    pub(super) memory: Known,
    /// How far they have come.
    pub(super) course: Known,
}

impl Knowledge {
    pub(super) fn of(blocks: usize) -> Self {
        Self {
            memory: vec![[0; WARPS]; blocks],
            course: vec![[0; WARPS]; blocks],
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        join(&mut self.memory, &other.memory);
        join(&mut self.course, &other.course);
    }
}

pub(super) fn join(into: &mut Known, other: &Known) {
    for (into, other) in into.iter_mut().flatten().zip(other.iter().flatten()) {
        *into = (*into).max(*other);
    }
}
