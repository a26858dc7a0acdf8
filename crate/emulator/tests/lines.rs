//! The lines of CUDA C++ that findings, sites and barriers name, with functions inlined and without.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{Inlining, Module, Options, Report, SourceLine};

const FILES: &str = ".file 1 \"/home/me/k.cu\"\n.file 2 \"/usr/local/cuda/include/atomics.hpp\"\n\
                     .file 3 \"/usr/local/cuda/include/cg.h\"\n";

/// Runs one warp, with checks. `%rd1` is a buffer of 32 ints, `%rd2` the address of the thread's own.
fn run(body: &str) -> Report {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n\
         .shared .align 4 .b8 low[256]; .shared .align 4 .b8 high[256];\n\
         .loc 1 2 1\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n\
         add.u64 %rd2, %rd1, %rd2; setp.lt.u32 %p1, %r1, 16;\n{body}\nret; }}\n{FILES}"
    );
    let module = Module::load(&text).unwrap();
    let options = Options {
        check: true,
        ..Options::default()
    };
    let mut gpu = Gpu {
        options,
        ..Gpu::default()
    };
    let out = gpu.upload("out", &[0u32; 32]);
    gpu.launch(&module, "k", [1, 1, 1], [32, 1, 1], 0, &[out.into()])
}

fn line(file: &str, line: u32) -> SourceLine {
    let file = file.to_string();
    SourceLine { file, line }
}

#[test]
fn an_inlined_function_of_a_header_is_at_the_line_of_its_call() {
    let report = run(
        ".loc 1 7 3\n.loc 3 100 5, function_name $L0, inlined_at 1 7 3\n\
         .loc 2 107 9, function_name $L0+12, inlined_at 3 100 5\nred.global.add.u32 [%rd2+128], 1;",
    );
    let finding = &report.findings[0];
    assert_eq!(finding.source, Some(line("/home/me/k.cu", 7)));
    let header = line("/usr/local/cuda/include/atomics.hpp", 107);
    assert_eq!(finding.inlining, Some(Inlining::From(header)));
    let message = finding.message();
    let told = "at /home/me/k.cu:7 (inlined from atomics.hpp:107), block";
    assert!(message.contains(told), "{message}");
    assert_eq!(report.sites[0].source, finding.source);
}

#[test]
fn an_inlined_function_of_the_kernels_file_is_at_its_own_line() {
    let report =
        run(".loc 1 4 3, function_name $L0, inlined_at 1 9 1\nst.global.u32 [%rd2+128], 1;");
    let finding = &report.findings[0];
    assert_eq!(finding.source, Some(line("/home/me/k.cu", 4)));
    assert_eq!(
        finding.inlining,
        Some(Inlining::Into(line("/home/me/k.cu", 9)))
    );
    let message = finding.message();
    assert!(
        message.contains("k.cu:4 (inlined into k.cu:9)"),
        "{message}"
    );
}

/// The lanes of a branch come to one call of the header, the others to another.
#[test]
fn two_calls_of_one_header_are_two_places() {
    let report = run("@!%p1 bra OTHER;\n\
         .loc 2 50 1, function_name $L0, inlined_at 1 11 1\nmov.u32 %r2, 0xffffffff; bar.warp.sync %r2; bra.uni END;\n\
         OTHER:\n.loc 2 50 1, function_name $L0, inlined_at 1 13 1\nmov.u32 %r2, 0xff000000; bar.warp.sync %r2;\nEND:");
    let mut lines: Vec<u32> = (report.findings.iter())
        .map(|finding| finding.source.as_ref().unwrap().line)
        .collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines, [11, 13]);
}

/// `shfl.sync` three times in one line, as of an unrolled loop, each with other lanes that are not there.
#[test]
fn an_unrolled_line_is_one_finding() {
    let step = |offset: u32| format!("shfl.sync.down.b32 %r3, %r1, {offset}, 31, 0x0000ffff;\n");
    let body = format!(
        "@!%p1 bra END;\n.loc 1 20 1\n{}{}{}END:",
        step(8),
        step(4),
        step(2)
    );
    let report = run(&body);
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    let finding = &report.findings[0];
    assert_eq!(finding.kind.name(), "mask");
    assert!(finding.count == 3, "{}", finding.message());
}

#[test]
fn one_lane_and_one_byte_are_told_in_the_singular() {
    let body = "@!%p1 bra END;\n.loc 1 30 1\nshfl.sync.down.b32 %r3, %r1, 1, 31, 0x0000ffff;\n\
                ld.global.u8 %r4, [%rd1+128];\nEND:";
    let messages: Vec<String> = (run(body).findings.iter())
        .map(cornerturn_emulator::Finding::message)
        .collect();
    let all = messages.join("\n");
    assert!(all.contains("values of lane 16, which its mask"), "{all}");
    assert!(all.contains("global load of 1 byte at"), "{all}");
}
