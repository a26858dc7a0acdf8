//! A kernel as it is between two passes: as text, and whether it is well formed. Which passes there are stands in `optimise`.

pub(crate) mod text;

use crate::ir::{Body, verify};
use crate::lower::{KernelParam, SymbolData};

/// The name under which a kernel is shown before any pass has run.
pub const LOWERED: &str = "lower";

/// Looks on while kernels are optimised.
pub trait Inspect {
    /// All kernels are optimised once more, from the beginning: what was seen of them so far becomes no PTX.
    fn restart(&mut self) {}

    /// A pass is about to run.
    fn before(&mut self, _pass: &'static str, _kernel: &Snapshot<'_>) {}

    /// A pass has run, or lowering, as [`LOWERED`].
    fn after(&mut self, pass: &'static str, kernel: &Snapshot<'_>);

    /// All passes have run: this becomes PTX.
    fn finished(&mut self, _kernel: &Snapshot<'_>) {}
}

/// A kernel as it is at one time. Nothing is written or checked until it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    pub(crate) name: &'a str,
    pub(crate) facts: Facts<'a>,
    pub(crate) body: &'a Body,
}

/// What passes know of a kernel besides its body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) params: &'a [KernelParam],
    pub(crate) symbols: &'a [SymbolData],
    pub(crate) max_threads: Option<u64>,
    pub(crate) registers: u64,
}

impl Snapshot<'_> {
    /// The kernel's name in PTX.
    pub fn kernel(&self) -> &str {
        self.name
    }

    /// The kernel in the language of [`crate::Ir`].
    pub fn text(&self) -> String {
        text::write(self.name, &self.facts, self.body)
    }

    /// What is wrong with the kernel: values used before they are computed, operations with types that they do not take, and
    /// the like. Nothing where it is well formed.
    pub fn problems(&self) -> Vec<String> {
        let facts = &self.facts;
        verify::verify(self.body, facts.params.len(), facts.symbols.len())
    }

    /// How control goes from block to block: of each the numbers of those that follow it.
    pub fn graph(&self) -> Vec<Vec<u32>> {
        let next = |block: &crate::ir::BlockData| {
            let next = crate::ir::graph::successors(block.term);
            next.map(|block| block.0).collect()
        };
        self.body.blocks.iter().map(next).collect()
    }
}

/// A kernel of its own, as it is read from text.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) params: Vec<KernelParam>,
    pub(crate) symbols: Vec<SymbolData>,
    pub(crate) max_threads: Option<u64>,
    pub(crate) registers: u64,
    pub(crate) body: Body,
}

impl Read {
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts {
            params: &self.params,
            symbols: &self.symbols,
            max_threads: self.max_threads,
            registers: self.registers,
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            name: &self.name,
            facts: self.facts(),
            body: &self.body,
        }
    }
}
