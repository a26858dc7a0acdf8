//! Runs PTX kernels on a CPU, with a GPU's memory counters and a checker's findings. No CUDA driver, no files, no clock.

#![allow(
    clippy::needless_range_loop,
    reason = "the number of a lane or warp indexes several arrays at once"
)]

pub mod counters;
mod decode;
mod diagnostics;
mod error;
mod execute;
mod launch;
mod memory;
mod module;
mod parse;
mod report;
mod run;
mod table;

pub use counters::Counters;
pub use error::{LaunchError, LoadError, MemoryError};
pub use launch::{Arg, Launch, Options, launch};
pub use memory::{BufferInfo, Memory};
pub use module::{Entry, Module, Param, ParamType};
pub use report::{
    Access, Detail, Finding, FindingKind, OtherSite, Report, Site, SourceLine, Space, Trace,
    TraceRequest,
};
pub use table::{Supported, supported_instructions};
