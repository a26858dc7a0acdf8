//! The experiment `compilers`: every registered kernel by our own compiler's PTX beside NVRTC's, which the project keeps: verified, and timed in turns.

use super::measured::{round_options, rounded};
use crate::output::{self, Table};
use crate::{exit, turns};
use anyhow::Context;
use cornerturn::compile::{Compiler, CompilerKind};
use cornerturn::device::DeviceFacts;
use cornerturn::registry::{Code, KernelEntry, ProductEntry, Registry, WorkEntry};
use cornerturn::timing::TimingOptions;
use cornerturn::works::RegisteredWork;
use cornerturn::{
    Clocks, Device, Dim3, Kernel, Product, ProductData, ProductShape, RegisteredTask, Shape,
    Timing, TimingMode,
};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

/// The name of the experiment, and of its file.
const EXPERIMENT: &str = "compilers";

/// Whoever is measured takes turns so often: fewer than bandwidths have, since only two are compared.
const ROUNDS: usize = 6;

/// Of one turn.
const LONGEST: Duration = Duration::from_millis(60);

/// The matrices; kernels that take none of these have the next larger ones that they take.
const SIDE: usize = 4096;

/// Items of a work of which the registry names no size.
const ITEMS: usize = 1 << 20;

/// Multiply-adds of a product that is measured here, at least, where the registry has one so large.
const MULTIPLY_ADDS: u64 = 1 << 30;

/// The file that the experiment writes.
#[derive(Debug, Serialize)]
struct Compared {
    schema: u32,
    experiment: String,
    device: DeviceFacts,
    date: String,
    commit: String,
    tool: String,
    /// One for each kernel.
    kernels: Vec<Both>,
}

/// One kernel by both compilers.
#[derive(Debug, Serialize)]
struct Both {
    /// The registry's name.
    kernel: String,
    /// On what it was run.
    on: String,
    /// What the cache held.
    mode: TimingMode,
    /// The PTX that the project keeps, which NVRTC made.
    nvrtc: Side,
    /// Our own compiler's.
    cornerturn: Side,
}

/// What one compiler's PTX did.
#[derive(Debug, Default, Serialize)]
struct Side {
    ptx_sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    registers_per_thread: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_bytes_per_thread: Option<u32>,
    /// Why it was not timed: it was refused, or its result was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
    /// Each launch's duration in microseconds.
    samples_us: Vec<f64>,
}

impl Side {
    /// The median duration in microseconds; `None` where nothing was timed.
    fn median_us(&self) -> Option<f64> {
        let timing = Timing {
            samples_us: self.samples_us.clone(),
            mode: TimingMode::Cold,
            clocks: Clocks::default(),
        };
        (timing.count() > 0).then(|| timing.median_us())
    }
}

impl Both {
    /// Our duration over NVRTC's; `None` where one of them was not timed.
    fn ratio(&self) -> Option<f64> {
        Some(self.cornerturn.median_us()? / self.nvrtc.median_us()?)
    }
}

type Verify<'b> = dyn Fn(&Kernel) -> cornerturn::Result<()> + 'b;
type Time<'b> = dyn Fn(&Kernel, TimingOptions) -> cornerturn::Result<Timing> + 'b;

/// A kernel's work on the device, whichever compiler made the kernel.
struct Bench<'b> {
    code: Code<'b>,
    on: String,
    mode: TimingMode,
    block: Dim3,
    kernel: Kernel,
    verify: Box<Verify<'b>>,
    time: Box<Time<'b>>,
}

/// Measures these kernels, all if none is named, and writes the record. Of a part only the table is shown: one record is
/// of one compiler.
pub fn record(device: &Device, ids: &[String], folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    for id in ids {
        registry.code(id)?;
    }
    let own = Compiler::of(CompilerKind::CornerTurn)?;
    let mut record = Compared {
        schema: cornerturn::record::SCHEMA,
        experiment: EXPERIMENT.to_string(),
        device: device.facts().clone(),
        date: cornerturn::record::today(),
        commit: super::commit(),
        tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
        kernels: Vec::new(),
    };
    let is_chosen = |id: &str| ids.is_empty() || ids.iter().any(|chosen| chosen == id);
    let mut add = |bench: Bench| -> anyhow::Result<()> {
        record.kernels.push(both(device, &own, bench)?);
        Ok(())
    };
    for entry in registry.kernels().iter().filter(|it| is_chosen(&it.id)) {
        add(of_matrices(&registry, device, entry)?)?;
    }
    for entry in registry.works().iter().filter(|it| is_chosen(&it.id)) {
        add(of_arrays(&registry, device, entry)?)?;
    }
    for entry in registry.products().iter().filter(|it| is_chosen(&it.id)) {
        add(of_product(&registry, device, entry)?)?;
    }
    output::progress("");
    output::print(table(&record))?;
    if ids.is_empty() {
        save(&record, folder)?;
    }
    let wrong: Vec<String> = record
        .kernels
        .iter()
        .filter_map(|both| {
            Some(format!(
                "{}: {}",
                both.kernel,
                both.cornerturn.wrong.as_ref()?
            ))
        })
        .collect();
    match wrong.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(exit::wrong(wrong.join("\n"))),
    }
}

fn save(record: &Compared, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(format!("{EXPERIMENT}.json"));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let text = serde_json::to_string(record)?.replace("{\"kernel\"", "\n{\"kernel\"") + "\n";
    output::write_whole(&path, text.as_bytes())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(())
}

/// A kernel on matrices.
fn of_matrices<'b>(
    registry: &Registry,
    device: &Device,
    entry: &'b KernelEntry,
) -> anyhow::Result<Bench<'b>> {
    let [columns, rows] = entry.tile.map(|side| side as usize);
    let shape = Shape::new(SIDE.next_multiple_of(rows), SIDE.next_multiple_of(columns));
    let task = Rc::new(RegisteredTask::new(device, entry, shape, 1)?);
    let timed = task.clone();
    Ok(Bench {
        code: Code::from(entry),
        on: format!("{shape} {}", entry.element),
        mode: TimingMode::Cold,
        block: task.launch_shape(entry)?.1,
        kernel: Kernel::committed(registry, entry)?,
        verify: Box::new(move |kernel| task.verify(entry, kernel)),
        time: Box::new(move |kernel, options| timed.time(entry, kernel, options)),
    })
}

/// A kernel that does a work on arrays: of the first size and parameter that are measured.
fn of_arrays<'b>(
    registry: &Registry,
    device: &'b Device,
    entry: &'b WorkEntry,
) -> anyhow::Result<Bench<'b>> {
    let measured = entry.measured.first();
    let items = measured.map_or(ITEMS, |group| group.items);
    let least = *entry.parameters().start();
    let first = measured.and_then(|group| group.parameters.first().copied());
    let parameter = first.unwrap_or(least);
    let (grid, block) = entry.launch_shape(items)?;
    let kernel = entry.kernel(registry, parameter)?;
    let work = entry.work(items, parameter)?;
    let ready = work.ready(device, &kernel, grid, block)?;
    Ok(Bench {
        code: Code::from(entry),
        on: format!("{items} items with {parameter}"),
        mode: measured.map_or(TimingMode::Cold, |group| group.mode),
        block,
        kernel,
        verify: Box::new(move |kernel| work.ready_verified(device, kernel, grid, block).map(drop)),
        time: Box::new(move |kernel, options| ready.reshaped(kernel, grid, block).time(options)),
    })
}

/// A kernel that multiplies matrices.
fn of_product<'b>(
    registry: &Registry,
    device: &Device,
    entry: &'b ProductEntry,
) -> anyhow::Result<Bench<'b>> {
    let shapes = entry.measured();
    let is_large = |shape: &&ProductShape| shape.multiply_adds() >= MULTIPLY_ADDS;
    let shape = shapes.iter().find(is_large).or(shapes.last());
    let shape = *shape.with_context(|| format!("{} is measured at no shape", entry.id))?;
    let product = Rc::new(Product::registered(device, entry, shape)?);
    let (grid, block) = product.launch_shape(entry)?;
    let timed = product.clone();
    Ok(Bench {
        code: Code::from(entry),
        on: format!("{shape} {}", product.problem().input),
        mode: TimingMode::Warm,
        block,
        kernel: Kernel::committed(registry, entry)?,
        verify: Box::new(move |kernel| {
            for data in [ProductData::Exact, ProductData::Random] {
                product.verify_on(data, kernel, grid, block)?;
            }
            Ok(())
        }),
        time: Box::new(move |kernel, options| timed.time(kernel, grid, block, options)),
    })
}

/// Verifies the kernel as it is kept and as our compiler makes it, then times both in turns.
fn both(device: &Device, own: &Compiler, bench: Bench) -> anyhow::Result<Both> {
    let Code { id, file, arch, .. } = bench.code;
    output::progress(&format!("  {id} on {}", bench.on));
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    let kernels = [
        Ok(bench.kernel.clone()),
        bench.kernel.compiled_by(own, &file, arch),
    ];
    let mut sides = [Side::default(), Side::default()];
    for (side, kernel) in sides.iter_mut().zip(&kernels) {
        *side = match kernel {
            Ok(kernel) => admitted(device, &bench, kernel)?,
            Err(error) => refused(error),
        };
    }
    for round in 0..ROUNDS {
        for turn in turns::shuffled(sides.len(), round) {
            let (Some(side), Some(Ok(kernel))) = (sides.get_mut(turn), kernels.get(turn)) else {
                continue;
            };
            if side.wrong.is_none() {
                let options = TimingOptions {
                    mode: bench.mode,
                    longest: LONGEST,
                    ..round_options()
                };
                let timing = (bench.time)(kernel, options)?;
                side.samples_us.extend(rounded(&timing.samples_us));
            }
        }
    }
    let [nvrtc, cornerturn] = sides;
    Ok(Both {
        kernel: id.to_string(),
        on: bench.on,
        mode: bench.mode,
        nvrtc,
        cornerturn,
    })
}

/// A kernel once its result is right, without samples yet.
fn admitted(device: &Device, bench: &Bench, kernel: &Kernel) -> anyhow::Result<Side> {
    if let Err(error) = (bench.verify)(kernel) {
        return Ok(refused(&error));
    }
    let resources = device.resources(kernel, bench.block)?;
    Ok(Side {
        ptx_sha256: kernel.ptx_sha256().to_string(),
        registers_per_thread: resources.map(|r| r.registers_per_thread),
        local_bytes_per_thread: resources.map(|r| r.local_bytes_per_thread),
        ..Side::default()
    })
}

fn refused(error: &cornerturn::Error) -> Side {
    Side {
        wrong: Some(error.to_string()),
        ..Side::default()
    }
}

fn table(record: &Compared) -> String {
    let head = [
        "kernel",
        "on",
        "NVRTC µs",
        "our µs",
        "ratio",
        "registers",
        "",
    ];
    let mut table = Table::new(head);
    let us = |side: &Side| {
        side.median_us()
            .map_or(String::new(), |us| format!("{us:.2}"))
    };
    let registers = |side: &Side| {
        side.registers_per_thread
            .map_or("–".to_string(), |n| n.to_string())
    };
    for both in &record.kernels {
        table.row([
            both.kernel.clone(),
            both.on.clone(),
            us(&both.nvrtc),
            us(&both.cornerturn),
            both.ratio()
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
            format!(
                "{} → {}",
                registers(&both.nvrtc),
                registers(&both.cornerturn)
            ),
            both.cornerturn.wrong.clone().unwrap_or_default(),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_its_median_and_one_that_was_not_timed_has_no_ratio() {
        let side = |samples: &[f64]| Side {
            samples_us: samples.to_vec(),
            ..Side::default()
        };
        let both = |nvrtc, cornerturn| Both {
            kernel: "padded".to_string(),
            on: String::new(),
            mode: TimingMode::Cold,
            nvrtc,
            cornerturn,
        };
        assert_eq!(side(&[3.0, 1.0, 2.0]).median_us(), Some(2.0));
        assert_eq!(side(&[4.0, 1.0, 2.0, 3.0]).median_us(), Some(2.5));
        assert_eq!(both(side(&[2.0]), side(&[3.0])).ratio(), Some(1.5));
        assert_eq!(both(side(&[2.0]), side(&[])).ratio(), None);
    }
}
