//! The order of blocks and the residency of warps; all made up.

use super::*;
use cornerturn_base::Shape;
use cornerturn_measure::task::{BlockOrder, Region};
use proptest::prelude::*;

/// Tiles of `side` over a matrix, row by row, written where the transpose has them.
fn tiles(rows: usize, columns: usize, side: usize) -> BlockOrder {
    let tile = |row: usize, column: usize| {
        let region = Region {
            rows: row * side..(row + 1) * side,
            columns: column * side..(column + 1) * side,
        };
        Some(region)
    };
    let (down, across) = (rows / side, columns / side);
    let places = || (0..down).flat_map(|row| (0..across).map(move |column| (row, column)));
    BlockOrder {
        input: Shape::new(rows, columns),
        output: Shape::new(columns, rows),
        reads: places().map(|(row, column)| tile(row, column)).collect(),
        writes: places().map(|(row, column)| tile(column, row)).collect(),
    }
}

#[test]
fn block_order_draws_each_block_on_both_sides_and_stays_still_where_motion_is_unwanted() {
    let figure = block_order("t", &tiles(64, 96, 16));
    let shown = texts(&figure);
    assert!(
        shown[1].starts_with("24 blocks, from the first"),
        "{shown:?}"
    );
    let heads = ["what they read: 64 × 96", "what they write: 96 × 64"];
    assert!(
        heads.iter().all(|head| shown.iter().any(|t| t == head)),
        "{shown:?}"
    );
    // Few blocks are numbered, in both matrices.
    assert_eq!(shown.iter().filter(|t| *t == "23").count(), 2, "{shown:?}");
    assert_eq!(figure.svg.matches("animation-delay").count(), 2 * 24);
    let style = figure
        .svg
        .split_once("@media (prefers-reduced-motion:no-preference){");
    assert!(style.is_some_and(|(before, _)| !before.contains("infinite")));
    // Many blocks are not.
    let shown = texts(&block_order("t", &tiles(1024, 1024, 32)));
    assert!(!shown.iter().any(|t| t == "23"), "{shown:?}");
}

#[test]
fn occupancy_states_warps_limit_and_bandwidth() {
    let rows = [
        Resident::new("16 × 16", 8, 64, 64, "threads").measured(gb(1858.0)),
        Resident::new("32 × 32", 1, 32, 48, "threads"),
    ];
    let figure = occupancy("t", &rows, "c");
    let shown = texts(&figure);
    for text in [
        "8 blocks a multiprocessor, limited by threads",
        "64 of 64, 100\u{202F}%",
        "1858",
        "1 block a multiprocessor, limited by threads",
        "32 of 48, 67\u{202F}%",
    ] {
        assert!(
            shown.iter().any(|t| t == text),
            "{text} is missing: {shown:?}"
        );
    }
    assert!(texts(&occupancy("t", &rows[1..], "")).len() < shown.len());
}

#[test]
fn nothing_is_said_of_no_blocks_and_no_kernels() {
    let nothing = BlockOrder {
        reads: vec![None],
        writes: vec![None],
        ..tiles(32, 32, 32)
    };
    for figure in [block_order("t", &nothing), occupancy("t", &[], "")] {
        let shown = texts(&figure);
        assert!(
            shown
                .iter()
                .any(|t| t.starts_with("There is nothing to draw")),
            "{shown:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_regions_and_any_residency_make_sound_figures(
        rows in 1usize..5000, columns in 1usize..5000,
        corners in proptest::collection::vec((0usize..6000, 0usize..6000, 0usize..600, 0usize..600), 1..40),
        warps in any::<u32>(), most in any::<u32>(), rate in proptest::num::f64::ANY, label in "\\PC{0,60}",
    ) {
        let region = |&(row, column, tall, wide): &(usize, usize, usize, usize)| {
            Some(Region { rows: row..row + tall, columns: column..column + wide })
        };
        let regions: Vec<Option<Region>> = corners.iter().map(region).collect();
        let order = BlockOrder {
            input: Shape::new(rows, columns),
            output: Shape::new(columns, rows),
            reads: regions.clone(),
            writes: regions,
        };
        texts(&block_order(&label, &order));
        texts(&occupancy("t", &[Resident::new(&label, 1, warps, most, &label).measured(gb(rate))], ""));
    }
}
