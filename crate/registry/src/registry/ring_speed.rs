//! Which of the rings in `kernels/gemm/ring.cu` a float32 product of a shape is given to: waves of blocks, and how fast each tile is. What a ring is launched with is its entry's.

use super::{ProductEntry, Registry};
use crate::product_problem::ProductProblem;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::product_shape::ProductShape;

/// The name by which `cornerturn run` knows the ring whose tile is chosen by shape.
pub const BY_SHAPE: &str = "sgemm";

/// Operations of a multiprocessor in a microsecond: 128 multiply-adds a clock (CUDA C++ Programming Guide, Arithmetic
/// Instructions), at the clock of the record that the speeds are fitted to.
const OPERATIONS_PER_US: f64 = 2.0 * 128.0 * 1980.0;

/// How fast a ring is, by four numbers fitted to the medians of `book/results/h200/products.json`: least squares of the
/// logarithm, and what is lost where another ring is chosen than the fastest. The root mean square of what is left is 3 to 11 %.
struct Speed {
    id: &'static str,
    /// Blocks that a multiprocessor runs at a time.
    blocks: u64,
    /// The share of a multiprocessor's rate that all of them together reach.
    full: f64,
    /// The share of that which one reaches alone.
    alone: f64,
    /// What is left where the rows of B do not begin at multiples of 16 bytes.
    odd: f64,
    /// What a launch takes beside, in microseconds.
    launch_us: f64,
}

const fn speed(id: &'static str, blocks: u64, [full, alone, odd, launch_us]: [f64; 4]) -> Speed {
    Speed {
        id,
        blocks,
        full,
        alone,
        odd,
        launch_us,
    }
}

/// The rings that have been measured; one that has not is never chosen.
const SPEEDS: [Speed; 6] = [
    speed("sgemm_ring", 1, [0.789, 1.0, 0.955, 7.9]),
    speed("sgemm_ring_128x64", 4, [0.738, 0.902, 0.999, 7.9]),
    speed("sgemm_ring_128x64_k3", 4, [0.569, 0.867, 0.948, 6.9]),
    speed("sgemm_ring_128x128_k2", 2, [0.669, 0.563, 0.948, 5.6]),
    speed("sgemm_ring_64x128_k2", 3, [0.761, 0.893, 0.924, 5.7]),
    speed("sgemm_ring_64x128_k3", 3, [0.640, 0.999, 0.998, 8.0]),
];

impl Speed {
    /// The time for a shape on so many multiprocessors, in microseconds.
    fn us(&self, entry: &ProductEntry, shape: ProductShape, multiprocessors: u64) -> f64 {
        let tiles = |side: usize, tile: u32| (side as u64).div_ceil(u64::from(tile));
        let split = u64::from(entry.split_k);
        let blocks = tiles(shape.m, entry.tile[0]) * tiles(shape.n, entry.tile[1]) * split;
        // A step of the entry is one of all blocks that share a tile.
        let step = u64::from(entry.step) / split;
        let depth = (shape.k as u64).div_ceil(step).div_ceil(split) * step;
        let operations = 2.0 * f64::from(entry.tile[0]) * f64::from(entry.tile[1]) * depth as f64;
        let odd = if shape.n.is_multiple_of(4) {
            1.0
        } else {
            self.odd
        };
        // So many blocks side by side on each multiprocessor.
        let round = |resident: u64| {
            let further = match self.blocks {
                1 => 0.0,
                blocks => (resident - 1) as f64 / (blocks - 1) as f64,
            };
            let share = self.full * odd * (self.alone + (1.0 - self.alone) * further);
            resident as f64 * operations / OPERATIONS_PER_US / share
        };
        let at_once = self.blocks * multiprocessors;
        let rest = match (blocks % at_once).div_ceil(multiprocessors) {
            0 => 0.0,
            resident => round(resident),
        };
        (blocks / at_once) as f64 * round(self.blocks) + rest + self.launch_us
    }
}

impl Registry {
    /// The ring for a float32 product of a shape on a device with so many multiprocessors: the one that the rule expects to be
    /// the fastest. Both factors lie as they are.
    ///
    /// # Errors
    /// [`Error::ProductShape`] for a product that none takes; [`Error::UnknownKernel`] where the registry has none of them.
    pub fn best_tile(&self, shape: ProductShape, multiprocessors: u32) -> Result<&ProductEntry> {
        ProductProblem::of(shape).check()?;
        let multiprocessors = u64::from(multiprocessors.max(1));
        let timed = SPEEDS.iter().filter_map(|speed| {
            let entry = self.product(speed.id).ok()?;
            Some((speed.us(entry, shape, multiprocessors), entry))
        });
        let best = timed.min_by(|(a, _), (b, _)| a.total_cmp(b));
        best.map(|(_, entry)| entry)
            .ok_or_else(|| Error::UnknownKernel {
                id: BY_SHAPE.to_string(),
                nearest: None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_tiles_are_split_and_many_are_large() {
        let registry = Registry::load().unwrap();
        let chosen = |m, n, k| {
            let shape = ProductShape::new(m, n, k);
            registry.best_tile(shape, 132).unwrap().id.as_str()
        };
        assert_eq!(chosen(8192, 8192, 8192), "sgemm_ring");
        assert_eq!(chosen(1000, 1002, 1003), "sgemm_ring_64x128_k2");
        assert_eq!(chosen(4095, 4097, 4001), "sgemm_ring_128x64");
        assert_eq!(chosen(777, 1531, 3001), "sgemm_ring_64x128_k3");
        // One block has it all; a GPU of one multiprocessor needs no split.
        assert!(!chosen(1, 1, 1).is_empty());
        let one = registry.best_tile(ProductShape::square(2048), 1).unwrap();
        assert_eq!(one.split_k, 1);
        assert!(registry.best_tile(ProductShape::new(0, 5, 7), 132).is_err());
        let largest = ProductShape::new(1 << 20, 4095, 1 << 11);
        assert_eq!(registry.best_tile(largest, 132).unwrap().split_k, 1);
    }

    #[test]
    fn every_ring_that_is_chosen_from_is_registered_with_its_blocks() {
        let registry = Registry::load().unwrap();
        for speed in SPEEDS {
            let entry = registry.product(speed.id).unwrap();
            assert!(entry.step.is_multiple_of(entry.split_k), "{}", speed.id);
            let shares = [speed.full, speed.alone, speed.odd];
            assert!(shares.iter().all(|share| (0.3..=1.0).contains(share)));
        }
    }
}
