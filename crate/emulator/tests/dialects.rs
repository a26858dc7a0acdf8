//! PTX as compilers other than NVIDIA's write it: elements as addresses, constant expressions, what only some entries use.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{LoadError, Module};

/// A kernel with this body, after these declarations, that stores `%rd1` and `%r1`.
fn text(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 out, .param .align 8 .b8 st[16]) {{\n\
         .reg .pred %p<4>; .reg .b32 %r<9>; .reg .s32 %s<3>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n\
         .local .align 8 .b32 loc[8]; .shared .align 8 .b32 sh[16];\n\
         ld.param.u64 %rd8, [out]; mov.u64 %rd1, 0; mov.u32 %r1, 0; mov.u32 %r2, %tid.x; mov.u32 %s1, -1;\n\
         {body}\n\
         st.global.u64 [%rd8], %rd1; st.global.u32 [%rd8+8], %r1; ret; }}\n"
    )
}

/// What the kernel stores: 64 bits and 32 bits.
fn run(declarations: &str, body: &str) -> (u64, u32) {
    let text = text(declarations, body);
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<u32>("out", 4);
    let mut st = Vec::new();
    (1u32..5).for_each(|word| st.extend(word.to_le_bytes()));
    let args = [out.into(), cornerturn_emulator::Arg(st)];
    gpu.run(&module, "k", [1, 1, 1], [1, 1, 1], &args);
    let words = gpu.download::<u32>(out, 3);
    (u64::from(words[0]) | u64::from(words[1]) << 32, words[2])
}

fn refused(declarations: &str, body: &str) -> LoadError {
    let text = text(declarations, body);
    match Module::load(&text).and_then(|module| module.entry("k").map(|_| ())) {
        Err(error) => error,
        Ok(()) => panic!("{body} loads"),
    }
}

const ARRAYS: &str = ".global .align 8 .u32 arr[4] = {10, 11, 12, 13};
    .const .align 8 .u16 words[4] = {20, 21, 22, 23};
    .global .u32 grid[2][3] = {{1}, {2, 3}};
    .global .align 16 .v4 .u32 quads[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};";

/// PTX ISA sections "Addresses as Operands" and "Arrays as Operands"; what is scaled by what was read off `ptxas` 13.0.
#[test]
fn an_element_of_an_array_is_an_address() {
    for (body, expected) in [
        ("mov.u64 %rd1, arr[2]; ld.global.u32 %r1, [%rd1];", 12),
        ("mov.u64 %rd1, arr+8; ld.global.u32 %r1, [%rd1];", 12),
        ("mov.u64 %rd1, arr[1+2]; ld.global.u32 %r1, [%rd1];", 13),
        ("mov.u64 %rd1, arr[-1]; ld.global.u32 %r1, [%rd1+8];", 11),
        ("mov.u64 %rd1, arr[%r2+3]; ld.global.u32 %r1, [%rd1];", 13),
        ("mov.u64 %rd1, arr[%r2]; ld.global.u32 %r1, [%rd1+4];", 11),
        ("mov.u64 %rd1, arr[%s1+2]; ld.global.u32 %r1, [%rd1];", 11),
        ("cvta.global.u64 %rd1, arr[3]; ld.u32 %r1, [%rd1];", 13),
        ("ld.global.u32 %r1, arr[2];", 12),
        ("ld.global.u32 %r1, arr[%r2+1];", 11),
        ("st.global.u32 arr[1], 77; ld.global.u32 %r1, [arr+4];", 77),
        ("ld.const.u16 %r1, words[3];", 23),
        ("mov.u64 %rd1, grid[1]; ld.global.u32 %r1, [%rd1+4];", 3),
        ("mov.u64 %rd1, grid[1]; ld.global.u32 %r1, [%rd1+8];", 0),
        ("mov.u64 %rd1, quads[1]; ld.global.u32 %r1, [%rd1];", 5),
        ("st.shared.u32 sh[1], 5; ld.shared.u32 %r1, [sh+4];", 5),
        (
            "mov.u32 %r3, sh[3]; st.shared.u32 [%r3], 6; ld.shared.u32 %r1, sh[3];",
            6,
        ),
        (
            "mov.u64 %rd1, loc[0]; st.local.u32 [%rd1+4], 9; ld.local.u32 %r1, loc[1];",
            9,
        ),
        (
            "mov.u64 %rd1, loc[2]; st.local.u32 loc[2], 8; ld.local.u32 %r1, [%rd1];",
            8,
        ),
        // The parameter's elements are bytes.
        ("ld.param.u32 %r1, st[8];", 3),
    ] {
        assert_eq!(run(ARRAYS, body).1, expected, "{body}");
    }
}

#[test]
fn initial_values_may_be_addresses_of_elements() {
    for initial in [
        "arr[2]",
        "arr+8",
        "arr+2*4",
        "generic(arr)+8",
        "generic(arr[1])+4",
    ] {
        let declarations = format!("{ARRAYS}\n.global .u64 place = {initial};");
        let body = "ld.global.u64 %rd1, [place]; ld.global.u32 %r1, [%rd1];";
        assert_eq!(run(&declarations, body).1, 12, "{initial}");
    }
}

/// PTX ISA section "Constant Expressions".
#[test]
fn numbers_may_be_expressions() {
    for (expression, expected) in [
        ("2*3+1", 7),
        ("(1<<4)|3", 19),
        ("1+2*3-4/2", 5),
        ("7 % 4", 3),
        ("WARP_SZ-1", 31),
        ("-(4)", 0xffff_fffc),
        ("~0", 0xffff_ffff),
        ("!0", 1),
        ("!5", 0),
        ("3==3", 1),
        ("1 > 2 || 2 >= 2", 1),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 1 ? 4 : 5", 4),
        ("(.s64) -8 >> 1", 0xffff_fffc),
        ("(.u64) 9", 9),
        ("0b101 ^ 0777", 506),
        ("0x10 & 0xff", 16),
        ("- - 3", 3),
    ] {
        assert_eq!(
            run("", &format!("mov.u32 %r1, {expression};")).1,
            expected,
            "{expression}"
        );
    }
    assert_eq!(
        run("", "mov.f32 %f1, 1.5*2.0; mov.b32 %r1, %f1;").1,
        3f32.to_bits()
    );
    assert_eq!(
        run("", "mov.f32 %f1, .5; mov.b32 %r1, %f1;").1,
        0.5f32.to_bits()
    );
    let sum = ".global .u32 table[4] = {1, 2*WARP_SZ, -1, 1<<3};";
    assert_eq!(run(sum, "ld.global.u32 %r1, [table+4+4*2];").1, 8);
    for wrong in [
        "1/0",
        "1 % 0",
        "~1.5",
        "0f3F800000+1",
        "(1",
        "1?2",
        "(.u64)",
        "1<<",
        "",
    ] {
        let error = refused("", &format!("mov.u32 %r1, {wrong};"));
        assert!(
            matches!(error, LoadError::Syntax { .. }),
            "{wrong}: {error}"
        );
    }
    for deep in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "1+".repeat(100_000),
        "1?".repeat(100_000),
    ] {
        refused("", &format!("mov.u32 %r1, {deep}"));
    }
}

/// `ptxas` 13.0 says of the first: '.ftz' modifier required for instruction 'rcp.approx.f64'.
#[test]
fn what_is_no_instruction_is_not_called_a_gap() {
    for (body, told) in [
        ("rcp.approx.f64 %fd1, %fd2;", "`rcp.approx.ftz.f64`"),
        ("frobnicate.u32 %r1, %r2;", "no such instruction"),
        (
            "bar.snc 0;",
            "no such instruction, only `bar.sync`, `bar.arrive`",
        ),
        ("mbarrier.arive.b64 _, [%rd1];", "`mbarrier.arrive`"),
        ("add.u99 %r1, %r2, %r2;", "no such form of `add`"),
        ("add.ftz.u32 %r1, %r2, %r2;", "no such form of `add`"),
        ("sqrt.f64 %fd1, %fd2;", "`sqrt.rn.f64`"),
        ("ex2.f32 %f1, %f2;", "`ex2.approx.f32`"),
    ] {
        let error = refused("", body);
        assert!(
            matches!(error, LoadError::Syntax { line: 9, .. }),
            "{body}: {error}"
        );
        assert!(error.to_string().contains(told), "{error}");
        assert!(!error.to_string().contains("CUDA device"), "{error}");
    }
    for body in [
        "add.rn.f32x2 %rd1, %rd1, %rd1;",
        "fma.rn.oob.f16 %r1, %r1, %r1, %r1;",
        "suld.b.3d.b32.trap {%r1}, [t, {%r1}];",
    ] {
        assert!(
            matches!(refused("", body), LoadError::Unsupported { .. }),
            "{body}"
        );
    }
    assert_eq!(
        run(
            "",
            "mov.f64 %fd2, 4.0; rcp.approx.ftz.f64 %fd1, %fd2; mov.b64 %rd1, %fd1;"
        )
        .0,
        0.25f64.to_bits()
    );
    assert_eq!(
        run(
            "",
            "mov.f64 %fd2, 4.0; rsqrt.approx.ftz.f64 %fd1, %fd2; mov.b64 %rd1, %fd1;"
        )
        .0,
        0.5f64.to_bits()
    );
}

#[test]
fn a_gap_outside_functions_refuses_only_what_uses_it() {
    for declaration in [
        ".global .texref name;",
        ".global .texref other, name;",
        ".global .samplerref name = { addr_mode_0 = wrap, filter_mode = nearest };",
        ".global .surfref name;",
        ".texref name;",
        ".tex .u32 name;",
        ".extern .global .align 4 .b32 name;",
        ".extern .const .align 4 .b8 name[];",
        ".local .align 4 .b8 name[16];",
        ".global .b8 name[300000000];",
        ".extern .global .b32 away; .global .u64 name = away;",
    ] {
        assert_eq!(run(declaration, "mov.u32 %r1, 42;").1, 42, "{declaration}");
        let error = refused(declaration, "mov.u64 %rd1, name;");
        assert!(error.is_gap(), "{declaration}: {error}");
        // Another thing of that name is no gap.
        assert_eq!(
            run(
                declaration,
                ".reg .b32 name; mov.u32 name, 4; mov.u32 %r1, name;"
            )
            .1,
            4
        );
    }
    let error = refused(".extern .global .b32 name;", "ld.global.u32 %r1, [name+4];");
    assert!(error.to_string().contains("name"), "{error}");
    // A variable that is declared before it is defined.
    let twice = ".extern .global .b32 late; .global .b32 late = 6;";
    assert_eq!(run(twice, "ld.global.u32 %r1, [late];").1, 6);
}

#[test]
fn our_own_limits_are_gaps() {
    let long = format!("{}{}", text("", ""), " ".repeat(17 << 20));
    let many: String = (0..5000)
        .map(|at| format!("ld.global.u32 %q{at}, [%rd8+{}];\n", 4 * at))
        .collect();
    let stores: String = (0..5000)
        .map(|at| format!("st.global.u32 [%rd8+{}], %q{at};\n", 4 * at))
        .collect();
    let live = text("", &format!(".reg .b32 %q<5000>;\n{many}{stores}"));
    let nested = text("", &"{".repeat(1000));
    for text in [long, live, nested] {
        let error = match Module::load(&text) {
            Ok(module) => module.entry("k").err(),
            Err(error) => Some(error),
        };
        assert!(error.as_ref().is_some_and(LoadError::is_gap), "{error:?}");
        assert!(error.unwrap().to_string().contains("at most"));
    }
    // What no GPU has is a mistake.
    assert!(!refused(".const .b8 x[65537];", "").is_gap());
    assert!(!refused("", ".shared .b8 big[100000]; mov.u32 %r1, big;").is_gap());
}
