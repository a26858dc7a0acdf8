//! The sizes that a check draws: hidden ones of every kind of side, and those on which bounds are counted. Those that an exercise names are `data`'s, those of products `product_shapes`'.

use super::array_work::ArrayWork;
use super::data::Exercise;
use super::seed::{Numbers, Seed};
use super::size::Size;
use super::work::Work;
use cornerturn_base::shape::Shape;
use cornerturn_registry::product_problem::ProductData;

/// The fewest and the most tiles along a side of a counted matrix, and in all of it.
const TILES: [usize; 2] = [4, 12];
const ALL_TILES: [usize; 2] = [24, 64];
/// How many matrices are counted.
const COUNTED: usize = 2;
/// The sides of the one large hidden matrix.
const LARGE: [usize; 2] = [400, 900];
/// A wide tile's hidden sides are not three of it long.
const LONGEST: usize = 300;

/// A kind of side: what it is divisible by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// As short as it may be.
    Shortest,
    /// A prime, or the shortest side's multiple by one.
    Prime,
    /// Divisible by this power of two, not by the next, and not by the tile.
    PowerOfTwo(usize),
    /// Whole tiles.
    Whole,
}

impl Exercise {
    /// The kinds of a side that the tile covers in steps of `tile`, and that is a multiple of `of`.
    pub(super) fn kinds(tile: usize, of: usize) -> Vec<Side> {
        let powers = (0..usize::BITS).map(|power| 1 << power);
        let powers = powers.take_while(|&power| power < tile);
        let fitting = powers.filter(|power: &usize| power.is_multiple_of(of));
        [Side::Shortest, Side::Prime]
            .into_iter()
            .chain(fitting.map(Side::PowerOfTwo))
            .chain([Side::Whole])
            .collect()
    }

    /// The hidden sizes of a check.
    pub(super) fn hidden_sizes(&self, seed: Seed) -> Vec<Size> {
        match (self.work, &self.product) {
            (Work::Product(_), Some(sizes)) => self.hidden_products(sizes, seed),
            (Work::Matrix(_) | Work::Product(_), _) => matrices(self.hidden_shapes(seed)),
            (Work::Arrays(work), _) => self.hidden_arrays(work, seed),
        }
    }

    /// The sizes on which bounds are counted.
    pub(super) fn counted_sizes(&self, seed: Seed) -> Vec<Size> {
        match (self.work, &self.product) {
            (Work::Product(_), Some(sizes)) => self.counted_products(sizes, seed),
            (Work::Matrix(_) | Work::Product(_), _) => matrices(self.counted_shapes(seed)),
            (Work::Arrays(work), _) => self.counted_arrays(work, seed),
        }
    }

    /// A matrix of this shape; of arrays, items of about as many words with the shown parameter, in whole tiles.
    pub(super) fn size_near(&self, shape: Shape) -> Size {
        let tile = self.tile[0] as usize * self.multiple_of[0];
        if let Some(sizes) = &self.product {
            let [columns, rows] = self.multiple_of;
            let sides = [(shape.rows, rows), (shape.columns, columns)]
                .map(|(side, of)| side.next_multiple_of(of));
            return Size::product([sides[0], sides[1], sizes.shown[2]], ProductData::Random);
        }
        let Some(work) = self.work.on_arrays() else {
            return Size::Matrix(shape);
        };
        let items = Size::Matrix(shape).items() / work.words_per_item();
        self.size([items.max(1).next_multiple_of(tile), self.shown[1]])
    }

    /// Those that are named, every kind of length, and a large one, each with a parameter of its own.
    fn hidden_arrays(&self, work: ArrayWork, seed: Seed) -> Vec<Size> {
        let mut numbers = seed.numbers("hidden");
        let (tile, of) = (self.tile[0] as usize, self.multiple_of[0]);
        let mut sizes: Vec<Size> = self.hidden.iter().map(|&named| self.size(named)).collect();
        for kind in Self::kinds(tile, of) {
            let items = side(kind, tile, of, &mut numbers);
            sizes.push(work.drawn(items, &mut numbers));
        }
        let tiles = numbers.within(ALL_TILES[0], ALL_TILES[1]);
        let rest = numbers.within(1, tile.div_ceil(of)) * of;
        sizes.push(work.drawn((tiles * tile).next_multiple_of(of) + rest, &mut numbers));
        sizes
    }

    /// Whole tiles, not as many in one as in the other.
    fn counted_arrays(&self, work: ArrayWork, seed: Seed) -> Vec<Size> {
        let mut numbers = seed.numbers("counted");
        let tile = self.tile[0] as usize;
        let middle = ALL_TILES[0].midpoint(ALL_TILES[1]);
        let tiles = [
            numbers.within(ALL_TILES[0], middle),
            numbers.within(middle + 1, ALL_TILES[1]),
        ];
        let sizes = tiles.into_iter();
        sizes
            .map(|tiles| {
                let items = (tiles * tile).next_multiple_of(self.multiple_of[0]);
                work.drawn(items, &mut numbers)
            })
            .collect()
    }

    /// The hidden matrices of a check: those that are named, every kind of side with every other, and a large one.
    fn hidden_shapes(&self, seed: Seed) -> Vec<Shape> {
        let mut numbers = seed.numbers("hidden");
        let named = self.hidden.iter();
        let mut shapes: Vec<Shape> = named
            .map(|&[rows, columns]| Shape::new(rows, columns))
            .collect();
        let [across, down] = self.tile.map(|side| side as usize);
        let [of_columns, of_rows] = self.multiple_of;
        for row in Self::kinds(down, of_rows) {
            for column in Self::kinds(across, of_columns) {
                let rows = side(row, down, of_rows, &mut numbers);
                let columns = side(column, across, of_columns, &mut numbers);
                shapes.push(self.fitting(rows, columns));
            }
        }
        let [rows, columns] = [of_rows, of_columns].map(|of| {
            let long = numbers.within(LARGE[0], LARGE[1]);
            (long | 1).next_multiple_of(of)
        });
        shapes.push(self.fitting(rows, columns));
        shapes.dedup();
        shapes
    }

    /// The matrices on which bounds are counted: whole tiles, no two with a side in common.
    fn counted_shapes(&self, seed: Seed) -> Vec<Shape> {
        let mut numbers = seed.numbers("counted");
        let [across, down] = self.tile.map(|side| side as usize);
        let mut tiles: Vec<[usize; 2]> = Vec::new();
        while tiles.len() < COUNTED {
            let [rows, columns] = [(); 2].map(|()| numbers.within(TILES[0], TILES[1]));
            let is_apart = tiles.iter().all(|&[r, c]| r != rows && c != columns);
            let is_fit = (ALL_TILES[0]..=ALL_TILES[1]).contains(&(rows * columns));
            if is_apart && (is_fit || self.in_place) && rows != columns {
                tiles.push([rows, columns]);
            }
        }
        let shapes = tiles.into_iter();
        shapes
            .map(|[rows, columns]| self.fitting(rows * down, columns * across))
            .collect()
    }

    /// A matrix that is transposed in its own place is square.
    fn fitting(&self, rows: usize, columns: usize) -> Shape {
        match self.in_place {
            true => Shape::new(columns, columns),
            false => Shape::new(rows, columns),
        }
    }
}

fn matrices(shapes: Vec<Shape>) -> Vec<Size> {
    shapes.into_iter().map(Size::Matrix).collect()
}

/// A side of this kind, of up to three tiles.
pub(super) fn side(kind: Side, tile: usize, of: usize, numbers: &mut Numbers) -> usize {
    const PRIMES: [usize; 8] = [3, 5, 7, 11, 13, 17, 19, 23];
    let most = (3 * tile).min(LONGEST.max(tile + tile / 2));
    match kind {
        Side::Shortest => of,
        Side::Prime => of * numbers.one_of(&PRIMES).unwrap_or(3),
        Side::PowerOfTwo(power) => loop {
            let odd = 2 * numbers.within(0, most / (2 * power)) + 1;
            // Two have no odd divisor that counts, and must not become whole tiles.
            if !(power * odd).is_multiple_of(tile) {
                return power * odd;
            }
        },
        Side::Whole => tile.next_multiple_of(of) * numbers.within(1, (most / tile).max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workshop;

    fn graded(workshop: &Workshop) -> impl Iterator<Item = &Exercise> {
        let exercises = workshop.exercises().iter();
        exercises.filter(|exercise| {
            exercise.kind.asks_for_kernel() && matches!(exercise.work, Work::Matrix(_))
        })
    }

    /// What a side is divisible by: the power of two, and whether by the tile.
    fn is_of(kind: Side, length: usize, tile: usize, of: usize) -> bool {
        match kind {
            Side::Shortest => length == of,
            Side::Prime => {
                let rest = length / of;
                length.is_multiple_of(of) && (2..rest).all(|d| !rest.is_multiple_of(d)) && rest > 1
            }
            Side::PowerOfTwo(power) => {
                length.is_multiple_of(power)
                    && !length.is_multiple_of(2 * power)
                    && !length.is_multiple_of(tile)
            }
            Side::Whole => length.is_multiple_of(tile),
        }
    }

    #[test]
    fn hidden_matrices_have_every_kind_of_side_in_each_direction() {
        let workshop = Workshop::load().unwrap();
        for seed in 0..20 {
            for exercise in graded(&workshop) {
                let shapes = exercise.hidden_shapes(Seed(seed));
                let [across, down] = exercise.tile.map(|side| side as usize);
                let [of_columns, of_rows] = exercise.multiple_of;
                for row in Exercise::kinds(down, of_rows) {
                    for column in Exercise::kinds(across, of_columns) {
                        let fits = |shape: &&Shape| {
                            is_of(column, shape.columns, across, of_columns)
                                && (exercise.in_place || is_of(row, shape.rows, down, of_rows))
                        };
                        assert!(
                            shapes.iter().any(|shape| fits(&shape)),
                            "`{}`, seed {seed}: no matrix of {row:?} rows and {column:?} columns",
                            exercise.id
                        );
                    }
                }
                for shape in &shapes {
                    assert!(
                        shape.rows.is_multiple_of(of_rows)
                            && shape.columns.is_multiple_of(of_columns),
                        "`{}`: {shape}",
                        exercise.id
                    );
                }
            }
        }
    }

    #[test]
    fn arrays_have_lengths_of_every_kind_and_counted_ones_are_whole_tiles() {
        let workshop = Workshop::load().unwrap();
        let on_arrays = || {
            workshop
                .exercises()
                .iter()
                .filter(|e| e.work.on_arrays().is_some())
        };
        assert!(on_arrays().count() >= 8);
        for (seed, exercise) in (0..20).flat_map(|seed| on_arrays().map(move |e| (seed, e))) {
            let (tile, of) = (exercise.tile[0] as usize, exercise.multiple_of[0]);
            let hidden = exercise.hidden_sizes(Seed(seed));
            for kind in Exercise::kinds(tile, of) {
                let mut lengths = hidden.iter().map(|size| size.items());
                assert!(
                    lengths.any(|items| is_of(kind, items, tile, of)),
                    "`{}`, seed {seed}: no {kind:?} items",
                    exercise.id
                );
            }
            let counted = exercise.counted_sizes(Seed(seed));
            assert!(counted.len() == COUNTED && counted[0].items() != counted[1].items());
            assert!(counted.iter().all(|size| size.items().is_multiple_of(tile)));
            // Not the sizes of the seed before.
            assert_ne!(
                counted,
                exercise.counted_sizes(Seed(seed + 1000)),
                "`{}`",
                exercise.id
            );
        }
    }

    #[test]
    fn sides_divisible_by_four_and_not_by_the_tile_are_among_them() {
        let workshop = Workshop::load().unwrap();
        for id in ["copy", "every_shape"] {
            let exercise = workshop.get(id).unwrap();
            let across = exercise.tile[0] as usize;
            let shapes = exercise.hidden_shapes(Seed::draw());
            let torn = shapes.iter().filter(|shape| {
                shape.columns % 4 == 0
                    && !shape.columns.is_multiple_of(across)
                    && shape.rows % 2 == 1
            });
            assert!(torn.count() >= 2, "{id}");
        }
    }

    #[test]
    fn counted_matrices_are_whole_tiles_and_share_no_side() {
        let workshop = Workshop::load().unwrap();
        for seed in 0..200 {
            for exercise in graded(&workshop) {
                let shapes = exercise.counted_shapes(Seed(seed));
                let [across, down] = exercise.tile.map(|side| side as usize);
                assert_eq!(shapes.len(), COUNTED);
                assert_ne!(shapes[0].rows, shapes[1].rows);
                assert_ne!(shapes[0].columns, shapes[1].columns);
                for shape in shapes {
                    assert!(
                        shape.columns.is_multiple_of(across) && shape.rows.is_multiple_of(down)
                    );
                    assert!(
                        shape.rows * shape.columns <= 1 << 20,
                        "{}: {shape}",
                        exercise.id
                    );
                }
            }
        }
    }
}
