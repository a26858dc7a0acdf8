//! The registry of kernels, `kernels/kernels.toml`, and the stamps that tie PTX to its source. What one entry says is in `entry`; compiling and stamping are the binary's.

mod claim;
mod code;
mod entry;
mod product_entry;
mod ring_speed;
mod setting;
mod work_entry;
mod work_kind;

pub use claim::per_request;
pub use code::Code;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{TableText, read_table_text, read_text};
use cornerturn_base::nearest::nearest;
use cornerturn_base::paths;
pub use cornerturn_basics::sha256;
pub use entry::{Grid, KernelEntry, MachineDifference};
pub use product_entry::ProductEntry;
pub use ring_speed::BY_SHAPE;
use serde::Deserialize;
pub use setting::Setting;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
pub use work_entry::{Measured, WorkClaims, WorkEntry};
pub use work_kind::WorkKind;

/// What the first line of committed PTX starts with.
const STAMP: &str = "// cornerturn-stamp ";

/// The registry that was read last, and its text: the values of a book's sentences ask for it a thousand times.
static LAST_READ: Mutex<Option<(TableText, Registry)>> = Mutex::new(None);

/// The kernels that the project knows.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
    kernels: Vec<KernelEntry>,
    works: Vec<WorkEntry>,
    products: Vec<ProductEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    kernel: Vec<KernelEntry>,
    #[serde(default)]
    work: Vec<WorkEntry>,
    #[serde(default)]
    product: Vec<ProductEntry>,
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
        let text = read_table_text(&path)?;
        let mut last = LAST_READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, registry)) = &*last
            && *read == text
            && registry.folder == folder
        {
            return Ok(registry.clone());
        }
        let file: File = text.parse(&path)?;
        let registry = Self {
            folder: folder.to_path_buf(),
            kernels: file.kernel,
            works: file.work,
            products: file.product,
        };
        registry
            .check()
            .map_err(|(id, reason)| Error::file(&path, format!("kernel `{id}`: {reason}")))?;
        *last = Some((text, registry.clone()));
        Ok(registry)
    }

    /// The first kernel with which something is wrong, and what it is.
    fn check(&self) -> std::result::Result<(), (String, String)> {
        let codes: Vec<Code> = self.codes().collect();
        let own = self.kernels.iter().map(KernelEntry::check);
        let own = own.chain(self.works.iter().map(WorkEntry::check));
        let all = own.chain(self.products.iter().map(ProductEntry::check));
        for (i, (code, own)) in codes.iter().zip(all).enumerate() {
            own.and_then(|()| code.check(&codes[..i]))
                .map_err(|reason| (code.id.to_string(), reason))?;
        }
        Ok(())
    }

    /// The code of all kernels, those of matrices first.
    pub fn codes(&self) -> impl Iterator<Item = Code<'_>> + Clone {
        let kernels = self.kernels.iter().map(Code::from);
        let works = self.works.iter().map(Code::from);
        kernels
            .chain(works)
            .chain(self.products.iter().map(Code::from))
    }

    /// All kernels that do a work on arrays, in the file's order.
    pub fn works(&self) -> &[WorkEntry] {
        &self.works
    }

    /// The kernel of an id that does a work on arrays.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], with the nearest id.
    pub fn work(&self, id: &str) -> Result<&WorkEntry> {
        let found = self.works.iter().find(|work| work.id == id);
        found.ok_or_else(|| unknown(id, self.works.iter().map(|work| work.id.as_str())))
    }

    /// All kernels for matrix products, in the file's order.
    pub fn products(&self) -> &[ProductEntry] {
        &self.products
    }

    /// The kernel of an id for matrix products.
    ///
    /// # Errors
    /// As [`Registry::work`].
    pub fn product(&self, id: &str) -> Result<&ProductEntry> {
        let found = self.products.iter().find(|product| product.id == id);
        found.ok_or_else(|| unknown(id, self.products.iter().map(|product| product.id.as_str())))
    }

    /// The code of a kernel of any kind.
    ///
    /// # Errors
    /// As [`Registry::work`].
    pub fn code(&self, id: &str) -> Result<Code<'_>> {
        let found = self.codes().find(|code| code.id == id);
        found.ok_or_else(|| unknown(id, self.codes().map(|code| code.id)))
    }

    /// All kernels of operations on matrices, in the file's order.
    pub fn kernels(&self) -> &[KernelEntry] {
        &self.kernels
    }

    /// The kernel of an id, of an operation on matrices.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], with the nearest id.
    pub fn get(&self, id: &str) -> Result<&KernelEntry> {
        let found = self.kernels.iter().find(|kernel| kernel.id == id);
        found.ok_or_else(|| unknown(id, self.kernels.iter().map(|kernel| kernel.id.as_str())))
    }

    /// The path of a kernel's CUDA C++.
    pub fn source_path<'r>(&self, kernel: impl Into<Code<'r>>) -> PathBuf {
        self.folder.join(kernel.into().file)
    }

    /// The path of a kernel's PTX.
    pub fn ptx_path<'r>(&self, kernel: impl Into<Code<'r>>) -> PathBuf {
        self.source_path(kernel).with_extension("ptx")
    }

    /// The path of the PTX that the host of this program may have given of a kernel: one for each id, as it holds this
    /// kernel alone of those in its source.
    pub fn given_ptx_path<'r>(&self, kernel: impl Into<Code<'r>>) -> PathBuf {
        let kernel = kernel.into();
        self.source_path(kernel)
            .with_file_name(format!("{}.given.ptx", kernel.id))
    }

    /// A kernel's CUDA C++.
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be read or is not UTF-8.
    pub fn source<'r>(&self, kernel: impl Into<Code<'r>>) -> Result<String> {
        read_text(&self.source_path(kernel))
    }

    /// A kernel's committed PTX, its stamp checked against the source.
    ///
    /// # Errors
    /// [`Error::Stale`] where it was not made from the source as it is now; [`Error::File`].
    pub fn ptx<'r>(&self, kernel: impl Into<Code<'r>>) -> Result<String> {
        let kernel = kernel.into();
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
    pub fn find_source(&self, source: &str) -> Vec<Code<'_>> {
        let wanted = normal(source);
        let same = |kernel: &Code| {
            self.source(*kernel)
                .is_ok_and(|text| normal(&text) == wanted)
        };
        self.codes().filter(same).collect()
    }
}

fn unknown<'r>(id: &str, known: impl Iterator<Item = &'r str> + Clone) -> Error {
    Error::UnknownKernel {
        id: id.to_string(),
        nearest: nearest(id, known),
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
