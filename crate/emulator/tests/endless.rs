//! Loops that never end are named by their state, those that end are left to run, and a run in which something was found ends soon.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, WAYS, gpu};
use cornerturn_emulator::{Arg, Detail, Finding, FindingKind, Headway, Module, Report};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Instructions of warps that a run may have executed when it is over: a few seconds' at most.
const SOON: u64 = 1 << 25;

/// A kernel `k(u64 a, u64 b, u32 n)` whose `%rd1`, `%rd2` and `%r1` are its arguments and `%r2` is its thread.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
        {{ .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 4 .b32 s[64];
        ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
        {body}
        ret; }}"
    );
    Module::load(&text).unwrap()
}

fn run(gpu: &Gpu, body: &str, blocks: u32, threads: u32, args: (u64, u64, u32)) -> Report {
    let args: [Arg; 3] = [args.0.into(), args.1.into(), args.2.into()];
    gpu.launch(
        &kernel(body),
        "k",
        [blocks, 1, 1],
        [threads, 1, 1],
        0,
        &args,
    )
}

fn messages(report: &Report) -> Vec<String> {
    report.findings.iter().map(Finding::message).collect()
}

/// `while (i < n) b[i] = 2 * a[i];`: each round stores what is there already.
const NO_STEP: &str = "
    mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ntid.x; mad.lo.u32 %r3, %r8, %r9, %r2;
    mul.wide.u32 %rd5, %r3, 4; add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;
    setp.ge.u32 %p1, %r3, %r1; @%p1 bra OUT;
    LOOP: ld.global.u32 %r4, [%rd3]; shl.b32 %r4, %r4, 1; st.global.u32 [%rd4], %r4;
    setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP;
    OUT:";

/// `for (int d = 16; d >= 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }`
const HALVES: &str = "
    mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2; bar.sync 0;
    mov.u32 %r5, 16;
    LOOP: setp.ge.u32 %p1, %r2, %r5; @%p1 bra NEXT;
    shl.b32 %r6, %r5, 2; add.u32 %r6, %r3, %r6; ld.shared.u32 %r7, [%r6]; ld.shared.u32 %r8, [%r3];
    add.u32 %r8, %r8, %r7; st.shared.u32 [%r3], %r8;
    NEXT: bar.sync 0; shr.s32 %r5, %r5, 1; setp.ge.s32 %p2, %r5, 0; @%p2 bra LOOP;";

/// `while (p >= 0) p = a[p];` through a list that comes back to its start.
const CIRCLE: &str = "
    and.b32 %r3, %r2, 3;
    LOOP: mul.wide.s32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3];
    setp.ge.s32 %p1, %r3, 0; @%p1 bra LOOP;";

/// One thread waits for another value of `a[0]`, which nobody stores, and the others for that thread.
const ONE_WAITS: &str = "
    setp.ne.u32 %p1, %r2, 40; @%p1 bra MEET;
    LOOP: ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 1; @%p2 bra LOOP;
    MEET: bar.sync 0;";

/// `int i = 0; while (i < a[0]) sum += t;`: the bound is in memory, and the sum is another one in each round.
const BOUND: &str = "
    mov.u32 %r3, 0; mov.u32 %r5, %r2; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd4, %rd2, %rd5;
    LOOP: ld.global.u32 %r4, [%rd1]; setp.ge.s32 %p1, %r3, %r4; @%p1 bra OUT; add.u32 %r5, %r5, 7; bra LOOP;
    OUT: st.global.u32 [%rd4], %r5;";

/// `for (int i = 0; i < n; ++i) for (int j = 0; j < n;) sum += i + 1;`
const INNER: &str = "
    mov.u32 %r3, 0; mov.u32 %r5, 0; mov.u32 %r4, 0;
    LOOP: add.u32 %r5, %r5, %r3; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP; st.global.u32 [%rd2], %r5;";

/// `for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++i) sum += i;`: what the outer loop goes by is another one in each
/// round of the inner one.
const OUTER: &str = "
    mov.u32 %r3, 0; mov.u32 %r5, 0; setp.lt.u32 %p1, %r3, %r1;
    LOOP: @!%p1 bra NEXT;
    INNER: add.u32 %r5, %r5, %r3; add.u32 %r3, %r3, 1; @%p1 bra INNER;
    NEXT: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP; st.global.u32 [%rd2], %r5;";

/// `int p = 0, length = 0; while (p >= 0) { p = a[p]; ++length; }`
const COUNTED: &str = "
    and.b32 %r3, %r2, 3; mov.u32 %r5, 0;
    LOOP: mul.wide.s32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3]; add.u32 %r5, %r5, 1;
    setp.ge.s32 %p1, %r3, 0; @%p1 bra LOOP; st.global.u32 [%rd2], %r5;";

/// `while (t < a[0]) b[t] += t + 1;`, in threads that have something to do: what it stores is new in each round.
const ADDS: &str = "
    mul.wide.u32 %rd5, %r2, 4; add.u64 %rd4, %rd2, %rd5;
    LOOP: ld.global.u32 %r4, [%rd1]; setp.ge.u32 %p1, %r2, %r4; @%p1 bra OUT;
    ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, %r2; add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5; bra LOOP;
    OUT:";

#[test]
fn a_loop_that_comes_back_to_where_it_was_is_named_soon() {
    for (check, threads) in WAYS {
        for (name, body, blocks, each, thread) in [
            ("no step", NO_STEP, 4, 64, 0),
            ("halves", HALVES, 2, 32, 0),
            ("circle", CIRCLE, 1, 32, 0),
            ("one waits", ONE_WAITS, 2, 64, 40),
            ("bound", BOUND, 2, 64, 0),
            ("inner", INNER, 1, 32, 0),
            ("outer", OUTER, 1, 32, 0),
            ("counted", COUNTED, 2, 32, 0),
            ("adds", ADDS, 2, 32, 0),
        ] {
            let mut gpu = gpu(check, threads);
            let a = gpu.upload("a", &[1i32, 2, 3, 0].repeat(64));
            let b = gpu.upload("b", &[0i32; 256]);
            let headway = Arc::<Headway>::default();
            gpu.options.headway = Some(headway.clone());
            let report = run(&gpu, body, blocks, each, (a, b, 256));
            let told = format!("{name} {check} {threads}: {:?}", messages(&report));
            let finding = report.findings.first().expect(&told);
            assert_eq!(report.findings.len(), 1, "{told}");
            assert_eq!(finding.kind, FindingKind::EndlessLoop, "{told}");
            assert_eq!(finding.detail, Detail::Unchanged, "{told}");
            assert_eq!(
                (finding.block, finding.thread),
                ([0; 3], [thread, 0, 0]),
                "{told}"
            );
            let executed = headway.instructions.load(Relaxed);
            assert!(report.stopped && executed < SOON, "{executed} {told}");
        }
    }
}

#[test]
fn a_loop_that_nothing_leads_out_of_is_named_although_it_counts() {
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let a = gpu.upload("a", &[0i32; 4]);
        let body = "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; and.b32 %r4, %r3, 8; setp.eq.u32 %p1, %r4, 0;
            @%p1 bra LOOP; xor.b32 %r5, %r5, %r3; bra LOOP;";
        let report = run(&gpu, body, 3, 64, (a, a, 0));
        let details: Vec<_> = report.findings.iter().map(|found| &found.detail).collect();
        assert_eq!(details, [&Detail::NoWayOut], "{:?}", messages(&report));
        // An exit, even one that is never taken, may be taken yet.
        let may_end = body.replace("xor.b32", "setp.eq.s32 %p2, %r3, -1; @%p2 ret; xor.b32");
        gpu.options.instruction_budget = 1 << 20;
        let report = run(&gpu, &may_end, 1, 32, (a, a, 0));
        let detail = report.findings.first().map(|found| &found.detail);
        assert!(
            matches!(detail, Some(Detail::Budget { .. })),
            "{:?}",
            messages(&report)
        );
    }
}

/// `for (i = t; i < n; i += step) sum += a[i];` four iterations at a time, as NVRTC writes it: it divides by a step of 0.
const NO_STRIDE: &str = "
    mov.u32 %r3, 0; setp.ge.s32 %p1, %r2, 64; @%p1 bra OUT;
    not.b32 %r4, %r2; add.s32 %r5, %r4, 64; div.u32 %r6, %r5, %r1; add.s32 %r7, %r6, 1; and.b32 %r8, %r7, 3;
    setp.eq.s32 %p1, %r8, 0; @%p1 bra MAIN;
    LEFT: mul.wide.s32 %rd5, %r2, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r9, [%rd6]; add.s32 %r3, %r3, %r9;
    add.s32 %r2, %r2, %r1; add.s32 %r8, %r8, -1; setp.ne.s32 %p1, %r8, 0; @%p1 bra LEFT;
    MAIN: setp.lt.u32 %p1, %r6, 3; @%p1 bra OUT;
    LOOP: mul.wide.s32 %rd5, %r2, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r9, [%rd6]; add.s32 %r3, %r3, %r9;
    add.s32 %r2, %r2, %r1; setp.lt.s32 %p1, %r2, 64; @%p1 bra LOOP;
    OUT: st.global.u32 [%rd2], %r3;";

/// `for (unsigned char i = 0; i < n; i++) a[t] = 2 * i;` as NVRTC writes it, in a register of 16 bits.
const SHORT: &str = "
    mov.u32 %r8, 0; cvt.u16.u32 %h1, %r8;
    mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;
    LOOP: cvt.u32.u16 %r5, %h1; add.u32 %r6, %r5, %r8; st.global.u32 [%rd4], %r6; add.s16 %h1, %h1, 1; cvt.u32.u16 %r7, %h1; and.b32 %r8, %r7, 255;
    setp.lt.s32 %p1, %r8, %r1; @%p1 bra LOOP;";

#[test]
fn a_counter_that_wraps_before_it_reaches_its_end_is_named() {
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let a = gpu.upload("a", &[1i32; 96]);
        let body = format!(".reg .b16 %h<2>; {SHORT}");
        let is_endless = |found: &Finding| found.kind == FindingKind::EndlessLoop;
        for block in [1, 96] {
            let headway = Arc::<Headway>::default();
            gpu.options.headway = Some(headway.clone());
            let report = run(&gpu, &body, 1, block, (a, a, 300));
            let executed = headway.instructions.load(Relaxed);
            let told = format!("{block} {check}: {:?}", messages(&report));
            assert!(report.findings.iter().any(is_endless), "{told}");
            assert!(executed < SOON, "{executed} {told}");
            let report = run(&gpu, &body, 1, block, (a, a, 200));
            assert!(!report.findings.iter().any(is_endless), "{told}");
        }
    }
}

#[test]
fn a_step_of_0_is_an_endless_loop_and_no_division() {
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let a = gpu.upload("a", &[1i32; 64]);
        let kinds = |body: &str| -> Vec<FindingKind> {
            let report = run(&gpu, body, 1, 32, (a, a, 0));
            report.findings.iter().map(|found| found.kind).collect()
        };
        assert_eq!(kinds(NO_STRIDE), [FindingKind::EndlessLoop]);
        // A quotient of which something else is made is one of the source.
        let is_used = NO_STRIDE.replace("OUT:", "st.global.u32 [%rd2+4], %r6; OUT:");
        let found = kinds(&is_used);
        assert_eq!(found.contains(&FindingKind::Division), check, "{found:?}");
    }
}

/// Each of these goes round more often than a state is looked at, and ends.
#[test]
fn a_long_loop_that_changes_something_ends() {
    let bodies = [
        // In memory alone: registers are the same in every round.
        "mov.u32 %r5, 0; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
        LOOP: ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, 1; st.global.u32 [%rd3], %r3;
        setp.lt.u32 %p1, %r3, %r1; mov.u32 %r3, 0; @%p1 bra LOOP;",
        // The same in shared memory, through a barrier.
        "mov.u32 %r4, s; and.b32 %r5, %r2, 63; shl.b32 %r5, %r5, 2; add.u32 %r4, %r4, %r5; mov.u32 %r3, 0;
        st.shared.u32 [%r4], %r3;
        LOOP: ld.shared.u32 %r3, [%r4]; add.u32 %r3, %r3, 1; st.shared.u32 [%r4], %r3; bar.sync 0;
        setp.lt.u32 %p1, %r3, %r1; mov.u32 %r3, 0; @%p1 bra LOOP;
        mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; ld.shared.u32 %r3, [%r4]; st.global.u32 [%rd3], %r3;",
        // In memory, by what is added up on the way and stored there last.
        "mov.u32 %r5, 0; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
        LOOP: ld.global.u32 %r3, [%rd3]; add.u32 %r5, %r5, 1; shr.u32 %r4, %r5, 16; shl.b32 %r4, %r4, 16;
        setp.lt.u32 %p2, %r5, %r1; selp.b32 %r4, %r4, %r5, %p2; st.global.u32 [%rd3], %r4; setp.lt.u32 %p1, %r3, %r1;
        @%p1 bra LOOP; st.global.u32 [%rd3], %r1;",
        // In the clock.
        "mul.wide.u32 %rd3, %r1, 16; mov.u64 %rd5, 0;
        LOOP: mov.u64 %rd4, %clock64; setp.lt.u64 %p1, %rd4, %rd3; mov.u64 %rd4, 0; @%p1 bra LOOP;
        mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1;",
    ];
    for (number, body) in bodies.iter().enumerate() {
        for check in [false, true] {
            let mut gpu = gpu(check, 1);
            let a = gpu.upload("a", &[0u32; 32]);
            let n = 300_000u32;
            let report = run(&gpu, body, 1, 32, (a, a, n));
            assert_eq!(messages(&report), Vec::<String>::new(), "{number} {check}");
            assert_eq!(gpu.download::<u32>(a, 32), [n; 32], "{number} {check}");
        }
    }
}

/// Plain loads and stores: a mistake that checks find, but no endless loop here.
#[test]
fn who_is_set_free_by_another_warp_or_an_earlier_block_ends() {
    // Warp 1 counts for long, then sets what warp 0 spins on.
    let warps = "mov.u32 %r4, s; mov.u32 %r3, 0; st.shared.u32 [%r4], %r3; bar.sync 0; setp.ge.u32 %p1, %r2, 32;
        @%p1 bra SET;
        LOOP: ld.shared.u32 %r5, [%r4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOP; bra OUT;
        SET: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra SET; st.shared.u32 [%r4], %r3;
        OUT:";
    // Block 0 does, and the others spin on global memory.
    let blocks = "mov.u32 %r4, %ctaid.x; mov.u32 %r3, 0; setp.eq.u32 %p1, %r4, 0; @%p1 bra SET;
        LOOP: ld.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOP; bra OUT;
        SET: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra SET; st.global.u32 [%rd1], %r3;
        OUT:";
    for threads in [1, 2, 3] {
        for (body, grid) in [(warps, 2), (blocks, 3)] {
            let mut gpu = gpu(false, threads);
            let a = gpu.upload("a", &[0u32; 32]);
            let report = run(&gpu, body, grid, 64, (a, a, 2_000_000));
            assert_eq!(messages(&report), Vec::<String>::new(), "{threads} {body}");
        }
    }
}

/// Lanes of a warp that are held back by others of it may be what these wait for.
#[test]
fn who_is_set_free_by_its_own_warp_ends() {
    let body = "mov.u32 %r4, s; mov.u32 %r3, 0; st.shared.u32 [%r4], %r3; bar.warp.sync 0xffffffff;
        setp.ge.u32 %p1, %r2, 16; @%p1 bra SET;
        LOOP: ld.shared.u32 %r5, [%r4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOP; bra OUT;
        SET: mov.u32 %r3, 1; st.shared.u32 [%r4], %r3;
        OUT:";
    for body in [body.to_string(), body.replace(".ge.", ".lt.")] {
        let mut gpu = gpu(false, 1);
        let a = gpu.upload("a", &[0u32; 32]);
        let report = run(&gpu, &body, 1, 32, (a, a, 0));
        assert_eq!(messages(&report), Vec::<String>::new());
    }
}

/// `for (int k = 0; k >= 0; ++k) a[t + k] = k;`
#[test]
fn the_first_finding_ends_a_run_that_only_finds_more_of_the_same() {
    let body = "mov.u32 %r3, 0; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
        LOOP: st.global.u32 [%rd3], %r3; add.u64 %rd3, %rd3, 4; add.u32 %r3, %r3, 1;
        setp.ge.s32 %p1, %r3, 0; @%p1 bra LOOP;";
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let a = gpu.upload("a", &[0u32; 4096]);
        let headway = Arc::<Headway>::default();
        gpu.options.headway = Some(headway.clone());
        let report = run(&gpu, body, 2, 32, (a, a, 0));
        let finding = report.findings.first().unwrap();
        let told = format!("{check} {threads}: {}", finding.message());
        assert_eq!(finding.kind, FindingKind::OutOfBounds, "{told}");
        assert_eq!(
            (finding.block, finding.address),
            ([0; 3], Some(a + 4 * 4096)),
            "{told}"
        );
        let executed = headway.instructions.load(Relaxed);
        assert!(report.stopped && executed < SOON, "{executed} {told}");
    }
}

/// Each of very many blocks does the same wrong and takes its time: some are enough, and the same for any number of threads.
#[test]
fn the_blocks_after_the_first_finding_are_no_more_than_one_waits_for() {
    let body =
        "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP;
        mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+1024], %r3;";
    let reports = [1, 2].map(|threads| {
        let mut gpu = gpu(false, threads);
        let a = gpu.upload("a", &[0u32; 256]);
        run(&gpu, body, 100_000, 256, (a, a, 1 << 20))
    });
    let [one, two] = reports.each_ref().map(messages);
    assert_eq!(one, two);
    let finding = &reports[0].findings[0];
    assert_eq!(
        (finding.kind, finding.block),
        (FindingKind::OutOfBounds, [0; 3])
    );
    let blocks = finding.count / 256;
    assert!(
        (2..100).contains(&blocks) && reports[0].stopped,
        "{blocks} blocks"
    );
}

/// A kernel of one thread is counted and checked as the same work of a warp's first lane is.
#[test]
fn one_thread_alone_is_counted_and_checked_as_one_of_many() {
    let body = |guard: &str| {
        format!(
            "{guard} mov.u32 %r3, 0; mov.u64 %rd3, %rd1; mov.u64 %rd4, %rd2; mov.u32 %r5, 0;
            LOOP: ld.global.u32 %r4, [%rd3]; add.u32 %r5, %r5, %r4; st.global.u32 [%rd4], %r5; ld.global.v2.u32 {{%r6, %r7}}, [%rd2];
            and.b32 %r8, %r3, 63; shl.b32 %r8, %r8, 2; mov.u32 %r9, s; add.u32 %r9, %r9, %r8; st.shared.u32 [%r9], %r5;
            ld.shared.u32 %r10, [%r9]; add.u32 %r11, %r6, %r7; st.shared.u32 [%r9], %r11; add.u64 %rd3, %rd3, 4; add.u64 %rd4, %rd4, 4; add.u32 %r3, %r3, 1;
            setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP; OUT:"
        )
    };
    let first_only = "setp.ne.u32 %p2, %r2, 0; @%p2 bra OUT;";
    for check in [false, true] {
        let outcomes = [(body(""), 1), (body(first_only), 64)].map(|(body, threads)| {
            let mut gpu = gpu(check, 1);
            let a = gpu.upload("a", &(1..=500).collect::<Vec<u32>>());
            // Its second element is read before it is written.
            let b = gpu.poisoned::<u32>("b", 500);
            let report = run(&gpu, &body, 1, threads, (a, b, 500));
            let (sites, found) = (report.sites.clone(), messages(&report));
            let found: Vec<_> = found
                .iter()
                .map(|text| text.split(", in").next().unwrap().to_string())
                .collect();
            (gpu.download::<u32>(b, 500), format!("{sites:?}"), found)
        });
        assert_eq!(outcomes[0], outcomes[1], "{check}");
        assert_eq!(outcomes[0].0[499], 500 * 501 / 2);
        assert_eq!(
            outcomes[0].2.len(),
            usize::from(check),
            "{:?}",
            outcomes[0].2
        );
    }
}
