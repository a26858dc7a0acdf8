//! A warp followed step by step: which lanes run, what they write and access, who waits at a barrier, and that nothing else
//! changes because of it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, WAYS, gpu};
use cornerturn_emulator::counters::shared_wavefronts;
use cornerturn_emulator::{
    Arg, Module, Report, Space, Step, StepKind, Steps, StepsRequest, TraceRequest,
};

const BLOCK: [u32; 3] = [1, 0, 0];

fn request(warp: u32, skipped: u64, most: usize) -> TraceRequest {
    TraceRequest {
        steps: Some(StepsRequest {
            block: BLOCK,
            warp,
            skipped,
            most,
        }),
        ..TraceRequest::default()
    }
}

/// Lanes below `n` take one way and the others another; a tile with rows of `pitch` words is written by rows and read by
/// columns, with a barrier between.
fn ptx(pitch: u32) -> Module {
    let text = format!(
        "
.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 out, .param .u32 n) {{
    .reg .pred %p<3>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<6>;
    .shared .align 4 .b8 tile[{bytes}];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, tile;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra LOW;
    add.s32 %r5, %r2, 100;
    bra.uni JOIN;
LOW:
    add.s32 %r5, %r2, 7;
JOIN:
    mad.lo.s32 %r6, %r3, {row}, %r4;
    mad.lo.s32 %r7, %r2, 4, %r6;
    st.shared.u32 [%r7], %r5;
    bar.sync 0;
    mad.lo.s32 %r8, %r2, {row}, %r4;
    mad.lo.s32 %r9, %r3, 4, %r8;
    ld.shared.u32 %r10, [%r9];
    mad.lo.s32 %r11, %r3, 32, %r2;
    mov.u32 %r12, %ctaid.x;
    mad.lo.s32 %r13, %r12, 1024, %r11;
    mul.wide.u32 %rd2, %r13, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r10;
    ret;
}}
",
        bytes = 32 * 4 * pitch,
        row = 4 * pitch
    );
    Module::load(&text).unwrap()
}

/// What a launch of three blocks of 32 warps reports, and what it leaves.
fn run(gpu: &mut Gpu, module: &Module) -> (Report, Vec<u32>) {
    let (blocks, each) = (3, 1024);
    let out = gpu.poisoned::<u32>("out", blocks * each);
    let args: [Arg; 2] = [out.into(), 19u32.into()];
    let grid = [blocks as u32, 1, 1];
    let report = gpu.launch(module, "turn", grid, [32, 32, 1], 0, &args);
    (report, gpu.download(out, blocks * each))
}

fn followed(pitch: u32, request: TraceRequest) -> Steps {
    let mut gpu = gpu(false, 1);
    gpu.options.trace = Some(request);
    let (report, _) = run(&mut gpu, &ptx(pitch));
    report.trace.unwrap().steps.unwrap()
}

/// The steps of the warp itself at a line of the PTX.
fn at(steps: &Steps, ptx_line: u32) -> Vec<&Step> {
    let own = steps.steps.iter().filter(|step| step.warp == steps.warp);
    own.filter(|step| step.ptx_line == ptx_line).collect()
}

fn values(step: &Step) -> Vec<Option<u64>> {
    let written = step.written.last().unwrap();
    let lane = |lane: usize| (step.mask >> lane & 1 != 0).then_some(written.values[lane]);
    (0..32).map(lane).collect()
}

#[test]
fn lanes_part_at_a_branch_and_join_behind_it() {
    let steps = followed(33, request(5, 0, 1000));
    let low = (1 << 19) - 1;
    let branch = at(&steps, 16)[0];
    assert_eq!(
        (branch.mask, branch.kind),
        (u32::MAX, StepKind::Branch(low))
    );
    let [high_step] = at(&steps, 17)[..] else {
        panic!("one step")
    };
    let [low_step] = at(&steps, 20)[..] else {
        panic!("one step")
    };
    assert_eq!((high_step.mask, low_step.mask), (!low, low));
    let expected = |lane: u64| if lane < 19 { lane + 7 } else { lane + 100 };
    let both: Vec<u64> = (values(high_step).into_iter().zip(values(low_step)))
        .map(|(high, low)| high.or(low).unwrap())
        .collect();
    assert_eq!(both, (0..32).map(expected).collect::<Vec<u64>>());
    assert_eq!(at(&steps, 24)[0].mask, u32::MAX);
    // A guard's predicate is what the comparison wrote.
    assert_eq!(
        values(at(&steps, 15)[0])[17..20],
        [Some(1), Some(1), Some(0)]
    );
}

#[test]
fn each_lane_meets_its_bank() {
    let bank = |pitch: u32, line| {
        let steps = followed(pitch, request(3, 0, 1000));
        let access = at(&steps, line)[0].accesses[0].clone();
        assert_eq!(access.space, Space::Shared);
        let wavefronts = shared_wavefronts(&access.addresses, 4, access.is_store);
        let banks: Vec<u64> = (access.addresses.iter().flatten())
            .map(|address| address / 4 % 32)
            .collect();
        (banks, wavefronts)
    };
    assert_eq!(bank(32, 28), (vec![3; 32], 32));
    let padded: Vec<u64> = (0..32).map(|lane| (33 * lane + 3) % 32).collect();
    assert_eq!(bank(33, 28), (padded, 1));
    // Rows have no conflict either way.
    assert_eq!(bank(32, 24).1, 1);
    let steps = followed(33, request(3, 0, 1000));
    let store = &at(&steps, 34)[0].accesses[0];
    assert_eq!((store.space, store.is_store), (Space::Global, true));
}

#[test]
fn a_warp_waits_at_a_barrier_until_the_last_has_come() {
    let steps = followed(33, request(2, 0, 1000));
    let place = |kind: StepKind, warp: u32| {
        let found = |step: &Step| step.kind == kind && step.warp == warp;
        steps.steps.iter().position(found).unwrap()
    };
    let own = place(StepKind::Barrier(0), 2);
    let released = place(StepKind::Released(0), 2);
    let mut came = 0;
    for warp in 0..32 {
        let arrival = place(StepKind::Barrier(0), warp);
        assert!(arrival < released, "{warp}");
        came += usize::from(arrival > own);
    }
    assert!(came >= 24, "{came}");
    assert_eq!(steps.steps[released].ptx_line, 25);
    assert!(place(StepKind::Exit, 2) > released);
}

#[test]
fn a_record_is_cut_and_goes_on_where_it_was_cut() {
    let whole = followed(33, request(4, 0, 1000));
    assert!(!whole.is_cut);
    assert_eq!(whole.threads, 1024);
    assert_eq!(whole, followed(33, TraceRequest::steps(BLOCK, 4, 1000)));
    let own = |steps: &Steps| -> Vec<Step> {
        let own = steps.steps.iter().filter(|step| step.warp == 4);
        own.filter(|step| !matches!(step.kind, StepKind::Released(_)))
            .cloned()
            .collect()
    };
    let first = followed(33, request(4, 0, 7));
    assert!(first.is_cut);
    assert_eq!(first.steps.len(), 7);
    assert_eq!(own(&first)[..], own(&whole)[..own(&first).len()]);
    let later = followed(33, request(4, 7, 1000));
    assert_eq!(own(&later)[..], own(&whole)[7..]);
    assert_eq!(
        followed(33, request(40, 0, 1000))
            .steps
            .iter()
            .filter(|step| step.warp == 40)
            .count(),
        0
    );
}

#[test]
fn a_launch_that_is_followed_is_the_same_launch() {
    for (check, threads) in WAYS {
        for pitch in [32, 33] {
            let mut plain = gpu(check, threads);
            let (mut report, left) = run(&mut plain, &ptx(pitch));
            let mut traced = gpu(check, threads);
            traced.options.trace = Some(request(6, 0, 1000));
            let (other, other_left) = run(&mut traced, &ptx(pitch));
            assert_eq!(left, other_left);
            assert_eq!(report.counters, other.counters);
            assert_eq!(report.sites, other.sites);
            assert_eq!(report.lines, other.lines);
            assert_eq!(report.findings, other.findings);
            assert_eq!(report.warp_instructions, other.warp_instructions);
            assert!(report.trace.take().is_none());
            // The number of host threads and the checks change nothing of it.
            let steps = other.trace.unwrap().steps.unwrap();
            assert_eq!(steps, followed(pitch, request(6, 0, 1000)));
        }
    }
}

#[test]
fn a_block_that_is_not_there_has_no_steps() {
    let mut gpu = gpu(false, 1);
    let mut asked = request(0, 0, 10);
    asked.steps.as_mut().unwrap().block = [3, 0, 0];
    gpu.options.trace = Some(asked);
    let (report, _) = run(&mut gpu, &ptx(33));
    assert_eq!(report.trace.unwrap().steps, None);
}
