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
