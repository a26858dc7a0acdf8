//! What a thread accesses at once: one element, a vector, a row of a matrix, a part of a tile. The usual cause of a finding depends on it.

/// What a thread accesses at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// One element, or nothing.
    #[default]
    Element,
    /// A vector, such as a float4.
    Vector {
        /// Its elements.
        elements: u32,
    },
    /// A row of an 8×8 matrix (`ldmatrix`, `stmatrix`).
    Row,
    /// A part of a tile of `wmma`.
    Tile,
    /// What an asynchronous copy moves (`cp.async`).
    Copy,
}
