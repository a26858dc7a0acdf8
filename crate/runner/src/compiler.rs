//! The option `--compiler`: NVIDIA's compiler of CUDA C++ or our own, for the verbs that compile.

use cornerturn::compile::{self, Compiler, CompilerKind};
use cornerturn::{Kernel, Result};
use std::path::Path;

/// Which compiler.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Chosen {
    /// What compiles CUDA C++ [default: what CORNERTURN_COMPILER says, else NVRTC where it is found, else our own]
    #[arg(long, value_enum, global = true)]
    compiler: Option<Choice>,
}

/// The two compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// NVIDIA's NVRTC
    Nvrtc,
    /// Corner Turn's own compiler
    Cornerturn,
}

impl Chosen {
    /// Chooses for all that this process compiles.
    pub fn choose(self) {
        match self.compiler {
            None => {}
            Some(Choice::Nvrtc) => compile::choose(CompilerKind::Nvrtc),
            Some(Choice::Cornerturn) => compile::choose(CompilerKind::CornerTurn),
        }
    }
}

/// A registered kernel compiled anew, where the command line says by what; else as it is, from its committed PTX.
pub fn by_choice(kernel: Kernel, file: &Path, arch: &str) -> Result<Kernel> {
    if !compile::is_chosen() {
        return Ok(kernel);
    }
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    kernel.compiled_by(&Compiler::open()?, &file, arch)
}
