//! The folders in which kernels compile. Two kernels must not share one, and a new one costs minutes of compiling the
//! helper crate's dependencies: so there are numbered folders, each held by one kernel at a time, and a new one starts
//! with what `lab` has prepared.

use crate::exit;
use anyhow::Context;
use cornerturn_preprocessor::scratch_target;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// In a folder, the file that says what was compiled there; it comes last.
pub const MARK: &str = "prepared";

/// Names the folder that holds the numbered ones, for users who cannot write to the project's.
const CELLS: &str = "CORNERTURN_CELLS";

/// More notebooks than this are not open at once.
const MOST_SLOTS: usize = 64;

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

/// The first folder that no kernel holds, with the lock that holds it.
pub fn take(root: &Path) -> anyhow::Result<(PathBuf, File)> {
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
    if fs::create_dir_all(folder).is_ok() && copy_compiled(&scratch_target(&prepared), &target) {
        let _ = fs::write(&mark, wanted);
    }
}

/// Copies what is compiled, with the times of the files, which cargo compares; what cells before have left is left
/// out. Tells whether it is complete.
pub fn copy_compiled(from: &Path, to: &Path) -> bool {
    copy_folder(from, to).is_ok()
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&source, &target)?;
        } else if kind.is_file() && !is_of_a_cell(&entry.file_name().to_string_lossy()) {
            copy_file(&source, &target)?;
        }
    }
    Ok(())
}

/// A file as it is. What is compiled is written anew and renamed, never changed in place, so a second name for it will
/// do; where that cannot be, on another file system or of another user, it is copied.
fn copy_file(source: &Path, target: &Path) -> io::Result<()> {
    let is_library = source.extension().is_some_and(|extension| {
        ["rlib", "rmeta", "so"]
            .iter()
            .any(|known| extension == *known)
    });
    if is_library && fs::hard_link(source, target).is_ok() {
        return Ok(());
    }
    fs::copy(source, target)?;
    let modified = fs::metadata(source)?.modified()?;
    File::options()
        .write(true)
        .open(target)?
        .set_modified(modified)
}

/// What evcxr compiled from a cell, and keeps for the process that runs it.
fn is_of_a_cell(name: &str) -> bool {
    name.starts_with("libcode_") || name.starts_with("code_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_keeps_times_and_leaves_cells_out() {
        let folder = std::env::temp_dir().join(format!("cornerturn-slots-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("deps")).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for name in [
            "deps/libcornerturn-1.rlib",
            "deps/libcode_12.so",
            "deps/cornerturn-1.d",
        ] {
            fs::write(from.join(name), name).unwrap();
            let file = File::options().write(true).open(from.join(name)).unwrap();
            file.set_modified(then).unwrap();
        }
        assert!(copy_compiled(&from, &to));
        for name in ["deps/libcornerturn-1.rlib", "deps/cornerturn-1.d"] {
            assert_eq!(fs::read_to_string(to.join(name)).unwrap(), name);
            assert_eq!(
                fs::metadata(to.join(name)).unwrap().modified().unwrap(),
                then
            );
        }
        assert!(!to.join("deps/libcode_12.so").exists());
        assert!(!copy_compiled(&folder.join("none"), &to));
        fs::remove_dir_all(&folder).unwrap();
    }
}
