//! How fast the emulator runs the project's transposes: milliseconds and warp instructions per second, all counters on.
//!
//! `cargo run --release -p cornerturn-emulator --example throughput [-- SIZE [THREADS [KERNEL|all [check]]]]`

use std::path::Path;
use std::time::{Duration, Instant};

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, Report, launch};

/// Kernel, block, and the tile of the input (columns, rows) that one block covers.
const KERNELS: [(&str, [u32; 3], [u32; 2]); 6] = [
    ("copy", [32, 8, 1], [32, 32]),
    ("copy_shared", [32, 8, 1], [32, 32]),
    ("naive_read", [32, 32, 1], [32, 32]),
    ("naive_write", [16, 16, 1], [16, 16]),
    ("tiled", [32, 8, 1], [32, 32]),
    ("padded", [32, 8, 1], [32, 32]),
];

const RUNS: usize = 7;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let size: usize = args.next().map_or(Ok(4096), |size| size.parse())?;
    let threads: usize = args.next().map_or(Ok(0), |threads| threads.parse())?;
    let only = args.next().filter(|only| only != "all");
    let check = args.next().is_some_and(|word| word == "check");
    let mut memory = Memory::new();
    let input: Vec<u8> = (0..size * size)
        .flat_map(|at| (at as u32 ^ 0x3f80_0000).to_le_bytes())
        .collect();
    let from = memory.allocate(input.len(), "in")?;
    let to = memory.allocate(input.len(), "out")?;
    memory.write(from, &input)?;
    println!("{size} x {size} float32, best and median of {RUNS} runs");
    println!(
        "{:<12} {:>8} {:>8} {:>14} {:>12} {:>8}",
        "kernel", "best ms", "median", "warp instr.", "per second", "ns each"
    );
    for (name, block, tile) in KERNELS
        .into_iter()
        .filter(|(name, ..)| only.as_ref().is_none_or(|only| only == name))
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../kernels/transpose/{name}.ptx"));
        let module = Module::load(&std::fs::read_to_string(path)?)?;
        let grid = [
            (size as u32).div_ceil(tile[0]),
            (size as u32).div_ceil(tile[1]),
            1,
        ];
        let args = [
            Arg::from(from),
            Arg::from(to),
            Arg::from(size as u32),
            Arg::from(size as u32),
        ];
        let job = Launch {
            entry: name,
            grid,
            block,
            dynamic_shared_bytes: 0,
            args: &args,
        };
        let options = Options {
            threads,
            check,
            ..Options::default()
        };
        let (times, report) = timed(&module, &memory, &job, &options)?;
        verify(&memory, to, &input, size, !name.starts_with("copy"))?;
        let (best, median) = (times[0], times[times.len() / 2]);
        let per_second = report.warp_instructions as f64 / best.as_secs_f64();
        println!(
            "{name:<12} {:>8.1} {:>8.1} {:>14} {:>9.0} M {:>8.2}",
            best.as_secs_f64() * 1e3,
            median.as_secs_f64() * 1e3,
            report.warp_instructions,
            per_second / 1e6,
            1e9 / per_second
        );
    }
    Ok(())
}

/// Sorted times, and the last run's report.
fn timed(
    module: &Module,
    memory: &Memory,
    job: &Launch,
    options: &Options,
) -> Result<(Vec<Duration>, Report), Error> {
    let mut times = Vec::new();
    let mut report = Report::default();
    for _ in 0..RUNS {
        let start = Instant::now();
        report = launch(module, memory, job, options)?;
        times.push(start.elapsed());
        if let Some(finding) = report.findings.first() {
            return Err(finding.message().into());
        }
    }
    times.sort();
    Ok((times, report))
}

fn verify(
    memory: &Memory,
    address: u64,
    input: &[u8],
    size: usize,
    transposed: bool,
) -> Result<(), Error> {
    let mut output = vec![0; input.len()];
    memory.read(address, &mut output)?;
    for row in 0..size {
        for column in 0..size {
            let (at, from) = (
                row * size + column,
                if transposed {
                    column * size + row
                } else {
                    row * size + column
                },
            );
            if output[4 * at..4 * at + 4] != input[4 * from..4 * from + 4] {
                return Err(format!("row {row}, column {column} of the output is wrong").into());
            }
        }
    }
    Ok(())
}
