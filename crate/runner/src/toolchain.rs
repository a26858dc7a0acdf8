//! What cells need of the Rust toolchain and of CUDA's, and how to get what is missing. Which verb needs it is the
//! verb's business.

use crate::{exit, output, wheels};
use anyhow::Context;
use cornerturn::CompilerKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file of the standard library's source, which evcxr's rust-analyzer reads.
const SOURCE_MARK: &str = "lib/rustlib/src/rust/library/std/src/lib.rs";

/// What the pages' laboratory is built for.
pub const PAGE_TARGET: &str = "wasm32-unknown-unknown";

/// Sees to it that rustc and cargo are there, as cells are compiled with them.
///
/// # Errors
/// If one is missing.
pub fn prepare() -> anyhow::Result<()> {
    print_of("cargo", &["--version"])?;
    version().map(drop)
}

/// Sees to it that the standard library's source is there, which notebooks need; it is fetched by rustup where it is missing.
///
/// # Errors
/// If a tool is missing, or rustup is and the source too.
pub fn prepare_source() -> anyhow::Result<()> {
    prepare()?;
    let sysroot = folder()?;
    if sysroot.join(SOURCE_MARK).is_file() {
        return Ok(());
    }
    let what = "the standard library's source";
    let added = add_by_rustup(what, &["component", "add", "rust-src"]);
    if added && sysroot.join(SOURCE_MARK).is_file() {
        return Ok(());
    }
    Err(exit::lacks(format!(
        "notebooks need {what}, and {} is not there: with rustup and a network, run `rustup component add rust-src`; \
         else install your system's package of Rust's source",
        sysroot.join(SOURCE_MARK).display()
    )))
}

/// Sees to it that what runs in pages can be compiled; the standard library for that is fetched by rustup where it is missing.
///
/// # Errors
/// If it cannot be had.
pub fn prepare_page_target() -> anyhow::Result<()> {
    if has_page_target()? {
        return Ok(());
    }
    let what = "Rust's standard library for WebAssembly";
    if add_by_rustup(what, &["target", "add", PAGE_TARGET]) && has_page_target()? {
        return Ok(());
    }
    Err(exit::lacks(format!(
        "this toolchain has no {PAGE_TARGET}: with rustup and a network, run `rustup target add {PAGE_TARGET}`; else install \
         your system's package of {what}"
    )))
}

/// Whether what runs in pages can be compiled.
pub fn has_page_target() -> anyhow::Result<bool> {
    let folder = print_of(
        "rustc",
        &["--print", "target-libdir", "--target", PAGE_TARGET],
    )?;
    Ok(Path::new(&folder).is_dir())
}

/// Has rustup add something to the toolchain; it says itself what goes wrong. Tells whether it did.
fn add_by_rustup(what: &str, arguments: &[&str]) -> bool {
    output::step(format!("fetching {what}: rustup {}", arguments.join(" ")));
    let mut rustup = Command::new("rustup");
    let status = rustup.args(arguments).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Sees to it that NVIDIA's compiler compiles CUDA C++, and that machine code can be shown: installs what this machine has
/// not. Where another compiler was asked for, ours does it, and where NVIDIA makes none, nothing is installed.
///
/// # Errors
/// As [`Set::install`](wheels::Set::install).
pub fn prepare_compiler(root: &Path) -> anyhow::Result<()> {
    if !cornerturn::compile::IS_MADE {
        return Ok(());
    }
    let compiler = cornerturn::compiler();
    if let Ok(compiler) = &compiler
        && compiler.kind == CompilerKind::CornerTurn
        && compiler.why.is_empty()
    {
        return Ok(());
    }
    if compiler.map_or(true, |compiler| !compiler.why.is_empty()) {
        wheels::NVRTC.install(root)?;
    }
    // Few kernels need them, and what does not stand in one needs none.
    if let Err(error) = wheels::HEADERS.install(root) {
        output::step(format!(
            "going on without {}: {}",
            wheels::HEADERS.name,
            output::sentence(&error)
        ));
    }
    wheels::prepare_machine_code(root)
}

/// Which compiler it is.
pub fn version() -> anyhow::Result<String> {
    print_of("rustc", &["--version"])
}

/// The folder of the toolchain: its `bin` holds rustc and cargo themselves, not rustup's stand-ins.
pub fn folder() -> anyhow::Result<PathBuf> {
    print_of("rustc", &["--print", "sysroot"]).map(PathBuf::from)
}

/// Where cargo puts what it builds for the project at `root`.
pub fn target_folder(root: &Path) -> anyhow::Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(root)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let told = cargo.output().context("cannot start cargo")?;
    let told: serde_json::Value =
        serde_json::from_slice(&told.stdout).context("what cargo says of the project")?;
    let folder = told["target_directory"].as_str();
    Ok(folder.map_or_else(|| root.join("target"), PathBuf::from))
}

fn print_of(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let missing = || {
        exit::lacks(format!(
            "cells are compiled with rustc and cargo, and `{program}` does not answer: install Rust \
             from https://rustup.rs"
        ))
    };
    let printed = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|_| missing())?;
    if !printed.status.success() {
        return Err(missing());
    }
    Ok(String::from_utf8_lossy(&printed.stdout).trim().to_owned())
}
