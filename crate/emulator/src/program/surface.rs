//! What is known of an access to a surface before it runs. No surface: a handle names it when the kernel does.

/// What happens beyond a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The kernel ends.
    Trap,
    /// The nearest place inside is meant.
    Clamp,
    /// Zero is read, and nothing is written.
    Zero,
}

/// An access as decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SurfaceAccess {
    pub(crate) is_2d: bool,
    pub(crate) is_layered: bool,
    pub(crate) beyond: Beyond,
    /// Of a texel.
    pub(crate) bytes: u32,
}

impl SurfaceAccess {
    /// As an instruction carries it.
    pub(crate) fn bits(self) -> u64 {
        let beyond = self.beyond as u64;
        u64::from(self.is_2d)
            | u64::from(self.is_layered) << 1
            | beyond << 2
            | u64::from(self.bytes) << 8
    }

    /// What an instruction carries.
    pub(crate) fn of(bits: u64) -> Self {
        Self {
            is_2d: bits & 1 != 0,
            is_layered: bits >> 1 & 1 != 0,
            beyond: match bits >> 2 & 3 {
                0 => Beyond::Trap,
                1 => Beyond::Clamp,
                _ => Beyond::Zero,
            },
            bytes: (bits >> 8) as u32,
        }
    }
}
