//! Loading takes time in proportion to the text, whatever is in it.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write;
use std::time::{Duration, Instant};

use common::Gpu;
use cornerturn_emulator::{LoadError, Module};

const HEADER: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// Much more than any of these takes, unoptimised and on a busy machine; before, each took minutes.
const MOST: Duration = Duration::from_secs(40);

fn load(what: &str, text: &str) -> Result<Module, LoadError> {
    let begun = Instant::now();
    let module = Module::load(text);
    let took = begun.elapsed();
    assert!(took < MOST, "{what}: {} bytes in {took:?}", text.len());
    module
}

/// A kernel with so many indirect branches through one table of so many targets.
fn switches(branches: usize, targets: usize) -> String {
    let mut body = String::new();
    let list: Vec<String> = (0..targets).map(|at| format!("L{at}")).collect();
    writeln!(body, "T: .branchtargets {};", list.join(",")).unwrap();
    for at in 0..targets.max(branches) {
        if at < targets {
            writeln!(body, "L{at}: add.u32 %r1, %r1, {at};").unwrap();
        }
        if at < branches {
            body += "brx.idx %r1, T;\n";
        }
    }
    format!("{HEADER}.entry k() {{ .reg .b32 %r<3>; mov.u32 %r1, %tid.x;\n{body} ret; }}")
}

#[test]
fn indirect_branches() {
    load("few", &switches(500, 1000))
        .unwrap()
        .entry("k")
        .unwrap();
    load("many", &switches(20_000, 20_000)).unwrap();
}

/// The branches of a large table jump to one that does it for all: lanes go where they would go by themselves.
#[test]
fn a_shared_indirect_branch_goes_to_the_same_places() {
    // Each lane adds up the numbers of the places that it comes by.
    let (branches, targets) = (200, 300);
    let list: Vec<String> = (0..targets).map(|at| format!("L{at}")).collect();
    let mut body = format!("T: .branchtargets {};\n", list.join(","));
    for at in 0..targets {
        writeln!(
            body,
            "L{at}: add.u32 %r2, %r2, {}; add.u32 %r3, %r3, 1;",
            at + 1
        )
        .unwrap();
        if at < branches {
            writeln!(
                body,
                "mad.lo.u32 %r1, %r2, 7, %r1; rem.u32 %r1, %r1, {};",
                targets - at
            )
            .unwrap();
            writeln!(body, "add.u32 %r1, %r1, {};", at + 1).unwrap();
            writeln!(
                body,
                "setp.ge.u32 %p1, %r1, {targets}; @%p1 bra DONE; brx.idx %r1, T;"
            )
            .unwrap();
        }
    }
    let text = format!(
        "{HEADER}.entry k(.param .u64 to) {{ .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<4>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n{body}\nDONE: ld.param.u64 %rd1, [to];\n\
         mov.u32 %r4, %tid.x; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret; }}"
    );
    let module = load("shared", &text).unwrap();
    let mut gpu = Gpu::default();
    let to = gpu.poisoned::<u32>("to", 96);
    gpu.run(&module, "k", [1, 1, 1], [96, 1, 1], &[to.into()]);
    let expected: Vec<u32> = (0..96u32)
        .map(|thread| {
            let (mut index, mut sum, mut at) = (thread, 0u32, 0u32);
            while at < targets {
                sum += at + 1;
                if at < branches {
                    index = (sum * 7 + index) % (targets - at) + at + 1;
                    at = index;
                } else {
                    at += 1;
                }
            }
            sum
        })
        .collect();
    assert_eq!(gpu.download::<u32>(to, 96), expected);
}

#[test]
fn entries_and_globals() {
    let mut text = HEADER.to_string();
    for at in 0..8000 {
        writeln!(
            text,
            ".global .align 4 .b32 g{at} = {at};\n.shared .b32 s{at};"
        )
        .unwrap();
    }
    for at in 0..8000 {
        writeln!(
            text,
            ".entry k{at}() {{ .reg .b64 %rd<2>; mov.u64 %rd1, g{at}; ret; }}"
        )
        .unwrap();
    }
    load("entries", &text).unwrap();
}

#[test]
fn functions_that_pointers_point_to() {
    let mut text = HEADER.to_string();
    for at in 0..4000 {
        writeln!(text, ".func f{at}() {{ ret; }}").unwrap();
    }
    text += ".entry k() { .reg .b64 %rd<2>; P: .callprototype ()_();\n";
    for at in 0..4000 {
        writeln!(text, "mov.u64 %rd1, f{at}; call %rd1, P;").unwrap();
    }
    text += "ret; }\n";
    load("pointers", &text).unwrap();
}

#[test]
fn branches_back_and_forth() {
    let mut body = String::new();
    for at in 0..20_000 {
        writeln!(
            body,
            "L{at}: add.u32 %r{}, %r1, {at}; @%p1 bra L{};",
            at % 3000,
            at / 2
        )
        .unwrap();
    }
    load(
        "loops",
        &format!("{HEADER}.entry k() {{ .reg .pred %p<2>; .reg .b32 %r<3000>;\n{body} ret; }}"),
    )
    .unwrap();
}

/// A body that all entries call is decoded for each: what is too much altogether is our limit.
#[test]
fn entries_that_call_much() {
    let mut text = format!("{HEADER}.func f() {{ .reg .b32 %r<3>;\n");
    (0..3000).for_each(|_| text += "add.u32 %r1, %r1, %r2;\n");
    text += "ret; }\n";
    for at in 0..6000 {
        writeln!(text, ".entry k{at}() {{ call f; ret; }}").unwrap();
    }
    let module = load("calls", &text).unwrap();
    assert!(module.entry("k0").is_ok());
    assert!(module.entry("k5999").unwrap_err().is_gap());
}
