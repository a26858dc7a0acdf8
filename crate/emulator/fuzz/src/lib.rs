//! Kernels made at random, and what must be true of the emulator whatever it is given.
//!
//! `properties` says what; `fuzz_targets/` lets libFuzzer look for what breaks it, `tests/corpus.rs` replays
//! what it kept. The binary `oracle` compares made kernels with a GPU.

pub mod choices;
pub mod forms;
mod hostile;
pub mod kernel;
pub mod properties;
pub mod values;
