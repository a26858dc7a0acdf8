//! From PTX to a kernel: it is read, its entry chosen, its parameters found. Where the PTX comes from is in `sources`.

use super::{Inner, Kernel, Origin};
use crate::compile::CompilerInfo;
use crate::entry;
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::ptx;
use cornerturn_base::signature;
use cornerturn_base::tensor_box::{ProductBoxes, TensorBoxes};
use cornerturn_emulator::{LoadError, Module, Param};
use cornerturn_registry::registry::sha256;
use std::sync::Arc;

/// What a kernel is made of before its PTX is read.
pub(super) struct Parts {
    pub(super) name: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) source: Option<String>,
    pub(super) ptx: String,
    pub(super) origin: Origin,
    pub(super) dynamic_shared_bytes: u32,
    pub(super) tensor_boxes: Option<TensorBoxes>,
    pub(super) product_boxes: ProductBoxes,
    pub(super) adds_to_result: bool,
    pub(super) multiple_of: [u32; 3],
    pub(super) compiler: Option<CompilerInfo>,
    pub(super) warnings: String,
    /// As [`Kernel::as_written`].
    pub(super) is_as_written: bool,
}

impl Kernel {
    pub(super) fn build(parts: Parts) -> Result<Self> {
        let module = match parts.is_as_written {
            true => Module::load_as_written(&parts.ptx),
            false => Module::load(&parts.ptx),
        };
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
        let entry = entry::chosen(parts.entry.as_deref(), &entries, parts.source.is_some())?;
        let params = parameters(&module, &parts.ptx, &entry)?;
        let declared = parts
            .source
            .as_deref()
            .and_then(|source| signature::parameters(source, &entry::in_source(&entry)))
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
                is_as_written: parts.is_as_written,
            }),
            dynamic_shared_bytes: parts.dynamic_shared_bytes,
            cluster: None,
            is_cooperative: false,
            is_programmatic: false,
            tensor_boxes: parts.tensor_boxes,
            product_boxes: parts.product_boxes,
            adds_to_result: parts.adds_to_result,
            multiple_of: parts.multiple_of,
            edited: None,
            caches: CacheSettings::new(),
        })
    }

    /// The same kernel with the variables of its module, and the emulator's heap, as they were before any launch.
    ///
    /// # Errors
    /// None that loading it the first time did not have.
    pub fn reset(&self) -> Result<Self> {
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

    /// The same kernel from other PTX.
    pub(super) fn built_from(
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
            multiple_of: self.multiple_of,
            compiler,
            warnings,
            is_as_written: inner.is_as_written,
        })?;
        Ok(Self {
            cluster: self.cluster,
            is_cooperative: self.is_cooperative,
            is_programmatic: self.is_programmatic,
            edited: self.edited.clone(),
            caches: self.caches.clone(),
            ..fresh
        })
    }
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
