//! What a GPU is asked for in one call of several parts, as plain values. Who asks checks them, `cuda` does them.

use super::{CudaEvent, CudaGraph, CudaStream, Prepared, Queued};
use crate::kernel::Kernel;
use std::sync::Arc;

/// The transpose of a row-major matrix: addresses of `rows` × `columns` and of `columns` × `rows` elements.
#[derive(Debug, Clone, Copy)]
pub struct GeamCall {
    /// float64 instead of float32.
    pub double: bool,
    /// Rows of the input.
    pub rows: i32,
    /// Columns of the input.
    pub columns: i32,
    /// The address of the input.
    pub input: u64,
    /// The address of the output.
    pub output: u64,
}

/// A product of row-major matrices: addresses, and what lies there.
#[derive(Debug, Clone, Copy)]
pub struct GemmCall {
    /// Rows of A and C.
    pub m: i32,
    /// Columns of B and C.
    pub n: i32,
    /// Columns of A, rows of B.
    pub k: i32,
    /// Whether A lies there as its transpose.
    pub is_a_transposed: bool,
    /// Whether B lies there as its transpose.
    pub is_b_transposed: bool,
    /// `cudaDataType_t` of A and B.
    pub input: i32,
    /// The same of C.
    pub output: i32,
    /// `cublasComputeType_t`.
    pub compute: u32,
    /// Whether only cuBLASLt has it.
    pub is_light: bool,
    /// The bits of 1 in the type of calculation.
    pub one: u32,
    /// The address of A.
    pub a: u64,
    /// The address of B.
    pub b: u64,
    /// The address of C.
    pub c: u64,
}

/// A kernel and how it is launched.
pub type SequenceStep = (Kernel, Arc<Prepared>);

/// What is queued in a sample, over and over.
pub enum Sequenced<'s> {
    /// Each launch by a call of its own.
    Launches(&'s [SequenceStep]),
    /// All by one call.
    Graph(&'s CudaGraph),
}

/// What a sample is.
pub enum SequenceSpan<'s> {
    /// From before the first call until the last one returns.
    Calls,
    /// From before the first call until the host sees that all is done.
    Done,
    /// On the GPU, behind a launch that keeps it busy until all is queued.
    Behind(&'s SequenceStep),
}

/// One call of a capture, in the order in which the program made them.
pub enum Captured<'c> {
    /// Something is queued; on the device's own stream where none is named.
    Queue(Option<&'c CudaStream>, &'c Queued),
    /// An event is recorded.
    Record(&'c CudaEvent, Option<&'c CudaStream>),
    /// A stream waits for an event.
    Wait(Option<&'c CudaStream>, &'c CudaEvent),
}
