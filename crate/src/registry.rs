//! The registry of kernels, `kernels/kernels.toml`, and the stamps that tie PTX to its source. Compiling and stamping are the binary's.

use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::paths;
use crate::shape::{Dim3, Shape};
use crate::tensor_map::TensorBoxes;
use crate::verify::Operation;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// What the first line of committed PTX starts with.
const STAMP: &str = "// cornerturn-stamp ";

/// The kernels that the project knows.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
    kernels: Vec<KernelEntry>,
}

/// One kernel of the registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelEntry {
    /// The name by which cells, records and commands know it.
    pub id: String,
    /// The CUDA C++, relative to the registry's folder; its PTX lies beside it.
    pub file: PathBuf,
    /// The entry's name in the PTX.
    pub entry: String,
    /// The chapter that introduces it.
    pub chapter: String,
    /// What it does to a matrix.
    pub operation: Operation,
    /// The matrix's element type.
    pub element: ElementType,
    /// Columns and rows of the input that one block covers.
    pub tile: [u32; 2],
    /// Threads of a block, in x and y.
    pub block: [u32; 2],
    /// The architecture that its PTX is for, such as `compute_75`.
    pub arch: String,
    /// Dynamic shared memory that a launch needs.
    #[serde(default)]
    pub dynamic_shared_bytes: u32,
    /// The boxes of the tensor maps that it takes in the place of the buffers; none for a kernel that takes buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_maps: Option<TensorBoxes>,
    /// What the kernel claims of its counters, checked where every tile is full.
    #[serde(default)]
    pub claims: BTreeMap<String, f64>,
    /// Where its machine code for sm_90 has other memory instructions than its PTX.
    #[serde(default)]
    pub machine_code: Vec<MachineDifference>,
}

/// A known difference between the memory instructions of PTX and machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineDifference {
    /// Space, direction and bytes of a thread, such as `shared load 8`.
    pub access: String,
    /// How many instructions of this kind the PTX has.
    pub ptx: u32,
    /// How many the machine code has.
    pub machine_code: u32,
    /// Why.
    pub because: String,
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
        let text = std::fs::read_to_string(&path).map_err(|error| Error::file(&path, error))?;
        let file: File = toml::from_str(&text).map_err(|error| Error::file(&path, error))?;
        for (i, kernel) in file.kernel.iter().enumerate() {
            kernel
                .check()
                .and_then(|()| {
                    let twice = file.kernel[..i].iter().any(|other| other.id == kernel.id);
                    if twice {
                        Err("the id is used twice".to_string())
                    } else {
                        Ok(())
                    }
                })
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

    /// The registered kernel whose source this is, but for blank space at both ends and the kind of line ends.
    pub fn find_source(&self, source: &str) -> Option<&KernelEntry> {
        let wanted = normal(source);
        self.kernels.iter().find(|kernel| {
            self.source(kernel)
                .is_ok_and(|text| normal(&text) == wanted)
        })
    }
}

impl KernelEntry {
    /// The grid that covers an input of `shape`.
    ///
    /// # Errors
    /// [`Error::Shape`] where a dimension needs more blocks than a grid may have.
    pub fn grid(&self, shape: Shape) -> Result<Dim3> {
        let blocks = |size: usize, tile: u32| u32::try_from(size.div_ceil(tile as usize)).ok();
        match (
            blocks(shape.columns, self.tile[0]),
            blocks(shape.rows, self.tile[1]),
        ) {
            (Some(x), Some(y)) if y <= 65_535 && i32::try_from(x).is_ok() => Ok(Dim3::new(x, y, 1)),
            _ => Err(Error::Shape {
                rows: shape.rows,
                columns: shape.columns,
                reason: format!(
                    "`{}` would need a grid over CUDA's limits (2147483647 × 65535 blocks) for it",
                    self.id
                ),
            }),
        }
    }

    /// The block's dimensions.
    pub fn block(&self) -> Dim3 {
        self.block.into()
    }

    fn check(&self) -> std::result::Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.id.is_empty() || !self.id.chars().all(plain) {
            return Err("an id is letters, digits and `_`".to_string());
        }
        if !self
            .file
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(format!(
                "file {} must lie below the registry's folder",
                self.file.display()
            ));
        }
        if self.tile.contains(&0) || self.block.contains(&0) {
            return Err("tile and block must not be 0".to_string());
        }
        if self.block[0].saturating_mul(self.block[1]) > 1024 {
            return Err("a block has at most 1024 threads".to_string());
        }
        Ok(())
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

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The text of a file, with an error that names it.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        Error::file(
            path,
            format!(
                "is not UTF-8 text (byte {})",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}

fn normal(source: &str) -> String {
    source.trim().replace("\r\n", "\n")
}
