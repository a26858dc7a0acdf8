//! `cornerturn launch --json` from outside, with the checks that it makes by default: what it finds in racy kernels and in reads of what nobody wrote, and what kernels print.

use crate::support::{Outcome, Scratch};
use serde_json::{Value, json};

/// Launches a kernel of the emulator's tests with all checks on: their file, and the words behind `launch FILE`.
fn checked(test: &str, ptx: &str, words: &str) -> Outcome {
    let scratch = Scratch::new(test);
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../emulator/tests");
    scratch.write(
        "kernel.ptx",
        std::fs::read(format!("{tests}/{ptx}")).unwrap(),
    );
    let words = format!("launch kernel.ptx --json {words}");
    scratch.run(&words.split(' ').collect::<Vec<_>>())
}

/// The line of CUDA C++, from 1, of the first that holds this after a kernel's name.
fn line_of(source: &str, kernel: &str, text: &str) -> u64 {
    let path = format!(
        "{}/../emulator/tests/fail/{source}",
        env!("CARGO_MANIFEST_DIR")
    );
    let source = std::fs::read_to_string(path).unwrap();
    let start = source.find(&format!("void {kernel}(")).unwrap();
    let at = start + source[start..].find(text).unwrap();
    source[..at].matches('\n').count() as u64 + 1
}

fn only_finding(outcome: &Outcome) -> Value {
    let json = outcome.json();
    let findings = json["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{json}");
    findings[0].clone()
}

/// Two blocks of 128 threads that reverse 128 elements each.
const REVERSE: &str =
    "--entry no_barrier_after_write --grid 2 --block 128 --arg i32[256]=iota --arg i32[256]=poison";

#[test]
fn a_race_has_both_of_its_places() {
    let outcome = checked("race", "fail/races_shared.ptx", REVERSE);
    outcome.fails(1, &["race: ", "__syncthreads()"]);
    let finding = only_finding(&outcome);
    let line = |text| line_of("races_shared.cu", "no_barrier_after_write", text);
    assert_eq!(finding["kind"], "race");
    assert_eq!(finding["file"], "races_shared.cu");
    assert_eq!(finding["line"], line("out[i] ="));
    assert_eq!(finding["space"], "shared");
    assert_eq!(finding["access"], "load");
    assert_eq!(finding["access_bytes"], 4);
    assert_eq!(finding["block"], json!([0, 0, 0]));
    // Thread 0 reads what thread 127 writes, at the end of the tile.
    assert_eq!(finding["thread"], json!([0, 0, 0]));
    assert_eq!(finding["address"], 4 * 127);
    assert_eq!(
        finding["other"],
        json!({
            "file": "races_shared.cu",
            "line": line("tile[threadIdx.x] ="),
            "block": [0, 0, 0],
            "thread": [127, 0, 0],
            "access": "store",
        })
    );
}

#[test]
fn what_was_not_looked_for_is_not_called_absent() {
    let scratch = Scratch::new("unchecked");
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../emulator/tests/fail/races_shared.ptx"
    );
    scratch.write("kernel.ptx", std::fs::read(path).unwrap());
    let run = |added: &str| {
        let words = format!("launch kernel.ptx {REVERSE}{added}");
        scratch.run(&words.split(' ').collect::<Vec<_>>())
    };
    let unchecked = run(" --no-check --json");
    assert_eq!(unchecked.status, 0, "{unchecked:?}");
    assert_eq!(unchecked.json()["findings"], json!([]));
    assert_eq!(unchecked.json()["checked"], false);
    let unchecked = run(" --no-check");
    assert!(
        unchecked.stdout.contains("were not checked"),
        "{unchecked:?}"
    );
    // The option of old asks for no more than the default.
    for added in ["", " --check"] {
        let checked = run(added);
        checked.fails(1, &["race"]);
        assert!(!checked.stdout.contains("no findings"), "{checked:?}");
    }
    assert_eq!(run(" --json").json()["checked"], true);
    run(" --check --no-check").fails(2, &["--no-check"]);
}

#[test]
fn the_corrected_kernel_has_no_finding() {
    let outcome = checked("corrected", "fail/races_shared.fixed.ptx", REVERSE);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert_eq!(outcome.stderr, "");
    let json = outcome.json();
    assert_eq!(json["findings"], json!([]));
    assert_eq!(json["output"], "");
    // 8 warps of 4 sectors each.
    let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    assert_eq!(json["counters"][sectors], 32);
}

#[test]
fn a_read_of_what_nobody_wrote_has_its_place() {
    let words =
        "--entry shared_accumulator --grid 1 --block 64 --arg i32[256]=iota --arg i32[64]=poison";
    let outcome = checked("unwritten", "fail/uninitialized.ptx", words);
    outcome.fails(1, &["uninitialized: "]);
    let finding = only_finding(&outcome);
    assert_eq!(finding["kind"], "uninitialized");
    assert_eq!(finding["file"], "uninitialized.cu");
    let line = line_of("uninitialized.cu", "shared_accumulator", "sums[i] +=");
    assert_eq!(finding["line"], line);
    assert_eq!(finding["space"], "shared");
    assert_eq!(finding["count"], 64);
    assert_eq!(finding["other"], Value::Null);
}

#[test]
fn a_buffer_of_poison_is_not_written() {
    let words = "--entry no_barrier_after_write --grid 1 --block 128 --arg i32[128]=poison --arg i32[128]=poison";
    let outcome = checked("poison", "fail/races_shared.fixed.ptx", words);
    outcome.fails(1, &["uninitialized: ", "argument 0"]);
    let finding = only_finding(&outcome);
    assert_eq!(finding["buffer"], "argument 0");
    assert_eq!(finding["space"], "global");
}

#[test]
fn a_remark_is_told_and_no_mistake() {
    let words = "--entry early_return --grid 8 --block 64 --arg i32[512]=iota --arg i32[512]=zero --arg i32=490";
    let outcome = checked("remark", "pass/control.ptx", words);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let json = outcome.json();
    assert_eq!(json["findings"], json!([]));
    let [remark] = json["remarks"].as_array().unwrap().as_slice() else {
        panic!("{json}")
    };
    assert_eq!(remark["kind"], "barrier_divergence");
    let message = remark["message"].as_str().unwrap();
    assert!(
        message.starts_with("remark: 22 of the block's threads"),
        "{message}"
    );

    let scratch = Scratch::new("remark_in_words");
    let ptx = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../emulator/tests/pass/control.ptx"
    );
    scratch.write("kernel.ptx", std::fs::read(ptx).unwrap());
    let words = format!("launch kernel.ptx {words}");
    let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(outcome.stdout.contains(message), "{outcome:?}");
}

#[test]
fn what_a_kernel_prints_is_in_the_output() {
    let words = "--entry prints --grid 2 --block 32 --arg i32=35";
    let outcome = checked("prints", "pass/calls.ptx", words);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let expected: String = (0..35_u8)
        .map(|i| {
            let letter = char::from(b'a' + i % 26);
            format!(
                "{i} {:5.2}|tile|{:<6x}|1099511627776|{letter}\n",
                f64::from(i) * 0.5,
                u32::from(i) * 16
            )
        })
        .collect();
    assert_eq!(outcome.json()["output"], expected);
    let printed = &outcome.json()["printed"];
    assert_eq!(printed.as_array().map(Vec::len), Some(35));
    assert_eq!(printed[33]["block"], json!([1, 0, 0]));
    assert_eq!(printed[33]["thread"], json!([1, 0, 0]));
    assert_eq!(printed[33]["text"], "33 16.50|tile|210   |1099511627776|h");
}

#[test]
fn what_threads_print_is_shown_with_block_and_thread_and_limited() {
    let scratch = Scratch::new("prints-text");
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../emulator/tests/pass/calls.ptx"
    );
    scratch.write("kernel.ptx", std::fs::read(path).unwrap());
    let words = "launch kernel.ptx --entry prints --grid 2 --block 32 --arg i32=64";
    let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(outcome.status, 0, "{outcome:?}");
    for part in [
        "the kernel printed:\nblock (0, 0, 0), thread (0, 0, 0): 0  0.00|tile|",
        "\nblock (1, 0, 0), thread (7, 0, 0): 39 19.50|tile|",
        "\n… (24 more lines)\n",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {outcome:?}");
    }
}

#[test]
fn an_output_of_which_nobody_wrote_a_part_gets_a_remark() {
    let scratch = Scratch::new("unwritten");
    let source = "extern \"C\" __global__ void part(const float* in, float* out, int n)\n\
        { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }\n";
    scratch.write("part.cu", source);
    let remarks = |elements: u32| {
        let words = format!(
            "launch part.cu --json --compiler cornerturn --grid 4 --block 250 --arg f32[999]=iota --arg f32[999]=poison --arg i32={elements}"
        );
        let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
        outcome.json()["remarks"].clone()
    };
    assert_eq!(remarks(999), json!([]));
    let left = remarks(990);
    assert_eq!(left[0]["kind"], "uninitialized");
    assert_eq!(left[0]["count"], 9);
    let message = left[0]["message"].as_str().unwrap();
    assert!(
        message.contains("argument 1: 9 of 999 elements"),
        "{message}"
    );
    assert!(message.contains("element 990"), "{message}");
}
