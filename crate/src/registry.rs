//! The registry of kernels, `kernels/kernels.toml`, and the stamps that tie PTX to its source. What one entry says is in `entry`; compiling and stamping are the binary's.

mod entry;

use crate::error::{Error, Result};
use crate::files::read_text;
use crate::paths;
pub use cornerturn_basics::sha256;
pub use entry::{Grid, KernelEntry, MachineDifference};
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// What the first line of committed PTX starts with.
const STAMP: &str = "// cornerturn-stamp ";

/// The kernels that the project knows.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
    kernels: Vec<KernelEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    kernel: Vec<KernelEntry>,
}

impl Registry {
    /// The project's registry.
    ///
    /// # Errors
    /// [`Error::Usage`] outside the project; [`Error::File`] where the registry cannot be read.
    pub fn load() -> Result<Self> {
        Self::load_from(&paths::kernels()?)
    }

    /// The registry in a folder.
    ///
    /// # Errors
    /// [`Error::File`], with the line, where it cannot be read or an entry is wrong.
    pub fn load_from(folder: &Path) -> Result<Self> {
        let path = folder.join("kernels.toml");
        let text = read_text(&path)?;
        let file: File = toml::from_str(&text).map_err(|error| Error::file(&path, error))?;
        for (i, kernel) in file.kernel.iter().enumerate() {
            kernel
                .check()
                .and_then(|()| kernel.check_beside(&file.kernel[..i]))
                .map_err(|reason| {
                    Error::file(&path, format!("kernel `{}`: {reason}", kernel.id))
                })?;
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            kernels: file.kernel,
        })
    }

    /// All kernels, in the file's order.
    pub fn kernels(&self) -> &[KernelEntry] {
        &self.kernels
    }

    /// The kernel of an id.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], with the ids that exist.
    pub fn get(&self, id: &str) -> Result<&KernelEntry> {
        self.kernels
            .iter()
            .find(|kernel| kernel.id == id)
            .ok_or_else(|| Error::UnknownKernel {
                id: id.to_string(),
                known: self
                    .kernels
                    .iter()
                    .map(|kernel| kernel.id.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// The path of a kernel's CUDA C++.
    pub fn source_path(&self, kernel: &KernelEntry) -> PathBuf {
        self.folder.join(&kernel.file)
    }

    /// The path of a kernel's PTX.
    pub fn ptx_path(&self, kernel: &KernelEntry) -> PathBuf {
        self.source_path(kernel).with_extension("ptx")
    }

    /// A kernel's CUDA C++.
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be read or is not UTF-8.
    pub fn source(&self, kernel: &KernelEntry) -> Result<String> {
        read_text(&self.source_path(kernel))
    }

    /// A kernel's committed PTX, its stamp checked against the source.
    ///
    /// # Errors
    /// [`Error::Stale`] where it was not made from the source as it is now; [`Error::File`].
    pub fn ptx(&self, kernel: &KernelEntry) -> Result<String> {
        let path = self.ptx_path(kernel);
        let stale = |reason: String| Error::Stale {
            file: path.clone(),
            reason,
        };
        if !path.is_file() {
            return Err(stale("is missing".to_string()));
        }
        let ptx = read_text(&path)?;
        let stamp =
            Stamp::of(&ptx).ok_or_else(|| stale("has no stamp on its first line".to_string()))?;
        let source = self.source(kernel)?;
        if stamp.source != sha256(source.as_bytes()) {
            let file = kernel.file.display();
            return Err(stale(format!("was not made from {file} as it is now")));
        }
        if stamp.arch != kernel.arch {
            return Err(stale(format!(
                "is for {}, and the registry says {}",
                stamp.arch, kernel.arch
            )));
        }
        Ok(ptx)
    }

    /// The registered kernels whose source this is, but for blank space at both ends and the kind of line ends.
    pub fn find_source(&self, source: &str) -> Vec<&KernelEntry> {
        let wanted = normal(source);
        let same = |kernel: &&KernelEntry| {
            self.source(kernel)
                .is_ok_and(|text| normal(&text) == wanted)
        };
        self.kernels.iter().filter(same).collect()
    }
}

/// What the first line of committed PTX says about its making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// SHA-256 of the source, in hexadecimal.
    pub source: String,
    /// The compiler and its version, such as `nvrtc-13.0.88`.
    pub compiler: String,
    /// The architecture compiled for, such as `compute_75`.
    pub arch: String,
}

impl Stamp {
    /// The stamp of PTX text, where its first line is one.
    pub fn of(ptx: &str) -> Option<Self> {
        let line = ptx.lines().next()?.strip_prefix(STAMP)?;
        let value = |key: &str| {
            let mut words = line.split_whitespace();
            words
                .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
                .map(str::to_string)
        };
        Some(Self {
            source: value("source")?,
            compiler: value("compiler")?,
            arch: value("arch")?,
        })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            compiler,
            arch,
        } = self;
        write!(f, "{STAMP}source={source} compiler={compiler} arch={arch}")
    }
}

fn normal(source: &str) -> String {
    source.trim().replace("\r\n", "\n")
}
