//! What NVIDIA's profiler said of whole launches, `book/results/<gpu>/reports.json`: throughputs, hit rates, occupancy, and what warps waited for. Running the profiler is the binary's verb `record reports`.

use crate::record::{RecordedDevice, SCHEMA, one_line_each, path_in, provenance, today, why_stale};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{read_text, write_whole};
use cornerturn_base::html;
use cornerturn_base::paths;
use cornerturn_base::shape::Dim3;
use cornerturn_registry::registry::Registry;
use cornerturn_runtime::device::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The reports of one GPU.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let reports = Reports::load("h200")?;
/// println!("{}", reports.provenance());
/// let error = reports.of("no such kernel").unwrap_err();
/// assert!(error.to_string().contains("there are those of"), "{error}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reports {
    /// The form of the file.
    pub schema: u32,
    /// The record's name, which is the file's: [`Reports::EXPERIMENT`].
    pub experiment: String,
    /// The device.
    pub device: RecordedDevice,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What recorded: the program and its version.
    pub tool: String,
    /// The profiler's version.
    pub ncu: String,
    /// One for each launch.
    pub reports: Vec<Report>,
}

/// What the profiler said of one launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The registry's id.
    pub kernel: String,
    /// What it was given: rows and columns as `4096x4096`, or items and the work's parameter as `262144:256`.
    pub given: String,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// SHA-256 of the kernel's CUDA C++.
    pub source_sha256: String,
    /// SHA-256 of the kernel's PTX.
    pub ptx_sha256: String,
    /// By the profiler's names.
    pub metrics: BTreeMap<String, f64>,
}

/// A metric of a report, by a short name.
pub struct Metric {
    /// How cells and chapters call it, with its unit.
    pub name: &'static str,
    /// How the profiler calls it.
    pub ncu: &'static str,
    /// What it is.
    pub what: &'static str,
}

const fn metric(name: &'static str, ncu: &'static str, what: &'static str) -> Metric {
    Metric { name, ncu, what }
}

/// The metrics of a report, in the order in which one reads them; what warps waited for is [`STALLS`].
pub const METRICS: &[Metric] = &[
    metric("ns", "gpu__time_duration.sum", "duration, in nanoseconds"),
    metric(
        "sm_percent",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "compute throughput: the busiest part of the multiprocessors, in % of its peak",
    ),
    metric(
        "memory_percent",
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "memory throughput: the busiest part of the caches and the memory, in % of its peak",
    ),
    metric(
        "dram_percent",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "the same of the memory alone",
    ),
    metric(
        "dram_read_bytes",
        "dram__bytes_read.sum",
        "bytes read from memory",
    ),
    metric(
        "dram_write_bytes",
        "dram__bytes_write.sum",
        "bytes written to memory",
    ),
    metric(
        "dram_cycles",
        "dram__cycles_elapsed.avg",
        "cycles of the memory, average of its channels",
    ),
    metric(
        "dram_busy_cycles",
        "dram__cycles_active.avg",
        "those of them in which a channel read or wrote",
    ),
    metric(
        "l1_hit_percent",
        "l1tex__t_sector_hit_rate.pct",
        "sectors that L1 had, in %",
    ),
    metric(
        "l2_hit_percent",
        "lts__t_sector_hit_rate.pct",
        "sectors that L2 had, in %",
    ),
    metric(
        "occupancy_percent",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "achieved occupancy: resident warps, in % of the most",
    ),
    metric(
        "theoretical_percent",
        "sm__maximum_warps_per_active_cycle_pct",
        "theoretical occupancy: what registers, shared memory and blocks allow",
    ),
    metric(
        "registers",
        "launch__registers_per_thread",
        "registers of a thread",
    ),
    metric(
        "waves",
        "launch__waves_per_multiprocessor",
        "how often the grid fills the GPU",
    ),
    metric(
        "issue_per_clock",
        "smsp__issue_active.avg.per_cycle_active",
        "instructions that a scheduler issues in a clock, 1 at most",
    ),
    metric(
        "eligible_warps",
        "smsp__warps_eligible.avg.per_cycle_active",
        "warps of a scheduler that could issue in a clock",
    ),
    metric(
        "latency",
        "smsp__average_warp_latency_per_inst_issued.ratio",
        "clocks from an instruction of a warp to its next: the sum of what it waited for",
    ),
];

/// Why a warp did not issue, each in clocks for an instruction: the profiler's names between `issue_stalled_` and
/// `_per_issue_active`, with what they mean.
pub const STALLS: &[(&str, &str)] = &[
    (
        "long_scoreboard",
        "a load from global or local memory, or a texture",
    ),
    (
        "short_scoreboard",
        "shared memory, a shuffle, a special function",
    ),
    (
        "mio_throttle",
        "the queue of shared memory and special functions is full",
    ),
    (
        "lg_throttle",
        "the queue of global and local accesses is full",
    ),
    ("tex_throttle", "the queue of textures is full"),
    ("barrier", "other warps of the block, at a barrier"),
    ("membar", "a fence"),
    ("math_pipe_throttle", "the pipe that computes is taken"),
    (
        "wait",
        "a fixed number of clocks after the instruction before",
    ),
    ("dispatch_stall", "the dispatcher"),
    ("branch_resolving", "where a branch leads"),
    ("no_instruction", "the next instruction, from its cache"),
    ("imc_miss", "a constant, from its cache"),
    ("drain", "stores, before the warp may end"),
    ("sleeping", "the warp sleeps"),
    ("misc", "something else"),
    ("not_selected", "nothing: another warp was chosen"),
    ("selected", "nothing: it issued"),
];

/// The profiler's name of a stall.
pub fn stall_metric(stall: &str) -> String {
    format!("smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio")
}

impl Reports {
    /// The experiment's name, which is the file's.
    pub const EXPERIMENT: &'static str = "reports";

    /// No report yet of a device, dated today.
    pub fn new(device: &Device, commit: &str, ncu: String) -> Self {
        Self {
            schema: SCHEMA,
            experiment: Self::EXPERIMENT.to_string(),
            device: RecordedDevice {
                facts: device.facts().clone(),
                clocks: Default::default(),
            },
            date: today(),
            commit: commit.to_string(),
            tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
            ncu,
            reports: Vec::new(),
        }
    }

    /// The reports of a GPU, by the GPU's folder, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where they are missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str) -> Result<Self> {
        let path = path_in(&paths::results()?, gpu, Self::EXPERIMENT)?;
        if !path.is_file() {
            let reason =
                "there is no such record; `cornerturn record reports` on that GPU makes it";
            return Err(Error::file(&path, reason));
        }
        Self::load_file(&path)
    }

    /// The reports in a file.
    ///
    /// # Errors
    /// [`Error::File`], with the place in the file.
    pub fn load_file(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let reports: Self =
            serde_json::from_str(&text).map_err(|error| Error::file(path, error))?;
        if reports.schema != SCHEMA {
            let reason = format!(
                "is of schema {}, and this program reads {SCHEMA}; record it again",
                reports.schema
            );
            return Err(Error::file(path, reason));
        }
        let is_number = |value: &f64| value.is_finite() && *value >= 0.0;
        let wrong =
            |report: &&Report| report.metrics.is_empty() || !report.metrics.values().all(is_number);
        match reports.reports.iter().find(wrong) {
            None => Ok(reports),
            Some(report) => Err(Error::file(
                path,
                format!(
                    "`{}` has no metrics, or some that are no numbers",
                    report.kernel
                ),
            )),
        }
    }

    /// Writes the reports to a file, whole.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn save_to(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::file(path, error))?;
        write_whole(path, one_line_each(&text).as_bytes())
    }

    /// The report of a kernel.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none, with those that there are.
    pub fn of(&self, kernel: &str) -> Result<&Report> {
        let found = self.reports.iter().find(|report| report.kernel == kernel);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.reports.iter().map(|r| r.kernel.as_str()).collect();
            Error::Usage(format!(
                "there is no report of `{kernel}`; there are those of {}",
                known.join(", ")
            ))
        })
    }

    /// The report of a kernel that was given this, such as `4096x4096`.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none, with those that there are.
    pub fn of_given(&self, kernel: &str, given: &str) -> Result<&Report> {
        let is_asked = |report: &&Report| report.kernel == kernel && report.given == given;
        self.reports.iter().find(is_asked).ok_or_else(|| {
            let known = self
                .reports
                .iter()
                .map(|r| format!("{}:{}", r.kernel, r.given));
            Error::Usage(format!(
                "there is no report of `{kernel}` given {given}; there are {}",
                known.collect::<Vec<_>>().join(", ")
            ))
        })
    }

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        format!(
            "ncu {}, {}",
            self.ncu,
            provenance(&self.device, &self.date, &self.commit)
        )
    }

    /// Which kernels' reports no longer belong to their sources, each with the reason; none if all do.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let reason = |report: &Report| {
            let (source, ptx) = (&report.source_sha256, &report.ptx_sha256);
            let reason = why_stale(registry, &report.kernel, source, ptx)?;
            Some(format!("`{}` {reason}", report.kernel))
        };
        self.reports.iter().filter_map(reason).collect()
    }

    /// A table of some kernels' reports beside each other: a line for each metric that one of them has.
    ///
    /// # Errors
    /// As [`Reports::of`].
    pub fn table(&self, kernels: &[&str]) -> Result<html::Table> {
        let reports = kernels.iter().map(|id| self.of(id));
        let reports: Vec<&Report> = reports.collect::<Result<_>>()?;
        let mut head = vec!["metric"];
        head.extend(reports.iter().map(|report| report.kernel.as_str()));
        // A reason for which nobody waits takes no line.
        let is_met = |ncu: &str| {
            let values = reports.iter().filter_map(|report| report.metrics.get(ncu));
            values.fold(0.0, |most: f64, value| most.max(*value)) >= 0.1
        };
        let line = |what: &str, ncu: &str| {
            let values = reports.iter().map(|report| report.metrics.get(ncu));
            let values: Vec<String> = values
                .map(|v| v.map_or(String::new(), |v| shown(*v)))
                .collect();
            let has_one = values.iter().any(|value| !value.is_empty());
            has_one.then(|| [vec![what.to_string()], values].concat())
        };
        let metrics = METRICS
            .iter()
            .filter_map(|metric| line(metric.what, metric.ncu));
        let met = STALLS
            .iter()
            .filter(|(stall, _)| is_met(&stall_metric(stall)));
        let stalls = met.filter_map(|(stall, what)| {
            line(&format!("waits, {stall}: {what}"), &stall_metric(stall))
        });
        let rows: Vec<Vec<String>> = metrics.chain(stalls).collect();
        Ok(html::table(&self.provenance(), &head, &rows))
    }
}

/// At most three digits behind the point, fewer of large numbers.
fn shown(value: f64) -> String {
    match value {
        large if large >= 1000.0 => format!("{large:.0}"),
        middle if middle >= 10.0 => format!("{middle:.1}"),
        small => format!("{small:.2}"),
    }
}

impl Report {
    /// A metric by its short name, of [`METRICS`], by that of a stall, or by the profiler's name.
    ///
    /// # Errors
    /// [`Error::Usage`] where the report has none of that name.
    pub fn metric(&self, name: &str) -> Result<f64> {
        let ncu = match METRICS.iter().find(|metric| metric.name == name) {
            Some(metric) => metric.ncu.to_string(),
            None if STALLS.iter().any(|(stall, _)| *stall == name) => stall_metric(name),
            None => name.to_string(),
        };
        self.metrics
            .get(&ncu)
            .copied()
            .ok_or_else(|| Error::Usage(format!("the report of `{}` has no `{name}`", self.kernel)))
    }

    /// What its warps waited for, in clocks for an instruction, the longest first; that another warp was chosen, or the warp
    /// itself, is no waiting.
    pub fn waits(&self) -> Vec<(&'static str, f64)> {
        let waited = |(stall, _): &(&'static str, &'static str)| {
            let clocks = *self.metrics.get(&stall_metric(stall))?;
            (!matches!(*stall, "selected" | "not_selected")).then_some((*stall, clocks))
        };
        let mut waits: Vec<(&str, f64)> = STALLS.iter().filter_map(waited).collect();
        waits.sort_by(|a, b| b.1.total_cmp(&a.1));
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Reports {
        let metrics = [
            (
                "dram__throughput.avg.pct_of_peak_sustained_elapsed".to_string(),
                71.25,
            ),
            (stall_metric("long_scoreboard"), 12.5),
            (stall_metric("barrier"), 30.0),
            (stall_metric("not_selected"), 90.0),
        ];
        let report = Report {
            kernel: "padded".to_string(),
            given: "97x61".to_string(),
            grid: Dim3::from([2, 4, 1]),
            block: Dim3::from([32, 8, 1]),
            source_sha256: String::new(),
            ptx_sha256: String::new(),
            metrics: metrics.into(),
        };
        let mut reports = Reports::new(&Device::emulator(), "0", "2025.3".to_string());
        reports.reports.push(report);
        reports
    }

    #[test]
    fn metrics_are_found_by_short_names_and_waits_are_sorted() {
        let reports = reports();
        let report = reports.of("padded").unwrap();
        assert_eq!(report.metric("dram_percent").unwrap(), 71.25);
        assert_eq!(report.metric("barrier").unwrap(), 30.0);
        let waits = report.waits();
        assert_eq!(waits, [("barrier", 30.0), ("long_scoreboard", 12.5)]);
        let error = report.metric("l1_hit_percent").unwrap_err().to_string();
        assert!(error.contains("padded"), "{error}");
        let error = reports.of("tiled").unwrap_err().to_string();
        assert!(
            error.contains("`tiled`") && error.contains("padded"),
            "{error}"
        );
    }

    #[test]
    fn a_table_has_the_lines_that_there_are_and_a_stale_report_is_told() {
        let reports = reports();
        let html = reports.table(&["padded"]).unwrap().to_html();
        assert!(
            html.contains("71.2") && html.contains("waits, barrier"),
            "{html}"
        );
        assert!(!html.contains("L1 had"), "{html}");
        let stale = reports.stale(&Registry::load().unwrap());
        assert_eq!(stale, ["`padded` was measured with another source"]);
    }
}
