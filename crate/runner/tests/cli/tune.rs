//! The verb `tune` from outside, on machines with and without a GPU and a compiler.

use crate::support::Scratch;
use serde_json::Value;

/// Where no compiler is.
const NO_COMPILER: (&str, &str) = ("CORNERTURN_NVRTC", "/nonexistent/libnvrtc.so");

#[test]
fn the_space_is_printed_anywhere_and_always_in_the_same_order() {
    let scratch = Scratch::new("tune-list");
    for element in ["f32", "f64", "u16", "u8"] {
        let words = ["tune", "--list", "--json", "--element", element];
        let outcome = scratch.run_with(&words, &[NO_COMPILER]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let json = outcome.json();
        assert_eq!(json["element"], element);
        let variants = json["variants"].as_array().unwrap();
        assert!(
            (20..=200).contains(&variants.len()),
            "{element}: {}",
            variants.len()
        );
        assert!(
            variants
                .iter()
                .all(|variant| variant["over_limits"] == Value::Null)
        );
        assert_eq!(scratch.run(&words).stdout, outcome.stdout);
        let table = scratch
            .run(&["tune", "--dry-run", "--element", element])
            .stdout;
        for variant in variants {
            assert!(
                table.contains(variant["words"].as_str().unwrap()),
                "{variant}"
            );
        }
    }
    assert!(scratch.files().is_empty());
}

#[test]
fn variants_are_chosen_by_their_words() {
    let scratch = Scratch::new("tune-only");
    let all = ["--only", "tile 64×64", "--only", "rows of in"];
    let words = [&["tune", "--list", "--json"], &all[..]].concat();
    let json = scratch.run(&words).json();
    let variants = json["variants"].as_array().unwrap();
    assert!(!variants.is_empty());
    for variant in variants {
        assert_eq!(variant["variant"]["tile"], serde_json::json!([64, 64]));
        assert_eq!(variant["variant"]["order"], "along_in");
    }
    scratch
        .run(&["tune", "--list", "--only", "tile 7×7"])
        .fails(2, &["tile 7×7", "--list"]);
}

#[test]
fn what_cannot_be_searched_is_named() {
    let scratch = Scratch::new("tune-bad");
    scratch
        .run(&["tune", "--element", "i64"])
        .fails(2, &["i64", "u16"]);
    scratch
        .run(&["tune", "--longest", "0"])
        .fails(2, &["--longest"]);
    scratch.run(&["tune", "--rows", "-4"]).fails(2, &["--rows"]);
    let words = ["tune", "--device", "emulator", "--only", "tile 64×64"];
    scratch.run_with(&words, &[NO_COMPILER]).fails(
        4,
        &[
            "CORNERTURN_NVRTC",
            "cargo cornerturn kernels --install-compiler",
        ],
    );
    assert!(scratch.files().is_empty());
}

#[test]
fn without_a_gpu_it_says_what_it_needs_and_writes_nothing() {
    let scratch = Scratch::new("tune-gpu");
    let words = [
        "tune",
        "--rows",
        "97",
        "--columns",
        "61",
        "--longest",
        "5",
        "--only",
        "tile 64×64, 4 loads",
        "--out",
        "results",
    ];
    let outcome = scratch.run_with(
        &words,
        &[("CORNERTURN_DEVICE", ""), ("CUDA_VISIBLE_DEVICES", "")],
    );
    outcome.fails(4, &["NVIDIA", "--list", "--device emulator"]);
    assert!(scratch.files().is_empty());
}

#[test]
fn on_the_emulator_variants_are_verified_and_counted() {
    let scratch = Scratch::new("tune-count");
    let words = [
        "tune",
        "--json",
        "--only",
        "tile 64×64, 4 loads, rows of out, no hints",
    ];
    let outcome = scratch.run(&words);
    if outcome.status == 4 {
        return outcome.fails(4, &["cargo cornerturn kernels --install-compiler"]);
    }
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let json = outcome.json();
    let variants = json["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 1);
    assert_eq!(variants[0]["verified"], true);
    // Every vector of 1040 × 2064 floats is asked for once, 32 to a request.
    let counters = &variants[0]["counters"];
    let vectors: u64 = 1040 * 2064 / 4;
    for direction in ["ld", "st"] {
        let name = format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{direction}.sum");
        assert_eq!(counters[&name], vectors / 2, "{name}");
    }
    assert!(json.get("timed").is_none());
}
