//! Numbers in prose that come from records and counts: the directives that stand for them, and what becomes of
//! these. Where a number comes from is a [`Source`]'s business.

pub(crate) mod digits;
pub(crate) mod directive;
pub(crate) mod expression;
mod format;
mod problem;
mod source;

pub use problem::{ProseProblem, ValueError};
pub use source::{NoSource, Source, SourceError};
