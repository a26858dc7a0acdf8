//! Recorded measurements, `book/results/<gpu>/<experiment>.json`: reading, writing, looking up, staleness. What one measurement holds is in `measurement`; measuring is the binary's verb `record`.

mod measurement;
mod merge;
mod rate;

use crate::clocks::Clocks;
use crate::device::Device;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::facts::DeviceFacts;
use crate::files::{read_text, write_whole};
use crate::html;
use crate::paths;
use crate::registry::{Registry, sha256};
use crate::timing::TimingMode;
pub use measurement::{CUBLAS_GEAM, DRIVER_COPY, Measurement};
pub use merge::LaterRun;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;

/// The measurements of one experiment on one device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// The experiment's name, which is the file's.
    pub experiment: String,
    /// The device measured.
    pub device: RecordedDevice,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What measured: the program and its version.
    pub tool: String,
    /// Runs that measured a part of it anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<LaterRun>,
    /// One for each kernel, shape and mode.
    pub measurements: Vec<Measurement>,
}

/// A device and its clocks while it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedDevice {
    /// What is known of it.
    #[serde(flatten)]
    pub facts: DeviceFacts,
    /// Its clocks at the end of the measurements.
    pub clocks: Clocks,
}

impl Record {
    /// An empty record of an experiment on a device, dated today.
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
            runs: Vec::new(),
            measurements: Vec::new(),
        }
    }

    /// The record of an experiment on a GPU, by the GPU's folder, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where it is missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str, experiment: &str) -> Result<Self> {
        let path = path_in(&paths::results()?, gpu, experiment)?;
        if !path.is_file() {
            let reason = "there is no such record; `cornerturn record` on that GPU makes it";
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
        let record: Self = serde_json::from_str(&text).map_err(|error| Error::file(path, error))?;
        if record.schema != SCHEMA {
            return Err(Error::file(
                path,
                format!(
                    "is of schema {}, and this program reads {SCHEMA}; record it again",
                    record.schema
                ),
            ));
        }
        if let Some(empty) = record.measurements.iter().find(|m| !m.is_plausible()) {
            return Err(Error::file(
                path,
                format!(
                    "`{}` at {} has no samples, or some that are no times",
                    empty.kernel,
                    empty.shape()
                ),
            ));
        }
        Ok(record)
    }

    /// Writes the record to its place among the project's results; returns the path.
    ///
    /// # Errors
    /// [`Error::File`]; the file is either the old one or the new one, never half of one.
    pub fn save(&self) -> Result<PathBuf> {
        let path = path_in(
            &paths::results()?,
            &self.device.facts.slug,
            &self.experiment,
        )?;
        self.save_to(&path)?;
        Ok(path)
    }

    /// Writes the record to a file.
    ///
    /// # Errors
    /// As [`Record::save`].
    pub fn save_to(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string(self).map_err(|error| Error::file(path, error))?;
        text = one_line_each(&text);
        write_whole(path, text.as_bytes())
    }

    /// The cold-cache measurement of a kernel at a shape. Of what is measured with several element types, such as the
    /// driver's copy, that of float32.
    pub fn measurement(&self, kernel: &str, rows: usize, columns: usize) -> Option<&Measurement> {
        self.measurement_in(TimingMode::Cold, kernel, rows, columns)
    }

    /// The measurement of a kernel at a shape in a mode.
    pub fn measurement_in(
        &self,
        mode: TimingMode,
        kernel: &str,
        rows: usize,
        columns: usize,
    ) -> Option<&Measurement> {
        let fits = |m: &&Measurement| {
            m.mode == mode && m.kernel == kernel && (m.rows, m.columns) == (rows, columns)
        };
        let mut fitting = self.measurements.iter().filter(fits);
        let first = fitting.next();
        first
            .filter(|m| m.element == ElementType::F32)
            .or_else(|| fitting.find(|m| m.element == ElementType::F32))
            .or(first)
    }

    /// The cold-cache measurement of a kernel at a shape with an element type: `"driver_copy"` or `"cublas_geam"` with
    /// doubles.
    pub fn measurement_of(
        &self,
        kernel: &str,
        element: ElementType,
        rows: usize,
        columns: usize,
    ) -> Option<&Measurement> {
        self.measurements.iter().find(|m| {
            m.mode == TimingMode::Cold
                && (m.kernel.as_str(), m.element, m.rows, m.columns)
                    == (kernel, element, rows, columns)
        })
    }

    /// The driver's device-to-device copy of a float32 matrix, cold.
    pub fn copy(&self, rows: usize, columns: usize) -> Option<&Measurement> {
        self.measurement(DRIVER_COPY, rows, columns)
    }

    /// The driver's copy of the same matrices as `measurement` was made with, of the same element type, in the same mode
    /// and the same run.
    pub fn copy_for(&self, measurement: &Measurement) -> Option<&Measurement> {
        let what = |m: &Measurement| (m.run, m.mode, m.element, m.rows, m.columns, m.batches);
        self.measurements
            .iter()
            .find(|m| m.kernel == DRIVER_COPY && what(m) == what(measurement))
    }

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        provenance(&self.device, &self.date, &self.commit) + &self.later_runs()
    }

    /// Shows where the numbers come from, and each measurement's median, in a notebook or page.
    pub fn evcxr_display(&self) {
        let rows: Vec<Vec<String>> = self
            .measurements
            .iter()
            .map(|m| {
                vec![
                    m.kernel.clone(),
                    m.element.to_string(),
                    m.matrices(),
                    m.mode.to_string(),
                    format!("{:.2}", m.median_us()),
                    format!("{:.0}", m.gb_per_s().0),
                    m.samples_us.len().to_string(),
                ]
            })
            .collect();
        let head = [
            "kernel",
            "element",
            "matrix",
            "cache",
            "median, µs",
            "GB/s",
            "samples",
        ];
        let table = html::table(&self.provenance(), &head, &rows);
        html::show(&table.to_html());
    }

    /// Which kernels' measurements no longer belong to their sources, each with the reason; none if all do.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let mut stale = Vec::new();
        let ours = |m: &&Measurement| m.kernel != DRIVER_COPY && m.library.is_none();
        for measurement in self.measurements.iter().filter(ours) {
            let kernel = &measurement.kernel;
            let reason = match registry.get(kernel) {
                Err(_) => Some("is not in the registry any more".to_string()),
                Ok(entry) => match (registry.source(entry), registry.ptx(entry)) {
                    (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
                    (Ok(source), _) if sha256(source.as_bytes()) != measurement.source_sha256 => {
                        Some("was measured with another source".to_string())
                    }
                    (_, Ok(ptx)) if sha256(ptx.as_bytes()) != measurement.ptx_sha256 => {
                        Some("was measured with other PTX".to_string())
                    }
                    _ => None,
                },
            };
            if let Some(reason) = reason {
                let line = format!("`{kernel}` {reason}");
                if !stale.contains(&line) {
                    stale.push(line);
                }
            }
        }
        stale
    }
}

/// Where the numbers of a device come from, in one line.
pub(crate) fn provenance(device: &RecordedDevice, date: &str, commit: &str) -> String {
    let facts = &device.facts;
    let mut line = format!("{}, CUDA {}", facts.name, facts.cuda_version);
    if !facts.driver.is_empty() {
        line.push_str(&format!(", driver {}", facts.driver));
    }
    if let (Some(sm), Some(memory)) = (device.clocks.sm_mhz, device.clocks.memory_mhz) {
        line.push_str(&format!(", {sm} MHz, memory {memory} MHz"));
    }
    if !device.clocks.throttle_reasons.is_empty() {
        let reasons = device.clocks.throttle_reasons.join(", ");
        line.push_str(&format!(", throttled: {reasons}"));
    }
    let commit = match commit.strip_suffix("-dirty") {
        Some(hash) => format!("{hash:.10} with changes"),
        None => format!("{commit:.10}"),
    };
    line.push_str(&format!(", {date}, commit {commit}"));
    line
}

/// A file's path among the results; the names must be plain, so that none leads elsewhere.
pub(crate) fn path_in(results: &Path, gpu: &str, experiment: &str) -> Result<PathBuf> {
    for name in [gpu, experiment] {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(Error::Usage(format!(
                "`{name}` is no name of a GPU or an experiment: letters, digits, `-` and `_`"
            )));
        }
    }
    Ok(results.join(gpu).join(format!("{experiment}.json")))
}

/// One measurement a line, so that a change of one is a change of one line.
pub(crate) fn one_line_each(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 50);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for c in json.chars() {
        if in_string {
            (in_string, escaped) = (c != '"' || escaped, c == '\\' && !escaped);
            text.push(c);
            continue;
        }
        in_string = c == '"';
        if matches!(c, '}' | ']') {
            depth = depth.saturating_sub(1);
            if depth == 0 || (depth == 1 && c == ']') {
                text.push('\n');
            }
        }
        text.push(c);
        if matches!(c, '{' | '[') {
            depth += 1;
        }
        let opens = (c == '{' && depth == 1) || (c == '[' && depth == 2);
        if opens || (c == ',' && depth <= 2 && !text.ends_with("\n,")) {
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

/// Today's date in UTC, as `2026-11-21`.
pub fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    date_of_seconds(seconds)
}

/// The date of a moment in seconds since 1970, in UTC.
pub fn date_of_seconds(seconds: u64) -> String {
    date_of(seconds / 86_400)
}

/// The date of a day counted from 1970-01-01, in the Gregorian calendar.
fn date_of(mut day: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}
