//! Both compilers from outside: the verb `compile`, the option `--compiler`, and the workshop where NVRTC cannot be had.

use crate::support::Scratch;

/// NVRTC is nowhere.
const HIDDEN: (&str, &str) = ("CORNERTURN_NVRTC", "/nowhere/libnvrtc.so");

const KERNEL: &str =
    "extern \"C\" __global__ void twice(float* x)\n{\n    x[threadIdx.x] *= FACTOR;\n}\n";

#[test]
fn a_file_becomes_ptx_and_says_what_compiled_it() {
    let scratch = Scratch::new("compile");
    scratch.write("k.cu", KERNEL);
    let words = ["compile", "k.cu", "-D", "FACTOR=2", "--out", "k.ptx"];
    let made = scratch.run_with(&words, &[HIDDEN]);
    assert_eq!(made.status, 0, "{made:?}");
    let said = "Corner Turn's own compiler (NVRTC is not installed)";
    assert!(made.stderr.contains(said), "{made:?}");
    let ptx = String::from_utf8(scratch.read("k.ptx")).unwrap();
    assert!(ptx.contains(".entry twice"), "{ptx}");
    let words = ["compile", "k.cu", "--define", "FACTOR=3", "--json"];
    let chosen = [HIDDEN, ("CORNERTURN_COMPILER", "cornerturn")];
    let json = scratch.run_with(&words, &chosen).json();
    assert_eq!(json["compiler"], "Corner Turn's own compiler");
    assert_eq!(json["entries"], serde_json::json!(["twice"]));
    assert_eq!(json["arch"], "compute_75");
    assert_eq!(json["version"], "6.3");
    assert!(json["ptx"].as_str().unwrap().contains(".target sm_75"));
}

#[test]
fn each_way_to_fail_has_its_status() {
    let scratch = Scratch::new("compile-fails");
    scratch.write("wrong.cu", KERNEL);
    scratch.write("gap.cu", "#include <cuda/semaphore>\n");
    scratch.write("bytes.cu", [0xFF, 0xFE]);
    let run = |words: &[&str]| {
        let words = [&["compile"], words].concat();
        scratch.run_with(&words, &[HIDDEN])
    };
    run(&["wrong.cu"]).fails(1, &["wrong.cu:3:23", "`FACTOR` is not declared"]);
    run(&["gap.cu"]).fails(3, &["cuda/semaphore", "gap", "NVRTC"]);
    run(&["wrong.cu", "--compiler", "nvrtc"]).fails(4, &["--install-compiler"]);
    run(&["bytes.cu"]).fails(2, &["not UTF-8"]);
    run(&["nowhere.cu"]).fails(2, &["nowhere.cu"]);
    run(&["wrong.cu", "-D", "2=3"]).fails(2, &["NAME=VALUE"]);
    run(&["wrong.cu", "--compiler", "nvcc"]).fails(2, &["nvcc", "cornerturn"]);
    let variable = [HIDDEN, ("CORNERTURN_COMPILER", "nvcc")];
    let outcome = scratch.run_with(&["compile", "wrong.cu"], &variable);
    outcome.fails(2, &["CORNERTURN_COMPILER", "nvcc"]);
}

#[test]
fn json_lists_each_message_with_its_place() {
    let scratch = Scratch::new("compile-json");
    scratch.write("wrong.cu", KERNEL);
    scratch.write("gap.cu", "#include <cuda/semaphore>\n");
    let run = |file: &str, compiler: &str, variables: &[(&str, &str)]| {
        let words = ["compile", file, "--json", "--compiler", compiler];
        let outcome = scratch.run_with(&words, variables);
        (outcome.status, outcome.json())
    };
    let (status, wrong) = run("wrong.cu", "cornerturn", &[HIDDEN]);
    let first = &wrong["diagnostics"][0];
    assert_eq!((status, &wrong["error"]["exit_status"]), (1, &1.into()));
    let place = ["line", "column", "end_line", "end_column"].map(|name| first[name].as_u64());
    assert_eq!(place, [3, 23, 3, 29].map(Some), "{wrong}");
    assert_eq!(first["file"], "wrong.cu");
    assert_eq!(first["severity"], "error");
    assert_eq!(first["message"], "`FACTOR` is not declared");
    assert_eq!(first["is_gap"], false);
    let (status, gap) = run("gap.cu", "cornerturn", &[HIDDEN]);
    assert_eq!(status, 3, "{gap}");
    assert_eq!(gap["diagnostics"][0]["is_gap"], true, "{gap}");
    let help = gap["diagnostics"][0]["help"].as_str().unwrap();
    assert!(help.contains("a gap"), "{gap}");
    if cornerturn::compile::Nvrtc::open().is_err() {
        return;
    }
    let (status, wrong) = run("wrong.cu", "nvrtc", &[]);
    assert_eq!(status, 1, "{wrong}");
    let first = &wrong["diagnostics"][0];
    assert_eq!((&first["line"], &first["column"]), (&3.into(), &23.into()));
    assert!(first["message"].as_str().unwrap().contains("FACTOR"));
}

#[test]
fn a_source_is_launched_and_a_registered_kernel_compiled_anew() {
    let scratch = Scratch::new("compile-runs");
    scratch.write("k.cu", KERNEL.replace("FACTOR", "2"));
    let words = [
        "launch",
        "k.cu",
        "--entry",
        "twice",
        "--grid",
        "1",
        "--block",
        "32",
        "--arg",
        "f32[32]=iota",
        "--json",
    ];
    let launched = scratch.run_with(&words, &[HIDDEN]);
    assert_eq!(launched.status, 0, "{launched:?}");
    let requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    assert_eq!(launched.json()["counters"][requests], 1);
    let words = ["run", "padded", "--rows", "97", "--columns", "61", "--json"];
    let committed = scratch.run(&words).json();
    let words = [&words[..], &["--compiler", "cornerturn"]].concat();
    let anew = scratch.run_with(&words, &[HIDDEN]).json();
    assert_eq!(anew["counters"][requests], committed["counters"][requests]);
    assert_eq!(anew["verified"], true);
}

/// Some exercises; `cargo verify exercises` tries all of them with both compilers.
#[test]
fn the_workshop_grades_alike_without_nvrtc() {
    let scratch = Scratch::new("compile-workshop");
    let words = [
        "exercise",
        "verify",
        "padding",
        "copy",
        "edge",
        "every_shape",
    ];
    let outcome = scratch.run_with(&words, &[HIDDEN]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(
        outcome.stdout.contains("graded as they should be"),
        "{outcome:?}"
    );
}

/// A loop and a header, so that each step has something to show.
const STEPS: &str = "#define FACTOR 3
#include <cuda_fp16.h>
extern \"C\" __global__ void sum(const float* x, float* y)
{
    float all = 0;
    for (int i = 0; i < 4; i++)
        all += FACTOR * x[i];
    y[threadIdx.x] = all;
}
";

/// What `compile` writes of [`STEPS`] with these words, wherever NVRTC is.
fn shown(scratch: &Scratch, words: &[&str]) -> String {
    scratch.write("steps.cu", STEPS);
    let words = [&["compile", "steps.cu"], words].concat();
    let outcome = scratch.run_with(&words, &[HIDDEN]);
    assert_eq!((outcome.status, &*outcome.stderr), (0, ""), "{outcome:?}");
    outcome.stdout
}

#[test]
fn each_step_of_the_compiler_can_be_read() {
    let scratch = Scratch::new("compile-steps");
    let tokens = shown(&scratch, &["--emit", "tokens"]);
    // The macro is replaced, where it is used; nothing of the header is told.
    assert!(tokens.contains("7:16    number      3\n"), "{tokens}");
    assert!(!tokens.contains("FACTOR") && !tokens.contains("half"));
    let tree = shown(&scratch, &["--emit", "tree"]);
    let lines: Vec<&str> = tree.lines().map(str::trim_end).collect();
    assert_eq!(
        lines[0],
        "3:28    kernel function sum(float const* x, float* y) void"
    );
    assert!(tree.contains("(+= all (* 3 ([] x i)))"), "{tree}");
    assert!(tree.contains("while (< i 4)") && !tree.contains("half"));
    let ir = shown(&scratch, &["--emit", "ir"]);
    let read = cornerturn_compiler::Ir::parse(&ir).unwrap();
    assert_eq!(read.text().trim(), ir.trim());
    // The loop is unrolled.
    assert_eq!(ir.matches("load.global").count(), 4, "{ir}");
    scratch.run_with(
        &["compile", "steps.cu", "--emit", "ir", "--out", "sum.ir"],
        &[HIDDEN],
    );
    assert_eq!(scratch.read("sum.ir"), ir.into_bytes());
    let ptx = shown_with_compiler(&scratch, &["--emit", "ptx"]);
    assert!(ptx.contains(".entry sum"), "{ptx}");
}

/// PTX is of a compiler that says its name.
fn shown_with_compiler(scratch: &Scratch, words: &[&str]) -> String {
    let words = [&["compile", "steps.cu"], words].concat();
    let outcome = scratch.run_with(&words, &[HIDDEN]);
    assert!(outcome.stderr.contains("compiled by"), "{outcome:?}");
    outcome.stdout
}

#[test]
fn a_kernel_is_shown_behind_a_pass_and_passes_are_timed() {
    let scratch = Scratch::new("compile-passes");
    let lowered = shown(&scratch, &["--after", "lower"]);
    assert!(
        lowered.starts_with("// behind lower, run 1\nkernel \"sum\""),
        "{lowered}"
    );
    let cleaned = shown(&scratch, &["--after", "dce", "--emit", "ir"]);
    assert!(cleaned.contains("// behind dce, run 2\n"), "{cleaned}");
    let never = shown(&scratch, &["--after", "gvn_arithmetic", "--entry", "sum"]);
    assert_eq!(never, "// gvn_arithmetic did not run\n");
    let times = shown(&scratch, &["--time-passes"]);
    let of = |name: &str| times.lines().filter(|line| line.ends_with(name)).count();
    assert_eq!(
        [of(" mem2reg"), of("besides passes"), of("in all")],
        [1; 3],
        "{times}"
    );
    let table = scratch.run(&["compile", "--passes"]).stdout;
    for pass in cornerturn_compiler::passes() {
        let row = format!("{:32} {}\n", pass.name, pass.does);
        assert!(table.contains(&row), "{row}");
    }
    assert!(
        table.contains("needs mem2reg; keeps the control-flow graph"),
        "{table}"
    );
}

#[test]
fn what_cannot_be_shown_is_told() {
    let scratch = Scratch::new("compile-not-shown");
    scratch.write("wrong.cu", KERNEL);
    scratch.write("k.cu", STEPS);
    let run = |words: &[&str]| {
        let words = [&["compile"], words].concat();
        scratch.run_with(&words, &[HIDDEN])
    };
    let misspelled = run(&["k.cu", "--after", "mem2regs"]);
    misspelled.fails(2, &["`mem2regs`", "did you mean `mem2reg`?", "--passes"]);
    run(&["k.cu", "--after", "gvn", "--emit", "tree"]).fails(2, &["--emit ir"]);
    run(&["k.cu", "--entry", "sum"]).fails(2, &["--entry", "--after"]);
    run(&["wrong.cu", "--emit", "ir"]).fails(1, &["wrong.cu:3:23", "`FACTOR` is not declared"]);
    // No name is looked up yet.
    assert_eq!(run(&["wrong.cu", "--emit", "tree"]).status, 0);
    scratch.write("open.cu", "__global__ void k() {");
    run(&["open.cu", "--emit", "tree"]).fails(1, &["open.cu"]);
    assert_eq!(run(&[]).status, 2);
}
