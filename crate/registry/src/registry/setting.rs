//! The settings of a launch that the parameter of a registered work can be, in the place of the work's own. What they mean is in `caches`.

use cornerturn_base::caches::{CacheSettings, L2Window};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A setting of a launch that `cornerturn record works` can go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// How much of L1 becomes shared memory, in per cent of the most.
    Carveout,
    /// The hit ratio of the entry's window over L2, in per cent.
    HitRatio,
}

impl Setting {
    /// The values that it may have.
    pub const fn values(self) -> RangeInclusive<u32> {
        match self {
            Self::Carveout | Self::HitRatio => 0..=100,
        }
    }

    /// The same settings with this value of this one.
    pub fn set(self, caches: &CacheSettings, value: u32) -> CacheSettings {
        let caches = caches.clone();
        match self {
            Self::Carveout => caches.carveout(value),
            Self::HitRatio => CacheSettings {
                window: caches
                    .window
                    .map(|window: L2Window| window.hit_ratio(value as f32 / 100.0)),
                ..caches
            },
        }
    }
}
