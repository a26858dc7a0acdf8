//! The experiment `counters`: the emulator's counters beside those of NVIDIA's profiler ncu, for every registered kernel. Running ncu lives in `ncu`.

use super::ncu::{self, Profile};
use crate::output::{self, Table, grouped};
use crate::{bench, exit};
use anyhow::Context;
use cornerturn::device::DeviceFacts;
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::{Counters, Device, Kernel, Shape};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Full tiles, a rectangle, and shapes that no tile divides, one of them smaller than two tiles.
const SHAPES: [Shape; 6] = [
    Shape::new(4096, 4096),
    Shape::new(8192, 2048),
    Shape::new(1000, 1536),
    Shape::new(4097, 4095),
    Shape::new(97, 61),
    Shape::new(1, 1000),
];

/// The hardware's own counters of the data pipe see a little of what else passes through it on large launches.
const NOISY: [&str; 4] = [
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
];

/// How far a noisy counter may be off, as a share of the wavefronts of its kind.
const NOISE: f64 = 0.005;

/// Counters of ncu that count the same as one of ours, but in the instruction stream, without noise; where a GPU has
/// them, both are compared.
const EXACT_TWINS: [(&str, &str); 4] = [
    (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        NOISY[0],
    ),
    (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        NOISY[1],
    ),
    (
        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        NOISY[2],
    ),
    (
        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        NOISY[3],
    ),
];

/// The file that the experiment writes.
#[derive(Debug, Serialize)]
struct Comparison {
    schema: u32,
    experiment: &'static str,
    device: DeviceFacts,
    date: String,
    commit: String,
    tool: String,
    ncu: String,
    /// Whether every counter is equal, the noisy ones within their noise.
    equal: bool,
    launches: Vec<LaunchComparison>,
}

/// One kernel at one shape.
#[derive(Debug, Serialize)]
struct LaunchComparison {
    kernel: String,
    rows: usize,
    columns: usize,
    grid: [u32; 3],
    block: [u32; 3],
    source_sha256: String,
    ptx_sha256: String,
    counters: Vec<CounterComparison>,
}

/// One counter of one launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct CounterComparison {
    /// ncu's name.
    name: String,
    ncu: u64,
    emulator: u64,
    /// Whether both are the same to the last digit.
    equal: bool,
    /// For counters with noise: whether they are the same but for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    within_noise: Option<bool>,
}

impl CounterComparison {
    fn holds(&self) -> bool {
        self.equal || self.within_noise == Some(true)
    }
}

/// Profiles, compares, writes the comparison and prints it as a table.
pub fn record(device: &Device, shapes: &[Shape], folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let shapes = if shapes.is_empty() { &SHAPES } else { shapes };
    let version = ncu::version()?;
    let plan: Vec<(&KernelEntry, Shape)> = shapes
        .iter()
        .flat_map(|&shape| registry.kernels().iter().map(move |entry| (entry, shape)))
        .collect();
    output::step(format!("ncu profiles {} launches …", plan.len()));
    let profiles = profile(&plan)?;
    let mut launches = Vec::new();
    for ((entry, shape), profile) in plan.iter().zip(&profiles) {
        output::progress(&format!("  the emulator counts {} at {shape}", entry.id));
        launches.push(compare_launch(&registry, entry, *shape, profile)?);
    }
    output::progress("");
    let differing = launches
        .iter()
        .flat_map(|launch| &launch.counters)
        .filter(|c| !c.holds())
        .count();
    let comparison = Comparison {
        schema: cornerturn::record::SCHEMA,
        experiment: "counters",
        device: device.facts().clone(),
        date: cornerturn::record::today(),
        commit: super::commit(),
        tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
        ncu: version,
        equal: differing == 0,
        launches,
    };
    let path = folder.join("counters.json");
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    output::write_whole(
        &path,
        (serde_json::to_string_pretty(&comparison)? + "\n").as_bytes(),
    )?;
    output::print(table(&comparison))?;
    output::line(format_args!("written to {}", path.display()))?;
    if differing == 0 {
        output::line("every counter of the emulator equals ncu's")?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(exit::wrong(format!(
        "{differing} counters differ from ncu's; the table above marks them"
    )))
}

/// What ncu says of each launch of the plan, in its order.
fn profile(plan: &[(&KernelEntry, Shape)]) -> anyhow::Result<Vec<Profile>> {
    let arguments: Vec<OsString> = std::iter::once("__once".to_string())
        .chain(
            plan.iter()
                .map(|(entry, shape)| format!("{}:{}x{}", entry.id, shape.rows, shape.columns)),
        )
        .map(OsString::from)
        .collect();
    let available = ncu::available()?;
    let (metrics, missing) = metrics(&available);
    for name in missing {
        output::step(format!("this GPU's ncu has no {name}; it is not compared"));
    }
    let mut profiles = ncu::profile(&metrics, &arguments)?;
    // The driver may launch kernels of its own.
    profiles.retain(|profile| plan.iter().any(|(entry, _)| entry.entry == profile.kernel));
    let matches = profiles.len() == plan.len()
        && profiles
            .iter()
            .zip(plan)
            .all(|(profile, (entry, _))| profile.kernel == entry.entry);
    if matches {
        return Ok(profiles);
    }
    let names: Vec<&str> = profiles
        .iter()
        .map(|profile| profile.kernel.as_str())
        .collect();
    Err(exit::lacks(format!(
        "ncu profiled {} launches ({}), and {} were made",
        profiles.len(),
        names.join(", "),
        plan.len()
    )))
}

/// ncu's counters that are asked for, ours that are ncu's and their exact twins; then those of ours that it lacks.
fn metrics(available: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    let has = |name: &&str| available.contains(name.split('.').next().unwrap_or(name));
    let names: Vec<&str> = Counters::default().iter().map(|(name, _)| name).collect();
    let ours = names.into_iter().filter(|name| !name.starts_with("ptx__"));
    let (present, missing): (Vec<&str>, Vec<&str>) = ours.partition(has);
    let twins = EXACT_TWINS.iter().map(|(name, _)| *name).filter(has);
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_string).collect();
    (
        owned(present.into_iter().chain(twins).collect()),
        owned(missing),
    )
}

fn compare_launch(
    registry: &Registry,
    entry: &KernelEntry,
    shape: Shape,
    profile: &Profile,
) -> anyhow::Result<LaunchComparison> {
    let emulator = Device::emulator();
    let kernel = Kernel::committed(registry, entry)?;
    let arguments = bench::arguments(&emulator, entry.element, shape)?;
    let (grid, block) = (entry.grid(shape)?, entry.block());
    let report = emulator.launch(&kernel, grid, block, &arguments)?;
    Ok(LaunchComparison {
        kernel: entry.id.clone(),
        rows: shape.rows,
        columns: shape.columns,
        grid: grid.array(),
        block: block.array(),
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        counters: compare(profile, &report.counters.unwrap_or_default()),
    })
}

/// Every metric of ncu beside the emulator's counter of the same meaning.
fn compare(profile: &Profile, counters: &Counters) -> Vec<CounterComparison> {
    let one = |(name, &ncu): (&String, &u64)| {
        let twin = EXACT_TWINS.iter().find(|(twin, _)| twin == name);
        let emulator = counters.get(twin.map_or(name.as_str(), |(_, ours)| ours))?;
        let within_noise = NOISY.contains(&name.as_str()).then(|| {
            let is_load = name.ends_with("ld.sum");
            let wavefronts = if is_load {
                counters.shared_load_wavefronts
            } else {
                counters.shared_store_wavefronts
            };
            ncu.abs_diff(emulator) as f64 <= NOISE * wavefronts as f64
        });
        Some(CounterComparison {
            name: name.clone(),
            ncu,
            emulator,
            equal: ncu == emulator,
            within_noise,
        })
    };
    profile.metrics.iter().filter_map(one).collect()
}

/// All counters that are not 0 on both sides; `=` equal, `≈` within the noise, `≠` different.
fn table(comparison: &Comparison) -> String {
    let mut table = Table::new(["kernel", "shape", "counter", "ncu", "emulator", ""]);
    for launch in &comparison.launches {
        for counter in &launch.counters {
            if counter.ncu == 0 && counter.emulator == 0 {
                continue;
            }
            let sign = match (counter.equal, counter.holds()) {
                (true, _) => "=",
                (false, true) => "≈",
                (false, false) => "≠",
            };
            table.row([
                launch.kernel.clone(),
                Shape::new(launch.rows, launch.columns).to_string(),
                counter.name.clone(),
                grouped(counter.ncu),
                grouped(counter.emulator),
                sign.to_string(),
            ]);
        }
    }
    table.render()
}

/// Launches registered kernels once each on the GPU, for a profiler.
#[derive(Debug, clap::Args)]
pub struct OnceArgs {
    /// `KERNEL:ROWSxCOLUMNS`
    launches: Vec<String>,
}

/// Runs the hidden verb `__once`.
pub fn once(args: OnceArgs) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let device = Device::cuda()?;
    for text in &args.launches {
        let (id, shape) = text
            .split_once(':')
            .and_then(|(id, shape)| Some((id, super::parse_shape(shape).ok()?)))
            .ok_or_else(|| exit::usage(format!("`{text}`: write KERNEL:ROWSxCOLUMNS")))?;
        let entry = registry.get(id)?;
        let kernel = Kernel::committed(&registry, entry)?;
        let arguments = bench::arguments(&device, entry.element, shape)?;
        device.launch(&kernel, entry.grid(shape)?, entry.block(), &arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(metrics: &[(&str, u64)]) -> Profile {
        Profile {
            kernel: "tiled".to_string(),
            metrics: metrics
                .iter()
                .map(|(name, value)| (name.to_string(), *value))
                .collect(),
        }
    }

    #[test]
    fn only_noisy_counters_may_be_off_and_only_a_little() {
        let counters = Counters {
            global_load_sectors: 100_000,
            shared_load_wavefronts: 100_000,
            ..Counters::default()
        };
        let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
        let (exact, noisy) = EXACT_TWINS[0];
        let holds = |name, value| {
            let compared = compare(&profile(&[(name, value)]), &counters);
            assert_eq!(compared.len(), 1);
            (compared[0].equal, compared[0].holds())
        };
        assert_eq!(holds(sectors, 100_000), (true, true));
        assert_eq!(holds(sectors, 100_001), (false, false));
        assert_eq!(holds(noisy, 100_500), (false, true));
        assert_eq!(holds(noisy, 100_501), (false, false));
        assert_eq!(holds(exact, 100_000), (true, true));
        assert_eq!(holds(exact, 99_999), (false, false));
    }

    #[test]
    fn a_bank_conflict_where_none_is_expected_is_noise_only_against_the_wavefronts() {
        let counters = Counters {
            shared_load_wavefronts: 1000,
            ..Counters::default()
        };
        let compared = compare(&profile(&[(NOISY[2], 5), (NOISY[3], 1)]), &counters);
        assert!(compared[0].holds(), "5 of 1000 load wavefronts");
        assert!(!compared[1].holds(), "there are no store wavefronts");
    }

    #[test]
    fn ncu_is_asked_for_what_it_has() {
        let base = |name: &str| name.trim_end_matches(".sum").to_string();
        let (sectors, twin) = (
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            EXACT_TWINS[1].0,
        );
        let (asked, missing) = metrics(&BTreeSet::from([
            base(sectors),
            base(twin),
            "other".to_string(),
        ]));
        assert_eq!(asked, [sectors, twin]);
        assert!(missing.contains(&NOISY[0].to_string()));
        assert!(
            missing
                .iter()
                .all(|name| !name.starts_with("ptx__") && !name.contains("sass"))
        );
    }
}
