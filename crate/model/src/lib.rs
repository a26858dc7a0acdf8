//! Predicts how long a launch would take on a GPU: what the emulator observed and a description of the GPU in, a time out. Nothing here reads a file, a clock or a record of a kernel.
//!
//! # The way of a prediction
//!
//! 1. [`request`] says what the emulator is to record while it runs: one warp step by step, the accesses of some blocks, how
//!    often each basic block was executed.
//! 2. [`Observation::new`] makes of the report what the model needs, bounded whatever the launch.
//! 3. [`predict`] asks a [`Machine`] how long that takes: how many blocks a multiprocessor holds (`residence`), what a warp
//!    executes and what waits for what (`program`), what L1 keeps (`l1`), what passes L2 and reaches DRAM (`traffic`), how one
//!    multiprocessor gets through its blocks (`simulate`), and what the whole launch adds (`predict`).
//!
//! A machine is data: [`Machine::named`] has those that come with the package, [`describe`] makes one from probes.

pub mod compare;
mod describe;
mod l1;
mod machine;
mod observe;
mod op;
mod predict;
mod program;
mod residence;
mod simulate;
mod traffic;

pub use describe::{DescribeError, Probes, describe};
pub use machine::{Figure, Machine, MachineError};
pub use observe::{Observation, Shape, request};
pub use predict::{Limits, NotPredicted, Prediction, predict};
