//! Finds the Rust toolchain that cells are compiled with, and says what it lacks.

use crate::error::{Error, Result};
use std::path::PathBuf;
use std::process::Command;

/// Where the toolchain keeps what a session needs.
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// The folder of the standard library's shared object, for the loader.
    pub(crate) library_dir: PathBuf,
}

impl Toolchain {
    /// Asks rustc and cargo.
    pub(crate) fn find() -> Result<Toolchain> {
        let missing = |tool: &'static str| move |_| Error::ToolMissing(tool);
        with_output(Command::new("cargo").arg("--version")).map_err(missing("cargo"))?;
        let mut rustc = Command::new("rustc");
        rustc.args(["--print", "sysroot", "--print", "target-libdir"]);
        let printed = with_output(&mut rustc).map_err(missing("rustc"))?;
        let mut lines = printed.lines().map(PathBuf::from);
        let (Some(sysroot), Some(library_dir)) = (lines.next(), lines.next()) else {
            return Err(Error::ToolMissing("rustc"));
        };
        let source = sysroot.join("lib/rustlib/src/rust/library");
        if !source.join("std/src/lib.rs").is_file() {
            return Err(Error::RustSrcMissing(source));
        }
        Ok(Toolchain { library_dir })
    }
}

fn with_output(command: &mut Command) -> std::io::Result<String> {
    let output = command.output()?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(std::io::Error::other("it ran and failed"))
    }
}
