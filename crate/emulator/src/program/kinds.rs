//! How operands are held and numbered: register files, slots, the lanes of a warp and of a group of warps.

/// Warps that execute an instruction together. Decoding an instruction once for several warps is what
/// makes the interpreter fast; their registers should still fit the first levels of cache.
pub(crate) const GROUP_WARPS: usize = 8;

/// Fills memory that nothing has written: as a float not a number, as an index far out of bounds.
pub(crate) const POISON: u32 = 0x7fba_dbad;

/// Lanes of a warp.
pub(crate) const WARP: usize = 32;

/// One bit per lane for each warp of a group.
pub(crate) type Mask = [u32; GROUP_WARPS];

/// Number of a register, or of a preset value if [`PRESET`] is set.
pub(crate) type Slot = u16;

/// Marks a slot whose value is set before the run and never written by it: constants, parameters, `%tid`.
pub(crate) const PRESET: Slot = 0x8000;

/// A destination that is thrown away, or an operand that is not there.
pub(crate) const NO_SLOT: Slot = 0xffff;

/// How an operand is held in a register and written as a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A predicate.
    Pred,
    /// The lower 16 bits of a word.
    Bits16,
    /// A word.
    Bits32,
    /// 64 bits.
    Bits64,
    /// A word, written as a number of single precision.
    Single,
    /// 64 bits, written as a number of double precision.
    Double,
}

/// Which register file holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FileKind {
    Preds,
    Words,
    Longs,
}

impl FileKind {
    /// Words of local memory that a register takes while it is kept there.
    pub(crate) fn words(self) -> usize {
        if self == FileKind::Longs { 2 } else { 1 }
    }
}

impl Kind {
    pub(crate) fn file(self) -> FileKind {
        match self {
            Kind::Pred => FileKind::Preds,
            Kind::Bits16 | Kind::Bits32 | Kind::Single => FileKind::Words,
            Kind::Bits64 | Kind::Double => FileKind::Longs,
        }
    }
}

/// Calls `f` with each lane of a mask, lowest first.
#[inline(always)]
pub(crate) fn for_lanes(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        for lane in 0..WARP {
            f(lane);
        }
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}
