//! What must be true of the emulator for any text and any kernel. A violation is a panic.

use std::sync::LazyLock;

use cornerturn_emulator::{
    Arg, Cluster, Launch, LaunchError, Memory, Module, Options, Report, launch,
};

use crate::choices::{Choices, Random};
use crate::forms::{Form, families};
use crate::kernel::{self, BINS, HEADER, Kernel, STRIDE_BYTES, Shape};

/// Warp instructions that a launch may take here.
const LAUNCH_BUDGET: u64 = 40_000;

/// Warp instructions that one warp may take here.
const WARP_BUDGET: u64 = 4_000;

/// A warp may end its slice, and the other warps of its group theirs, before the budget is looked at.
const OVERSHOOT: u64 = 16 * (WARP_BUDGET + 1);

/// Slots of the output that made kernels have room for.
const SLOTS: usize = 160;

static FAMILIES: LazyLock<Vec<Vec<Form>>> = LazyLock::new(families);

/// Any bytes: they load or are refused, and what loads runs to its end or to its budget.
pub fn text(bytes: &[u8]) {
    let Ok(module) = Module::load_bytes(bytes) else {
        return;
    };
    for entry in module.entries().iter().take(6) {
        let mut memory = Memory::new();
        let Ok(buffer) = memory.allocate(1024, "buffer") else {
            return;
        };
        // A parameter of megabytes is no parameter of a launch that would succeed.
        if entry.params().iter().any(|param| param.bytes > 1 << 16) {
            continue;
        }
        let args: Vec<Arg> = entry
            .params()
            .iter()
            .map(|param| {
                Arg(buffer
                    .to_le_bytes()
                    .into_iter()
                    .cycle()
                    .take(param.bytes)
                    .collect())
            })
            .collect();
        let job = Launch {
            entry: entry.name(),
            grid: [2, 1, 1],
            block: [40, 2, 1],
            dynamic_shared_bytes: 64,
            args: &args,
        };
        if let Ok(report) = launch(&module, &memory, &job, &options(1, true, None)) {
            bounded(&report);
        }
    }
}

/// Any decisions: the kernel they make.
///
/// With one block, all of it is the same however often it runs, checked or not. With several, so it is for
/// any number of host threads if the kernel is not hostile.
pub fn kernel(bytes: &[u8]) {
    let (made, text) = made(bytes);
    let Made {
        kernel,
        shape,
        seed,
        hostile,
    } = made;
    let supported = |module: Module| {
        let gap = module
            .entries()
            .iter()
            .find_map(|entry| entry.unsupported());
        gap.cloned().map_or(Ok(module), Err)
    };
    let module = match Module::load(&text).and_then(supported) {
        Ok(module) => module,
        Err(_) if hostile => return,
        Err(error) => panic!("a kernel that is right is refused: {error}\n{text}"),
    };
    let runs: &[(usize, bool)] = if shape.blocks == 1 {
        &[(1, false), (1, true)]
    } else {
        &[(1, false), (2, true), (3, false), (4, true)]
    };
    // Blocks that do anything take turns as those of a cluster do, so that all runs are alike.
    let cluster = hostile.then(|| Cluster::of([shape.blocks, 1, 1]));
    let first = Outcome::of(&module, &kernel, (shape, cluster), seed, runs[0]);
    if !hostile && let Ok(report) = &first.report {
        assert!(
            report.findings.is_empty(),
            "a kernel that is right has a finding: {}\n{text}",
            report.findings[0].message()
        );
    }
    for run in &runs[1..] {
        let again = Outcome::of(&module, &kernel, (shape, cluster), seed, *run);
        again.same_as(&first, runs[0], *run, &text);
    }
}

/// A kernel and the launch for it.
pub struct Made {
    kernel: Kernel,
    shape: Shape,
    seed: u64,
    hostile: bool,
}

/// The kernel that these decisions make, and its PTX.
pub fn made(bytes: &[u8]) -> (Made, String) {
    let mut choices = Choices::new(bytes);
    let hostile = choices.happens(128);
    let clustered = hostile && choices.happens(128);
    let shape = Shape {
        blocks: if hostile {
            1 + u32::from(clustered)
        } else {
            1 + choices.below(5) as u32
        },
        threads: if hostile {
            1 + choices.below(96) as u32
        } else {
            32 * (1 + choices.below(3) as u32)
        },
    };
    let seed = u64::from(choices.byte());
    let kernel = kernel::random("made", choices, &FAMILIES, shape, 48, hostile);
    let text = format!("{HEADER}{}", kernel.text);
    let made = Made {
        kernel,
        shape,
        seed,
        hostile,
    };
    (made, text)
}

/// What a launch leaves behind.
struct Outcome {
    report: Result<Report, LaunchError>,
    output: Vec<u8>,
}

impl Outcome {
    fn of(
        module: &Module,
        kernel: &Kernel,
        (shape, cluster): (Shape, Option<Cluster>),
        seed: u64,
        (threads, check): (usize, bool),
    ) -> Self {
        let mut memory = Memory::new();
        let input = kernel::input(shape, &mut Random(seed));
        let slots = SLOTS.max(kernel.slots.len());
        let output_bytes = slots * shape.all() * STRIDE_BYTES;
        let mut buffer = |bytes: usize, name: &str| {
            let address = memory
                .allocate(bytes, name)
                .expect("a few hundred kilobytes");
            memory
                .fill(address, bytes, 0xdead_beef)
                .expect("just allocated");
            address
        };
        let addresses = [
            buffer(input.len(), "input"),
            buffer(output_bytes, "output"),
            buffer(BINS * 4, "bins"),
        ];
        memory.write(addresses[0], &input).expect("just allocated");
        let args = addresses.map(Arg::from);
        let job = Launch {
            entry: &kernel.name,
            grid: [shape.blocks, 1, 1],
            block: [shape.threads, 1, 1],
            dynamic_shared_bytes: 0,
            args: &args,
        };
        let report = launch(module, &memory, &job, &options(threads, check, cluster));
        if let Ok(report) = &report {
            bounded(report);
        }
        let mut output = vec![0; output_bytes];
        memory
            .read(addresses[1], &mut output)
            .expect("just allocated");
        let mut bins = vec![0; BINS * 4];
        memory
            .read(addresses[2], &mut bins)
            .expect("just allocated");
        output.extend_from_slice(&bins);
        Self { report, output }
    }

    fn same_as(&self, first: &Outcome, before: (usize, bool), now: (usize, bool), text: &str) {
        let told =
            format!("runs differ, (host threads, checked) = {before:?} and {now:?}:\n{text}");
        let (Ok(this), Ok(other)) = (&self.report, &first.report) else {
            assert_eq!(self.report.is_ok(), first.report.is_ok(), "{told}");
            return;
        };
        let stopped = |report: &Report| report.findings.iter().any(|finding| finding.kind.stops());
        // The checks may stop a run that would go on without them.
        if before.1 != now.1 && !(this.findings.is_empty() && other.findings.is_empty()) {
            return;
        }
        assert_eq!(this.findings, other.findings, "{told}");
        assert_eq!(this.counters, other.counters, "{told}");
        assert_eq!(this.sites, other.sites, "{told}");
        assert_eq!(this.printed, other.printed, "{told}");
        if !stopped(this) {
            assert!(self.output == first.output, "memory: {told}");
        }
    }
}

fn options(threads: usize, check: bool, cluster: Option<Cluster>) -> Options {
    Options {
        threads,
        check,
        cluster,
        instruction_budget: WARP_BUDGET,
        launch_budget: LAUNCH_BUDGET,
        ..Options::default()
    }
}

fn bounded(report: &Report) {
    assert!(
        report.warp_instructions <= LAUNCH_BUDGET + OVERSHOOT,
        "{} warp instructions with a budget of {LAUNCH_BUDGET}",
        report.warp_instructions
    );
    for finding in &report.findings {
        assert!(!finding.message().is_empty());
    }
}
