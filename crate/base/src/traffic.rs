//! Bytes moved, bandwidth, and how much of the traffic was asked for.

use crate::element::ElementType;
use crate::shape::Shape;
use cornerturn_emulator::Counters;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes of one sector, the unit in which L1 asks L2 for memory.
pub use cornerturn_emulator::counters::SECTOR_BYTES;

/// Bandwidth in gigabytes a second, 1 GB = 10⁹ bytes.
///
/// ```
/// use cornerturn::prelude::*;
///
/// // A million bytes in a microsecond.
/// let rate = GbPerS::from_bytes_and_us(1_000_000, 1.0);
/// assert_eq!(rate, GbPerS(1000.0));
/// assert_eq!(rate.percent_of(GbPerS(4000.0)), 25.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct GbPerS(pub f64);

impl GbPerS {
    /// `bytes` moved in `microseconds`.
    pub fn from_bytes_and_us(bytes: u64, microseconds: f64) -> Self {
        Self(bytes as f64 / microseconds / 1e3)
    }

    /// This bandwidth as a percentage of another.
    pub fn percent_of(self, other: Self) -> f64 {
        100.0 * self.0 / other.0
    }
}

impl fmt::Display for GbPerS {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            Some(digits) => write!(f, "{:.digits$} GB/s", self.0),
            None if self.0.abs() < 100.0 => write!(f, "{:.1} GB/s", self.0),
            None => write!(f, "{:.0} GB/s", self.0),
        }
    }
}

/// Bytes that an operation must move which reads and writes each element of a matrix once.
pub const fn bytes_moved(shape: Shape, element: ElementType) -> u64 {
    2 * shape.rows as u64 * shape.columns as u64 * element.bytes() as u64
}

/// Bytes that must move per byte that the sectors of global loads and stores carry: 1 where nothing is wasted.
/// `None` where there was no global traffic.
pub fn efficiency(bytes_moved: u64, counters: &Counters) -> Option<f64> {
    ratio(
        bytes_moved,
        counters.global_load_sectors + counters.global_store_sectors,
    )
}

/// The same for the loads alone, which must read `bytes`.
pub fn load_efficiency(bytes: u64, counters: &Counters) -> Option<f64> {
    ratio(bytes, counters.global_load_sectors)
}

/// The same for the stores alone, which must write `bytes`.
pub fn store_efficiency(bytes: u64, counters: &Counters) -> Option<f64> {
    ratio(bytes, counters.global_store_sectors)
}

fn ratio(bytes: u64, sectors: u64) -> Option<f64> {
    (sectors > 0).then(|| bytes as f64 / (sectors * SECTOR_BYTES) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_is_bytes_over_time() {
        let moved = bytes_moved(Shape::new(4096, 4096), ElementType::F32);
        assert_eq!(moved, 134_217_728);
        let rate = GbPerS::from_bytes_and_us(moved, 39.0);
        assert!((rate.0 - 3441.48).abs() < 0.01);
        assert_eq!(rate.to_string(), "3441 GB/s");
        assert_eq!(GbPerS(12.345).to_string(), "12.3 GB/s");
        assert_eq!(format!("{:.2}", GbPerS(12.345)), "12.35 GB/s");
        assert!((GbPerS(50.0).percent_of(GbPerS(200.0)) - 25.0).abs() < 1e-12);
    }

    #[test]
    fn efficiency_compares_what_must_move_with_what_moved() {
        // A warp that stores a column of f32: each of 32 lanes its own sector, 4 of its 32 bytes asked for.
        let counters = Counters {
            global_load_sectors: 4,
            global_store_sectors: 32,
            ..Counters::default()
        };
        assert_eq!(load_efficiency(128, &counters), Some(1.0));
        assert_eq!(store_efficiency(128, &counters), Some(0.125));
        assert_eq!(efficiency(256, &counters), Some(256.0 / 1152.0));
        assert_eq!(efficiency(256, &Counters::default()), None);
    }
}
