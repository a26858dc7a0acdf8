//! The exercises of the book: every starter, solution, wrong answer and cheat compiles, but for those named here.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use cornerturn_compiler::{Options, compile};

#[test]
fn the_exercises_compile() {
    let (mut compiled, mut all) = (0, 0);
    for (name, source) in common::parts::all() {
        all += 1;
        let options = Options {
            arch: "compute_90".to_string(),
            ..Options::default()
        };
        match compile(&source, "kernel.cu", &options) {
            Ok(_) => compiled += 1,
            Err(error) => println!("{name}: {error}"),
        }
    }
    assert_eq!((compiled, all), (522, 522));
}
