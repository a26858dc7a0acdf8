//! The folder in which an evcxr compiles cells: a Cargo workspace around the crate that evcxr writes. It decides how
//! cells are compiled, and with which versions of what they depend on. Who holds which folder is the caller's.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// evcxr's own crate, in the workspace.
const CELL: &str = "cell";

/// The workspace. A cell is compiled once and mostly waits for the library, so it is not optimised: that takes two
/// thirds off its compilation. The library, compiled once for all cells, is; its checks for overflow are the tests'.
const WORKSPACE: &str = r#"# Around the crate that evcxr writes: how cells are compiled.
[workspace]
resolver = "3"
members = ["cell", "kept"]

[profile.dev]
opt-level = 0
codegen-units = 1
debug = false
incremental = false
strip = "debuginfo"
rpath = true

[profile.dev.package."*"]
opt-level = 2
codegen-units = 16
debug-assertions = false
overflow-checks = false
"#;

/// Where an evcxr that compiles in `folder` keeps what it compiled.
pub fn scratch_target(folder: &Path) -> PathBuf {
    folder.join(CELL).join("target")
}

/// Prepares `folder` for an evcxr that runs cells of the project at `root`. Gives the folder that `EVCXR_TMPDIR` is to
/// name.
///
/// evcxr first compiles a cell without dependencies, at which cargo forgets all versions that it was to use. The
/// member `kept` always needs the library, so that they stay those of the project's `Cargo.lock`.
///
/// # Errors
///
/// If a file cannot be read or written.
pub fn prepare_scratch(root: &Path, folder: &Path) -> Result<PathBuf> {
    let cell = folder.join(CELL);
    let kept = folder.join("kept");
    let mut manifest =
        "# Keeps the versions in Cargo.lock.\n[package]\nname = \"kept\"\nedition = \"2024\"\n"
            .to_owned();
    let library = root.join("crate");
    if library.join("Cargo.toml").exists() {
        let library = library.to_string_lossy();
        manifest += &format!("\n[dependencies]\ncornerturn = {{ path = {library:?} }}\n");
    }
    // Until evcxr writes its own.
    let empty = "[package]\nname = \"ctx\"\nedition = \"2024\"\n";
    for package in [&cell, &kept] {
        write_if_other(&package.join("src/lib.rs"), "", package == &kept)?;
    }
    write_if_other(&cell.join("Cargo.toml"), empty, false)?;
    write_if_other(&kept.join("Cargo.toml"), &manifest, true)?;
    write_if_other(&folder.join("Cargo.toml"), WORKSPACE, true)?;
    let lock = root.join("Cargo.lock");
    if lock.exists() {
        let copy = folder.join("Cargo.lock");
        fs::copy(&lock, &copy).with_context(|| copy.display().to_string())?;
    }
    Ok(cell)
}

/// Copies what is compiled, with the times of the files, which cargo compares; what cells before have left is left
/// out. Tells whether it is complete.
pub fn copy_compiled(from: &Path, to: &Path) -> bool {
    copy_folder(from, to).is_ok()
}

/// Removes what cells of an earlier kernel have left: each is as large as the library.
pub fn remove_cells(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => remove_cells(&path),
            Ok(kind) if kind.is_file() && is_of_a_cell(&entry.file_name().to_string_lossy()) => {
                // What cannot be removed only takes room.
                let _ = fs::remove_file(&path);
            }
            _ => {}
        }
    }
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

/// Writes a file unless it holds just this, or is there and may hold something else.
fn write_if_other(file: &Path, content: &str, replace: bool) -> Result<()> {
    match fs::read_to_string(file) {
        Ok(old) if old == content || !replace => return Ok(()),
        _ => {}
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::write(file, content).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_keeps_times_and_leaves_cells_out() {
        let folder = std::env::temp_dir().join(format!("cornerturn-slots-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("deps")).expect("a folder");
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for name in [
            "deps/libcornerturn-1.rlib",
            "deps/libcode_12.so",
            "deps/cornerturn-1.d",
        ] {
            fs::write(from.join(name), name).expect("a file");
            let file = File::options()
                .write(true)
                .open(from.join(name))
                .expect("the file");
            file.set_modified(then).expect("its time");
        }
        assert!(copy_compiled(&from, &to));
        for name in ["deps/libcornerturn-1.rlib", "deps/cornerturn-1.d"] {
            assert_eq!(fs::read_to_string(to.join(name)).expect("a copy"), name);
            assert_eq!(
                fs::metadata(to.join(name))
                    .and_then(|facts| facts.modified())
                    .expect("a time"),
                then
            );
        }
        assert!(!to.join("deps/libcode_12.so").exists());
        remove_cells(&from);
        assert!(!from.join("deps/libcode_12.so").exists());
        assert!(from.join("deps/libcornerturn-1.rlib").exists());
        assert!(!copy_compiled(&folder.join("none"), &to));
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
