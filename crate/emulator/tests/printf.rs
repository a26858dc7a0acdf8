//! What `printf` is given against what its format takes: a remark that names the conversion, in PTX as NVRTC 13.0 writes it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{FindingKind, Module};

/// The remarks of one thread that prints a format with what `stores` puts into the list of arguments at `%rd2`.
fn remarks(format: &str, stores: &str) -> Vec<String> {
    let bytes: Vec<String> = format
        .bytes()
        .chain([0])
        .map(|byte| byte.to_string())
        .collect();
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .align 1 .b8 text[{}] = {{{}}};\n\
         .visible .entry k() {{\n\
         .local .align 8 .b8 list[64]; .reg .b64 %SP, %rd<8>; .reg .b32 %r<4>; .reg .f64 %fd<3>;\n\
         mov.u64 %rd2, list; cvta.local.u64 %rd1, %rd2; mov.u64 %rd4, text; cvta.global.u64 %rd5, %rd4;\n\
         mov.u32 %r1, 7; mov.u64 %rd3, 4615063718147915776; mov.f64 %fd1, 0d400C000000000000;\n\
         {stores}\n\
         {{ .param .b64 p0; st.param.b64 [p0], %rd5; .param .b64 p1; st.param.b64 [p1], %rd1; .param .b32 r0;\n\
         call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r2, [r0]; }}\n\
         ret;\n}}\n",
        bytes.len(),
        bytes.join(",")
    );
    let module = Module::load(&text).unwrap();
    let mut gpu = Gpu::default();
    gpu.options.check = true;
    let report = gpu.launch(&module, "k", [1; 3], [1; 3], 0, &[]);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert!(
        report
            .remarks
            .iter()
            .all(|remark| remark.kind == FindingKind::Printf)
    );
    let message = |remark: &cornerturn_emulator::Finding| {
        let message = remark.message();
        message.split(", in `k`").next().unwrap().to_string()
    };
    report.remarks.iter().map(message).collect()
}

#[test]
fn a_conversion_that_does_not_fit_its_argument_is_named() {
    let passes = |conversion: &str, takes: &str, passed: &str| {
        vec![format!(
            "remark: `{conversion}` of `printf` takes {takes}, and is passed {passed}"
        )]
    };
    let (int, long) = ("an integer of 32 bits", "an integer of 64 bits");
    let double = "a double (as which a float is passed)";
    let wide = "64 bits: a double (as which a float is passed), a pointer or a long integer";
    for (format, stores, expected) in [
        (
            "%d\n",
            "st.local.f64 [%rd2], %fd1;",
            passes("%d", int, double),
        ),
        // A constant, as NVRTC passes it.
        (
            "%d\n",
            "st.local.u64 [%rd2], %rd3;",
            passes("%d", int, wide),
        ),
        (
            "%f\n",
            "st.local.u32 [%rd2], %r1;",
            passes("%f", "a double", int),
        ),
        (
            "%lld\n",
            "st.local.u32 [%rd2], %r1;",
            passes("%lld", long, int),
        ),
        (
            "%5ld\n",
            "st.local.f64 [%rd2], %fd1;",
            passes("%lld", long, double),
        ),
        (
            "%d %d\n",
            "st.local.u32 [%rd2], %r1;",
            passes("%d", int, "no argument"),
        ),
        ("%c%d\n", "st.local.v2.u32 [%rd2], {%r1, %r1};", vec![]),
        (
            "%d %f %hd\n",
            "st.local.u32 [%rd2], %r1; st.local.f64 [%rd2+8], %fd1; st.local.u32 [%rd2+16], %r1;",
            vec![],
        ),
        (
            "%p %zu %g\n",
            "st.local.v2.u64 [%rd2], {%rd1, %rd3}; st.local.u64 [%rd2+16], %rd3;",
            vec![],
        ),
        // What is passed for `%d` takes the place of what comes after: only the first is told.
        (
            "%d %f\n",
            "st.local.f64 [%rd2], %fd1; st.local.u32 [%rd2+8], %r1;",
            passes("%d", int, double),
        ),
        ("%*d\n", "st.local.v2.u32 [%rd2], {%r1, %r1};", vec![]),
    ] {
        assert_eq!(remarks(format, stores), expected, "{format:?} {stores}");
    }
}
