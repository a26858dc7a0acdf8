//! How fast the emulator runs: the project's transposes, matrix products, a loop of arithmetic;
//! all counters on, memory checks off and on, and with the bytes that are touched.
//!
//! `cargo run --release -p cornerturn-emulator --example bench [-- SIZE [THREADS [KERNEL [KIND]]]]`; the transposes are
//! of `SIZE` x `SIZE` float32, and of the kinds `counted`, `checked` and `touched` only one is run, as a profile of it
//! needs. With one thread, times are of the processor: other work on the machine disturbs less.

mod products;

use std::path::Path;
use std::time::{Duration, Instant};

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, Report, launch};

/// Kernel, block, and the tile of the input (columns, rows) that one block covers.
const TRANSPOSES: [(&str, [u32; 3], [u32; 2]); 6] = [
    ("copy", [32, 8, 1], [32, 32]),
    ("copy_shared", [32, 8, 1], [32, 32]),
    ("naive_read", [32, 32, 1], [32, 32]),
    ("naive_write", [16, 16, 1], [16, 16]),
    ("tiled", [32, 8, 1], [32, 32]),
    ("padded", [32, 8, 1], [32, 32]),
];

const RUNS: usize = 9;

/// Rows and columns of the matrices multiplied.
const GEMM: usize = 512;

const ARITHMETIC_BLOCKS: u32 = 64;
const ARITHMETIC_ROUNDS: u32 = 1000;

type Error = Box<dyn std::error::Error>;

/// What the command line asks for.
struct Request {
    size: usize,
    threads: usize,
    only: Option<String>,
    kind: Option<String>,
}

impl Request {
    fn wants(&self, kernel: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == kernel)
    }

    fn wants_kind(&self, kind: &str) -> bool {
        self.kind.as_ref().is_none_or(|only| only == kind)
    }
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let request = Request {
        size: args.next().map_or(Ok(4096), |size| size.parse())?,
        threads: args.next().map_or(Ok(0), |threads| threads.parse())?,
        only: args.next(),
        kind: args.next(),
    };
    println!(
        "{:<12} {:>8} {:>8} {:>14} {:>16} {:>16} {:>10} {:>8} {:>10}   best and median of {RUNS} runs",
        "kernel",
        "best ms",
        "median",
        "warp instr.",
        "warp instr./s",
        "thread instr./s",
        "checked ms",
        "median",
        "touched ms"
    );
    transposes(&request)?;
    gemm(&request)?;
    products::products(&request)?;
    arithmetic(&request)?;
    Ok(())
}

fn transposes(request: &Request) -> Result<(), Error> {
    let size = request.size;
    let wanted: Vec<_> = TRANSPOSES
        .iter()
        .filter(|(name, ..)| request.wants(name))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let bytes = 4 * size * size;
    let mut memory = Memory::new();
    let (from, to) = (
        memory.allocate(bytes, "in")?,
        memory.allocate(bytes, "out")?,
    );
    // Row by row: the peak of memory is to be the emulator's.
    for row in 0..size {
        let values: Vec<u8> = (0..size)
            .flat_map(|column| value(size, row, column))
            .collect();
        memory.write(from + (4 * size * row) as u64, &values)?;
    }
    for (name, block, tile) in wanted {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../kernels/transpose/{name}.ptx"));
        let module = Module::load(&std::fs::read_to_string(path)?)?;
        let grid = [
            (size as u32).div_ceil(tile[0]),
            (size as u32).div_ceil(tile[1]),
            1,
        ];
        let size_arg = Arg::from(size as u32);
        let args = [Arg::from(from), Arg::from(to), size_arg.clone(), size_arg];
        let job = Launch {
            entry: name,
            grid,
            block: *block,
            dynamic_shared_bytes: 0,
            args: &args,
        };
        timed(&module, &memory, &job, request)?;
        let transposed = !name.starts_with("copy");
        let mut row_bytes = vec![0; 4 * size];
        for row in 0..size {
            memory.read(to + (4 * size * row) as u64, &mut row_bytes)?;
            for (column, found) in row_bytes.chunks_exact(4).enumerate() {
                let (row, column) = if transposed {
                    (column, row)
                } else {
                    (row, column)
                };
                expect(found == value(size, row, column), name)?;
            }
        }
    }
    if let Some(peak) = peak_bytes() {
        let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        println!(
            "peak memory of the process {:.1} MiB, of which two matrices {:.1} MiB",
            mib(peak),
            mib(2 * bytes)
        );
    }
    Ok(())
}

/// An element of the input: its index, as a float of its own.
fn value(size: usize, row: usize, column: usize) -> [u8; 4] {
    ((row * size + column) as u32 ^ 0x3f80_0000).to_le_bytes()
}

fn gemm(request: &Request) -> Result<(), Error> {
    if !request.wants("gemm") {
        return Ok(());
    }
    let module = kernels()?;
    let mut memory = Memory::new();
    // Small whole numbers: sums of products are exact, in any order.
    let element = |at: usize, salt: usize| ((at * 7 + at / GEMM * salt) % 17) as f32 - 8.0;
    let a: Vec<f32> = (0..GEMM * GEMM).map(|at| element(at, 5)).collect();
    let b: Vec<f32> = (0..GEMM * GEMM).map(|at| element(at, 11)).collect();
    let bytes = 4 * GEMM * GEMM;
    let mut buffer = |name: &str, values: &[f32]| -> Result<u64, Error> {
        let address = memory.allocate(bytes, name)?;
        let values: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        memory.write(address, &values)?;
        Ok(address)
    };
    let (a_at, b_at, c_at) = (buffer("a", &a)?, buffer("b", &b)?, buffer("c", &[])?);
    let args = [
        Arg::from(a_at),
        Arg::from(b_at),
        Arg::from(c_at),
        Arg::from(GEMM as u32),
        Arg::from(GEMM as u32),
    ];
    let blocks = GEMM as u32 / 128;
    let job = Launch {
        entry: "gemm",
        grid: [blocks, blocks, 1],
        block: [256, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    timed(&module, &memory, &job, request)?;
    let mut c = vec![0; bytes];
    memory.read(c_at, &mut c)?;
    for (at, found) in c.chunks_exact(4).enumerate().step_by(37) {
        let (row, column) = (at / GEMM, at % GEMM);
        let sum: f32 = (0..GEMM)
            .map(|i| a[row * GEMM + i] * b[i * GEMM + column])
            .sum();
        expect(found == sum.to_le_bytes(), "gemm")?;
    }
    Ok(())
}

fn arithmetic(request: &Request) -> Result<(), Error> {
    if !request.wants("arithmetic") {
        return Ok(());
    }
    let threads = 256 * ARITHMETIC_BLOCKS;
    let mut memory = Memory::new();
    let values = memory.allocate(4 * threads as usize, "values")?;
    let args = [Arg::from(values), Arg::from(ARITHMETIC_ROUNDS)];
    let job = Launch {
        entry: "arithmetic",
        grid: [ARITHMETIC_BLOCKS, 1, 1],
        block: [256, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    // Values that are no row.
    let start = |thread: u32| thread.wrapping_mul(thread).wrapping_mul(0x9e37_79b9);
    let bytes: Vec<u8> = (0..threads)
        .flat_map(|thread| start(thread).to_le_bytes())
        .collect();
    memory.write(values, &bytes)?;
    timed(&kernels()?, &memory, &job, request)?;
    let mut found = [0; 4];
    memory.read(values + 4 * 77, &mut found)?;
    let launches = if request.kind.is_some() {
        RUNS
    } else {
        3 * RUNS
    };
    let expected = (0..launches).fold(start(77), |value, _| arithmetic_of(value));
    expect(u32::from_le_bytes(found) == expected, "arithmetic")
}

/// What a thread of `arithmetic` makes of its value.
fn arithmetic_of(value: u32) -> u32 {
    let mut a = value;
    let mut b = a ^ 0x9e37_79b9;
    let mut c = a.wrapping_mul(5).wrapping_add(1);
    let mut d = a.wrapping_add(77);
    for _ in 0..ARITHMETIC_ROUNDS {
        a = a.wrapping_mul(1_664_525).wrapping_add(b);
        b = (b ^ (a >> 7)).wrapping_add(c);
        c = (c << 3) ^ d.wrapping_add(a);
        d = d.wrapping_mul(22_695_477).wrapping_add(b & c);
    }
    a ^ b ^ c ^ d
}

fn kernels() -> Result<Module, Error> {
    Ok(Module::load(include_str!("kernels.ptx"))?)
}

fn expect(holds: bool, kernel: &str) -> Result<(), Error> {
    if holds {
        Ok(())
    } else {
        Err(format!("the result of `{kernel}` is wrong").into())
    }
}

/// Runs a kernel again and again, without checks, with all of them and with what it touches, and prints its line.
fn timed(module: &Module, memory: &Memory, job: &Launch, request: &Request) -> Result<(), Error> {
    let milliseconds = |time: Option<&Duration>| {
        time.map_or("-".to_string(), |time| {
            format!("{:.1}", time.as_secs_f64() * 1e3)
        })
    };
    let mut counts = ["-".to_string(), "-".to_string(), "-".to_string()];
    let mut cells = Vec::new();
    for kind in ["counted", "checked", "touched"] {
        let options = Options {
            threads: request.threads,
            check: kind == "checked",
            touched: kind == "touched",
            ..Options::default()
        };
        let mut times = Vec::new();
        if request.wants_kind(kind) {
            let report;
            (times, report) = runs(module, memory, job, request, &options)?;
            let per_second = |count: u64| {
                let rate = count as f64 / times[0].as_secs_f64() / 1e6;
                format!("{rate:.0} M")
            };
            if kind == "counted" {
                counts = [
                    report.warp_instructions.to_string(),
                    per_second(report.warp_instructions),
                    per_second(report.counters.ptx_thread_instructions),
                ];
            }
        }
        cells.push([
            milliseconds(times.first()),
            milliseconds(times.get(RUNS / 2)),
        ]);
    }
    let ([instructions, warps, threads], [counted, checked, touched]) = (&counts, &cells[..])
    else {
        return Ok(());
    };
    println!(
        "{:<12} {:>8} {:>8} {instructions:>14} {warps:>16} {threads:>16} {:>10} {:>8} {:>10}",
        job.entry, counted[0], counted[1], checked[0], checked[1], touched[0],
    );
    Ok(())
}

/// The times of a kernel's runs, the best first, and the last run's report.
fn runs(
    module: &Module,
    memory: &Memory,
    job: &Launch,
    request: &Request,
    options: &Options,
) -> Result<(Vec<Duration>, Report), Error> {
    let mut times = Vec::new();
    let mut report = Report::default();
    for _ in 0..RUNS {
        let start = Instant::now();
        let busy = busy_time(request);
        report = launch(module, memory, job, options)?;
        let elapsed = start.elapsed();
        times.push(match (busy, busy_time(request)) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => elapsed,
        });
        if let Some(finding) = report.findings.first() {
            return Err(finding.message().into());
        }
    }
    times.sort();
    Ok((times, report))
}

/// Time that this thread has been running, on Linux, if it does all the work.
fn busy_time(request: &Request) -> Option<Duration> {
    if request.threads != 1 {
        return None;
    }
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The most memory that this process has held, on Linux.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
