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
    scratch.write("gap.cu", "#include <cuda/barrier>\n");
    scratch.write("bytes.cu", [0xFF, 0xFE]);
    let run = |words: &[&str]| {
        let words = [&["compile"], words].concat();
        scratch.run_with(&words, &[HIDDEN])
    };
    run(&["wrong.cu"]).fails(1, &["wrong.cu:3:23", "`FACTOR` is not declared"]);
    run(&["gap.cu"]).fails(3, &["cuda/barrier", "gap", "NVRTC"]);
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

/// Answers whose verdict is another one with our own compiler, and why.
const OTHER_VERDICTS: [(&str, &str); 1] = [(
    "torn",
    "NVRTC tears a vector's store into four, which is the answer's mistake; ours keeps it whole",
)];

/// Some exercises; all of them where `CORNERTURN_ALL_EXERCISES` is set.
#[test]
fn the_workshop_grades_alike_without_nvrtc() {
    let scratch = Scratch::new("compile-workshop");
    let some = ["exercise", "verify", "padding", "copy", "edge", "strided"];
    let all = std::env::var_os("CORNERTURN_ALL_EXERCISES").is_some();
    let words = if all { &some[..2] } else { &some[..] };
    let outcome = scratch.run_with(words, &[HIDDEN]);
    let mistakes: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("  ") && line.contains(": "))
        .filter(|line| {
            let known = |(id, _): &(&str, &str)| line.contains(&format!("`{id}`"));
            !OTHER_VERDICTS.iter().any(known)
        })
        .collect();
    assert!(mistakes.is_empty(), "{outcome:?}");
    assert_eq!(outcome.status, i32::from(all), "{outcome:?}");
}
