//! A shuffle as a trace records it: which lane took its value from which.

use super::SourceLine;

/// One `shfl` instruction executed by one warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shuffle {
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Position among this warp's recorded shuffles, from 0.
    pub order: u32,
    /// How lanes name the one that they take from.
    pub mode: ShuffleMode,
    /// The lane whose value each lane takes, `None` for an inactive lane.
    pub from: [Option<u8>; 32],
    /// The lanes that keep their own value, since the one that they name lies outside of their segment: a bit each.
    pub kept: u32,
}

/// How lanes name the one that they take from. PTX ISA, `shfl.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// So many lanes below: `__shfl_up_sync`.
    Up,
    /// So many lanes above: `__shfl_down_sync`.
    Down,
    /// The own number with some bits turned over: `__shfl_xor_sync`.
    Butterfly,
    /// By its number: `__shfl_sync`.
    Index,
}

impl ShuffleMode {
    /// The name in PTX.
    pub fn name(self) -> &'static str {
        match self {
            ShuffleMode::Up => "up",
            ShuffleMode::Down => "down",
            ShuffleMode::Butterfly => "bfly",
            ShuffleMode::Index => "idx",
        }
    }
}
