//! The counters of arithmetic: instruction by instruction, under predicates, in branches, loops and calls.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture};
use cornerturn_emulator::counters::Arithmetic;
use cornerturn_emulator::{Arg, Counters, Module, Options, Report};

const BLOCKS: u32 = 5;
const THREADS: u32 = 77;
const ALL: u64 = (BLOCKS * THREADS) as u64;

/// A kernel of these lines, with registers of all kinds that hold numbers, `%p1` in every third thread and the thread's
/// number in `%r1`.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 8.0
        .target sm_90
        .address_size 64
        .visible .entry kern(.param .u64 out) {{
            .reg .pred %p<4>;
            .reg .b16 %h<9>;
            .reg .b32 %r<9>;
            .reg .f32 %f<9>;
            .reg .f64 %d<9>;
            .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [out];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd2, %rd1, %rd2;
            mov.b32 %r2, 3;
            rem.u32 %r3, %r1, %r2;
            setp.eq.u32 %p1, %r3, 0;
            mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 0f40200000; mov.f32 %f3, 0f3F200000;
            mov.f64 %d1, 0d3FF8000000000000; mov.f64 %d2, 0d4004000000000000; mov.f64 %d3, 0d3FE4000000000000;
            mov.b16 %h1, 0x3e00; mov.b16 %h2, 0x4100; mov.b16 %h3, 0x3900;
            mov.b32 %r4, 0x3e004100; mov.b32 %r5, 0x41003900; mov.b32 %r6, 0x39003e00;
            {body}
            ret;
        }}"
    );
    Module::load(&text).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn run(body: &str) -> Counters {
    report(body, &Options::default()).counters
}

fn report(body: &str, options: &Options) -> Report {
    let mut gpu = Gpu {
        options: options.clone(),
        ..Gpu::default()
    };
    let out = gpu.poisoned::<u32>("out", THREADS as usize);
    gpu.run(
        &kernel(body),
        "kern",
        [BLOCKS, 1, 1],
        [THREADS, 1, 1],
        &[Arg::from(out)],
    )
}

/// Only the counters of arithmetic.
fn arithmetic(counters: &Counters) -> Counters {
    Counters {
        fadd: counters.fadd,
        fmul: counters.fmul,
        ffma: counters.ffma,
        dadd: counters.dadd,
        dmul: counters.dmul,
        dfma: counters.dfma,
        hadd: counters.hadd,
        hmul: counters.hmul,
        hfma: counters.hfma,
        tensor_f16_f16: counters.tensor_f16_f16,
        tensor_f16_f32: counters.tensor_f16_f32,
        tensor_bf16_f32: counters.tensor_bf16_f32,
        tensor_tf32_f32: counters.tensor_tf32_f32,
        tensor_f64: counters.tensor_f64,
        tensor_int8: counters.tensor_int8,
        half_flops: counters.half_flops,
        ..Counters::default()
    }
}

/// What so many threads count, from `ffma 5, fmul 1`.
fn expected(threads: u64, each: &str) -> Counters {
    let mut sums = Counters::default();
    for part in each.split(", ").filter(|part| !part.is_empty()) {
        let (name, count) = part.split_once(' ').unwrap();
        let (_, ncu) = Counters::NAMES
            .iter()
            .find(|(field, _)| *field == name)
            .unwrap();
        sums.set(ncu, threads * count.parse::<u64>().unwrap());
    }
    sums
}

/// Instructions with their operands, and what `ptxas` 13.0 makes of each for sm_90 and ordinary operands, as counters.
/// Sums and products of halves are given as the PTX has them: the assembler makes some an HFMA2.
const SINGLES: &[(&str, &str)] = &[
    ("add.f32 %f4, %f1, %f2", "fadd 1"),
    ("sub.rn.ftz.f32 %f4, %f1, %f2", "fadd 1"),
    ("add.rz.sat.f32 %f4, %f1, %f2", "fadd 1"),
    ("mul.f32 %f4, %f1, %f2", "fmul 1"),
    ("mul.rm.ftz.f32 %f4, %f1, %f2", "fmul 1"),
    ("fma.rn.f32 %f4, %f1, %f2, %f3", "ffma 1"),
    ("mad.rp.ftz.f32 %f4, %f1, %f2, %f3", "ffma 1"),
    ("div.rn.f32 %f4, %f1, %f2", "ffma 5"),
    ("div.rn.ftz.f32 %f4, %f1, %f2", "ffma 5"),
    ("div.full.f32 %f4, %f1, %f2", "fmul 1"),
    ("div.full.ftz.f32 %f4, %f1, %f2", "fmul 1"),
    ("div.approx.f32 %f4, %f1, %f2", "fmul 1"),
    ("rcp.rn.f32 %f4, %f1", "fadd 1, ffma 2"),
    ("rcp.approx.f32 %f4, %f1", "fmul 2"),
    ("rcp.approx.ftz.f32 %f4, %f1", ""),
    ("sqrt.rn.f32 %f4, %f1", "fmul 2, ffma 2"),
    ("sqrt.rz.f32 %f4, %f1", "fadd 2, fmul 2, ffma 4"),
    ("sqrt.approx.f32 %f4, %f1", ""),
    ("rsqrt.approx.f32 %f4, %f1", ""),
    ("sin.approx.f32 %f4, %f1", "fmul 1"),
    ("cos.approx.ftz.f32 %f4, %f1", "fmul 1"),
    ("lg2.approx.f32 %f4, %f1", ""),
    ("ex2.approx.ftz.f32 %f4, %f1", ""),
    ("tanh.approx.f32 %f4, %f1", ""),
    ("neg.f32 %f4, %f1", ""),
    ("abs.ftz.f32 %f4, %f1", ""),
    ("min.f32 %f4, %f1, %f2", ""),
    ("max.f32 %f4, %f1, %f2", ""),
    ("setp.gt.f32 %p2, %f1, %f2", ""),
    ("set.gt.f32.f32 %f4, %f1, %f2", ""),
    ("selp.f32 %f4, %f1, %f2, %p1", ""),
    ("add.f64 %d4, %d1, %d2", "dadd 1"),
    ("sub.rm.f64 %d4, %d1, %d2", "dadd 1"),
    ("mul.f64 %d4, %d1, %d2", "dmul 1"),
    ("fma.rn.f64 %d4, %d1, %d2, %d3", "dfma 1"),
    ("div.rn.f64 %d4, %d1, %d2", "dfma 7, dmul 1, ffma 1"),
    ("rcp.rn.f64 %d4, %d1", "dfma 5"),
    ("sqrt.rn.f64 %d4, %d1", "dfma 5, dmul 3"),
    ("rsqrt.approx.f64 %d4, %d1", "dfma 3, dmul 2"),
    ("rsqrt.approx.ftz.f64 %d4, %d1", ""),
    ("min.f64 %d4, %d1, %d2", ""),
    ("neg.f64 %d4, %d1", ""),
    ("add.f16 %h4, %h1, %h2", "hadd 1, half_flops 1"),
    ("sub.f16 %h4, %h1, %h2", "hadd 1, half_flops 1"),
    ("mul.ftz.f16 %h4, %h1, %h2", "hmul 1, half_flops 1"),
    ("fma.rn.f16 %h4, %h1, %h2, %h3", "hfma 1, half_flops 2"),
    ("add.f16x2 %r7, %r4, %r5", "hadd 1, half_flops 2"),
    ("sub.sat.f16x2 %r7, %r4, %r5", "hadd 1, half_flops 2"),
    ("mul.f16x2 %r7, %r4, %r5", "hmul 1, half_flops 2"),
    ("fma.rn.f16x2 %r7, %r4, %r5, %r6", "hfma 1, half_flops 4"),
    (
        "fma.rn.relu.bf16x2 %r7, %r4, %r5, %r6",
        "hfma 1, half_flops 4",
    ),
    ("add.bf16 %h4, %h1, %h2", "hadd 1, half_flops 1"),
    ("fma.rn.bf16 %h4, %h1, %h2, %h3", "hfma 1, half_flops 2"),
    ("mul.bf16x2 %r7, %r4, %r5", "hmul 1, half_flops 2"),
    ("neg.f16x2 %r7, %r4", ""),
    ("max.bf16x2 %r7, %r4, %r5", ""),
    ("cvt.f32.f16 %f4, %h1", "hadd 1"),
    ("cvt.rn.f16.f32 %h4, %f1", ""),
    ("cvt.sat.f32.f32 %f4, %f1", "fadd 1"),
    ("cvt.ftz.f32.f32 %f4, %f1", "fadd 1"),
    ("cvt.rni.ftz.f32.f32 %f4, %f1", ""),
    ("cvt.f64.f32 %d4, %f1", ""),
    ("cvt.rn.f32.s32 %f4, %r1", ""),
    ("cvt.rzi.s32.f32 %r7, %f1", ""),
    ("div.u32 %r7, %r1, %r4", ""),
    ("mad.lo.s32 %r7, %r1, %r4, %r5", ""),
];

#[test]
fn each_instruction_counts_what_its_machine_code_does() {
    for (instruction, each) in SINGLES {
        let counters = run(&format!("{instruction};"));
        assert_eq!(arithmetic(&counters), expected(ALL, each), "{instruction}");
        let opcode = instruction.split(' ').next().unwrap();
        let found = Arithmetic::of(opcode).unwrap_or_default().counters();
        assert_eq!(found, expected(1, each), "{opcode}");
    }
}

/// `%tid.x` below 77 that are a multiple of 3.
const THIRDS: u64 = 26;

#[test]
fn a_predicate_counts_the_lanes_that_it_lets_through() {
    let counters = run("@%p1 fma.rn.f32 %f4, %f1, %f2, %f3;
        @!%p1 add.f64 %d4, %d1, %d2;
        @!%p1 add.f64 %d4, %d4, %d2;
        @%p1 mul.f16x2 %r7, %r4, %r5;
        mul.f32 %f4, %f4, %f1;");
    let (thirds, others) = (u64::from(BLOCKS) * THIRDS, ALL - u64::from(BLOCKS) * THIRDS);
    let wanted = Counters {
        ffma: thirds,
        dadd: 2 * others,
        hmul: thirds,
        half_flops: 2 * thirds,
        fmul: ALL,
        ..Counters::default()
    };
    assert_eq!(arithmetic(&counters), wanted);
    // What a guard keeps from acting is issued all the same.
    let bare = run("");
    let more = counters.ptx_thread_instructions - bare.ptx_thread_instructions;
    assert_eq!(more, 5 * ALL);
}

#[test]
fn a_predicate_that_is_false_everywhere_counts_nothing() {
    let counters = run("setp.lt.u32 %p2, %r1, 0; @%p2 fma.rn.f64 %d4, %d1, %d2, %d3;");
    assert_eq!(arithmetic(&counters), Counters::default());
}

#[test]
fn lanes_that_part_count_on_their_own_sides() {
    let counters = run("@%p1 bra THIRD;
        add.f32 %f4, %f1, %f2;
        add.f32 %f4, %f4, %f2;
        bra JOIN;
        THIRD:
        mul.f64 %d4, %d1, %d2;
        JOIN:
        fma.rn.f32 %f5, %f1, %f2, %f3;");
    let thirds = u64::from(BLOCKS) * THIRDS;
    let wanted = Counters {
        fadd: 2 * (ALL - thirds),
        dmul: thirds,
        ffma: ALL,
        ..Counters::default()
    };
    assert_eq!(arithmetic(&counters), wanted);
}

#[test]
fn a_loop_counts_as_often_as_each_lane_goes_through_it() {
    // Thread t goes through it t % 3 + 1 times.
    let counters = run("AGAIN:
        fma.rn.f32 %f1, %f1, %f2, %f3;
        setp.eq.u32 %p2, %r3, 0;
        @!%p2 sub.f32 %f1, %f1, %f2;
        sub.u32 %r3, %r3, 1;
        @!%p2 bra AGAIN;");
    let rounds: u64 = (0..u64::from(THREADS)).map(|thread| thread % 3 + 1).sum();
    let each = u64::from(BLOCKS);
    assert_eq!(counters.ffma, each * rounds);
    assert_eq!(counters.fadd, each * (rounds - u64::from(THREADS)));
}

#[test]
fn threads_that_have_exited_count_no_more() {
    let counters = run("@%p1 exit; add.f32 %f4, %f1, %f2;");
    assert_eq!(counters.fadd, ALL - u64::from(BLOCKS) * THIRDS);
}

/// The function calls itself, so that it is not inlined.
#[test]
fn called_functions_count_too() {
    let text = ".version 8.0
        .target sm_75
        .address_size 64
        .func (.param .b32 sum) steps(.param .b32 left) {
            .reg .pred %p<2>;
            .reg .b32 %r<4>;
            .reg .f32 %f<3>;
            ld.param.b32 %r1, [left];
            mov.f32 %f1, 0f3F800000;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bra END;
            add.f32 %f1, %f1, 0f40000000;
            sub.u32 %r2, %r1, 1;
            {
                .param .b32 p;
                .param .b32 r;
                st.param.b32 [p], %r2;
                call (r), steps, (p);
                ld.param.b32 %r3, [r];
            }
            END:
            st.param.f32 [sum], %f1;
            ret;
        }
        .visible .entry kern() {
            .reg .b32 %r<4>;
            mov.u32 %r1, %tid.x;
            and.b32 %r1, %r1, 3;
            {
                .param .b32 p;
                .param .b32 r;
                st.param.b32 [p], %r1;
                call (r), steps, (p);
                ld.param.b32 %r3, [r];
            }
            ret;
        }";
    let module = Module::load(text).unwrap();
    let report = Gpu::default().run(&module, "kern", [3, 1, 1], [45, 1, 1], &[]);
    let each: u64 = (0..45).map(|thread| thread % 4).sum();
    assert_eq!(report.counters.fadd, 3 * each);
}

#[test]
fn the_counts_are_the_same_on_any_number_of_host_threads_and_with_checks() {
    let body =
        "@%p1 mul.f32 %f4, %f1, %f2; fma.rn.f64 %d4, %d1, %d2, %d3; st.global.u32 [%rd2], %r1;";
    let mut found = Vec::new();
    for (threads, check) in [(1, false), (2, false), (3, false), (1, true)] {
        let options = Options {
            threads,
            check,
            ..Options::default()
        };
        let mut gpu = Gpu {
            options,
            ..Gpu::default()
        };
        let out = gpu.poisoned::<u32>("out", THREADS as usize);
        let args = [Arg::from(out)];
        // Blocks that write the same are a race, which is not what is asked here.
        let launched = gpu.launch(&kernel(body), "kern", [1, 1, 1], [THREADS, 1, 1], 0, &args);
        found.push(arithmetic(&launched.counters));
    }
    assert!(found[0].fmul == THIRDS && found[0].dfma == u64::from(THREADS));
    assert!(found.iter().all(|counters| *counters == found[0]));
}

/// An `mma` or `wmma.mma`: how many registers of which files each operand takes, the counter, and its operations.
type Product = (
    &'static str,
    [usize; 4],
    [&'static str; 4],
    &'static str,
    u64,
);

const PRODUCTS: &[Product] = &[
    (
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        [4, 4, 2, 4],
        ["f", "r", "r", "f"],
        "tensor_f16_f32",
        4096,
    ),
    (
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
        [2, 2, 1, 2],
        ["r", "r", "r", "r"],
        "tensor_f16_f16",
        2048,
    ),
    (
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        [4, 4, 2, 4],
        ["f", "r", "r", "f"],
        "tensor_bf16_f32",
        4096,
    ),
    (
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
        [4, 2, 1, 4],
        ["f", "r", "r", "f"],
        "tensor_tf32_f32",
        1024,
    ),
    (
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        [2, 1, 1, 2],
        ["d", "d", "d", "d"],
        "tensor_f64",
        512,
    ),
    (
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32",
        [4, 4, 2, 4],
        ["r", "r", "r", "r"],
        "tensor_int8",
        8192,
    ),
    (
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
        [8, 8, 8, 8],
        ["f", "r", "r", "f"],
        "tensor_f16_f32",
        8192,
    ),
    (
        "wmma.mma.sync.aligned.col.row.m32n8k16.f16.f16",
        [4, 8, 8, 4],
        ["r", "r", "r", "r"],
        "tensor_f16_f16",
        8192,
    ),
];

#[test]
fn products_of_warps_count_two_operations_for_each_product() {
    for (opcode, counts, files, counter, ops) in PRODUCTS {
        let operands: Vec<String> = (counts.iter().zip(files))
            .map(|(count, file)| {
                let registers: Vec<String> =
                    (1..=*count).map(|at| format!("%{file}{at}")).collect();
                format!("{{{}}}", registers.join(", "))
            })
            .collect();
        // 77 threads are no whole warps.
        let module = kernel(&format!("{opcode} {};", operands.join(", ")));
        let mut gpu = Gpu::default();
        let out = gpu.poisoned::<u32>("out", 96);
        let report = gpu.launch(&module, "kern", [3, 1, 1], [96, 1, 1], 0, &[Arg::from(out)]);
        let wanted = expected(9 * ops, &format!("{counter} 1"));
        assert_eq!(arithmetic(&report.counters), wanted, "{opcode}");
    }
}

#[test]
fn operations_by_type_and_for_each_byte() {
    let counters = run("ld.global.f32 %f1, [%rd2];
        fma.rn.f32 %f4, %f1, %f2, %f3;
        add.f32 %f4, %f4, %f1;
        mul.f64 %d4, %d1, %d2;
        fma.rn.f16x2 %r7, %r4, %r5, %r6;
        cvt.f32.f16 %f5, %h1;
        st.global.f32 [%rd2], %f4;");
    let flops = counters.flops();
    assert_eq!(
        (flops.single, flops.double, flops.half),
        (3 * ALL, ALL, 4 * ALL)
    );
    assert_eq!(flops.total(), 8 * ALL);
    // 77 floats are 10 sectors, read and written.
    assert_eq!(
        counters.global_sector_bytes(),
        u64::from(BLOCKS) * 2 * 10 * 32
    );
    let intensity = counters.arithmetic_intensity().unwrap();
    assert_eq!(intensity, (8 * 77) as f64 / 640.0);
    assert_eq!(run("add.f32 %f4, %f1, %f2;").arithmetic_intensity(), None);
}

#[test]
fn a_run_that_was_stopped_counts_nothing() {
    let options = Options::default();
    let gpu = Gpu {
        options,
        ..Gpu::default()
    };
    let module = kernel("add.f32 %f4, %f1, %f2; trap;");
    let report = gpu.launch(
        &module,
        "kern",
        [2, 1, 1],
        [32, 1, 1],
        0,
        &[Arg::from(0u64)],
    );
    assert!(report.stopped);
    assert_eq!(report.counters, Counters::default());
}

#[test]
fn opcodes_that_are_none_count_nothing() {
    for opcode in [
        "",
        ".",
        "add",
        "mma.m99999999n1k1.f32",
        "mma.mnk.f16",
        "fma..",
        "cvt",
        "cvt.f32",
    ] {
        assert_eq!(Arithmetic::of(opcode), None, "{opcode}");
    }
}

/// Where the machine code computes something else than the PTX, and what: kernel, counters.
const OTHERWISE: &[(&str, &[&str])] = &[
    // Constants are loaded in the pipe for halves: `HFMA2.MMA R5, -RZ, RZ, 1.9375, 0`.
    ("mix", &["hfma"]),
    ("product", &["hfma"]),
    ("shuffles", &["hfma"]),
    ("wholes", &["hfma"]),
    // And of two sums, of which a predicate chooses one, only that is computed.
    ("lanes", &["fadd", "hfma"]),
    // A quotient by a constant and the sum that takes it become one.
    ("roots", &["fadd", "ffma"]),
    // What saturates is part of the product and sum before it; a branch becomes a predicate.
    ("powers", &["fadd", "ffma", "hfma"]),
    // Of a tile only one element of each lane is used, and half of the products are left out.
    ("wmma_f16", &["tensor_f16_f32"]),
];

/// `h200/arithmetic.csv` has what ncu counted of each kernel of `h200/arithmetic.cu`.
#[test]
fn arithmetic_is_what_the_profiler_counted() {
    let module = Module::load(&fixture("h200/arithmetic.ptx")).unwrap();
    let table = fixture("h200/arithmetic.csv");
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').skip(1).collect();
    let (mut compared, mut differing) = (0, Vec::new());
    for line in lines {
        let (kernel, counts) = line.split_once(',').unwrap();
        let mut gpu = Gpu::default();
        let x: Vec<f32> = (0..65536).map(|i| 1.0 + (i % 7) as f32 / 4.0).collect();
        let args = [Arg::from(gpu.upload("x", &x)), 700_u32.into()];
        let counters = gpu
            .launch(&module, kernel, [3, 1, 1], [256, 1, 1], 0, &args)
            .counters;
        for (&name, measured) in names.iter().zip(counts.split(',')) {
            let (_, ncu) = Counters::NAMES.iter().find(|(of, _)| *of == name).unwrap();
            compared += 1;
            if counters.get(ncu) != measured.parse().ok() {
                differing.push((kernel, name));
            }
        }
    }
    let known = |(kernel, name): &(&str, &str)| {
        let mut of_kernel = OTHERWISE.iter().filter(|(id, _)| id == kernel);
        of_kernel.any(|(_, names)| names.contains(name))
    };
    let expected: usize = OTHERWISE.iter().map(|(_, names)| names.len()).sum();
    let unexplained: Vec<_> = differing.iter().filter(|it| !known(it)).collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
    assert_eq!(differing.len(), expected, "{differing:?}");
    assert_eq!(compared, 20 * 15);
}
