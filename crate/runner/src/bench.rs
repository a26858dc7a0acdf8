//! Verb `bench`: how fast the emulator itself is on this machine. It says nothing about a GPU.

use crate::output::{self, Table, grouped};
use crate::record;
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::{Device, Kernel, RegisteredTask, Shape};
use serde::Serialize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Measure the emulator's own speed on this machine, all counters on
///
/// The times are of this machine's cores emulating; a GPU takes other times, and `cornerturn run` measures those.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kernels to run [default: all]
    kernels: Vec<String>,

    /// Rows of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    rows: usize,

    /// Columns of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    columns: usize,

    /// How often each kernel runs
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// How long the emulator took for one kernel.
#[derive(Debug, Serialize)]
struct Speed {
    kernel: String,
    rows: usize,
    columns: usize,
    host_cores: usize,
    runs: u32,
    /// Host time of the median run.
    median_host_ms: f64,
    /// Host time of the fastest run.
    best_host_ms: f64,
    warp_instructions: u64,
    /// Of the median run.
    warp_instructions_per_s: f64,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let chosen = record::chosen(&registry, &args.kernels)?;
    let shape = Shape::new(args.rows, args.columns);
    let device = Device::emulator();
    let mut speeds = Vec::new();
    for entry in chosen {
        output::progress(&format!("{} …", entry.id));
        speeds.push(measure(&registry, entry, &device, shape, args.runs)?);
    }
    output::progress("");
    if args.json {
        output::json(&speeds)?;
    } else {
        output::print(report(&speeds, shape))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(
    registry: &Registry,
    entry: &KernelEntry,
    device: &Device,
    shape: Shape,
    runs: u32,
) -> anyhow::Result<Speed> {
    let kernel = Kernel::committed(registry, entry)?;
    let task = RegisteredTask::new(device, entry, shape, 1)?;
    let mut times = Vec::new();
    let mut warp_instructions = 0;
    // The first run warms the caches and the host's memory up.
    for _ in 0..=runs {
        let start = Instant::now();
        let report = task.launch(entry, &kernel)?;
        times.push(start.elapsed());
        warp_instructions = report.warp_instructions;
    }
    let mut times = times.split_off(1);
    times.sort_unstable();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let median = times[times.len() / 2];
    Ok(Speed {
        kernel: entry.id.clone(),
        rows: shape.rows,
        columns: shape.columns,
        host_cores: std::thread::available_parallelism().map_or(1, usize::from),
        runs,
        median_host_ms: milliseconds(median),
        best_host_ms: milliseconds(times[0]),
        warp_instructions,
        warp_instructions_per_s: warp_instructions as f64 / median.as_secs_f64(),
    })
}

fn report(speeds: &[Speed], shape: Shape) -> String {
    let cores = speeds.first().map_or(0, |speed| speed.host_cores);
    let mut table = Table::new([
        "kernel",
        "median, host ms",
        "best, host ms",
        "warp instructions",
        "10⁶ warp instructions/s",
    ]);
    for speed in speeds {
        table.row([
            speed.kernel.clone(),
            format!("{:.1}", speed.median_host_ms),
            format!("{:.1}", speed.best_host_ms),
            grouped(speed.warp_instructions),
            format!("{:.0}", speed.warp_instructions_per_s / 1e6),
        ]);
    }
    format!(
        "The emulator's own speed on this machine ({cores} cores), {shape} matrix, all counters on; no GPU's time.\n{}",
        table.render()
    )
}
