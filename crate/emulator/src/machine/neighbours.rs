//! The other blocks of a block's cluster while it runs: their shared memory, and what is under way there. How accesses find it is in `operations::remote`.

use crate::check::{BlockShadow, ClusterShadow};
use crate::machine::pending::Pending;

/// What one block of a cluster leaves to the others while it does not run itself.
#[derive(Debug, Default)]
pub(crate) struct Neighbour<'a> {
    pub(crate) shared: Vec<u32>,
    pub(crate) pending: Pending,
    pub(crate) check: Option<Box<BlockShadow<'a>>>,
    /// All its threads have exited.
    pub(crate) has_ended: bool,
}

/// A cluster as one of its blocks sees it.
#[derive(Debug, Default)]
pub(crate) struct Neighbours<'a> {
    /// The block that runs.
    pub(crate) rank: u32,
    /// By rank; the memory of the block that runs is not here.
    pub(crate) blocks: Vec<Neighbour<'a>>,
    /// What a checked launch knows of the cluster.
    pub(crate) shadow: Option<ClusterShadow>,
}

impl Neighbours<'_> {
    /// The number of blocks.
    pub(crate) fn count(&self) -> u32 {
        self.blocks.len() as u32
    }
}
