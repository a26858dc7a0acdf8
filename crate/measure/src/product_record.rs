//! Recorded measurements of matrix products, `book/results/<gpu>/products.json`. Measuring is the binary's verb `record products`, drawing is `plot`'s.

use crate::record::{RecordOf, Timed, is_zero};
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_registry::product_problem::ProductProblem;
use serde::{Deserialize, Serialize};

/// The name in records of cuBLAS's product.
pub const CUBLAS_GEMM: &str = "cublas_gemm";

/// The measurements of products on one GPU.
pub type Products = RecordOf<ProductPoint>;

/// The samples of one kernel, or of cuBLAS, at one product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProductPoint {
    /// The registry's id, or `cublas_gemm`.
    pub kernel: String,
    /// m, n, k.
    pub shape: ProductShape,
    /// How the factors lie.
    pub layout: Layout,
    /// The numbers of A and B.
    pub input: NumberType,
    /// The numbers of C.
    pub output: NumberType,
    /// The numbers in which products are added up.
    pub accumulate: NumberType,
    /// What the cache held.
    pub mode: TimingMode,
    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub run: usize,
    /// SHA-256 of the kernel's CUDA C++; empty for what is no kernel of ours.
    pub source_sha256: String,
    /// SHA-256 of the kernel's PTX; empty for what is no kernel of ours.
    pub ptx_sha256: String,
    /// The library and its version, of what is no kernel of ours.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub library: String,
    /// Blocks of the grid; `None` for what is no kernel of ours.
    pub grid: Option<Dim3>,
    /// Threads of a block; `None` for what is no kernel of ours.
    pub block: Option<Dim3>,
    /// Registers of a thread, as the driver says.
    pub registers_per_thread: Option<u32>,
    /// Bytes of a thread's local memory, as the driver says.
    #[serde(default)]
    pub local_bytes_per_thread: Option<u32>,
    /// Bytes of a block's shared memory, static and dynamic.
    #[serde(default)]
    pub shared_bytes: Option<u32>,
    /// Blocks that a multiprocessor runs at a time, as the driver says.
    #[serde(default)]
    pub blocks_per_multiprocessor: Option<u32>,
    /// The largest error on random factors, as a share of the sum of the products' sizes.
    pub worst_error: f64,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

impl ProductPoint {
    /// What was asked.
    pub fn problem(&self) -> ProductProblem {
        ProductProblem {
            shape: self.shape,
            layout: self.layout,
            input: self.input,
            output: self.output,
            accumulate: self.accumulate,
        }
    }

    /// The samples with their statistics.
    pub fn timing(&self) -> Timing {
        Timing {
            samples_us: self.samples_us.clone(),
            mode: self.mode,
            clocks: Clocks::default(),
        }
    }

    /// 10¹² operations in a second, at the median.
    pub fn tera_per_s(&self) -> f64 {
        self.problem().tera_per_s(self.timing().median_us())
    }
}

impl Products {
    /// The experiment's name, which is the file's.
    pub const EXPERIMENT: &'static str = "products";

    /// The same of other people's kernels, which `book/results/libraries.py` measured.
    pub const LIBRARIES: &'static str = "libraries";

    /// The record of a GPU, such as `h200`.
    ///
    /// # Errors
    /// As [`RecordOf::load`].
    pub fn of(gpu: &str) -> Result<Self> {
        Self::load(gpu, Self::EXPERIMENT)
    }

    /// The record of other people's kernels on a GPU: `cublas_gemm`, and `cutlass_gemm`, `triton_tiles` and `triton_boxes` with
    /// `_f32`, `_tf32` or `_bf16` behind them.
    ///
    /// # Errors
    /// As [`RecordOf::load`].
    pub fn of_libraries(gpu: &str) -> Result<Self> {
        Self::load(gpu, Self::LIBRARIES)
    }

    /// The warm measurement of a kernel at a shape.
    ///
    /// # Errors
    /// [`Error::Usage`], with the shapes that were measured.
    pub fn point(&self, kernel: &str, shape: ProductShape) -> Result<&ProductPoint> {
        let of_kernel = || {
            let is_its = |p: &&ProductPoint| p.kernel == kernel && p.mode == TimingMode::Warm;
            self.measurements.iter().filter(is_its)
        };
        of_kernel().find(|p| p.shape == shape).ok_or_else(|| {
            let known: Vec<String> = of_kernel().map(|p| p.shape.to_string()).collect();
            let known = match known.is_empty() {
                true => "nothing of it".to_string(),
                false => known.join(", "),
            };
            Error::Usage(format!(
                "the record `{}` of {} has no warm measurement of `{kernel}` at {shape}; it has {known}; \
                 `cornerturn record products --kernel {kernel} --shape {}x{}x{}` on that GPU adds it",
                self.experiment, self.device.facts.name, shape.m, shape.n, shape.k
            ))
        })
    }

    /// cuBLAS at the same product, of the same run.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was not measured.
    pub fn cublas_for(&self, point: &ProductPoint) -> Result<&ProductPoint> {
        let what = |p: &ProductPoint| (p.run, p.problem(), p.mode);
        let mut found = self.measurements.iter().filter(|p| p.kernel == CUBLAS_GEMM);
        found.find(|p| what(p) == what(point)).ok_or_else(|| {
            Error::Usage(format!(
                "the record `{}` has no cuBLAS beside `{}` at the {}",
                self.experiment,
                point.kernel,
                point.problem()
            ))
        })
    }

    /// A kernel's rate as a share of cuBLAS's at the same product of the same run.
    ///
    /// # Errors
    /// As [`Products::point`] and [`Products::cublas_for`].
    pub fn share(&self, kernel: &str, shape: ProductShape) -> Result<f64> {
        let point = self.point(kernel, shape)?;
        Ok(point.tera_per_s() / self.cublas_for(point)?.tera_per_s())
    }

    /// The warm measurements of a kernel at square matrices, by their side.
    pub fn squares(&self, kernel: &str) -> Vec<&ProductPoint> {
        let is_square = |p: &&ProductPoint| {
            p.kernel == kernel
                && p.mode == TimingMode::Warm
                && p.shape == ProductShape::square(p.shape.m)
        };
        let mut squares: Vec<_> = self.measurements.iter().filter(is_square).collect();
        squares.sort_by_key(|p| p.shape);
        squares
    }

    /// The warm measurements of a kernel at square matrices as points of a figure: the side and 10¹² operations in a second.
    pub fn line(&self, kernel: &str) -> Vec<(f64, f64)> {
        let point = |p: &ProductPoint| (p.shape.m as f64, p.tera_per_s());
        self.squares(kernel).into_iter().map(point).collect()
    }

    /// The same of cuBLAS at the products that a kernel was measured at.
    pub fn cublas_line(&self, kernel: &str) -> Vec<(f64, f64)> {
        let beside = |p: &ProductPoint| {
            let cublas = self.cublas_for(p).ok()?;
            Some((p.shape.m as f64, cublas.tera_per_s()))
        };
        self.squares(kernel)
            .into_iter()
            .filter_map(beside)
            .collect()
    }

    /// Shows where the numbers come from, and each point's rate, in a notebook or page.
    pub fn evcxr_display(&self) {
        let row = |point: &ProductPoint| {
            vec![
                point.kernel.clone(),
                point.shape.to_string(),
                point.input.to_string(),
                format!("{:.2}", point.timing().median_us()),
                format!("{:.2}", point.tera_per_s()),
                point.samples_us.len().to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = self.measurements.iter().map(row).collect();
        let head = [
            "kernel",
            "m×n×k",
            "numbers",
            "median, µs",
            "TFLOP/s",
            "samples",
        ];
        html::show(&html::table(&self.provenance(), &head, &rows).to_html());
    }
}

impl Timed for ProductPoint {
    const COMMAND: &'static str = "cornerturn record products";

    fn kernel(&self) -> &str {
        &self.kernel
    }

    fn what(&self) -> String {
        format!("`{}` at the {}", self.kernel, self.problem())
    }

    fn is_reference(&self) -> bool {
        self.kernel == CUBLAS_GEMM || self.source_sha256.is_empty()
    }

    fn is_of_the_same(&self, other: &Self) -> bool {
        let what = |p: &Self| (p.problem(), p.mode);
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
