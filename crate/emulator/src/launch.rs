//! A launch as the host asks for it: entry, shape, arguments, options.

use crate::program::cluster::Cluster;
use crate::report::TraceRequest;
use crate::tensor_map::TensorMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

impl From<TensorMap> for Arg {
    fn from(map: TensorMap) -> Self {
        Arg(map.encode().to_vec())
    }
}

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// Name of the kernel.
    pub entry: &'a str,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of `extern __shared__` memory.
    pub dynamic_shared_bytes: u32,
    /// One per parameter.
    pub args: &'a [Arg],
}

/// The little-endian bytes of one argument, exactly as many as the parameter has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg(pub Vec<u8>);

macro_rules! arg_from {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Arg {
            fn from(value: $ty) -> Self {
                Arg(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

arg_from!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// The least budget of a warp that follows from the launch, and what the warps of a block have together.
const LEAST_WARP_BUDGET: u64 = 1 << 26;
const BLOCK_BUDGET: u64 = 1 << 31;

impl Options {
    /// What a warp of a block of so many may execute.
    pub(crate) fn warp_budget(&self, warps: u64) -> u64 {
        match self.instruction_budget {
            0 => (BLOCK_BUDGET / warps.max(1)).max(LEAST_WARP_BUDGET),
            budget => budget,
        }
    }
}

/// How to run it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Host threads; 0 for one per core. Always one without the `threads` feature.
    pub threads: usize,
    /// Also look for what does not stop a run: barriers under divergence.
    pub check: bool,
    /// PTX instructions that one warp may execute before it counts as an endless loop; 0 for a budget that follows from
    /// the launch: 2³¹ for a block of one warp, less for more, but never less than 2²⁶.
    pub instruction_budget: u64,
    /// Warp instructions that the whole launch may execute.
    pub launch_budget: u64,
    /// Launch in clusters of blocks; `None` for what the kernel itself asks for, which is one block where it asks nothing.
    pub cluster: Option<Cluster>,
    /// A cooperative launch: all blocks run together, and may wait for each other at the barrier of the grid
    /// (`grid.sync()`). One of more blocks than an H200 runs together is refused with [`crate::FindingKind::Limit`].
    pub cooperative: bool,
    /// A programmatic dependent launch: with [`Options::touched`], the report tells what it does before it has waited for
    /// the grid before.
    pub programmatic: bool,
    /// Accesses to record.
    pub trace: Option<TraceRequest>,
    /// Tell which bytes of each buffer the launch reads and writes.
    pub touched: bool,
    /// Once it is set, the launch ends as one whose budget is spent: what it has done until then is left as it is.
    pub stop: Option<Arc<AtomicBool>>,
    /// Where the number of blocks started so far is kept, for whoever watches a long launch.
    pub started: Option<Arc<AtomicU64>>,
    /// Told now and then how many blocks were started, and of how many: for a host with one thread, where nobody can watch.
    pub progress: Option<fn(u64, u64)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 0,
            check: false,
            instruction_budget: 0,
            launch_budget: 1 << 36,
            cluster: None,
            cooperative: false,
            programmatic: false,
            trace: None,
            touched: false,
            stop: None,
            started: None,
            progress: None,
        }
    }
}
