//! What is known of a memory access before it runs. No addresses.

use crate::program::floats::Format;
use crate::report::{Path, Space};

/// What an atomic does to the old value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    AddSingle,
    AddDouble,
    AddHalf(Format),
    MinHalf(Format),
    MaxHalf(Format),
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// A memory access as decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessShape {
    /// Index of its first site; a generic access has three, for global, shared and local memory.
    pub(crate) site: u32,
    /// `None` for a generic address.
    pub(crate) space: Option<Space>,
    /// Bytes of one element.
    pub(crate) element: u32,
    /// Elements of the vector, 1, 2 or 4.
    pub(crate) count: u32,
    /// Sign-extends elements narrower than the register.
    pub(crate) signed: bool,
    /// Registers are 64 bits wide.
    pub(crate) long: bool,
    /// The compiler's own traffic in call frames, which no counter sees.
    pub(crate) uncounted: bool,
    /// What an atomic does; `None` for a load or store.
    pub(crate) atomic: Option<AtomicOp>,
    /// What the assembler makes of an atomic.
    pub(crate) assembled: Assembled,
    /// How it takes part in the order of threads.
    pub(crate) strength: Strength,
    /// It is strong, but its scope is the block (`.cta`).
    pub(crate) is_narrow: bool,
    /// It is a load past the caches that stores go through (`ld.global.nc`).
    pub(crate) is_constant: bool,
    /// It stores numbers with a fraction (`.f32`, `.f64`).
    pub(crate) is_float: bool,
    /// What becomes of what it loads.
    pub(crate) wanted: Wanted,
}

/// What the program does with the bytes that a load brings, beside storing them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Bytes of the access that it uses, one bit each.
    pub(crate) bytes: u16,
    /// Where it uses them first, if that is known.
    pub(crate) place: Option<u32>,
    /// Whether they are compared with something: the program may be waiting for what they say.
    pub(crate) is_compared: bool,
}

impl Wanted {
    /// Nothing is known: all of it may be used.
    pub(crate) const ALL: Self = Self {
        bytes: u16::MAX,
        place: None,
        is_compared: true,
    };
    /// It is only stored again.
    pub(crate) const NOTHING: Self = Self {
        bytes: 0,
        place: None,
        is_compared: false,
    };
}

/// The machine instruction that an atomic becomes, as far as it decides what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Assembled {
    /// `ATOMG`, `REDG`, `ATOMS`: each active lane by itself.
    #[default]
    EachLane,
    /// The same for one lane, after the warp has put its values together (`REDUX`, `POPC`).
    OneLane,
    /// `ATOMS.POPC.INC`: the lanes that add 1 to one word together.
    EachWord,
    /// `LDS` and `ATOMS.CAST.SPIN`: a loop in which one lane of each bank gets its turn.
    Loop,
}

impl AccessShape {
    /// Bytes per lane.
    pub(crate) fn bytes(&self) -> u32 {
        self.element * self.count
    }

    /// Whether a lane's element is a row of an 8×8 matrix: no type has 16 bytes.
    pub(crate) fn is_matrix_row(&self) -> bool {
        self.element == 16
    }
}

/// What is known of a memory instruction before it runs.
#[derive(Debug, Clone)]
pub(crate) struct SiteInfo {
    pub(crate) place: u32,
    pub(crate) space: Space,
    pub(crate) is_store: bool,
    pub(crate) is_atomic: bool,
    pub(crate) access_bytes: u32,
    /// Not a site of its own: the shared or local half of a generic access.
    pub(crate) is_alternative: bool,
    pub(crate) path: Path,
    /// Moves 8×8 matrices: ncu counts it as no load or store instruction.
    pub(crate) is_matrix: bool,
}

/// How an access takes part in the order of threads. PTX ISA section "Memory Consistency Model".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Strength {
    #[default]
    Weak,
    /// An atomic that says nothing of order, volatile, or acquiring. The first two are no more than relaxed, but so many
    /// kernels take it that what follows is ordered, and are right on every GPU, that it counts as acquiring.
    Strong,
    /// Relaxed, and said to be: what follows is ordered by a fence only.
    Relaxed,
    /// Strong, and tells others of all that its thread did before, as if a fence stood before it.
    Release,
}
