//! Hidden verb `__kernel`: this binary as the Jupyter kernel of the notebooks. It finds the kernel a
//! folder of its own to compile in, then becomes evcxr's kernel.
//!
//! Two kernels must not compile in one folder, and a new folder costs half a minute of compiling the
//! helper crate's dependencies. So there are numbered folders, each held by one kernel at a time, and
//! a new one starts as a copy of the one that `lab` has prepared.

use crate::{exit, output, toolchain};
use anyhow::Context;
use cornerturn::paths;
use evcxr::CommandContext;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::fs::{self, File, TryLockError};
use std::os::unix::process::{CommandExt, parent_id};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

/// By this argument evcxr's kernel is asked for; it reads its arguments itself.
const EVCXR_ARGUMENT: &str = "--control_file";

/// More notebooks than this are not open at once.
const MOST_SLOTS: usize = 64;

/// Serve one notebook, as Jupyter asks.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The connection file that Jupyter wrote.
    #[arg(required_unless_present = "prepare")]
    connection: Option<PathBuf>,
    /// Compile what this cell needs into the folder that new kernels start from, and end.
    #[arg(long, conflicts_with = "connection", value_name = "CELL")]
    prepare: Option<String>,
}

/// Where kernels compile.
pub fn folder(root: &Path) -> PathBuf {
    root.join("target").join("evcxr")
}

/// The folder that new kernels start from.
pub fn prepared(root: &Path) -> PathBuf {
    folder(root).join("lab-prepared")
}

/// evcxr's kernel, if this process was asked to be it: call this early in `main`.
pub fn serve_if_asked() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != EVCXR_ARGUMENT {
        return None;
    }
    end_with_parent();
    Some(match evcxr_jupyter::main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    })
}

/// Ends this kernel soon after the Jupyter that started it, however that ended.
fn end_with_parent() {
    let parent = parent_id();
    thread::spawn(move || {
        while parent_id() == parent {
            thread::sleep(Duration::from_millis(500));
        }
        std::process::exit(1);
    });
}

/// Runs the verb. As a kernel it returns only if it could not become one.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(cell) = args.prepare {
        return prepare(&cell);
    }
    let root = paths::root()?;
    let (slot, lock) = take_slot(&root)?;
    // The lock is the kernel's, and the kernel comes by exec: the file must stay open across it.
    fcntl(&lock, FcntlArg::F_SETFD(FdFlag::empty()))?;
    let mut command = Command::new(std::env::current_exe()?);
    environment(&mut command, &root, &slot)?;
    command.arg(EVCXR_ARGUMENT).args(args.connection);
    Err(anyhow::Error::new(command.exec()).context("the kernel did not start"))
}

/// Sets what an evcxr that compiles in `folder` needs.
pub fn environment(command: &mut Command, root: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut libraries = vec![toolchain::library_folder()?];
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        libraries.extend(std::env::split_paths(&path));
    }
    let lab = root.join("target").join("lab");
    command
        .env("CORNERTURN_HOME", root)
        .env("EVCXR_TMPDIR", folder)
        // Not the reader's own configuration of evcxr: notebooks run alike everywhere.
        .env("EVCXR_CONFIG_DIR", lab.join("evcxr"))
        // evcxr updates a kernel that it finds installed; this one is not its own.
        .env("JUPYTER_PATH", lab.join("none"))
        .env("LD_LIBRARY_PATH", std::env::join_paths(libraries)?);
    Ok(())
}

/// The first folder that no kernel holds, with the lock that holds it.
fn take_slot(root: &Path) -> anyhow::Result<(PathBuf, File)> {
    for number in 1..=MOST_SLOTS {
        let slot = folder(root).join(format!("lab-{number}"));
        fs::create_dir_all(&slot).with_context(|| slot.display().to_string())?;
        let name = slot.join("lock");
        let lock = File::create(&name).with_context(|| name.display().to_string())?;
        match lock.try_lock() {
            Ok(()) => {
                start_from_prepared(root, &slot);
                return Ok((slot, lock));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(anyhow::Error::new(error).context(name.display().to_string()));
            }
        }
    }
    Err(exit::wrong(format!("{MOST_SLOTS} notebooks are running: shut some of them down")))
}

/// Fills a new folder. Without it the kernel compiles everything itself, so a failure is no error.
fn start_from_prepared(root: &Path, slot: &Path) {
    let (target, partial) = (slot.join("target"), slot.join("target.partial"));
    let prepared = prepared(root).join("target");
    if target.exists() || !prepared.exists() {
        return;
    }
    let _ = fs::remove_dir_all(&partial);
    // Cargo compares times, which `cp -a` keeps.
    let copied = Command::new("cp").arg("-a").args([&prepared, &partial]).status();
    if copied.is_ok_and(|status| status.success()) {
        let _ = fs::rename(&partial, &target);
    }
}

/// Runs one cell, so that what it depends on is compiled.
fn prepare(cell: &str) -> anyhow::Result<ExitCode> {
    let (mut context, outputs) = CommandContext::new().map_err(|e| exit::wrong(e.to_string()))?;
    for lines in [outputs.stdout, outputs.stderr] {
        // evcxr waits until what its child prints is read.
        thread::spawn(move || lines.iter().for_each(|line| println!("{line}")));
    }
    context.execute(cell).map_err(|error| exit::wrong(format!("the cell fails: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
