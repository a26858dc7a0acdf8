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
    /// Whether it is an atomic (`atom`, `red`); those are in no load or store counter.
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
    /// Executions with at least one active thread.
    pub requests: u64,
    /// 32-byte sectors touched (global and local memory).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest that the access width needs (shared memory).
    pub bank_conflicts: u64,
    /// How the data travels. An asynchronous copy has two sites, one for what it reads and one for what it writes.
    pub path: Path,
    /// Bytes moved, counted for bulk copies only.
    pub bytes: u64,
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
}
