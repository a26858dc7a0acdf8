//! The parameters of an entry.

/// One parameter of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Name in the PTX.
    pub name: String,
    /// Type in the PTX.
    pub ty: ParamType,
    /// Size in bytes.
    pub bytes: usize,
    /// Alignment in bytes.
    pub align: usize,
}

/// Type of a parameter, with its width in bits. nvcc declares pointers as `Unsigned(64)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// `.u8` to `.u64`.
    Unsigned(u32),
    /// `.s8` to `.s64`.
    Signed(u32),
    /// `.b8` to `.b64`.
    Bits(u32),
    /// `.f16` to `.f64`.
    Float(u32),
    /// An array of so many bytes: a structure passed by value.
    Bytes(usize),
}
