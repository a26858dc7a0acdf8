//! The text of a kernel in the compiler's own representation: what is not one is refused, with its line or what is wrong.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use cornerturn_compiler::Ir;

/// A kernel with all kinds of lines: a loop that adds up, and stores by way of a local object.
const SUM: &str = r#"kernel "sum" registers 128 threads 256
param 8 align 8 b64 pointer restrict
param 4 align 4 b32
symbol "tile" shared 1024 align 16 handed_over bytes 2 7 9 address 0
slot 0 8 align 8
counted %6 0 7
loops 0 1
block0:
  %0:b64 = param #0
  %1:b32 = param #1
  %2:b64 = slot #0
  %3:b64 = to_generic.local %2
  %4:b32 = intrinsic "threadIdx.x"
  jump block1 @3
block1: !unroll 4 !iteration 1
  %6:b32 = phi [block0 0:b32], [block1 %11]
  %7:f32 = phi [block0 undefined5:f32], [block1 %10]
  %8:f32, %9:f32 = load.global.f32.x2.nc.align8 %0 !rereads @4
  %10:f32 = fma %8, %9, %7
  %11:b32 = add %6, 1:b32 !exact !iteration 1
  %12:pred = lt_s %11, %1
  branch %12, block1, block2
block2:
  store.local.f32.volatile %2, %10
  %13:b32 = symbol #0
  %14:f32 = load.generic.f32 %3
  store.shared.f32.member7 %13, %14 !ordered
  return
"#;

#[test]
fn a_kernel_is_read_back_as_it_was() {
    assert_eq!(Ir::parse(SUM).unwrap().text(), SUM);
}

#[test]
fn what_is_no_kernel_is_refused() {
    let cases = [
        // The reader's.
        (
            "fma %8, %9, %7",
            "fmma %8, %9, %7",
            "line 19: there is no operation `fmma`",
        ),
        (
            "%11:b32 = add",
            "%10:b32 = add",
            "line 20: %10 is given twice",
        ),
        (
            "store.local.f32",
            "store.local.f30",
            "line 24: an access names no type",
        ),
        (
            "!exact ",
            "!exactly ",
            "line 20: an instruction has no `!exactly`",
        ),
        (
            "slot 0 8 align 8",
            "slot 0 8 align 3",
            "line 5: slots stand in their order",
        ),
        (
            "jump block1",
            "jump block",
            "line 14: `block` is no `block` with a number",
        ),
        (
            "jump block1",
            "jump block9999999",
            "is no `block` with a number",
        ),
        // The verifier's.
        ("jump block1", "jump block7", "block0 leads nowhere"),
        (
            "[block0 0:b32]",
            "[block2 0:b32]",
            "control comes from [Block(0), Block(1)]",
        ),
        (
            "[block0 0:b32]",
            "[block0 %11]",
            "an argument is not computed on its way",
        ),
        (
            "fma %8, %9, %7",
            "fma %8, %9, %14",
            "an argument is not computed before it",
        ),
        (
            "fma %8, %9, %7",
            "fma %8, %9, 1:b32",
            "it takes no [F32, F32, B32]",
        ),
        ("lt_s %11", "lt %11", "it takes no [B32, B32]"),
        ("param #1", "param #2", "it names what is not there"),
        ("symbol #0", "symbol #1", "it names what is not there"),
        ("= slot #0", "= slot #1", "it names what is not there"),
        ("branch %12", "branch %11", "a value that is no condition"),
        ("  return\n", "", "block2 has no end"),
        ("f32.x2.nc", "f32.nc", "or gives no [F32, F32]"),
    ];
    for (from, to, told) in cases {
        let text = SUM.replacen(from, to, 1);
        assert_ne!(text, SUM, "{from}");
        let error = Ir::parse(&text).unwrap_err().to_string();
        assert!(error.contains(told), "{to}: {error}");
    }
}

#[test]
fn a_text_cut_off_or_changed_anywhere_never_panics() {
    for end in 0..SUM.len() {
        let _ = Ir::parse(&SUM[..end]);
        for put in ["%", "9", "[", "\"", ":", "\\u{", " ", "\n", "undefined1"] {
            let _ = Ir::parse(&format!("{}{put}{}", &SUM[..end], &SUM[end + 1..]));
        }
    }
}

#[test]
fn there_is_no_other_pass() {
    let error = Ir::parse(SUM).unwrap().run("number").unwrap_err();
    assert_eq!(error.to_string(), "there is no pass `number`");
}
