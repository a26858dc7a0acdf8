//! What was measured of a machine: latencies, rates and sizes, `book/results/<gpu>/machine.json`. The facts that follow from it are in `fact`; measuring is the binary's verb `record machine`.

mod fact;

use crate::record::{RecordedDevice, SCHEMA, one_line_each, path_in, provenance, today, why_stale};
use cornerturn_base::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{read_text, write_whole};
use cornerturn_base::html;
use cornerturn_base::occupancy::{Capacity, ProposedBlock};
use cornerturn_base::paths;
use cornerturn_base::traffic::GbPerS;
use cornerturn_registry::registry::Registry;
use cornerturn_runtime::device::Device;
pub use fact::{FACTS, Fact};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The measurements of one machine.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let machine = MachineFacts::load("h200")?;
/// // In clocks, as the fact's name says.
/// let cycles = machine.fact("shared_cycles")?;
/// assert!((20.0..40.0).contains(&cycles), "{cycles}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineFacts {
    /// The form of the file.
    pub schema: u32,
    /// The record's name, which is the file's: [`MachineFacts::EXPERIMENT`].
    pub experiment: String,
    /// The device measured.
    pub device: RecordedDevice,
    /// What a multiprocessor holds, as the driver says.
    pub capacity: Capacity,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What measured: the program and its version.
    pub tool: String,
    /// The kernels that measured, by their ids.
    pub kernels: BTreeMap<String, Measuring>,
    /// Latencies: walks round rings.
    pub chases: Vec<Chase>,
    /// Latencies line by line.
    pub lines: Vec<Lines>,
    /// Rates: launches that move bytes.
    pub rates: Vec<Rate>,
}

/// A kernel that measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measuring {
    /// SHA-256 of its CUDA C++.
    pub source_sha256: String,
    /// SHA-256 of its PTX.
    pub ptx_sha256: String,
    /// Registers of a thread, as the driver says.
    pub registers_per_thread: u32,
    /// The block that the driver proposes.
    pub proposed_block: ProposedBlock,
}

/// A walk round a ring by one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chase {
    /// The registry's id.
    pub kernel: String,
    /// Slots of the ring.
    pub slots: u32,
    /// How far apart they lie.
    pub slot_bytes: u64,
    /// Steps that were measured in a launch.
    pub steps: usize,
    /// Clocks of the multiprocessor for a step, of each launch.
    pub cycles: Vec<f64>,
    /// Nanoseconds for a step, of each launch, by the GPU's timer.
    pub ns: Vec<f64>,
}

impl Chase {
    /// Bytes that the ring spans.
    pub fn ring_bytes(&self) -> u64 {
        u64::from(self.slots) * self.slot_bytes
    }

    /// Clocks for a step: the median of the launches.
    pub fn cycles(&self) -> f64 {
        median(&self.cycles)
    }

    /// Nanoseconds for a step: the median of the launches.
    pub fn ns(&self) -> f64 {
        median(&self.ns)
    }
}

/// What the lines of a ring took, one by one, with the clock's own time in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// Lines of the ring.
    pub lines: u32,
    /// Laps before the one that was measured.
    pub laps_before: u32,
    /// The number of the multiprocessor that asked.
    pub multiprocessor: u32,
    /// How many lines took so many clocks: classes of [`Lines::CLASS_CYCLES`], by their lower end.
    pub cycles: BTreeMap<u32, u32>,
}

impl Lines {
    /// The width of a class.
    pub const CLASS_CYCLES: u32 = 8;

    /// The distribution of these times; 0 is no time.
    pub fn new(lines: u32, laps_before: u32, multiprocessor: u32, ticks: &[u32]) -> Self {
        let mut cycles = BTreeMap::new();
        for ticks in ticks.iter().filter(|ticks| **ticks > 0) {
            *cycles
                .entry(ticks / Self::CLASS_CYCLES * Self::CLASS_CYCLES)
                .or_insert(0) += 1;
        }
        Self {
            lines,
            laps_before,
            multiprocessor,
            cycles,
        }
    }

    /// The share of the lines in each class, by its middle in clocks; every class from the first to the last.
    pub fn shares(&self) -> Vec<(f64, f64)> {
        let all: u32 = self.cycles.values().sum();
        let ends = self
            .cycles
            .keys()
            .next()
            .zip(self.cycles.keys().next_back());
        let Some((&first, &last)) = ends else {
            return Vec::new();
        };
        let share = |class: u32| f64::from(*self.cycles.get(&class).unwrap_or(&0)) / f64::from(all);
        (first..=last)
            .step_by(Self::CLASS_CYCLES as usize)
            .map(|class| (Self::middle(class), share(class)))
            .collect()
    }

    /// The mean of all lines in clocks.
    pub fn mean_cycles(&self) -> f64 {
        mean(self.cycles.iter())
    }

    /// The two groups into which the lines fall: the median of each in clocks. They are parted where the variance between
    /// them is the largest (Otsu's threshold). The slowest twentieth of the lines, which waited for something else, such as
    /// a refresh of memory, is left out.
    pub fn groups(&self) -> Option<(f64, f64)> {
        let lines: u32 = self.cycles.values().sum();
        let mut below = 0;
        let mut is_usual = |count: u32| {
            let is_usual = u64::from(below) * 20 < u64::from(lines) * 19;
            below += count;
            is_usual
        };
        let usual: BTreeMap<u32, u32> = self
            .cycles
            .iter()
            .take_while(|(_, count)| is_usual(**count))
            .map(|(class, count)| (*class, *count))
            .collect();
        let all = f64::from(usual.values().sum::<u32>());
        let between = |end: u32| {
            let (low, high) = (usual.range(..end), usual.range(end..));
            let share = f64::from(low.clone().map(|(_, count)| count).sum::<u32>()) / all;
            share * (1.0 - share) * (mean(low) - mean(high)).powi(2)
        };
        let ends = usual.keys().skip(1).copied();
        let end = ends.max_by(|a, b| between(*a).total_cmp(&between(*b)))?;
        Some((
            middle_of(usual.range(..end))?,
            middle_of(usual.range(end..))?,
        ))
    }

    fn middle(class: u32) -> f64 {
        f64::from(class) + f64::from(Self::CLASS_CYCLES) / 2.0 - 0.5
    }
}

/// The mean of classes, each with how many lines it has.
fn mean<'c>(classes: impl Iterator<Item = (&'c u32, &'c u32)>) -> f64 {
    let (mut lines, mut cycles) = (0.0, 0.0);
    for (class, count) in classes {
        lines += f64::from(*count);
        cycles += f64::from(*count) * Lines::middle(*class);
    }
    cycles / lines
}

/// The class in which the middle line is.
fn middle_of<'c>(classes: impl Iterator<Item = (&'c u32, &'c u32)> + Clone) -> Option<f64> {
    let all: u32 = classes.clone().map(|(_, count)| count).sum();
    let mut below = 0;
    let mut classes = classes;
    let found = classes.find(|(_, count)| {
        below += **count;
        below * 2 >= all
    });
    found.map(|(class, _)| Lines::middle(*class))
}

/// Launches that move bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The registry's id, or `driver_copy`.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block: what keeps blocks from being resident.
    pub dynamic_shared_bytes: u32,
    /// Warps that a multiprocessor holds at a time.
    pub warps: u32,
    /// Bytes that a launch moves, those that it reads again counted again.
    pub bytes: u64,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

impl Rate {
    /// The median duration in microseconds.
    pub fn median_us(&self) -> f64 {
        median(&self.samples_us)
    }

    /// Bytes by time, at the median.
    pub fn gb_per_s(&self) -> GbPerS {
        GbPerS::from_bytes_and_us(self.bytes, self.median_us())
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

impl MachineFacts {
    /// The record's name.
    pub const EXPERIMENT: &str = "machine";

    /// An empty record of a device, dated today.
    pub fn new(device: &Device, capacity: Capacity, commit: &str) -> Self {
        Self {
            schema: SCHEMA,
            experiment: Self::EXPERIMENT.to_string(),
            device: RecordedDevice {
                facts: device.facts().clone(),
                clocks: Clocks::default(),
            },
            capacity,
            date: today(),
            commit: commit.to_string(),
            tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
            kernels: BTreeMap::new(),
            chases: Vec::new(),
            lines: Vec::new(),
            rates: Vec::new(),
        }
    }

    /// The record of a GPU, by the GPU's folder, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where it is missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str) -> Result<Self> {
        let path = path_in(&paths::results()?, gpu, Self::EXPERIMENT)?;
        if !path.is_file() {
            let reason =
                "there is no such record; `cornerturn record machine` on that GPU makes it";
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
        let facts: Self = serde_json::from_str(&text).map_err(|error| Error::file(path, error))?;
        if facts.schema != SCHEMA {
            let reason = format!(
                "is of schema {}, and this program reads {SCHEMA}; record it again",
                facts.schema
            );
            return Err(Error::file(path, reason));
        }
        let are_times = |samples: &[f64]| {
            !samples.is_empty() && samples.iter().all(|time| time.is_finite() && *time > 0.0)
        };
        let chase = |chase: &Chase| are_times(&chase.cycles) && are_times(&chase.ns);
        match facts.chases.iter().all(chase) && facts.rates.iter().all(|r| are_times(&r.samples_us))
        {
            true => Ok(facts),
            false => Err(Error::file(path, "has samples that are no times")),
        }
    }

    /// Writes the record to a file, whole.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn save_to(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::file(path, error))?;
        write_whole(path, one_line_each(&text).as_bytes())
    }

    /// The fact of this name, of [`FACTS`].
    ///
    /// # Errors
    /// [`Error::Usage`] for another name, with all of them, and for a fact that the record has no measurement of.
    pub fn fact(&self, name: &str) -> Result<f64> {
        let Some(fact) = FACTS.iter().find(|fact| fact.name == name) else {
            let known: Vec<&str> = FACTS.iter().map(|fact| fact.name).collect();
            return Err(Error::Usage(format!(
                "no fact of a machine is called `{name}`; there are {}",
                known.join(", ")
            )));
        };
        fact.of(self).ok_or_else(|| {
            Error::Usage(format!(
                "the record `machine` of {} has no measurement of `{name}`",
                self.device.facts.name
            ))
        })
    }

    /// The walks of a kernel, in the order of their rings' sizes.
    pub fn chases_of(&self, kernel: &str) -> Vec<&Chase> {
        let mut chases: Vec<&Chase> = self.chases.iter().filter(|c| c.kernel == kernel).collect();
        chases.sort_by_key(|chase| chase.ring_bytes());
        chases
    }

    /// The same as points of a figure: the ring's size in KiB, and clocks for a step.
    pub fn latency_line(&self, kernel: &str) -> Vec<(f64, f64)> {
        let point = |chase: &Chase| (chase.ring_bytes() as f64 / 1024.0, chase.cycles());
        self.chases_of(kernel).into_iter().map(point).collect()
    }

    /// The launches of a kernel in which nothing but the grid limited the resident warps, by their number.
    pub fn rates_of(&self, kernel: &str) -> Vec<&Rate> {
        let is_its = |rate: &&Rate| rate.kernel == kernel && rate.dynamic_shared_bytes == 0;
        let mut rates: Vec<&Rate> = self.rates.iter().filter(is_its).collect();
        rates.sort_by_key(|rate| (rate.warps, rate.threads));
        rates
    }

    /// The launch of a kernel with so many resident warps; of several the one that moves the most.
    ///
    /// # Errors
    /// [`Error::Usage`], with the numbers that were measured.
    pub fn rate(&self, kernel: &str, warps: u32) -> Result<&Rate> {
        self.rate_where(kernel, "resident warps", warps, |rate| rate.warps)
    }

    /// The launch of a kernel in which shared memory let in so many warps at a time.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was not measured.
    pub fn rate_by_shared(&self, kernel: &str, warps: u32) -> Result<&Rate> {
        let is_it = |rate: &&Rate| {
            (rate.kernel.as_str(), rate.warps) == (kernel, warps) && rate.dynamic_shared_bytes > 0
        };
        self.rates.iter().find(is_it).ok_or_else(|| {
            Error::Usage(format!(
                "the record `machine` of {} has no rate of `{kernel}` with {warps} warps by shared memory",
                self.device.facts.name
            ))
        })
    }

    /// The launch of a kernel with blocks of so many threads.
    ///
    /// # Errors
    /// As [`MachineFacts::rate`].
    pub fn rate_of_block(&self, kernel: &str, threads: u32) -> Result<&Rate> {
        self.rate_where(kernel, "threads a block", threads, |rate| rate.threads)
    }

    fn rate_where(
        &self,
        kernel: &str,
        what: &str,
        wanted: u32,
        of: fn(&Rate) -> u32,
    ) -> Result<&Rate> {
        let rates = self.rates_of(kernel);
        let fitting = rates.iter().filter(|rate| of(rate) == wanted);
        let found = fitting.max_by_key(|rate| rate.bytes);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = rates.iter().map(|rate| of(rate).to_string()).collect();
            Error::Usage(format!(
                "the record `machine` of {} has no rate of `{kernel}` with {wanted} {what}; it has {}",
                self.device.facts.name,
                if known.is_empty() { "nothing of it".to_string() } else { known.join(", ") }
            ))
        })
    }

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        provenance(&self.device, &self.date, &self.commit)
    }

    /// Each fact in words, and its value where there is one.
    pub fn table(&self) -> Vec<[String; 3]> {
        let row = |fact: &Fact| {
            let value = fact
                .of(self)
                .map_or("–".to_string(), |value| fact.text(value));
            [fact.name.to_string(), value, fact.what.to_string()]
        };
        FACTS.iter().map(row).collect()
    }

    /// Shows the facts in a notebook or page.
    pub fn evcxr_display(&self) {
        let rows: Vec<Vec<String>> = self.table().into_iter().map(Vec::from).collect();
        html::show(
            &html::table(&self.provenance(), &["fact", "value", "what it is"], &rows).to_html(),
        );
    }

    /// Which kernels' measurements no longer belong to their sources, each with the reason; none if all do.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let told = |(id, kernel): (&String, &Measuring)| {
            let (source, ptx) = (&kernel.source_sha256, &kernel.ptx_sha256);
            let reason = why_stale(registry, id, source, ptx)?;
            Some(format!("`{id}` {reason}"))
        };
        self.kernels.iter().filter_map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_the_groups_that_lie_apart() {
        let mut ticks = [290, 291, 289, 300, 0, 480, 485, 487].repeat(5);
        ticks.push(1200);
        let lines = Lines::new(41, 2, 5, &ticks);
        assert_eq!(lines.cycles.values().sum::<u32>(), 36);
        // The one that took long makes no group.
        let (near, far) = lines.groups().unwrap();
        assert!(
            (288.0..296.0).contains(&near) && (480.0..488.0).contains(&far),
            "{near} {far}"
        );
        assert_eq!(Lines::new(1, 2, 5, &[300]).groups(), None);
        assert_eq!(Lines::new(1, 2, 5, &[0]).shares(), []);
        let all: f64 = lines.shares().iter().map(|(_, share)| share).sum();
        assert!((all - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_bad_ones_are_refused() {
        let capacity = Capacity {
            warps: 64,
            blocks: 32,
            registers: 65_536,
            shared_bytes: 233_472,
        };
        let mut facts = MachineFacts::new(&Device::emulator(), capacity, "abc");
        facts.chases.push(Chase {
            kernel: "chase_l2".to_string(),
            slots: 8192,
            slot_bytes: 128,
            steps: 7,
            cycles: vec![280.0, 300.0, 281.0],
            ns: vec![141.0],
        });
        let measuring = Measuring {
            source_sha256: "another".to_string(),
            ptx_sha256: String::new(),
            registers_per_thread: 8,
            proposed_block: ProposedBlock {
                threads: 1024,
                blocks: 264,
            },
        };
        for id in ["chase_l2", "gone"] {
            facts.kernels.insert(id.to_string(), measuring.clone());
        }
        let folder =
            std::env::temp_dir().join(format!("cornerturn-machine-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("machine.json");
        facts.save_to(&path).unwrap();
        let read = MachineFacts::load_file(&path).unwrap();
        assert_eq!(read, facts);
        assert_eq!(read.fact("l2_cycles").unwrap(), 281.0);
        assert_eq!(read.fact("warps").unwrap(), 64.0);
        let error = read.fact("l1_cycles").unwrap_err().to_string();
        assert!(error.contains("no measurement of `l1_cycles`"), "{error}");
        let stale = read.stale(&Registry::load().unwrap());
        assert!(
            stale[0].contains("another source") && stale[1].contains("not in the registry"),
            "{stale:?}"
        );
        for wrong in [f64::NAN, -1.0] {
            facts.chases[0].ns = vec![wrong];
            facts.save_to(&path).unwrap();
            assert!(MachineFacts::load_file(&path).is_err());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
