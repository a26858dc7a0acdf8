//! What is set for an evcxr before it starts: where it compiles, with which toolchain, and of whose project.

use crate::scratch::prepare_scratch;
use crate::{cargo_home, std_source, toolchain};
use cornerturn_basics::system::LIBRARY_PATH;
use std::path::Path;
use std::process::Command;

/// The variable that names the project's root.
pub const HOME: &str = "CORNERTURN_HOME";

/// Sets what an evcxr that compiles in `folder` needs.
pub fn environment(command: &mut Command, root: &Path, folder: &Path) -> anyhow::Result<()> {
    let library = toolchain::library_folder()?;
    let links = folder.join("std");
    if toolchain::source_of(&library).is_some_and(|source| std_source::link(&source, &links)) {
        // By this name rust-analyzer, in evcxr, is told of it.
        command.env("RUST_SRC_PATH", links);
    }
    let mut libraries = vec![library];
    if let Some(path) = std::env::var_os(LIBRARY_PATH) {
        libraries.extend(std::env::split_paths(&path));
    }
    let lab = root.join("target").join("lab");
    let scratch = prepare_scratch(root, folder)?;
    if let Some(home) = cargo_home::prepare(root) {
        command.env("CARGO_HOME", home);
    }
    command
        .env(HOME, root)
        .env("EVCXR_TMPDIR", scratch)
        // Not the reader's own configuration of evcxr: notebooks run alike everywhere.
        .env("EVCXR_CONFIG_DIR", lab.join("evcxr"))
        // evcxr updates a kernel that it finds installed; this one is not its own.
        .env("JUPYTER_PATH", lab.join("none"))
        .env(LIBRARY_PATH, std::env::join_paths(libraries)?);
    Ok(())
}
