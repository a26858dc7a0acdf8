//! Finds the Rust toolchain that cells are compiled with, and says what it lacks.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
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
        match (lines.next(), lines.next()) {
            (Some(sysroot), Some(library_dir)) => Toolchain::at(&sysroot, library_dir),
            _ => Err(Error::ToolMissing("rustc")),
        }
    }

    fn at(sysroot: &Path, library_dir: PathBuf) -> Result<Toolchain> {
        let source = sysroot.join("lib/rustlib/src/rust/library");
        if source.join("std/src/lib.rs").is_file() {
            Ok(Toolchain { library_dir })
        } else {
            Err(Error::RustSrcMissing(source))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_component_is_named_with_its_fix() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = Toolchain::at(folder.path(), PathBuf::new()).expect_err("nothing is there");
        assert!(
            error
                .to_string()
                .ends_with("run `rustup component add rust-src`"),
            "{error}"
        );
        let source = folder.path().join("lib/rustlib/src/rust/library/std/src");
        std::fs::create_dir_all(&source).expect("a folder");
        std::fs::write(source.join("lib.rs"), "").expect("a file");
        assert!(Toolchain::at(folder.path(), PathBuf::new()).is_ok());
    }

    #[test]
    fn a_tool_that_fails_counts_as_missing() {
        assert!(with_output(&mut Command::new("false")).is_err());
        assert!(with_output(&mut Command::new("no-such-tool-here")).is_err());
        assert_eq!(
            with_output(Command::new("echo").arg("a")).expect("echo runs"),
            "a\n"
        );
    }
}
