//! Recorded measurements of works on arrays over their parameters, `book/results/<gpu>/<chapter>.json`. Measuring is the binary's verb `record works`, drawing is `plot::curve`'s.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::files::{read_text, write_whole};
use crate::html;
use crate::paths;
use crate::record::{RecordedDevice, one_line_each, path_in, provenance, today};
use crate::registry::{Registry, sha256};
use crate::shape::Dim3;
use crate::timing::{Timing, TimingMode};
use crate::traffic::GbPerS;
use crate::{Clocks, record::DRIVER_COPY};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The only form of the file that exists so far.
const SCHEMA: u32 = 1;

/// The measurements of one chapter's works on one device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The form of the file.
    pub schema: u32,
    /// The chapter's name, which is the file's.
    pub experiment: String,
    /// The device measured.
    pub device: RecordedDevice,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What measured: the program and its version.
    pub tool: String,
    /// One for each kernel, size, parameter and mode.
    pub points: Vec<SweepPoint>,
}

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
    /// An empty record of a chapter on a device, dated today.
    pub fn new(experiment: &str, device: &Device, commit: &str) -> Self {
        Self {
            schema: SCHEMA,
            experiment: experiment.to_string(),
            device: RecordedDevice {
                facts: device.facts().clone(),
                clocks: Clocks::default(),
            },
            date: today(),
            commit: commit.to_string(),
            tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
            points: Vec::new(),
        }
    }

    /// The record of a chapter on a GPU, by the GPU's folder, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where it is missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str, experiment: &str) -> Result<Self> {
        let path = path_in(&paths::results()?, gpu, experiment)?;
        if !path.is_file() {
            let reason = "there is no such record; `cornerturn record works` on that GPU makes it";
            return Err(Error::file(&path, reason));
        }
        Self::load_file(&path)
    }

    /// The record in a file.
    ///
    /// # Errors
    /// [`Error::File`], with the place in the file.
    pub fn load_file(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let sweep: Self = serde_json::from_str(&text).map_err(|error| Error::file(path, error))?;
        let wrong = match sweep.points.iter().find(|point| !point.is_plausible()) {
            _ if sweep.schema != SCHEMA => format!(
                "is of schema {}, and this program reads {SCHEMA}; record it again",
                sweep.schema
            ),
            Some(point) => format!(
                "`{}` with {} has no samples, or some that are no times",
                point.kernel, point.parameter
            ),
            None => return Ok(sweep),
        };
        Err(Error::file(path, wrong))
    }

    /// Writes the record to a file, whole.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn save_to(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::file(path, error))?;
        write_whole(path, one_line_each(&text).as_bytes())
    }

    /// The cold measurements of a kernel, in the order of its parameter.
    pub fn curve(&self, kernel: &str) -> Vec<&SweepPoint> {
        let is_its = |point: &&SweepPoint| point.kernel == kernel && point.mode == TimingMode::Cold;
        let mut curve: Vec<&SweepPoint> = self.points.iter().filter(is_its).collect();
        curve.sort_by_key(|point| (point.items, point.parameter));
        curve
    }

    /// The same as points of a figure: the parameter and the bandwidth in GB/s.
    pub fn line(&self, kernel: &str) -> Vec<(f64, f64)> {
        let point = |point: &SweepPoint| (f64::from(point.parameter), point.gb_per_s().0);
        self.curve(kernel).into_iter().map(point).collect()
    }

    /// The cold measurement of a kernel with a parameter, 0 for a work that has none.
    ///
    /// # Errors
    /// [`Error::Usage`], with the parameters that were measured.
    pub fn point(&self, kernel: &str, parameter: u32) -> Result<&SweepPoint> {
        let curve = self.curve(kernel);
        let found = curve.iter().find(|point| point.parameter == parameter);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = curve.iter().map(|p| p.parameter.to_string()).collect();
            let known = match known.is_empty() {
                true => "nothing of it".to_string(),
                false => known.join(", "),
            };
            Error::Usage(format!(
                "the record `{}` of {} has no measurement of `{kernel}` with {parameter}; it has {known}",
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

    /// The driver's copy of as many bytes as a measurement moved.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was not measured.
    pub fn copy_for(&self, point: &SweepPoint) -> Result<&SweepPoint> {
        let mut copies = self.points.iter().filter(|p| p.kernel == DRIVER_COPY);
        let found = copies.find(|copy| copy.bytes_moved == point.bytes_moved);
        found.ok_or_else(|| {
            Error::Usage(format!(
                "the record `{}` has no copy of the {} bytes of `{}`",
                self.experiment, point.bytes_moved, point.kernel
            ))
        })
    }

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        provenance(&self.device, &self.date, &self.commit)
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
        let rows: Vec<Vec<String>> = self.points.iter().map(row).collect();
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

    /// Which kernels' measurements no longer belong to their sources, each with the reason; none if all do.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let mut stale = Vec::new();
        for point in self.points.iter().filter(|p| p.kernel != DRIVER_COPY) {
            let code = registry.code(&point.kernel);
            let reason = match code.map(|code| (registry.source(code), registry.ptx(code))) {
                Err(_) => "is not in the registry any more".to_string(),
                Ok((Err(error), _) | (_, Err(error))) => error.to_string(),
                Ok((Ok(source), _)) if sha256(source.as_bytes()) != point.source_sha256 => {
                    "was measured with another source".to_string()
                }
                Ok((_, Ok(ptx))) if sha256(ptx.as_bytes()) != point.ptx_sha256 => {
                    "was measured with other PTX".to_string()
                }
                Ok(_) => continue,
            };
            let line = format!("`{}` {reason}", point.kernel);
            if !stale.contains(&line) {
                stale.push(line);
            }
        }
        stale
    }
}

impl SweepPoint {
    /// Whether it has samples, and all of them are times.
    fn is_plausible(&self) -> bool {
        !self.samples_us.is_empty() && self.samples_us.iter().all(|us| us.is_finite() && *us > 0.0)
    }
}
