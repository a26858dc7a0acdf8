//! One memory instruction of the PTX, and what its executions add up to. Single executions are in `trace`.

use crate::report::source::SourceLine;
use crate::report::space::Space;

/// One memory instruction of the PTX and what its executions add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The memory accessed. A generic access counts as the space that it reached last.
    pub space: Space,
    /// Whether it stores. An atomic whose result nobody reads (`red`) stores.
    pub is_store: bool,
    /// Whether it is an atomic (`atom`, `red`) or a reduction that a bulk copy does (`cp.reduce.async.bulk`) or an mbarrier
    /// counts (`red.async`); those are in no load or store counter.
    pub is_atomic: bool,
    /// Whether it moves 8×8 matrices (`ldmatrix`), which is no load or store instruction to ncu.
    pub is_matrix: bool,
    /// Whether the address is generic: to ncu the instruction is no global, shared or local one, though the memory that
    /// it reaches counts its requests.
    pub is_generic: bool,
    /// Bytes per thread.
    pub access_bytes: u32,
    /// Executions, counted once per warp.
    pub executed: u64,
    /// Executions with at least one active thread; of bulk copies, and of what `st.async` and `red.async` send, one for each
    /// thread that starts one.
    pub requests: u64,
    /// 32-byte sectors touched (global and local memory, by bulk copies too).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest that the access width needs (shared memory).
    pub bank_conflicts: u64,
    /// How the data travels. An asynchronous copy has two sites, one for what it reads and one for what it writes.
    pub path: Path,
    /// Bytes moved, counted for bulk copies only.
    pub bytes: u64,
    /// What its requests ask for, beside which sectors and wavefronts are much or little.
    pub demand: Demand,
}

/// What the requests of a [`Site`] ask for: what says whether its sectors and wavefronts are the fewest possible.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Demand {
    /// Active lanes of all requests together; 0 where nobody counts them (bulk copies, tensor cores, textures).
    pub lanes: u64,
    /// The fewest sectors that could have served them, request by request: as if the lanes' bytes lay side by side from the
    /// begin of a sector on, and never more than were touched. Of an atomic also as if no two lanes met; of a reduction by a
    /// bulk copy without the sectors that change nothing, such as zeros that are added.
    pub fewest_sectors: u64,
    /// Different addresses in each request, added up: counted for atomics and for constant memory, whose requests are
    /// served address by address (CUDA C++ Programming Guide, *Constant Memory*; the same on an H200: `counters`).
    pub addresses: u64,
    /// The first address of all and the first behind the last, counted for atomics.
    pub reach: Option<(u64, u64)>,
    /// The request that is furthest from the fewest sectors or wavefronts, the first of its kind; none if all have the
    /// fewest.
    pub worst: Option<Box<Worst>>,
}

/// A request of a warp that takes more than it has to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// Sectors, wavefronts or addresses beyond the fewest.
    pub excess: u32,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Bytes per thread.
    pub access_bytes: u32,
    /// Each lane's address, as in [`crate::Access::addresses`].
    pub addresses: [Option<u64>; 32],
}

/// How an access's data travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Path {
    /// Between memory and registers: ordinary loads, stores and atomics.
    #[default]
    Registers,
    /// From global to shared memory past the registers (`cp.async`): the profiler's `ldgsts`. What it reads is in
    /// the counters of global loads as well, what it writes in none of stores.
    Async,
    /// By the bulk copy engine (`cp.async.bulk`, tensor copies): in no counter of the load-store unit.
    Bulk,
    /// From shared memory to tensor cores (`wgmma`), past the registers.
    Tensor,
    /// From registers to shared memory of the cluster, where an mbarrier counts it (`st.async`, `red.async`): in no counter
    /// of the load-store unit.
    Sent,
}
