//! Recorded transfers between the host's memory and the GPU's, by way and size: `book/results/<gpu>/transfers.json`. Measuring is the binary's verb `record transfers`, drawing is `plot::curve`'s.

use crate::record::{RecordOf, Timed, is_zero};
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_base::traffic::GbPerS;
use serde::{Deserialize, Serialize};

/// The transfers of one GPU and its host.
pub type Transfers = RecordOf<Transfer>;

impl Transfers {
    /// The experiment's name, which is the file's.
    pub const EXPERIMENT: &'static str = "transfers";
    /// The experiment of the same form whose ways are pipelines of copies and kernels.
    pub const STREAMS: &'static str = "streams";
}

/// What measured a transfer's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransferClock {
    /// Events on the GPU, around the transfer alone.
    Events,
    /// The host's clock, from before the call until all is done.
    Wall,
}

/// The samples of one way with one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// The way, such as `pinned_to_device`.
    pub way: String,
    /// Bytes that are transferred.
    pub bytes: u64,
    /// What measured the time.
    pub clock: TransferClock,
    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub run: usize,
    /// SHA-256 of the CUDA C++ of the kernel that takes part; empty where none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_sha256: String,
    /// SHA-256 of its PTX.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ptx_sha256: String,
    /// Its id in the registry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Each transfer's duration in microseconds.
    pub samples_us: Vec<f64>,
}

impl Transfer {
    /// The samples with their statistics.
    pub fn timing(&self) -> Timing {
        Timing {
            samples_us: self.samples_us.clone(),
            mode: TimingMode::Warm,
            clocks: Clocks::default(),
        }
    }

    /// The rate at the median.
    pub fn gb_per_s(&self) -> GbPerS {
        GbPerS::from_bytes_and_us(self.bytes, self.timing().median_us())
    }
}

impl Transfers {
    /// The transfers of a way, by size.
    pub fn of_way(&self, way: &str) -> Vec<&Transfer> {
        let mut found: Vec<&Transfer> = self.measurements.iter().filter(|t| t.way == way).collect();
        found.sort_by_key(|transfer| transfer.bytes);
        found
    }

    /// The transfer of a way with a size.
    ///
    /// # Errors
    /// [`Error::Usage`], with the sizes or the ways that were measured.
    pub fn transfer(&self, way: &str, bytes: u64) -> Result<&Transfer> {
        let of_way = self.of_way(way);
        if let Some(found) = of_way.iter().find(|transfer| transfer.bytes == bytes) {
            return Ok(found);
        }
        let device = &self.device.facts.name;
        let sizes: Vec<String> = of_way.iter().map(|t| t.bytes.to_string()).collect();
        Err(Error::Usage(match sizes.is_empty() {
            false => format!(
                "the transfers of {device} have `{way}` with {} bytes, not with {bytes}",
                sizes.join(", ")
            ),
            true => format!(
                "the transfers of {device} have no way `{way}`; there are {}",
                self.ways().join(", ")
            ),
        }))
    }

    /// The ways that were measured.
    pub fn ways(&self) -> Vec<&str> {
        let mut ways: Vec<&str> = self.measurements.iter().map(|t| t.way.as_str()).collect();
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    /// A way as points of a figure: bytes, and GB/s.
    pub fn rates(&self, way: &str) -> Vec<(f64, f64)> {
        let point = |transfer: &&Transfer| (transfer.bytes as f64, transfer.gb_per_s().0);
        self.of_way(way).iter().map(point).collect()
    }

    /// A way as points of a figure: bytes, and microseconds.
    pub fn times(&self, way: &str) -> Vec<(f64, f64)> {
        let point = |transfer: &&Transfer| (transfer.bytes as f64, transfer.timing().median_us());
        self.of_way(way).iter().map(point).collect()
    }

    /// Shows where the numbers come from, and each transfer's median, in a notebook or page.
    pub fn evcxr_display(&self) {
        let row = |transfer: &Transfer| {
            vec![
                transfer.way.clone(),
                transfer.bytes.to_string(),
                format!("{:.2}", transfer.timing().median_us()),
                format!("{:.2}", transfer.gb_per_s().0),
                transfer.samples_us.len().to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = self.measurements.iter().map(row).collect();
        let head = ["way", "bytes", "median, µs", "GB/s", "samples"];
        html::show(&html::table(&self.provenance(), &head, &rows).to_html());
    }
}

impl Timed for Transfer {
    const COMMAND: &'static str = "cornerturn record transfers";

    fn kernel(&self) -> &str {
        &self.kernel
    }

    fn what(&self) -> String {
        format!("`{}` of {} bytes", self.way, self.bytes)
    }

    fn is_reference(&self) -> bool {
        self.kernel.is_empty()
    }

    fn is_of_the_same(&self, other: &Self) -> bool {
        (&self.way, self.bytes) == (&other.way, other.bytes)
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
