//! The verb `tune` from outside, on machines with and without a GPU and a compiler.

use crate::support::Scratch;
use serde_json::Value;

/// Where NVRTC is not.
const NO_NVRTC: (&str, &str) = ("CORNERTURN_NVRTC", "/nonexistent/libnvrtc.so");

#[test]
fn the_space_is_printed_anywhere_and_always_in_the_same_order() {
    let scratch = Scratch::new("tune-list");
    for element in ["f32", "f64", "u16", "u8"] {
        let words = ["tune", "--list", "--json", "--element", element];
        let outcome = scratch.run_with(&words, &[NO_NVRTC, ("CORNERTURN_COMPILER", "nvrtc")]);
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
    let nvrtc = [NO_NVRTC, ("CORNERTURN_COMPILER", "nvrtc")];
    scratch.run_with(&words, &nvrtc).fails(
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

#[test]
fn the_space_of_products_is_printed_and_options_of_the_other_are_refused() {
    let scratch = Scratch::new("tune-gemm-list");
    for layout in ["nn", "nt", "tn", "tt"] {
        let words = ["tune", "gemm", "--list", "--json", "--layout", layout];
        let json = scratch.run_with(&words, &[NO_NVRTC]).json();
        assert_eq!(json["layout"], layout);
        let variants = json["variants"].as_array().unwrap();
        assert!((100..=300).contains(&variants.len()), "{}", variants.len());
        assert!(variants[0]["shared_bytes"].as_u64().unwrap() > 0);
    }
    scratch
        .run(&["tune", "gemm", "--rows", "7"])
        .fails(2, &["--rows", "--shape"]);
    scratch
        .run(&["tune", "--shape", "512"])
        .fails(2, &["--shape", "tune gemm"]);
    scratch
        .run(&["tune", "transpose", "--layout", "nt"])
        .fails(2, &["--layout", "tune gemm"]);
    scratch
        .run(&["tune", "gemm", "--layout", "tr"])
        .fails(2, &["tr", "nn, nt"]);
    scratch
        .run(&["tune", "gemm", "--shape", "5x7"])
        .fails(2, &["5x7", "MxNxK"]);
    scratch
        .run(&["tune", "gemm", "--shape", "2000000"])
        .fails(2, &["1048576"]);
    scratch
        .run(&["tune", "matmul"])
        .fails(2, &["matmul", "gemm"]);
}

#[test]
fn on_the_emulator_products_of_every_layout_are_verified_and_counted() {
    let scratch = Scratch::new("tune-gemm-count");
    for layout in ["nn", "nt", "tn", "tt"] {
        let only = "tile 64×64 by 8×8, 6 blocks, 5 stages of 8, split 2";
        let words = ["tune", "gemm", "--json", "--layout", layout, "--only", only];
        let outcome = scratch.run(&words);
        if outcome.status == 4 {
            return outcome.fails(4, &["cargo cornerturn kernels --install-compiler"]);
        }
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let json = outcome.json();
        let variants = json["variants"].as_array().unwrap();
        assert_eq!(variants.len(), 1);
        assert_eq!(variants[0]["verified"], true, "{layout}");
    }
}
