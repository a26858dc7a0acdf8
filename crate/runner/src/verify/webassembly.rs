//! The step `wasm`: builds the pages' modules and asks them under Node.js what is asked of the same code here; how large and how quick it is.

use super::{Context, Outcome};
use crate::{exit, output, page, toolchain};
use anyhow::Context as _;
use cornerturn::registry::Registry;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Neither is a multiple of the other or of a tile's 32.
const ROWS: u32 = 100;
const COLUMNS: u32 = 70;

/// The kernel whose first run is weighed.
const KERNEL: &str = "padded";

/// The kernel of the book that takes longest to compile: two loops over a tile, unrolled.
const LONGEST: &str = "sgemm_ring";

/// How many of the requests need no compiler.
const UNEDITED: usize = 5;

/// A mistake of each kind, and what is right, asked of the modules; those that need no compiler first.
fn requests() -> anyhow::Result<Vec<Value>> {
    let sizes = json!({ "rows": ROWS, "columns": COLUMNS });
    let large = json!({ "rows": 1024, "columns": 1024 });
    let product = json!({ "m": 128, "n": 128, "k": 32 });
    let registry = Registry::load()?;
    let longest = registry.source(registry.code(LONGEST)?)? + "\n";
    Ok(vec![
        json!({ "verb": "run", "id": KERNEL, "sizes": sizes }),
        json!({ "verb": "run", "id": KERNEL, "sizes": large, "checks": false }),
        json!({ "verb": "run", "id": KERNEL, "sizes": large, "checks": false }),
        json!({ "verb": "run", "id": KERNEL, "sizes": large }),
        json!({ "verb": "steps", "of": { "verb": "run", "id": KERNEL, "sizes": sizes }, "block": [1, 1, 0], "warp": 3 }),
        json!({ "verb": "check", "id": "padding", "seed": 7, "answer": "extern \"C\" __global__ void padding(" }),
        json!({ "verb": "launch", "source": "extern \"C\" __global__ void k(float* x) { x[threadIdx.x + 1] = 1; }",
                "grid": [1], "block": [64], "arguments": ["f32[64]=iota"] }),
        json!({ "verb": "run", "id": LONGEST, "source": longest, "sizes": product, "checks": false }),
    ])
}

/// Builds the modules, asks, and compares.
pub(super) fn check(context: &Context, _name: &str) -> anyhow::Result<Outcome> {
    if let Err(error) = toolchain::prepare_page_target() {
        return Ok(Outcome::Skipped(output::sentence(&error)));
    }
    let modules = page::build(&context.root)?;
    let pages = context.root.join("target").join("page");
    let sizes = page::write(&modules, &pages)?;
    let told = weighed(&sizes)?;
    let requests = requests()?;
    let Some(there) = under_node(context, &pages, &requests)? else {
        return Ok(Outcome::Skipped(format!(
            "{told}; Node.js, which would run the module, is not installed"
        )));
    };
    let answers = there["answers"].as_array().into_iter().flatten();
    for (at, (request, told)) in requests.iter().zip(answers).enumerate() {
        let first_that_needs = at == UNEDITED;
        if told["needs_compiler"] != json!(first_that_needs) {
            return Err(exit::wrong(format!(
                "{request}: the compiler is needed by the first source that is edited, and by no kernel that is not"
            )));
        }
        let here: Value =
            serde_json::from_str(&cornerturn_page::ask(request.to_string().as_bytes()))?;
        if let Some(place) = difference(&told["answer"], &here, "") {
            return Err(exit::wrong(format!(
                "{request}: in WebAssembly another answer than here, {place}"
            )));
        }
    }
    let of = |at: usize, what: &str| there["answers"][at][what].as_f64().unwrap_or(f64::NAN);
    let ms = |at: usize| of(at, "ms");
    Ok(Outcome::Passed(format!(
        "{told}; under Node.js ready in {:.0} ms, padded 1024 × 1024 counted in {:.0} ms, with all checks in {:.0} ms; the compiler ready in {:.0} ms, {LONGEST} compiled in {:.0} ms",
        there["start_ms"].as_f64().unwrap_or(f64::NAN),
        ms(2),
        ms(3),
        there["compiler_ms"].as_f64().unwrap_or(f64::NAN),
        of(requests.len() - 1, "compiling_ms"),
    )))
}

/// What the parts have in bytes, as a sentence; an error where the first click on a kernel loads too much. What the
/// page's own script and style may have is set aside.
fn weighed(sizes: &page::Sizes) -> anyhow::Result<String> {
    let [engine, files, exercises, compiler] =
        ["engine", "files", "exercises", "compiler"].map(|name| sizes.of(name));
    let (largest, _) = sizes.largest_kernel().context("there is no kernel")?;
    let loaded = |id: &str| sizes.of_run(id) + page::MOST_SCRIPT_BYTES;
    let told = format!(
        "packed: engine {engine} bytes, list of kernels {files}, exercises {exercises}, compiler {compiler}; the first click on {KERNEL} loads {}, on {largest}, the longest, {}, each with {} for script and style",
        loaded(KERNEL),
        loaded(largest),
        page::MOST_SCRIPT_BYTES
    );
    match loaded(largest) <= page::MOST_BYTES {
        true => Ok(told),
        false => Err(exit::wrong(format!(
            "{told}; {} are the most",
            page::MOST_BYTES
        ))),
    }
}

/// Where two answers differ first. JavaScript writes 1.0 as 1, so that numbers are compared by their values.
fn difference(there: &Value, here: &Value, place: &str) -> Option<String> {
    match (there, here) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, a)| {
                let b = b.get(key).unwrap_or(&Value::Null);
                difference(a, b, &format!("{place}/{key}"))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(i, (a, b))| difference(a, b, &format!("{place}/{i}")))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if there == here => None,
        _ => {
            let begun = |value: &Value| value.to_string().chars().take(200).collect::<String>();
            Some(format!("at {place}: {} for {}", begun(there), begun(here)))
        }
    }
}

/// The answers under Node.js; `None` where that is not installed.
fn under_node(
    context: &Context,
    pages: &std::path::Path,
    requests: &[Value],
) -> anyhow::Result<Option<Value>> {
    let script = context.root.join("crate/page/try.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(pages.join(page::FOLDER));
    node.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Ok(mut child) = node.spawn() else {
        return Ok(None);
    };
    if let Some(mut input) = child.stdin.take() {
        input.write_all(Value::from(requests.to_vec()).to_string().as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(exit::wrong(format!(
            "the module fails under Node.js:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    serde_json::from_slice(&output.stdout)
        .map(Some)
        .context("what `try.mjs` printed")
}
