//! One piece of advice as data: why, where, how much, and the chapter that treats it.

use crate::report::SourceLine;

/// Why something takes more than it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceKind {
    /// Lanes side by side begin within a sector.
    Offset,
    /// Lanes lie a fixed distance apart.
    Stride,
    /// Lanes take the fields of structures one by one.
    Structure,
    /// Lanes lie without order.
    Scattered,
    /// Lanes want different words of one bank of shared memory.
    BankConflict,
    /// Lanes meet at one address with atomics.
    Atomic,
    /// A bulk copy reduces what changes nothing.
    BulkReduction,
    /// An array of a thread lies in local memory.
    LocalArray,
    /// Lanes of a warp go different ways.
    Divergence,
    /// The block has warps that are not full.
    PartialWarp,
    /// Lanes want different constants at once.
    Constant,
}

impl AdviceKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offset => "offset",
            Self::Stride => "stride",
            Self::Structure => "structure",
            Self::Scattered => "scattered",
            Self::BankConflict => "bank_conflict",
            Self::Atomic => "atomic",
            Self::BulkReduction => "bulk_reduction",
            Self::LocalArray => "local_array",
            Self::Divergence => "divergence",
            Self::PartialWarp => "partial_warp",
            Self::Constant => "constant",
        }
    }

    /// The chapter of the book that treats it: its page, without an ending, and its title.
    pub fn chapter(self) -> (&'static str, &'static str) {
        match self {
            Self::Offset | Self::Stride | Self::Structure | Self::Scattered => {
                ("memory/coalescing", "Coalescing")
            }
            Self::BankConflict => ("padding", "Bank conflicts and padding"),
            Self::Atomic | Self::BulkReduction => ("memory/atomics", "Atomics"),
            Self::LocalArray => ("memory/registers", "Registers, local memory, spills"),
            Self::Divergence => ("memory/divergence", "Divergence"),
            Self::PartialWarp => ("block-shape", "The shape of the block"),
            Self::Constant => ("memory/constant-texture", "Constant and texture memory"),
        }
    }
}

/// One sentence on what takes more than it has to.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Why.
    pub kind: AdviceKind,
    /// The line, if it is known.
    pub source: Option<SourceLine>,
    /// The line of the PTX, from 1; 0 if it is of the whole launch.
    pub ptx_line: u32,
    /// What it is counted in: sectors, wavefronts, instructions, turns, addresses.
    pub unit: &'static str,
    /// How many it takes, and how many would do.
    pub taken: u64,
    /// See `taken`.
    pub fewest: u64,
    /// How many of the unit the whole launch takes.
    pub whole: u64,
    /// Requests of warps that take them; of branches and blocks 0.
    pub requests: u64,
    /// What it is, how much, and what to do.
    pub message: String,
}

impl Advice {
    /// How many times fewer of its unit the whole launch would take at most.
    pub fn at_most(&self) -> f64 {
        let left = self
            .whole
            .saturating_sub(self.taken - self.fewest.min(self.taken));
        self.whole as f64 / left.max(1) as f64
    }
}
