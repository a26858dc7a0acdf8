//! Recorded measurements of works on arrays over their parameters, `book/results/<gpu>/<chapter>.json`. Measuring is the binary's verb `record works`, drawing is `plot::curve`'s.

use crate::record::{DRIVER_COPY, RecordOf, Timed, is_zero};
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_base::traffic::GbPerS;
use serde::{Deserialize, Serialize};

/// The measurements of one chapter's works.
pub type Sweep = RecordOf<SweepPoint>;

/// The samples of one kernel with one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// The registry's id, or `driver_copy`.
    pub kernel: String,
    /// The work's parameter, 0 for a work that has none.
    pub parameter: u32,
    /// Items of the work.
    pub items: usize,
    /// What the cache held.
    pub mode: TimingMode,
    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub run: usize,
    /// Bytes that must move.
    pub bytes_moved: u64,
    /// SHA-256 of the kernel's CUDA C++; empty for what is no kernel of ours.
    pub source_sha256: String,
    /// SHA-256 of the kernel's PTX; empty for what is no kernel of ours.
    pub ptx_sha256: String,
    /// Blocks of the grid; `None` for what is no kernel of ours.
    pub grid: Option<Dim3>,
    /// Threads of a block; `None` for what is no kernel of ours.
    pub block: Option<Dim3>,
    /// Registers of a thread, as the driver says.
    pub registers_per_thread: Option<u32>,
    /// Bytes of a thread's local memory, as the driver says.
    #[serde(default)]
    pub local_bytes_per_thread: Option<u32>,
    /// Blocks that a multiprocessor runs at a time, as the driver says.
    #[serde(default)]
    pub blocks_per_multiprocessor: Option<u32>,
    /// What the launches asked of the caches.
    #[serde(default, skip_serializing_if = "CacheSettings::is_default")]
    pub caches: CacheSettings,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

impl SweepPoint {
    /// The samples with their statistics.
    pub fn timing(&self) -> Timing {
        Timing {
            samples_us: self.samples_us.clone(),
            mode: self.mode,
            clocks: Clocks::default(),
        }
    }

    /// The bandwidth at the median: bytes that must move, by time.
    pub fn gb_per_s(&self) -> GbPerS {
        GbPerS::from_bytes_and_us(self.bytes_moved, self.timing().median_us())
    }
}

impl Sweep {
    /// The cold measurements of a kernel, in the order of its parameter.
    pub fn curve(&self, kernel: &str) -> Vec<&SweepPoint> {
        self.curve_in(TimingMode::Cold, kernel)
    }

    /// The measurements of a kernel in a mode, in the order of its parameter.
    pub fn curve_in(&self, mode: TimingMode, kernel: &str) -> Vec<&SweepPoint> {
        let is_its = |point: &&SweepPoint| point.kernel == kernel && point.mode == mode;
        let mut curve: Vec<&SweepPoint> = self.measurements.iter().filter(is_its).collect();
        curve.sort_by_key(|point| (point.items, point.parameter));
        curve
    }

    /// The cold measurements as points of a figure: the parameter and the bandwidth in GB/s.
    pub fn line(&self, kernel: &str) -> Vec<(f64, f64)> {
        self.line_in(TimingMode::Cold, kernel)
    }

    /// The same in a mode.
    pub fn line_in(&self, mode: TimingMode, kernel: &str) -> Vec<(f64, f64)> {
        let point = |point: &SweepPoint| (f64::from(point.parameter), point.gb_per_s().0);
        self.curve_in(mode, kernel).into_iter().map(point).collect()
    }

    /// The cold measurement of a kernel with a parameter, 0 for a work that has none.
    ///
    /// # Errors
    /// [`Error::Usage`], with the parameters that were measured.
    pub fn point(&self, kernel: &str, parameter: u32) -> Result<&SweepPoint> {
        self.point_in(TimingMode::Cold, kernel, parameter)
    }

    /// The same in a mode.
    ///
    /// # Errors
    /// As [`Sweep::point`].
    pub fn point_in(&self, mode: TimingMode, kernel: &str, parameter: u32) -> Result<&SweepPoint> {
        let curve = self.curve_in(mode, kernel);
        let found = curve.iter().find(|point| point.parameter == parameter);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = curve.iter().map(|p| p.parameter.to_string()).collect();
            let known = match known.is_empty() {
                true => "nothing of it".to_string(),
                false => known.join(", "),
            };
            Error::Usage(format!(
                "the record `{}` of {} has no {mode} measurement of `{kernel}` with {parameter}; it has {known}",
                self.experiment, self.device.facts.name
            ))
        })
    }

    /// The median bandwidth of a kernel with a parameter.
    ///
    /// # Errors
    /// As [`Sweep::point`].
    pub fn rate(&self, kernel: &str, parameter: u32) -> Result<GbPerS> {
        self.point(kernel, parameter).map(SweepPoint::gb_per_s)
    }

    /// The driver's copy of as many bytes as a measurement moved, of the same run.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was not measured.
    pub fn copy_for(&self, point: &SweepPoint) -> Result<&SweepPoint> {
        let mut copies = self.measurements.iter().filter(|p| p.kernel == DRIVER_COPY);
        let found =
            copies.find(|copy| (copy.run, copy.bytes_moved) == (point.run, point.bytes_moved));
        found.ok_or_else(|| {
            Error::Usage(format!(
                "the record `{}` has no copy of the {} bytes of `{}`",
                self.experiment, point.bytes_moved, point.kernel
            ))
        })
    }

    /// Shows where the numbers come from, and each point's median, in a notebook or page.
    pub fn evcxr_display(&self) {
        let row = |point: &SweepPoint| {
            vec![
                point.kernel.clone(),
                point.parameter.to_string(),
                point.items.to_string(),
                format!("{:.2}", point.timing().median_us()),
                format!("{:.0}", point.gb_per_s().0),
                point.samples_us.len().to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = self.measurements.iter().map(row).collect();
        let head = [
            "kernel",
            "parameter",
            "items",
            "median, µs",
            "GB/s",
            "samples",
        ];
        html::show(&html::table(&self.provenance(), &head, &rows).to_html());
    }
}

impl Timed for SweepPoint {
    const COMMAND: &'static str = "cornerturn record works";

    fn kernel(&self) -> &str {
        &self.kernel
    }

    fn what(&self) -> String {
        format!("`{}` with {}", self.kernel, self.parameter)
    }

    fn is_reference(&self) -> bool {
        self.kernel == DRIVER_COPY
    }

    fn is_of_the_same(&self, other: &Self) -> bool {
        let what = |p: &Self| (p.parameter, p.items, p.mode);
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
