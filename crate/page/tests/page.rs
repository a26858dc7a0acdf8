//! What the page's script asks, asked here: every verb, every kernel, and whatever a stranger may send.

#![allow(clippy::unwrap_used)]

use cornerturn::Counters;
use cornerturn::exercise::{Exercise, Progress, Seed, Terms, Workshop};
use cornerturn::registry::Registry;
use cornerturn_page::pack;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Instant;

fn ask(request: &Value) -> Value {
    let answer = cornerturn_page::ask(request.to_string().as_bytes());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

/// As a page begins: this thread reads what the page is given, these kernels and the exercises, and nothing else.
fn begin(ids: &[&str]) {
    cornerturn::given::forget();
    let registry = Registry::load().unwrap();
    let mut kernels = pack::Kernels::default();
    let kernel = |id: &&str| kernels.pack(&registry, registry.code(id).unwrap()).unwrap();
    let mut all = vec![pack::registry().unwrap(), pack::exercises().unwrap()];
    all.extend(ids.iter().map(kernel));
    for files in all {
        assert_eq!(ask(&json!({"verb": "files", "files": files})), json!({}));
    }
}

/// The kind of an error; nothing where there is none.
fn kind(answer: &Value) -> &str {
    answer["error"]["kind"].as_str().unwrap_or_default()
}

fn counter(answer: &Value, name: &str) -> [Option<u64>; 2] {
    let counters = answer["counters"].as_array().unwrap();
    let found = counters.iter().find(|counter| counter["name"] == name);
    let found = found.unwrap_or(&Value::Null);
    [found["value"].as_u64(), found["committed"].as_u64()]
}

#[test]
fn a_kernel_is_described_run_edited_broken_and_mended() {
    begin(&["padded"]);
    let padded = ask(&json!({"verb": "kernel", "id": "padded"}));
    assert_eq!(padded["work"], "matrix");
    assert_eq!(padded["sizes"][1]["name"], "columns");
    let source = padded["source"].as_str().unwrap();
    let run = |source: &str| {
        ask(
            &json!({"verb": "run", "id": "padded", "source": source, "sizes": {"rows": 100, "columns": 70},
                    "checks": true, "pictures": true}),
        )
    };
    let right = run(source);
    assert_eq!(right["verified"], true, "{right}");
    assert_eq!(counter(&right, "shared load bank conflicts"), [None, None]);
    let names: Vec<&str> = right["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["sectors", "sectors", "banks", "banks", "order", "traffic"]
    );
    assert!(
        right["text"]
            .as_str()
            .unwrap()
            .contains("verified bit by bit")
    );

    let conflicts = run(&source.replace("[32 + 1]", "[32]"));
    assert_eq!(conflicts["verified"], true);
    let [now, before] = counter(&conflicts, "shared load bank conflicts");
    assert!(now > Some(0) && before == Some(0), "{now:?} {before:?}");

    let race = run(&source.replace("__syncthreads();", ""));
    assert_eq!(race["verified"], false);
    let finding = &race["findings"][0];
    assert_eq!(finding["kind"], "race");
    assert!(
        finding["line"].as_u64() > Some(10) && finding["file"] == "padded.cu",
        "{finding}"
    );
    assert_eq!(
        counter(&race, "global load requests")[0],
        counter(&right, "global load requests")[0]
    );

    let wrong = run(&source.replace("out[", "out[0 * "));
    assert_eq!(wrong["verified"], false);
    assert!(
        wrong["mismatch"]["text"].is_string() || !wrong["findings"].as_array().unwrap().is_empty()
    );

    // Nothing is said of what a launch did that was stopped, nor is the book's drawn in its place.
    let outside = run(&source.replace("columns + column]", "columns + column + 1]"));
    assert_eq!(outside["findings"][0]["kind"], "out_of_bounds");
    assert_eq!(
        [&outside["counted"], &outside["counters"]],
        [&json!(false), &json!([])]
    );
    let drawn = outside["pictures"].as_array().unwrap();
    assert!(drawn.iter().all(|picture| picture["name"] != "traffic"));

    let broken = run(&source.replace("threadIdx.x;", "threadidx.x;"));
    assert_eq!(kind(&broken), "source");
    let diagnostic = &broken["error"]["diagnostics"][0];
    assert_eq!(diagnostic["help"], "did you mean `threadIdx`?");
    assert!(
        diagnostic["line"].as_u64() > Some(5)
            && diagnostic["end_column"].as_u64() > diagnostic["column"].as_u64()
    );
}

#[test]
fn two_kernels_of_one_source_run_in_one_page() {
    begin(&["sgemm_ring", "sgemm_ring_nt"]);
    for id in ["sgemm_ring", "sgemm_ring_nt", "sgemm_ring"] {
        let answer = ask(
            &json!({"verb": "run", "id": id, "sizes": {"m": 128, "n": 256, "k": 16}, "checks": false}),
        );
        assert_eq!(answer["verified"], true, "{id}: {answer}");
    }
}

#[test]
fn counters_are_those_of_the_library() {
    begin(&["float4_tiled", "naive_read"]);
    let sizes = json!({"rows": 333, "columns": 517});
    let answer = ask(
        &json!({"verb": "run", "id": "float4_tiled", "sizes": {"rows": 332, "columns": 516}, "checks": false}),
    );
    assert_eq!(answer["verified"], true, "{answer}");
    let naive = ask(&json!({"verb": "run", "id": "naive_read", "sizes": sizes, "checks": false}));
    let here = std::thread::spawn(|| cornerturn::Run::count("naive_read", 333, 517).unwrap());
    let here: Counters = here.join().unwrap();
    // How many instructions there are is the compiler's affair: the library runs NVIDIA's PTX.
    let of_memory = |field: &&str| field.starts_with("global") || field.starts_with("shared");
    for field in Counters::NAMES
        .iter()
        .map(|(field, _)| field)
        .filter(|field| of_memory(field))
    {
        if let [Some(value), _] = counter(&naive, &field.replace('_', " ")) {
            assert_eq!(Some(value), here.field(field), "{field}");
        }
    }
}

#[test]
fn works_and_products_take_their_own_sizes() {
    begin(&[
        "strided",
        "sgemm_tiled",
        "batched",
        "in_place",
        "padded",
        "chase_l2",
    ]);
    for (id, sizes) in [
        ("strided", json!({"items": 999, "parameter": 3})),
        ("sgemm_tiled", json!({"m": 33, "n": 65, "k": 17})),
        ("batched", json!({"rows": 33, "columns": 17, "batches": 2})),
        ("in_place", json!({"rows": 100})),
    ] {
        let answer = ask(&json!({"verb": "run", "id": id, "sizes": sizes}));
        assert_eq!(answer["verified"], true, "{id}: {answer}");
    }
    let other = ask(&json!({"verb": "run", "id": "strided", "sizes": {"rows": 4}}));
    assert_eq!(kind(&other), "request");
    for (id, sizes) in [
        ("padded", json!({"rows": 8193})),
        (
            "batched",
            json!({"rows": 8192, "columns": 8192, "batches": 64}),
        ),
        ("strided", json!({"items": u64::MAX})),
        ("chase_l2", json!({"items": 5, "parameter": 1 << 27})),
    ] {
        let answer = ask(&json!({"verb": "run", "id": id, "sizes": sizes}));
        assert_eq!(kind(&answer), "limit", "{id}: {answer}");
    }
}

const ADD: &str = "extern \"C\" __global__ void add(const float* x, float* y, float by, unsigned items)\n{\n    \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < items)\n        y[i] = x[i] + by;\n}\n";

#[test]
fn any_kernel_is_launched_with_any_arguments() {
    begin(&[]);
    let launch = |source: &str, arguments: &[&str], entry: Option<&str>| {
        ask(
            &json!({"verb": "launch", "source": source, "entry": entry, "grid": [2, 1, 1], "block": [64, 1, 1],
                    "shared": 0, "arguments": arguments, "checks": true, "show": [1]}),
        )
    };
    let arguments = ["f32[100]=iota", "f32[100]=poison", "f32=0.5", "u32=100"];
    let done = launch(ADD, &arguments, None);
    assert_eq!(done["buffers"][0]["values"][3], 3.5, "{done}");
    assert_eq!(done["findings"], json!([]));
    assert_eq!(done["verified"], Value::Null);
    let outside = launch(&ADD.replace("i < items", "i <= items"), &arguments, None);
    assert_eq!(outside["findings"][0]["kind"], "out_of_bounds");
    assert_eq!(outside["findings"][0]["line"], 5);

    let both = format!("{ADD}{}", ADD.replace("add(", "add_again("));
    assert_eq!(
        launch(&both, &arguments, None)["entries"],
        json!(["add", "add_again"])
    );
    assert_eq!(
        launch(&both, &arguments, Some("add"))["findings"],
        json!([])
    );

    let sized = launch(
        "extern \"C\" __global__ void k(float* x) { extern __shared__ float s[]; s[0] = 1; x[0] = s[0]; }",
        &["f32[1]=zero"],
        None,
    );
    assert_eq!(sized["error"]["shared"], 512, "{sized}");
    let stopped = launch(
        "extern \"C\" __global__ void k(float* x) { x[0] = 1; __trap(); }",
        &["f32[1]=zero"],
        None,
    );
    assert_eq!(stopped["findings"][0]["kind"], "trap", "{stopped}");
    assert_eq!(stopped["counted"], false);

    let both_again = launch(&both, &arguments, Some("ad"));
    assert_eq!(both_again["entries"], json!(["add", "add_again"]));

    let program = format!(
        "#include <iostream>\n{ADD}\nint main() {{ std::cout << 1; add<<<1, 100>>>(a, b, 0.5f, 100); }}"
    );
    let done = launch(&program, &arguments, None);
    assert_eq!(done["buffers"][0]["values"][3], 3.5, "{done}");
    let warning = &done["compiled"]["warnings"][0];
    assert!(
        warning["message"]
            .as_str()
            .unwrap()
            .contains("`main` launches kernels")
    );

    let ptx = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    let done = launch(ptx, &[], None);
    assert_eq!(done["entry"], "nothing");
    let torn = launch(&ptx.replace("ret;", "ret"), &[], None);
    assert_eq!(kind(&torn), "source");
    let told = &torn["error"]["diagnostics"][0];
    assert!(told["line"].is_u64() && !told["message"].as_str().unwrap().contains("line"));
    assert_eq!(
        kind(&launch(&ptx.replace("ret;", "bra.nonsense;"), &[], None)),
        "unsupported"
    );

    for (arguments, expected) in [
        (&arguments[..3], "request"),
        (
            &["f32[100]=iota", "f32[100]=poison", "f32=x", "u32=100"],
            "request",
        ),
        (
            &[
                "f32[100]=file:/etc/passwd",
                "f32[100]=poison",
                "f32=1",
                "u32=100",
            ],
            "request",
        ),
        (
            &["f32[999999999]=iota", "f32[100]=poison", "f32=1", "u32=100"],
            "limit",
        ),
    ] {
        let answer = launch(ADD, arguments, None);
        assert_eq!(kind(&answer), expected, "{answer}");
    }
}

#[test]
fn what_strangers_paste_is_answered_with_what_to_do() {
    begin(&[]);
    let launch = |source: &str, grid: &[u32], arguments: &[&str]| {
        ask(
            &json!({"verb": "launch", "source": source, "grid": grid, "block": [64], "arguments": arguments}),
        )
    };
    let message = |answer: &Value| answer["error"]["message"].as_str().unwrap().to_string();

    // Arguments that do not fit name the parameter, and come with some that do.
    let plain = ADD.replace("extern \"C\" ", "");
    let fitting = json!(["f32[128]=iota", "f32[128]=zero", "f32=1", "u32=128"]);
    for (arguments, expected) in [
        (
            &[][..],
            "`add` takes 4 arguments, and 0 were given; one for each parameter (`x`, a pointer to `float`;",
        ),
        (
            &["f32[9]=iota", "i32=3", "f32=1", "u32=9"],
            "argument 1 is a scalar of i32, and the parameter `y` of `add` is a pointer to `float`: write f32[1024]=zero",
        ),
        (
            &["f32[9]=iota", "f32[9]=zero", "f32=1", "f32=9"],
            "the parameter `items` of `add` is a number of type `unsigned`: write u32=9",
        ),
        (
            &["float[9]=iota", "f32[9]=zero", "f32=1", "u32=9"],
            "argument 0: `float` is no type here; write f32;",
        ),
    ] {
        let answer = launch(&plain, &[2], arguments);
        assert!(message(&answer).contains(expected), "{answer}");
        assert_eq!(answer["error"]["arguments"], fitting);
    }
    let suggested = ask(&json!({"verb": "suggest", "source": plain, "grid": [2], "block": [64]}));
    assert_eq!(suggested["arguments"], fitting, "{suggested}");
    let given = ["f32[128] = iota", "f32[128]=zero", "f32=1", "u32=128"];
    let done = launch(&plain, &[2], &given);
    // What the kernel changed comes first, under the parameter's name.
    assert_eq!(done["buffers"][0]["values"][3], 4.0, "{done}");
    assert_eq!(done["buffers"][0]["bits"][3], "0x40800000");
    let told =
        |at: usize| ["name", "argument", "first_change"].map(|field| &done["buffers"][at][field]);
    assert_eq!(told(0), [&json!("y"), &json!("1"), &json!(0)]);
    assert_eq!(told(1), [&json!("x"), &json!("0"), &Value::Null]);
    // What others do to a kernel's name is nothing to who runs it here.
    assert_eq!(done["compiled"]["warnings"], json!([]));

    let dynamic = "__global__ void k(int* x) { extern __shared__ int s[]; s[threadIdx.x] = 1; x[threadIdx.x] = s[threadIdx.x]; }";
    assert!(
        message(&launch(dynamic, &[1], &["i32[64]=zero"]))
            .contains("field of dynamic shared memory")
    );
    let suggested = ask(&json!({"verb": "suggest", "source": dynamic, "grid": [1], "block": [64]}));
    assert_eq!(suggested["shared"], 512);

    let printing =
        "#include <stdio.h>\n__global__ void k() { printf(\"%d</script>\\n\", threadIdx.x); }";
    let printed = launch(printing, &[1], &[]);
    assert!(
        printed["printed"]
            .as_str()
            .unwrap()
            .ends_with("thread (63, 0, 0): 63</script>\n"),
        "{printed}"
    );

    // A line of the PTX is none of the source.
    let large = launch(
        "__global__ void k(float* x) { __shared__ float s[10000], t[10000]; s[threadIdx.x] = 1; t[threadIdx.x] = 2; x[0] = s[1] + t[1]; }",
        &[1],
        &["f32[1]=zero"],
    );
    assert_eq!(large["error"]["diagnostics"], json!([]), "{large}");
    assert!(message(&large).starts_with("the shared memory"), "{large}");

    let endless = launch("__global__ void k() {}", &[65535, 65535], &[]);
    assert_eq!(kind(&endless), "limit", "{endless}");

    // Columns are those of a script's texts.
    let letters = launch(
        "__global__ void k(float* x) { /* \u{df}\u{1f600} */ x[0] = y; }",
        &[1],
        &["f32[1]=zero"],
    );
    assert_eq!(
        letters["error"]["diagnostics"][0]["column"], 48,
        "{letters}"
    );

    let race = launch(
        "__global__ void k(int* x) { x[0] = threadIdx.x; }",
        &[1],
        &["i32[1]=zero"],
    );
    let finding = &race["findings"][0];
    assert!(
        finding["hint"]
            .as_str()
            .unwrap()
            .starts_with("Usual cause:"),
        "{finding}"
    );
    assert!(
        !finding["message"].as_str().unwrap().contains("Usual cause"),
        "{finding}"
    );
}

#[test]
fn a_launch_is_taken_from_a_pasted_program() {
    begin(&[]);
    let program = "struct Pair { float by; int n; };\n\
        __global__ void other(float* x) {}\n\
        __global__ void scale(const float* in, float* out, Pair pair, int n) { int i = blockIdx.x * 32 + threadIdx.x; if (i < n) out[i] = pair.by * in[i]; }\n\
        int main() { const int n = 100; float *in, *out; cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&out, n * 4);\n\
        Pair pair = make(); scale<<<(n + 31) / 32, 32>>>(in, out, pair, n); cudaDeviceSynchronize(); }\n";
    let request = json!({"verb": "suggest", "source": program, "grid": [7], "block": [64]});
    let found = ask(&request);
    let arguments = json!([
        "f32[100]=iota",
        "f32[100]=zero",
        "struct{f32=1,i32=128}",
        "i32=100"
    ]);
    assert_eq!(found["arguments"], arguments, "{found}");
    assert_eq!(
        [&found["grid"], &found["block"]],
        [&json!([4, 1, 1]), &json!([32, 1, 1])]
    );
    assert_eq!(found["is_chosen"], true);
    assert_eq!(found["left"], json!(["the argument `pair`"]));
    let mut kept = request.clone();
    kept["keeps_launch"] = json!(true);
    assert_eq!(ask(&kept)["grid"], json!([7, 1, 1]));

    let launched = ask(
        &json!({"verb": "launch", "source": program, "entry": "scale", "grid": [4], "block": [32], "arguments": arguments, "show": [9]}),
    );
    assert_eq!(launched["findings"], json!([]), "{launched}");
    assert_eq!(launched["buffers"][0]["values"][99], 99.0);
    assert_eq!(launched["buffers"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_a_kernel_of_the_book_prints_is_shown_and_a_new_name_is_met_with_advice() {
    begin(&["padded"]);
    let source = ask(&json!({"verb": "kernel", "id": "padded"}))["source"]
        .as_str()
        .unwrap()
        .to_string();
    let run = |source: &str| {
        ask(
            &json!({"verb": "run", "id": "padded", "source": source, "sizes": {"rows": 33, "columns": 35}}),
        )
    };
    let printing = source.replacen(
        "__syncthreads();",
        "__syncthreads(); if (threadIdx.x + threadIdx.y == 0) printf(\"%u\\n\", rows);",
        1,
    );
    for (source, is_right) in [
        (printing.clone(), true),
        (
            printing
                .replace("32 + 1", "32 + 2")
                .replace("= tile[", "= 1 + tile["),
            false,
        ),
    ] {
        let answer = run(&source);
        assert_eq!(answer["verified"], is_right, "{answer}");
        let printed = answer["printed"].as_str().unwrap();
        assert!(
            printed.starts_with("block (0, 0, 0), thread (0, 0, 0): 33\n"),
            "{answer}"
        );
    }
    let renamed = run(&source.replace("void padded(", "void better("));
    let message = renamed["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("this panel runs the kernel `padded`, and the text has `better`"),
        "{message}"
    );
}

#[test]
fn what_never_ends_is_ended() {
    begin(&[]);
    // The budget is some hundred million instructions; these take the least time.
    let endless = "extern \"C\" __global__ void endless(int* x) {\n\
                   int n = x[0]; while (true) asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(n)); }";
    let answer = ask(
        &json!({"verb": "launch", "source": endless, "grid": [1], "block": [32], "arguments": ["i32[1]=zero"], "checks": false}),
    );
    assert_eq!(answer["findings"][0]["kind"], "endless_loop", "{answer}");
}

#[test]
fn an_exercise_is_told_hinted_checked_and_noted() {
    begin(&[]);
    let all = ask(&json!({"verb": "exercises"}));
    assert!(all.as_array().unwrap().len() > 20);
    let padding = ask(&json!({"verb": "exercise", "id": "padding"}));
    assert!(padding["starter"].as_str().unwrap().contains("TODO") && padding["hints"] == 3);
    assert!(ask(&json!({"verb": "hint", "id": "padding", "number": 1}))["text"].is_string());
    assert_eq!(
        kind(&ask(&json!({"verb": "hint", "id": "padding", "number": 9}))),
        "request"
    );
    let not_yet =
        ask(&json!({"verb": "check", "id": "padding", "answer": padding["starter"], "seed": 4}));
    assert_eq!(
        (&not_yet["passed"], &not_yet["solution"]),
        (&json!(false), &Value::Null)
    );
    // Nobody has failed who has not begun.
    assert_eq!(not_yet["is_starter"], true);
    let told = not_yet["text"].as_str().unwrap();
    assert!(
        told.contains("the starter, as it is given") && !told.contains("not yet"),
        "{told}"
    );
    let solution =
        std::thread::spawn(|| Workshop::load().unwrap().get("padding").unwrap().solution())
            .join()
            .unwrap();
    let passed = ask(&json!({"verb": "check", "id": "padding", "answer": solution}));
    assert_eq!(
        (&passed["passed"], passed["solution"].as_str()),
        (&json!(true), Some(solution.as_str()))
    );
    let numbers = ask(
        &json!({"verb": "check", "id": "strided", "answer": {"few": 1, "many": 2, "short": 3}}),
    );
    assert_eq!(numbers["passed"], false, "{numbers}");
    let typed = |few: &str| {
        let fields = json!({"few": few, "many": "", "short": ""});
        ask(&json!({"verb": "check", "id": "strided", "answer": fields}))
    };
    assert_eq!(typed("")["is_starter"], true);
    for (few, words) in [
        ("eight", "`eight` is no number"),
        ("8", "no number yet for: "),
    ] {
        let told = typed(few);
        let text = told["text"].as_str().unwrap();
        assert!(text.contains(words), "{text}");
        // A reader of fields has neither a file nor the names in it.
        assert!(!text.contains("ANSWER") && !text.contains(".cu"), "{text}");
        assert_eq!(told["is_starter"], false);
    }
}

#[test]
fn a_pipeline_launches_a_kernel_that_comes_with_the_exercises() {
    begin(&[]);
    let solution = std::thread::spawn(|| {
        let workshop = Workshop::load().unwrap();
        workshop.get("missing_event").unwrap().solution()
    });
    let solution = solution.join().unwrap();
    let passed = ask(&json!({"verb": "check", "id": "missing_event", "answer": solution}));
    assert_eq!(passed["passed"], true, "{passed}");
}

#[test]
fn what_is_exported_the_terminal_reads_and_another_page_takes() {
    begin(&[]);
    let padding = "// padding\n\u{2028}\"</script>\"";
    let exported = ask(
        &json!({"verb": "export", "participant": "Ada", "exercises": [
            {"id": "strided", "answer": "// ANSWER many: 2\n", "passed": 1_800_000_060, "attempts": 3},
            {"id": "padding", "answer": padding, "passed": 1_800_000_000, "hints": 2},
            {"id": "tiled", "answer": "half of it"},
            {"id": "of yesterday", "answer": "x", "passed": 1_800_000_000},
        ]}),
    );
    let text = exported["text"].as_str().unwrap();
    let progress = Progress::parse(text).unwrap();
    assert!(!progress.edited && progress.participant == "Ada", "{text}");
    assert_eq!(progress.active_seconds, 60);
    assert_eq!(progress.exercises.len(), 3);
    let noted = progress.entry("padding");
    assert_eq!(
        (noted.passed, noted.answer.as_str()),
        (Some(1_800_000_000), padding)
    );
    assert_eq!(progress.entry("tiled").passed, None);

    let imported = ask(&json!({"verb": "import", "text": text}));
    assert_eq!(
        (&imported["participant"], &imported["edited"]),
        (&json!("Ada"), &json!(false))
    );
    let of = |id: &str| {
        let entries = imported["exercises"].as_array().unwrap();
        entries.iter().find(|entry| entry["id"] == id).unwrap()
    };
    assert_eq!(
        *of("padding"),
        json!({"id": "padding", "kind": "write", "answer": padding, "passed": 1_800_000_000_u64, "attempts": 0, "hints": 2})
    );
    assert_eq!(of("strided")["kind"], "predict");
    assert_eq!(of("tiled")["answer"], "half of it");
    let forged = text.replace("1800000060", "1");
    assert_eq!(
        ask(&json!({"verb": "import", "text": forged}))["edited"],
        true
    );
    // What was edited once stays so.
    let again = ask(&json!({"verb": "export", "edited": true}));
    assert!(
        Progress::parse(again["text"].as_str().unwrap())
            .unwrap()
            .edited
    );
}

#[test]
fn what_the_terminal_keeps_the_page_takes() {
    begin(&[]);
    let mut progress = Progress::default();
    progress.participant = "Ben".to_string();
    progress.touch(1_800_000_000);
    let entry = progress.exercises.entry("edge".to_string()).or_default();
    entry.keep("my edge", true);
    entry.passed = Some(1_800_000_000);
    entry.skipped = Some("too easy".to_string());
    let imported = ask(&json!({"verb": "import", "text": progress.to_text()}));
    assert_eq!(imported["participant"], "Ben");
    assert_eq!(imported["exercises"][0]["answer"], "my edge");
    for hostile in [
        "",
        "[]",
        "{\"schema\": 2}",
        r#"{"schema":1,"exercises":{"edge":{"answer":3}}}"#,
        r#"{"schema":1,"exercises":{"edge":{"passed":-1}}}"#,
        r#"{"schema":1,"exercises":[]}"#,
        &"[".repeat(100_000),
    ] {
        let told = ask(&json!({"verb": "import", "text": hostile}));
        assert_eq!(kind(&told), "request", "{hostile:.80}: {told}");
        assert!(
            told["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with("the file is "),
            "{told}"
        );
    }
}

/// Every answer that the terminal is tried with, and its source.
fn answers(exercise: &Exercise) -> Vec<(String, String)> {
    let mut names = vec!["starter", "solution"];
    names.extend(exercise.wrong.iter().map(|wrong| wrong.id.as_str()));
    names.extend(exercise.also.iter().map(|also| also.id.as_str()));
    let own = names
        .iter()
        .filter_map(|name| Some((name.to_string(), exercise.variant(name)?)));
    let cheats = exercise
        .cheats()
        .iter()
        .map(|cheat| (cheat.id.clone(), cheat.source.clone()));
    own.chain(cheats).collect()
}

/// Grades every second answer in the page and in the terminal, from the first or from the second on. All of them take a
/// minute of a processor, so that two tests share them.
fn verdicts_agree(first: usize) {
    let seed = 20_261_123;
    let terms = Terms {
        seed: Seed(seed),
        participant: String::new(),
    };
    // On a thread of its own, which reads the project's folder.
    let terminal = std::thread::spawn(move || {
        cornerturn::compile::choose(cornerturn::compile::CompilerKind::CornerTurn);
        let workshop = Workshop::load().unwrap();
        let all = workshop.exercises().iter();
        let all = all.flat_map(|exercise| {
            answers(exercise)
                .into_iter()
                .map(move |answer| (exercise, answer))
        });
        all.skip(first)
            .step_by(2)
            .map(|(exercise, (name, source))| {
                let verdict = exercise.check_under(&terms, &source);
                let told = verdict.map(|verdict| (verdict.passed, verdict.to_string()));
                (
                    exercise.id.clone(),
                    name,
                    source,
                    told.map_err(|error| error.to_string()),
                )
            })
            .collect::<Vec<_>>()
    });
    let terminal = terminal.join().unwrap();
    begin(&[]);
    for (id, name, source, told) in terminal {
        let answer = ask(&json!({"verb": "check", "id": id, "answer": source, "seed": seed}));
        match told {
            Ok((passed, text)) => {
                assert_eq!(answer["passed"], passed, "{id}, {name}: {answer}");
                assert_eq!(answer["text"].as_str(), Some(text.as_str()), "{id}, {name}");
            }
            Err(message) => assert_eq!(
                answer["error"]["message"].as_str(),
                Some(message.as_str()),
                "{id}, {name}"
            ),
        }
    }
}

#[test]
fn every_answer_gets_the_terminals_verdict() {
    verdicts_agree(0);
}

#[test]
fn every_other_answer_gets_the_terminals_verdict() {
    verdicts_agree(1);
}

#[test]
#[ignore = "takes a minute; prints how long each takes"]
fn every_kernel_runs_at_its_usual_sizes() {
    let registry = Registry::load().unwrap();
    let ids: Vec<&str> = registry.codes().map(|code| code.id).collect();
    begin(&ids);
    let mut wrong = Vec::new();
    for id in ids {
        let before = Instant::now();
        let described = ask(&json!({"verb": "kernel", "id": id}));
        let ready = before.elapsed();
        let sizes = described["sizes"].as_array().unwrap();
        let sizes = sizes.iter().map(|size| {
            (
                size["name"].as_str().unwrap().to_string(),
                size["value"].clone(),
            )
        });
        let sizes: serde_json::Map<String, Value> = sizes.collect();
        let request =
            json!({"verb": "run", "id": id, "sizes": sizes, "checks": true, "pictures": true});
        let answer = ask(&request);
        println!(
            "{:6} ms {:6} ms of it until it is described, {:9} instructions, {id} {}",
            before.elapsed().as_millis(),
            ready.as_millis(),
            answer["instructions"],
            request["sizes"]
        );
        let is_gap = kind(&answer) == "unsupported";
        if answer["verified"] != true && !is_gap {
            wrong.push(format!(
                "{id}: {} {}",
                answer["error"]["message"], answer["text"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_sources_and_bytes_are_answered() {
    begin(&[]);
    let deep = |open: &str, close: &str| {
        format!(
            "extern \"C\" __global__ void k(int* x) {{ x[0] = {}1{}; }}",
            open.repeat(50_000),
            close.repeat(50_000)
        )
    };
    for source in [
        deep("(", ")"),
        deep("-", ""),
        deep("x[", "]"),
        "{".repeat(100_000),
        "#define A A A\nA".to_string(),
        "template<int N> struct S { S<N + 1> s; }; S<0> s;".to_string(),
        "\u{0}".to_string(),
        "a".repeat(3 << 20),
    ] {
        let answer = ask(&json!({"verb": "launch", "source": source, "grid": [1], "block": [1]}));
        assert!(!kind(&answer).is_empty(), "{:.200}", answer.to_string());
    }
    for bytes in [
        &b""[..],
        b"[",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{\"verb\": 3}",
        b"{\"verb\": \"dance\"}",
    ] {
        assert!(cornerturn_page::ask(bytes).starts_with("{\"error\""));
    }
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(cornerturn_page::ask(nested.as_bytes()).starts_with("{\"error\""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_request_panics(
        verb in "(files|kernel|run|launch|suggest|exercises|exercise|hint|check|export|import)",
        member in "(id|source|sizes|block|element|grid|arguments|answer|number|seed|files|show|entry|shared|text)",
        value in r#"(null|true|-1|1e99|18446744073709551616|"padded"|"padding"|"f64"|\[\]|\[0,0\]|\[1\]|\[4294967296\]|\{\}|\{"rows":0\}|\{"rows":-1\}|\{"few":null\}|"")"#,
    ) {
        let id = match verb.as_str() { "kernel" | "run" => "copy", _ => "strided" };
        let text = format!(r#"{{"verb":"{verb}","id":"{id}","sizes":{{"rows":3,"columns":5}},"{member}":{value}}}"#);
        let answer = cornerturn_page::ask(text.as_bytes());
        prop_assert!(serde_json::from_str::<Value>(&answer).is_ok());
    }

    #[test]
    fn no_changed_source_panics(at in 0..ADD.len(), length in 0_usize..12, new in r#"([-+*/(){}\[\];,<>=!&|%^~.?:#"'\\ \n]|[a-z0-9]|__shared__|float4|0x|1e|for|template<|asm\(|\PC){0,6}"#) {
        let mut source = ADD.to_string();
        source.replace_range(at..(at + length).min(ADD.len()), &new);
        let request = json!({"verb": "launch", "source": source, "grid": [1], "block": [32],
                             "arguments": ["f32[32]=iota", "f32[32]=zero", "f32=1", "u32=32"]});
        let answer = ask(&request);
        prop_assert!(answer.is_object());
    }
}
