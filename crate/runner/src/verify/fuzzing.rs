//! The step `fuzz`: builds libFuzzer's targets with coverage and lets each change its corpus for a fixed number of runs.

use super::{Context, Outcome};
use crate::exit;
use crate::process::run_logged;
use std::fs;
use std::process::Command;

/// Coverage as libFuzzer reads it. Flags of the stable compiler: rustc makes no promise for what it passes to LLVM.
const COVERAGE: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

/// The targets, their runs and the longest input in bytes.
const TARGETS: [(&str, u32, u32); 2] = [("parse", 20_000, 8_000), ("kernel", 150, 1_200)];

/// Builds the targets and runs them.
pub(super) fn check(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    if Command::new("c++").arg("--version").output().is_err() {
        return Ok(Outcome::Skipped(
            "libFuzzer needs a C++ compiler: Debian's package g++ would do".into(),
        ));
    }
    let target = context.root.join("target").join("fuzz");
    let triple = host()?;
    let mut build = context.cargo();
    build.args(["build", "--release", "-p", "cornerturn-emulator-fuzz"]);
    build.args(["--features", "libfuzzer", "--bins", "--target-dir"]);
    // With a target named, the flags are not for build scripts.
    build.arg(&target).args(["--target", &triple]);
    build.env("RUSTFLAGS", COVERAGE.join(" "));
    // Half the time to compile; what the fuzzer looks for does not depend on how well its targets are optimised.
    let quickly = "profile.release.package.cornerturn-emulator.opt-level=1";
    build.args(["--config", quickly]);
    run_logged("cargo build", &mut build, &context.log(name))?;
    let fuzz = context.root.join("crate").join("emulator").join("fuzz");
    let mut told = Vec::new();
    for (bin, runs, most_bytes) in TARGETS {
        // New inputs go to a folder of their own, not to the corpus.
        let found = target.join(bin);
        let _ = fs::remove_dir_all(&found);
        fs::create_dir_all(&found)?;
        let mut command = Command::new(target.join(&triple).join("release").join(bin));
        command.arg(&found).arg(fuzz.join("corpus").join(bin));
        command.args(["-seed=1", "-timeout=20", "-rss_limit_mb=1024"]);
        command.arg(format!("-runs={runs}"));
        command.arg(format!("-max_len={most_bytes}"));
        command.arg(format!("-dict={}", fuzz.join("ptx.dict").display()));
        command.arg(format!("-artifact_prefix={}/", found.display()));
        let log = context.log(&format!("{name}-{bin}"));
        run_logged(bin, &mut command, &log)?;
        told.push(format!("{runs} runs of `{bin}`"));
    }
    Ok(Outcome::Passed(told.join(", ")))
}

/// The triple of this machine.
fn host() -> anyhow::Result<String> {
    let printed = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&printed.stdout);
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_string)
        .ok_or_else(|| exit::wrong("`rustc -vV` names no host"))
}
