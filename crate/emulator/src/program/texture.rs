//! What is known of a texture fetch before it runs. No texture: a handle names it when the kernel does.

/// A fetch as decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// Coordinates, 1 or 2; 3 of a direction from the middle of a cube.
    pub(crate) dimensions: usize,
    /// One more says which layer.
    pub(crate) is_layered: bool,
    /// They are integers, which number texels.
    pub(crate) by_texels: bool,
    /// The channel that it takes of four texels (`tld4`).
    pub(crate) gathers: Option<usize>,
}

impl Fetch {
    /// As an instruction carries it.
    pub(crate) fn bits(self) -> u64 {
        let gathers = self.gathers.map_or(0, |channel| channel as u64 + 1);
        self.dimensions as u64
            | u64::from(self.by_texels) << 4
            | gathers << 8
            | u64::from(self.is_layered) << 12
    }

    /// What an instruction carries.
    pub(crate) fn of(bits: u64) -> Self {
        Self {
            dimensions: (bits & 0xf) as usize,
            is_layered: bits >> 12 & 1 != 0,
            by_texels: bits >> 4 & 1 != 0,
            gathers: (bits >> 8 & 0xf)
                .checked_sub(1)
                .map(|channel| channel as usize),
        }
    }
}

/// What `txq` asks for.
pub(crate) const QUERY_WIDTH: u64 = 0;
pub(crate) const QUERY_HEIGHT: u64 = 1;
