//! What the driver gives to kernels that use it. How they name it is in `external`.

/// What the driver gives to kernels that use it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Provided {
    /// `malloc` and `free`.
    pub(crate) heap: bool,
    /// The words by which the blocks of a cooperative launch wait for each other.
    pub(crate) workspace: bool,
}
