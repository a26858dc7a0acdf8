//! The last volatile accesses of warps' lanes to each granule of shared memory. What is wrong with those that follow is in `volatile`.

use std::collections::HashMap;

use crate::check::clocks::WARPS;

/// When a warp did something: its interval, and the turn in it.
pub(super) type Moment = (u32, u32);

/// The last volatile accesses of one warp's lanes to a granule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    pub(super) stored: Moment,
    pub(super) stored_place: u32,
    pub(super) stored_thread: u32,
    pub(super) loaded: Moment,
    pub(super) loaded_place: u32,
    /// The warp that loaded, and its lanes that did.
    pub(super) loaded_warp: u32,
    pub(super) loaded_lanes: u32,
}

/// Those of a block.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) granules: HashMap<usize, Step>,
    /// Each warp's turns: they end where its lanes may have come to an understanding.
    pub(super) turns: [u32; WARPS],
}

impl Steps {
    /// A block starts.
    pub(super) fn clear(&mut self) {
        if !self.granules.is_empty() {
            self.granules.clear();
        }
    }
}
