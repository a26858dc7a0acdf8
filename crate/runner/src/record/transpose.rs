//! The experiment `transpose`: bandwidth of every registered kernel and of the driver's copy, interleaved, cold cache, raw samples.

use crate::output::{self, Table};
use cornerturn::record::{DRIVER_COPY, Measurement, Record};
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::task::Task;
use cornerturn::timing::TimingOptions;
use cornerturn::verify::Operation;
use cornerturn::{Device, Error, Kernel, Shape, TimingMode};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The shapes of the book and of the articles that it compares with; the last has no side that a tile divides.
const SHAPES: [Shape; 6] = [
    Shape::new(2048, 2048),
    Shape::new(4096, 4096),
    Shape::new(8192, 2048),
    Shape::new(4097, 4095),
    Shape::new(16_384, 16_384),
    Shape::new(32_768, 32_768),
];

/// Kernels take turns so often, so that a drift of the clocks reaches all of them.
const ROUNDS: usize = 5;

/// Of one round: samples until they agree, at most so many or so long.
fn round_options() -> TimingOptions {
    TimingOptions {
        least_samples: 20,
        most_samples: 60,
        longest: Duration::from_secs(1),
        ..TimingMode::Cold.into()
    }
}

/// Measures, writes the record and prints it as a table.
pub fn record(device: &Device, shapes: &[Shape], folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let mut record = Record::new("transpose", device, &super::commit());
    let shapes = if shapes.is_empty() { &SHAPES } else { shapes };
    for &shape in shapes {
        match measure(&registry, device, shape, &mut record) {
            Err(error) if is_memory(&error) => {
                output::step(format!("{shape} is left out: {error:#}"));
            }
            result => result?,
        }
    }
    output::progress("");
    let path = folder.join("transpose.json");
    record.save_to(&path)?;
    output::print(table(&record))?;
    output::line(record.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn is_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::Memory { .. }))
}

/// One kernel at one shape, verified, and its samples so far.
struct Candidate<'a> {
    entry: &'a KernelEntry,
    kernel: Kernel,
    samples_us: Vec<f64>,
}

fn measure(
    registry: &Registry,
    device: &Device,
    shape: Shape,
    record: &mut Record,
) -> anyhow::Result<()> {
    output::step(format!("{shape} …"));
    let mut candidates: Vec<Candidate> = registry
        .kernels()
        .iter()
        .map(|entry| {
            Ok(Candidate {
                entry,
                kernel: Kernel::committed(registry, entry)?,
                samples_us: Vec::new(),
            })
        })
        .collect::<anyhow::Result<_>>()?;
    verify(device, Operation::Copy, shape, &candidates)?;
    // For timing it does not matter what the kernels make of the input.
    let task = verify(device, Operation::Transpose, shape, &candidates)?;
    let mut copy_us = Vec::new();
    for round in 1..=ROUNDS {
        output::progress(&format!(
            "  {shape}: round {round} of {ROUNDS}, {DRIVER_COPY}"
        ));
        let timing = task.time_copy(round_options())?;
        copy_us.extend(timing.samples_us);
        for candidate in &mut candidates {
            let Candidate {
                entry,
                kernel,
                samples_us,
            } = candidate;
            output::progress(&format!(
                "  {shape}: round {round} of {ROUNDS}, {}",
                entry.id
            ));
            let timing = task.time(kernel, entry.grid(shape)?, entry.block(), round_options())?;
            samples_us.extend(timing.samples_us);
            record.device.clocks = timing.clocks;
        }
    }
    output::progress("");
    let blank = Measurement {
        kernel: DRIVER_COPY.to_string(),
        operation: Operation::Copy,
        element: cornerturn::ElementType::F32,
        rows: shape.rows,
        columns: shape.columns,
        mode: TimingMode::Cold,
        bytes_moved: task.bytes_moved(),
        source_sha256: String::new(),
        ptx_sha256: String::new(),
        grid: None,
        block: None,
        samples_us: copy_us,
    };
    record.measurements.push(blank.clone());
    for candidate in candidates {
        let Candidate {
            entry,
            kernel,
            samples_us,
        } = candidate;
        record.measurements.push(Measurement {
            kernel: entry.id.clone(),
            operation: entry.operation,
            source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
            ptx_sha256: kernel.ptx_sha256().to_string(),
            grid: Some(entry.grid(shape)?),
            block: Some(entry.block()),
            samples_us,
            ..blank.clone()
        });
    }
    Ok(())
}

/// Verifies the kernels that do this operation, and hands back the task with its buffers.
fn verify(
    device: &Device,
    operation: Operation,
    shape: Shape,
    candidates: &[Candidate],
) -> anyhow::Result<Task> {
    let task = Task::new(device, operation, shape)?;
    for Candidate { entry, kernel, .. } in candidates {
        if entry.operation == operation {
            output::progress(&format!("  {shape}: verifying {}", entry.id));
            task.verify(kernel, entry.grid(shape)?, entry.block())?;
        }
    }
    Ok(task)
}

fn table(record: &Record) -> String {
    let mut table = Table::new([
        "shape",
        "kernel",
        "median µs",
        "quartiles µs",
        "samples",
        "GB/s",
        "% of copy",
    ]);
    for measurement in &record.measurements {
        let timing = measurement.timing();
        let (lower, upper) = timing.quartiles_us();
        let rate = measurement.gb_per_s();
        let share = record
            .copy(measurement.rows, measurement.columns)
            .map_or(String::new(), |copy| {
                format!("{:.1}", rate.percent_of(copy.gb_per_s()))
            });
        table.row([
            measurement.shape().to_string(),
            measurement.kernel.clone(),
            format!("{:.2}", timing.median_us()),
            format!("{lower:.2}–{upper:.2}"),
            timing.count().to_string(),
            format!("{:.0}", rate.0),
            share,
        ]);
    }
    table.render()
}
