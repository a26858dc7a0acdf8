//! A launch as the host asks for it: entry, shape, arguments, options.

use crate::program::cluster::Cluster;
use crate::report::{Headway, TraceRequest};
use crate::tensor_map::TensorMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// How to run it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Host threads; 0 for one per core. Always one without the `threads` feature.
    pub threads: usize,
    /// Also look for what does not stop a run: barriers under divergence.
    pub check: bool,
    /// PTX instructions that one warp may execute before it counts as an endless loop. Without a limit by default: a loop
    /// that comes back to where it was is found by its state, and a kernel that is only long takes its time.
    pub instruction_budget: u64,
    /// Warp instructions that the whole launch may execute; without a limit by default.
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
    /// Where it is kept how far the launch is.
    pub headway: Option<Arc<Headway>>,
    /// Told now and then how many blocks were started, of how many, and how many instructions of warps were executed: for a
    /// host with one thread, where nobody can watch. Once it gives false, the launch ends as one whose budget is spent.
    pub progress: Option<fn(u64, u64, u64) -> bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 0,
            check: false,
            instruction_budget: u64::MAX,
            launch_budget: u64::MAX,
            cluster: None,
            cooperative: false,
            programmatic: false,
            trace: None,
            touched: false,
            stop: None,
            headway: None,
            progress: None,
        }
    }
}
