//! The step `systems`: checks, without running anything, that the sources compile for operating systems that cannot be tried here.

use super::{Context, Outcome};
use crate::process::run_logged;
use std::path::Path;
use std::process::Command;

/// For each the binary is checked without the book: what that brings along assembles code, for which another system's
/// C compiler is needed.
const SYSTEMS: [&str; 4] = [
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-gnu",
];

/// Checks each system whose standard library is installed.
pub(super) fn check(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let (mut checked, mut missing) = (Vec::new(), Vec::new());
    for system in SYSTEMS {
        if !has(system)? {
            missing.push(system);
            continue;
        }
        let mut cargo = context.cargo();
        cargo.args(["check", "-p", "cornerturn-runner", "--target", system]);
        cargo.arg("--no-default-features");
        let target = context.root.join("target").join("systems");
        cargo.arg("--target-dir").arg(target);
        // Nothing is linked, so that the compiler of another system's C is not needed.
        cargo.env("RUSTFLAGS", "-D warnings");
        run_logged(
            &format!("cargo check for {system}"),
            &mut cargo,
            &context.log(name),
        )?;
        checked.push(system);
    }
    let add = format!("`rustup target add {}` adds it", missing.join(" "));
    Ok(match (checked.is_empty(), missing.is_empty()) {
        (true, _) => Outcome::Skipped(format!("this toolchain has no other system; {add}")),
        (false, true) => Outcome::Passed(checked.join(", ")),
        (false, false) => Outcome::Passed(format!("{}; left out: {add}", checked.join(", "))),
    })
}

/// Whether the toolchain can compile for a system.
fn has(system: &str) -> anyhow::Result<bool> {
    let printed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", system])
        .output()?;
    Ok(Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir())
}
