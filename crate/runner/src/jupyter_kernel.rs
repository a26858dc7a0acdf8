//! Hidden verb `__kernel`: this binary as the Jupyter kernel of the notebooks. It finds the kernel a
//! folder of its own to compile in, then becomes evcxr's kernel.
//!
//! Two kernels must not compile in one folder, and a new folder costs half a minute of compiling the
//! helper crate's dependencies. So there are numbered folders, each held by one kernel at a time, and
//! a new one starts as a copy of the one that `lab` has prepared.

use crate::book::failure;
use crate::{exit, output, toolchain};
use anyhow::Context;
use cornerturn::paths;
use cornerturn_preprocessor::{prepare_scratch, scratch_target};
use evcxr::CommandContext;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::fs::{self, File, TryLockError};
use std::os::unix::process::{CommandExt, parent_id};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// By this argument evcxr's kernel is asked for; it reads its arguments itself.
const EVCXR_ARGUMENT: &str = "--control_file";

/// In a folder, the file that says what was compiled there; it comes last.
pub const MARK: &str = "prepared";

/// Set for a kernel that runs nothing before its first cell.
const PLAIN: &str = "CORNERTURN_PLAIN_KERNEL";

/// A kernel that fails sooner failed while it started.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Names the folder that holds the numbered ones, for users who cannot write to the project's.
const CELLS: &str = "CORNERTURN_CELLS";

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

/// Where the numbered folders are.
fn slots(root: &Path) -> PathBuf {
    std::env::var_os(CELLS).map_or_else(|| folder(root), PathBuf::from)
}

/// The folder that new kernels start from.
pub fn prepared(root: &Path) -> PathBuf {
    folder(root).join("lab-prepared")
}

/// What evcxr runs before the first cell of a kernel.
pub fn configuration(root: &Path) -> PathBuf {
    root.join("target").join("lab").join("evcxr")
}

/// evcxr's kernel, if this process was asked to be it: call this early in `main`.
pub fn serve_if_asked() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != EVCXR_ARGUMENT {
        return None;
    }
    end_with_parent();
    let start = Instant::now();
    let Err(error) = evcxr_jupyter::main() else {
        return Some(ExitCode::SUCCESS);
    };
    output::error(&error);
    if start.elapsed() < START_LIMIT && std::env::var_os(PLAIN).is_none() {
        output::error(&start_plain());
    }
    Some(ExitCode::FAILURE)
}

/// Starts the kernel anew without what is to run before the first cell. That fails where the helper
/// crate does not compile; its own cells then tell so, where a kernel that is gone could not.
fn start_plain() -> anyhow::Error {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return error.into(),
    };
    let mut command = Command::new(own);
    command
        .args(std::env::args_os().skip(1))
        .env(PLAIN, "1")
        .env("EVCXR_CONFIG_DIR", "none");
    command.exec().into()
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
    // evcxr tells there which configuration it found; its caller's stdout is not for that.
    command.stdout(Stdio::null());
    Err(anyhow::Error::new(command.exec()).context("the kernel did not start"))
}

/// Sets what an evcxr that compiles in `folder` needs.
pub fn environment(command: &mut Command, root: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut libraries = vec![toolchain::library_folder()?];
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
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
        .env("LD_LIBRARY_PATH", std::env::join_paths(libraries)?);
    Ok(())
}

/// The first folder that no kernel holds, with the lock that holds it.
fn take_slot(root: &Path) -> anyhow::Result<(PathBuf, File)> {
    for number in 1..=MOST_SLOTS {
        let slot = slots(root).join(format!("lab-{number}"));
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
    Err(exit::wrong(format!(
        "{MOST_SLOTS} notebooks are running: shut some of them down"
    )))
}

/// Fills a folder that is new, or older than what is prepared. Without it the kernel compiles
/// everything itself, so a failure is no error.
fn start_from_prepared(root: &Path, slot: &Path) {
    let prepared = prepared(root);
    let Ok(wanted) = fs::read_to_string(prepared.join(MARK)) else {
        return;
    };
    let mark = slot.join(MARK);
    if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        return;
    }
    let target = scratch_target(slot);
    let _ = fs::remove_file(&mark);
    let _ = fs::remove_dir_all(&target);
    let folder = target.parent().unwrap_or(slot);
    if fs::create_dir_all(folder).is_ok() && copy_with_times(&scratch_target(&prepared), &target) {
        let _ = fs::write(&mark, wanted);
    }
}

/// Copies a folder with the times of its files, which cargo compares. Tells whether it is complete.
pub fn copy_with_times(from: &Path, to: &Path) -> bool {
    let mut copy = Command::new("cp");
    copy.arg("-a").args([from, to]).stderr(Stdio::null());
    copy.status().is_ok_and(|status| status.success())
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
