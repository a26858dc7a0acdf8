//! A grid while it runs: what its host threads share of it, and what ends it.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use crate::check::GridShadow;
use crate::decode::DecodedEntry;
use crate::launch::Options;
use crate::memory::Buffer;
use crate::memory::heap::Heap;
use crate::memory::textures::Textures;
use crate::memory::touches::Touches;
use crate::run::preset::LaunchShape;

/// Warp instructions of the blocks that are run after the first in which anything was found, if they are like it.
const AFTER_FOUND: u64 = 1 << 28;

pub(super) struct Grid<'g> {
    pub(super) entry: &'g DecodedEntry,
    pub(super) shape: LaunchShape,
    pub(super) options: &'g Options,
    pub(super) buffers: &'g [&'g Buffer],
    pub(super) textures: &'g Textures,
    pub(super) heap: Option<&'g Heap>,
    pub(super) constants: &'g [u32],
    pub(super) params: &'g [u32],
    pub(super) touches: Option<&'g Touches>,
    /// Present if the launch is checked.
    pub(super) shadow: Option<&'g GridShadow>,
    pub(super) blocks: u64,
    /// The first block with a finding that stops the launch: those before it still run, so that the
    /// outcome does not depend on the host's threads.
    pub(super) stop: AtomicU64,
    /// Warp instructions of the whole launch so far.
    pub(super) executed: AtomicU64,
    pub(super) exhausted: AtomicBool,
    /// The first block in which anything was found, and the warp instructions that it took.
    pub(super) found: Mutex<Option<(u64, u64)>>,
    pub(super) has_found: AtomicBool,
}

impl Grid<'_> {
    /// Clusters of the grid, or blocks where there are none.
    pub(super) fn units(&self) -> u64 {
        self.blocks / u64::from(self.shape.cluster_blocks())
    }

    pub(super) fn is_checked(&self) -> bool {
        self.shadow.is_some()
    }

    /// A finding of this block stops the launch.
    pub(super) fn stop_at(&self, block: u64) {
        self.stop.fetch_min(block, Relaxed);
    }

    /// Whether the launch ends before this block.
    pub(super) fn is_over(&self, block: u64) -> bool {
        let suspect = self.shadow.is_some_and(GridShadow::is_suspect);
        self.stop.load(Relaxed) < block || self.exhausted.load(Relaxed) || suspect
    }

    /// A block has ended in which something was found; so many warp instructions were executed in it.
    pub(super) fn note_found(&self, block: u64, executed: u64) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_none_or(|(first, _)| block < first) {
            *found = Some((block, executed));
        }
        self.has_found.store(true, Relaxed);
    }

    /// The first block in which anything was found, and the last one that is run after it: there is more of the same, and
    /// who waits for a finding should not wait for all of it. It follows from the blocks alone, not from how fast they run.
    pub(super) fn last_after_found(&self) -> Option<(u64, u64)> {
        if !self.has_found.load(Relaxed) || self.shape.cluster_blocks() > 1 {
            return None;
        }
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, executed) = (*found)?;
        Some((first, first.saturating_add(AFTER_FOUND / executed.max(1))))
    }

    /// Tells the host how far the launch is, and ends it where the host wants no more.
    pub(super) fn tell_progress(&self, block: u64) {
        if let Some(goes_on) = self.options.progress
            && !goes_on(block, self.blocks, self.executed.load(Relaxed))
        {
            self.exhausted.store(true, Relaxed);
        }
    }

    pub(super) fn spend(&self, executed: u64) {
        let spent =
            self.executed.fetch_add(executed, Relaxed) + executed > self.options.launch_budget;
        if let Some(headway) = &self.options.headway {
            headway.instructions.fetch_add(executed, Relaxed);
        }
        let stop = self.options.stop.as_deref();
        if spent || stop.is_some_and(|stop| stop.load(Relaxed)) {
            self.exhausted.store(true, Relaxed);
        }
    }
}
