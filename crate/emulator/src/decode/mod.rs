//! From the syntax tree to programs: what names mean, what opcodes do, where values live, where lanes rejoin.

mod atomics;
pub(crate) mod control;
pub(crate) mod emit;
mod flow;
pub(crate) mod ir;
pub(crate) mod lower;
mod module;
mod names;
mod operand;
mod optimise;
mod registers;
mod share;
mod special;

pub(crate) use module::{DecodedEntry, decode};
