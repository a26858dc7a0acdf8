//! Kernels: source, PTX and entry together, whichever way they came. Compiling lives in `compile`, running in `launch`.

use crate::caches::CacheSettings;
use crate::compile::{Compiled, Compiler, CompilerInfo};
use crate::error::{Error, Result};
use crate::files::read_text;
use crate::given;
use crate::html;
use crate::ptx;
use crate::registry::{Code, Registry, sha256};
use crate::signature::{self, Parameter};
use crate::tensor_box::{ProductBoxes, TensorBox, TensorBoxes};
use cornerturn_emulator::{Cluster, LoadError, Module, Param};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The name of a source that is no file, in messages and findings.
const FILE: &str = "kernel.cu";

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
}

/// What a kernel is made of before its PTX is read.
struct Parts {
    name: Option<String>,
    entry: Option<String>,
    source: Option<String>,
    ptx: String,
    origin: Origin,
    dynamic_shared_bytes: u32,
    tensor_boxes: Option<TensorBoxes>,
    product_boxes: ProductBoxes,
    adds_to_result: bool,
    compiler: Option<CompilerInfo>,
    warnings: String,
}

impl Kernel {
    /// A kernel of the registry, from its committed PTX.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`]; [`Error::Stale`] where the PTX does not belong to the source; [`Error::File`].
    pub fn registered(id: &str) -> Result<Self> {
        let registry = Registry::load()?;
        Self::committed(&registry, registry.code(id)?)
    }

    /// A kernel of this registry.
    ///
    /// # Errors
    /// As [`Kernel::registered`].
    pub fn committed<'r>(registry: &Registry, kernel: impl Into<Code<'r>>) -> Result<Self> {
        let kernel = kernel.into();
        if given::root().is_some() {
            return Self::unedited(registry, kernel);
        }
        Self::build(Parts {
            name: Some(kernel.id.to_string()),
            entry: Some(kernel.entry.to_string()),
            source: Some(registry.source(kernel)?),
            ptx: registry.ptx(kernel)?,
            origin: Origin::Committed,
            dynamic_shared_bytes: kernel.dynamic_shared_bytes,
            tensor_boxes: kernel.tensor_maps,
            product_boxes: kernel.product_maps,
            adds_to_result: kernel.adds_to_result,
            compiler: None,
            warnings: String::new(),
        })
    }

    /// A kernel from CUDA C++ with exactly one `extern "C" __global__` function. The source of a registered kernel
    /// runs from its committed PTX; any other is compiled by NVRTC, or by our own compiler where that is not installed
    /// ([`Compiler::open`]).
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log; [`Error::CompilerGap`] where it is our own, which does not know what the
    /// source uses; [`Error::NoCompiler`] where NVRTC was asked for and is not there; [`Error::Entry`] where there is not
    /// exactly one entry.
    pub fn cuda(source: &str) -> Result<Self> {
        Self::from_source(source, None)
    }

    /// A kernel from CUDA C++ that may hold several entries.
    ///
    /// # Errors
    /// As [`Kernel::cuda`]; [`Error::Entry`] where there is no such entry.
    pub fn cuda_entry(source: &str, entry: &str) -> Result<Self> {
        Self::from_source(source, Some(entry))
    }

    fn from_source(source: &str, entry: Option<&str>) -> Result<Self> {
        let committed = Registry::load().ok().and_then(|registry| {
            let kernel = same_source(&registry, source, entry)?;
            Some(Self::committed(&registry, kernel))
        });
        match committed {
            Some(Ok(kernel)) => Ok(kernel),
            // Stale PTX is no reason not to compile; but where that cannot be, it is what has to be mended.
            Some(Err(stale)) => match Self::live(source, entry) {
                Err(Error::NoCompiler(_) | Error::CompilerGap { .. }) => Err(stale),
                other => other,
            },
            None => Self::live(source, entry),
        }
    }

    /// A kernel from CUDA C++ that is compiled in any case, under a file name that the compiler's messages and
    /// the emulator's findings repeat.
    ///
    /// # Errors
    /// As [`Kernel::cuda_entry`].
    pub fn cuda_file(source: &str, file: &str, entry: &str) -> Result<Self> {
        Self::compiled_file(source, file, Some(entry))
    }

    /// The same for a source that may hold one entry only, if none is named.
    ///
    /// # Errors
    /// As [`Kernel::cuda`] and [`Kernel::cuda_entry`].
    pub fn compiled_file(source: &str, file: &str, entry: Option<&str>) -> Result<Self> {
        let compiled = Compiler::open()?.compile_entry(source, file, entry)?;
        Self::compiled(source, entry, compiled)
    }

    /// As [`Kernel::cuda_file`], by this compiler, whatever was chosen.
    ///
    /// # Errors
    /// As [`Kernel::cuda_entry`].
    pub fn cuda_by(compiler: &Compiler, source: &str, file: &str, entry: &str) -> Result<Self> {
        let compiled = compiler.compile_entry(source, file, Some(entry))?;
        Self::compiled(source, Some(entry), compiled)
    }

    /// A registered kernel with another source: compiled in any case, under the file's own name, and launched with what
    /// the registry says of it.
    ///
    /// # Errors
    /// As [`Kernel::cuda_entry`].
    pub fn edited<'r>(kernel: impl Into<Code<'r>>, source: &str) -> Result<Self> {
        let code = kernel.into();
        let file = code.file.file_name().unwrap_or_default().to_string_lossy();
        let compiled = Compiler::open()?.compile_entry(source, &file, Some(code.entry))?;
        Self::of_code(code, source, compiled.ptx, compiled.compiler, compiled.log)
    }

    /// A registered kernel as it is, of the compiler that was chosen: what an edit is compared with. From the PTX that the
    /// host of this program gave, if it gave one, and compiled if not.
    ///
    /// # Errors
    /// As [`Kernel::edited`]; [`Error::File`].
    pub fn unedited<'r>(registry: &Registry, kernel: impl Into<Code<'r>>) -> Result<Self> {
        let code = kernel.into();
        let source = registry.source(code)?;
        match given::text(&registry.given_ptx_path(code)) {
            Some(ptx) => {
                Self::of_code(code, &source, ptx, Compiler::open()?.info()?, String::new())
            }
            None => Self::edited(code, &source),
        }
    }

    fn of_code(
        code: Code,
        source: &str,
        ptx: String,
        compiler: CompilerInfo,
        warnings: String,
    ) -> Result<Self> {
        Self::build(Parts {
            name: Some(code.id.to_string()),
            entry: Some(code.entry.to_string()),
            source: Some(source.to_string()),
            ptx,
            origin: Origin::Live,
            dynamic_shared_bytes: code.dynamic_shared_bytes,
            tensor_boxes: code.tensor_maps,
            product_boxes: code.product_maps,
            adds_to_result: code.adds_to_result,
            compiler: Some(compiler),
            warnings,
        })
    }

    fn live(source: &str, entry: Option<&str>) -> Result<Self> {
        let compiled = Compiler::open()?.compile_entry(source, FILE, entry)?;
        Self::compiled(source, entry, compiled)
    }

    fn compiled(source: &str, entry: Option<&str>, compiled: Compiled) -> Result<Self> {
        Self::build(Parts {
            name: None,
            entry: entry.map(str::to_string),
            source: Some(source.to_string()),
            ptx: compiled.ptx,
            origin: Origin::Live,
            dynamic_shared_bytes: 0,
            tensor_boxes: None,
            product_boxes: ProductBoxes::default(),
            adds_to_result: false,
            compiler: Some(compiled.compiler),
            warnings: compiled.log,
        })
    }

    /// A kernel from PTX text.
    ///
    /// # Errors
    /// [`Error::Ptx`] with the line where it is malformed; [`Error::Entry`] where there is no such entry.
    pub fn ptx(text: &str, entry: &str) -> Result<Self> {
        Self::build(Parts {
            name: None,
            entry: Some(entry.to_string()),
            source: None,
            ptx: text.to_string(),
            origin: Origin::Given,
            dynamic_shared_bytes: 0,
            tensor_boxes: None,
            product_boxes: ProductBoxes::default(),
            adds_to_result: false,
            compiler: None,
            warnings: String::new(),
        })
    }

    /// A kernel from a PTX file; without an entry's name, the file must hold exactly one.
    ///
    /// # Errors
    /// As [`Kernel::ptx`]; [`Error::File`] where it cannot be read or is not UTF-8.
    pub fn ptx_file(path: &Path, entry: Option<&str>) -> Result<Self> {
        Self::build(Parts {
            name: None,
            entry: entry.map(str::to_string),
            source: None,
            ptx: read_text(path)?,
            origin: Origin::Given,
            dynamic_shared_bytes: 0,
            tensor_boxes: None,
            product_boxes: ProductBoxes::default(),
            adds_to_result: false,
            compiler: None,
            warnings: String::new(),
        })
        .map_err(|error| match error {
            Error::Ptx { reason, .. } => Error::Ptx {
                name: path.display().to_string(),
                reason,
            },
            Error::Entry(reason) => Error::Entry(format!("{}: {reason}", path.display())),
            other => other,
        })
    }

    fn build(parts: Parts) -> Result<Self> {
        let module = Module::load(&parts.ptx);
        if let Err(error) = &module
            && !error.is_gap()
        {
            let name = parts
                .name
                .or(parts.entry)
                .unwrap_or_else(|| "PTX".to_string());
            return Err(Error::Ptx {
                name,
                reason: Box::new(error.clone()),
            });
        }
        let entries = match &module {
            Ok(module) => names(module),
            Err(_) => ptx::entries(&parts.ptx),
        };
        let entry = choose_entry(parts.entry, &entries, parts.source.is_some())?;
        let params = parameters(&module, &parts.ptx, &entry)?;
        let declared = parts
            .source
            .as_deref()
            .and_then(|source| signature::parameters(source, &entry))
            .filter(|declared| declared.len() == params.len());
        Ok(Self {
            inner: Arc::new(Inner {
                name: parts.name.unwrap_or_else(|| entry.clone()),
                source_sha256: parts
                    .source
                    .as_ref()
                    .map(|source| sha256(source.as_bytes())),
                ptx_sha256: sha256(parts.ptx.as_bytes()),
                entry,
                source: parts.source,
                ptx: parts.ptx,
                origin: parts.origin,
                module,
                params,
                declared,
                compiler: parts.compiler,
                warnings: parts.warnings,
            }),
            dynamic_shared_bytes: parts.dynamic_shared_bytes,
            cluster: None,
            is_cooperative: false,
            is_programmatic: false,
            tensor_boxes: parts.tensor_boxes,
            product_boxes: parts.product_boxes,
            adds_to_result: parts.adds_to_result,
            caches: CacheSettings::new(),
        })
    }

    /// The same kernel, whose launches ask this of the caches. A launch checks it against the device's limits.
    pub fn with_caches(&self, caches: CacheSettings) -> Self {
        Self {
            caches,
            ..self.clone()
        }
    }

    /// The same kernel, launched with so many bytes of `extern __shared__` memory.
    pub fn with_dynamic_shared_bytes(&self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self.clone()
        }
    }

    /// The same kernel, launched in clusters of so many blocks, 8 at most; with [`Cluster::non_portable`], 16. One that
    /// is compiled for clusters (`__cluster_dims__`) is launched so anyway.
    pub fn with_cluster(&self, cluster: Cluster) -> Self {
        Self {
            cluster: Some(cluster),
            ..self.clone()
        }
    }

    /// The same kernel, launched cooperatively: all blocks of the grid run together and may wait for each other
    /// (`cooperative_groups::this_grid().sync()`). A grid that does not fit on the device at once is refused, with how
    /// many blocks do.
    pub fn cooperative(&self) -> Self {
        Self {
            is_cooperative: true,
            ..self.clone()
        }
    }

    /// Whether it is launched so.
    pub fn is_cooperative(&self) -> bool {
        self.is_cooperative
    }

    /// The same kernel, whose launches on a stream are programmatic dependent launches: its blocks may begin before the
    /// kernel before it in the stream has ended, namely when each block of that one has executed
    /// `cudaTriggerProgrammaticLaunchCompletion()` (`griddepcontrol.launch_dependents`) or has ended. Nothing that it does
    /// before its own `cudaGridDependencySynchronize()` (`griddepcontrol.wait`) comes after what that kernel does; all
    /// that it does afterwards comes after the other's end. After a copy, a fill or a graph it begins as any other kernel
    /// (CUDA C++ Programming Guide, *Programmatic Dependent Launch and Synchronization*; PTX ISA, `griddepcontrol`).
    ///
    /// GPUs have it from compute capability 9.0 (Hopper) on, and the emulator has it.
    pub fn programmatic(&self) -> Self {
        Self {
            is_programmatic: true,
            ..self.clone()
        }
    }

    /// Whether its launches are programmatic dependent launches.
    pub fn is_programmatic(&self) -> bool {
        self.is_programmatic
    }

    /// The clusters in which it is launched, where that is not left to what it is compiled for.
    pub fn cluster(&self) -> Option<Cluster> {
        self.cluster
    }

    /// Blocks of a cluster in x, y, z, as launched; 1 each without clusters.
    pub fn cluster_blocks(&self) -> [u32; 3] {
        let module = self.inner.module.as_ref().ok();
        let entry = module.and_then(|module| module.entry(&self.inner.entry).ok());
        let compiled = || entry.and_then(cornerturn_emulator::Entry::cluster);
        let asked = self.cluster.map(|cluster| cluster.blocks);
        asked.or_else(compiled).unwrap_or([1; 3])
    }

    /// The same kernel with the variables of its module, and the emulator's heap, as they were before any launch.
    ///
    /// # Errors
    /// None that loading it the first time did not have.
    pub(crate) fn reset(&self) -> Result<Self> {
        let keeps = self.inner.module.as_ref().is_ok_and(Module::keeps_state);
        if !keeps {
            return Ok(self.clone());
        }
        let inner = &self.inner;
        self.built_from(
            inner.ptx.clone(),
            inner.origin,
            inner.compiler.clone(),
            inner.warnings.clone(),
        )
    }

    /// The same kernel, launched in the same way, compiled anew from its source under this file name for this
    /// architecture.
    ///
    /// # Errors
    /// As [`Compiler::compile`]; [`Error::Usage`] where its source is not known.
    pub fn compiled_by(&self, compiler: &Compiler, file: &str, arch: &str) -> Result<Self> {
        let source = self.source().ok_or_else(|| {
            Error::Usage(format!(
                "kernel {} is PTX, and its source is not known",
                self.name()
            ))
        })?;
        let compiled = compiler.compile(source, file, arch)?;
        let ptx = ptx::lower_version(&compiled.ptx, ptx::NEWEST_VERSION);
        self.built_from(ptx, Origin::Live, Some(compiled.compiler), compiled.log)
    }

    /// The same kernel from other PTX.
    fn built_from(
        &self,
        ptx: String,
        origin: Origin,
        compiler: Option<CompilerInfo>,
        warnings: String,
    ) -> Result<Self> {
        let inner = &self.inner;
        let fresh = Self::build(Parts {
            name: Some(inner.name.clone()),
            entry: Some(inner.entry.clone()),
            source: inner.source.clone(),
            ptx,
            origin,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            tensor_boxes: self.tensor_boxes,
            product_boxes: self.product_boxes,
            adds_to_result: self.adds_to_result,
            compiler,
            warnings,
        })?;
        Ok(Self {
            cluster: self.cluster,
            is_cooperative: self.is_cooperative,
            is_programmatic: self.is_programmatic,
            caches: self.caches.clone(),
            ..fresh
        })
    }

    /// The same kernel, to which a task passes its matrices as tensor maps with these boxes; a registered kernel has
    /// those of the registry.
    pub fn with_tensor_maps(&self, input: TensorBox, output: TensorBox) -> Self {
        Self {
            tensor_boxes: Some(TensorBoxes { input, output }),
            ..self.clone()
        }
    }

    /// The same kernel, to which a product passes those of its matrices that have a box here as tensor maps; a registered
    /// kernel has those of the registry.
    pub fn with_product_maps(&self, boxes: ProductBoxes) -> Self {
        Self {
            product_boxes: boxes,
            ..self.clone()
        }
    }

    /// The same kernel, whose blocks add what they have to C: a product fills C with 0 before each launch that it verifies.
    pub fn adding_to_result(&self) -> Self {
        Self {
            adds_to_result: true,
            ..self.clone()
        }
    }

    /// Whether it adds to what is in C.
    pub fn adds_to_result(&self) -> bool {
        self.adds_to_result
    }

    /// The boxes of the tensor maps that it takes of a product's matrices.
    pub fn product_boxes(&self) -> ProductBoxes {
        self.product_boxes
    }

    /// The registry's id, else the entry's name.
    pub fn name(&self) -> &str {
        &self.inner.name
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

    /// Bytes of `extern __shared__` memory that a launch gives it.
    pub fn dynamic_shared_bytes(&self) -> u32 {
        self.dynamic_shared_bytes
    }

    /// What its launches ask of the caches.
    pub fn caches(&self) -> &CacheSettings {
        &self.caches
    }

    /// The boxes of its tensor maps, where it takes such maps.
    pub fn tensor_boxes(&self) -> Option<TensorBoxes> {
        self.tensor_boxes
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

    pub(crate) fn declared(&self) -> Option<&[Parameter]> {
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

/// The registered kernel of this source; `None` where several entries share it and none is named.
fn same_source<'r>(registry: &'r Registry, source: &str, entry: Option<&str>) -> Option<Code<'r>> {
    let sharing = registry.find_source(source);
    let first = *sharing
        .iter()
        .find(|kernel| entry.is_none_or(|entry| entry == kernel.entry))?;
    let alone = sharing.iter().all(|kernel| kernel.entry == first.entry);
    (entry.is_some() || alone).then_some(first)
}

fn names(module: &Module) -> Vec<String> {
    let entries = module.entries().iter();
    entries.map(|entry| entry.name().to_string()).collect()
}

/// The entry's parameters: from the module, or from the text where the emulator does not support what is in it.
fn parameters(module: &Result<Module, LoadError>, ptx: &str, entry: &str) -> Result<Vec<Param>> {
    let found = match module {
        Ok(module) => {
            let mut entries = module.entries().iter();
            let found = entries.find(|found| found.name() == entry);
            found.map(|found| found.params().to_vec())
        }
        Err(_) => ptx::parameters(ptx, entry),
    };
    found.ok_or_else(|| {
        Error::Entry(format!(
            "the parameters of `{entry}` cannot be read from its PTX"
        ))
    })
}

fn choose_entry(wanted: Option<String>, entries: &[String], from_source: bool) -> Result<String> {
    let list = entries.join("`, `");
    match (wanted, entries) {
        (Some(wanted), _) if entries.contains(&wanted) => Ok(wanted),
        (Some(wanted), []) => Err(Error::Entry(format!(
            "there is no entry `{wanted}`, nor any other"
        ))),
        (Some(wanted), _) => Err(Error::Entry(format!(
            "there is no entry `{wanted}`; there are: `{list}`"
        ))),
        (None, [only]) => Ok(only.clone()),
        (None, []) if from_source => Err(Error::Entry(
            "the source has no kernel; write `extern \"C\" __global__ void name(…)`".to_string(),
        )),
        (None, []) => Err(Error::Entry("the PTX has no entry".to_string())),
        (None, _) => Err(Error::Entry(format!(
            "there are several entries, name one of: `{list}`"
        ))),
    }
}
