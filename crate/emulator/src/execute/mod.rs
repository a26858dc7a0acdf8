//! Executing decoded instructions: the compact form, the register lanes, one file for each chapter of instructions.

#![allow(
    clippy::redundant_closure,
    reason = "every instruction's function is written the same way"
)]

pub(crate) mod atomic;
pub(crate) mod carry;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod drive;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod lanes;
pub(crate) mod logic;
pub(crate) mod memory;
pub(crate) mod moves;
pub(crate) mod order;
pub(crate) mod program;
pub(crate) mod rounding;
pub(crate) mod row;
pub(crate) mod warp;
pub(crate) mod world;
