//! Recorded times of launches, `book/results/<gpu>/launches.json`: by what is launched, how, and by which clock. Measuring is the binary's verb `record launches`, drawing is `plot::curve`'s.

use crate::record::{RecordOf, Timed, is_zero};
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_runtime::sequence::LaunchClock;
use serde::{Deserialize, Serialize};

/// The launches of one GPU and its host.
pub type Launches = RecordOf<LaunchTime>;

/// How launches reach the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchWay {
    /// Each by a call of its own.
    Stream,
    /// The same, as programmatic dependent launches.
    StreamProgrammatic,
    /// All by one call, as a graph.
    Graph,
    /// A graph of programmatic dependent launches.
    GraphProgrammatic,
}

impl LaunchWay {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Stream,
        Self::StreamProgrammatic,
        Self::Graph,
        Self::GraphProgrammatic,
    ];

    /// The name, as in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::StreamProgrammatic => "stream_programmatic",
            Self::Graph => "graph",
            Self::GraphProgrammatic => "graph_programmatic",
        }
    }

    /// Whether the launches are programmatic dependent ones.
    pub const fn is_programmatic(self) -> bool {
        matches!(self, Self::StreamProgrammatic | Self::GraphProgrammatic)
    }

    /// Whether they are one graph.
    pub const fn is_graph(self) -> bool {
        matches!(self, Self::Graph | Self::GraphProgrammatic)
    }
}

/// The samples of one sequence of launches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchTime {
    /// What is launched, such as `empty_500`.
    pub sequence: String,
    /// How.
    pub way: LaunchWay,
    /// What the time is.
    pub clock: LaunchClock,
    /// Elements that each kernel works on; 0 for kernels that do nothing.
    pub items: u64,
    /// Kernels of the sequence.
    pub kernels: u32,
    /// How often a sample queues the sequence.
    pub repetitions: u32,
    /// The run that measured it: 0 for the record's own, else the place among its later runs, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub run: usize,
    /// The first kernel's id in the registry. The others stand in the same file.
    pub kernel: String,
    /// SHA-256 of their CUDA C++.
    pub source_sha256: String,
    /// SHA-256 of their PTX.
    pub ptx_sha256: String,
    /// Each sample in microseconds, with all its repetitions.
    pub samples_us: Vec<f64>,
}

impl LaunchTime {
    /// The samples with their statistics.
    pub fn timing(&self) -> Timing {
        Timing {
            samples_us: self.samples_us.clone(),
            mode: TimingMode::Warm,
            clocks: Clocks::default(),
        }
    }

    /// Microseconds for the sequence once, at the median.
    pub fn sequence_us(&self) -> f64 {
        self.timing().median_us() / f64::from(self.repetitions.max(1))
    }

    /// Microseconds for one kernel, at the median.
    pub fn launch_us(&self) -> f64 {
        self.sequence_us() / f64::from(self.kernels.max(1))
    }

    /// The lower and the upper quartile of what [`LaunchTime::sequence_us`] is the median of.
    pub fn quartiles_us(&self) -> (f64, f64) {
        let (lower, upper) = self.timing().quartiles_us();
        let repetitions = f64::from(self.repetitions.max(1));
        (lower / repetitions, upper / repetitions)
    }
}

impl Launches {
    /// The experiment's name, which is the file's.
    pub const EXPERIMENT: &'static str = "launches";

    /// The measurements of a sequence in a way by a clock, in the order of their elements.
    pub fn of(&self, sequence: &str, way: LaunchWay, clock: LaunchClock) -> Vec<&LaunchTime> {
        let is_its = |time: &&LaunchTime| {
            time.sequence == sequence && (time.way, time.clock) == (way, clock)
        };
        let mut found: Vec<&LaunchTime> = self.measurements.iter().filter(is_its).collect();
        found.sort_by_key(|time| time.items);
        found
    }

    /// The measurement with so many elements; 0 for kernels that do nothing.
    ///
    /// # Errors
    /// [`Error::Usage`], with what was measured.
    pub fn time(
        &self,
        sequence: &str,
        way: LaunchWay,
        clock: LaunchClock,
        items: u64,
    ) -> Result<&LaunchTime> {
        let of = self.of(sequence, way, clock);
        if let Some(found) = of.iter().find(|time| time.items == items) {
            return Ok(found);
        }
        let device = &self.device.facts.name;
        let known: Vec<String> = of.iter().map(|time| time.items.to_string()).collect();
        Err(Error::Usage(match known.is_empty() {
            false => format!(
                "the launches of {device} have `{sequence}` with {} elements, not with {items}",
                known.join(", ")
            ),
            true => format!(
                "the launches of {device} have no `{sequence}` by `{}` and clock `{}`; there are {}",
                way.name(),
                clock.name(),
                self.kinds().join(", ")
            ),
        }))
    }

    /// What was measured: sequence, way and clock of each.
    fn kinds(&self) -> Vec<String> {
        let name = |time: &LaunchTime| {
            format!(
                "`{}` {} {}",
                time.sequence,
                time.way.name(),
                time.clock.name()
            )
        };
        let mut kinds: Vec<String> = self.measurements.iter().map(name).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// A sequence in a way as points of a figure: elements, and microseconds for the sequence once.
    pub fn line(&self, sequence: &str, way: LaunchWay, clock: LaunchClock) -> Vec<(f64, f64)> {
        let point = |time: &LaunchTime| (time.items as f64, time.sequence_us());
        let of = self.of(sequence, way, clock);
        of.into_iter().map(point).collect()
    }

    /// How small it must be before it matters: the most elements with which the second sequence takes less than the first
    /// by more than this share of it, and so with all fewer that were measured; 0 where it never does. Both are sequences
    /// in a way, by the host's clock until all is done.
    pub fn matters_up_to(
        &self,
        slow: (&str, LaunchWay),
        fast: (&str, LaunchWay),
        share: f64,
    ) -> u64 {
        let of = |(sequence, way)| self.line(sequence, way, LaunchClock::Done);
        let (slow, fast) = (of(slow), of(fast));
        let pairs = slow.iter().filter_map(|(items, slow_us)| {
            let same = fast.iter().find(|(others, _)| others == items);
            same.map(|(_, fast_us)| (*items, 1.0 - fast_us / slow_us))
        });
        let matters = pairs.take_while(|(_, saved)| *saved > share);
        matters.last().map_or(0, |(items, _)| items as u64)
    }

    /// Shows where the numbers come from, and each sequence's median, in a notebook or page.
    pub fn evcxr_display(&self) {
        let row = |time: &LaunchTime| {
            vec![
                time.sequence.clone(),
                time.way.name().to_string(),
                time.clock.name().to_string(),
                time.items.to_string(),
                format!("{:.2}", time.sequence_us()),
                format!("{:.2}", time.launch_us()),
                time.samples_us.len().to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = self.measurements.iter().map(row).collect();
        let head = [
            "sequence",
            "way",
            "clock",
            "elements",
            "median, µs",
            "µs a kernel",
            "samples",
        ];
        html::show(&html::table(&self.provenance(), &head, &rows).to_html());
    }
}

impl Timed for LaunchTime {
    const COMMAND: &'static str = "cornerturn record launches";

    fn kernel(&self) -> &str {
        &self.kernel
    }

    fn what(&self) -> String {
        format!(
            "`{}` of {} elements by `{}`, `{}`",
            self.sequence,
            self.items,
            self.way.name(),
            self.clock.name()
        )
    }

    fn is_reference(&self) -> bool {
        false
    }

    fn is_of_the_same(&self, other: &Self) -> bool {
        let what = |time: &Self| (time.way, time.clock, time.items);
        self.sequence == other.sequence && what(self) == what(other)
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

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_runtime::device::Device;

    /// A record of what would take these microseconds.
    fn record(times: &[(&str, LaunchWay, LaunchClock, u64, &[f64])]) -> Launches {
        let mut launches = Launches::new(Launches::EXPERIMENT, &Device::emulator(), "none");
        let time = |&(sequence, way, clock, items, samples): &(&str, _, _, _, &[f64])| LaunchTime {
            sequence: sequence.to_string(),
            way,
            clock,
            items,
            kernels: 3,
            repetitions: 20,
            run: 0,
            kernel: "scale".to_string(),
            source_sha256: String::new(),
            ptx_sha256: String::new(),
            samples_us: samples.to_vec(),
        };
        launches.measurements = times.iter().map(time).collect();
        launches
    }

    #[test]
    fn a_sample_is_shared_among_its_repetitions_and_kernels() {
        use {LaunchClock::Done, LaunchWay::Stream};
        let launches = record(&[("separate", Stream, Done, 256, &[60.0, 120.0, 600.0])]);
        let time = launches.time("separate", Stream, Done, 256).unwrap();
        assert_eq!((time.sequence_us(), time.launch_us()), (6.0, 2.0));
        let (lower, upper) = time.quartiles_us();
        assert!((3.0..6.0).contains(&lower) && (6.0..=30.0).contains(&upper));
        let error = launches
            .time("separate", Stream, Done, 7)
            .unwrap_err()
            .to_string();
        assert!(error.contains("with 256 elements, not with 7"), "{error}");
        let error = launches
            .time("fused", Stream, Done, 256)
            .unwrap_err()
            .to_string();
        assert!(error.contains("`separate` stream done"), "{error}");
    }

    #[test]
    fn what_matters_ends_at_the_first_size_where_it_does_not() {
        use {LaunchClock::Done, LaunchWay::Graph, LaunchWay::Stream};
        let mut times = Vec::new();
        let pairs: [(u64, &[f64], &[f64]); 4] = [
            (1 << 12, &[100.0], &[40.0]),
            (1 << 8, &[100.0], &[30.0]),
            (1 << 16, &[200.0], &[190.0]),
            (1 << 20, &[400.0], &[300.0]),
        ];
        for (items, slow, fast) in pairs {
            times.push(("separate", Stream, Done, items, slow));
            times.push(("separate", Graph, Done, items, fast));
        }
        let launches = record(&times);
        let (slow, fast) = (("separate", Stream), ("separate", Graph));
        assert_eq!(launches.matters_up_to(slow, fast, 0.1), 1 << 12);
        assert_eq!(launches.matters_up_to(slow, fast, 0.65), 1 << 8);
        assert_eq!(launches.matters_up_to(slow, fast, 0.01), 1 << 20);
        assert_eq!(launches.matters_up_to(fast, slow, 0.1), 0);
        assert_eq!(launches.matters_up_to(slow, ("fused", Graph), 0.1), 0);
        let line = launches.line("separate", Graph, Done);
        assert_eq!(line[..2], [(256.0, 1.5), (4096.0, 2.0)]);
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        use {LaunchClock::Queued, LaunchWay::GraphProgrammatic};
        let launches = record(&[("pair", GraphProgrammatic, Queued, 1024, &[60.0, 61.5])]);
        let folder = std::env::temp_dir().join(format!("launches-{}", std::process::id()));
        let path = folder.join("launches.json");
        std::fs::create_dir_all(&folder).unwrap();
        launches.save_to(&path).unwrap();
        let read = Launches::load_file(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read, launches);
        assert!(text.contains("\"graph_programmatic\"") && text.contains("\"queued\""));
    }
}
