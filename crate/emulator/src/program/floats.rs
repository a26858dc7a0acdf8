//! The modifiers of floating-point instructions and the 16-bit formats, as data. What they do is in `operations`.

/// PTX ISA section "Rounding Modifiers".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// `.rn`, ties to even.
    Nearest,
    /// `.rz`
    Zero,
    /// `.rm`
    Down,
    /// `.rp`
    Up,
}

/// The modifiers of a floating-point instruction, packed into [`crate::machine::inst::Inst::imm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modes(pub(crate) u64);

/// Layout of a 16-bit float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Stored mantissa bits.
    pub(crate) mantissa: u32,
    /// Bits of the NaN that instructions give.
    pub(crate) nan: u16,
}

pub(crate) const F16: Format = Format {
    mantissa: 10,
    nan: 0x7fff,
};

pub(crate) const BF16: Format = Format {
    mantissa: 7,
    nan: 0x7fff,
};
