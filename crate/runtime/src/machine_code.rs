//! Machine code of a kernel, aligned with its PTX: assembled by `ptxas`, read by `nvdisasm`, counted beside the PTX. Installing these tools is the binary's.

pub mod access;
mod align;
mod arithmetic;
mod compiled;
mod loops;
mod runs;
mod sass;
mod show;
mod tools;

use crate::kernel::Kernel;
pub use align::{Aligned, Fate};
pub use compiled::Compiled;
use cornerturn_base::error::{Error, Result};
pub use sass::Instruction;
pub use tools::{Assembled, Tools};

/// A kernel's machine code beside its PTX.
#[derive(Debug, Clone)]
pub struct MachineCode {
    /// The kernel.
    pub kernel: Kernel,
    /// The machine, such as `sm_90`.
    pub target: String,
    /// The assembler's version, where it tells.
    pub assembler: Option<String>,
    /// Bytes of the cubin.
    pub cubin_bytes: usize,
    /// All instructions, in order.
    pub instructions: Vec<Instruction>,
    /// The memory instructions of the PTX, and what became of each.
    pub sites: Vec<Aligned>,
    /// Memory instructions of the machine code that belong to none of them, as indices: spills.
    pub strays: Vec<usize>,
}

impl Kernel {
    /// What the assembler makes of the kernel's PTX for a machine, such as `sm_90`.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs assembler and disassembler; [`Error::Assembler`] where they
    /// refuse the PTX; [`Error::Usage`] where `target` is no machine.
    pub fn machine_code(&self, target: &str) -> Result<MachineCode> {
        let tools = Tools::open()?;
        let assembled = tools.assemble(self.name(), self.ptx_text(), target)?;
        let code = MachineCode::read(self, target, &assembled)?;
        Ok(MachineCode {
            assembler: tools.version(),
            ..code
        })
    }
}

impl MachineCode {
    /// Aligns what the tools made with the kernel's PTX.
    fn read(kernel: &Kernel, target: &str, assembled: &Assembled) -> Result<Self> {
        let instructions = sass::parse(&assembled.listing, kernel.entry());
        if instructions.is_empty() {
            return Err(Error::Assembler {
                name: kernel.name().to_string(),
                tool: "nvdisasm".to_string(),
                reason: format!("its listing has no instruction of `{}`", kernel.entry()),
            });
        }
        let (sites, strays) = align::align(kernel.ptx_text(), kernel.entry(), &instructions);
        Ok(Self {
            kernel: kernel.clone(),
            target: target.to_string(),
            assembler: None,
            cubin_bytes: assembled.cubin.len(),
            instructions,
            sites,
            strays,
        })
    }
}

#[cfg(test)]
mod tests;
