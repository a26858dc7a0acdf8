//! Numbers in prose that come from records and counts: the directives that stand for them, and what becomes of
//! these. Where a number comes from is a [`Source`]'s business.

mod check;
mod digits;
mod directive;
mod expression;
mod format;
mod problem;
mod source;

pub use check::{FilledValue, ProseReport, check_prose};
pub use problem::{ProseProblem, ValueError};
pub use source::{NoSource, Source, SourceError};

pub(crate) use check::fill;
