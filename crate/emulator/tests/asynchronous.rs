//! Asynchronous copies and mbarriers: kernels run and compared with the same computed here, and mistakes in their use.
//!
//! The CUDA C++ is in `pass/`, its PTX made by nvcc 13.0.88 with `-lineinfo -std=c++17 -ptx` and
//! `-arch=compute_80` (`pipeline`) or `-arch=sm_90a` (`tensor`), the folders of file names taken out.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, marked, module};
use cornerturn_emulator::counters::{CopyCounts, copy_counts};
use cornerturn_emulator::{
    Arg, Detail, Fill, FindingKind, Module, Path, Report, Space, Swizzle, TensorElement,
    TensorLayout, TensorMap, TraceRequest,
};

/// A device that looks for all mistakes: these kernels make none.
fn checking() -> Gpu {
    let mut gpu = Gpu::default();
    gpu.options.check = true;
    gpu
}

// ---- cp.async ----

#[test]
fn a_double_buffered_transpose_works_on_any_shape() {
    let module = module("pipeline");
    for (rows, columns) in [(37, 101), (64, 96), (1, 77), (130, 1), (33, 31)] {
        let mut gpu = checking();
        let input: Vec<f32> = (0..rows * columns).map(marked).collect();
        let from = gpu.upload("in", &input);
        let to = gpu.poisoned::<f32>("out", input.len());
        let grid = [rows.div_ceil(32) as u32, 1, 1];
        let args = [
            from.into(),
            to.into(),
            (rows as i32).into(),
            (columns as i32).into(),
        ];
        gpu.run(&module, "transpose_double", grid, [32, 8, 1], &args);
        let expected: Vec<u32> = (0..rows * columns)
            .map(|at| input[at % rows * columns + at / rows].to_bits())
            .collect();
        let found = gpu.download::<u32>(to, expected.len());
        assert_eq!(found, expected, "{rows} x {columns}");
    }
}

#[test]
fn nothing_has_come_before_it_is_waited_for() {
    let module = module("pipeline");
    for check in [false, true] {
        let mut gpu = Gpu::default();
        gpu.options.check = check;
        let input: Vec<f32> = (0..128).map(marked).collect();
        let from = gpu.upload("in", &input);
        let to = gpu.poisoned::<u32>("out", 128);
        let args = [from.into(), to.into()];
        let shape = ([1, 1, 1], [128, 1, 1]);
        let report = gpu.launch(&module, "forgets_to_wait", shape.0, shape.1, 0, &args);
        let found = gpu.download::<u32>(to, 128);
        let poison = found[0];
        assert!(f32::from_bits(poison).is_nan() && found.iter().all(|word| *word == poison));
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind).collect();
        let expected = if check {
            vec![FindingKind::Race]
        } else {
            vec![]
        };
        assert_eq!(kinds, expected);
    }
}

#[test]
fn what_is_not_read_is_zero() {
    let module = module("pipeline");
    let mut random = Random(11);
    let mut gpu = checking();
    for bytes in [2048, 2033, 1000, 5] {
        let input: Vec<u8> = (0..bytes).map(|_| random.next() as u8 | 1).collect();
        let from = gpu.upload("in", &input);
        for ignore in [0, 1] {
            let to = gpu.poisoned::<u8>("out", 2048);
            let args = [from.into(), to.into(), (bytes as i32).into(), ignore.into()];
            gpu.run(&module, "zero_filled", [2, 1, 1], [64, 1, 1], &args);
            let expected: Vec<u8> = (0..2048)
                .map(|at| {
                    let (chunk, byte) = ((at / 16) ^ 1, 15 - at % 16);
                    let from = 16 * chunk + byte;
                    let taken = ignore == 0 || (chunk % 2 == 0 && 16 * chunk + 16 <= bytes);
                    if taken && from < bytes {
                        input[from]
                    } else {
                        0
                    }
                })
                .collect();
            assert_eq!(gpu.download::<u8>(to, 2048), expected, "{bytes} {ignore}");
        }
    }
}

#[test]
fn pipelines_of_the_standard_library() {
    let module = module("pipeline");
    let mut random = Random(12);
    let mut gpu = checking();
    let (blocks, batches) = (3, 7);
    let width = 192;
    let input: Vec<i32> = (0..blocks * batches * width)
        .map(|_| random.next() as i32 >> 3)
        .collect();
    let from = gpu.upload("in", &input);
    let to = gpu.poisoned::<i32>("out", input.len());
    let args = [from.into(), to.into(), (batches as i32).into()];
    let grid = [blocks as u32, 1, 1];
    gpu.run(
        &module,
        "stages_of_block",
        grid,
        [width as u32, 1, 1],
        &args,
    );
    let expected: Vec<i32> = (0..input.len())
        .map(|at| {
            let (row, x) = (at / width, at % width);
            let batch = (row % batches + 1) as i32;
            3i32.wrapping_mul(input[row * width + width - 1 - x])
                .wrapping_add(batch)
        })
        .collect();
    assert_eq!(gpu.download::<i32>(to, input.len()), expected);

    let input = &input[..blocks * batches * 96];
    let from = gpu.upload("in", input);
    let to = gpu.poisoned::<i32>("out", input.len());
    let args = [from.into(), to.into(), (batches as i32).into()];
    let kernel = "producers_and_consumers";
    gpu.run(&module, kernel, grid, [192, 1, 1], &args);
    let expected: Vec<i32> = (0..input.len())
        .map(|at| input[at / 96 * 96 + 95 - at % 96] - (at % 96) as i32)
        .collect();
    assert_eq!(gpu.download::<i32>(to, input.len()), expected);
}

#[test]
fn barriers_of_the_standard_library() {
    let module = module("pipeline");
    let mut gpu = checking();
    let (threads, rounds) = (160, 9);
    let to = gpu.poisoned::<i32>("out", 2 * threads);
    let block = [threads as u32, 1, 1];
    gpu.run(
        &module,
        "split_barrier",
        [2, 1, 1],
        block,
        &[to.into(), rounds.into()],
    );
    let expected: Vec<i32> = (0..2 * threads)
        .map(|at| {
            let other = (at % threads + 77) % threads;
            (0..rounds)
                .map(|round| round + 1000 * round + other as i32)
                .sum()
        })
        .collect();
    assert_eq!(gpu.download::<i32>(to, 2 * threads), expected);

    let to = gpu.poisoned::<i32>("out", threads + 1);
    gpu.run(&module, "dropping_out", [1, 1, 1], block, &[to.into()]);
    let mut expected: Vec<i32> = (0..threads as i32).map(|thread| thread / 32).collect();
    expected.push(expected.iter().sum());
    assert_eq!(gpu.download::<i32>(to, threads + 1), expected);

    let to = gpu.poisoned::<i32>("out", 32);
    let args = [to.into(), rounds.into()];
    gpu.run(&module, "lanes_of_a_warp", [1, 1, 1], [32, 1, 1], &args);
    let sum: i32 = (0..rounds).map(|round| 7 * round + 1).sum();
    let expected: Vec<i32> = (0..32).map(|lane| lane * sum).collect();
    assert_eq!(gpu.download::<i32>(to, 32), expected);
}

// ---- bulk and tensor copies ----

fn map(
    element: TensorElement,
    address: u64,
    lengths: &[u64],
    strides: &[u64],
    tile: &[u32],
    swizzle: Swizzle,
) -> TensorMap {
    TensorMap::new(&TensorLayout {
        element,
        address,
        lengths,
        strides,
        tile,
        element_strides: &vec![1; lengths.len()],
        swizzle,
        fill: Fill::Zero,
    })
    .unwrap()
}

#[test]
fn tiles_are_transposed_at_every_edge() {
    let module = module("tensor");
    for (rows, columns) in [(37usize, 101usize), (64, 96), (1, 77), (130, 3), (33, 31)] {
        let mut gpu = checking();
        let (pitch_in, pitch_out) = (columns.next_multiple_of(4), rows.next_multiple_of(4));
        let input: Vec<f32> = (0..rows * pitch_in).map(marked).collect();
        let from = gpu.upload("in", &input);
        let to = gpu.poisoned::<f32>("out", columns * pitch_out);
        let matrix = |address, rows: usize, columns: usize, pitch: usize| {
            let (lengths, strides) = ([columns as u64, rows as u64], [4 * pitch as u64]);
            let element = TensorElement::F32;
            map(
                element,
                address,
                &lengths,
                &strides,
                &[32, 32],
                Swizzle::Bytes128,
            )
        };
        let args = [
            matrix(from, rows, columns, pitch_in).into(),
            matrix(to, columns, rows, pitch_out).into(),
        ];
        let grid = [columns.div_ceil(32) as u32, rows.div_ceil(32) as u32, 1];
        let report = gpu.run(&module, "transpose_tiles", grid, [32, 8, 1], &args);
        let found = gpu.download::<u32>(to, columns * pitch_out);
        for at in 0..rows * columns {
            let (x, y) = (at / rows, at % rows);
            let (found, expected) = (found[x * pitch_out + y], input[y * pitch_in + x]);
            assert_eq!(found, expected.to_bits(), "{rows} x {columns}: {x} {y}");
        }
        // The copy engine's traffic is in no counter of the load-store unit.
        assert_eq!(report.counters.global_load_requests, 0);
        assert_eq!(report.counters.global_store_requests, 0);
        let tiles = u64::from(grid[0] * grid[1]);
        let bulk = report.sites.iter().filter(|site| site.path == Path::Bulk);
        let bytes: Vec<u64> = bulk.map(|site| site.bytes).collect();
        assert_eq!(bytes, [4096 * tiles; 4]);
    }
}

#[test]
fn a_warp_that_produces_keeps_the_others_busy() {
    let module = module("tensor");
    for (rows, columns, warps) in [(61usize, 101usize, 4), (8, 33, 2), (200, 7, 9)] {
        let mut gpu = checking();
        let pitch = columns.next_multiple_of(4);
        let mut random = Random(13);
        let input: Vec<f32> = (0..rows * pitch)
            .map(|_| random.below(1000) as f32)
            .collect();
        let from = gpu.upload("in", &input);
        let sums = gpu.upload("sums", &vec![0f32; columns]);
        let (lengths, strides) = ([columns as u64, rows as u64], [4 * pitch as u64]);
        let tensor = map(
            TensorElement::F32,
            from,
            &lengths,
            &strides,
            &[32, 8],
            Swizzle::None,
        );
        let args = [
            tensor.into(),
            sums.into(),
            (rows as i32).into(),
            (columns as i32).into(),
        ];
        gpu.run(
            &module,
            "specialised_warps",
            [2, 1, 1],
            [32 * warps, 1, 1],
            &args,
        );
        let expected: Vec<f32> = (0..columns)
            .map(|x| (0..rows).map(|y| input[y * pitch + x]).sum())
            .collect();
        assert_eq!(
            gpu.download::<f32>(sums, columns),
            expected,
            "{rows} x {columns}"
        );
    }
}

#[test]
fn bulk_copies_of_odd_lengths() {
    let module = module("tensor");
    let mut random = Random(14);
    for (bytes, chunk) in [
        (5000usize, 1008usize),
        (4096, 4096),
        (17, 4096),
        (15, 16),
        (3001, 160),
    ] {
        let mut gpu = checking();
        let input: Vec<u8> = (0..bytes).map(|_| random.next() as u8).collect();
        let from = gpu.upload("in", &input);
        let to = gpu.poisoned::<u8>("out", bytes);
        let args = [
            from.into(),
            to.into(),
            (bytes as i32).into(),
            (chunk as i32).into(),
        ];
        let grid = [bytes.div_ceil(chunk) as u32, 1, 1];
        let block = [96, 1, 1];
        gpu.run_shared(&module, "bulk_bytes", grid, block, chunk as u32, &args);
        let expected: Vec<u8> = input.iter().map(|byte| byte ^ 0x5a).collect();
        assert_eq!(
            gpu.download::<u8>(to, bytes),
            expected,
            "{bytes} by {chunk}"
        );
    }
}

#[test]
fn bulk_reductions_of_many_blocks_are_the_same_for_any_number_of_host_threads() {
    let module = module("tensor");
    let blocks = 37u32;
    for threads in [1, 2, 5] {
        let mut gpu = checking();
        gpu.options.threads = threads;
        let sums = gpu.upload("sums", &[7u32; 64]);
        let most = gpu.upload("most", &[-900i32; 64]);
        let args = [sums.into(), most.into()];
        let report = gpu.run(&module, "bulk_reduce", [blocks, 1, 1], [64, 1, 1], &args);
        // Nobody waits for the copies before the block ends.
        let remarks: Vec<String> = report.remarks.iter().map(|it| it.message()).collect();
        let of_end = |remark: &String| remark.starts_with("remark: the block ends before");
        assert!(
            !remarks.is_empty() && remarks.iter().all(of_end),
            "{remarks:?}"
        );
        let expected: Vec<u32> = (0..64u32)
            .map(|at| {
                let terms = (0..blocks).map(|block| block.wrapping_mul(1_000_003).wrapping_add(at));
                terms.fold(7, u32::wrapping_add)
            })
            .collect();
        assert_eq!(gpu.download::<u32>(sums, 64), expected);
        let expected: Vec<i32> = (0..64)
            .map(|at| {
                let values = (0..blocks as i32).map(|block| (block * 7919 + at * 104_729) % 2001);
                values.map(|value| value - 1000).max().unwrap().max(-900)
            })
            .collect();
        assert_eq!(gpu.download::<i32>(most, 64), expected);
    }
}

#[test]
fn a_volume_and_what_a_thread_knows_of_its_cluster() {
    let module = module("tensor");
    let mut gpu = checking();
    let (width, height, depth, pitch) = (21usize, 7usize, 6usize, 24usize);
    let mut random = Random(15);
    let input: Vec<u16> = (0..pitch * height * depth)
        .map(|_| random.next() as u16 | 1)
        .collect();
    let from = gpu.upload("in", &input);
    let ranks = gpu.poisoned::<u32>("ranks", 3);
    let strides = [2 * pitch as u64, (2 * pitch * height) as u64];
    let lengths = [width as u64, height as u64, depth as u64];
    let tensor = map(
        TensorElement::U16,
        from,
        &lengths,
        &strides,
        &[16, 3, 5],
        Swizzle::None,
    );
    for (x, y, z) in [(0, 0, 0), (8, 5, 3), (-8, -1, -2), (16, 2, 5)] {
        let to = gpu.poisoned::<u16>("out", 240);
        let args: [Arg; 6] = [
            tensor.into(),
            to.into(),
            ranks.into(),
            x.into(),
            y.into(),
            z.into(),
        ];
        gpu.run(&module, "volume", [1, 1, 1], [64, 1, 1], &args);
        let inside = |at: i32, length: usize| usize::try_from(at).ok().filter(|at| *at < length);
        let expected: Vec<u16> = (0..240)
            .map(|at| {
                let x = inside(x + at % 16, width);
                let y = inside(y + at / 16 % 3, height);
                let z = inside(z + at / 48, depth);
                match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => input[(z * height + y) * pitch + x],
                    _ => 0,
                }
            })
            .collect();
        assert_eq!(gpu.download::<u16>(to, 240), expected, "{x} {y} {z}");
        let second = u32::from(expected[2]) | u32::from(expected[3]) << 16;
        assert_eq!(gpu.download::<u32>(ranks, 3), [0, 1, second]);
    }
}

// ---- sites and traces ----

#[test]
fn a_copy_is_a_site_that_reads_and_one_that_writes() {
    let module = module("pipeline");
    let mut gpu = Gpu::unchecked();
    gpu.options.trace = Some(TraceRequest {
        max_blocks: 0,
        blocks: vec![[0, 0, 0]],
        warps: Some(vec![1]),
        max_accesses: 100,
        ..TraceRequest::default()
    });
    let input: Vec<f32> = (0..128).map(marked).collect();
    let from = gpu.upload("in", &input);
    let to = gpu.poisoned::<u32>("out", 128);
    let args = [from.into(), to.into()];
    let report = gpu.run(&module, "forgets_to_wait", [1, 1, 1], [128, 1, 1], &args);
    let [read, written] = [false, true].map(|is_store| {
        let mut sites = report.sites.iter().enumerate();
        let found = sites.find(|(_, site)| site.path == Path::Async && site.is_store == is_store);
        found.unwrap()
    });
    assert_eq!(
        (read.1.space, read.1.requests, read.1.sectors),
        (Space::Global, 4, 16)
    );
    assert_eq!((written.1.space, written.1.wavefronts), (Space::Shared, 4));
    let counters = report.counters;
    assert_eq!(
        (counters.async_copy_requests, counters.async_copy_sectors),
        (4, 16)
    );
    // As a load of global memory too (`h200/copies.csv`), but not as a store.
    assert_eq!(
        (counters.global_load_requests, counters.global_load_sectors),
        (4, 16)
    );
    assert_eq!(counters.global_load_instructions, 0);
    assert_eq!(counters.async_copy_wavefronts, 4);
    assert_eq!(counters.shared_store_wavefronts, 0);
    let accesses = &report.trace.unwrap().accesses;
    let of = |site: usize| accesses.iter().find(|access| access.site == site).unwrap();
    assert_eq!(of(read.0).addresses[3], Some(from + 4 * 35));
    assert_eq!(of(written.0).addresses[3], Some(4 * 35));
}

#[test]
fn copies_count_what_the_hardware_counts() {
    let record = include_str!("h200/ldgsts.csv");
    let mut compared = 0;
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| -> u32 { fields[at].parse().unwrap() };
        let offsets = |at: usize| -> [Option<u64>; 32] {
            let lanes: Vec<_> = fields[at]
                .split(' ')
                .map(|lane| lane.parse().ok())
                .collect();
            lanes.try_into().unwrap()
        };
        let counted = copy_counts(&offsets(8), &offsets(9), number(1), fields[2] == "cg");
        let measured = CopyCounts {
            sectors: number(5),
            // Not in this table; `h200.rs` compares it.
            load_sectors: counted.load_sectors,
            wavefronts: number(6),
            bank_conflicts: number(7),
        };
        assert_eq!(counted, measured, "{line}");
        assert_eq!((number(3), number(4)), (1, 1));
        compared += 1;
    }
    assert_eq!(compared, 48);
}

// ---- mistakes ----

/// Launches a kernel of 64 threads whose body is given; `%b` is the shared address of an mbarrier, `%t` that of
/// 256 bytes, `%g` a buffer of 256 bytes, `%first` holds in thread 0.
fn mistake(body: &str, arg: Option<Arg>) -> Report {
    launched(body, arg, false)
}

fn checked(body: &str) -> Report {
    launched(body, None, true)
}

fn kernel_of(body: &str) -> String {
    format!(
        ".version 8.6
        .target sm_90a
        .address_size 64
        .visible .entry kernel(.param .u64 global, .param .align 64 .b8 map[128]) {{
            .reg .pred %first, %done, %p<4>;
            .reg .b32 %b, %t, %r<4>;
            .reg .b64 %g, %s, %m, %rd<4>;
            .shared .align 128 .b8 tile[256];
            .shared .align 8 .b8 barrier[16];
            mov.u32 %r0, %tid.x;
            setp.eq.u32 %first, %r0, 0;
            mov.u32 %b, barrier;
            mov.u32 %t, tile;
            ld.param.u64 %g, [global];
            mov.b64 %m, map;
            cvta.param.u64 %m, %m;
            {body}
            ret;
        }}"
    )
}

fn launched(body: &str, arg: Option<Arg>, check: bool) -> Report {
    let ptx = kernel_of(body);
    let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::default();
    gpu.options.check = check;
    let words: Vec<u32> = (0..64).collect();
    let global = gpu.upload("data", &words);
    let arg = arg.unwrap_or(Arg(vec![0; 128]));
    gpu.launch(
        &module,
        "kernel",
        [1, 1, 1],
        [64, 1, 1],
        0,
        &[global.into(), arg],
    )
}

const INIT: &str = "@%first mbarrier.init.shared::cta.b64 [%b], 1; bar.sync 0;";
const LOAD: &str = "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t], [%g], 256, [%b];";
const WAIT: &str =
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %done, [%b], 0; @!%done bra AGAIN;";

fn only(report: &Report) -> (FindingKind, String) {
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    (report.findings[0].kind, report.findings[0].message())
}

#[test]
fn a_wait_that_never_ends_says_what_is_missing() {
    let expect =
        |bytes: u32| format!("@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], {bytes};");
    let good = mistake(&format!("{INIT} {} {LOAD} {WAIT}", expect(256)), None);
    assert_eq!(good.findings, []);

    let more = mistake(&format!("{INIT} {} {LOAD} {WAIT}", expect(320)), None);
    let (kind, message) = only(&more);
    assert_eq!(kind, FindingKind::Mbarrier);
    assert!(
        message.contains("`expect_tx` announced 64 bytes more than the copies bring"),
        "{message}"
    );
    let detail = &more.findings[0].detail;
    assert!(
        matches!(
            detail,
            Detail::Mbarrier {
                missing: 0,
                expected: 1,
                missing_bytes: 64,
                ..
            }
        ),
        "{detail:?}"
    );

    let fewer = mistake(&format!("{INIT} {} {LOAD} {WAIT}", expect(64)), None);
    let (_, message) = only(&fewer);
    assert!(
        message.contains("the copies bring 192 bytes more than `expect_tx` announced"),
        "{message}"
    );

    let nobody = mistake(&format!("{INIT} {WAIT}"), None);
    let (_, message) = only(&nobody);
    assert!(
        message.contains("a parity that is off by one phase"),
        "{message}"
    );
    assert!(
        message.contains("1 of its 1 arrivals is missing"),
        "{message}"
    );
}

#[test]
fn an_mbarrier_has_rules() {
    let (kind, message) = only(&mistake("mbarrier.arrive.shared.b64 %s, [%b];", None));
    assert_eq!(kind, FindingKind::InvalidAddress);
    assert!(
        message.contains("`mbarrier.init` comes before any use"),
        "{message}"
    );

    let twice = "@%first mbarrier.arrive.shared.b64 _, [%b], 2;";
    let (kind, message) = only(&mistake(&format!("{INIT} {twice}"), None));
    assert_eq!(kind, FindingKind::Mbarrier);
    assert!(message.contains("more threads arrive"), "{message}");

    let none = "@%first mbarrier.init.shared::cta.b64 [%b], 0;";
    let (_, message) = only(&mistake(none, None));
    assert!(message.contains("counts from 1"), "{message}");

    let crooked = "@%first mbarrier.init.shared::cta.b64 [%b+4], 1;";
    assert_eq!(only(&mistake(crooked, None)).0, FindingKind::Misaligned);
    let outside = "@%first mbarrier.init.shared::cta.b64 [%b+4096], 1;";
    assert_eq!(only(&mistake(outside, None)).0, FindingKind::OutOfBounds);
    let global = "@%first mbarrier.init.b64 [%g], 1;";
    assert_eq!(only(&mistake(global, None)).0, FindingKind::InvalidAddress);
    let generic =
        "mov.b64 %rd0, barrier; cvta.shared.u64 %rd1, %rd0; @%first mbarrier.init.b64 [%rd1], 1;";
    assert_eq!(mistake(generic, None).findings, []);
}

#[test]
fn copies_have_rules() {
    let cases = [
        (
            "cp.async.ca.shared.global [%t], [%g+2], 4;",
            FindingKind::Misaligned,
            "global load of 4 bytes",
        ),
        (
            "cp.async.cg.shared.global [%t+8], [%g], 16;",
            FindingKind::Misaligned,
            "shared store of 16 bytes",
        ),
        (
            "cp.async.cg.shared.global [%t], [%g+256], 16;",
            FindingKind::OutOfBounds,
            "just past the end of `data`",
        ),
        (
            "cp.async.cg.shared.global [%t+1024], [%g], 16;",
            FindingKind::OutOfBounds,
            "past the end of `tile`",
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%g], [%t], 40;",
            FindingKind::Misaligned,
            "multiples of 16",
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%g+8], [%t], 32;",
            FindingKind::Misaligned,
            "multiples of 16",
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%g+16], [%t], 256;",
            FindingKind::OutOfBounds,
            "across the end",
        ),
    ];
    for (body, expected, words) in cases {
        let (kind, message) = only(&mistake(&format!("@%first {body}"), None));
        assert_eq!(kind, expected, "{body}: {message}");
        assert!(message.contains(words), "{body}: {message}");
    }
}

#[test]
fn tensor_copies_have_rules() {
    let tensor = map(
        TensorElement::U32,
        0x7000_0000_0000,
        &[8, 8],
        &[32],
        &[8, 8],
        Swizzle::None,
    );
    let load = |at: &str, target: &str| {
        format!(
            "{INIT} @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 256;
            @%first cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{target}], [%m, {at}], [%b]; {WAIT}"
        )
    };
    assert_eq!(
        mistake(&load("{0, -3}", "%t"), Some(tensor.into())).findings,
        []
    );

    let (kind, message) = only(&mistake(&load("{2, 0}", "%t"), Some(tensor.into())));
    assert_eq!(kind, FindingKind::Misaligned);
    assert!(message.contains("innermost coordinate"), "{message}");

    let (kind, message) = only(&mistake(&load("{0, 0}", "%t+16"), Some(tensor.into())));
    assert_eq!(kind, FindingKind::Misaligned);
    assert!(message.contains("multiples of 128"), "{message}");

    let longer = map(
        TensorElement::U32,
        0x7000_0000_0000,
        &[8, 9],
        &[32],
        &[8, 8],
        Swizzle::None,
    );
    let (kind, message) = only(&mistake(&load("{0, 4}", "%t"), Some(longer.into())));
    assert_eq!(kind, FindingKind::OutOfBounds);
    assert!(message.contains("just past the end of `data`"), "{message}");

    let store =
        "@%first cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {-4, 0}], [%t];";
    let (kind, message) = only(&mistake(store, Some(tensor.into())));
    assert_eq!(kind, FindingKind::OutOfBounds);
    assert!(message.contains("negative"), "{message}");

    // The wait is in vain, too: the copy was never started.
    for bytes in [
        vec![0; 128],
        vec![0xff; 128],
        tensor.encode().iter().rev().copied().collect(),
    ] {
        let report = mistake(&load("{0, 0}", "%t"), Some(Arg(bytes)));
        let kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
        assert!(kinds.contains(&FindingKind::InvalidAddress), "{kinds:?}");
        let no_map = report
            .findings
            .iter()
            .any(|finding| finding.message().contains("no tensor map"));
        assert!(no_map);
    }
}

/// Warp 1 hands a tile back, or does not, before warp 0 has it overwritten.
fn refilled(hands_back: bool) -> Report {
    let handing = if hands_back {
        "mbarrier.arrive.shared::cta.b64 _, [%b+8];"
    } else {
        ""
    };
    let waiting = if hands_back {
        "EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %done, [%b+8], 0; @!%done bra EMPTY;"
    } else {
        ""
    };
    let copy = |from: &str| {
        format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 128;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t], [{from}], 128, [%b];"
        )
    };
    let (first, second) = (copy("%g"), copy("%g+128"));
    checked(&format!(
        "@%first mbarrier.init.shared::cta.b64 [%b], 1; @%first mbarrier.init.shared::cta.b64 [%b+8], 32;
        bar.sync 0;
        setp.ge.u32 %p0, %r0, 32; @%p0 bra CONSUMER;
        @!%first bra END;
        {first}
        {waiting}
        {second}
        bra END;
        CONSUMER:
        FULL: mbarrier.try_wait.parity.shared::cta.b64 %done, [%b], 0; @!%done bra FULL;
        and.b32 %r1, %r0, 31; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %t;
        ld.shared.u32 %r2, [%r1];
        {handing}
        AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %done, [%b], 1; @!%done bra AGAIN;
        ld.shared.u32 %r2, [%r1];
        END:"
    ))
}

#[test]
fn a_tile_is_not_overwritten_while_it_is_read() {
    assert_eq!(refilled(true).findings, []);
    let report = refilled(false);
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    // With the copy that starts while it is read, and with the one that has not come when it is read.
    assert_eq!(kinds, [FindingKind::Race, FindingKind::Race]);
}

#[test]
fn a_buffer_is_not_refilled_while_it_is_read() {
    // The copy that is waited for behind a barrier may have been done before it.
    let body = |barrier: &str| {
        format!(
            "shl.b32 %r1, %r0, 2; add.u32 %r2, %r1, %t; cvt.u64.u32 %rd0, %r1; add.u64 %rd1, %rd0, %g;
            cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all; bar.sync 0;
            xor.b32 %r1, %r1, 128; add.u32 %r1, %r1, %t; ld.shared.u32 %r3, [%r1];
            {barrier}
            xor.b64 %rd0, %rd0, 4; add.u64 %rd1, %rd0, %g;
            cp.async.ca.shared.global [%r2], [%rd1], 4; bar.sync 0; cp.async.wait_all;"
        )
    };
    assert_eq!(checked(&body("bar.sync 0;")).findings, []);
    let report = checked(&body(""));
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Race]);
}

#[test]
fn an_endless_queue_of_copies_stays_small() {
    let body = "mov.u32 %r1, 0;
        LOOP: cp.async.ca.shared.global [%t], [%g], 4;
        cp.async.commit_group;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 20000; @%p0 bra LOOP;
        cp.async.wait_group 3;";
    assert_eq!(mistake(body, None).findings, []);
}

/// As the PTX ISA writes them, one of each kind of operand and modifier.
const FORMS: &str = "
    cp.async.ca.shared.global [%t], [%g], 4;
    cp.async.ca.shared::cta.global.L2::256B [%t+8], [%g+8], 8, %r0;
    cp.async.cg.shared.global.L2::cache_hint [%t], [%g], 16, %rd0;
    cp.async.cg.shared.global.L2::cache_hint.L2::64B [%t], [%g], 16, 8, %rd0;
    cp.async.ca.shared.global [%t], [%g], 16, %p0;
    cp.async.ca.shared.global [tile], [%g], 16, !%p0;
    cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_all;
    cp.async.mbarrier.arrive.b64 [%rd1]; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%b];
    cp.async.mbarrier.arrive.noinc.shared.b64 [barrier+8];
    mbarrier.init.b64 [%rd1], 5; mbarrier.init.shared.b64 [%b], %r0; mbarrier.inval.shared::cta.b64 [%b];
    mbarrier.expect_tx.b64 [%rd1], 16; mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%b], %r0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%b], 16;
    mbarrier.arrive.b64 %rd2, [%rd1]; mbarrier.arrive.shared.b64 %rd2, [%b], 2; mbarrier.arrive.noComplete.b64 %rd2, [%rd1], 1;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b]; mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd2, [%b], %r0;
    mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%b], 64; mbarrier.arrive.expect_tx.b64 %rd2, [%rd1], %r0;
    mbarrier.arrive_drop.b64 %rd2, [%rd1]; mbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd2, [%b], 32;
    mbarrier.arrive_drop.noComplete.release.cta.shared.b64 %rd2, [%b], 3; mbarrier.arrive_drop.shared::cluster.b64 _, [%b];
    mbarrier.test_wait.b64 %p1, [%rd1], %rd2; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [%b], %r0;
    mbarrier.try_wait.shared.b64 %p1, [%b], %rd2, 1000; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%b], 1;
    mbarrier.try_wait.parity.relaxed.cluster.b64 %p1, [%rd1], 0, %r0;
    mbarrier.pending_count.b64 %r1, %rd2;
    createpolicy.fractional.L2::evict_first.b64 %rd0, 1.0; createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd0;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%t], [%g], %r0, [%b], %rd0;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%t], [%g+16], 32, [%b], %h0, %rd0;
    cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%g], [%t], 32, %rd0;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%g], [%t], 32;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f64 [%g], [%t], 32, %rd0;
    cp.async.bulk.prefetch.L2.global [%g], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;
    cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%t], [%m, {%r0}], [%b];
    cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%t+128], [%m+0, {%r0, 1, %r1, -3, 4}], [%b+8], %h0, %rd0;
    cp.async.bulk.tensor.4d.global.shared::cta.bulk_group.L2::cache_hint [%m, {%r0, %r0, %r0, %r0}], [%t], %rd0;
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group [%m, {%r0, %r1}], [%t];
    cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%m, {%r0, %r1, %r0}];
    prefetch.tensormap [%m]; prefetch.param.tensormap [map];
    fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta; fence.proxy.alias; fence.mbarrier_init.release.cluster;
    fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%m], 128;
    barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
    mapa.u64 %rd2, %rd1, %r0; mapa.shared::cluster.u32 %r1, barrier, 0; getctarank.shared::cluster.u32 %r1, %b; getctarank.u64 %r1, %rd1;
    isspacep.shared::cluster %p1, %rd1; cvta.shared::cluster.u64 %rd2, %rd1; cvta.to.shared::cluster.u64 %rd2, %rd1;
    ld.shared::cluster.u32 %r1, [%t]; st.shared::cluster.u32 [%t], %r1; atom.shared::cluster.add.u32 %r1, [%t], 1;
    mov.u32 %r1, %cluster_ctarank; mov.u32 %r1, %cluster_nctarank; mov.u32 %r1, %clusterid.y; mov.u32 %r1, %nclusterid.x;
    mov.u32 %r1, %cluster_ctaid.z; mov.u32 %r1, %cluster_nctaid.x; mov.pred %p1, %is_explicit_cluster;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%t], {%r0, %r1, %r0, %r1}, [%b]; st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%t+8], %rd0, [%b];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%t], %r0, [%b]; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%t], %rd0, [%b];
    griddepcontrol.launch_dependents; griddepcontrol.wait; setmaxnreg.dec.sync.aligned.u32 40; nanosleep.u32 20;
";

#[test]
fn every_documented_form_is_taken() {
    // No thread comes to them.
    let report = mistake(&format!(".reg .b16 %h<2>; bra END; {FORMS} END:"), None);
    assert_eq!(report.findings, []);
    for refused in [
        "cp.async.cg.shared.global [%t], [%g], 8;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%t], [%m, {%r0}], [%b];",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%t], [%m, {%r0, %r0, %r0}], [%b], {%h0};",
        "cp.async.wait_group %r0;",
        "mbarrier.arrive.expect_tx.shared.b64 %rd2, [%b];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.f32 [%g], [%t], 32;",
    ] {
        let text = kernel_of(&format!(".reg .b16 %h<2>; {refused}"));
        let taken = Module::load(&text).and_then(|module| module.entry("kernel").map(drop));
        assert!(taken.is_err(), "{refused}");
    }
}
