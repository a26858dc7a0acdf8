//! Blocks and threads that wait for each other: those that can go on do, and those that never will are named soon.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use common::{Gpu, WAYS, gpu, module};
use cornerturn_emulator::{
    Arg, Detail, Finding, FindingKind, GridWait, Headway, Launch, Module, Report, needed_bytes,
};

/// The same for cooperative launches.
fn cooperative(check: bool, threads: usize) -> Gpu {
    let mut gpu = gpu(check, threads);
    gpu.options.cooperative = true;
    gpu
}

fn run(gpu: &Gpu, entry: &str, blocks: u32, threads: u32, args: &[Arg]) -> Report {
    gpu.launch(
        &module("waiting"),
        entry,
        [blocks, 1, 1],
        [threads, 1, 1],
        0,
        args,
    )
}

fn messages(report: &Report) -> Vec<String> {
    report.findings.iter().map(Finding::message).collect()
}

#[test]
fn blocks_meet_at_a_barrier_of_the_grid() {
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let (blocks, each, rounds) = (133u32, 96u32, 3i32);
        let n = (blocks * each) as i32;
        let counter = gpu.upload("counter", &[0u32]);
        let values: Vec<i32> = (0..n).map(|at| 7 * at).collect();
        let (from, middle) = (
            gpu.upload("in", &values),
            gpu.poisoned::<i32>("middle", n as usize),
        );
        let out = gpu.poisoned::<i32>("out", n as usize);
        let args = [
            counter.into(),
            from.into(),
            middle.into(),
            out.into(),
            n.into(),
            rounds.into(),
        ];
        let report = run(&gpu, "software_barrier", blocks, each, &args);
        assert_eq!(messages(&report), Vec::<String>::new(), "{check} {threads}");
        let expected: Vec<i32> = (0..n)
            .map(|at| 7 * ((at + 3 * each as i32) % n) + 3)
            .collect();
        assert_eq!(gpu.download::<i32>(out, n as usize), expected);
    }
}

#[test]
fn a_cooperative_launch_synchronises_its_grid() {
    for (check, threads) in WAYS {
        let mut gpu = cooperative(check, threads);
        let n = 24 * 64;
        let data = gpu.upload("data", &(0..n).collect::<Vec<i32>>());
        let out = gpu.poisoned::<i32>("out", n as usize);
        let args = [data.into(), out.into(), n.into(), 5i32.into()];
        // A second launch finds the barrier as the first did.
        for _ in 0..2 {
            let report = run(&gpu, "grid_steps", 24, 64, &args);
            assert_eq!(messages(&report), Vec::<String>::new(), "{check} {threads}");
        }
        let expected: Vec<i32> = (0..n).map(|at| (at + n - 10) % n + 10).collect();
        assert_eq!(gpu.download::<i32>(out, n as usize), expected);
    }
}

#[test]
fn blocks_that_wait_for_later_ones_come_to_their_end() {
    let mut gpu = gpu(false, 2);
    let (flags, out) = (
        gpu.upload("flags", &[0i32; 300]),
        gpu.upload("out", &[0i32; 300]),
    );
    let report = run(&gpu, "chained", 300, 32, &[flags.into(), out.into()]);
    assert_eq!(messages(&report), Vec::<String>::new());
    assert_eq!(gpu.download::<i32>(out, 1), [(0..300).sum::<i32>()]);
}

#[test]
fn a_grid_too_large_for_its_barrier_is_told_how_many_blocks_fit() {
    let mut gpu = gpu(false, 1);
    let blocks = 132 * 2 + 1;
    let n = blocks * 1024;
    let counter = gpu.upload("counter", &[0u32]);
    let buffer = gpu.upload("buffer", &vec![1i32; n]);
    let args = [
        counter.into(),
        buffer.into(),
        buffer.into(),
        buffer.into(),
        (n as i32).into(),
        1i32.into(),
    ];
    let report = run(&gpu, "software_barrier", blocks as u32, 1024, &args);
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::EndlessLoop);
    assert_eq!(
        finding.detail,
        Detail::Waiting {
            resident: Some((264, 265)),
            grid: None,
        }
    );
    assert!(
        finding
            .message()
            .contains("264 of the launch's 265 blocks fit"),
        "{}",
        finding.message()
    );
}

/// Found by state, not by a budget: none of these is used up.
#[test]
fn what_waits_for_ever_is_named_soon() {
    for (check, threads) in WAYS {
        for (entry, blocks, each) in [
            ("never", 1, 32),
            ("never", 40, 96),
            ("lock_forever", 1, 1024),
            ("lock_forever", 3, 64),
        ] {
            let mut gpu = gpu(check, threads);
            let (flag, sum) = (
                gpu.upload("flag", &[0i32]),
                gpu.upload("sum", &[0i32; 1024]),
            );
            let begun = Instant::now();
            let report = run(&gpu, entry, blocks, each, &[flag.into(), sum.into()]);
            let found = report
                .findings
                .iter()
                .find(|found| found.kind == FindingKind::EndlessLoop);
            let told = format!("{entry} {blocks} {each} {check}: {:?}", messages(&report));
            assert_eq!(
                found.unwrap().detail,
                Detail::Waiting {
                    resident: None,
                    grid: None,
                },
                "{told}"
            );
            assert_eq!(found.unwrap().block, [0, 0, 0], "{told}");
            assert!(begun.elapsed() < Duration::from_secs(60), "{told}");
        }
    }
}

#[test]
fn who_counts_the_tries_at_a_lock_that_nobody_gives_back_waits_for_ever() {
    let mut gpu = gpu(false, 1);
    let (lock, sum, tries) = (
        gpu.upload("lock", &[0i32]),
        gpu.upload("sum", &[0i32]),
        gpu.upload("tries", &[0i32; 64]),
    );
    let report = run(
        &gpu,
        "lock_with_tries",
        1,
        64,
        &[lock.into(), sum.into(), tries.into()],
    );
    let finding = &report.findings[0];
    assert!(
        matches!(finding.detail, Detail::Waiting { .. }),
        "{}",
        finding.message()
    );
}

#[test]
fn threads_may_end_before_a_barrier() {
    let mut gpu = gpu(true, 1);
    let out = gpu.poisoned::<i32>("out", 64);
    let report = run(&gpu, "early_exit", 1, 64, &[out.into(), 40i32.into()]);
    assert_eq!(messages(&report), Vec::<String>::new());
    assert_eq!(report.remarks.len(), 1);
    assert!(
        report.remarks[0]
            .message()
            .contains("24 of the block's threads had ended")
    );
    let whole = run(&gpu, "early_exit", 1, 64, &[out.into(), 64i32.into()]);
    assert_eq!(whole.remarks, []);
}

#[test]
fn a_long_kernel_of_one_thread_is_no_endless_loop() {
    let mut gpu = gpu(false, 1);
    let out = gpu.poisoned::<u32>("out", 1);
    let report = run(&gpu, "one_long", 1, 1, &[out.into(), 20_000_000u32.into()]);
    assert_eq!(messages(&report), Vec::<String>::new());
    assert!(report.warp_instructions > 1 << 26);
}

#[test]
fn a_launch_tells_how_far_it_is_and_can_be_stopped() {
    let mut gpu = gpu(false, 2);
    let out = gpu.poisoned::<u32>("out", 1);
    let (headway, stop) = (
        Arc::new(Headway::default()),
        Arc::new(AtomicBool::new(false)),
    );
    gpu.options.headway = Some(Arc::clone(&headway));
    gpu.options.stop = Some(Arc::clone(&stop));
    let watch = std::thread::spawn(move || {
        let is_under_way = || {
            let started = headway.started.load(Relaxed);
            let instructions = headway.instructions.load(Relaxed);
            started > 0 && instructions > 0 && headway.line.load(Relaxed) > 0
        };
        while !is_under_way() {
            std::thread::yield_now();
        }
        stop.store(true, Relaxed);
    });
    let report = run(&gpu, "one_long", 4, 32, &[out.into(), u32::MAX.into()]);
    watch.join().unwrap();
    assert!(report.stopped);
}

/// A body in a kernel, run as one block.
fn body(text: &str, head: &str, threads: u32) -> Vec<String> {
    let text = format!(
        ".version 8.0 .target sm_75 .address_size 64 .visible .entry k() {head} {{ .reg .b32 %r<4>; {text} ret; }}"
    );
    let module = Module::load(&text).unwrap();
    messages(&Gpu::default().launch(&module, "k", [1, 1, 1], [threads, 1, 1], 0, &[]))
}

#[test]
fn barriers_that_do_not_exist_are_named() {
    for (text, told) in [
        ("bar.sync 16;", "there is no barrier 16"),
        ("mov.u32 %r1, 77; bar.sync %r1;", "there is no barrier 77"),
        ("bar.sync 1, 33;", "for 33 threads"),
        ("bar.arrive 1, 0;", "for 0 threads"),
    ] {
        let found = body(text, "", 64);
        assert!(
            found.len() == 1 && found[0].contains(told),
            "{text}: {found:?}"
        );
    }
    assert_eq!(body("bar.sync 15, 64;", "", 64), Vec::<String>::new());
}

#[test]
fn a_block_that_the_kernel_is_not_compiled_for_is_refused() {
    let found = body("", ".reqntid 64", 32);
    assert!(
        found.len() == 1 && found[0].contains("blocks of (64, 1, 1) threads"),
        "{found:?}"
    );
    assert_eq!(body("", ".reqntid 64, 1, 1", 64), Vec::<String>::new());
    assert_eq!(body("", ".maxntid 64", 32), Vec::<String>::new());
}

/// Checks take memory too; what cannot be had is refused with the figure.
#[test]
fn a_launch_says_how_much_memory_it_takes() {
    let mut gpu = gpu(false, 1);
    let bytes = 1 << 20;
    let out = gpu.poisoned::<u8>("out", bytes);
    let args = [out.into(), 8i32.into()];
    let module = module("waiting");
    let job = Launch {
        entry: "early_exit",
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let plain = needed_bytes(&module, &gpu.memory, &job, &gpu.options);
    gpu.options.check = true;
    let checked = needed_bytes(&module, &gpu.memory, &job, &gpu.options);
    assert!(plain > 0 && plain < 1 << 18, "{plain}");
    assert!(checked > plain + bytes as u64, "{checked}");
}

/// A kernel in which all blocks but those from `leaving` on meet at a barrier of the grid as `grid.sync()` has it, after
/// each has written its number; `barrier` may leave the barrier out. Then each reads what the next one wrote.
fn meeting(barrier: bool) -> Module {
    let meet = "
            barrier.sync 0;
            setp.ne.u32 %p2, %r1, 0;
            @%p2 bra MET;
            fence.acq_rel.gpu;
            atom.add.release.gpu.u32 %r8, [%rd5], %r6;
            AGAIN:
            ld.acquire.gpu.u32 %r9, [%rd5];
            xor.b32 %r9, %r9, %r8;
            setp.ge.s32 %p3, %r9, 0;
            @%p3 bra AGAIN;
            MET:
            barrier.sync 0;";
    let text = format!(
        ".version 8.0
        .target sm_75
        .address_size 64
        .visible .entry meet(.param .u64 out, .param .u32 leaving) {{
            .reg .pred %p<5>;
            .reg .b32 %r<12>;
            .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [out];
            ld.param.u32 %r2, [leaving];
            mov.u32 %r1, %tid.x;
            mov.u32 %r3, %ctaid.x;
            mov.u32 %r4, %nctaid.x;
            setp.ge.u32 %p1, %r3, %r2;
            @%p1 exit;
            mov.u32 %r5, %envreg1;
            mov.u32 %r10, %envreg2;
            mov.b64 %rd4, {{%r10, %r5}};
            setp.ne.s64 %p4, %rd4, 0;
            @%p4 bra GIVEN;
            trap;
            GIVEN:
            add.s64 %rd5, %rd4, 4;
            sub.u32 %r6, 0x80000001, %r4;
            setp.ne.u32 %p2, %r3, 0;
            selp.b32 %r6, 1, %r6, %p2;
            mad.wide.u32 %rd2, %r3, 4, %rd1;
            setp.eq.u32 %p2, %r1, 7;
            add.u32 %r7, %r3, 40;
            @%p2 st.global.u32 [%rd2], %r7;
            {}
            add.u32 %r7, %r3, 1;
            rem.u32 %r7, %r7, %r4;
            mad.wide.u32 %rd3, %r7, 4, %rd1;
            setp.eq.u32 %p2, %r1, 7;
            @%p2 ld.global.u32 %r8, [%rd3];
            add.u32 %r7, %r3, %r4;
            mad.wide.u32 %rd2, %r7, 4, %rd1;
            @%p2 st.global.u32 [%rd2], %r8;
            ret;
        }}",
        if barrier { meet } else { "" }
    );
    Module::load(&text).unwrap()
}

fn meet(gpu: &mut Gpu, barrier: bool, blocks: u32, leaving: u32) -> (Report, Vec<u32>) {
    let numbers = vec![9u32; 2 * blocks as usize];
    let out = gpu.upload("out", &numbers);
    let args = [out.into(), leaving.into()];
    let module = meeting(barrier);
    let report = gpu.launch(&module, "meet", [blocks, 1, 1], [77, 1, 1], 0, &args);
    (report, gpu.download(out, numbers.len()))
}

#[test]
fn a_barrier_of_the_grid_orders_blocks_and_its_absence_is_a_race() {
    for (check, threads) in WAYS {
        let (report, found) = meet(&mut cooperative(check, threads), true, 37, 37);
        assert_eq!(messages(&report), Vec::<String>::new(), "{check} {threads}");
        let expected: Vec<u32> = (0..37).map(|block| (block + 1) % 37 + 40).collect();
        assert_eq!(found[37..], expected);
    }
    let (report, _) = meet(&mut cooperative(true, 2), false, 37, 37);
    assert!(
        report
            .findings
            .iter()
            .any(|found| found.kind == FindingKind::Race),
        "{:?}",
        messages(&report)
    );
}

#[test]
fn a_barrier_of_the_grid_needs_a_cooperative_launch() {
    for (check, threads) in WAYS {
        let (report, _) = meet(&mut gpu(check, threads), true, 5, 5);
        let told = messages(&report).join("\n");
        let found = &report.findings[0];
        assert_eq!(found.kind, FindingKind::Trap, "{told}");
        assert_eq!(found.detail, Detail::NotCooperative);
        assert!(told.contains("--cooperative"), "{told}");
    }
}

#[test]
fn a_block_that_leaves_before_the_barrier_of_the_grid_is_named() {
    for (check, threads) in WAYS {
        let (report, _) = meet(&mut cooperative(check, threads), true, 37, 35);
        let told = messages(&report).join("\n");
        let found = &report.findings[0];
        assert_eq!(found.kind, FindingKind::EndlessLoop, "{told}");
        assert_eq!(found.block, [0, 0, 0]);
        let grid = GridWait {
            waiting: 35,
            ended: 2,
            first_ended: Some([35, 0, 0]),
        };
        assert_eq!(
            found.detail,
            Detail::Waiting {
                resident: None,
                grid: Some(grid)
            }
        );
        assert!(
            told.contains("block (35, 0, 0)") && told.contains("grid.sync()"),
            "{told}"
        );
        assert!(report.stopped);
    }
}

#[test]
fn a_cooperative_grid_that_does_not_fit_is_refused_with_how_many_do() {
    // By threads: 3 warps a block, so 21 of 64; by shared memory: 2 of 100 KiB each; by blocks: 32.
    for (threads, shared, most) in [
        (77, 0, 21 * 132),
        (77, 100 << 10, 2 * 132),
        (32, 0, 32 * 132),
    ] {
        let mut gpu = cooperative(false, 1);
        let out = gpu.upload("out", &[0u32; 4]);
        let args = [out.into(), 0u32.into()];
        let launch = |blocks: u32| {
            gpu.launch(
                &meeting(true),
                "meet",
                [blocks, 1, 1],
                [threads, 1, 1],
                shared,
                &args,
            )
        };
        assert!(launch(most).findings.is_empty());
        let report = launch(most + 1);
        let found = &report.findings[0];
        assert_eq!(found.kind, FindingKind::Limit);
        assert!(
            matches!(found.detail, Detail::Limit { value, most: fit, .. }
                if (value, fit) == (u64::from(most + 1), u64::from(most))),
            "{}",
            found.message()
        );
    }
}

/// A scan of a warp in volatile shared memory, many times over: some lanes load, and all come to the next `__syncwarp()`.
const SCANS: &str = "
    .shared .align 4 .b32 t[32];
    mov.u32 %r4, t; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; mov.u32 %r6, 0;
    ROUND: add.u32 %r7, %r6, %r1; st.volatile.shared.u32 [%r5], %r7; bar.warp.sync -1;
    mov.u32 %r8, 1;
    STEP: mov.u32 %r9, 0; setp.lt.u32 %p1, %r1, %r8; @%p1 bra NONE;
    shl.b32 %r10, %r8, 2; sub.u32 %r10, %r5, %r10; ld.volatile.shared.u32 %r9, [%r10];
    NONE: bar.warp.sync -1;
    ld.volatile.shared.u32 %r7, [%r5]; add.u32 %r7, %r7, %r9; st.volatile.shared.u32 [%r5], %r7; bar.warp.sync -1;
    shl.b32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 32; @%p1 bra STEP;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r2; @%p1 bra ROUND;
    mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r7;";

#[test]
fn lanes_that_are_only_on_their_way_are_not_taken_apart() {
    let text = format!(
        ".version 8.0
        .target sm_75
        .address_size 64
        .visible .entry k(.param .u64 out, .param .u32 rounds) {{
            .reg .pred %p<2>; .reg .b32 %r<11>; .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [rounds]; mov.u32 %r1, %tid.x;
            {SCANS} ret; }}"
    );
    let rounds = 5000u32;
    for (check, threads) in WAYS {
        let mut gpu = gpu(check, threads);
        let out = gpu.poisoned::<u32>("out", 32);
        let module = Module::load(&text).unwrap();
        let args = [out.into(), rounds.into()];
        let report = gpu.launch(&module, "k", [1, 1, 1], [32, 1, 1], 0, &args);
        assert!(report.findings.is_empty(), "{:?}", messages(&report));
        let scanned = (0..32).map(|lane| (lane + 1) * (rounds - 1) + lane * (lane + 1) / 2);
        assert_eq!(gpu.download::<u32>(out, 32), scanned.collect::<Vec<u32>>());
    }
}
