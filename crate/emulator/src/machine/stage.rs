//! Where a matrix instruction's fragments lie while it executes.

use crate::program::kinds::{GROUP_WARPS, WARP};

/// Rows of the stage for each warp. `wgmma.m64n256` has 128 registers of sums and 4 of A, no other as many.
const STAGE_ROWS: usize = 132;

/// One register of a fragment: a word of each lane.
pub(crate) type Row = [u32; WARP];

/// Where the fragments of one instruction lie while it executes: for each warp of the group, a row for each 32-bit
/// register and two for each 64-bit one, low words first.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// Empty until a matrix instruction executes: most kernels have none.
    pub(crate) rows: Vec<Row>,
    /// What the results of each warp are to be marked by, in a checked launch; 0 for nothing.
    pub(crate) marks: [u32; GROUP_WARPS],
}

impl Stage {
    pub(crate) fn warp(&mut self, warp: usize) -> &mut [Row] {
        if self.rows.is_empty() {
            self.rows = vec![[0; WARP]; GROUP_WARPS * STAGE_ROWS];
        }
        &mut self.rows[warp * STAGE_ROWS..][..STAGE_ROWS]
    }
}
