//! What cells need of the Rust toolchain and of CUDA's, and how to get what is missing. Which verb needs it is the
//! verb's business.

use crate::{exit, output, wheels};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file of the standard library's source, which evcxr's rust-analyzer reads.
const SOURCE_MARK: &str = "lib/rustlib/src/rust/library/std/src/lib.rs";

/// Sees to it that rustc, cargo and the standard library's source are there; the source is fetched
/// by rustup where it is missing.
///
/// # Errors
/// If a tool is missing, or rustup is and the source too.
pub fn prepare() -> anyhow::Result<()> {
    print_of("cargo", &["--version"])?;
    let sysroot = folder()?;
    if has_source(&sysroot) {
        return Ok(());
    }
    output::step("installing the standard library's source: rustup component add rust-src");
    let status = Command::new("rustup")
        .args(["component", "add", "rust-src"])
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() && has_source(&sysroot) => Ok(()),
        Ok(_) => Err(exit::lacks(
            "rustup could not install rust-src, the standard library's source, which cells need: \
             see what it says above; it needs a network",
        )),
        Err(_) => Err(exit::lacks(format!(
            "cells need the standard library's source, and {} is not there: with rustup, run \
             `rustup component add rust-src`; else install your system's package of Rust's source",
            sysroot.join(SOURCE_MARK).display()
        ))),
    }
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
    let stands_in = cornerturn::compiler().map_or(true, |compiler| !compiler.why.is_empty());
    if stands_in {
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

/// The folder of the toolchain: its `bin` holds rustc and cargo themselves, not rustup's stand-ins.
pub fn folder() -> anyhow::Result<PathBuf> {
    print_of("rustc", &["--print", "sysroot"]).map(PathBuf::from)
}

/// Where cargo keeps the packages that cells are built from.
pub fn cargo_home() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("CARGO_HOME") {
        return Ok(PathBuf::from(folder));
    }
    let home = std::env::var_os("HOME")
        .ok_or_else(|| exit::lacks("neither CARGO_HOME nor HOME is set, and cargo needs one"))?;
    Ok(Path::new(&home).join(".cargo"))
}

/// The folder of the standard library's shared objects.
pub fn library_folder() -> anyhow::Result<PathBuf> {
    print_of("rustc", &["--print", "target-libdir"]).map(PathBuf::from)
}

/// Where the toolchain that has these shared objects keeps the standard library's source.
pub fn source_of(library_folder: &Path) -> Option<PathBuf> {
    let rustlib = library_folder.parent()?.parent()?;
    Some(rustlib.join("src/rust/library"))
}

fn has_source(sysroot: &Path) -> bool {
    sysroot.join(SOURCE_MARK).is_file()
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
