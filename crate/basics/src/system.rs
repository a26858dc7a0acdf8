//! What differs from one operating system to the next: names and places. What a process can do there lives in the runner.

use std::path::{Path, PathBuf};

/// The command that starts Python 3.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// How Python 3 is had, with its modules `venv` and `pip`.
pub const GET_PYTHON: &str = if cfg!(windows) {
    "from https://python.org"
} else if cfg!(target_os = "macos") {
    "Homebrew: brew install python; or from https://python.org"
} else {
    "Debian, Ubuntu: apt install python3 python3-venv"
};

/// How a C compiler with its linker is had.
pub const GET_C_TOOLCHAIN: &str = if cfg!(windows) {
    "the Build Tools of Visual Studio"
} else if cfg!(target_os = "macos") {
    "Apple's command line tools: xcode-select --install"
} else {
    "Debian, Ubuntu: apt install build-essential"
};

/// The variable that names the folders in which the loader looks for libraries.
pub const LIBRARY_PATH: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// Where cargo keeps what it fetched; `None` where no variable says.
pub fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))
}

/// A program of a Python environment, by its name without an ending.
pub fn environment_program(environment: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join(format!("{name}.exe")),
        false => environment.join("bin").join(name),
    }
}

/// The user's folder for what programs can make anew; nothing where the system names none.
pub fn cache_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).filter(|folder| !folder.is_empty());
    let home = || named("HOME").map(PathBuf::from);
    if cfg!(windows) {
        return named("LOCALAPPDATA").map(PathBuf::from);
    }
    if cfg!(target_os = "macos") {
        return home().map(|home| home.join("Library").join("Caches"));
    }
    // The rules of XDG say that a relative path is to be passed over.
    let named = named("XDG_CACHE_HOME").map(PathBuf::from);
    let whole = named.filter(|folder| folder.is_absolute());
    whole.or_else(|| home().map(|home| home.join(".cache")))
}
