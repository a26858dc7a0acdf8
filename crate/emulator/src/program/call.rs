//! Calls that are not inlined, and the functions they go to.

use crate::program::kinds::{FileKind, Slot};

/// Bytes of every parameter and result: what caller and callee of an indirect call must agree on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) params: Vec<u64>,
    pub(crate) returns: Vec<u64>,
}

/// A parameter or result: its offsets in the caller's and the callee's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) caller: u32,
    pub(crate) callee: u32,
    pub(crate) words: u32,
}

/// A call that is not inlined.
#[derive(Debug)]
pub(crate) struct CallSite {
    /// Index into [`Program::functions`]; `None` if a pointer says.
    pub(crate) target: Option<u32>,
    pub(crate) arguments: Vec<Piece>,
    pub(crate) results: Vec<Piece>,
    pub(crate) signature: Signature,
    /// Registers that the caller needs afterwards.
    pub(crate) saved: Vec<(FileKind, Slot)>,
    /// Offset in the caller's frame where they are kept.
    pub(crate) save_at: u32,
}

/// A function of a program; number 0 is the entry itself.
#[derive(Debug)]
pub(crate) struct Callable {
    /// As the PTX has it.
    pub(crate) name: String,
    /// Its first instruction.
    pub(crate) start: u32,
    pub(crate) frame_bytes: u32,
    pub(crate) signature: Signature,
    /// Registers that may be read before they are written.
    pub(crate) cleared: Vec<(FileKind, Slot)>,
}
