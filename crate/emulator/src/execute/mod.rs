//! Executing decoded instructions: the compact form, the register lanes, one file for each chapter of instructions.

#![allow(
    clippy::redundant_closure,
    reason = "every instruction's function is written the same way"
)]

pub(crate) mod asynchronous;
pub(crate) mod atomic;
pub(crate) mod bulk;
pub(crate) mod carry;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod copy;
pub(crate) mod drive;
mod exact;
pub(crate) mod float;
pub(crate) mod format;
pub(crate) mod frame;
pub(crate) mod half;
pub(crate) mod heap;
pub(crate) mod integer;
pub(crate) mod lanes;
pub(crate) mod logic;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod moves;
pub(crate) mod order;
pub(crate) mod packed;
pub(crate) mod print;
pub(crate) mod program;
pub(crate) mod queue;
pub(crate) mod rounding;
pub(crate) mod row;
pub(crate) mod tile;
pub(crate) mod video;
pub(crate) mod warp;
pub(crate) mod world;
