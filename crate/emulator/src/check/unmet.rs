//! Collectives of a block to which lanes have yet to come. What they say is in `members`.

/// Lanes that wait at a collective for others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unmet {
    pub(super) place: u32,
    pub(super) warp: usize,
    pub(super) kind: u64,
    pub(super) members: u32,
    pub(super) came: u32,
    pub(super) missing: u32,
}
