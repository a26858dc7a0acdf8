//! The experiment `transpose`: bandwidth of every registered kernel, of cuBLAS and of the driver's copy, interleaved, cold cache, raw samples. Which matrices are measured is in `cases`.

use super::cases::{self, Set};
use super::measured::{ROUNDS, round_options, rounded, save, share_of_copy, with_resources};
use crate::output::{self, Table};
use cornerturn::record::{CUBLAS_GEAM, DRIVER_COPY, Measurement, Record};
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::verify::Operation;
use cornerturn::{Device, Error, Geam, Kernel, RegisteredTask, Shape};
use std::path::Path;
use std::process::ExitCode;

/// Measures these kernels, all if none is named, writes the record and prints it as a table.
pub fn record(
    device: &Device,
    ids: &[String],
    shapes: &[Shape],
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let kernels = super::chosen(&registry, ids)?;
    let mut record = Record::new("transpose", device, &super::commit());
    let geam = match Geam::open(device) {
        Ok(geam) => Some(geam),
        Err(error) => {
            output::step(format!("{CUBLAS_GEAM} is left out: {error}"));
            None
        }
    };
    for set in cases::sets(&kernels, shapes) {
        match measure(&registry, device, geam.as_ref(), &set, &mut record) {
            Err(error) if is_memory(&error) => {
                output::step(format!("{set} is left out: {error:#}"));
            }
            result => result?,
        }
    }
    save(&record, folder, &table(&record))
}

fn is_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::Memory { .. }))
}

/// Whoever takes part in the rounds of one set of matrices, and its samples so far.
struct Candidate<'a> {
    entry: &'a KernelEntry,
    kernel: Kernel,
    /// Its task, by the number.
    task: usize,
    samples_us: Vec<f64>,
}

fn measure(
    registry: &Registry,
    device: &Device,
    geam: Option<&Geam>,
    set: &Set,
    record: &mut Record,
) -> anyhow::Result<()> {
    output::step(format!("{set} …"));
    let mut tasks = Vec::new();
    let mut candidates = candidates(registry, device, set, &mut tasks)?;
    let Some(any_task) = tasks.first() else {
        return Ok(());
    };
    let geam = geam.and_then(|geam| {
        let task = tasks.iter().find(|task| geam.takes(task.problem()))?;
        Some((geam, task))
    });
    if let Some((geam, task)) = geam {
        task.verify_geam(geam)?;
    }
    let (mut copy_us, mut geam_us) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let turn = |name: &str| {
            output::progress(&format!("  {set}: round {round} of {ROUNDS}, {name}"));
        };
        turn(DRIVER_COPY);
        copy_us.extend(any_task.time_copy(round_options())?.samples_us);
        if let Some((geam, task)) = geam {
            turn(CUBLAS_GEAM);
            geam_us.extend(task.time_geam(geam, round_options())?.samples_us);
        }
        for candidate in &mut candidates {
            turn(&candidate.entry.id);
            let task = &tasks[candidate.task];
            let timing = task.time(candidate.entry, &candidate.kernel, round_options())?;
            candidate.samples_us.extend(timing.samples_us);
            record.device.clocks = timing.clocks;
        }
    }
    output::progress("");
    let blank = Measurement {
        batches: set.batches,
        bytes_moved: any_task.problem().bytes_moved(),
        ..Measurement::new(
            DRIVER_COPY,
            Operation::Copy,
            set.element,
            set.shape,
            Vec::new(),
        )
    };
    record.measurements.push(Measurement {
        samples_us: rounded(&copy_us),
        ..blank.clone()
    });
    if let Some((geam, _)) = geam {
        record.measurements.push(Measurement {
            kernel: CUBLAS_GEAM.to_string(),
            operation: Operation::Transpose,
            library: Some(geam.library().to_string()),
            samples_us: rounded(&geam_us),
            ..blank.clone()
        });
    }
    for candidate in &candidates {
        let task = &tasks[candidate.task];
        record
            .measurements
            .push(of_kernel(candidate, task, &blank)?);
    }
    Ok(())
}

/// The kernels that take these matrices, verified; the others are told.
fn candidates<'a>(
    registry: &Registry,
    device: &Device,
    set: &Set<'a>,
    tasks: &mut Vec<RegisteredTask>,
) -> anyhow::Result<Vec<Candidate<'a>>> {
    let mut candidates = Vec::new();
    for &entry in &set.kernels {
        let id = &entry.id;
        let problem = match entry.problem(set.shape, set.batches) {
            Ok(problem) => problem,
            Err(error) => {
                output::step(format!("  {id} is left out: {error}"));
                continue;
            }
        };
        // Kernels that are asked for the same share the matrices.
        let task = match tasks.iter().position(|task| *task.problem() == problem) {
            Some(task) => task,
            None => {
                tasks.push(RegisteredTask::new(device, entry, set.shape, set.batches)?);
                tasks.len() - 1
            }
        };
        let kernel = Kernel::committed(registry, entry)?;
        output::progress(&format!("  {set}: verifying {id}"));
        match tasks[task].verify(entry, &kernel) {
            // Matrices that it does not take, or a GPU that it was not written for.
            Err(
                error @ (Error::Shape { .. }
                | Error::NoTensorMaps { .. }
                | Error::PtxRefused { .. }),
            ) => {
                output::step(format!("  {id} is left out: {error}"));
                continue;
            }
            result => result?,
        }
        candidates.push(Candidate {
            entry,
            kernel,
            task,
            samples_us: Vec::new(),
        });
    }
    Ok(candidates)
}

fn of_kernel(
    candidate: &Candidate,
    task: &RegisteredTask,
    blank: &Measurement,
) -> anyhow::Result<Measurement> {
    let Candidate { entry, kernel, .. } = candidate;
    let (grid, block) = task.launch_shape(entry)?;
    let resources = task.device().resources(kernel, block)?;
    let measurement = Measurement {
        kernel: entry.id.clone(),
        operation: entry.operation,
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        grid: Some(grid),
        block: Some(block),
        samples_us: rounded(&candidate.samples_us),
        ..blank.clone()
    };
    Ok(with_resources(measurement, resources))
}

fn table(record: &Record) -> String {
    let mut table = Table::new([
        "matrix",
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
        table.row([
            format!("{} {}", measurement.matrices(), measurement.element),
            measurement.kernel.clone(),
            format!("{:.2}", timing.median_us()),
            format!("{lower:.2}–{upper:.2}"),
            timing.count().to_string(),
            format!("{:.0}", measurement.gb_per_s().0),
            share_of_copy(record, measurement),
        ]);
    }
    table.render()
}
