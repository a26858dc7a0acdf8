//! The state spaces that have addresses, and what a message says of a buffer in one.

/// What a message says of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferInfo {
    /// The name given at allocation.
    pub name: String,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub bytes: usize,
}

/// A state space of the PTX ISA that has addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Memory of one block, in banks.
    Shared,
    /// Memory of one thread (spills, local arrays).
    Local,
    /// Constant variables of the module.
    Const,
    /// Kernel parameters.
    Param,
    /// A texture: in a trace, bytes behind its first texel, row after row, or the address if it lies over a buffer.
    Texture,
    /// A surface: in a trace, the address of a texel in the memory that the surface lies in.
    Surface,
}

impl Space {
    /// The name in PTX.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
            Space::Texture => "texture",
            Space::Surface => "surface",
        }
    }
}
