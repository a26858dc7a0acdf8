//! What goes wrong is named: mistakes in kernels become findings, bad PTX and bad launches become errors with a place.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture, module};
use cornerturn_emulator::{
    Arg, Detail, Finding, FindingKind, Launch, LaunchError, LoadError, Memory, Module, Options,
    ParamType, Report, Space, launch,
};

fn mistakes() -> Module {
    Module::load(&fixture("fail/mistakes.ptx")).unwrap()
}

fn single(report: &Report) -> &Finding {
    let [finding] = report.findings.as_slice() else {
        panic!(
            "{:?}",
            report
                .findings
                .iter()
                .map(Finding::message)
                .collect::<Vec<_>>()
        );
    };
    finding
}

/// The finding of a launch that has exactly one.
fn found(gpu: &Gpu, entry: &str, grid: u32, block: u32, shared: u32, args: &[Arg]) -> Finding {
    let report = gpu.launch(
        &mistakes(),
        entry,
        [grid, 1, 1],
        [block, 1, 1],
        shared,
        args,
    );
    single(&report).clone()
}

/// The text of the finding's line of CUDA C++.
fn line_of(finding: &Finding) -> String {
    let source = finding.source.as_ref().unwrap();
    assert_eq!(source.file, "mistakes.cu");
    fixture("fail/mistakes.cu")
        .lines()
        .nth(source.line as usize - 1)
        .unwrap()
        .to_string()
}

#[test]
fn a_store_past_the_end_of_a_buffer() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &[1f32; 100]),
        gpu.poisoned::<f32>("out", 100),
    );
    let finding = found(
        &gpu,
        "no_edge_test",
        4,
        32,
        0,
        &[from.into(), to.into(), 100i32.into()],
    );
    assert_eq!(finding.kind, FindingKind::OutOfBounds);
    assert_eq!((finding.block, finding.thread), ([3, 0, 0], [4, 0, 0]));
    assert_eq!(finding.address, Some(to + 400));
    assert_eq!(
        (finding.count, finding.is_store, finding.space),
        (28, true, Some(Space::Global))
    );
    assert!(line_of(&finding).contains("out[i] ="));
    assert_eq!(
        finding.message(),
        format!(
            "out of bounds: global store of 4 bytes at {:#x} is just past the end of `out` (400 bytes: element 100 of \
             4 bytes, the last is 99), in `no_edge_test` at mistakes.cu:4, block (3, 0, 0), thread (4, 0, 0), and 27 \
             more times. Usual cause: no `i < n` test for the threads past the edge.",
            to + 400
        )
    );
    // What is in bounds has been stored, what is not has been left out.
    assert_eq!(gpu.download::<f32>(to, 100), [2f32; 100]);
}

#[test]
fn a_store_before_the_start_of_a_buffer() {
    let mut gpu = Gpu::default();
    gpu.poisoned::<f32>("other", 64);
    let to = gpu.poisoned::<f32>("out", 64);
    let finding = found(&gpu, "before_start", 1, 32, 0, &[to.into()]);
    assert_eq!(finding.kind, FindingKind::OutOfBounds);
    assert_eq!(finding.buffer.as_ref().unwrap().name, "out");
    assert!(
        finding
            .message()
            .contains("12 bytes before the start of `out`"),
        "{}",
        finding.message()
    );
    assert_eq!(finding.count, 3);
}

#[test]
fn a_vector_that_is_not_aligned() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &[1f32; 256]),
        gpu.poisoned::<f32>("out", 32),
    );
    let finding = found(&gpu, "odd_vector", 1, 32, 0, &[from.into(), to.into()]);
    assert_eq!(
        (finding.kind, finding.access_bytes, finding.count),
        (FindingKind::Misaligned, 16, 32)
    );
    assert!(
        finding
            .message()
            .starts_with("misaligned: global load of 16 bytes at 0x"),
        "{}",
        finding.message()
    );
    assert!(
        finding
            .message()
            .contains("a vector of 4 elements (such as float4)"),
        "{}",
        finding.message()
    );
}

#[test]
fn a_vector_across_the_end() {
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &[1f32; 126]),
        gpu.poisoned::<f32>("out", 32),
    );
    let finding = found(&gpu, "across_end", 1, 32, 0, &[from.into(), to.into()]);
    assert_eq!(
        (finding.kind, finding.thread),
        (FindingKind::OutOfBounds, [31, 0, 0])
    );
    assert!(
        finding
            .message()
            .contains("across the end (by 8 bytes) of `in`"),
        "{}",
        finding.message()
    );
}

#[test]
fn a_null_pointer() {
    let gpu = Gpu::default();
    let finding = found(&gpu, "null_pointer", 2, 32, 0, &[0u64.into()]);
    assert_eq!(
        (finding.kind, finding.thread, finding.count),
        (FindingKind::InvalidAddress, [5, 0, 0], 2)
    );
    assert_eq!(finding.address, Some(20));
    assert!(
        finding.message().contains("goes through a null pointer"),
        "{}",
        finding.message()
    );
}

#[test]
fn a_wild_pointer() {
    let mut gpu = Gpu::default();
    gpu.poisoned::<u8>("small", 8);
    let finding = found(
        &gpu,
        "null_pointer",
        1,
        32,
        0,
        &[0x1234_5678_9ab0u64.into()],
    );
    assert_eq!(finding.kind, FindingKind::InvalidAddress);
    assert!(
        finding.message().contains("is near no buffer"),
        "{}",
        finding.message()
    );
}

#[test]
fn past_the_end_of_shared_memory() {
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<f32>("out", 32);
    let finding = found(&gpu, "past_shared", 1, 32, 128, &[to.into()]);
    assert_eq!(
        (finding.kind, finding.space),
        (FindingKind::OutOfBounds, Some(Space::Shared))
    );
    assert_eq!((finding.address, finding.count), (Some(128), 16));
    assert!(
        finding.message().contains("dynamic shared memory"),
        "{}",
        finding.message()
    );
}

#[test]
fn past_the_end_of_a_local_array() {
    let mut gpu = Gpu::default();
    let mut indices = [1i32; 32];
    indices[9] = 1000;
    let (from, to) = (gpu.upload("in", &indices), gpu.poisoned::<i32>("out", 32));
    let finding = found(&gpu, "past_local", 1, 32, 0, &[from.into(), to.into()]);
    assert_eq!(
        (finding.kind, finding.space),
        (FindingKind::OutOfBounds, Some(Space::Local))
    );
    assert_eq!(finding.thread, [9, 0, 0]);
}

#[test]
fn a_trap_stops_the_launch_at_the_first_block() {
    for threads in [1, 2, 3] {
        let mut gpu = Gpu {
            options: Options {
                threads,
                ..Options::default()
            },
            ..Gpu::default()
        };
        let mut values = vec![1i32; 64 * 500];
        (values[64 * 71 + 5], values[64 * 300], values[64 * 71 + 40]) = (77, 77, 77);
        let from = gpu.upload("in", &values);
        let report = gpu.launch(
            &mistakes(),
            "traps",
            [500, 1, 1],
            [64, 1, 1],
            0,
            &[from.into()],
        );
        let finding = single(&report);
        assert_eq!(
            (finding.kind, finding.block, finding.thread),
            (FindingKind::Trap, [71, 0, 0], [5, 0, 0])
        );
        assert!(
            finding
                .message()
                .starts_with("the kernel executed `trap`, in `traps` at mistakes.cu:")
        );
        assert_eq!(report.warp_instructions, 0);
    }
}

#[test]
fn an_endless_loop_uses_up_its_budget() {
    let mut gpu = Gpu {
        options: Options {
            instruction_budget: 100_000,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let flag = gpu.upload("flag", &[0i32]);
    let finding = found(&gpu, "endless", 3, 96, 0, &[flag.into()]);
    assert_eq!(
        (finding.kind, finding.block),
        (FindingKind::EndlessLoop, [0, 0, 0])
    );
    assert!(
        finding
            .message()
            .contains("wait for what none of them does"),
        "{}",
        finding.message()
    );
    assert!(line_of(&finding).contains("while (*flag == 0)"));

    let to = gpu.poisoned::<i32>("out", 64);
    let finding = found(&gpu, "endless_in_one", 1, 64, 0, &[to.into()]);
    assert_eq!(
        (finding.kind, finding.thread),
        (FindingKind::EndlessLoop, [40, 0, 0])
    );
}

#[test]
fn the_default_budget_stops_an_endless_loop_soon() {
    let mut gpu = Gpu {
        options: Options {
            instruction_budget: 1 << 18,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let flag = gpu.upload("flag", &[0i32]);
    found(&gpu, "endless", 100_000, 1024, 0, &[flag.into()]);
    // The launch as a whole has a budget too.
    gpu.options = Options {
        launch_budget: 1 << 20,
        ..Options::default()
    };
    let to = gpu.poisoned::<u32>("to", 1);
    let report = gpu.launch(
        &module("waiting"),
        "one_long",
        [9, 1, 1],
        [64, 1, 1],
        0,
        &[to.into(), u32::MAX.into()],
    );
    let finding = single(&report);
    assert_eq!(
        finding.detail,
        Detail::Budget {
            instructions: 1 << 20,
            whole_launch: true
        }
    );
    assert!(
        finding.message().contains("the launch used up its budget"),
        "{}",
        finding.message()
    );
}

#[test]
fn whoever_watches_a_launch_may_end_it() {
    let mut gpu = Gpu {
        options: Options {
            threads: 1,
            progress: Some(|_, blocks, instructions| blocks == 3 && instructions < 500_000),
            ..Options::default()
        },
        ..Gpu::default()
    };
    let to = gpu.poisoned::<u32>("to", 1);
    let args = [to.into(), u32::MAX.into()];
    let report = gpu.launch(
        &module("waiting"),
        "one_long",
        [3, 1, 1],
        [64, 1, 1],
        0,
        &args,
    );
    match single(&report).detail {
        Detail::Budget {
            instructions,
            whole_launch: true,
        } => assert!(
            (500_000..1_000_000).contains(&instructions),
            "{instructions}"
        ),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn a_barrier_that_can_never_complete() {
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<i32>("out", 64);
    let finding = found(&gpu, "different_barriers", 2, 64, 0, &[to.into()]);
    assert_eq!(finding.kind, FindingKind::BarrierDivergence);
    assert_eq!(
        finding.detail,
        Detail::Barrier {
            barrier: 1,
            arrived: 32,
            expected: 64,
            is_counted: false
        }
    );
    assert!(
        finding
            .message()
            .contains("barrier 1 waits for 64 threads but only 32 reach it"),
        "{}",
        finding.message()
    );
}

#[test]
fn a_barrier_that_a_part_of_a_warp_reaches() {
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<i32>("out", 64);
    // It comes to an end, so only the check says it.
    gpu.run(
        &mistakes(),
        "half_a_warp",
        [1, 1, 1],
        [64, 1, 1],
        &[to.into()],
    );
    gpu.options.check = true;
    let finding = found(&gpu, "half_a_warp", 1, 64, 0, &[to.into()]);
    assert_eq!(finding.kind, FindingKind::BarrierDivergence);
    assert!(line_of(&finding).contains("__syncthreads"));
}

#[test]
fn checks_find_nothing_in_correct_kernels() {
    let mut gpu = Gpu {
        options: Options {
            check: true,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let control = module("control");
    let values: Vec<i32> = (0..512).collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<i32>("out", 512));
    gpu.run(
        &control,
        "named_barriers",
        [2, 1, 1],
        [128, 1, 1],
        &[from.into(), to.into()],
    );
    gpu.run(
        &control,
        "early_return",
        [8, 1, 1],
        [64, 1, 1],
        &[from.into(), to.into(), 512i32.into()],
    );
}

#[test]
fn an_early_return_before_a_barrier() {
    let mut gpu = Gpu {
        options: Options {
            check: true,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let values: Vec<i32> = (0..512).collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<i32>("out", 512));
    let report = gpu.launch(
        &module("control"),
        "early_return",
        [8, 1, 1],
        [64, 1, 1],
        0,
        &[from.into(), to.into(), 490i32.into()],
    );
    // It is allowed since Volta.
    assert_eq!(report.findings, []);
    let [remark] = report.remarks.as_slice() else {
        panic!("{:?}", report.remarks)
    };
    assert_eq!((remark.block, remark.thread), ([7, 0, 0], [42, 0, 0]));
    let detail = Detail::Exited {
        threads: 22,
        came_before: false,
    };
    assert_eq!(remark.detail, detail);
    assert!(remark.message().starts_with("remark: 22 of the block's"));
}

#[test]
fn launches_over_the_limits() {
    let module = mistakes();
    let gpu = Gpu::default();
    let args = [Arg::from(0u64)];
    let limit = |grid, block, shared| {
        let report = gpu.launch(&module, "before_start", grid, block, shared, &args);
        let finding = single(&report);
        assert_eq!(finding.kind, FindingKind::Limit);
        assert!(matches!(finding.detail, Detail::Limit { .. }));
        finding.message()
    };
    assert_eq!(
        limit([1, 65536, 1], [32, 1, 1], 0),
        "limit: the grid's size in y is 65536, the most is 65535; `before_start` was not run"
    );
    assert!(limit([1 << 31, 1, 1], [1, 1, 1], 0).contains("the grid's size in x is 2147483648"));
    assert!(
        limit([1, 1, 1], [32, 33, 1], 0)
            .contains("the number of threads of a block is 1056, the most is 1024")
    );
    assert!(limit([1, 1, 1], [1, 1, 65], 0).contains("the block's size in z is 65"));
    assert!(limit([1, 1, 1], [u32::MAX, u32::MAX, 1], 0).contains("the block's size in x"));
    assert!(
        limit([1, 1, 1], [32, 1, 1], 300_000)
            .contains("shared memory, in bytes, is 300000, the most is 232448")
    );
    assert!(limit([1, 1, 1], [32, 1, 1], u32::MAX).contains("shared memory"));
}

#[test]
fn launches_that_do_not_fit_the_entry() {
    let module = mistakes();
    let gpu = Gpu::default();
    let refused = |entry, block, args: &[Arg]| {
        let job = Launch {
            entry,
            grid: [1, 1, 1],
            block,
            dynamic_shared_bytes: 0,
            args,
        };
        launch(&module, &gpu.memory, &job, &Options::default()).unwrap_err()
    };
    let error = refused("tarps", [1, 1, 1], &[]);
    assert!(matches!(error, LaunchError::UnknownEntry { .. }));
    assert!(
        error
            .to_string()
            .starts_with("the PTX has no entry `tarps`; it has `no_edge_test`, "),
        "{error}"
    );
    let error = refused("traps", [1, 1, 1], &[]).to_string();
    assert_eq!(error, "`traps` takes 1 arguments, 0 were given");
    let error = refused("traps", [1, 1, 1], &[1u32.into()]).to_string();
    assert_eq!(
        error,
        "argument 0 of `traps` (`traps_param_0`) has 8 bytes, 4 were given"
    );
    assert!(matches!(
        refused("traps", [1, 0, 1], &[1u64.into()]),
        LaunchError::Empty { .. }
    ));
}

const HEADER: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// The error of loading an entry `k` with this body.
fn refused_body(body: &str) -> LoadError {
    refused(&format!(
        "{HEADER}.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<3>;\n.reg .b16 %h<4>;\n.reg .b32 %r<9>;\n\
         .reg .f32 %f<5>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
    ))
}

/// Why the text, or its first entry, is refused.
fn refused(text: &str) -> LoadError {
    let module = match Module::load(text) {
        Ok(module) => module,
        Err(error) => return error,
    };
    let gap = module
        .entries()
        .first()
        .and_then(|entry| entry.unsupported());
    gap.unwrap_or_else(|| panic!("this loads:\n{text}")).clone()
}

/// Entries of a file: `sums` is supported, `gaps` and `calls_gaps` are not, nor is what they call.
const MIXED: &str = "
.version 8.0
.target sm_90
.address_size 64
.func lacking()
{
    .reg .b32 %r<3>;
    wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16;
    ret;
}
.visible .entry gaps(.param .u64 .ptr .global .align 4 to, .param .f32 scale)
{
    .reg .v4 .f32 %v;
    .reg .b32 %r<3>;
    ret;
}
.visible .entry calls_gaps() .maxntid 64
{
    call lacking;
    ret;
}
.visible .entry clustered() .blocksareclusters .reqnctapercluster 2, 1, 1
{
    ret;
}
.visible .entry sums(.param .u64 to)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 42;
    ret;
}";

#[test]
fn what_is_not_supported_refuses_only_the_entries_that_come_by_it() {
    let module = Module::load(MIXED).unwrap();
    let lacks = |entry: &str| match module.entry(entry) {
        Err(LoadError::Unsupported { instruction, line }) => (instruction, line),
        other => panic!("{entry}: {other:?}"),
    };
    assert_eq!(lacks("gaps"), ("vector registers".to_string(), 13));
    assert_eq!(
        lacks("calls_gaps"),
        (
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16".to_string(),
            8
        )
    );
    let clusters = ".blocksareclusters".to_string();
    assert_eq!(lacks("clustered"), (clusters, 22));
    // What a host needs to launch them elsewhere is there.
    let entries = module.entries();
    assert_eq!(entries.len(), 4);
    let params = entries[0].params();
    assert_eq!((params[0].bytes, params[1].ty), (8, ParamType::Float(32)));
    assert_eq!(entries[1].max_threads(), Some(64));
    assert_eq!(entries[3].unsupported(), None);
    // The supported one runs, the others say at the launch what they lack.
    let mut memory = Memory::new();
    let to = memory.allocate(4, "to").unwrap();
    let run = |entry, args: &[Arg]| {
        let job = Launch {
            entry,
            grid: [1, 1, 1],
            block: [1, 1, 1],
            dynamic_shared_bytes: 0,
            args,
        };
        launch(&module, &memory, &job, &Options::default())
    };
    assert!(run("sums", &[to.into()]).unwrap().findings.is_empty());
    let mut found = [0; 4];
    memory.read(to, &mut found).unwrap();
    assert_eq!(u32::from_le_bytes(found), 42);
    let refused = run("clustered", &[]).unwrap_err();
    assert!(matches!(
        refused,
        LaunchError::Unsupported(LoadError::Unsupported { line: 22, .. })
    ));
}

#[test]
fn malformed_text_refuses_the_file_whatever_entry_it_is_in() {
    let error = refused(&MIXED.replace("st.global.u32 [%rd1], 42;", "st.global.u32 [%rd9], 42;"));
    assert!(matches!(error, LoadError::Syntax { .. }), "{error}");
}

#[test]
fn a_report_says_whether_the_run_was_stopped() {
    let mut memory = Memory::new();
    let to = memory.allocate(4, "to").unwrap();
    let ran = |body: &str| {
        let text = format!(
            "{HEADER}.visible .entry k(.param .u64 p) {{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; {body} ret; }}"
        );
        let job = Launch {
            entry: "k",
            grid: [1, 1, 1],
            block: [32, 1, 1],
            dynamic_shared_bytes: 0,
            args: &[to.into()],
        };
        let module = Module::load(&text).unwrap();
        let report = launch(&module, &memory, &job, &Options::default()).unwrap();
        let kind = report.findings.first().map(|finding| finding.kind);
        (kind, report.stopped, report.would_end())
    };
    assert_eq!(ran("bar.sync 0, 32;"), (None, false, true));
    // The other warp that the barrier waits for never comes: no finding of a kind that stops a run.
    let stuck = Some(FindingKind::BarrierDivergence);
    assert_eq!(ran("bar.sync 0, 64;"), (stuck, true, false));
    assert_eq!(ran("trap;"), (Some(FindingKind::Trap), true, false));
    // The emulator leaves the access out and goes on, a GPU does not.
    let outside = ran("st.global.u32 [%rd1+4], 0;");
    assert_eq!(outside, (Some(FindingKind::OutOfBounds), false, false));
}

#[test]
fn malformed_text_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "",
            "PTX line 1, column 1: expected `.version`, with which PTX begins, found the end of the text",
        ),
        (
            "hello",
            "PTX line 1, column 1: expected `.version`, with which PTX begins, found `hello`",
        ),
        (
            ".version x",
            "PTX line 1, column 10: expected a version such as 8.0, found `x`",
        ),
        (
            "\u{7f}ELF",
            "PTX line 1, column 1: `\\u{7f}` has no meaning in PTX",
        ),
        (
            "/* never",
            "PTX line 1, column 1: a comment is opened here and never closed",
        ),
    ] {
        assert_eq!(refused(text).to_string(), expected);
    }
    let with_header = |text: &str| refused(&format!("{HEADER}{text}")).to_string();
    for (text, expected) in [
        (
            ".entry",
            "PTX line 4, column 7: expected the name of a function, found the end of the text",
        ),
        (
            ".entry k(",
            "PTX line 4, column 10: expected `.param`, found the end of the text",
        ),
        (
            ".entry k() {",
            "PTX line 4, column 13: expected `}` at the end of the function, found the end of the text",
        ),
        (
            ".entry k() { ret }",
            "PTX line 4, column 18: expected an operand, found `}`",
        ),
        (
            ".global .align 3 .b8 x[4];",
            "PTX line 4, column 18: expected an alignment of 1, 2, 4, … bytes before this, found `.b8`",
        ),
        (
            ".file 1 \"open\n",
            "PTX line 4, column 9: a quotation mark is opened here and not closed on this line",
        ),
        (
            "garbage",
            "PTX line 4, column 1: expected a directive such as `.entry`, found `garbage`",
        ),
        (
            ".global .u32 a = 99999999999999999999;",
            "PTX line 4, column 38: `99999999999999999999` is not a number",
        ),
        (
            ".entry k() { ret; }\n.entry k() { ret; }",
            "PTX line 5, column 1: `k` is declared twice in this scope",
        ),
    ] {
        assert_eq!(with_header(text), expected);
    }
}

#[test]
fn wrong_instructions_are_refused_with_their_place() {
    for (body, expected) in [
        (
            "add.s32 %r1, %r2;",
            "PTX line 11, column 1: `add.s32`: expected 3 operands, found 2",
        ),
        (
            "add.s32 %r1, %r2, %r99;",
            "PTX line 11, column 1: `add.s32`: `%r99` is no register that is declared here",
        ),
        (
            "add.s32 %r1, %r2, %rd3;",
            "PTX line 11, column 1: `add.s32`: needs a register of at most 32 bits, but `%rd3` has 64 bits",
        ),
        (
            "add.s64 %rd1, %r2, 1;",
            "PTX line 11, column 1: `add.s64`: needs a 64-bit register, but `%r2` has 32 bits",
        ),
        (
            "add.s32 5, %r2, %r3;",
            "PTX line 11, column 1: `add.s32`: expected a register as the destination",
        ),
        (
            "@%r1 ret;",
            "PTX line 11, column 6: `ret`: `%r1` is no predicate that is declared here",
        ),
        (
            "bra nowhere;",
            "PTX line 11, column 1: there is no label `nowhere` here",
        ),
        (
            "ld.global.u32 %r1, %rd1;",
            "PTX line 11, column 1: `ld.global.u32`: expected an address in brackets",
        ),
        (
            "ld.global.v4.u32 {%r1, %r2}, [%rd1];",
            "PTX line 11, column 1: `ld.global.v4.u32`: expected 4 registers, found 2",
        ),
        (
            "ld.global.u32 %h1, [%rd1];",
            "PTX line 11, column 1: `ld.global.u32`: needs 32 bits, but `%h1` has 16",
        ),
        (
            "ld.shared.u32 %r1, [p];",
            "PTX line 11, column 1: `ld.shared.u32`: `p` lies in .param memory",
        ),
        (
            "st.global.u32 [x], %r1;",
            "PTX line 11, column 1: `st.global.u32`: `x` is no register or variable that is declared here",
        ),
        (
            ".reg .b32 %r<2>;",
            "PTX line 11, column 1: `%r` is declared twice in this scope",
        ),
        (
            "mov.u32 %r1, %laneid.y;",
            "PTX line 11, column 1: `mov.u32`: `%laneid.y` is no register that is declared here",
        ),
        (
            "mov.b16 %h1, 0f3F800000;",
            "PTX line 11, column 1: `mov.b16`: a floating-point number has more than 16 bits",
        ),
        (
            "cvt.s32.f32 %r1, %f1;",
            "PTX line 11, column 1: `cvt.s32.f32`: this conversion needs a rounding modifier",
        ),
        (
            "L: L: ret;",
            "PTX line 11, column 1: `L` is declared twice in this scope",
        ),
    ] {
        assert_eq!(refused_body(body).to_string(), expected);
    }
}

#[test]
fn what_is_not_supported_yet_is_named() {
    for (body, expected) in [
        (
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16;",
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16",
        ),
        (
            "suld.b.3d.b32.trap {%r1}, [t, {%r1}];",
            "suld.b.3d.b32.trap",
        ),
        ("add.rn.f32x2 %rd1, %rd2, %rd3;", "add.rn.f32x2"),
        (
            "tcgen05.wait::ld.sync.aligned;",
            "tcgen05.wait::ld.sync.aligned",
        ),
        ("mov.u32 %r1, %pm0;", "%pm0"),
        // Its three axes as a vector.
        ("mov.u32 %r1, %tid;", "%tid"),
        (
            "call (%rd1), vprintf, (%rd1, %rd2);",
            "call with arguments in registers",
        ),
        (".reg .v4 .f32 %v;", "vector registers"),
    ] {
        let error = refused_body(body);
        let LoadError::Unsupported { instruction, line } = &error else {
            panic!("{error}")
        };
        assert_eq!((instruction.as_str(), *line), (expected, 11));
        assert!(
            error.to_string().contains("the emulator does not support"),
            "{error}"
        );
    }
}

#[test]
fn hostile_sizes_are_refused() {
    let nested = "{".repeat(100_000);
    for (body, expected) in [
        (
            ".shared .align 4 .b8 x[4294967296]; mov.u64 %rd1, x;".to_string(),
            "shared memory",
        ),
        (
            ".shared .b8 x[18446744073709551615]; mov.u64 %rd1, x;".to_string(),
            "shared memory",
        ),
        (
            ".local .b8 x[18446744073709551615];".to_string(),
            "local memory",
        ),
        (nested, "nesting"),
        (
            format!("add.s32 %r1, {}%r2;", "{".repeat(50_000)),
            "nesting",
        ),
    ] {
        let error = refused_body(&body);
        let is_ours = expected == "nesting";
        assert_eq!(error.is_gap(), is_ours, "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let global = ".global .b8 x[99999999999];\n.entry k() { .reg .b64 %r; mov.u64 %r, x; ret; }";
    let error = refused(&format!("{HEADER}{global}\n"));
    assert!(error.to_string().contains(".global variables"), "{error}");
    let constants = |sizes: &[u64]| {
        let sizes = sizes.iter().enumerate();
        let declared: String = sizes
            .map(|(at, bytes)| format!(".const .align 4 .b8 c{at}[{bytes}];\n"))
            .collect();
        Module::load(&format!("{HEADER}{declared}"))
    };
    for (sizes, message) in [
        (
            &[65_537][..],
            "take 65537 bytes, the most is 65536: `c0` 65537",
        ),
        (
            &[3, 65_531, 2],
            "take 65538 bytes, the most is 65536: `c1` 65531, `c0` 3, `c2` 2",
        ),
        (&[u64::MAX >> 1, u64::MAX >> 1, 5], "the most is 65536"),
    ] {
        let error = constants(sizes).unwrap_err();
        assert!(
            !error.is_gap() && error.to_string().contains(message),
            "{error}"
        );
    }
    assert!(constants(&[3, 65_532]).is_ok());
    let error = refused(&format!(
        "{HEADER}.entry k(.param .b8 x[40000]) {{ ret; }}\n"
    ));
    assert!(error.to_string().contains("parameters"), "{error}");
    let error = refused(&" ".repeat(17 << 20));
    assert!(error.to_string().contains("the PTX text"), "{error}");
    // A thousand million registers cost nothing until they are used.
    let many = format!(
        "{HEADER}.entry k() {{ .reg .b32 %r<1000000000>; mov.u32 %r999999999, 1; ret; }}\n"
    );
    assert!(Module::load(&many).is_ok());
    // As many live at once do.
    let mut live = String::new();
    for at in 0..5000 {
        live += &format!("ld.global.u32 %q{at}, [%rd1+{}];\n", 4 * at);
    }
    for at in 0..5000 {
        live += &format!("st.global.u32 [%rd1+{}], %q{at};\n", 4 * at);
    }
    let error = refused_body(&format!(".reg .b32 %q<5000>;\n{live}"));
    assert!(
        error.to_string().contains("registers in use at a time"),
        "{error}"
    );
}

#[test]
fn a_recursion_without_end_is_over_the_limit() {
    let text = format!(
        "{HEADER}.func f();\n.func g()\n{{ call.uni f; ret; }}\n.func f()\n{{ call.uni g; ret; }}\n\
         .entry k() {{ call.uni f; ret; }}\n"
    );
    let module = Module::load(&text).unwrap();
    let report = Gpu::default().launch(&module, "k", [2, 1, 1], [48, 1, 1], 0, &[]);
    let finding = single(&report);
    assert_eq!(finding.kind, FindingKind::Limit);
    assert!(
        finding.message().contains("nested calls take"),
        "{}",
        finding.message()
    );
}

#[test]
fn bytes_that_are_not_text() {
    let error = Module::load_bytes(b".version 8.0\xff\xfe").unwrap_err();
    assert_eq!(error, LoadError::NotText { offset: 12 });
    assert!(matches!(
        mistakes().entry("nothing"),
        Err(LoadError::UnknownEntry { .. })
    ));
}

/// An address of a buffer that the host has freed leads to it, not to the one that is nearest now.
#[test]
fn a_freed_buffer_is_named() {
    let mut gpu = Gpu::default();
    let text = ".version 6.4\n.target sm_75\n.address_size 64\n\
        .visible .entry k(.param .u64 p0) {\n.reg .b32 %r<2>; .reg .b64 %d<2>;\n\
        ld.param.u64 %d0, [p0]; st.global.u32 [%d0+12], 1; ret;\n}\n";
    let module = Module::load(text).unwrap();
    let (old, beside) = (
        gpu.upload("old", &[1_u32; 5]),
        gpu.upload("beside", &[1_u32; 5]),
    );
    let run = |gpu: &Gpu| gpu.launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &[Arg::from(old)]);
    assert!(run(&gpu).findings.is_empty());
    gpu.memory.free(old).unwrap();
    let report = run(&gpu);
    let finding = single(&report);
    assert_eq!(finding.kind, FindingKind::InvalidAddress);
    assert_eq!(finding.detail, Detail::FreedBuffer);
    let message = finding.message();
    assert!(
        message.contains("(byte 12 of `old`) lies in a buffer that the host had freed"),
        "{message}"
    );
    // Past its end it was nobody's.
    let past = gpu.launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &[Arg::from(old + 8)]);
    assert_eq!(single(&past).kind, FindingKind::OutOfBounds);
    assert_eq!(gpu.download::<u32>(beside, 5), [1; 5]);
}
