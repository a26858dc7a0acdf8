//! The folders in which kernels compile. Two kernels must not share one, and a new one costs minutes of compiling the
//! helper crate's dependencies: so there are numbered folders, each held by one kernel at a time, and a new one starts
//! with what `lab` has prepared.

use crate::scratch::{copy_compiled, remove_cells, scratch_target};
use anyhow::{Context, bail};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// In a folder, the file that says what was compiled there; it comes last.
pub const MARK: &str = "prepared";

/// Names the folder that holds the numbered ones, for users who cannot write to the project's.
const CELLS: &str = "CORNERTURN_CELLS";

/// More notebooks than this are not open at once.
const MOST_SLOTS: usize = 64;

/// Where kernels compile.
fn folder(root: &Path) -> PathBuf {
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

/// The first folder that no kernel holds, with the lock that holds it.
pub fn take(root: &Path) -> anyhow::Result<(PathBuf, File)> {
    for number in 1..=MOST_SLOTS {
        let slot = slots(root).join(format!("lab-{number}"));
        fs::create_dir_all(&slot).with_context(|| slot.display().to_string())?;
        let name = slot.join("lock");
        let lock = File::create(&name).with_context(|| name.display().to_string())?;
        match lock.try_lock() {
            Ok(()) => {
                remove_cells(&scratch_target(&slot));
                start_from_prepared(root, &slot);
                return Ok((slot, lock));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(anyhow::Error::new(error).context(name.display().to_string()));
            }
        }
    }
    bail!("{MOST_SLOTS} notebooks are running: shut some of them down")
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
    if fs::create_dir_all(folder).is_ok() && copy_compiled(&scratch_target(&prepared), &target) {
        let _ = fs::write(&mark, wanted);
    }
}
