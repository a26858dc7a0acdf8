//! How long the book's kernels take to compile, each alone as a page and the library ask for it: the slowest, each the best of several runs.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the compiler")]

#[path = "../tests/common/mod.rs"]
mod common;

use cornerturn_compiler::{Options, compile};
use std::collections::BTreeSet;
use std::time::Instant;

/// How many of the slowest are told.
const TOLD: usize = 15;

fn main() {
    // Architectures, files and entries, each once.
    let registered = common::registered().into_iter();
    let mut kernels: BTreeSet<_> = registered
        .map(|case| (case.arch, case.file, case.entry))
        .collect();
    kernels.extend(
        common::products()
            .into_iter()
            .map(|(file, arch, entry)| (arch, file, entry)),
    );
    let mut times = Vec::new();
    for (arch, file, entry) in kernels {
        let source = std::fs::read_to_string(common::kernels().join(&file)).unwrap();
        times.push((
            best(&source, &arch, Some(&entry)),
            format!("{file} {entry}"),
        ));
    }
    println!("of {} kernels of the book:", times.len());
    tell(times);
    let mut times = Vec::new();
    for (name, source) in common::parts::all() {
        times.push((best(&source, "compute_90", None), name));
    }
    println!("of {} starters, solutions and wrong answers:", times.len());
    tell(times);
}

/// Milliseconds of the best of several runs.
fn best(source: &str, arch: &str, entry: Option<&str>) -> f64 {
    let options = Options {
        arch: arch.to_string(),
        entry: entry.map(str::to_string),
        ..Options::default()
    };
    let run = || {
        let start = Instant::now();
        let compiled = compile(source, "kernel.cu", &options);
        assert!(compiled.is_ok());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn tell(mut times: Vec<(f64, String)>) {
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (milliseconds, name) in times.iter().take(TOLD) {
        println!("{milliseconds:8.2} ms {name}");
    }
}
