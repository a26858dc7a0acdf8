//! Hidden verb `__kernel`: this binary as the Jupyter kernel of the notebooks. It finds the kernel a folder of its own
//! to compile in (`slots`), then starts itself anew with what evcxr needs around it, and serves.

mod assist;
mod outcome;
mod server;
mod session;
mod slots;
mod std_source;
mod stop;
mod wire;

use crate::book::failure;
use crate::{exit, system, toolchain};
use cornerturn::paths;
use cornerturn_basics::system::LIBRARY_PATH;
use cornerturn_preprocessor::{OBSERVE, end_with_parent, prepare_scratch};
use evcxr::CommandContext;
pub use slots::{MARK, folder, prepared};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

/// Serve one notebook, as Jupyter asks.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The connection file that Jupyter wrote.
    #[arg(required_unless_present_any = ["prepare", "serve"])]
    connection: Option<PathBuf>,
    /// Serve in the folder that the environment names.
    #[arg(long, conflicts_with_all = ["connection", "prepare"], value_name = "CONNECTION")]
    serve: Option<PathBuf>,
    /// Compile what this cell needs into the folder that new kernels start from, and end.
    #[arg(long, conflicts_with = "connection", value_name = "CELL")]
    prepare: Option<String>,
}

/// What evcxr runs before the first cell of a kernel.
pub fn configuration(root: &Path) -> PathBuf {
    root.join("target").join("lab").join("evcxr")
}

/// Runs the verb. As a kernel it returns when Jupyter ends it, or if it could not become one.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(cell) = args.prepare {
        return prepare(&cell);
    }
    if let Some(connection) = args.serve {
        end_with_parent();
        server::serve(&connection)?;
        // Not by returning: evcxr would wait for its cells.
        std::process::exit(0);
    }
    let root = paths::root()?;
    let (slot, lock) = slots::take(&root)?;
    // The lock is the kernel's, and the kernel comes by exec: the file must stay open across it.
    system::keep_across_exec(&lock)?;
    let mut command = Command::new(std::env::current_exe()?);
    environment(&mut command, &root, &slot)?;
    command
        .env(OBSERVE, "1")
        .env(cornerturn::INTERRUPT_FILE, slot.join("interrupt"))
        .args(["__kernel", "--serve"])
        .args(args.connection);
    // evcxr tells there which configuration it found; its caller's stdout is not for that.
    command.stdout(Stdio::null());
    Err(anyhow::Error::new(system::become_program(&mut command))
        .context("the kernel did not start"))
}

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
    let scratch = prepare_scratch(root, folder).map_err(failure)?;
    command
        .env("CORNERTURN_HOME", root)
        .env("EVCXR_TMPDIR", scratch)
        // Not the reader's own configuration of evcxr: notebooks run alike everywhere.
        .env("EVCXR_CONFIG_DIR", configuration(root))
        // evcxr updates a kernel that it finds installed; this one is not its own.
        .env("JUPYTER_PATH", lab.join("none"))
        .env(LIBRARY_PATH, std::env::join_paths(libraries)?);
    Ok(())
}

/// Runs one cell, so that what it depends on is compiled.
fn prepare(cell: &str) -> anyhow::Result<ExitCode> {
    let (mut context, outputs) = CommandContext::new().map_err(|e| exit::wrong(e.to_string()))?;
    for lines in [outputs.stdout, outputs.stderr] {
        // evcxr waits until what its child prints is read.
        thread::spawn(move || lines.iter().for_each(|line| println!("{line}")));
    }
    context
        .execute(cell)
        .map_err(|error| exit::wrong(format!("the cell fails: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
