//! What one warp of a block did, instruction by instruction, and when others of its block came to a barrier. Sums are in `site`.

use crate::report::source::SourceLine;
use crate::report::trace::Access;

/// Which warp to follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepsRequest {
    /// Its block, as `blockIdx`.
    pub block: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// So many of its instructions are left out before recording begins.
    pub skipped: u64,
    /// Recording stops after so many steps.
    pub most: usize,
}

/// What a warp did, in the order in which the emulator executed it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// The warp in the block.
    pub warp: u32,
    /// Instructions of the warp before the first step.
    pub skipped: u64,
    /// One for each instruction of the warp; between them those at which other warps of the block come to a barrier, leave it
    /// or end, each with its own [`Step::warp`].
    pub steps: Vec<Step>,
    /// Whether there were more than [`StepsRequest::most`].
    pub is_cut: bool,
}

/// One PTX instruction executed by one warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The warp in the block.
    pub warp: u32,
    /// Line in the PTX text, from 1; 0 where lanes end or go on.
    pub ptx_line: u32,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The lanes that have come here together, one bit each.
    pub active: u32,
    /// Those of them that execute it: its guard holds.
    pub mask: u32,
    /// What is more to it than what it writes and accesses.
    pub kind: StepKind,
    /// The registers that it writes, in the order of its operands; an instruction may have others before them, of its own.
    pub written: Vec<Written>,
    /// What it accesses, [`Access::order`] aside: an asynchronous copy has two accesses.
    pub accesses: Vec<Access>,
}

/// What a step does beside writing registers and accessing memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Nothing.
    Plain,
    /// A branch; the lanes in which its predicate holds.
    Branch(u32),
    /// The lanes come to this barrier and wait; those of `bar.arrive` only arrive.
    Barrier(u32),
    /// This barrier is complete: its lanes go on.
    Released(u32),
    /// The lanes end.
    Exit,
}

/// A register as an instruction leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// 1 (a predicate), 32 or 64.
    pub bits: u32,
    /// The bits by lane; 0 in lanes that did not execute it.
    pub values: [u64; 32],
}
