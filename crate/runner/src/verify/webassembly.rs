//! The step `wasm`: builds the emulator as a WebAssembly module and runs a transpose in it under Node.js, as here.

use super::{Context, Outcome};
use crate::exit;
use crate::process::run_logged;
use anyhow::Context as _;
use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// Neither is a multiple of the other or of a tile's 32.
const ROWS: u32 = 100;
const COLUMNS: u32 = 70;

/// Builds the module, runs the kernel in both, and compares.
pub(super) fn check(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let printed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()?;
    if !Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir() {
        return Ok(Outcome::Skipped(format!(
            "this toolchain has no {TARGET}: `rustup target add {TARGET}` adds it"
        )));
    }
    let target = context.root.join("target").join("wasm");
    let mut build = context.cargo();
    build.args(["build", "--release", "-p", "cornerturn-emulator-wasm"]);
    build
        .args(["--target", TARGET, "--target-dir"])
        .arg(&target);
    // What a page would load.
    build.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    build.env("CARGO_PROFILE_RELEASE_STRIP", "true");
    run_logged("cargo build", &mut build, &context.log(name))?;
    let Ok(node) = Command::new("node").arg("--version").output() else {
        return Ok(Outcome::Skipped(
            "the module is built, but Node.js, which would run it, is not installed".into(),
        ));
    };
    let ptx = context.root.join("kernels/transpose/padded.ptx");
    let there = under_node(context, &target, &ptx)?;
    let here = natively(&fs::read_to_string(&ptx)?)?;
    for (key, value) in &here {
        if there[*key] != *value {
            return Err(exit::wrong(format!(
                "`{key}` of the padded transpose differs: in WebAssembly {}, here {value}",
                there[*key]
            )));
        }
    }
    Ok(Outcome::Passed(format!(
        "{} bytes of module; under Node.js {} ready in {:.0} ms, padded transpose of {ROWS} × {COLUMNS} in {:.1} ms",
        there["module_bytes"],
        String::from_utf8_lossy(&node.stdout).trim(),
        there["start_ms"].as_f64().unwrap_or(f64::NAN),
        there["launch_ms"].as_f64().unwrap_or(f64::NAN),
    )))
}

fn under_node(context: &Context, target: &Path, ptx: &Path) -> anyhow::Result<Value> {
    let module = target
        .join(TARGET)
        .join("release")
        .join("cornerturn_emulator_wasm.wasm");
    let script = context.root.join("crate/emulator/wasm/transpose.mjs");
    let output = Command::new("node")
        .arg(script)
        .args([&module, ptx])
        .args([ROWS.to_string(), COLUMNS.to_string()])
        .output()?;
    if !output.status.success() {
        return Err(exit::wrong(format!(
            "the module fails under Node.js:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    serde_json::from_slice(&output.stdout).context("what `transpose.mjs` printed")
}

/// The same launch in this process.
fn natively(ptx: &str) -> anyhow::Result<Vec<(&'static str, Value)>> {
    let module = Module::load(ptx)?;
    let mut memory = Memory::new();
    let bytes = (ROWS * COLUMNS * 4) as usize;
    let (input, output) = (
        memory.allocate(bytes, "input")?,
        memory.allocate(bytes, "output")?,
    );
    let words: Vec<u8> = (1..=ROWS * COLUMNS).flat_map(u32::to_le_bytes).collect();
    memory.write(input, &words)?;
    memory.fill(output, bytes, 0xdead_beef)?;
    let job = Launch {
        entry: "padded",
        grid: [COLUMNS.div_ceil(32), ROWS.div_ceil(32), 1],
        block: [32, 8, 1],
        dynamic_shared_bytes: 0,
        args: &[
            Arg::from(input),
            Arg::from(output),
            Arg::from(ROWS),
            Arg::from(COLUMNS),
        ],
    };
    let options = Options {
        check: true,
        ..Options::default()
    };
    let report = launch(&module, &memory, &job, &options)?;
    let mut result = vec![0; bytes];
    memory.read(output, &mut result)?;
    let findings: Vec<String> = report
        .findings
        .iter()
        .map(|found| found.message())
        .collect();
    let counters: serde_json::Map<String, Value> = report
        .counters
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value)))
        .collect();
    let hexadecimal: String = result.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(vec![
        ("findings", json!(findings)),
        ("counters", Value::Object(counters)),
        ("warp_instructions", json!(report.warp_instructions)),
        ("output", json!(hexadecimal)),
    ])
}
