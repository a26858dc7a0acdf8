//! The experiment `counters`: the emulator's counters beside those of NVIDIA's profiler ncu, for every registered kernel. Running ncu lives in `ncu`, comparing in `comparison`.

use super::comparison::{Cause, CounterComparison, DATA_PIPE, compare};
use super::ncu::{self, Profile};
use crate::exit;
use crate::output::{self, Table, grouped};
use anyhow::Context;
use cornerturn::device::DeviceFacts;
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::{Counters, Device, Kernel, RegisteredTask, Shape};
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
    /// Whether every counter is equal or its difference explained.
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

/// Profiles, compares, writes the comparison and prints it as a table.
pub fn record(
    device: &Device,
    ids: &[String],
    shapes: &[Shape],
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let kernels = super::chosen(&registry, ids)?;
    let shapes = if shapes.is_empty() { &SHAPES } else { shapes };
    let version = ncu::version()?;
    let plan: Vec<(&KernelEntry, Shape)> = shapes
        .iter()
        .flat_map(|&shape| kernels.iter().map(move |&entry| (entry, shape)))
        .filter(|(entry, shape)| entry.problem(*shape, 1).is_ok())
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
    let twins = DATA_PIPE.iter().map(|pipe| pipe.twin).filter(has);
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
    let task = RegisteredTask::new(&emulator, entry, shape, 1)?;
    let (grid, block) = task.launch_shape(entry)?;
    let report = task.launch(entry, &kernel)?;
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

/// All counters that are not 0 on both sides; `=` equal, else the cause or `≠`.
fn table(comparison: &Comparison) -> String {
    let mut table = Table::new(["kernel", "shape", "counter", "ncu", "emulator", ""]);
    for launch in &comparison.launches {
        for counter in &launch.counters {
            if counter.ncu == 0 && counter.emulator == 0 {
                continue;
            }
            let sign = match (counter.equal, counter.cause) {
                (true, _) => "=",
                (false, Some(Cause::DataPipe)) => "waits of the data pipe",
                (false, Some(Cause::MachineCode)) => "machine code",
                (false, Some(Cause::Schedule)) => "schedule of the blocks",
                (false, None) => "≠",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ncu_is_asked_for_what_it_has() {
        let base = |name: &str| name.trim_end_matches(".sum").to_string();
        let (sectors, twin) = (
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            DATA_PIPE[1].twin,
        );
        let (asked, missing) = metrics(&BTreeSet::from([
            base(sectors),
            base(twin),
            "other".to_string(),
        ]));
        assert_eq!(asked, [sectors, twin]);
        assert!(missing.contains(&DATA_PIPE[0].wavefronts.to_string()));
        assert!(
            missing
                .iter()
                .all(|name| !name.starts_with("ptx__") && *name != DATA_PIPE[0].twin)
        );
    }
}
