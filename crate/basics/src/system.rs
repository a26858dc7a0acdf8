//! What differs from one operating system to the next: names and places. What a process can do there lives in the runner.

use std::path::{Path, PathBuf};

/// The command that starts Python 3.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// The variable that names the folders in which the loader looks for libraries.
pub const LIBRARY_PATH: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// A program of a Python environment, by its name without an ending.
pub fn environment_program(environment: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join(format!("{name}.exe")),
        false => environment.join("bin").join(name),
    }
}
