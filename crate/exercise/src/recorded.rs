//! What was recorded of a launch on a GPU, for questions that are about no run: what it takes of a multiprocessor, how long it took, what the profiler said. Counters of a launch are `profile`'s.

use super::asked::About;
use super::data::{Answer, Exercise};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::facts::DeviceFacts;
use cornerturn_base::occupancy::Limits;
use cornerturn_base::paths;
use cornerturn_measure::record::{DRIVER_COPY, Measurement, Record};
use cornerturn_measure::reports::{METRICS, Report, Reports};
use std::path::PathBuf;

/// The folder of the GPU whose records are read.
const GPU: &str = "h200";

/// What can be asked for, by the names that exercises.toml gives it.
const NAMES: [&str; 11] = [
    "resident_blocks",
    "resident_warps",
    "room_by_registers",
    "room_by_shared",
    "median_us",
    "gb_per_s",
    "percent_of_copy",
    "busiest_percent",
    "bound_by",
    "dram_gb_per_s",
    "longest_wait_percent",
];

/// Launches whose times a participant is shown: so few that their median is found by hand, an odd number.
const SHOWN: usize = 15;

/// A part of the GPU that is used less than this is no limit.
const BUSY_PERCENT: f64 = 50.0;

/// Reasons for which warps wait that are shown, the longest first.
const WAITS: usize = 4;

/// What is told of one recorded launch, and what can be asked about it.
pub(super) struct Recorded {
    pub(super) text: String,
    values: Vec<(&'static str, f64)>,
}

/// Whether an answer asks for something that is told.
pub(super) fn check(answer: &Answer) -> std::result::Result<(), String> {
    match NAMES.contains(&answer.counter.as_str()) && answer.per.is_none() {
        true => Ok(()),
        false => Err(format!(
            "no record tells `{}`; there are: {}",
            answer.counter,
            NAMES.join(", ")
        )),
    }
}

impl Recorded {
    /// What this participant is asked about; `None` where it is no record, or one of counters.
    ///
    /// # Errors
    /// [`Error::File`] where the record cannot be read or lacks the launch.
    pub(super) fn of(exercise: &Exercise, participant: &str) -> Result<Option<Self>> {
        let Some(kernel) = exercise.profiled(participant) else {
            return Ok(None);
        };
        let [rows, columns] = exercise
            .answers
            .first()
            .map_or([0, 0], |answer| answer.of[0]);
        let recorded = match exercise.about {
            About::Counters => return Ok(None),
            About::Resources => resources(&measured(kernel, rows, columns)?)?,
            About::Times => {
                let copy = measured(DRIVER_COPY, rows, columns)?;
                times(&measured(kernel, rows, columns)?, &copy)
            }
            About::Report => {
                let reports = Reports::load_file(&path("reports")?)?;
                report(&reports.device.facts.name, reports.of(kernel)?)
            }
        };
        Ok(Some(recorded))
    }

    /// What is asked for by this name.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }
}

fn path(experiment: &str) -> Result<PathBuf> {
    Ok(paths::results()?
        .join(GPU)
        .join(format!("{experiment}.json")))
}

/// A device, and what was recorded there of a kernel on a matrix.
type Measured = (DeviceFacts, Measurement);

fn measured(kernel: &str, rows: usize, columns: usize) -> Result<Measured> {
    let path = path("transpose")?;
    let record = Record::load_file(&path)?;
    let found = record.measurement(kernel, rows, columns).cloned();
    let found = found.ok_or_else(|| {
        let reason = format!("`{kernel}` was not timed on {rows}×{columns}");
        Error::file(&path, reason)
    })?;
    Ok((record.device.facts, found))
}

fn resources((device, found): &Measured) -> Result<Recorded> {
    let limits = Limits::of(&device.compute_capability)?;
    let threads = found.block.map_or(0, |block| block.x * block.y * block.z);
    let (declared, added) = (found.static_shared_bytes, found.dynamic_shared_bytes);
    let shared = declared.unwrap_or(0) + added.unwrap_or(0);
    let blocks = found.blocks_per_multiprocessor.unwrap_or(0);
    let text = format!(
        "a kernel on the {}: blocks of {threads} threads, {} registers for a thread, {shared} bytes of shared memory for a block",
        device.name,
        found.registers_per_thread.unwrap_or(0)
    );
    let mut values = vec![
        ("resident_blocks", f64::from(blocks)),
        ("resident_warps", f64::from(blocks * threads.div_ceil(32))),
    ];
    if let Some(occupancy) = found.occupancy(&limits) {
        values.push(("room_by_registers", occupancy.by_registers.into()));
        values.push(("room_by_shared", occupancy.by_shared.into()));
    }
    Ok(Recorded { text, values })
}

fn times((device, found): &Measured, (_, copy): &Measured) -> Recorded {
    let [own, of_copy] = [found, copy].map(|measured| {
        let shown = measured.samples_us.len().min(SHOWN);
        &measured.samples_us[..shown]
    });
    let listed = |samples: &[f64]| -> String {
        let samples: Vec<String> = samples.iter().map(f64::to_string).collect();
        samples.join(" ")
    };
    let text = format!(
        "a kernel on the {}: a matrix of {}×{} elements of {} bytes, {SHOWN} launches, each behind a flush of L2, in µs\n  \
         {}\nthe driver's copy of the same bytes, in the same run\n  {}",
        device.name,
        found.rows,
        found.columns,
        found.element.bytes(),
        listed(own),
        listed(of_copy)
    );
    let rate = |samples: &[f64]| found.bytes_moved as f64 / median(samples) / 1000.0;
    let values = vec![
        ("median_us", median(own)),
        ("gb_per_s", rate(own)),
        ("percent_of_copy", 100.0 * rate(own) / rate(of_copy)),
    ];
    Recorded { text, values }
}

/// The one in the middle of an odd number of samples.
fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn report(device: &str, report: &Report) -> Recorded {
    let of = |name: &str| report.metric(name).unwrap_or(0.0);
    let mut text = format!(
        "the report, {device}: {} blocks of {} threads",
        report.grid.count(),
        report.block.count()
    );
    let mut line = |name: &str, value: f64| text.push_str(&format!("\n  {name:<66} {value:>12}"));
    for metric in METRICS {
        if let Some(value) = report.metrics.get(metric.ncu) {
            line(metric.ncu, *value);
        }
    }
    let waits = report.waits();
    for (reason, clocks) in waits.iter().take(WAITS) {
        line(&format!("stalled: {reason}"), *clocks);
    }
    let (compute, memory, dram) = (of("sm_percent"), of("memory_percent"), of("dram_percent"));
    let bound_by = match () {
        () if compute.max(memory) < BUSY_PERCENT => 4.0,
        () if compute >= memory => 1.0,
        () if memory - dram < 1.0 => 2.0,
        () => 3.0,
    };
    let longest = waits.first().map_or(0.0, |(_, clocks)| *clocks);
    let bytes = of("dram_read_bytes") + of("dram_write_bytes");
    let values = vec![
        ("busiest_percent", compute.max(memory)),
        ("bound_by", bound_by),
        ("dram_gb_per_s", bytes / of("ns")),
        ("longest_wait_percent", 100.0 * longest / of("latency")),
    ];
    Recorded { text, values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workshop;

    /// Each launch that some exercise of this kind may ask about, with what is told of it.
    fn all(about: About) -> Vec<Recorded> {
        let workshop = Workshop::load().unwrap();
        let exercises = workshop.exercises().iter();
        let asking: Vec<&Exercise> = exercises.filter(|other| other.about == about).collect();
        let one = |exercise: &Exercise, kernel: &String| {
            let mut alone = exercise.clone();
            alone.profiles = vec![kernel.clone()];
            Recorded::of(&alone, "").unwrap().unwrap()
        };
        let of = |exercise: &&Exercise| -> Vec<Recorded> {
            let kernels = exercise.profiles.iter();
            kernels.map(|kernel| one(exercise, kernel)).collect()
        };
        asking.iter().flat_map(of).collect()
    }

    #[test]
    fn the_driver_says_what_is_calculated_from_what_is_shown() {
        let launches = all(About::Resources);
        assert!(launches.len() > 3);
        let mut limits = Vec::new();
        for found in launches {
            let of = |name| found.value(name).unwrap();
            let by_threads = 2048.0 / (32.0 * of("resident_warps") / of("resident_blocks"));
            let rooms = [
                of("room_by_registers"),
                of("room_by_shared"),
                by_threads.floor(),
                32.0,
            ];
            let least = rooms.into_iter().fold(f64::INFINITY, f64::min);
            assert_eq!(of("resident_blocks"), least, "{}", found.text);
            limits.push(rooms.into_iter().position(|room| room == least));
        }
        // Not one limit for all.
        limits.sort_unstable();
        limits.dedup();
        assert!(limits.len() > 1, "{limits:?}");
    }

    #[test]
    fn a_median_has_as_many_shown_times_on_either_side_and_is_not_the_mean() {
        let mut apart = 0;
        for found in all(About::Times) {
            let of = |name| found.value(name).unwrap();
            let median = of("median_us");
            let line = found.text.lines().nth(1).unwrap();
            let samples = line.split_whitespace().map(|s| s.parse().unwrap());
            let samples: Vec<f64> = samples.collect();
            assert_eq!(samples.len(), SHOWN);
            let most = |count: usize| count <= SHOWN / 2;
            assert!(most(samples.iter().filter(|s| **s < median).count()));
            assert!(most(samples.iter().filter(|s| **s > median).count()));
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            apart += usize::from((mean - median).abs() > 2e-3 * median);
            let bytes = of("gb_per_s") * 1000.0 * median;
            assert!((bytes - 8.0 * 4096.0 * 4096.0).abs() < 1.0, "{bytes}");
            assert!((10.0..105.0).contains(&of("percent_of_copy")));
        }
        assert!(apart > 2, "{apart}");
    }

    #[test]
    fn reports_are_of_kernels_with_different_limits() {
        let launches = all(About::Report);
        for bound in [1.0, 2.0, 3.0, 4.0] {
            let is_it = |found: &&Recorded| found.value("bound_by") == Some(bound);
            assert!(launches.iter().any(|found| is_it(&found)), "{bound}");
        }
        for found in launches {
            let part = found.value("longest_wait_percent").unwrap();
            assert!(part > 0.0 && part < 100.0, "{}", found.text);
            let rate = found.value("dram_gb_per_s").unwrap();
            assert!((0.0..4800.0).contains(&rate), "{}", found.text);
        }
    }

    #[test]
    fn what_no_record_tells_is_not_asked_for() {
        let workshop = Workshop::load().unwrap();
        let strided = workshop.get("strided").unwrap();
        assert!(check(&strided.answers[0]).is_err());
        assert!(Recorded::of(strided, "").unwrap().is_none());
    }
}
