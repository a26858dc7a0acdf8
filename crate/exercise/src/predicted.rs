//! The kernels whose counts are predicted: from PTX that is kept beside the source, so that numbers are graded where there is no compiler. Grading them is `predict`'s.

use super::data::{Exercise, Kind};
use cornerturn_base::error::Result;
use cornerturn_registry::registry::sha256;
use cornerturn_runtime::compile::{Compiler, CompilerKind};
use cornerturn_runtime::kernel::Kernel;

/// What the first line of kept PTX begins with; the hash of the source that it was made from follows.
const STAMP: &str = "// source sha256 ";

impl Exercise {
    /// The kernel whose counts are asked for.
    ///
    /// # Errors
    /// Those of compiling it, where the PTX that is kept was made from another source.
    pub(super) fn predicted(&self, entry: &str) -> Result<Kernel> {
        let kernel = match self.kept_ptx() {
            Some(text) => Kernel::ptx(text, entry)?,
            None => Kernel::cuda_file(&self.solution(), &self.file_name(), entry)?,
        };
        Ok(kernel.with_dynamic_shared_bytes(self.dynamic_shared_bytes))
    }

    /// Whether counts of its own kernel are asked for and no PTX of this source is kept.
    pub fn is_stale(&self) -> bool {
        self.kind == Kind::Predict && self.profiles.is_empty() && self.kept_ptx().is_none()
    }

    /// The PTX to keep, compiled now by NVRTC: what is committed is made by no other compiler.
    ///
    /// # Errors
    /// Those of compiling; [`cornerturn_base::Error::NoCompiler`].
    pub fn ptx_to_keep(&self) -> Result<String> {
        let (nvrtc, file) = (Compiler::of(CompilerKind::Nvrtc)?, self.file_name());
        let kernel = Kernel::cuda_by(&nvrtc, &self.solution(), &file, &self.entry)?;
        let hash = sha256(self.solution().as_bytes());
        Ok(format!("{STAMP}{hash}\n{}\n", kernel.ptx_text().trim()))
    }

    fn kept_ptx(&self) -> Option<&str> {
        let text = self.ptx.as_deref()?;
        let stamp = text.lines().next()?.strip_prefix(STAMP)?;
        (stamp.trim() == sha256(self.solution().as_bytes())).then_some(text)
    }
}
