//! The shapes of products that a check draws, and what a block of one has to do. Shapes of matrices and lengths of arrays are `shapes`'.

use super::data::{Exercise, ProductSizes};
use super::seed::{Numbers, Seed};
use super::shapes::side;
use super::size::Size;
use super::work::Work;
use cornerturn_emulator::counters::SECTOR_BYTES;
use cornerturn_registry::product_problem::ProductData;

/// The fewest and the most tiles along a side of a counted product, and in all of it.
const TILES: [usize; 2] = [2, 5];
const ALL_TILES: [usize; 2] = [6, 12];
/// Steps of a block in a counted product.
const STEPS: [usize; 2] = [5, 9];
/// How many products are counted: one of whole numbers, and one of random ones.
const COUNTED: [ProductData; 2] = [ProductData::Exact, ProductData::Random];
/// Tiles along a side of a hidden product whose sides are multiples of the tile.
const HIDDEN_TILES: [usize; 2] = [1, 4];

/// Shared out among the blocks of a counted product.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shares {
    /// Products of two numbers, each with an addition.
    pub(super) multiply_adds: u64,
    /// Steps along `k`, each block's by itself.
    pub(super) steps: u64,
    /// Sectors of the rows of A and the columns of B of each block's tile, each block's by themselves.
    pub(super) panel_sectors: u64,
}

impl Exercise {
    /// Products that are named or drawn: every kind of each side, whole and random numbers taking turns.
    pub(super) fn hidden_products(&self, sizes: &ProductSizes, seed: Seed) -> Vec<Size> {
        let mut numbers = seed.numbers("hidden");
        let lengths = self
            .sides_of(sizes)
            .map(|(tile, of)| Exercise::kinds(tile, of));
        let most = lengths.iter().map(Vec::len).max().unwrap_or(0);
        // Kinds of one side meet others of the next in every check.
        let turns = [(); 3].map(|()| numbers.within(0, most));
        let mut shapes = sizes.hidden.clone();
        for at in 0..most {
            let of = |i: usize, numbers: &mut Numbers| {
                let (tile, of) = self.sides_of(sizes)[i];
                let kind = lengths[i][(at + turns[i]) % lengths[i].len()];
                match tile == of {
                    true => of * numbers.within(HIDDEN_TILES[0], HIDDEN_TILES[1]),
                    false => side(kind, tile, of, numbers),
                }
            };
            let [m, n, k] = [0, 1, 2].map(|i| of(i, &mut numbers));
            shapes.push([m, n, k]);
        }
        shapes.dedup();
        let first = numbers.within(0, 1);
        let shapes = shapes.into_iter().enumerate();
        let data = |at: usize| match (at + first).is_multiple_of(2) {
            true => ProductData::Exact,
            false => ProductData::Random,
        };
        let shown = Size::product(sizes.shown, ProductData::Random);
        [shown]
            .into_iter()
            .chain(shapes.map(|(at, shape)| Size::product(shape, data(at))))
            .collect()
    }

    /// Products of whole tiles and steps, no two with a side in common, and none square.
    pub(super) fn counted_products(&self, sizes: &ProductSizes, seed: Seed) -> Vec<Size> {
        let mut numbers = seed.numbers("counted");
        let mut drawn: Vec<[usize; 3]> = Vec::new();
        while drawn.len() < COUNTED.len() {
            let [down, across] = [(); 2].map(|()| numbers.within(TILES[0], TILES[1]));
            let steps = numbers.within(STEPS[0], STEPS[1]);
            let is_fit = (ALL_TILES[0]..=ALL_TILES[1]).contains(&(down * across));
            let is_apart = drawn
                .iter()
                .all(|&[d, a, s]| d != down && a != across && s != steps);
            if is_fit && is_apart && down != across {
                drawn.push([down, across, steps]);
            }
        }
        let [across, down] = self.tile.map(|side| side as usize);
        let shape = |[d, a, s]: [usize; 3]| [d * down, a * across, s * sizes.step];
        drawn
            .into_iter()
            .zip(COUNTED)
            .map(|(tiles, data)| Size::product(shape(tiles), data))
            .collect()
    }

    /// What each block of a product has to do, added up; of whole tiles.
    pub(super) fn shares(&self, size: Size) -> Shares {
        let (Size::Product { shape, .. }, Work::Product(work), Some(sizes)) =
            (size, self.work, &self.product)
        else {
            return Shares::default();
        };
        let blocks = self.grid(size).count();
        let [across, down] = self.tile.map(u64::from);
        let bytes = work.problem(shape).input.bytes() as u64;
        let panels = (across + down) * shape.k as u64 * bytes;
        Shares {
            multiply_adds: shape.multiply_adds(),
            steps: blocks * shape.k.div_ceil(sizes.step) as u64,
            panel_sectors: blocks * panels.div_ceil(SECTOR_BYTES),
        }
    }

    /// Of m, n and k: what a block covers, and what it is a multiple of.
    fn sides_of(&self, sizes: &ProductSizes) -> [(usize, usize); 3] {
        let [across, down] = self.tile.map(|side| side as usize);
        let [of_n, of_m] = self.multiple_of;
        [
            (down, of_m),
            (across, of_n),
            (sizes.step, sizes.multiple_of),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workshop;
    use cornerturn_base::product_shape::ProductShape;

    fn shape(size: &Size) -> (ProductShape, ProductData) {
        match size {
            Size::Product { shape, data } => (*shape, *data),
            other => panic!("{other} is no product"),
        }
    }

    #[test]
    fn products_are_never_square_and_sides_are_of_every_kind() {
        let workshop = Workshop::load().unwrap();
        let exercises = workshop.exercises().iter();
        let products: Vec<_> = exercises
            .filter_map(|exercise| Some((exercise, exercise.product.as_ref()?)))
            .collect();
        assert!(products.len() >= 5, "{}", products.len());
        for (seed, (exercise, sizes)) in
            (0..20).flat_map(|seed| products.iter().map(move |product| (Seed(seed), product)))
        {
            let hidden: Vec<_> = exercise
                .hidden_products(sizes, seed)
                .iter()
                .map(shape)
                .collect();
            for data in [ProductData::Exact, ProductData::Random] {
                assert!(hidden.iter().any(|(_, other)| *other == data));
            }
            let sides = exercise.sides_of(sizes);
            for (i, (tile, of)) in sides.into_iter().enumerate() {
                let lengths: Vec<usize> = hidden.iter().map(|(s, _)| s.array()[i]).collect();
                assert!(lengths.iter().all(|length| length.is_multiple_of(of)));
                assert!(tile == of || lengths.contains(&of), "{}", exercise.id);
                assert!(tile == of || lengths.iter().any(|l| !l.is_multiple_of(tile)));
                assert!(lengths.iter().any(|l| l.is_multiple_of(tile)));
            }
            let counted: Vec<_> = exercise
                .counted_products(sizes, seed)
                .iter()
                .map(shape)
                .collect();
            assert_ne!(counted[0].1, counted[1].1);
            for (ProductShape { m, n, k }, _) in &counted {
                let [(down, _), (across, _), (step, _)] = sides;
                assert!(m.is_multiple_of(down) && n.is_multiple_of(across));
                assert!(k.is_multiple_of(step) && m / down != n / across);
            }
            assert!(counted[0].0.m != counted[1].0.m && counted[0].0.k != counted[1].0.k);
        }
    }
}
