//! Where the state spaces lie among generic addresses. PTX ISA section "State Spaces".

use crate::report::Space;

/// Generic addresses of the spaces that are not global memory: four windows of this size from here on.
pub(crate) const WINDOWS: u64 = 0x0100_0000_0000;
/// Size of one window.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;

/// First generic address of a space; 0 for global memory, whose addresses are generic ones.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Global => 0,
        Space::Shared => WINDOWS,
        Space::Local => WINDOWS + WINDOW_BYTES,
        Space::Const => WINDOWS + 2 * WINDOW_BYTES,
        Space::Param => WINDOWS + 3 * WINDOW_BYTES,
    }
}

/// Addresses that pointers to functions hold: they lie in no memory.
pub(crate) const FUNCTIONS: u64 = 0x0200_0000_0000;
/// Between two of them.
pub(crate) const FUNCTION_BYTES: u64 = 16;

/// Set in the parameter-space address of a called function's parameter, which lies in local memory.
pub(crate) const FRAME: u64 = 1 << 31;

/// Where the words lie by which the blocks of a cooperative launch wait for each other: before all variables.
pub(crate) const WORKSPACE: u64 = 0x5000_0000_0000;
