//! The other measuring verbs from outside: what they print, and their exit statuses.

use crate::support::Scratch;

#[test]
fn list_names_every_kernel_and_its_claims() {
    let scratch = Scratch::new("list");
    let outcome = scratch.run(&["list", "--json"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let json = outcome.json();
    let kernels = json.as_array().unwrap();
    assert!(kernels.len() >= 6);
    let tiled = kernels
        .iter()
        .find(|kernel| kernel["id"] == "tiled")
        .unwrap();
    assert_eq!(tiled["claims"]["shared_load_wavefronts_per_request"], 32.0);
    assert_eq!(tiled["block"], serde_json::json!([32, 8]));
    let table = scratch.run(&["list"]);
    for kernel in kernels {
        assert!(table.stdout.contains(kernel["id"].as_str().unwrap()));
    }
}

#[test]
fn run_verifies_counts_and_checks_claims() {
    let scratch = Scratch::new("run");
    let outcome = scratch.run(&["run", "tiled", "--rows", "97", "--columns", "61", "--json"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let json = outcome.json();
    assert_eq!(json["device"], "emulator");
    assert_eq!(json["verified"], true);
    assert_eq!(json["bytes_moved"], 2 * 97 * 61 * 4);
    assert_eq!(json["timing"], serde_json::Value::Null);
    // Three warps' rows of 61 columns need two requests each: 97 rows of 32 + 29 elements.
    assert_eq!(
        json["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        2 * 97
    );
    let claims = json["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 4);
    assert!(claims.iter().all(|claim| claim["holds"] == true));
}

#[test]
fn run_names_what_it_cannot_do() {
    let scratch = Scratch::new("run-bad");
    scratch
        .run(&["run", "tilde"])
        .fails(2, &["`tilde`", "tiled"]);
    scratch
        .run(&["run", "tiled", "--rows", "0"])
        .fails(2, &["0×4096"]);
    // Its grid would have 65536 rows of blocks.
    scratch
        .run(&["run", "tiled", "--rows", "2097121", "--columns", "1"])
        .fails(2, &["grid"]);
    scratch
        .run(&["run", "tiled", "--rows", "-3"])
        .fails(2, &["--rows"]);
}

#[test]
fn bench_says_whose_time_it_is() {
    let scratch = Scratch::new("bench");
    let outcome = scratch.run(&[
        "bench",
        "padded",
        "--rows",
        "96",
        "--columns",
        "160",
        "--runs",
        "3",
    ]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("emulator's own speed"));
    assert!(outcome.stdout.contains("no GPU's time"));
    let words = [
        "bench",
        "padded",
        "--rows",
        "96",
        "--columns",
        "160",
        "--runs",
        "3",
        "--json",
    ];
    let speed = scratch.run(&words).json()[0].clone();
    assert_eq!(speed["kernel"], "padded");
    assert!(speed["warp_instructions"].as_u64().unwrap() > 15 * 8 * 8);
    assert!(speed["median_host_ms"].as_f64().unwrap() > 0.0);
    scratch
        .run(&["bench", "padded", "--runs", "0"])
        .fails(2, &["--runs"]);
}

#[test]
fn a_product_runs_at_its_shape_and_is_refused_at_others() {
    let scratch = Scratch::new("products");
    let on = ["--device", "emulator"];
    let words = [&["run", "sgemm_tiled", "--shape", "33x65x47"][..], &on].concat();
    let outcome = scratch.run(&words);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    for text in [
        "product 33×65×47 of f32, nn verified bit by bit",
        "claims that hold: 1 of 1",
    ] {
        assert!(outcome.stdout.contains(text), "{}", outcome.stdout);
    }
    let words = [&["run", "wmma_f16", "--shape", "32", "--json"][..], &on].concat();
    let run = scratch.run(&words).json();
    assert_eq!((&run["m"], &run["input"]), (&32.into(), &"f16".into()));
    assert_eq!(run["counted"], serde_json::json!([32, 32, 32]));
    let words = [&["run", "wmma_f16", "--shape", "32x32x33"][..], &on].concat();
    scratch.run(&words).fails(2, &["k is a multiple of 16"]);
    scratch
        .run(&["run", "sgemm_tiled", "--shape", "4x4"])
        .fails(2, &["MxNxK"]);
    scratch
        .run(&["record", "products", "--shape", "4x"])
        .fails(2, &["ROWSxCOLUMNS"]);
}

#[test]
fn record_needs_a_gpu_and_writes_nothing_without_one() {
    let scratch = Scratch::new("record");
    scratch
        .run(&["record", "speed"])
        .fails(2, &["transpose", "counters"]);
    scratch
        .run(&["record", "transpose", "--shape", "4096"])
        .fails(2, &["ROWSxCOLUMNS"]);
    let outcome = scratch.run(&[
        "record",
        "transpose",
        "--shape",
        "97x61",
        "--out",
        "results",
    ]);
    match outcome.status {
        0 => assert!(outcome.stdout.contains("GB/s")),
        _ => {
            outcome.fails(4, &["NVIDIA"]);
            assert!(scratch.files().is_empty());
        }
    }
}

#[test]
fn record_lists_its_experiments_and_says_that_the_emulator_has_no_time() {
    let scratch = Scratch::new("record-list");
    let listed = scratch.run(&["record"]);
    assert_eq!(listed.status, 0, "{}", listed.stderr);
    for words in [
        "transpose ",
        "counters ",
        "Memory counters of every",
        "--cells",
    ] {
        assert!(listed.stdout.contains(words), "{}", listed.stdout);
    }
    let refused = scratch.run(&["record", "cold", "--out", "results"]);
    if refused.status != 0 {
        let said = &refused.stderr;
        assert!(said.contains("the emulator does not have"), "{said}");
        assert!(!said.contains("CORNERTURN_DEVICE"), "{said}");
    }
}

#[test]
fn a_slip_in_a_kernels_name_is_understood() {
    let scratch = Scratch::new("slip");
    let slip = scratch.run(&["run", "paded"]);
    slip.fails(
        2,
        &[
            "there is no kernel `paded`, did you mean `padded`?",
            "cornerturn list",
        ],
    );
    let other = scratch.run(&["run", "xyzzyxyzzy"]);
    other.fails(2, &["there is no kernel `xyzzyxyzzy`; `cornerturn list`"]);
    scratch
        .run(&["run", "padded", "--device", "gpu"])
        .fails(2, &["cuda", "emulator"]);
}

/// The names in backquotes of a line of the page that tells of JSON.
fn documented(line: &str) -> Vec<String> {
    let between = line.split('`').skip(1).step_by(2);
    between.map(str::to_owned).collect()
}

#[test]
fn what_json_prints_is_documented_field_by_field() {
    let scratch = Scratch::new("json-page");
    let page = include_str!("../../../../book/src/json.md");
    let section = |name: &str| -> Vec<String> {
        let start = format!("## {name}\n");
        let text = page.split(&start).nth(1).unwrap();
        documented(text.split("\n## ").next().unwrap())
    };
    let emulator = ["--device", "emulator", "--json"];
    let run = [
        &["run", "padded", "--rows", "70", "--columns", "45"][..],
        &emulator,
    ]
    .concat();
    let product = [
        &["run", "sgemm_tiled", "--shape", "33x65x47"][..],
        &emulator,
    ]
    .concat();
    let cases: [(&str, &[&str]); 12] = [
        ("run", &run),
        ("run", &product),
        ("doctor", &["doctor", "--json"]),
        (
            "bench",
            &[
                "bench",
                "padded",
                "--rows",
                "40",
                "--columns",
                "33",
                "--runs",
                "1",
                "--json",
            ],
        ),
        ("exercise", &["exercise", "list", "--json"]),
        ("exercise", &["exercise", "start", "strided", "--json"]),
        ("exercise", &["exercise", "hint", "strided", "--json"]),
        ("exercise", &["exercise", "reset", "strided", "--json"]),
        (
            "exercise",
            &["exercise", "solution", "strided", "--show-anyway", "--json"],
        ),
        ("exercise", &["exercise", "skip", "strided", "--json"]),
        ("record, kernels", &["record", "--json"]),
        ("list", &["list", "--json"]),
    ];
    for (name, words) in cases {
        let told = scratch.run(words).json();
        let object = told.as_array().map_or(&told, |list| &list[0]);
        let fields = section(name);
        let own = object.as_object().unwrap().keys();
        let missing: Vec<&String> = own.filter(|field| !fields.contains(field)).collect();
        // Of the registry's kernels the page names what all have.
        let is_registry = name == "list";
        assert!(is_registry || missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn verbs_without_json_say_so() {
    let scratch = Scratch::new("no-json");
    for words in [
        &["record", "cold", "--json"][..],
        &["open", "--json"],
        &["lab", "--json"],
        &["exercise", "watch", "--json"],
    ] {
        let refused = scratch.run(words);
        assert_eq!(refused.status, 2, "{words:?}: {}", refused.stderr);
        let told = refused.json();
        let message = told["error"]["message"].as_str().unwrap();
        assert!(message.contains("has no --json"), "{words:?}: {message}");
    }
}

#[test]
fn doctor_names_a_fix_for_everything_missing() {
    let scratch = Scratch::new("doctor");
    let json = scratch.run(&["doctor", "--json"]).json();
    let checks = json.as_array().unwrap();
    for name in [
        "Rust",
        "rust-src",
        "C toolchain",
        "Python 3",
        "NVRTC",
        "NVIDIA GPU",
        "browser",
    ] {
        assert!(checks.iter().any(|check| check["name"] == name), "{name}");
    }
    for check in checks {
        let present = check["present"].as_bool().unwrap();
        assert_eq!(
            check["fix"].as_str().unwrap().is_empty(),
            present,
            "{check}"
        );
        assert!(!check["found"].as_str().unwrap().is_empty(), "{check}");
    }
    // The tests are built with Rust, so what the book needs of it is there.
    assert!(
        checks
            .iter()
            .any(|check| check["name"] == "Rust" && check["present"] == true)
    );
}

#[test]
fn a_home_that_is_none_is_named() {
    let scratch = Scratch::new("home");
    let outcome = scratch.run_with(&["list"], &[("CORNERTURN_HOME", "/nonexistent")]);
    outcome.fails(2, &["CORNERTURN_HOME", "kernels.toml"]);
    assert!(scratch.files().is_empty());
}

#[test]
fn stale_ptx_is_refused_with_the_command_that_mends_it() {
    let scratch = Scratch::new("stale");
    let home = [("CORNERTURN_HOME", scratch.project())];
    let source = String::from_utf8(scratch.read("kernels/transpose/tiled.cu")).unwrap();
    scratch.write("kernels/transpose/tiled.cu", source + "\n// changed\n");
    let outcome = scratch.run_with(&["run", "tiled"], &home);
    outcome.fails(2, &["tiled.ptx", "cargo cornerturn kernels"]);
    // Of the others nothing changed.
    let outcome = scratch.run_with(&["run", "padded", "--rows", "33", "--columns", "65"], &home);
    assert_eq!(outcome.status, 0, "{outcome:?}");
}

#[test]
fn a_broken_registry_is_named_with_its_line() {
    let scratch = Scratch::new("registry");
    let home = [("CORNERTURN_HOME", scratch.project())];
    scratch.write("kernels/kernels.toml", "[[kernel]]\nid = \"x\"\nfile = 7\n");
    scratch
        .run_with(&["list"], &home)
        .fails(2, &["kernels.toml", "line 3"]);
    scratch.write("kernels/kernels.toml", [0xff, 0xfe]);
    scratch
        .run_with(&["list"], &home)
        .fails(2, &["kernels.toml"]);
}

#[test]
fn without_python_the_compiler_is_not_half_installed() {
    let scratch = Scratch::new("python");
    let variables = [("CORNERTURN_HOME", scratch.project()), ("PATH", "")];
    for verb in [["kernels", "--install-compiler"], ["kernels", "--check"]] {
        scratch
            .run_with(&verb, &variables)
            .fails(4, &["python3", "install it"]);
    }
    let left = std::fs::read_dir(scratch.path().join("target")).unwrap();
    assert_eq!(left.count(), 0);
}

#[cfg(feature = "book")]
#[test]
fn only_a_kernel_of_this_project_is_unregistered() {
    let scratch = Scratch::new("unregister");
    let kernels = scratch.path().join("kernels");
    let spec = |name: &str, display: &str, program: &str| {
        std::fs::create_dir_all(kernels.join(name)).unwrap();
        let spec =
            serde_json::json!({"argv": [program, "{connection_file}"], "display_name": display});
        scratch.write(&format!("kernels/{name}/kernel.json"), spec.to_string());
    };
    let run = || {
        let data = scratch.path().to_str().unwrap();
        scratch.run_with(&["lab", "--unregister"], &[("JUPYTER_DATA_DIR", data)])
    };
    spec("rust", "Rust", "evcxr_jupyter");
    let none = run();
    assert_eq!(none.status, 0, "{none:?}");
    assert!(
        none.stderr.contains("there is no kernel of this project"),
        "{none:?}"
    );
    spec(
        "cornerturn",
        "Rust (Corner Turn)",
        "/p/target/lab/bin/cornerturn-kernel",
    );
    let removed = run();
    assert!(removed.stderr.contains("removed"), "{removed:?}");
    assert!(kernels.join("rust/kernel.json").is_file());
    assert!(!kernels.join("cornerturn").exists());
}
