//! Reads of which a part has never been written: they may be stored again, but not used. The mistakes in CUDA C++ are in `fail/padding.cu`.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{FindingKind, Module, Options};

/// What is found where shared memory holds a byte at 0 and a word at 4; `%rd1` is the output.
fn found(body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{ .reg .b16 %rs<3>; .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p<2>;\n\
         .shared .align 16 .b8 s[32];\n\
         ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n\
         mov.u32 %r5, 97; st.shared.u8 [s], %r5; st.shared.u32 [s+4], %r5;\n\
         {body}\n ret; }}"
    );
    let module = Module::load(&text).unwrap();
    let mut gpu = Gpu {
        options: Options {
            check: true,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let out = gpu.poisoned::<u32>("out", 8);
    let report = gpu.launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &[out.into()]);
    let findings = report.findings.iter();
    findings
        .inspect(|found| assert_eq!(found.kind, FindingKind::Uninitialized))
        .map(|found| found.message())
        .collect()
}

#[test]
fn what_is_only_moved_is_no_mistake() {
    for body in [
        "ld.shared.u64 %rd2, [s]; st.global.u64 [%rd1], %rd2;",
        "ld.shared.v2.u32 {%r1, %r2}, [s]; st.global.v2.u32 [%rd1], {%r1, %r2};",
        "ld.shared.v2.u32 {%r1, %r2}, [s]; mov.b64 %rd2, {%r1, %r2}; st.global.u64 [%rd1], %rd2;",
        "ld.shared.u64 %rd2, [s]; mov.b64 {%r1, %r2}, %rd2; st.global.u32 [%rd1], %r1;",
        // The member behind the hole, and the one before it.
        "ld.shared.u64 %rd2, [s]; mov.b64 {%r1, %r2}, %rd2; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2;",
        "ld.shared.u64 %rd2, [s]; shr.u64 %rd3, %rd2, 32; cvt.u32.u64 %r1, %rd3; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;",
        "ld.shared.u64 %rd2, [s]; and.b64 %rd3, %rd2, 255; add.u64 %rd4, %rd3, 1; st.global.u64 [%rd1], %rd4;",
        "ld.shared.u32 %r1, [s]; cvt.u16.u32 %rs1, %r1; st.global.u16 [%rd1], %rs1;",
        // Through a branch that does not depend on it, and around a loop.
        "ld.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r5, 3; selp.b32 %r2, %r1, %r5, %p1; st.global.u32 [%rd1], %r2;",
        "mov.u32 %r2, 0; A: ld.shared.u32 %r1, [s]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra A; st.global.u32 [%rd1], %r1;",
        // Byte by byte, as what has no alignment is copied.
        "ld.shared.u8 %rs1, [s+1]; st.global.u8 [%rd1+1], %rs1;",
        // To shared memory, where it counts as written.
        "ld.shared.u64 %rd2, [s]; st.shared.u64 [s+8], %rd2; ld.shared.u64 %rd3, [s+8]; add.u64 %rd3, %rd3, 1; st.global.u64 [%rd1], %rd3;",
    ] {
        assert_eq!(found(body), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn what_is_used_is_one() {
    let partly = "reads 3 bytes that no thread of the block has written, used at PTX line";
    for (body, told) in [
        (
            "ld.shared.u64 %rd2, [s]; add.u64 %rd3, %rd2, 1; st.global.u64 [%rd1], %rd3;",
            partly,
        ),
        (
            "ld.shared.u64 %rd2, [s]; mov.b64 {%r1, %r2}, %rd2; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;",
            partly,
        ),
        (
            "ld.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 3; selp.b32 %r2, 1, 2, %p1; st.global.u32 [%rd1], %r2;",
            partly,
        ),
        (
            "ld.shared.u64 %rd2, [s]; shr.u64 %rd3, %rd2, 16; cvt.u32.u64 %r1, %rd3; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;",
            "reads 2 bytes that",
        ),
        (
            "ld.shared.u64 %rd2, [s]; and.b64 %rd3, %rd2, 768; add.u64 %rd4, %rd3, 1; st.global.u64 [%rd1], %rd4;",
            "reads 1 byte that",
        ),
        // As an address.
        (
            "ld.shared.u32 %r1, [s]; cvt.u64.u32 %rd2, %r1; mul.lo.u64 %rd2, %rd2, 0; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r5;",
            partly,
        ),
        (
            "ld.shared.u8 %rs1, [s+1]; add.u16 %rs2, %rs1, 1; st.global.u8 [%rd1], %rs2;",
            "reads what no thread of the block has written",
        ),
        // Nothing at all is there, or nothing beside it.
        (
            "ld.shared.u32 %r1, [s+8]; st.global.u32 [%rd1], %r1;",
            "reads what no thread of the block has written",
        ),
        (
            "ld.shared.u8 %rs1, [s+9]; st.global.u8 [%rd1], %rs1;",
            "reads what no thread of the block has written",
        ),
    ] {
        let found = found(body);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert!(found[0].contains(told), "{body}: {found:?}");
    }
}
