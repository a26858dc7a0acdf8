//! How long the book's kernels take to compile: the slowest files, each the best of several runs.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the compiler")]

#[path = "../tests/common/mod.rs"]
mod common;

use cornerturn_compiler::{Options, compile};
use std::time::Instant;

fn main() {
    let mut times = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for case in common::registered() {
        if !seen.insert(case.file.clone()) {
            continue;
        }
        let source = std::fs::read_to_string(common::kernels().join(&case.file)).unwrap();
        let options = Options {
            arch: case.arch.clone(),
            ..Options::default()
        };
        let best = (0..5).map(|_| {
            let start = Instant::now();
            let compiled = compile(&source, "kernel.cu", &options);
            assert!(compiled.is_ok());
            start.elapsed().as_secs_f64() * 1e3
        });
        times.push((best.fold(f64::INFINITY, f64::min), case.file));
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (milliseconds, file) in times.iter().take(12) {
        println!("{milliseconds:8.2} ms {file}");
    }
}
