//! From the syntax tree to programs: what names mean, what opcodes do, where values live, where lanes rejoin.

mod address;
mod atomics;
pub(crate) mod calls;
mod division;
mod dominators;
pub(crate) mod emit;
pub(crate) mod external;
mod flow;
mod functions;
mod fuse;
pub(crate) mod ir;
mod joins;
mod layout;
mod lines;
pub(crate) mod lower;
mod module;
pub(crate) mod names;
mod observed;
mod operand;
mod operations;
mod optimise;
mod provided;
mod registers;
mod special;
mod variable;
mod wanted;

pub(crate) use layout::{FIRST_GLOBAL, MOST_GLOBAL_BYTES};
pub(crate) use module::{DecodedEntry, Listed, decode};
