//! The ways to a kernel: from the registry, from CUDA C++, from PTX. Compiling lives in `compile`.

use super::build::Parts;
use super::{Kernel, Origin};
use crate::compile::{Compiled, Compiler, CompilerInfo, SourceFile};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::read_text;
use cornerturn_base::given;
use cornerturn_base::ptx;
use cornerturn_base::tensor_box::ProductBoxes;
use cornerturn_registry::registry::{Code, Registry};
use std::path::Path;

/// The name of a source that is no file, in messages and findings.
const FILE: &str = "kernel.cu";

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
            multiple_of: kernel.multiple_of,
            compiler: None,
            warnings: String::new(),
            is_as_written: false,
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
        let registry = Registry::load().ok();
        let committed = registry.as_ref().and_then(|registry| {
            let kernel = same_source(registry, source, entry)?;
            Some(Self::committed(registry, kernel))
        });
        match committed {
            Some(Ok(kernel)) => Ok(kernel),
            // Stale PTX is no reason not to compile; but where that cannot be, it is what has to be mended.
            Some(Err(stale)) => match Self::live(source, entry) {
                Err(Error::NoCompiler(_) | Error::CompilerGap { .. }) => Err(stale),
                other => other,
            },
            None => {
                let kernel = Self::live(source, entry)?;
                // An edit of a registered kernel is meant for the matrices that the unedited one is for.
                let edited = registry.as_ref().and_then(|registry| {
                    let mut codes = registry.codes();
                    codes.find(|code| code.entry == kernel.entry())
                });
                Ok(match edited {
                    Some(code) => Self {
                        edited: Some(code.id.into()),
                        ..kernel.for_multiples_of(code.multiple_of)
                    },
                    None => kernel,
                })
            }
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

    /// A kernel from a user's file, with the files that it includes: PTX, or CUDA C++ where it is named `.cu`. Without an
    /// entry's name it must hold exactly one.
    ///
    /// # Errors
    /// As [`Kernel::cuda_entry`] and [`Kernel::ptx_file`].
    pub fn file(file: &SourceFile, entry: Option<&str>) -> Result<Self> {
        if file
            .path
            .extension()
            .is_none_or(|extension| extension != "cu")
        {
            return Self::ptx_file(&file.path, entry);
        }
        let compiled = Compiler::open()?.compile_file(file, None, entry)?;
        Self::compiled(&file.text()?, entry, compiled)
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
            multiple_of: code.multiple_of,
            compiler: Some(compiler),
            warnings,
            is_as_written: false,
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
            multiple_of: [1; 3],
            compiler: Some(compiled.compiler),
            warnings: compiled.log,
            is_as_written: false,
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
            multiple_of: [1; 3],
            compiler: None,
            warnings: String::new(),
            is_as_written: false,
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
            multiple_of: [1; 3],
            compiler: None,
            warnings: String::new(),
            is_as_written: false,
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
        let ptx = ptx::for_drivers(&compiled.ptx);
        self.built_from(ptx, Origin::Live, Some(compiled.compiler), compiled.log)
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
