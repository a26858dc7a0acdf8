//! Memory of device code: what `malloc` gave is used within its bounds and before `free`; `%s` gets text.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{FindingKind, Module};

/// What `malloc(40)` gives is in `%rd1`.
fn found(body: &str) -> Vec<(FindingKind, String)> {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 1 .b8 format[6] = {{37, 115, 32, 37, 100, 0}};\n\
         .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .visible .entry k(.param .u64 out) {{ .reg .b32 %r<4>; .reg .b64 %rd<6>; .local .align 8 .b8 args[16];\n\
         {{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %rd1, [r]; }}\n\
         {body}\n ret; }}"
    );
    let module = Module::load(&text).unwrap();
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<u32>("out", 1);
    let report = gpu.launch(&module, "k", [1, 1, 1], [2, 1, 1], 0, &[out.into()]);
    report
        .findings
        .iter()
        .map(|found| (found.kind, found.message()))
        .collect()
}

const FREE: &str = "{ .param .b64 p; st.param.b64 [p], %rd1; call free, (p); }";

#[test]
fn the_heap_is_used_within_what_was_asked_for() {
    for (body, kind, told) in [
        (
            "st.global.u32 [%rd1+40], 1;",
            FindingKind::OutOfBounds,
            "byte 40 of the 40 that `malloc` gave",
        ),
        (
            "st.u64 [%rd1+40], 1;",
            FindingKind::OutOfBounds,
            "byte 40 of the 40",
        ),
        (
            "atom.global.add.u32 %r1, [%rd1+44], 1;",
            FindingKind::OutOfBounds,
            "byte 44 of the 40",
        ),
        (
            "ld.global.u32 %r1, [%rd1+4096]; st.global.u32 [%rd1], %r1;",
            FindingKind::OutOfBounds,
            "of the 40 that `malloc` gave",
        ),
        (
            "FREE st.global.u32 [%rd1+4], 1;",
            FindingKind::InvalidAddress,
            "lies in memory that `free` has been given",
        ),
        ("FREE FREE", FindingKind::InvalidAddress, "freed already"),
    ] {
        let found = found(&body.replace("FREE", FREE));
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert_eq!(found[0].0, kind, "{body}");
        assert!(found[0].1.contains(told), "{body}: {}", found[0].1);
        assert!(found[0].1.contains("PTX line"), "{}", found[0].1);
    }
    let right = format!("st.global.u64 [%rd1+32], 1; ld.global.u32 %r1, [%rd1+36]; {FREE}");
    assert_eq!(found(&right), []);
}

/// The heap's 8 MiB are handed out again once they have been used up.
#[test]
fn what_is_freed_serves_again() {
    let body = "mov.u32 %r1, 0; AGAIN: { .param .b64 n; .param .b64 r; st.param.b64 [n], 1000000; call (r), malloc, (n);
        ld.param.b64 %rd1, [r]; } st.global.u32 [%rd1], 5; FREE add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 100; @%p bra AGAIN;";
    let body = format!(".reg .pred %p; {}", body.replace("FREE", FREE));
    assert_eq!(found(&body), []);
}

#[test]
fn a_number_is_no_text_to_print() {
    let print = "mov.u64 %rd2, args; st.local.u64 [%rd2], WHAT; st.local.u32 [%rd2+8], 7;
        cvta.local.u64 %rd3, %rd2; mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
        { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd4; st.param.b64 [a], %rd3;
          call (r), vprintf, (f, a); }";
    let wrong = found(&print.replace("WHAT", "42"));
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].1.contains("`%s` at 0x2a"), "{}", wrong[0].1);
    assert_eq!(found(&print.replace("WHAT", "0")), []);
    assert_eq!(
        found(
            &print
                .replace("WHAT", "%rd4")
                .replace("mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;", "")
                .replace(
                    "mov.u64 %rd2, args;",
                    "mov.u64 %rd2, args; mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;"
                )
        ),
        []
    );
}
