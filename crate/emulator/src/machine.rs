//! What executes a program: the lanes of a group of warps, the world around them, and the form of an instruction.

pub(crate) mod deciding;
pub(crate) mod dependence;
pub(crate) mod inst;
pub(crate) mod lanes;
pub(crate) mod neighbours;
pub(crate) mod output;
pub(crate) mod pattern;
pub(crate) mod pending;
pub(crate) mod queue;
pub(crate) mod row;
pub(crate) mod spans;
pub(crate) mod stage;
pub(crate) mod steps;
pub(crate) mod wide;
pub(crate) mod world;
pub(crate) mod worst;
