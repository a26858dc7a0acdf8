//! One kernel's samples on matrices of one shape, and what is known of how they were taken.

use super::Timed;
use cornerturn_base::clocks::Clocks;
use cornerturn_base::element::ElementType;
use cornerturn_base::occupancy::{Limits, Occupancy};
use cornerturn_base::operation::Operation;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_base::traffic::{self, GbPerS};
use serde::{Deserialize, Serialize};

/// The name under which the driver's device-to-device copy is recorded.
pub const DRIVER_COPY: &str = "driver_copy";

/// The name under which cuBLAS's `geam` is recorded, which transposes as it copies.
pub const CUBLAS_GEAM: &str = "cublas_geam";

/// The samples of one kernel at one shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The registry's id, [`DRIVER_COPY`] or [`CUBLAS_GEAM`].
    pub kernel: String,
    /// What was done.
    pub operation: Operation,
    /// The element type.
    pub element: ElementType,
    /// Rows of the input.
    pub rows: usize,
    /// Columns of the input.
    pub columns: usize,
    /// How many matrices of this shape, one right after the other.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub batches: usize,
    /// What the cache held.
    pub mode: TimingMode,
    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub run: usize,
    /// Bytes that the operation must move.
    pub bytes_moved: u64,
    /// SHA-256 of the kernel's CUDA C++; empty for what is no kernel of ours.
    pub source_sha256: String,
    /// SHA-256 of the kernel's PTX; empty for what is no kernel of ours.
    pub ptx_sha256: String,
    /// Blocks of the grid; `None` for what is no kernel of ours.
    pub grid: Option<Dim3>,
    /// Threads of a block; `None` for what is no kernel of ours.
    pub block: Option<Dim3>,
    /// Registers of a thread, as the driver says. Here and below, `None` for what is no kernel of ours and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers_per_thread: Option<u32>,
    /// Bytes of a block's shared memory that the kernel declares, as the driver says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_shared_bytes: Option<u32>,
    /// Bytes of a block's shared memory that the launch adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_shared_bytes: Option<u32>,
    /// Blocks that a multiprocessor runs at a time, as the driver says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_per_multiprocessor: Option<u32>,
    /// The library and its version, for what is no kernel of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

fn one() -> usize {
    1
}

fn is_one(n: &usize) -> bool {
    *n == 1
}

pub(crate) fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Measurement {
    /// Cold-cache samples of one matrix of `shape`; what is known beyond that is the caller's to fill in.
    pub fn new(
        kernel: &str,
        operation: Operation,
        element: ElementType,
        shape: Shape,
        samples_us: Vec<f64>,
    ) -> Self {
        Self {
            kernel: kernel.to_string(),
            operation,
            element,
            rows: shape.rows,
            columns: shape.columns,
            batches: 1,
            mode: TimingMode::Cold,
            run: 0,
            bytes_moved: traffic::bytes_moved(shape, element),
            source_sha256: String::new(),
            ptx_sha256: String::new(),
            grid: None,
            block: None,
            registers_per_thread: None,
            static_shared_bytes: None,
            dynamic_shared_bytes: None,
            blocks_per_multiprocessor: None,
            library: None,
            samples_us,
        }
    }

    /// The samples with their statistics. The clocks are the record's, not kept for each measurement.
    pub fn timing(&self) -> Timing {
        Timing {
            samples_us: self.samples_us.clone(),
            mode: self.mode,
            clocks: Clocks::default(),
        }
    }

    /// The median in microseconds.
    pub fn median_us(&self) -> f64 {
        self.timing().median_us()
    }

    /// The bandwidth at the median.
    pub fn gb_per_s(&self) -> GbPerS {
        GbPerS::from_bytes_and_us(self.bytes_moved, self.median_us())
    }

    /// The input's shape; of one matrix, where there are several.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.columns)
    }

    /// How many of its blocks a multiprocessor runs at a time, calculated from what the driver said of the kernel. `None`
    /// for what is no kernel of ours and in old records.
    pub fn occupancy(&self, limits: &Limits) -> Option<Occupancy> {
        let threads = u32::try_from(self.block?.count()).ok()?;
        let shared = self.static_shared_bytes? + self.dynamic_shared_bytes.unwrap_or(0);
        Some(Occupancy::of(
            limits,
            threads,
            self.registers_per_thread?,
            shared,
        ))
    }

    /// The input's shape in words, such as `4096×4096` or `4096 × 60×68`.
    pub fn matrices(&self) -> String {
        match self.batches {
            1 => self.shape().to_string(),
            n => format!("{n} × {}", self.shape()),
        }
    }
}

impl Timed for Measurement {
    const COMMAND: &'static str = "cornerturn record";

    fn kernel(&self) -> &str {
        &self.kernel
    }

    fn what(&self) -> String {
        format!("`{}` at {}", self.kernel, self.shape())
    }

    fn is_reference(&self) -> bool {
        self.library.is_some() || [DRIVER_COPY, CUBLAS_GEAM].contains(&self.kernel.as_str())
    }

    fn is_of_the_same(&self, other: &Self) -> bool {
        let what = |m: &Self| (m.element, m.rows, m.columns, m.batches, m.mode);
        self.kernel == other.kernel && what(self) == what(other)
    }

    fn sha256(&self) -> (&str, &str) {
        (&self.source_sha256, &self.ptx_sha256)
    }

    fn run(&self) -> usize {
        self.run
    }

    fn set_run(&mut self, run: usize) {
        self.run = run;
    }

    fn samples_us(&self) -> &[f64] {
        &self.samples_us
    }
}
