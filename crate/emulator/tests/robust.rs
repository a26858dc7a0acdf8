//! No text makes the parser panic, hang or take the machine's memory, and no kernel that loads makes the interpreter do so.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::LazyLock;

use common::{Gpu, fixture};
use cornerturn_emulator::{Arg, FindingKind, Launch, Module, Options, launch};
use proptest::prelude::*;

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    [
        "pass/transpose.ptx",
        "pass/reduce.ptx",
        "pass/control.ptx",
        "fail/mistakes.ptx",
    ]
    .map(fixture)
    .to_vec()
});

/// Loads a text and, if that works, runs all its entries a little.
fn exercise(text: &str) {
    let Ok(module) = Module::load(text) else {
        return;
    };
    let options = Options {
        instruction_budget: 3000,
        launch_budget: 30_000,
        check: true,
        ..Options::default()
    };
    let mut gpu = Gpu {
        options,
        ..Gpu::default()
    };
    let buffer = gpu.upload("buffer", &[1u32; 256]);
    for entry in module.entries().iter().take(20) {
        let args: Vec<Arg> = entry
            .params()
            .iter()
            .map(|param| {
                Arg(buffer
                    .to_le_bytes()
                    .into_iter()
                    .cycle()
                    .take(param.bytes)
                    .collect())
            })
            .collect();
        let job = Launch {
            entry: entry.name(),
            grid: [2, 1, 1],
            block: [40, 2, 1],
            dynamic_shared_bytes: 64,
            args: &args,
        };
        if let Ok(report) = launch(&module, &gpu.memory, &job, &gpu.options) {
            report
                .findings
                .iter()
                .for_each(|finding| assert!(!finding.message().is_empty()));
        }
    }
}

/// A part of a text that starts and ends at character boundaries.
fn cut(text: &str, from: usize, to: usize) -> &str {
    let bound = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    &text[bound(from.min(text.len()))..bound(to.min(text.len()))]
}

/// Words that make changed PTX mean something else rather than nothing.
const WORDS: [&str; 48] = [
    ";",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    "@",
    "!",
    "|",
    "-",
    "0",
    "4294967295",
    "0x8000000000000000",
    "0f7F800000",
    "%r1",
    "%rd1",
    "%p1",
    "%f1",
    "_",
    "%tid.x",
    "%clock",
    "bra $L__BB0_2;",
    "ret;",
    "exit;",
    "trap;",
    "bar.sync 0;",
    "@%p1 ret;",
    "ld.global.u32 %r1, [%rd1];",
    "st.shared.v4.u32 [%r1], {%r1, %r1, %r1, %r1};",
    "atom.global.add.u32 %r1, [%rd1], %r1;",
    "shfl.sync.idx.b32 %r1|%p1, %r1, %r2, 31, -1;",
    "add.s64 %rd1, %rd1, %rd1;",
    "cvt.u16.u64 %rs1, %rd1;",
    "div.s32 %r1, %r1, %r2;",
    "mov.b64 {%r1, %r2}, %rd1;",
    ".reg .b32 %r<9>;",
    "$L__BB0_2:",
    "bar.red.popc.u32 %r1, 0, %p1;",
    "arr[2]",
    "mov.u64 %rd1, arr[%r1+1];",
    "ld.shared.u32 %r1, arr[%r2];",
    "mov.u32 %r1, (1<<4)|WARP_SZ*2;",
    "?1:2",
    "(.u64)",
    ".5",
    "ld.volatile.global.u32 %r1, [%rd1];",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in ".{0,300}") {
        exercise(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Module::load_bytes(&bytes);
    }

    #[test]
    fn any_body(body in proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 0..60)) {
        let body = body.join(" ");
        exercise(&format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) {{ .reg .pred %p<3>; \
             .reg .b16 %rs<3>; .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %rd<9>; .shared .b32 arr[4]; \
             $L__BB0_2: {body} }}"
        ));
    }

    #[test]
    fn instructions_in_any_order(lines in proptest::collection::vec((0usize..4, 0usize..2500), 0..40)) {
        let mut body = String::new();
        for (text, line) in lines {
            let line = TEXTS[text].lines().nth(line).unwrap_or("");
            if line.trim_end().ends_with(';') && !line.contains(".param") && !line.contains(".reg") {
                body.push_str(line);
                body.push('\n');
            }
        }
        exercise(&format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) {{ .reg .pred %p<300>; \
             .reg .b16 %rs<300>; .reg .b32 %r<900>; .reg .f32 %f<900>; .reg .b64 %rd<900>; .reg .f64 %fd<300>;\n\
             .local .b8 __local_depot0[64]; .reg .b64 %SP; .reg .b64 %SPL;\n{body}\n}}"
        ));
    }

    #[test]
    fn truncated(text in 0usize..4, at in 0usize..60_000) {
        exercise(cut(&TEXTS[text], 0, at));
    }

    #[test]
    fn with_a_part_replaced(
        text in 0usize..4, at in 0usize..50_000, length in 0usize..40, word in proptest::sample::select(WORDS.to_vec()),
    ) {
        let text = &TEXTS[text];
        exercise(&format!("{}{word}{}", cut(text, 0, at), cut(text, at.saturating_add(length), text.len())));
    }

    #[test]
    fn with_a_digit_changed(text in 0usize..4, at in 0usize..50_000, digit in 0u8..10) {
        let mut bytes = TEXTS[text].clone().into_bytes();
        let length = bytes.len();
        if let Some(place) = bytes[at % length..].iter().position(u8::is_ascii_digit) {
            bytes[at % length + place] = b'0' + digit;
        }
        exercise(&String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn every_truncation_of_a_small_file() {
    let text = &TEXTS[3];
    for at in (0..text.len()).step_by(97) {
        exercise(cut(text, 0, at));
    }
}

#[test]
fn deep_control_flow() {
    // Thousands of blocks, all of which may branch anywhere.
    let mut body = String::new();
    for at in 0..4000 {
        body += &format!(
            "L{at}: add.u32 %r1, %r1, {at}; setp.lt.u32 %p1, %r1, {}; @%p1 bra L{};\n",
            at * 3,
            (at * 7919 + 13) % 4000
        );
    }
    exercise(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() {{ .reg .pred %p<3>; .reg .b32 %r<9>; {body} }}"
    ));
}

#[test]
fn calls_that_would_be_too_much_to_inline() {
    let header = ".version 8.0\n.target sm_75\n.address_size 64\n";
    // Each calls the next one twice.
    let mut doubling = header.to_string();
    for number in (0..60).rev() {
        let next = number + 1;
        let body = format!("call.uni f{next}; call.uni f{next}; ret;");
        let body = if number == 59 { "ret;" } else { &body };
        doubling.push_str(&format!(".func f{number}()\n{{ {body} }}\n"));
    }
    doubling.push_str(".entry k() { call.uni f0; ret; }\n");
    exercise(&doubling);
    // Each calls all.
    let mut meshed = header.to_string();
    for number in 0..14 {
        meshed.push_str(&format!(".func f{number}();\n"));
    }
    let body: String = (0..14)
        .map(|other| format!("call.uni f{other}; "))
        .collect();
    for number in 0..14 {
        meshed.push_str(&format!(".func f{number}()\n{{ {body} ret; }}\n"));
    }
    meshed.push_str(".entry k() { call.uni f0; ret; }\n");
    exercise(&meshed);
}

#[test]
fn a_long_chain_of_copies_and_one_expression() {
    let mut body = String::from("mov.u32 %r0, %tid.x;\n");
    for at in 1..20_000 {
        body += &format!("add.u32 %r{at}, %r{}, 1;\n", at - 1);
    }
    exercise(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) {{ .reg .b64 %rd<3>; .reg .b32 %r<20000>; \
         {body} ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r19999; }}"
    ));
}

/// A register moved to itself is valid PTX, keeps its value and counts as an instruction.
#[test]
fn a_register_moved_to_itself_keeps_its_value() {
    let kernel = |moves: &str| {
        format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
             add.u32 %r1, %r1, 7;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n{moves}\
             st.global.u32 [%rd2+-28], %r1;\nret;\n}}\n"
        )
    };
    let run = |text: &str| {
        let module = Module::load(text).unwrap();
        let mut gpu = Gpu::default();
        let buffer = gpu.upload("buffer", &[0u32; 32]);
        let report = launch(
            &module,
            &gpu.memory,
            &Launch {
                entry: "k",
                grid: [1, 1, 1],
                block: [32, 1, 1],
                dynamic_shared_bytes: 0,
                args: &[Arg(buffer.to_le_bytes().to_vec())],
            },
            &Options::default(),
        )
        .unwrap();
        let mut bytes = [0; 128];
        gpu.memory.read(buffer, &mut bytes).unwrap();
        assert!(report.findings.is_empty());
        (bytes, report.counters.ptx_warp_instructions)
    };
    let (plain, plain_count) = run(&kernel(""));
    let (moved, moved_count) = run(&kernel("mov.u32 %r1, %r1;\nmov.u64 %rd2, %rd2;\n"));
    let expected: Vec<u8> = (7u32..39).flat_map(u32::to_le_bytes).collect();
    assert_eq!(plain.to_vec(), expected);
    assert_eq!(moved, plain);
    assert_eq!(moved_count, plain_count + 2);
}

/// A turn that ends at a barrier uses up no slice; the budget must hold all the same.
#[test]
fn an_endless_loop_through_a_barrier_is_found() {
    for barrier in ["bar.sync 0;", "bar.arrive 1, 64;", "bar.sync 0, 64;"] {
        let module = Module::load(&format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {{\n$L_again:\n{barrier}\nbra $L_again;\n}}\n"
        ))
        .unwrap();
        let job = Launch {
            entry: "k",
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared_bytes: 0,
            args: &[],
        };
        let options = Options {
            instruction_budget: 1000,
            ..Options::default()
        };
        let report = launch(&module, &Gpu::default().memory, &job, &options).unwrap();
        assert_eq!(report.findings.len(), 1, "{barrier}");
        assert_eq!(
            report.findings[0].kind,
            FindingKind::EndlessLoop,
            "{barrier}"
        );
    }
}
