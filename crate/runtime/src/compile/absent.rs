//! What stands in for `nvrtc` where the library is built without the driver: a compiler that is never there.

use super::{Compiled, CompilerInfo, SourceFile};
use cornerturn_base::error::{Error, Result};
use cornerturn_compiler::Options;

/// Whether NVIDIA makes the compiler for this system.
pub const IS_MADE: bool = false;

/// How to get it.
pub(super) fn how_to_get() -> String {
    "it is not in a page: the project's own `cornerturn` uses it where it is installed".to_string()
}

/// No compiler.
#[derive(Debug)]
pub enum Nvrtc {}

impl Nvrtc {
    /// It is not there.
    ///
    /// # Errors
    /// [`Error::NoCompiler`].
    pub fn open() -> Result<Self> {
        Err(Error::NoCompiler(format!(
            "NVIDIA's compiler: {}",
            how_to_get()
        )))
    }

    /// Which it is.
    ///
    /// # Errors
    /// None.
    pub fn info(&self) -> Result<CompilerInfo> {
        match *self {}
    }

    /// Compiles a file.
    ///
    /// # Errors
    /// None.
    pub(super) fn compile_file(
        &self,
        _source: &str,
        _file: &SourceFile,
        _options: &Options,
    ) -> Result<Compiled> {
        match *self {}
    }

    /// Compiles CUDA C++.
    ///
    /// # Errors
    /// None.
    pub fn compile_with(
        &self,
        _source: &str,
        _name: &str,
        _arch: &str,
        _defines: &[(String, String)],
    ) -> Result<Compiled> {
        match *self {}
    }
}
