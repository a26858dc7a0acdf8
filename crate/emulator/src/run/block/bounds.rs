//! How far a block may go at a time, and how it ended. What a turn does is in `turn`.

/// Instructions that a strand runs before another gets a turn.
pub(super) const SLICE: u64 = 1 << 16;
/// The same where blocks may wait for each other, until it is known whether they do.
pub(super) const FIRST_SLICE: u64 = 1 << 12;
/// The same for one that waits for others, and for one whose last turn changed nothing.
pub(super) const SHORT_SLICE: u64 = 1 << 8;
pub(super) const IDLE_SLICE: u64 = 1 << 5;

/// How far a launch may go, and whether it should go on.
pub(in crate::run) struct Bounds<'c> {
    pub(in crate::run) warp_budget: u64,
    pub(in crate::run) check: bool,
    /// Changes that other blocks have made to memory so far.
    pub(in crate::run) epoch: u64,
    /// Asked now and then, with the warp instructions since the last time: true to abandon the block.
    pub(in crate::run) abandon: &'c mut dyn FnMut(u64) -> bool,
}

/// How a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::run) enum Ended {
    Done,
    /// A finding stops the launch.
    Stopped,
    /// Something elsewhere stops the launch.
    Abandoned,
    /// It has not ended: all that its threads do is wait. If nobody changes memory, `for_ever`.
    Waits {
        for_ever: bool,
    },
    /// It goes round in a circle that changes nothing, and asks nobody for anything.
    Endless,
    /// It has not ended: threads wait at the barrier of its cluster, and no other can go on.
    AtCluster,
    /// It has not ended: all that can go on waits in vain at mbarriers, which others of its cluster may complete.
    Stalled,
}
