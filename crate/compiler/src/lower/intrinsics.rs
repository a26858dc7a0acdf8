//! What CUDA has built in: functions that are a row of a table, those whose PTX follows from their name, and those that need code.

pub(super) mod custom;
pub(super) mod derived;
pub(super) mod table;
