//! Values that no thread may use, and that threads get all the same: no mistake while they are dropped, one at its own line as soon as they are used.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, fixture, module};
use cornerturn_emulator::{Arg, Finding, FindingKind, Module, Options};

const THREADS: usize = 48;
const LENGTH: usize = 3 * THREADS;

/// Two runs of numbers, each sorted, none of them 0.
fn input() -> Vec<u32> {
    let mut random = Random(7);
    let mut numbers: Vec<u32> = (0..LENGTH).map(|_| random.next() as u32 | 1).collect();
    // The second run ends before the first.
    numbers[0] = u32::MAX;
    numbers[..LENGTH / 2].sort_unstable();
    numbers[LENGTH / 2..].sort_unstable();
    numbers
}

/// What a kernel of so many threads leaves in the first `count` words of its output, and what is found.
fn run(module: &Module, entry: &str, count: usize, more: &[Arg]) -> (Vec<u32>, Vec<Finding>) {
    let mut gpu = Gpu {
        options: Options {
            check: true,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let (from, out) = (
        gpu.upload("in", &input()),
        gpu.poisoned::<u32>("out", LENGTH),
    );
    let args: Vec<Arg> = [from.into(), out.into()]
        .into_iter()
        .chain(more.to_vec())
        .collect();
    let report = gpu.launch(module, entry, [1, 1, 1], [THREADS as u32, 1, 1], 0, &args);
    (gpu.download(out, count), report.findings)
}

/// Lines of the CUDA C++ that end in a mark.
fn marked(mark: &str) -> Vec<u32> {
    let source = fixture("pass/dropped.cu");
    let lines = (1..).zip(source.lines());
    lines
        .filter(|(_, line)| line.ends_with(mark))
        .map(|(number, _)| number)
        .collect()
}

/// All findings are of a kind, and at lines with a mark.
fn all_at(findings: &[Finding], kind: FindingKind, mark: &str) {
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding.kind, kind, "{}", finding.message());
        let line = finding.source.as_ref().unwrap().line;
        assert!(marked(mark).contains(&line), "{}", finding.message());
    }
}

#[test]
fn a_merge_loads_past_its_runs_and_drops_what_it_gets() {
    let (found, findings) = run(&module("dropped"), "merge_runs", LENGTH, &[]);
    assert_eq!(findings, []);
    let mut expected = input();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let (_, findings) = run(&module("dropped"), "merge_runs_too_far", LENGTH, &[]);
    all_at(&findings, FindingKind::Uninitialized, "// merged");
}

#[test]
fn a_select_drops_what_nobody_has_written() {
    for n in [1usize, 31, 37] {
        let more = [Arg::from(n as i32)];
        let (found, findings) = run(&module("dropped"), "select_written", THREADS, &more);
        assert_eq!(findings, [], "{n}");
        let input = input();
        let expected = (0..THREADS).map(|t| {
            let chosen = if t + 1 < n {
                input[t + 1].wrapping_mul(3).wrapping_add(1)
            } else {
                5
            };
            chosen.wrapping_add(input[t])
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
        let (_, findings) = run(&module("dropped"), "select_unwritten", THREADS, &more);
        all_at(&findings, FindingKind::Uninitialized, "// unwritten");
        // One thread, the last, uses it.
        assert_eq!((findings.len(), findings[0].count), (1, 1));
        assert_eq!(findings[0].thread, [n as u32 - 1, 0, 0]);
    }
}

#[test]
fn a_select_drops_what_a_shuffle_brings_from_outside_its_mask() {
    let (found, findings) = run(&module("dropped"), "shuffle_inside", 20, &[]);
    assert_eq!(findings, []);
    let input = input();
    let of = |t: usize| {
        if t + 4 < 20 {
            input[t + 4].wrapping_mul(7)
        } else {
            1
        }
    };
    assert_eq!(found, (0..20).map(of).collect::<Vec<_>>());
    let (_, findings) = run(&module("dropped"), "shuffle_outside", 20, &[]);
    all_at(&findings, FindingKind::Mask, "// outside");
}

/// What is found where `%r1` has been loaded from shared memory that nobody has written; `%rd1` is the output, `%r5` 97.
fn found(body: &str) -> usize {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{ .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<9>;\n\
         .shared .align 16 .b8 s[64];\n\
         ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r5, 97;\n\
         setp.eq.u32 %p1, %r5, 97; setp.ne.u32 %p2, %r5, 97; mov.u32 %r6, %tid.x; mad.wide.u32 %rd1, %r6, 4, %rd1;\n\
         ld.shared.u32 %r1, [s];\n{body}\n ret; }}"
    );
    let (_, findings) = run(&Module::load(&text).unwrap(), "k", 0, &[]);
    assert!(
        findings
            .iter()
            .all(|found| found.kind == FindingKind::Uninitialized)
    );
    findings.len()
}

#[test]
fn a_value_is_dropped_by_what_does_not_depend_on_it() {
    for body in [
        // Nobody reads it, or it is written over.
        "",
        "mov.u32 %r1, %r5; st.global.u32 [%rd1], %r1;",
        "add.u32 %r2, %r1, 3; mov.u32 %r2, 5; st.global.u32 [%rd1], %r2;",
        "selp.b32 %r2, %r5, %r1, %p1; st.global.u32 [%rd1], %r2;",
        "selp.b32 %r2, %r1, %r5, %p2; st.global.u32 [%rd1], %r2;",
        "mul.lo.u32 %r2, %r1, 7; xor.b32 %r3, %r2, %r5; selp.b32 %r4, %r3, 8, %p2; st.global.u32 [%rd1], %r4;",
        // The other operand decides alone.
        "setp.lt.u32 %p3, %r1, %r5; and.pred %p4, %p3, %p2; @%p4 bra A; st.global.u32 [%rd1], %r5; A:",
        "setp.lt.u32 %p3, %r1, %r5; or.pred %p4, %p1, %p3; @%p4 bra A; st.global.u32 [%rd1], %r5; A:",
        "setp.lt.and.u32 %p3, %r1, %r5, %p2; @%p3 st.global.u32 [%rd1], %r5;",
        "setp.lt.u32 %p3, %r1, %r5; and.pred %p3, %p3, %p2; selp.b32 %r2, %r5, 8, %p3; st.global.u32 [%rd1], %r2;",
        // In some lanes only, which do not use it.
        "setp.lt.u32 %p3, %r6, 7; @%p3 mov.u32 %r1, 3; @%p3 st.global.u32 [%rd1], %r1;",
    ] {
        assert_eq!(found(body), 0, "{body}");
    }
}

#[test]
fn a_value_is_used_by_what_depends_on_it() {
    for body in [
        "st.global.u32 [%rd1], %r1;",
        "st.shared.u32 [s+4], %r1;",
        "add.u32 %r2, %r1, %r5; mul.lo.u32 %r3, %r2, 5; st.global.u32 [%rd1], %r3;",
        "selp.b32 %r2, %r1, %r5, %p1; st.global.u32 [%rd1], %r2;",
        "selp.b32 %r2, %r5, %r1, %p2; st.global.u32 [%rd1], %r2;",
        // It chooses.
        "setp.lt.u32 %p3, %r1, %r5; selp.b32 %r2, 3, 4, %p3; st.global.u32 [%rd1], %r2;",
        "setp.lt.u32 %p3, %r1, %r5; and.pred %p4, %p3, %p1; @%p4 bra A; st.global.u32 [%rd1], %r5; A:",
        "setp.lt.u32 %p3, %r1, %r5; or.pred %p4, %p2, %p3; @%p4 bra A; st.global.u32 [%rd1], %r5; A:",
        "setp.lt.or.u32 %p3, %r1, %r5, %p2; @%p3 st.global.u32 [%rd1], %r5;",
        "setp.lt.u32 %p3, %r1, %r5; xor.pred %p4, %p3, %p2; @%p4 bra A; st.global.u32 [%rd1], %r5; A:",
        // It is an address, or another lane's.
        "and.b32 %r2, %r1, 0; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r5;",
        "and.b32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r5;",
        "activemask.b32 %r7; shfl.sync.idx.b32 %r2, %r1, 0, 31, %r7; st.global.u32 [%rd1], %r2;",
        "st.global.u32 [%rd1], %r5; atom.global.add.u32 %r2, [%rd1], %r1;",
        // In some lanes, one of which uses it.
        "setp.lt.u32 %p3, %r6, 7; @%p3 mov.u32 %r1, 3; setp.lt.u32 %p4, %r6, 8; @%p4 st.global.u32 [%rd1], %r1;",
        // Round a loop, the first turn's value in the second.
        "mov.u32 %r2, 0; mov.u32 %r3, 1; A: add.u32 %r2, %r2, 1; setp.eq.u32 %p3, %r2, 2; @%p3 st.global.u32 [%rd1], %r3; \
         mov.u32 %r3, %r1; setp.lt.u32 %p4, %r2, 2; @%p4 bra A;",
    ] {
        assert_eq!(found(body), 1, "{body}");
    }
}
