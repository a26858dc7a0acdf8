//! The instructions, one file for each chapter of the PTX ISA: what decodes each beside what executes it.

#![allow(
    clippy::redundant_closure,
    reason = "every instruction's function is written the same way"
)]

pub(crate) mod approximate;
pub(crate) mod atomic;
pub(crate) mod bulk;
pub(crate) mod carry;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod copy;
pub(crate) mod float;
pub(crate) mod frame;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod moves;
pub(crate) mod order;
pub(crate) mod packed;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod video;
pub(crate) mod warp;
