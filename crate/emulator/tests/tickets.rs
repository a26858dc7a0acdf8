//! Counters that the last one to come sets back by a plain store: it has observed the atomics of all others, and nobody else has. "Causality Order" in `src/check/model.rs`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture};
use cornerturn_emulator::{Arg, Finding, FindingKind, Module, Options};

/// On one host thread and on several.
const THREADS: [usize; 2] = [1, 3];

struct Run {
    gpu: Gpu,
    buffers: Vec<u64>,
    findings: Vec<Finding>,
}

impl Run {
    fn words(&self, buffer: usize, count: usize) -> Vec<u32> {
        self.gpu.download(self.buffers[buffer], count)
    }

    fn messages(&self) -> Vec<String> {
        self.findings.iter().map(Finding::message).collect()
    }
}

/// Launches a kernel on buffers of words, with a number behind them.
fn run(
    entry: &str,
    (grid, block): (u32, u32),
    threads: usize,
    words: &[Vec<u32>],
    number: Option<i32>,
) -> Run {
    let module = Module::load(&fixture("check/tickets.ptx")).unwrap();
    let mut gpu = Gpu {
        options: Options {
            check: true,
            threads,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let names = ["first", "second", "third", "fourth"];
    let buffers: Vec<u64> = (words.iter().zip(names))
        .map(|(words, name)| gpu.upload(name, words))
        .collect();
    let mut args: Vec<Arg> = buffers.iter().map(|buffer| (*buffer).into()).collect();
    args.extend(number.map(Arg::from));
    let findings = gpu
        .launch(&module, entry, [grid, 1, 1], [block, 1, 1], 0, &args)
        .findings;
    Run {
        gpu,
        buffers,
        findings,
    }
}

fn zeros(count: usize) -> Vec<u32> {
    vec![0; count]
}

/// Expects nothing on any number of host threads; returns the last run.
fn clean(entry: &str, shape: (u32, u32), words: &[Vec<u32>], number: Option<i32>) -> Run {
    let runs = THREADS.map(|threads| {
        let run = run(entry, shape, threads, words, number);
        assert_eq!(run.messages(), Vec::<String>::new(), "{entry} {shape:?}");
        run
    });
    let [_, last] = runs;
    last
}

#[test]
fn the_last_to_take_a_ticket_sets_the_counter_back() {
    for entry in ["reset_min", "reset_fenced", "reset_volatile"] {
        for blocks in [1, 2, 4, 300] {
            let run = clean(entry, (blocks, 1), &[zeros(1)], None);
            assert_eq!(run.words(0, 1), [0], "{entry} {blocks}");
        }
    }
    for block in [32, 128, 1024] {
        let run = clean("reset_shared", (3, block), &[zeros(3)], None);
        assert_eq!(run.words(0, 3), [0; 3]);
    }
}

#[test]
fn a_barrier_of_the_grid_is_used_again() {
    for (blocks, rounds) in [(2, 5), (4, 3), (9, 2)] {
        let words = [zeros(1), zeros(1), zeros(blocks), zeros(blocks)];
        let run = clean("generations", (blocks as u32, 1), &words, Some(rounds));
        let last = 2 * rounds as u32 - 2;
        let expected: Vec<u32> = (0..blocks as u32)
            .map(|block| last + (block + 1) % blocks as u32)
            .collect();
        assert_eq!(run.words(3, blocks), expected);
        assert_eq!(run.words(0, 1), [0]);
    }
    for blocks in [2, 5] {
        let n = 64 * blocks as usize;
        let start: Vec<u32> = (0..n as u32).collect();
        let words = [zeros(1), zeros(1), start, zeros(n)];
        let run = clean("smooth", (blocks, 64), &words, Some(4));
        let expected: Vec<u32> = (0..n).map(|at| ((at + 4) % n + 4) as u32).collect();
        assert_eq!(run.words(2, n), expected);
    }
}

#[test]
fn a_reduction_leaves_its_ticket_as_it_was() {
    let (blocks, n) = (7, 7 * 64);
    let words = [(0..n).collect(), zeros(7), zeros(1), zeros(1)];
    let run = clean("sum_all", (blocks, 64), &words, None);
    assert_eq!(
        (run.words(3, 1), run.words(2, 1)),
        (vec![n * (n - 1) / 2], vec![0])
    );
}

#[test]
fn a_queue_of_work_and_a_ring_are_in_order() {
    let n = 23;
    let words = [
        zeros(1),
        zeros(1),
        (0..32 * n).collect(),
        zeros(32 * n as usize),
    ];
    let run = clean("work_queue", (5, 64), &words, Some(n as i32));
    assert_eq!(
        run.words(3, 32 * n as usize),
        (0..32 * n).map(|at| 2 * at).collect::<Vec<_>>()
    );
    assert_eq!((run.words(0, 1), run.words(1, 1)), (vec![0], vec![0]));
    let run = clean("ring", (2, 1), &[zeros(2), zeros(2), zeros(9)], Some(9));
    assert_eq!(run.words(2, 9), (0..9).map(|at| 3 * at).collect::<Vec<_>>());
    let run = clean("waits_for_all", (6, 1), &[zeros(1), zeros(1)], None);
    assert_eq!((run.words(0, 1), run.words(1, 1)), (vec![0], vec![5]));
}

/// The number of the line of `tickets.cu` that ends in this comment.
fn line(comment: &str) -> u32 {
    let text = fixture("check/tickets.cu");
    let at = text
        .lines()
        .position(|line| line.ends_with(&format!("// {comment}")));
    at.unwrap() as u32 + 1
}

#[test]
fn who_has_not_seen_the_last_ticket_races_with_it() {
    let wrong = [
        ("reset_by_number", (4, 1), 2, "the last by number"),
        ("reset_by_first", (4, 1), 1, "the first"),
        ("reset_too_early", (4, 1), 1, "the last but one"),
        ("reset_by_all", (4, 1), 1, "all of them"),
        ("reset_shared_by_number", (1, 128), 1, "the last warp"),
    ];
    for (entry, shape, buffers, comment) in wrong {
        for threads in THREADS {
            let run = run(entry, shape, threads, &vec![zeros(4); buffers], None);
            let line = Some(line(comment));
            let is_told = run.findings.iter().any(|finding| {
                let source = |source: &Option<cornerturn_emulator::SourceLine>| {
                    source.as_ref().map(|source| source.line)
                };
                let other = finding
                    .other
                    .as_ref()
                    .and_then(|other| source(&other.source));
                finding.kind == FindingKind::Race
                    && (source(&finding.source) == line || other == line)
            });
            assert!(is_told, "{entry}: {:#?}", run.messages());
        }
    }
    let run = run(
        "generations_unfenced",
        (3, 1),
        1,
        &[zeros(1), zeros(1)],
        Some(3),
    );
    let races = run
        .findings
        .iter()
        .all(|finding| finding.kind == FindingKind::Race);
    assert!(races && !run.findings.is_empty(), "{:#?}", run.messages());
}
