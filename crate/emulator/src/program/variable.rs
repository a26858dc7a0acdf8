//! The variables of a module that a host may ask for.

use crate::report::Space;

/// A variable of a module, in global or constant memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleVariable {
    /// Name in the PTX.
    pub name: String,
    /// [`Space::Global`] or [`Space::Const`].
    pub space: Space,
    /// Its first address in global memory; in constant memory, where it begins in the module's bank.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
}
