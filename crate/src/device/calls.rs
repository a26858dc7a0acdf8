//! What a GPU is asked for in one call of several parts, as plain values. Who asks checks them, `cuda` does them.

use super::{CudaEvent, CudaGraph, CudaStream, Prepared, Queued};
use crate::kernel::Kernel;
use std::sync::Arc;

/// The transpose of a row-major matrix: addresses of `rows` × `columns` and of `columns` × `rows` elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GeamCall {
    /// float64 instead of float32.
    pub(crate) double: bool,
    pub(crate) rows: i32,
    pub(crate) columns: i32,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// A product of row-major matrices: addresses, and what lies there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GemmCall {
    pub(crate) m: i32,
    pub(crate) n: i32,
    pub(crate) k: i32,
    pub(crate) is_a_transposed: bool,
    pub(crate) is_b_transposed: bool,
    /// `cudaDataType_t` of A and B, and of C.
    pub(crate) input: i32,
    pub(crate) output: i32,
    /// `cublasComputeType_t`.
    pub(crate) compute: u32,
    /// Whether only cuBLASLt has it.
    pub(crate) is_light: bool,
    /// The bits of 1 in the type of calculation.
    pub(crate) one: u32,
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) c: u64,
}

/// A kernel and how it is launched.
pub(crate) type SequenceStep = (Kernel, Arc<Prepared>);

/// What is queued in a sample, over and over.
pub(crate) enum Sequenced<'s> {
    /// Each launch by a call of its own.
    Launches(&'s [SequenceStep]),
    /// All by one call.
    Graph(&'s CudaGraph),
}

/// What a sample is.
pub(crate) enum SequenceSpan<'s> {
    /// From before the first call until the last one returns.
    Calls,
    /// From before the first call until the host sees that all is done.
    Done,
    /// On the GPU, behind a launch that keeps it busy until all is queued.
    Behind(&'s SequenceStep),
}

/// One call of a capture, in the order in which the program made them.
pub(crate) enum Captured<'c> {
    Queue(Option<&'c CudaStream>, &'c Queued),
    Record(&'c CudaEvent, Option<&'c CudaStream>),
    Wait(Option<&'c CudaStream>, &'c CudaEvent),
}
