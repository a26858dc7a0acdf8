//! The verb `program`: what it refuses, and a program from its source to its report. What programs may do is tried in `crate/cudart/tests`.

use crate::support::Scratch;
use std::path::Path;

const PROGRAM: &str = r#"
#include <cstdio>
#include <cstdlib>

__global__ void reverse(int *values) {
    __shared__ int tile[128];
    tile[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = tile[127 - threadIdx.x];
}

int main(int count, char **arguments) {
    int *values;
    cudaMalloc(&values, 128 * sizeof(int));
    cudaMemset(values, 0, 128 * sizeof(int));
    reverse<<<1, 128>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
    printf("given %s\n", arguments[1]);
    return count - 2;
}
"#;

#[test]
fn what_is_no_program_is_refused_before_anything_is_installed() {
    let scratch = Scratch::new("program-refused");
    scratch.write("kernel.ptx", "");
    scratch.write("a.cu", "int main() {}");
    let run = |words: &[&str]| scratch.run(&[&["program"], words].concat());
    run(&["b.cu"]).fails(2, &["b.cu is no file"]);
    run(&["kernel.ptx"]).fails(2, &["none of the files is named .cu", "cornerturn launch"]);
    run(&["a.cu", "--arch", "sm_90"]).fails(2, &["compute_90"]);
    run(&["a.cu", "--check", "--no-check"]).fails(2, &["--no-check"]);
    assert_eq!(scratch.files(), ["a.cu", "kernel.ptx"]);
}

#[test]
fn a_program_runs_and_its_race_is_found() {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    if !target.join("cuda-nvcc/.installed").is_file() {
        let is_forbidden = std::env::var_os("CORNERTURN_NO_SKIP").is_some();
        assert!(!is_forbidden, "nvcc is not installed");
        println!("skipped: nvcc is not installed; `cornerturn program` does it");
        return;
    }
    let scratch = Scratch::new("program");
    scratch.write("race.cu", PROGRAM);
    let told = scratch.run(&["program", "race.cu", "--", "word"]);
    assert_eq!(told.status, 1, "{told:?}");
    assert!(told.stdout.starts_with("given word\n"), "{told:?}");
    for part in [
        "reverse(int*): 1 launch, grid 1×1×1, block 128×1×1\n",
        "ptx__thread_instructions.sum",
    ] {
        assert!(told.stdout.contains(part), "no {part}: {told:?}");
    }
    assert!(told.stderr.contains("error: race"), "{told:?}");
    assert!(told.stderr.contains("race.cu:8"), "{told:?}");

    let words = [
        "program", "race.cu", "--json", "--kernel", "reverse", "--", "a", "b",
    ];
    let told = scratch.run(&words);
    assert_eq!(told.status, 1, "its own: {told:?}");
    let report = told.json();
    assert_eq!(
        (&report["status"], &report["output"]),
        (&1.into(), &"given a\n".into())
    );
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["kernel"], "reverse(int*)");
    assert_eq!(kernel["findings"][0]["kind"], "race");
    assert_eq!(kernel["findings"][0]["line"], 8);

    let other = scratch.run(&["program", "race.cu", "--kernel", "forward", "--", "a"]);
    other.fails(2, &["no kernel `forward`", "`reverse(int*)`"]);
    scratch.write("broken.cu", "int main() { return x; }");
    scratch
        .run(&["program", "broken.cu"])
        .fails(2, &["does not compile", "broken.cu(1)"]);
    scratch.write("blas.cu", "extern \"C\" int cublasCreate_v2(void **); int main() { void *h; return cublasCreate_v2(&h); }");
    scratch
        .run(&["program", "blas.cu"])
        .fails(3, &["cublasCreate_v2", "machine code"]);
}
