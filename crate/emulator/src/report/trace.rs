//! What a launch was asked to record of single executions, and what it recorded. Sums over all are in `site`.

use crate::report::handover::Handover;
use crate::report::shuffle::Shuffle;
use crate::report::space::Space;
use crate::report::steps::{Steps, StepsRequest};

/// Which accesses to record.
#[derive(Debug, Clone, Default)]
pub struct TraceRequest {
    /// The blocks to record, as `blockIdx`.
    pub blocks: Vec<[u32; 3]>,
    /// The warps of those blocks; all if `None`.
    pub warps: Option<Vec<u32>>,
    /// Recording stops after so many accesses, and that of shuffles and of handovers after so many of these.
    pub max_accesses: usize,
    /// Of so many blocks, the first ones, record where they reach in global memory.
    pub max_blocks: usize,
    /// For all blocks, count these accesses as wider ones, and the runs of basic blocks.
    pub wides: Option<Vec<Wide>>,
    /// A warp to follow step by step. Such a launch ends at findings as others do; a `Device` gives them as data.
    pub steps: Option<StepsRequest>,
}

impl TraceRequest {
    /// Follows one warp of a block step by step, for so many steps.
    pub fn steps(block: [u32; 3], warp: u32, most: usize) -> Self {
        let steps = StepsRequest {
            block,
            warp,
            skipped: 0,
            most,
        };
        Self {
            steps: Some(steps),
            ..Self::default()
        }
    }
}

/// Memory instructions of one basic block that machine code does together, as one wider access of each lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wide {
    /// Their lines in the PTX, by rising address.
    pub ptx_lines: Vec<u32>,
}

/// What the accesses of a [`Wide`] count as one. Units as in [`crate::Site`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WideCount {
    /// Executions by warps.
    pub executed: u64,
    /// Requests.
    pub requests: u64,
    /// 32-byte sectors (global and local memory).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest.
    pub bank_conflicts: u64,
    /// Executions whose parts do not lie side by side, or not in all lanes: then they are not one access.
    pub misfits: u64,
}

/// How often a basic block of the PTX was executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockRuns {
    /// The lines of its instructions in the PTX.
    pub ptx_lines: Vec<u32>,
    /// Executions, counted once per warp.
    pub warps: u64,
    /// Of those warps, the eighths (lanes 0 to 7, 8 to 15 and so on) with an active lane: sectors of one word of local
    /// memory each.
    pub octets: u64,
    /// Active lanes of those warps together.
    pub lanes: u64,
}

/// What was recorded; the number of host threads changes none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// One warp-level access each, in the order of the request's blocks, then as executed.
    pub accesses: Vec<Access>,
    /// The shuffles of the same warps, in the same order.
    pub shuffles: Vec<Shuffle>,
    /// What the same warps give to the copy engine and the tensor cores, in the same order.
    pub handovers: Vec<Handover>,
    /// Whether there were more than `max_accesses`.
    pub truncated: bool,
    /// Where the first `max_blocks` blocks reach, in the order in which blocks start: x fastest, then y, then z.
    pub blocks: Vec<BlockReach>,
    /// What [`TraceRequest::wides`] count, in their order.
    pub wides: Vec<WideCount>,
    /// With them, how often each basic block was executed; with [`TraceRequest::steps`] too, but for the octets.
    pub runs: Vec<BlockRuns>,
    /// What [`TraceRequest::steps`] asked for; none where the launch ended before that block began, or has no such block.
    pub steps: Option<Steps>,
}

/// Where one block reaches in global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockReach {
    /// `blockIdx`.
    pub block: [u32; 3],
    /// One for each access site that the block executed, by site.
    pub sites: Vec<Reach>,
}

/// The bounds of what one block touches at one access site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Index into [`crate::Report::sites`].
    pub site: usize,
    /// The lowest address.
    pub first: u64,
    /// One past the highest address.
    pub end: u64,
}

/// One memory instruction executed by one warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Index into [`crate::Report::sites`].
    pub site: usize,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Position among this warp's recorded accesses, from 0.
    pub order: u32,
    /// The memory accessed.
    pub space: Space,
    /// Whether it stores.
    pub is_store: bool,
    /// Bytes per thread.
    pub access_bytes: u32,
    /// Each lane's address, `None` for an inactive lane; offsets into the block's shared memory for
    /// [`Space::Shared`], into the thread's local memory for [`Space::Local`].
    pub addresses: [Option<u64>; 32],
}
