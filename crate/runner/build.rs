//! Bakes the commit into the binary, so that a record made on a machine without git says what measured.

use std::process::Command;

/// What a measurement depends on, from the package's folder.
const SOURCES: [&str; 5] = [
    "../../kernels",
    "../src",
    "../emulator/src",
    "src",
    "../Cargo.toml",
];

fn main() {
    for path in SOURCES
        .iter()
        .chain(&["../../.git/HEAD", "../../.git/logs/HEAD"])
    {
        if std::path::Path::new(path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    println!(
        "cargo:rustc-env=CORNERTURN_BUILT_FROM={}",
        commit().unwrap_or("unknown".to_string())
    );
}

/// The commit's hash, with `-dirty` where what a measurement depends on differs from it.
fn commit() -> Option<String> {
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&[
        "status",
        "--porcelain",
        "--",
        "../../kernels",
        "../../crate",
    ])?;
    Some(if changes.is_empty() {
        hash
    } else {
        format!("{hash}-dirty")
    })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
