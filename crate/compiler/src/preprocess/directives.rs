//! What became of each directive that names a file or is of a file: for who writes the source anew for another compiler.

use crate::source::Span;

/// A directive that was met, taken or not.
#[derive(Debug, Clone)]
pub(crate) struct Directive {
    /// From its `#` to the end of its words.
    pub(crate) span: Span,
    pub(crate) outcome: Outcome,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It stands where nothing counts, or it is of the file alone, such as `#pragma once`.
    PassedOver,
    /// A file of the source's own was put here: its number in the sources.
    File(usize),
    /// That file is here already.
    Again,
    /// A header of CUDA's or of a library, by its name.
    Header(String),
}
