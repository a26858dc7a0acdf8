//! A block of a programmatic dependent launch: which of its threads come after the grid before theirs, and whether it let the next grid begin before it did so itself. The rules are those of `griddepcontrol` (PTX ISA).

use crate::program::kinds::WARP;

/// Warps of the largest block.
const MOST_WARPS: usize = 1024 / WARP;

/// What a block knows of the grid before its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dependence {
    /// Of each warp the lanes that come after that grid's end: they have waited, or have met somebody who has.
    after: [u32; MOST_WARPS],
    /// A thread has let the next grid begin without having waited.
    let_begin_early: bool,
}

impl Dependence {
    /// Those of a warp's lanes that may run while the grid before does.
    pub(crate) fn early(&self, warp: usize, mask: u32) -> u32 {
        mask & !self.after.get(warp).copied().unwrap_or(u32::MAX)
    }

    /// Lanes of a warp execute `griddepcontrol.wait`.
    pub(crate) fn wait(&mut self, warp: usize, mask: u32) {
        if let Some(after) = self.after.get_mut(warp) {
            *after |= mask;
        }
    }

    /// Lanes of a warp execute `griddepcontrol.launch_dependents`.
    pub(crate) fn let_begin(&mut self, warp: usize, mask: u32) {
        self.let_begin_early |= self.early(warp, mask) != 0;
    }

    /// Whether one of these lanes comes after the grid before.
    pub(crate) fn is_after(&self, warp: usize, mask: u32) -> bool {
        self.early(warp, mask) != mask
    }

    /// Whether any thread has waited.
    pub(crate) fn waits(&self) -> bool {
        self.after.iter().any(|lanes| *lanes != 0)
    }

    /// Whether the next grid cannot begin before the grid before this one has ended: this block lets it begin, or ends, only
    /// after that.
    pub(crate) fn holds_next(&self) -> bool {
        self.waits() && !self.let_begin_early
    }
}
