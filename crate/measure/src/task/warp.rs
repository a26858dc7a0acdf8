//! How a cell names one warp of a launch.

/// One warp of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpOf {
    /// The block's index in the grid: x, y, z.
    pub block: [u32; 3],
    /// The warp's number in the block.
    pub warp: u32,
}

impl From<([u32; 3], u32)> for WarpOf {
    fn from((block, warp): ([u32; 3], u32)) -> Self {
        Self { block, warp }
    }
}

impl From<((u32, u32), u32)> for WarpOf {
    fn from(((x, y), warp): ((u32, u32), u32)) -> Self {
        Self::from(([x, y, 0], warp))
    }
}

impl From<(u32, u32)> for WarpOf {
    fn from((x, warp): (u32, u32)) -> Self {
        Self::from(([x, 0, 0], warp))
    }
}
