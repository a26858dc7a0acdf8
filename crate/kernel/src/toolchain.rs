//! Where the Rust toolchain is that cells are compiled with, and what of it evcxr has to be told. Installs nothing.

use anyhow::anyhow;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the standard library's shared objects.
pub fn library_folder() -> anyhow::Result<PathBuf> {
    rustc(&["--print", "target-libdir"]).map(PathBuf::from)
}

/// Where the toolchain that has these shared objects keeps the standard library's source.
pub fn source_of(library_folder: &Path) -> Option<PathBuf> {
    let rustlib = library_folder.parent()?.parent()?;
    Some(rustlib.join("src/rust/library"))
}

fn rustc(arguments: &[&str]) -> anyhow::Result<String> {
    let missing = || {
        anyhow!(
            "cells are compiled with rustc and cargo, and `rustc` does not answer: install Rust from https://rustup.rs"
        )
    };
    let printed = Command::new("rustc").args(arguments).output();
    let printed = printed.map_err(|_| missing())?;
    if !printed.status.success() {
        return Err(missing());
    }
    Ok(String::from_utf8_lossy(&printed.stdout).trim().to_owned())
}
