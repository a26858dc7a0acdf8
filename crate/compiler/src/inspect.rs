//! What the compiler tells of its own work: its passes and their order. How they run stands in `optimise`.

use crate::optimise::{Keeps, order, passes as table};

/// A pass of the optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// By which it is asked for.
    pub name: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    /// The passes that run before it: without them it is right, but finds less.
    pub needs: &'static [&'static str],
    /// Whether blocks, and how control goes from one to another, are the same after it.
    pub keeps_graph: bool,
}

/// All passes of the optimiser, by what they are about.
pub fn passes() -> Vec<Pass> {
    let passes = table().iter().map(|pass| Pass {
        name: pass.name,
        does: pass.does,
        needs: pass.needs,
        keeps_graph: pass.keeps == Keeps::Graph,
    });
    passes.collect()
}

/// Their names in the order in which they run, as often as they do. Some run only where others changed something, and those
/// that make registers of local objects run over and over.
pub fn pass_order() -> Vec<&'static str> {
    order()
}
