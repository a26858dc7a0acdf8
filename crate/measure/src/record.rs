//! Recorded measurements, `book/results/<gpu>/<experiment>.json`: reading, writing, staleness, whatever was timed. What one measurement of matrices holds is in `measurement`, how it is looked up in `matrices`; measuring is the binary's verb `record`.

mod matrices;
mod measurement;
mod merge;
mod rate;

use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::facts::DeviceFacts;
use cornerturn_base::files::{read_text, write_whole};
use cornerturn_base::link::HostFacts;
use cornerturn_base::paths;
use cornerturn_registry::registry::{Registry, sha256};
use cornerturn_runtime::device::Device;
pub(crate) use measurement::is_zero;
pub use measurement::{CUBLAS_GEAM, DRIVER_COPY, Measurement};
pub use merge::LaterRun;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;

/// The measurements of one experiment on one device.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let record = Record::load("h200", "transpose")?;
/// let (padded, naive) = (record.rate("padded", 4096, 4096)?, record.rate("naive_read", 4096, 4096)?);
/// assert!(padded.0 > 2.0 * naive.0, "{padded} against {naive}");
/// assert!(Record::load("h200", "no such experiment").is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordOf<M> {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// The experiment's name, which is the file's.
    pub experiment: String,
    /// The device measured.
    pub device: RecordedDevice,
    /// The machine that it is in, where that matters to what was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFacts>,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What measured: the program and its version.
    pub tool: String,
    /// Runs that measured a part of it anew.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<LaterRun>,
    /// One for each thing that was timed.
    pub measurements: Vec<M>,
}

/// The measurements of kernels on matrices.
pub type Record = RecordOf<Measurement>;

/// What a record holds many of: the samples of one thing that was timed, and what it was.
pub trait Timed: Serialize + DeserializeOwned {
    /// The command that makes such records.
    const COMMAND: &'static str;

    /// The registry's id, or the name of what is no kernel of ours.
    fn kernel(&self) -> &str;

    /// What was timed, in words, for messages.
    fn what(&self) -> String;

    /// Whether it is what kernels are compared with, and no kernel of ours.
    fn is_reference(&self) -> bool;

    /// Whether both timed the same, so that the later one replaces the earlier.
    fn is_of_the_same(&self, other: &Self) -> bool;

    /// SHA-256 of the kernel's CUDA C++ and of its PTX.
    fn sha256(&self) -> (&str, &str);

    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    fn run(&self) -> usize;

    /// Says which run measured it.
    fn set_run(&mut self, run: usize);

    /// Each launch's duration in microseconds.
    fn samples_us(&self) -> &[f64];
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

impl<M: Timed> RecordOf<M> {
    /// An empty record of an experiment on a device, dated today.
    pub fn new(experiment: &str, device: &Device, commit: &str) -> Self {
        Self {
            schema: SCHEMA,
            experiment: experiment.to_string(),
            device: RecordedDevice {
                facts: device.facts().clone(),
                clocks: Clocks::default(),
            },
            host: None,
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
            let reason = format!(
                "there is no such record; `{}` on that GPU makes it",
                M::COMMAND
            );
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
        let is_time = |us: &f64| us.is_finite() && *us > 0.0;
        let is_plausible = |m: &M| !m.samples_us().is_empty() && m.samples_us().iter().all(is_time);
        if let Some(empty) = record.measurements.iter().find(|m| !is_plausible(m)) {
            let reason = format!("{} has no samples, or some that are no times", empty.what());
            return Err(Error::file(path, reason));
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

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        provenance(&self.device, &self.date, &self.commit) + &self.later_runs()
    }

    /// Which kernels' measurements no longer belong to their sources, each with the reason; none if all do.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let mut stale = Vec::new();
        for measurement in self.measurements.iter().filter(|m| !m.is_reference()) {
            let (source, ptx) = measurement.sha256();
            let Some(reason) = why_stale(registry, measurement.kernel(), source, ptx) else {
                continue;
            };
            let line = format!("`{}` {reason}", measurement.kernel());
            if !stale.contains(&line) {
                stale.push(line);
            }
        }
        stale
    }
}

/// Why a measurement of a kernel with this source and PTX no longer belongs to it; `None` if it does.
pub(crate) fn why_stale(
    registry: &Registry,
    kernel: &str,
    source_sha256: &str,
    ptx_sha256: &str,
) -> Option<String> {
    let code = registry.code(kernel);
    match code.map(|code| (registry.source(code), registry.ptx(code))) {
        Err(_) => Some("is not in the registry any more".to_string()),
        Ok((Err(error), _) | (_, Err(error))) => Some(error.to_string()),
        Ok((Ok(source), _)) if sha256(source.as_bytes()) != source_sha256 => {
            Some("was measured with another source".to_string())
        }
        Ok((_, Ok(ptx))) if sha256(ptx.as_bytes()) != ptx_sha256 => {
            Some("was measured with other PTX".to_string())
        }
        Ok(_) => None,
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
