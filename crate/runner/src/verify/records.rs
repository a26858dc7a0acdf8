//! Checks the committed records: each was made with the kernels as they are, and what the profiler
//! counted is still what the emulator counts.

use crate::{exit, profiles};
use anyhow::Context;
use cornerturn::exercise::{self, Workshop};
use cornerturn::{
    Causes, Device, Kernel, Launches, MachineFacts, ProductTuning, Products, Record,
    RegisteredTask, Registry, Reports, Shape, Sweep, Transfers, Tuning,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What the records say.
pub struct Checked {
    /// How many files there are.
    pub records: usize,
    /// How many counters of the profiler were compared with the emulator's.
    pub counters: usize,
    /// One sentence for each mistake, with the file.
    pub problems: Vec<String>,
}

/// The parts of a comparison with the profiler that are checked.
#[derive(Deserialize)]
struct Comparison {
    launches: Vec<Launch>,
}

/// The parts of the oracle's record that are checked: the emulator against the GPU, instruction by instruction.
#[derive(Deserialize)]
struct Oracle {
    digests: BTreeMap<String, String>,
    mismatches: BTreeMap<String, Mismatch>,
}

#[derive(Deserialize)]
struct Mismatch {
    examples: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    kernel: String,
}

impl Oracle {
    /// No instruction by itself may differ; that the emulator still gives the same is a test of its own.
    fn problems(&self) -> Vec<String> {
        let differing = self.mismatches.iter().filter(|(_, mismatch)| {
            let mut examples = mismatch.examples.iter();
            examples.any(|example| example.kernel == "unit")
        });
        let mut problems: Vec<String> = differing
            .map(|(form, _)| format!("`{form}` gives something else on the GPU"))
            .collect();
        if self.digests.is_empty() {
            problems.push("it compares nothing".into());
        }
        problems
    }
}

/// The parts of the record of both compilers that are checked.
#[derive(Deserialize)]
struct Compilers {
    kernels: Vec<Compiled>,
}

#[derive(Deserialize)]
struct Compiled {
    kernel: String,
    nvrtc: Side,
}

#[derive(Deserialize)]
struct Side {
    ptx_sha256: String,
}

impl Compilers {
    /// The kernels whose kept PTX is another now, or which are registered no more. Our compiler may have changed since: the
    /// page says of which commit it was.
    fn stale(&self, registry: &Registry) -> Vec<String> {
        let problem = |compiled: &Compiled| {
            let code = registry.code(&compiled.kernel);
            match code.and_then(|code| Kernel::committed(registry, code)) {
                Ok(kernel) if kernel.ptx_sha256() == compiled.nvrtc.ptx_sha256 => None,
                Ok(_) => Some(format!("`{}` was measured with other PTX", compiled.kernel)),
                Err(error) => Some(error.to_string()),
            }
        };
        self.kernels.iter().filter_map(problem).collect()
    }
}

#[derive(Deserialize)]
struct Launch {
    kernel: String,
    rows: usize,
    columns: usize,
    source_sha256: String,
    ptx_sha256: String,
    counters: Vec<Counter>,
}

#[derive(Deserialize)]
struct Counter {
    name: String,
    emulator: u64,
    equal: bool,
    /// The known cause of a difference.
    cause: Option<String>,
}

/// Checks every record below `folder`, which has one folder for each GPU.
pub fn check(folder: &Path) -> anyhow::Result<Checked> {
    let registry = Registry::load()?;
    let mut checked = Checked {
        records: 0,
        counters: 0,
        problems: Vec::new(),
    };
    for gpu in names_in(folder)? {
        if !folder.join(&gpu).is_dir() {
            continue;
        }
        if folder.join(&gpu).join(profiles::FILE).is_file() {
            for profile in profiles::load(&gpu)? {
                let (compared, differing) = profile.compare(&registry)?;
                checked.counters += compared;
                checked.problems.extend(differing);
            }
            checked.records += 1;
        }
        for file in names_in(&folder.join(&gpu))? {
            let Some(experiment) = file.strip_suffix(".json") else {
                continue;
            };
            let path = folder.join(&gpu).join(&file);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let found = match serde_json::from_str::<Comparison>(&text) {
                Ok(comparison) => compare(&comparison, &registry, &mut checked.counters)?,
                Err(_) if experiment == "oracle" => {
                    serde_json::from_str::<Oracle>(&text)?.problems()
                }
                Err(_) if experiment == "compilers" => {
                    serde_json::from_str::<Compilers>(&text)?.stale(&registry)
                }
                Err(_) if experiment == Causes::EXPERIMENT => {
                    Causes::load(&gpu)?.stale()?.into_iter().collect()
                }
                Err(_) if experiment == Tuning::EXPERIMENT => Tuning::load(&gpu)?.stale(&registry),
                Err(_) if experiment == ProductTuning::EXPERIMENT => {
                    ProductTuning::load(&gpu)?.stale(&registry)
                }
                Err(_) if [Transfers::EXPERIMENT, Transfers::STREAMS].contains(&experiment) => {
                    Transfers::load(&gpu, experiment)?.stale(&registry)
                }
                Err(_) if experiment == Launches::EXPERIMENT => {
                    Launches::load(&gpu, experiment)?.stale(&registry)
                }
                Err(_) if experiment == MachineFacts::EXPERIMENT => {
                    MachineFacts::load(&gpu)?.stale(&registry)
                }
                Err(_) if experiment == Reports::EXPERIMENT => {
                    Reports::load(&gpu)?.stale(&registry)
                }
                Err(_) if [Products::EXPERIMENT, Products::LIBRARIES].contains(&experiment) => {
                    Products::load(&gpu, experiment)?.stale(&registry)
                }
                Err(_) if is_sweep(&registry, experiment) => {
                    Sweep::load(&gpu, experiment)?.stale(&registry)
                }
                Err(_) if experiment == exercise::EXPERIMENT => {
                    exercise::stale(&Record::load(&gpu, experiment)?, &Workshop::load()?)
                }
                // The records of time have no launches.
                Err(_) => Record::load(&gpu, experiment)?.stale(&registry),
            };
            let told = found
                .into_iter()
                .map(|problem| format!("{gpu}/{file}: {problem}"));
            checked.problems.extend(told);
            checked.records += 1;
        }
    }
    Ok(checked)
}

/// Whether a record is of a chapter's works on arrays.
fn is_sweep(registry: &Registry, experiment: &str) -> bool {
    let mut works = registry.works().iter();
    works.any(|entry| entry.record_name() == experiment)
}

/// What is wrong with a comparison. Counts the counters that it has.
fn compare(
    comparison: &Comparison,
    registry: &Registry,
    counted: &mut usize,
) -> anyhow::Result<Vec<String>> {
    let mut problems = Vec::new();
    for launch in &comparison.launches {
        let shape = Shape {
            rows: launch.rows,
            columns: launch.columns,
        };
        let place = format!("`{}` at {} × {}", launch.kernel, shape.rows, shape.columns);
        let Ok(entry) = registry.get(&launch.kernel) else {
            problems.push(format!("{place} is not in the registry any more"));
            continue;
        };
        let kernel = Kernel::committed(registry, entry)?;
        if kernel.source_sha256() != Some(&launch.source_sha256)
            || kernel.ptx_sha256() != launch.ptx_sha256
        {
            problems.push(format!(
                "{place} was profiled with another source or other PTX"
            ));
            continue;
        }
        let task = RegisteredTask::new(&Device::emulator(), entry, shape, 1)?;
        let report = task.launch(entry, &kernel)?;
        let counters = report.counters.context("the emulator counts")?;
        for counter in &launch.counters {
            *counted += 1;
            if !counter.equal && counter.cause.is_none() {
                problems.push(format!(
                    "{place}: the profiler disagrees on {}",
                    counter.name
                ));
            }
            // Of the instruction stream's own counters the emulator knows no name.
            if counters
                .get(&counter.name)
                .is_some_and(|now| now != counter.emulator)
            {
                problems.push(format!(
                    "{place}: the emulator now counts otherwise: {}",
                    counter.name
                ));
            }
        }
    }
    Ok(problems)
}

/// The names in a folder, in order.
pub fn names_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let missing = || exit::wrong(format!("{} cannot be read", folder.display()));
    let entries = fs::read_dir(folder).map_err(|_| missing())?;
    let mut names: Vec<String> = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<std::io::Result<_>>()?;
    names.sort();
    Ok(names)
}
