//! Memory, counters, sites and findings of every fixture are the same for one to eight host threads, and each time.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, fixture};
use cornerturn_emulator::{Arg, Launch, Module, Options, Report, launch};

/// Words of a buffer. Not a power of two, so that some threads lie past the end.
const COUNT: usize = 3000;

/// Kernels of one block, or whose blocks write what others read, which this grid makes race.
const RACING: [&str; 1] = ["variables"];

/// Kernels of which this grid only waits: `tests/waiting.rs` has them.
const WAITING: [&str; 4] = ["never", "lock_forever", "lock_with_tries", "chained"];

/// Launches an entry of a module that nothing has run in, with a buffer of its own for each 64-bit parameter.
fn run(text: &str, entry: &str, threads: usize, check: bool) -> (Report, Vec<Vec<u32>>) {
    let module = Module::load(text).unwrap();
    let mut gpu = Gpu::default();
    let mut random = Random(7);
    let mut buffers = Vec::new();
    let params = module.entry(entry).unwrap().params();
    let args: Vec<Arg> = params
        .iter()
        .enumerate()
        .map(|(index, param)| match param.bytes {
            8 => {
                let values: Vec<u32> = (0..COUNT).map(|_| random.next() as u32 >> 20).collect();
                buffers.push(gpu.upload(&format!("buffer {index}"), &values));
                Arg::from(buffers[buffers.len() - 1])
            }
            bytes => Arg([37, 0, 0, 0].into_iter().cycle().take(bytes).collect()),
        })
        .collect();
    let job = Launch {
        entry,
        grid: [5, 3, 1],
        block: [32, 8, 1],
        dynamic_shared_bytes: 9000,
        args: &args,
    };
    let options = Options {
        threads,
        check,
        instruction_budget: 20_000,
        ..Options::default()
    };
    let report = launch(&module, &gpu.memory, &job, &options).unwrap();
    let memory = buffers
        .iter()
        .map(|buffer| gpu.download(*buffer, COUNT))
        .collect();
    (report, memory)
}

#[test]
fn every_fixture_is_the_same_for_any_number_of_threads() {
    let mut findings = 0;
    for file in [
        "arithmetic",
        "control",
        "gemm",
        "reduce",
        "transpose",
        "waiting",
    ]
    .map(|name| format!("pass/{name}.ptx"))
    .into_iter()
    .chain(["fail/mistakes.ptx".to_string()])
    {
        let text = fixture(&file);
        let module = Module::load(&text).unwrap();
        let waits = |name: &str| WAITING.contains(&name);
        for entry in module.entries().iter().filter(|entry| !waits(entry.name())) {
            for check in [false, true] {
                let (first, memory) = run(&text, entry.name(), 1, check);
                findings += first.findings.len();
                for threads in 2..=8 {
                    let told = format!("{file}, {}, {threads} threads, {check}", entry.name());
                    let (again, others) = run(&text, entry.name(), threads, check);
                    assert_eq!(again.findings, first.findings, "{told}");
                    assert_eq!(again.counters, first.counters, "{told}");
                    assert_eq!(again.sites, first.sites, "{told}");
                    assert_eq!(again.lines, first.lines, "{told}");
                    assert_eq!(again.printed, first.printed, "{told}");
                    // What stops a launch stops it somewhere: blocks past it may have run or not.
                    if !first.findings.iter().any(|finding| finding.kind.stops()) {
                        // The transposes without bounds overlap in this grid.
                        let races = RACING.contains(&entry.name()) || file.contains("transpose");
                        assert!(races || others == memory, "memory: {told}");
                    }
                }
            }
        }
    }
    assert!(findings > 20, "{findings} findings are too few to tell");
}
