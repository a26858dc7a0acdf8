//! The experiment `works`: bandwidth of every work on arrays with each parameter that the registry names, beside a copy of as many bytes; one record a chapter.

use super::measured::{ROUNDS, round_options, rounded};
use crate::output::{self, Table};
use crate::turns;
use cornerturn::record::DRIVER_COPY;
use cornerturn::registry::{Measured, Registry, WorkEntry};
use cornerturn::works::RegisteredWork;
use cornerturn::{
    CacheSettings, Device, Kernel, Ready, Sweep, SweepPoint, TimingMode, TimingOptions,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// Whoever has a turn in each round, with its samples.
struct Candidate {
    point: SweepPoint,
    /// The launch; `None` for the driver's copy.
    ready: Option<Ready>,
}

/// Measures these kernels, all if none is named, and writes the records of their chapters. Measurements of a part are a
/// later run of the record that there is.
pub fn record(device: &Device, ids: &[String], folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let chosen: Vec<&WorkEntry> = match ids.is_empty() {
        true => {
            let is_measured = |entry: &&WorkEntry| !entry.measured.is_empty();
            registry.works().iter().filter(is_measured).collect()
        }
        false => ids
            .iter()
            .map(|id| registry.work(id))
            .collect::<Result<_, _>>()?,
    };
    let chapters: BTreeSet<&str> = chosen.iter().map(|entry| entry.record_name()).collect();
    for chapter in chapters {
        output::step(format!("{chapter} …"));
        let entries = chosen.iter().filter(|entry| entry.record_name() == chapter);
        let mut sweep = Sweep::new(chapter, device, &super::commit());
        measure(&registry, device, entries.copied(), &mut sweep)?;
        let path = folder.join(format!("{chapter}.json"));
        if !ids.is_empty() && path.is_file() {
            sweep = Sweep::load_file(&path)?.with_later(sweep)?;
        }
        sweep.save_to(&path)?;
        output::print(table(&sweep))?;
        output::line(sweep.provenance())?;
        output::line(format_args!("written to {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Verifies every kernel with every parameter, then times them all and the copies in shuffled rounds.
fn measure<'r>(
    registry: &Registry,
    device: &Device,
    entries: impl Iterator<Item = &'r WorkEntry>,
    sweep: &mut Sweep,
) -> anyhow::Result<()> {
    let mut candidates = Vec::new();
    for entry in entries {
        for group in &entry.measured {
            for &parameter in &group.parameters {
                output::progress(&format!("  verifying {} with {parameter}", entry.id));
                let kernel = entry.kernel(registry, parameter)?;
                candidates.push(admit(device, entry, &kernel, group, parameter)?);
            }
        }
    }
    let sizes: BTreeSet<u64> = candidates.iter().map(|c| c.point.bytes_moved).collect();
    candidates.extend(sizes.into_iter().map(copy));
    for round in 0..ROUNDS {
        output::progress(&format!("  round {} of {ROUNDS}", round + 1));
        for turn in turns::shuffled(candidates.len(), round) {
            let Candidate { point, ready } = &mut candidates[turn];
            let timing = match ready {
                Some(ready) => ready.time(TimingOptions {
                    mode: point.mode,
                    ..round_options()
                })?,
                None => device.time_copy(point.bytes_moved / 2, round_options())?,
            };
            point.samples_us.extend(rounded(&timing.samples_us));
            sweep.device.clocks = timing.clocks;
        }
    }
    output::progress("");
    sweep.measurements = candidates.into_iter().map(|c| c.point).collect();
    Ok(())
}

/// A kernel with a parameter, verified.
fn admit(
    device: &Device,
    entry: &WorkEntry,
    kernel: &Kernel,
    group: &Measured,
    parameter: u32,
) -> anyhow::Result<Candidate> {
    let items = group.items;
    let work = entry.work(items, parameter)?;
    let (grid, block) = entry.launch_shape(items)?;
    let ready = work.ready_verified(device, kernel, grid, block)?;
    let resources = device.resources(kernel, block)?;
    let point = SweepPoint {
        kernel: entry.id.clone(),
        parameter,
        items,
        mode: group.mode,
        caches: kernel.caches().clone(),
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        grid: Some(grid),
        block: Some(block),
        registers_per_thread: resources.map(|r| r.registers_per_thread),
        local_bytes_per_thread: resources.map(|r| r.local_bytes_per_thread),
        blocks_per_multiprocessor: resources.map(|r| r.blocks_per_multiprocessor),
        ..copy(work.bytes_moved()).point
    };
    Ok(Candidate {
        point,
        ready: Some(ready),
    })
}

/// The driver's copy that moves so many bytes.
fn copy(bytes_moved: u64) -> Candidate {
    Candidate {
        point: SweepPoint {
            kernel: DRIVER_COPY.to_string(),
            parameter: 0,
            items: 0,
            mode: TimingMode::Cold,
            run: 0,
            bytes_moved,
            source_sha256: String::new(),
            ptx_sha256: String::new(),
            grid: None,
            block: None,
            registers_per_thread: None,
            local_bytes_per_thread: None,
            blocks_per_multiprocessor: None,
            caches: CacheSettings::new(),
            samples_us: Vec::new(),
        },
        ready: None,
    }
}

fn table(sweep: &Sweep) -> String {
    let head = [
        "kernel",
        "parameter",
        "items",
        "cache",
        "median µs",
        "GB/s",
        "% of copy",
    ];
    let mut table = Table::new(head);
    for point in &sweep.measurements {
        let share = sweep.copy_for(point).map_or(String::new(), |copy| {
            format!("{:.1}", point.gb_per_s().percent_of(copy.gb_per_s()))
        });
        table.row([
            point.kernel.clone(),
            point.parameter.to_string(),
            point.items.to_string(),
            point.mode.to_string(),
            format!("{:.2}", point.timing().median_us()),
            format!("{:.0}", point.gb_per_s().0),
            share,
        ]);
    }
    table.render()
}
