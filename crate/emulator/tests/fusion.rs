//! Products and sums that the assembler makes one instruction: the emulator makes the same ones one. `fusion/record.py`
//! writes the fixtures; what ends a basic block of the assembler, and what uses a product, is tried here case by case.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use common::{Gpu, Random, fixture};
use cornerturn_emulator::{Arg, Counters, Module};

const FIXTURES: [(&str, u32); 9] = [
    ("f32", 32),
    ("f32_signs", 32),
    ("f32_modifiers", 32),
    ("f32_flushed", 32),
    ("f64", 64),
    ("f16", 10),
    ("f16x2", 10),
    ("bf16", 7),
    ("bf16x2", 7),
];
const THREADS: usize = 96;
const INPUTS: usize = 6;
const OUTPUTS: usize = 16;

/// Inputs of either sign around 1, of 8 bytes at most: in 16 bits by their mantissa's width.
fn inputs(width: u32) -> Vec<u64> {
    let mut random = Random(u64::from(width));
    let mut half = |mantissa: u32| {
        let bias = (1 << (14 - mantissa)) - 1;
        let exponent = bias - 2 + random.below(5);
        (random.next() & 1) << 15 | exponent << mantissa | random.below(1 << mantissa)
    };
    let mut number = |width: u32| match width {
        64 => {
            let upper = half(7) << 48;
            upper | Random(upper ^ half(7)).next() >> 16
        }
        32 => half(7) << 16 | half(7),
        _ => (0..4).fold(0, |word, _| word << 16 | half(width)),
    };
    (0..THREADS * INPUTS).map(|_| number(width)).collect()
}

/// What a kernel stores, and what it counts.
fn run(module: &Module, entry: &str, width: u32) -> (Vec<u32>, [u64; 9]) {
    let mut gpu = Gpu::default();
    let words: Vec<u32> = match width {
        32 => inputs(32).iter().map(|word| *word as u32).collect(),
        _ => (inputs(width).iter())
            .flat_map(|word| [*word as u32, (*word >> 32) as u32])
            .collect(),
    };
    let out = gpu.poisoned::<u32>("out", THREADS * OUTPUTS * 2);
    let args = [Arg::from(gpu.upload("in", &words)), Arg::from(out)];
    let report = gpu.run(module, entry, [1; 3], [THREADS as u32, 1, 1], &args);
    let stored = gpu.download(out, THREADS * OUTPUTS * 2);
    (stored, arithmetic(&report.counters))
}

fn arithmetic(counted: &Counters) -> [u64; 9] {
    let c = counted;
    [
        c.fadd, c.fmul, c.ffma, c.dadd, c.dmul, c.dfma, c.hadd, c.hmul, c.hfma,
    ]
}

fn programs(text: &str) -> Vec<String> {
    let names = text.split(".entry ").skip(1);
    let names = names.filter_map(|rest| rest.split_once("_written(").map(|(name, _)| name));
    names.map(str::to_string).collect()
}

#[test]
fn random_programs_compute_and_count_what_the_machine_code_does() {
    for (name, width) in FIXTURES {
        let text = fixture(&format!("fusion/{name}.ptx"));
        let module = Module::load(&text).unwrap();
        let as_written = Module::load_as_written(&text).unwrap();
        let (mut found, mut differ) = (0, 0);
        for program in programs(&text) {
            let expected = run(&module, &format!("{program}_assembled"), width);
            let written = format!("{program}_written");
            let computed = run(&module, &written, width);
            assert_eq!(computed.1, expected.1, "counted: {name}, {program}");
            assert!(computed.0 == expected.0, "computed: {name}, {program}");
            differ += usize::from(run(&as_written, &written, width).0 != expected.0);
            found += 1;
        }
        assert!(
            found >= 30 && differ > found / 8,
            "{name}: {differ} of {found}"
        );
    }
}

#[test]
fn an_assembler_at_hand_still_makes_the_same() {
    let (Ok(assembler), Ok(disassembler)) = (
        std::env::var("CORNERTURN_PTXAS"),
        std::env::var("CORNERTURN_NVDISASM"),
    ) else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, _) in FIXTURES {
        let path = format!("{}/tests/fusion/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
        let code = folder.join(format!("{name}.cubin"));
        let mut command = Command::new(&assembler);
        command.args(["-arch=sm_90", "-O3", &path, "-o"]).arg(&code);
        assert!(command.status().unwrap().success());
        let printed = Command::new(&disassembler).arg("-c").arg(&code).output();
        let kernels = opcodes(&String::from_utf8(printed.unwrap().stdout).unwrap());
        for program in programs(&fixture(&format!("fusion/{name}.ptx"))) {
            let [written, assembled] =
                ["written", "assembled"].map(|kind| &kernels[&format!("{program}_{kind}")]);
            assert_eq!(written, assembled, "{name}, {program}");
        }
    }
}

/// How many products of each kind the kernels have. Of halves machine code has one kind for another, and of sums some that
/// only turn a sign.
fn opcodes(printed: &str) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let mut kernels: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    let mut current = String::new();
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix(".text.") {
            current = name.trim_end_matches(':').to_string();
        }
        // A product whose sign is turned may be one from which nothing is taken.
        let is_turned = line.contains(", -RZ ;");
        for (kind, counted) in [
            ("FMUL", "FMUL"),
            ("DMUL", "DMUL"),
            ("FFMA", if is_turned { "FMUL" } else { "FFMA" }),
            ("DFMA", if is_turned { "DMUL" } else { "DFMA" }),
        ] {
            if line.contains(&format!(" {kind}")) {
                let kernel = kernels.entry(current.clone()).or_default();
                *kernel.entry(counted).or_default() += 1;
            }
        }
        kernels.entry(current.clone()).or_default();
    }
    kernels
}

/// A kernel of these lines; `%f1` to `%f4` are inputs, `%p1` holds in every third thread. It stores `%f8` and `%f9`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6
        .target sm_90
        .address_size 64
        .const .align 4 .f32 numbers[4] = {{1.0, 2.5, 3.0, 4.0}};
        .visible .entry kern(.param .u64 in, .param .u64 out) {{
            .reg .pred %p<4>;
            .reg .b32 %r<9>;
            .reg .f32 %f<20>;
            .reg .f64 %d<4>;
            .reg .b64 %in, %out, %x<4>;
            .shared .align 8 .b8 place[1024];
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %r1, %tid.x;
            mad.wide.u32 %in, %r1, 24, %in; mad.wide.u32 %out, %r1, 64, %out;
            ld.global.f32 %f1, [%in]; ld.global.f32 %f2, [%in+4];
            ld.global.f32 %f3, [%in+8]; ld.global.f32 %f4, [%in+12];
            rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0;
            mov.u32 %r3, place; mad.lo.u32 %r3, %r1, 8, %r3;
            st.shared.f32 [%r3], %f4; cvt.f64.f32 %d1, %f1; cvt.u64.u32 %x1, %r1; add.u64 %x1, %x1, 1;
            mov.u32 %r4, 0; mov.u64 %x2, 0; mov.f64 %d2, %d1;
            mov.f32 %f8, 0f40400000; mov.f32 %f9, 0f40A00000;
            {body}
            st.global.f32 [%out], %f8; st.global.f32 [%out+4], %f9; st.global.b32 [%out+8], %r4;
            st.global.b64 [%out+16], %x2; st.global.f64 [%out+24], %d2;
            ret;
        }}"
    )
}

/// Sums, products and both in one of a kernel of these lines, for each thread; the results are those of `rounded`.
fn counts(body: &str) -> [u64; 3] {
    let module = Module::load(&kernel(body)).unwrap_or_else(|error| panic!("{error}: {body}"));
    let (_, counted) = run(&module, "kern", 32);
    let each = THREADS as u64;
    [0, 1, 2].map(|kind| counted[kind] / each)
}

#[test]
fn a_basic_block_of_the_assembler_ends_where_it_branches() {
    let joined = [
        "bar.sync 0;",
        "fence.proxy.async;",
        "@%p1 add.u32 %r4, %r1, 1;",
        "@%p1 mov.f32 %f3, %f4;",
        "@%p1 max.f32 %f3, %f3, %f4;",
        "@%p1 setp.lt.f32 %p2, %f3, %f4;",
        "div.u32 %r4, %r1, %r2;",
        "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;",
        "vote.sync.any.pred %p2, %p1, -1;",
        "atom.shared.add.u32 %r4, [%r3], 1;",
        "ld.volatile.shared.u32 %r4, [%r3];",
        "lg2.approx.f32 %f3, %f3;",
        "bra next; next:",
        "{ .reg .f32 %f5; mov.f32 %f5, %f1; }",
    ];
    let apart = [
        "membar.gl;",
        "fence.acq_rel.cta;",
        "@%p1 ld.shared.f32 %f3, [%r3];",
        "@%p1 st.shared.f32 [%r3], %f3;",
        "@%p1 shfl.sync.bfly.b32 %r4, %r1, 0, 31, -1;",
        "@%p1 atom.shared.add.u32 %r4, [%r3], 1;",
        "div.s32 %r4, %r1, 7;",
        "rem.u64 %x2, %x1, %x1;",
        "div.rn.f64 %d2, %d1, %d1;",
        "rsqrt.approx.f64 %d2, %d1;",
        "@%p1 bra next; mov.f32 %f3, %f4; next:",
        "again: sub.u32 %r2, %r2, 1; setp.eq.u32 %p2, %r2, 0; @%p2 bra again;",
    ];
    for (between, expected) in (joined.iter().map(|between| (between, [0, 0, 1])))
        .chain(apart.iter().map(|between| (between, [1, 1, 0])))
    {
        let body = format!("mul.f32 %f7, %f1, %f2; {between} add.f32 %f8, %f7, %f3;");
        let [sums, products, fused] = counts(&body);
        // A quotient in double precision has one of its own.
        let own = u64::from(between.contains("div.rn.f64"));
        assert_eq!([sums, products, fused - own], expected, "{between}");
    }
}

#[test]
fn a_product_is_fused_where_all_its_uses_are_sums() {
    for (body, expected) in [
        (
            "mul.f32 %f7, %f1, %f2; add.f32 %f8, %f7, %f3; sub.f32 %f9, %f4, %f7;",
            [0, 0, 2],
        ),
        ("mul.f32 %f9, %f1, %f2; add.f32 %f8, %f9, %f3;", [1, 1, 0]),
        ("mul.f32 %f7, %f1, %f2; add.f32 %f8, %f7, %f7;", [1, 1, 0]),
        (
            "mul.f32 %f7, %f1, %f2; add.f32 %f8, %f7, %f3; abs.f32 %f9, %f7;",
            [1, 1, 0],
        ),
        (
            "mul.f32 %f7, %f1, %f2; add.rn.f32 %f8, %f7, %f3; add.f32 %f9, %f7, %f4;",
            [2, 1, 0],
        ),
        (
            "mul.f32 %f7, %f1, %f2; mov.b32 %r5, %f7; mov.b32 %f6, %r5; neg.f32 %f5, %f6; sub.f32 %f8, %f3, %f5;",
            [0, 0, 1],
        ),
        // With 1 and -1 no product is left.
        (
            "mul.f32 %f7, %f1, 0fBF800000; mul.f32 %f6, %f1, %f2; sub.f32 %f8, %f7, %f6;",
            [0, 1, 1],
        ),
        // Half of the lanes keep the product.
        (
            "mul.f32 %f8, %f1, %f2; @%p1 add.f32 %f8, %f8, %f3; @!%p1 add.f32 %f9, %f1, %f3;",
            [1, 1, 0],
        ),
        // A guarded product is a choice.
        (
            "mov.f32 %f7, %f3; @%p1 mul.f32 %f7, %f1, %f2; add.f32 %f8, %f7, %f3;",
            [1, 0, 0],
        ),
        // The factors are there no more.
        (
            "mul.f32 %f1, %f1, %f2; mov.f32 %f2, %f4; add.f32 %f8, %f1, %f2; add.f32 %f9, %f2, %f3;",
            [1, 0, 1],
        ),
        // Once around a loop.
        (
            "mov.u32 %r4, 0; mov.f32 %f7, %f3;
             again: add.f32 %f8, %f7, %f8; mul.f32 %f7, %f8, %f1;
             add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra again;",
            [7, 7, 0],
        ),
        (
            "mov.u32 %r4, 0;
             again: mul.f32 %f7, %f1, %f2; add.f32 %f8, %f8, %f7;
             add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra again;",
            [0, 0, 7],
        ),
        // Its value is that of the last round, too.
        (
            "mov.u32 %r4, 0;
             again: mul.f32 %f7, %f8, %f2; add.f32 %f8, %f3, %f7;
             add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra again; mov.f32 %f9, %f7;",
            [7, 7, 0],
        ),
        // A quotient ends with a product: it comes before the other one.
        (
            "div.full.f32 %f7, %f1, %f2; mul.f32 %f6, %f1, %f2; add.f32 %f8, %f7, %f6;",
            [1, 2, 0],
        ),
        (
            "mul.f32 %f7, %f1, %f2; div.full.f32 %f6, %f1, %f2; sub.f32 %f8, %f7, %f6;",
            [0, 1, 1],
        ),
    ] {
        assert_eq!(counts(body), expected, "{body}");
    }
}

/// Beside the block that it is in, a product with a constant factor is fused in all others.
#[test]
fn a_product_with_a_constant_factor_is_fused_across_blocks() {
    for (factor, is_constant) in [
        ("0f3FC00000", true),
        ("%f10", true),
        ("%f11", true),
        ("%f12", true),
        ("%f2", false),
        ("%f1", false),
    ] {
        let loads =
            "ld.param.f32 %f10, [in+4]; neg.f32 %f11, %f10; ld.const.f32 %f12, [numbers+4];";
        let both = format!(
            "{loads} mul.f32 %f7, %f1, {factor}; add.f32 %f8, %f7, %f3; membar.gl; sub.f32 %f9, %f4, %f7;"
        );
        let expected = if is_constant { [0, 0, 2] } else { [2, 1, 0] };
        assert_eq!(counts(&both), expected, "{factor}");
        let kept = format!("{both} abs.f32 %f9, %f7;");
        assert_eq!(counts(&kept)[1..], [1, 0], "{factor}, used otherwise");
    }
    let round_a_loop = "mul.f32 %f7, %f1, 0f3FC00000; mov.u32 %r4, 0;
        again: add.f32 %f8, %f8, %f7; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra again;";
    assert_eq!(counts(round_a_loop), [0, 0, 7]);
}

#[test]
fn what_is_fused_has_the_right_signs_and_factors() {
    for (written, fused) in [
        (
            "mul.f32 %f7, %f1, %f2; sub.f32 %f8, %f7, %f3;",
            "neg.f32 %f3, %f3; fma.rn.f32 %f8, %f1, %f2, %f3;",
        ),
        (
            "mul.f32 %f7, %f1, %f2; sub.f32 %f8, %f3, %f7;",
            "neg.f32 %f1, %f1; fma.rn.f32 %f8, %f1, %f2, %f3;",
        ),
        (
            "mul.f32 %f7, %f1, 0f40490FDB; sub.f32 %f8, %f3, %f7; @%p1 sub.f32 %f9, %f7, %f4;",
            "fma.rn.f32 %f8, %f1, 0fC0490FDB, %f3; neg.f32 %f4, %f4; @%p1 fma.rn.f32 %f9, %f1, 0f40490FDB, %f4;",
        ),
        (
            "mul.f32 %f1, %f1, %f2; mov.f32 %f2, %f4; sub.f32 %f8, %f2, %f1; add.f32 %f9, %f1, %f3;",
            "neg.f32 %f5, %f1; fma.rn.f32 %f8, %f5, %f2, %f4; fma.rn.f32 %f9, %f1, %f2, %f3;",
        ),
    ] {
        let [written, fused] = [written, fused].map(|body| {
            let module = Module::load(&kernel(body)).unwrap();
            run(&module, "kern", 32)
        });
        assert!(written == fused);
    }
}
