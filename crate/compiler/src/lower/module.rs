//! What lowering gives: kernels, the functions that they call, and the variables of the module, before anything is optimised.

use crate::diagnostics::Diagnostic;
use crate::ir::{Body, Loc, MemTy, Space};
use crate::syntax::Name;
use std::rc::Rc;

/// A variable of the module, or of a kernel's shared memory.
#[derive(Debug, Clone)]
pub(crate) struct SymbolData {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) init: Option<Vec<u8>>,
    /// `extern __shared__`: its size is the launch's.
    pub(crate) is_extern: bool,
    /// Whether the host sees it too.
    pub(crate) is_managed: bool,
    /// Whether a function was given its address: NVRTC keeps what is written there, though nobody reads it.
    pub(crate) is_handed_over: bool,
    /// Whether nobody can change it, so that what is read of it is known.
    pub(crate) is_constexpr: bool,
    /// Where in the first value addresses lie.
    pub(crate) addresses: Vec<u64>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct KernelParam {
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// How it lies in memory; none for structs.
    pub(crate) mem: Option<MemTy>,
    pub(crate) is_pointer: bool,
    pub(crate) is_restrict: bool,
}

/// A kernel before it is optimised.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) params: Vec<KernelParam>,
    pub(crate) body: Body,
    pub(crate) loc: Loc,
    pub(crate) max_threads: Option<u64>,
    pub(crate) min_blocks: Option<u64>,
    pub(crate) max_registers: Option<u64>,
    pub(crate) cluster: Vec<u64>,
    /// What it hands back, where it is no kernel but a function that kernels call.
    pub(crate) returns: Option<Option<MemTy>>,
}

/// A line of the source in a function, and where that was inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    /// The number of the file: 0 is the source itself.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The inlined function's name and its call; none in the kernel itself.
    pub(crate) inlined: Option<(Rc<str>, Loc)>,
}

/// Without the name, which is the same in nearly all that are the same otherwise.
impl std::hash::Hash for Location {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let call = self.inlined.as_ref().map(|(_, call)| *call);
        (self.file, self.line, self.column, call).hash(state);
    }
}

/// All that a source gives.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) kernels: Vec<Kernel>,
    /// Functions that call themselves.
    pub(crate) functions: Vec<Kernel>,
    pub(crate) symbols: Vec<SymbolData>,
    pub(crate) locations: Vec<Location>,
    /// What is not supported of kernels and functions that are therefore left out, each with its name.
    pub(crate) left_out: Vec<(Name, Diagnostic)>,
}
