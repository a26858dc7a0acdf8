//! Checked launches: threads in order by every means give no finding; mistakes that do not stop a kernel are found, with both places.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture};
use cornerturn_emulator::{Arg, Finding, FindingKind, Launch, Module, Options, Report, launch};

fn load(name: &str) -> Module {
    Module::load(&fixture(&format!("check/{name}.ptx"))).unwrap()
}

fn checked(
    gpu: &Gpu,
    module: &Module,
    entry: &str,
    grid: [u32; 3],
    block: [u32; 3],
    args: &[Arg],
    threads: usize,
) -> Report {
    let job = Launch {
        entry,
        grid,
        block,
        dynamic_shared_bytes: 0,
        args,
    };
    let options = Options {
        check: true,
        threads,
        ..Options::default()
    };
    launch(module, &gpu.memory, &job, &options).unwrap()
}

fn messages(report: &Report) -> Vec<String> {
    report.findings.iter().map(Finding::message).collect()
}

/// Launches a correct kernel and expects no finding on any number of host threads.
fn clean(gpu: &Gpu, entry: &str, grid: u32, block: u32, args: &[Arg]) {
    let module = load("right");
    for threads in [1, 3] {
        let report = checked(
            gpu,
            &module,
            entry,
            [grid, 1, 1],
            [block, 1, 1],
            args,
            threads,
        );
        assert_eq!(
            messages(&report),
            Vec::<String>::new(),
            "{entry} with {threads} threads"
        );
    }
}

fn ints(count: usize) -> Vec<i32> {
    (0..count as i32).map(|at| (at * 7919 + 5) % 1009).collect()
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(common::marked).collect()
}

#[test]
fn barriers_order_the_warps_of_a_block() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &floats(7 * 96)),
        gpu.poisoned::<f32>("out", 5 * 96),
    );
    clean(
        &gpu,
        "double_buffer",
        5,
        96,
        &[from.into(), to.into(), 7i32.into()],
    );
    let (from, to) = (
        gpu.upload("in", &floats(64)),
        gpu.poisoned::<i32>("out", 64),
    );
    clean(&gpu, "reuse", 3, 64, &[from.into(), to.into()]);
    let (from, to) = (gpu.upload("in", &ints(96)), gpu.poisoned::<i32>("out", 96));
    clean(&gpu, "reducing_barrier", 1, 96, &[from.into(), to.into()]);
    let (from, to) = (
        gpu.upload("in", &ints(5 * 64)),
        gpu.poisoned::<i32>("out", 5 * 64),
    );
    clean(
        &gpu,
        "named_barriers",
        1,
        128,
        &[from.into(), to.into(), 5i32.into()],
    );
}

#[test]
fn lanes_of_a_warp_are_in_order() {
    let mut gpu = Gpu::default();
    let (from, to) = (gpu.upload("in", &ints(640)), gpu.poisoned::<i32>("out", 20));
    clean(&gpu, "warp_sums", 5, 128, &[from.into(), to.into()]);
}

#[test]
fn locks_and_flags_order_what_their_fences_say() {
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<i32>("out", 8);
    clean(&gpu, "spin_lock", 2, 224, &[to.into()]);
    let (lock, total) = (gpu.upload("lock", &[0i32]), gpu.upload("total", &[0i32]));
    let from = gpu.upload("in", &ints(37));
    clean(
        &gpu,
        "block_lock",
        37,
        32,
        &[lock.into(), total.into(), from.into()],
    );
    assert_eq!(
        gpu.download::<i32>(total, 1)[0],
        2 * ints(37).iter().sum::<i32>()
    );
    let to = gpu.poisoned::<i32>("out", 5 * 96);
    clean(&gpu, "flag_in_block", 5, 96, &[from.into(), to.into()]);
}

#[test]
fn blocks_may_wait_for_earlier_ones() {
    let mut gpu = Gpu::default();
    let (from, sums) = (gpu.upload("in", &ints(41)), gpu.poisoned::<i32>("sums", 41));
    let module = load("right");
    for threads in [1, 4] {
        let ready = gpu.upload("ready", &[0i32; 41]);
        let args = [from.into(), sums.into(), ready.into()];
        let report = checked(
            &gpu,
            &module,
            "look_back",
            [41, 1, 1],
            [32, 1, 1],
            &args,
            threads,
        );
        assert_eq!(messages(&report), Vec::<String>::new());
    }
    assert_eq!(
        gpu.download::<i32>(sums, 41)[40],
        ints(41).iter().sum::<i32>()
    );
}

#[test]
fn the_last_block_reads_what_the_others_left() {
    let mut gpu = Gpu::default();
    let (from, partial) = (
        gpu.upload("in", &ints(960)),
        gpu.poisoned::<i32>("partial", 10),
    );
    let out = gpu.poisoned::<i32>("out", 1);
    clean(
        &gpu,
        "last_block",
        10,
        96,
        &[from.into(), partial.into(), out.into()],
    );
    assert_eq!(
        gpu.download::<i32>(out, 1)[0],
        ints(960).iter().sum::<i32>()
    );
}

#[test]
fn atomics_do_not_race_with_each_other() {
    let mut gpu = Gpu::default();
    let bytes: Vec<u8> = ints(5000).iter().map(|value| *value as u8).collect();
    let (from, bins) = (gpu.upload("in", &bytes), gpu.upload("bins", &[0u32; 256]));
    clean(
        &gpu,
        "histogram",
        6,
        160,
        &[from.into(), bins.into(), 5000i32.into()],
    );
    let (from, most) = (gpu.upload("in", &floats(640)), gpu.upload("most", &[0i32]));
    clean(&gpu, "cas_max", 5, 128, &[most.into(), from.into()]);
    let (from, to) = (
        gpu.upload("in", &ints(300)),
        gpu.poisoned::<i32>("out", 600),
    );
    let count = gpu.upload("count", &[0u32]);
    clean(
        &gpu,
        "compact",
        3,
        100,
        &[from.into(), to.into(), count.into(), 300i32.into()],
    );
}

#[test]
fn threads_that_share_no_byte_do_not_race() {
    let mut gpu = Gpu::default();
    let a = gpu.upload("a", &floats(333));
    clean(&gpu, "in_place", 4, 96, &[a.into(), 333i32.into()]);
    let bytes: Vec<u8> = ints(5 * 96).iter().map(|value| *value as u8).collect();
    let (from, to) = (gpu.upload("in", &bytes), gpu.poisoned::<u8>("out", 5 * 96));
    let halves = gpu.poisoned::<u16>("halves", 5 * 96);
    clean(
        &gpu,
        "bytes",
        5,
        96,
        &[from.into(), to.into(), halves.into()],
    );
    let (from, to) = (
        gpu.upload("in", &floats(5 * 256)),
        gpu.poisoned::<f32>("out", 5 * 256),
    );
    clean(&gpu, "vectors", 5, 64, &[from.into(), to.into()]);
    let (from, to) = (
        gpu.upload("in", &floats(300)),
        gpu.poisoned::<f32>("out", 300),
    );
    clean(
        &gpu,
        "stencil",
        5,
        64,
        &[from.into(), to.into(), 300i32.into()],
    );
    let (from, to) = (gpu.upload("in", &ints(97)), gpu.poisoned::<i32>("out", 96));
    clean(&gpu, "local_array", 1, 96, &[from.into(), to.into()]);
}

#[test]
fn storing_the_same_value_is_no_race() {
    let mut gpu = Gpu::default();
    let signed: Vec<i32> = ints(300).iter().map(|value| value - 500).collect();
    let (from, flag) = (gpu.upload("in", &signed), gpu.upload("flag", &[0i32; 2]));
    clean(
        &gpu,
        "same_flag",
        5,
        64,
        &[from.into(), flag.into(), 300i32.into()],
    );
}

// ---- mistakes ----

/// The number of the line of `wrong.cu` that ends in this comment.
fn line(comment: &str) -> u32 {
    let comment = format!("// {comment}");
    let text = fixture("check/wrong.cu");
    let at = text
        .lines()
        .position(|line| line.ends_with(&comment))
        .unwrap();
    at as u32 + 1
}

/// Launches a kernel with a mistake and returns its findings, the same on any number of host threads.
fn wrong(
    gpu: &Gpu,
    entry: &str,
    grid: [u32; 3],
    block: [u32; 3],
    args: &[Arg],
    reset: impl Fn(&Gpu),
) -> Vec<Finding> {
    let module = load("wrong");
    reset(gpu);
    let findings = checked(gpu, &module, entry, grid, block, args, 1).findings;
    for threads in [1, 2, 5, 8] {
        reset(gpu);
        let again = checked(gpu, &module, entry, grid, block, args, threads).findings;
        assert_eq!(again, findings, "{entry} on {threads} threads");
    }
    findings
}

/// Expects a finding of this kind at the line marked as the mistake, a race's other one at the line marked so.
fn expect(findings: &[Finding], entry: &str, kind: FindingKind) -> Finding {
    let words: Vec<String> = findings.iter().map(Finding::message).collect();
    let mistake = line(&format!("mistake {entry}"));
    let marked = format!("// other {entry}");
    let other = if fixture("check/wrong.cu").contains(&marked) {
        line(&format!("other {entry}"))
    } else {
        mistake
    };
    let lines = |finding: &Finding| {
        let own = finding.source.as_ref().map(|source| source.line);
        let others = finding
            .other
            .as_ref()
            .map(|other| other.source.as_ref().unwrap().line);
        (own, others)
    };
    let found = findings.iter().find(|finding| {
        finding.kind == kind
            && (lines(finding) == (Some(mistake), (kind == FindingKind::Race).then_some(other))
                || lines(finding) == (Some(other), Some(mistake)))
    });
    found
        .unwrap_or_else(|| panic!("{entry}: {kind:?} at {mistake} and {other}: {words:#?}"))
        .clone()
}

fn only(findings: &[Finding], entry: &str, kind: FindingKind) -> Finding {
    let found = expect(findings, entry, kind);
    assert!(
        findings.len() <= 2 && findings.iter().all(|finding| finding.kind == kind),
        "{entry}: {findings:#?}"
    );
    found
}

const ONE: [u32; 3] = [1, 1, 1];

#[test]
fn a_missing_barrier_is_a_race() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &floats(7 * 96)),
        gpu.poisoned::<f32>("out", 96),
    );
    let found = only(
        &wrong(
            &gpu,
            "no_barrier",
            ONE,
            [96, 1, 1],
            &[from.into(), to.into()],
            |_| (),
        ),
        "no_barrier",
        FindingKind::Race,
    );
    assert_eq!(
        (found.thread, found.other.unwrap().thread),
        ([0, 0, 0], [95, 0, 0])
    );
    assert_eq!(found.buffer.unwrap().name, "tile");
    let args = [from.into(), to.into(), 7i32.into()];
    only(
        &wrong(&gpu, "one_barrier", ONE, [96, 1, 1], &args, |_| ()),
        "one_barrier",
        FindingKind::Race,
    );
    let (from, to) = (
        gpu.upload("in", &ints(128)),
        gpu.poisoned::<i32>("out", 128),
    );
    only(
        &wrong(
            &gpu,
            "wrong_barrier",
            ONE,
            [128, 1, 1],
            &[from.into(), to.into()],
            |_| (),
        ),
        "wrong_barrier",
        FindingKind::Race,
    );
}

#[test]
fn a_read_of_what_nothing_has_written() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &floats(200)),
        gpu.poisoned::<f32>("out", 200),
    );
    let args = [from.into(), to.into(), 90i32.into()];
    let found = only(
        &wrong(&gpu, "unfilled_edge", ONE, [96, 1, 1], &args, |_| ()),
        "unfilled_edge",
        FindingKind::Uninitialized,
    );
    assert_eq!((found.count, found.thread), (6, [0, 0, 0]));
    let poison = |gpu: &Gpu| gpu.memory.poison(to, 800, 0xffff_ffff).unwrap();
    let args = [from.into(), to.into()];
    let found = only(
        &wrong(
            &gpu,
            "adds_to_nothing",
            [5, 1, 1],
            [40, 1, 1],
            &args,
            poison,
        ),
        "adds_to_nothing",
        FindingKind::Uninitialized,
    );
    assert_eq!(
        (found.count, found.buffer.unwrap().name.as_str()),
        (200, "out")
    );
    // Now it has been written.
    assert!(
        checked(
            &gpu,
            &load("wrong"),
            "adds_to_nothing",
            [5, 1, 1],
            [40, 1, 1],
            &args,
            2
        )
        .findings
        .is_empty()
    );
    let scratch = gpu.poisoned::<f32>("scratch", 4 * 64);
    let args = [from.into(), scratch.into(), to.into()];
    let found = only(
        &wrong(&gpu, "half_a_vector", ONE, [64, 1, 1], &args, |_| ()),
        "half_a_vector",
        FindingKind::Uninitialized,
    );
    assert_eq!(found.count, 64);
    let (from, to) = (gpu.upload("in", &ints(64)), gpu.poisoned::<i32>("out", 64));
    let found = only(
        &wrong(
            &gpu,
            "local_hole",
            ONE,
            [64, 1, 1],
            &[from.into(), to.into()],
            |_| (),
        ),
        "local_hole",
        FindingKind::Uninitialized,
    );
    assert!(found.count > 0 && found.count < 64);
}

#[test]
fn an_unchecked_launch_counts_as_writing_everything() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &floats(200)),
        gpu.poisoned::<f32>("out", 200),
    );
    let args = [from.into(), to.into()];
    gpu.launch(
        &load("wrong"),
        "adds_to_nothing",
        [5, 1, 1],
        [40, 1, 1],
        0,
        &args,
    );
    assert!(
        checked(
            &gpu,
            &load("wrong"),
            "adds_to_nothing",
            [5, 1, 1],
            [40, 1, 1],
            &args,
            2
        )
        .findings
        .is_empty()
    );
}

#[test]
fn stores_of_several_threads_to_one_element() {
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<i32>("out", 64);
    let findings = wrong(
        &gpu,
        "one_element",
        [3, 1, 1],
        [96, 1, 1],
        &[to.into()],
        |_| (),
    );
    expect(&findings, "one_element", FindingKind::Race);
    let found = only(
        &wrong(
            &gpu,
            "block_element",
            [6, 1, 1],
            [32, 1, 1],
            &[to.into()],
            |_| (),
        ),
        "block_element",
        FindingKind::Race,
    );
    let other = found.other.unwrap();
    assert_eq!((found.block, found.thread), ([1, 0, 0], [5, 0, 0]));
    assert_eq!((other.block, other.thread), ([0, 0, 0], [5, 0, 0]));
    let findings = wrong(
        &gpu,
        "shared_element",
        ONE,
        [64, 1, 1],
        &[to.into()],
        |_| (),
    );
    let found = only(&findings, "shared_element", FindingKind::Race);
    assert_eq!(found.count, 32);
    let (rows, columns) = (61, 37);
    let (from, to) = (
        gpu.upload("in", &floats(rows * columns)),
        gpu.poisoned::<f32>("out", 4000),
    );
    let args = [
        from.into(),
        to.into(),
        (rows as i32).into(),
        (columns as i32).into(),
    ];
    only(
        &wrong(&gpu, "exchanged", [3, 4, 1], [16, 16, 1], &args, |_| ()),
        "exchanged",
        FindingKind::Race,
    );
}

#[test]
fn counts_that_are_no_atomics() {
    let mut gpu = Gpu::default();
    let bytes: Vec<u8> = ints(640).iter().map(|value| *value as u8).collect();
    let (from, bins) = (gpu.upload("in", &bytes), gpu.upload("bins", &[0u32; 256]));
    let clear = |gpu: &Gpu| gpu.memory.fill(bins, 1024, 0).unwrap();
    let findings = wrong(
        &gpu,
        "lost_counts",
        [5, 1, 1],
        [128, 1, 1],
        &[from.into(), bins.into()],
        clear,
    );
    expect(&findings, "lost_counts", FindingKind::Race);
    let out = gpu.poisoned::<u32>("out", 64);
    let args = [from.into(), bins.into(), out.into()];
    let findings = wrong(&gpu, "early_reader", [5, 1, 1], [128, 1, 1], &args, clear);
    assert!(
        findings
            .iter()
            .any(|finding| finding.kind == FindingKind::Race),
        "{findings:#?}"
    );
}

#[test]
fn blocks_that_read_what_others_store() {
    let mut gpu = Gpu::default();
    let a = gpu.upload("a", &floats(500));
    let restore = |gpu: &Gpu| {
        gpu.memory
            .write(
                a,
                &floats(500)
                    .iter()
                    .flat_map(|a| a.to_le_bytes())
                    .collect::<Vec<_>>(),
            )
            .unwrap()
    };
    let findings = wrong(
        &gpu,
        "neighbours",
        [5, 1, 1],
        [100, 1, 1],
        &[a.into(), 500i32.into()],
        restore,
    );
    expect(&findings, "neighbours", FindingKind::Race);
    let (from, partial) = (
        gpu.upload("in", &ints(20)),
        gpu.poisoned::<i32>("partial", 20),
    );
    let out = gpu.poisoned::<i32>("out", 1);
    let args = [from.into(), partial.into(), out.into()];
    only(
        &wrong(&gpu, "no_fence", [20, 1, 1], [32, 1, 1], &args, |gpu| {
            gpu.memory.poison(partial, 80, 0xffff_ffff).unwrap()
        }),
        "no_fence",
        FindingKind::Race,
    );
}

#[test]
fn a_flag_without_a_fence_orders_nothing() {
    let mut gpu = Gpu::default();
    let (from, to) = (gpu.upload("in", &ints(20)), gpu.poisoned::<i32>("out", 96));
    only(
        &wrong(
            &gpu,
            "flag_without_fence",
            ONE,
            [96, 1, 1],
            &[from.into(), to.into()],
            |_| (),
        ),
        "flag_without_fence",
        FindingKind::Race,
    );
}

// ---- what the project has ----

#[test]
fn the_transposes_of_the_project_are_clean() {
    let kernels = [
        ("copy", [32, 8, 1], 32),
        ("copy_shared", [32, 8, 1], 32),
        ("naive_read", [32, 32, 1], 32),
        ("naive_write", [16, 16, 1], 16),
        ("tiled", [32, 8, 1], 32),
        ("padded", [32, 8, 1], 32),
    ];
    for (name, block, tile) in kernels {
        let path = format!("../../../kernels/transpose/{name}.ptx");
        let module = Module::load(&fixture(&path)).unwrap();
        for (rows, columns) in [(96, 160), (61, 131), (1, 70)] {
            let mut gpu = Gpu::default();
            let input = floats(rows * columns);
            let from = gpu.upload("in", &input);
            let to = gpu.poisoned::<f32>("out", rows * columns);
            let grid = [columns.div_ceil(tile) as u32, rows.div_ceil(tile) as u32, 1];
            let args = [
                from.into(),
                to.into(),
                (rows as u32).into(),
                (columns as u32).into(),
            ];
            let counters = gpu.launch(&module, name, grid, block, 0, &args).counters;
            gpu.memory.poison(to, 4 * rows * columns, !0).unwrap();
            let report = checked(&gpu, &module, name, grid, block, &args, 3);
            assert_eq!(
                messages(&report),
                Vec::<String>::new(),
                "{name} {rows} x {columns}"
            );
            assert_eq!(report.counters, counters, "{name} {rows} x {columns}");
            let out = gpu.download::<f32>(to, rows * columns);
            let expected = |at: usize| match name.starts_with("copy") {
                true => input[at],
                false => input[at % rows * columns + at / rows],
            };
            assert!((0..rows * columns).all(|at| out[at].to_bits() == expected(at).to_bits()));
        }
    }
}
