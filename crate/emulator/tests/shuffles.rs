//! Shuffles as a trace records them, and widths that no shuffle has.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{
    Arg, FindingKind, Launch, Module, Options, Report, ShuffleMode, TraceRequest, launch,
};

/// Each thread stores what `shuffle` leaves in `%r1`, which begins as the thread's number; 45 threads.
fn kernel(shuffle: &str) -> Module {
    Module::load(&format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p<3>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 45;\n\
         {shuffle}\n\
         ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r2, 4; add.s64 %d2, %d0, %d1;\n\
         st.global.u32 [%d2], %r1; ret;\n}}\n"
    ))
    .unwrap()
}

fn run(module: &Module, options: &Options) -> (Report, Vec<u32>) {
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<u32>("out", 45);
    let job = Launch {
        entry: "k",
        grid: [1, 1, 1],
        block: [45, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(out)],
    };
    let report = launch(module, &gpu.memory, &job, options).unwrap();
    (report, gpu.download::<u32>(out, 45))
}

fn traced(module: &Module, most: usize) -> Report {
    let request = TraceRequest {
        blocks: vec![[0; 3]],
        max_accesses: most,
        ..TraceRequest::default()
    };
    run(
        module,
        &Options {
            trace: Some(request),
            ..Options::default()
        },
    )
    .0
}

#[test]
fn a_trace_says_which_lane_took_from_which() {
    for (name, mode, by, wanted) in [
        ("up", ShuffleMode::Up, "2, 0", [0_u8, 1, 0, 1, 2]),
        ("down", ShuffleMode::Down, "2, 31", [2, 3, 4, 5, 6]),
        ("bfly", ShuffleMode::Butterfly, "2, 31", [2, 3, 0, 1, 6]),
        ("idx", ShuffleMode::Index, "7, 31", [7, 7, 7, 7, 7]),
    ] {
        let module = kernel(&format!("shfl.sync.{name}.b32 %r1, %r1, {by}, -1;"));
        let trace = traced(&module, 100).trace.unwrap();
        let [first, second] = &trace.shuffles[..] else {
            panic!("{:?}", trace.shuffles)
        };
        assert_eq!((first.warp, second.warp, first.order), (0, 1, 0));
        assert_eq!((first.mode, first.ptx_line), (mode, 7));
        assert_eq!(first.from[..5], wanted.map(Some), "{name}");
        // 45 threads: the second warp has 13.
        assert_eq!(second.from[13..], [None; 19], "{name}");
        let (_, results) = run(&module, &Options::default());
        for (lane, found) in results[..32].iter().enumerate() {
            assert_eq!(Some(*found as u8), first.from[lane], "{name}, lane {lane}");
        }
        let kept = match mode {
            ShuffleMode::Up => 0b11,
            ShuffleMode::Down => 0b11 << 30,
            _ => 0,
        };
        assert_eq!(first.kept, kept, "{name}");
    }
}

#[test]
fn a_trace_of_shuffles_ends_where_it_was_told_to() {
    let module =
        kernel("shfl.sync.bfly.b32 %r1, %r1, 16, 31, -1; shfl.sync.bfly.b32 %r1, %r1, 8, 31, -1;");
    let trace = traced(&module, 3).trace.unwrap();
    assert_eq!((trace.shuffles.len(), trace.truncated), (3, true));
    let orders: Vec<(u32, u32)> = trace.shuffles.iter().map(|s| (s.warp, s.order)).collect();
    assert_eq!(orders, [(0, 0), (1, 0), (0, 1)]);
    assert_eq!(traced(&module, 4).trace.unwrap().shuffles.len(), 4);
}

/// What a checked launch says of a shuffle whose operand `c` stands for this width.
fn found(width: i32) -> Vec<String> {
    let c = (32 - width) << 8 | 31;
    let module = kernel(&format!("shfl.sync.bfly.b32 %r1, %r1, 1, {c}, -1;"));
    let options = Options {
        check: true,
        ..Options::default()
    };
    let (report, _) = run(&module, &options);
    let widths = report.findings.iter().map(|finding| {
        assert_eq!(finding.kind, FindingKind::Mask);
        finding.message()
    });
    widths.filter(|message| message.contains("width")).collect()
}

#[test]
fn a_width_that_is_no_power_of_two_is_found_with_the_limit() {
    for width in [1, 2, 4, 8, 16, 32] {
        assert_eq!(found(width), [""; 0], "{width}");
    }
    for width in [24, 0, 3, 31, 33, 64, -1] {
        let told = found(width);
        let wanted = format!(
            "width: the shuffle has a width of {width}, which must be a power of two up to 32"
        );
        assert_eq!(told.len(), 1, "{width}: {told:?}");
        assert!(told[0].contains(&wanted), "{}", told[0]);
    }
}

/// Both branches of a condition meet, as CUDA allows, but each gets its own lanes' values here: that is said, and is no mistake.
#[test]
fn the_same_mask_in_both_branches_is_a_remark() {
    let options = Options {
        check: true,
        ..Options::default()
    };
    let branches = |other: &str| {
        kernel(&format!(
            "setp.lt.u32 %p2, %r2, 32; @!%p2 bra OUT; and.b32 %r3, %r2, 1; setp.eq.u32 %p2, %r3, 0;
             @%p2 bra EVEN; vote.sync.ballot.b32 %r1, %p1, 0xffffffff; bra.uni OUT;
             EVEN: {other}; OUT:"
        ))
    };
    let (report, _) = run(
        &branches("vote.sync.ballot.b32 %r1, !%p1, 0xffffffff"),
        &options,
    );
    assert_eq!(report.findings, []);
    let messages: Vec<String> = (report.remarks.iter())
        .map(|remark| remark.message())
        .collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("remark: lanes "), "{messages:?}");
    assert!(messages[0].contains("elsewhere"), "{messages:?}");
    // A barrier moves nothing, and at one place nothing is to be said.
    let (report, _) = run(&branches("mov.u32 %r1, 5"), &options);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].kind, FindingKind::Mask);
    let meets = kernel(
        "bar.warp.sync 0xffffffff; @%p1 bra NEXT; mov.u32 %r1, 5; NEXT: bar.warp.sync 0xffffffff;",
    );
    let whole = kernel("vote.sync.ballot.b32 %r1, %p1, 0xffffffff;");
    for module in [meets, whole] {
        let (report, _) = run(&module, &options);
        assert_eq!((report.findings, report.remarks), (vec![], vec![]));
    }
}
