//! What executes: the loops over lanes, accesses to memory, arithmetic that several instructions share. No decoding.

#![allow(
    clippy::redundant_closure,
    reason = "every instruction's function is written the same way"
)]

pub(crate) mod asynchronous;
pub(crate) mod atomic;
pub(crate) mod basic;
pub(crate) mod division;
pub(crate) mod drive;
mod exact;
mod format;
pub(crate) mod frame;
pub(crate) mod half;
pub(crate) mod heap;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod mufu;
pub(crate) mod print;
pub(crate) mod remote;
pub(crate) mod rounding;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod tile;
