//! What loops over whole warps go by: the warps of a mask, the lanes that share a run of words.

use crate::program::kinds::{GROUP_WARPS, WARP};

// Loops over warps and lanes are written as such: the body of a closure would be compiled without the vector
// instructions.

/// The warps whose bits are set.
pub(super) struct Warps(pub(super) u32);

impl Iterator for Warps {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let warp = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (warp < GROUP_WARPS).then_some(warp)
    }
}

/// The first of so many lanes each.
pub(super) struct Chunks {
    lane: usize,
    lanes: usize,
}

impl Chunks {
    #[inline(always)]
    pub(super) fn of(lanes: usize) -> Self {
        Self { lane: 0, lanes }
    }
}

impl Iterator for Chunks {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = self.lane;
        self.lane += self.lanes;
        (lane < WARP).then_some(lane)
    }
}
