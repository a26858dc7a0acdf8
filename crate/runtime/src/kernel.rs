//! Kernels: source, PTX and entry together, whichever way they came. Compiling lives in `compile`, running in `launch`.

mod build;
mod manner;
mod sources;

use crate::compile::CompilerInfo;
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::signature::Parameter;
use cornerturn_base::tensor_box::{ProductBoxes, TensorBoxes};
use cornerturn_emulator::{Cluster, LoadError, Module, Param};
use std::fmt;
use std::sync::Arc;

/// Where a kernel's PTX comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The project's committed PTX.
    Committed,
    /// Compiled just now from the CUDA C++ given.
    Live,
    /// PTX that the caller gave.
    Given,
}

/// A kernel ready to launch on any device. A cheap handle.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let padded = Kernel::registered("padded")?;
/// assert_eq!(padded.params().len(), 4);
/// let own = Kernel::cuda("extern \"C\" __global__ void clear(int* x) { x[threadIdx.x] = 0; }")?;
/// assert_eq!(own.name(), "clear");
/// // What does not compile is an error with the compiler's words.
/// assert!(Kernel::cuda("__global__ void clear(int* x) { x[threadIdx.x] = y; }").is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Kernel {
    inner: Arc<Inner>,
    dynamic_shared_bytes: u32,
    cluster: Option<Cluster>,
    is_cooperative: bool,
    is_programmatic: bool,
    tensor_boxes: Option<TensorBoxes>,
    product_boxes: ProductBoxes,
    adds_to_result: bool,
    multiple_of: [u32; 3],
    /// The registered kernel of which it is an edit.
    edited: Option<Arc<str>>,
    caches: CacheSettings,
}

struct Inner {
    name: String,
    entry: String,
    source: Option<String>,
    source_sha256: Option<String>,
    ptx: String,
    ptx_sha256: String,
    origin: Origin,
    /// What the emulator reads, or what it does not support; a GPU may run it all the same.
    module: Result<Module, LoadError>,
    params: Vec<Param>,
    /// As the source declares them, where it is known and plain.
    declared: Option<Vec<Parameter>>,
    /// What compiled it, where that was here.
    compiler: Option<CompilerInfo>,
    /// The compiler's warnings.
    warnings: String,
    is_as_written: bool,
}

impl Kernel {
    /// The registry's id, else the entry's name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The registered kernel that it is, or is an edit of, if it is one: the name where nothing else is known.
    pub fn registered_id(&self) -> &str {
        self.edited.as_deref().unwrap_or(self.name())
    }

    /// The entry's name in the PTX.
    pub fn entry(&self) -> &str {
        &self.inner.entry
    }

    /// The CUDA C++, where it is known.
    pub fn source(&self) -> Option<&str> {
        self.inner.source.as_deref()
    }

    /// The PTX.
    pub fn ptx_text(&self) -> &str {
        &self.inner.ptx
    }

    /// Where the PTX comes from.
    pub fn origin(&self) -> Origin {
        self.inner.origin
    }

    /// SHA-256 of the CUDA C++ in hexadecimal, where it is known.
    pub fn source_sha256(&self) -> Option<&str> {
        self.inner.source_sha256.as_deref()
    }

    /// SHA-256 of the PTX in hexadecimal.
    pub fn ptx_sha256(&self) -> &str {
        &self.inner.ptx_sha256
    }

    /// The parameters of the entry.
    pub fn params(&self) -> &[Param] {
        &self.inner.params
    }

    /// What compiled it; `None` where it was not compiled here.
    pub fn compiler(&self) -> Option<&CompilerInfo> {
        self.inner.compiler.as_ref()
    }

    /// The compiler's warnings; empty where there are none or it was not compiled here.
    pub fn warnings(&self) -> &str {
        &self.inner.warnings
    }

    /// What the emulator runs.
    ///
    /// # Errors
    /// [`Error::Ptx`], of the kind `Unsupported`, where it does not support the PTX yet.
    pub fn module(&self) -> Result<&Module> {
        let refused = |error: LoadError| Error::Ptx {
            name: self.name().to_string(),
            reason: Box::new(error),
        };
        let module = self.inner.module.as_ref();
        let module = module.map_err(|error| refused(error.clone()))?;
        module.entry(self.entry()).map_err(refused)?;
        Ok(module)
    }

    /// Whether the emulator supports it. A GPU may run it all the same.
    pub fn is_emulated(&self) -> bool {
        self.module().is_ok()
    }

    /// The parameters as the source declares them, where there is a source.
    pub fn declared(&self) -> Option<&[Parameter]> {
        self.inner.declared.as_deref()
    }

    /// Shows the kernel as one line in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&html::paragraph("ct-kernel", &self.to_string()));
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} (", self.name())?;
        match (self.origin(), self.compiler()) {
            (Origin::Committed, _) => f.write_str("committed PTX")?,
            (Origin::Live, Some(compiler)) => write!(f, "compiled just now by {compiler}")?,
            (Origin::Live, None) => f.write_str("compiled just now")?,
            (Origin::Given, _) => f.write_str("PTX as given")?,
        }
        if !self.warnings().is_empty() {
            write!(f, "; the compiler warns: {}", self.warnings())?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
