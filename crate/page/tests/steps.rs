//! Stepping through a run, as the page asks for it: opened at a line or a finding, forward and back.

#![allow(clippy::unwrap_used)]

use cornerturn::registry::Registry;
use cornerturn_page::pack;
use serde_json::{Value, json};

fn ask(request: &Value) -> Value {
    let answer = cornerturn_page::ask(request.to_string().as_bytes());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

/// As a page begins that shows this kernel.
fn begin(id: &str) {
    cornerturn::given::forget();
    let registry = Registry::load().unwrap();
    let kernel = (pack::Kernels::default())
        .pack(&registry, registry.code(id).unwrap())
        .unwrap();
    for files in [pack::registry().unwrap(), kernel] {
        assert_eq!(ask(&json!({"verb": "files", "files": files})), json!({}));
    }
}

/// The number of the line of a source that holds these words, from 1.
fn line(source: &str, words: &str) -> usize {
    1 + source
        .lines()
        .position(|line| line.contains(words))
        .unwrap()
}

fn row<'a>(step: &'a Value, name: &str) -> &'a Value {
    let rows = step["rows"].as_array().unwrap();
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("no row {name} in {step}"))
}

#[test]
fn a_run_is_opened_at_the_worst_access_of_a_line() {
    begin("padded");
    let kernel = ask(&json!({"verb": "kernel", "id": "padded"}));
    let source = kernel["source"]
        .as_str()
        .unwrap()
        .replace("[32 + 1]", "[32]");
    let of = json!({"verb": "run", "id": "padded", "source": source, "sizes": {"rows": 100, "columns": 70}});
    let answer = ask(&of);
    let sites = answer["sites"].as_array().unwrap();
    let load = sites
        .iter()
        .find(|site| site["space"] == "shared" && site["operation"] == "load");
    let load = load.unwrap();
    let worst = &load["worst"];
    let request = json!({"verb": "steps", "id": "a", "of": of, "line": load["line"], "block": worst["block"], "warp": worst["warp"]});
    let opened = ask(&request);
    assert_eq!(
        (&opened["block"], &opened["warp"]),
        (&worst["block"], &worst["warp"]),
        "{opened}"
    );
    assert_eq!(opened["note"], Value::Null);
    let step = &opened["step"];
    assert_eq!(step["line"], load["line"]);
    let banks = row(step, "bank");
    // All lanes that there are meet one bank.
    let met: Vec<&Value> = banks["cells"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|cell| !cell.is_null())
        .collect();
    assert!(
        met.len() > 1 && met.iter().all(|bank| *bank == met[0]),
        "{banks}"
    );
    assert_eq!(banks["crowded"], step["mask"]);
    assert!(
        step["access"]
            .as_str()
            .unwrap()
            .contains("-way bank conflict"),
        "{step}"
    );
    assert!(step["picture"]["svg"].as_str().unwrap().starts_with("<svg"));

    // The same steps by their number, and none by another name.
    let at = |id: &str, at: &Value| ask(&json!({"verb": "step", "id": id, "at": at}));
    assert_eq!(at("a", &step["at"]), *step);
    assert_eq!(at("b", &json!(0))["error"]["kind"], "request");
    // Back again it is as it was.
    let all = opened["marks"].as_str().unwrap().len();
    assert_eq!(opened["lines"].as_array().unwrap().len(), all);
    let forward: Vec<Value> = (0..all).map(|number| at("a", &json!(number))).collect();
    let mut back: Vec<Value> = (0..all)
        .rev()
        .map(|number| at("a", &json!(number)))
        .collect();
    back.reverse();
    assert_eq!(forward, back);
    assert_eq!(at("a", &json!(1_000_000)), forward[all - 1]);
    assert!(
        forward
            .iter()
            .any(|step| step["waiting"].as_str().unwrap().contains("at barrier 0"))
    );
    for step in &forward {
        assert!(step["words"].as_str().unwrap().starts_with("Step "));
    }
}

const SUMS: &str = "\
__global__ void sums(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1.5f;
    if (threadIdx.x < 19) sum += in[i];
    else sum -= 2 * in[i];
    out[i] = sum;
}
";

#[test]
fn a_launch_shows_masks_and_variables() {
    begin("padded");
    let launch = |source: &str| json!({"verb": "launch", "source": source, "grid": [3], "block": [96], "arguments": ["f32[288]=iota", "f32[288]=zero", "i32=288"]});
    let place = |line: usize| json!({"verb": "steps", "of": launch(SUMS), "block": [1, 0, 0], "warp": 2, "line": line});
    let stored = ask(&place(line(SUMS, "out[i]")));
    assert_eq!(stored["variables"], json!(["i", "sum"]), "{stored}");
    let last =
        ask(&json!({"verb": "step", "id": "", "at": stored["marks"].as_str().unwrap().len()}));
    // Lane 0 is thread 64 of block 1; all lanes of the warp are behind the 19th thread.
    let cell = |name: &str, lane: usize| row(&last, name)["cells"][lane].clone();
    assert_eq!(cell("i", 5), json!("165"));
    assert_eq!(cell("sum", 5), json!("-328.5"));

    // In the first warp they part.
    let mut parted = place(line(SUMS, "threadIdx.x < 19"));
    parted["warp"] = json!(0);
    let opened = ask(&parted);
    let steps = 0..opened["marks"].as_str().unwrap().len();
    let masks: Vec<Value> = steps
        .map(|at| ask(&json!({"verb": "step", "at": at}))["mask"].clone())
        .collect();
    let whole = masks.iter().all(|mask| *mask == json!(u32::MAX));
    // A compiler may choose by predicate what it does not branch for.
    let chosen = opened["step"]["rows"].to_string().contains("true")
        || opened["step"]["instruction"].to_string().contains("sel");
    assert!(!whole || chosen || masks.len() > 5, "{masks:?}");
}

#[test]
fn a_finding_is_opened_at_its_step() {
    begin("padded");
    let source = SUMS.replace("out[i] = sum", "out[i + 7] = sum");
    let of = json!({"verb": "launch", "source": source, "grid": [3], "block": [96], "arguments": ["f32[288]=iota", "f32[288]=zero", "i32=288"]});
    let finding = ask(&of)["findings"][0].clone();
    assert_eq!(finding["kind"], "out_of_bounds");
    let opened = ask(
        &json!({"verb": "steps", "of": of, "block": finding["block"], "thread": finding["thread"], "line": finding["line"], "address": finding["address"]}),
    );
    let step = &opened["step"];
    let address = format!("0x{:x}", finding["address"].as_u64().unwrap());
    let lane = finding["thread"][0].as_u64().unwrap() as usize % 32;
    assert_eq!(
        (&step["line"], &row(step, "address")["cells"][lane]),
        (&finding["line"], &json!(address)),
        "{step}"
    );

    // One of a launch that is larger than this one.
    let elsewhere = ask(
        &json!({"verb": "steps", "of": of, "block": [9, 0, 0], "thread": [1, 0, 0], "line": 6}),
    );
    assert!(
        elsewhere["note"]
            .as_str()
            .unwrap()
            .contains("no warp 0 in block (9, 0, 0)"),
        "{elsewhere}"
    );
    assert_eq!(elsewhere["block"], json!([0, 0, 0]));
}

#[test]
fn a_long_warp_is_recorded_part_by_part() {
    begin("padded");
    let source = "__global__ void k(int* x, int n) {\n  int s = 0;\n  #pragma unroll 1\n  for (int i = 0; i < n; i++) s = s * 3 + x[i & 31];\n  x[threadIdx.x] = s;\n}\n";
    let of = json!({"verb": "launch", "source": source, "grid": [1], "block": [32], "arguments": ["i32[32]=iota", "i32=2000"]});
    let first = ask(&json!({"verb": "steps", "of": of}));
    assert_eq!(
        (&first["is_cut"], &first["skipped"]),
        (&json!(true), &json!(0))
    );
    let second = ask(&json!({"verb": "steps", "of": of, "skipped": first["next"]}));
    assert_eq!(
        second["step"]["number"].as_u64().unwrap(),
        first["next"].as_u64().unwrap() + 1
    );
    // What is asked for lies behind the first part.
    let store = ask(&json!({"verb": "steps", "of": of, "line": 5}));
    assert_eq!(store["step"]["line"], 5, "{}", store["step"]);
    assert!(store["skipped"].as_u64() > Some(0));
}

#[test]
fn what_cannot_be_followed_is_said() {
    begin("padded");
    for (request, words) in [
        (json!({"verb": "steps"}), "no `of`"),
        (json!({"verb": "steps", "of": {"verb": "list"}}), "neither"),
        (
            json!({"verb": "steps", "of": {"verb": "run", "id": "no_such"}}),
            "no_such",
        ),
        (json!({"verb": "step", "id": "nobody"}), "not open"),
        (json!({"verb": "step", "at": -1}), "`at`"),
    ] {
        let message = ask(&request)["error"]["message"].to_string();
        assert!(message.contains(words), "{request}: {message}");
    }
}
