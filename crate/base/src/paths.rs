//! Where the project's files are on this machine. What is in them is others' business.

use crate::error::{Error, Result};
use crate::given;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The file that makes a folder the project's root.
pub const MARK: &str = "kernels/kernels.toml";

/// Gives the root of the files that a program carries, unpacking them if need be.
type Carried = fn() -> Result<PathBuf>;

static CARRIED: OnceLock<Carried> = OnceLock::new();

/// Tells that this program carries the project's files. They are used where the user has no clone, and so is never the
/// folder that this crate was built in, which was on another machine.
pub fn carry(files: Carried) {
    // A second call would tell of the same program.
    let _ = CARRIED.set(files);
}

/// The project's root: that of the files that were given, else the [`chosen`] one, else that of the files that the
/// program carries, else the folder that this crate was built in.
///
/// # Errors
/// [`Error::Usage`] where none of them holds it, [`Error::NoFiles`] where the carried ones cannot be used.
pub fn root() -> Result<PathBuf> {
    if let Some(root) = given::root() {
        return Ok(root);
    }
    if let Some(root) = chosen()? {
        return Ok(root);
    }
    if let Some(carried) = CARRIED.get() {
        return carried();
    }
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match built.join(MARK).is_file() {
        true => Ok(whole(&built)),
        false => Err(Error::Usage(format!(
            "no {MARK} here or above; run this inside the project, or set CORNERTURN_HOME to its root"
        ))),
    }
}

/// The root of the clone that the user works in: `CORNERTURN_HOME`, else the first folder from the current one upwards
/// that holds `kernels/kernels.toml`, so that a binary works on the clone that it is started in.
///
/// # Errors
/// [`Error::Usage`] where `CORNERTURN_HOME` is none.
pub fn chosen() -> Result<Option<PathBuf>> {
    if let Some(home) = std::env::var_os("CORNERTURN_HOME").filter(|home| !home.is_empty()) {
        let home = PathBuf::from(home);
        if home.join(MARK).is_file() {
            return Ok(Some(home));
        }
        return Err(Error::Usage(format!(
            "CORNERTURN_HOME={} holds no {MARK}; set it to the project's root, or unset it",
            home.display()
        )));
    }
    let current = std::env::current_dir().unwrap_or_default();
    let mut folders = current.ancestors();
    Ok(folders
        .find(|folder| folder.join(MARK).is_file())
        .map(whole))
}

/// Whether the root is that of the files that the program carries: nothing of the user's is there.
pub fn is_carried() -> bool {
    CARRIED.get().is_some() && given::root().is_none() && matches!(chosen(), Ok(None))
}

/// A command of the project's binary as its user types it: in a clone through cargo.
pub fn command(words: &str) -> String {
    match is_carried() {
        true => format!("cornerturn {words}"),
        false => format!("cargo cornerturn {words}"),
    }
}

/// A folder's whole path as people write it: Windows tells it with a prefix that some programs do not take.
fn whole(folder: &Path) -> PathBuf {
    let whole = folder.canonicalize();
    let whole = whole.unwrap_or_else(|_| folder.to_path_buf());
    let plain = whole.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    match plain {
        Some(path) if !path.starts_with("UNC") => PathBuf::from(path),
        _ => whole,
    }
}

/// The folder of the kernels and their registry.
///
/// # Errors
/// As [`root`].
pub fn kernels() -> Result<PathBuf> {
    Ok(root()?.join("kernels"))
}

/// The folder of the recorded measurements.
///
/// # Errors
/// As [`root`].
pub fn results() -> Result<PathBuf> {
    Ok(root()?.join("book").join("results"))
}

/// The folder that the CUDA compiler is installed under.
///
/// # Errors
/// As [`root`].
pub fn compiler() -> Result<PathBuf> {
    Ok(root()?.join("target").join("cuda"))
}

/// The folder that NVIDIA's headers for kernels, such as `cuda_fp16.h` and `mma.h`, are installed under.
///
/// # Errors
/// As [`root`].
pub fn headers() -> Result<PathBuf> {
    Ok(root()?.join("target").join("cuda-headers"))
}

/// The folder that the assembler and the disassembler are installed under.
///
/// # Errors
/// As [`root`].
pub fn machine_code_tools() -> Result<PathBuf> {
    Ok(root()?.join("target").join("cuda-machine-code"))
}
