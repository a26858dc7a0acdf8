//! How far a launch has come, while it runs.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// How far a launch has come, for whoever watches a long one from another thread.
#[derive(Debug, Default)]
pub struct Headway {
    /// Blocks that have been started.
    pub started: AtomicU64,
    /// Instructions of warps that have been executed.
    pub instructions: AtomicU64,
    /// The line of the source, or of the PTX where that is not known, at which a warp was that runs long; 0 for none yet.
    pub line: AtomicU32,
}
