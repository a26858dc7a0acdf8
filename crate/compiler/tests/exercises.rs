//! The exercises of the book: every starter, solution, wrong answer and cheat compiles, but for those named here.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::sources::{cut, sources, variants};
use cornerturn_compiler::{Options, compile};

#[test]
fn the_exercises_compile() {
    let (mut compiled, mut all, mut without_kernel) = (0, 0, 0);
    for path in sources(&common::kernels().join("exercises")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for variant in variants(&text) {
            let source = cut(&text, &variant);
            if !source.contains("__global__") {
                without_kernel += 1;
                continue;
            }
            all += 1;
            let options = Options {
                arch: "compute_90".to_string(),
                ..Options::default()
            };
            match compile(&source, "kernel.cu", &options) {
                Ok(_) => compiled += 1,
                Err(error) => println!("{} {variant}: {error}", path.display()),
            }
        }
    }
    assert_eq!((compiled, all, without_kernel), (447, 447, 5));
}
