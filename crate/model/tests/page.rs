//! The page that compares predicted and measured times has what the committed table gives, and the errors do not grow.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_model::compare::{Compared, in_order, page};
use std::path::PathBuf;

fn file(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

fn rows() -> Vec<Compared> {
    Compared::read(&file("book/results/h200/predicted.csv"))
}

#[test]
fn the_page_has_the_tables_of_the_record() {
    // Written anew by the example `predicted` with --csv and --page; crate/model/README.md says how.
    let text = file("book/src/time-model.md");
    let (_, rest) = text.split_once("<!-- compared -->\n").unwrap();
    let (tables, _) = rest.split_once("<!-- end -->").unwrap();
    assert_eq!(tables, page(&rows()));
}

#[test]
fn the_errors_do_not_grow() {
    let rows = rows();
    assert!(rows.len() > 400, "{}", rows.len());
    let mean = |rows: &[&Compared]| {
        rows.iter().map(|row| row.error().abs()).sum::<f64>() / rows.len() as f64
    };
    let bound: Vec<&Compared> = rows.iter().filter(|row| row.limit == "dram").collect();
    let all: Vec<&Compared> = rows.iter().collect();
    assert!(mean(&bound) < 0.08, "{}", mean(&bound));
    assert!(mean(&all) < 0.15, "{}", mean(&all));
    let (right, pairs) = in_order(&rows);
    assert!(right as f64 / pairs as f64 > 0.9, "{right} of {pairs}");
}
