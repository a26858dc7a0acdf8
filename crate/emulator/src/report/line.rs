//! How often the instructions of a line were executed and by how many lanes. What they did to memory is in `site`.

use crate::report::source::SourceLine;

/// The instructions of one line, over a launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineCount {
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The first line of the PTX text that is of it, from 1.
    pub ptx_line: u32,
    /// PTX instructions issued, counted once per warp.
    pub issued: u64,
    /// The same, counted once per active lane: 32 times as many if all lanes were.
    pub lanes: u64,
    /// Its conditional branches.
    pub branch: Branch,
}

/// What the conditional branches of a line did to warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Branch {
    /// Executions, counted once per warp.
    pub executed: u64,
    /// Those in which some lanes of the warp went one way and others another.
    pub split: u64,
}
