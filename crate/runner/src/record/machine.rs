//! The experiment `machine`: latencies by chases, rates by launches of different shapes, and what the driver says of a multiprocessor. What follows from them is `cornerturn::MachineFacts`'s.

use super::measured::rounded;
use crate::output::{self, Table};
use crate::turns;
use anyhow::Context;
use cornerturn::machine_facts::{Chase, Lines, MachineFacts, Measuring, Rate};
use cornerturn::record::DRIVER_COPY;
use cornerturn::works::KindOfWork;
use cornerturn::{Device, Kernel, Ready, Registry, TimingMode, TimingOptions, works};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Launches of each chase.
const LAUNCHES: usize = 3;
/// Threads that make a ring; one of them walks.
const RING_THREADS: u32 = 1024;
/// Steps of a walk: at least, and at most.
const STEPS: (usize, usize) = (1 << 14, 1 << 17);
const LINES_OF_KIB: usize = 8;
const LINES_OF_MIB: usize = 1024 * LINES_OF_KIB;

/// Rings in L1, in KiB. Sizes of rings have no prime factor above 7.
const L1_KIB: &[usize] = &[
    4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 200, 210, 216, 224, 240, 256, 320, 384, 512,
];
/// Rings in L2 and beyond, in MiB.
const L2_MIB: &[usize] = &[
    1, 2, 4, 8, 16, 20, 24, 25, 27, 28, 30, 32, 36, 40, 45, 48, 50, 54, 56, 60, 64, 72, 80, 96,
    128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384,
];
/// Pages of 2 MiB.
const PAGES: &[usize] = &[
    32, 64, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384, 20480, 24576, 32768, 40960,
    49152, 57344,
];
/// Lines that are timed one by one: how many MiB, and laps before the one that counts.
const EACH: &[(usize, usize)] = &[(1, 2), (45, 2), (1024, 0)];
/// The most lines that are timed one by one in a launch: of a ring that is no cache's a part will do.
const MOST_EACH: usize = 1 << 19;

/// Floats that are summed: eight times an H200's L2.
const FLOATS: usize = 1 << 27;
/// Every shape is verified on so many, which end within no block.
const FEW_FLOATS: usize = 1_000_003;
/// Blocks of a multiprocessor in a launch that shared memory lets in only a few at a time: waves of 1, 2, 3, 4, 6 and 8
/// blocks are full.
const GRID_BLOCKS: u32 = 24;
/// Resident warps of a multiprocessor.
const WARPS: &[u32] = &[1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64];
/// Threads of a block in the plain copy.
const BLOCKS: &[u32] = &[32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
/// How often a float is read again.
const TIMES: usize = 1024;
/// Floats that a block reads again, and blocks of a multiprocessor that do so.
const REREAD: (usize, u32) = (4096, 8);

/// Measures the machine and writes its record.
pub fn record(device: &Device, folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let capacity = device.capacity()?.context("only a GPU can be measured")?;
    let facts = MachineFacts::new(device, capacity, &super::commit());
    let mut bench = Bench {
        device,
        registry,
        facts,
    };
    bench.chases()?;
    bench.each_line()?;
    bench.in_flight()?;
    bench.blocks()?;
    bench.rereads()?;
    bench.copy()?;
    output::progress("");
    let path = folder.join(format!("{}.json", MachineFacts::EXPERIMENT));
    bench.facts.save_to(&path)?;
    let mut table = Table::new(["fact", "value", "what it is"]);
    for row in bench.facts.table() {
        table.row(row);
    }
    output::print(table.render())?;
    output::line(bench.facts.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// What measures, and what it found so far.
struct Bench<'d> {
    device: &'d Device,
    registry: Registry,
    facts: MachineFacts,
}

impl Bench<'_> {
    /// The kernel; that it measures is noted.
    fn kernel(&mut self, id: &str) -> anyhow::Result<Kernel> {
        let entry = self.registry.work(id)?;
        let kernel = Kernel::committed(&self.registry, entry)?;
        let resources = self.device.resources(&kernel, entry.block)?;
        let proposed = self.device.proposed_block(&kernel)?;
        let measuring = Measuring {
            source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
            ptx_sha256: kernel.ptx_sha256().to_string(),
            registers_per_thread: resources.context("a GPU tells")?.registers_per_thread,
            proposed_block: proposed.context("a GPU tells")?,
        };
        self.facts.kernels.insert(id.to_string(), measuring);
        Ok(kernel)
    }

    /// Whether an array takes no more than seven eighths of the GPU's memory.
    fn fits(&self, bytes: u64) -> bool {
        bytes <= self.device.facts().memory_bytes / 8 * 7
    }

    fn chases(&mut self) -> anyhow::Result<()> {
        let rings = |kib: &[usize]| kib.iter().map(|kib| kib * LINES_OF_KIB).collect::<Vec<_>>();
        let wide: Vec<usize> = L2_MIB.iter().map(|mib| mib * LINES_OF_MIB).collect();
        self.chase("chase_shared", &[1024], 4)?;
        self.chase("chase_l1", &rings(L1_KIB), 128)?;
        self.chase("chase_l2", &wide, 128)?;
        self.chase("chase_pages", PAGES, 2 << 20)
    }

    /// Walks rings of these slots.
    fn chase(&mut self, id: &str, rings: &[usize], slot_bytes: u64) -> anyhow::Result<()> {
        let kernel = self.kernel(id)?;
        let kind = self.registry.work(id)?.work;
        for &slots in rings {
            if !self.fits(slots as u64 * slot_bytes) {
                continue;
            }
            output::progress(&format!("  {id}, {slots} slots"));
            let steps = slots.clamp(STEPS.0, STEPS.1);
            let work = kind.work(steps, slots as u32)?;
            let ready = work.ready_verified(self.device, &kernel, 1_u32, RING_THREADS)?;
            let mut chase = Chase {
                kernel: id.to_string(),
                slots: slots as u32,
                slot_bytes,
                steps,
                cycles: Vec::new(),
                ns: Vec::new(),
            };
            for _ in 0..LAUNCHES {
                self.launch(&ready)?;
                let ticks = ready.left::<u64>("ticks")?;
                let of_step = |ticks: u64| (ticks as f64 / steps as f64 * 100.0).round() / 100.0;
                chase.cycles.push(of_step(ticks[0]));
                chase.ns.push(of_step(ticks[1]));
            }
            self.facts.chases.push(chase);
        }
        Ok(())
    }

    fn launch(&mut self, ready: &Ready) -> anyhow::Result<f64> {
        let timing = ready.time(samples(1, TimingMode::Warm))?;
        self.facts.device.clocks = timing.clocks.clone();
        Ok(timing.median_us())
    }

    /// Times lines one by one, from one multiprocessor.
    fn each_line(&mut self) -> anyhow::Result<()> {
        let kernel = self.kernel("chase_lines")?;
        for &(mib, laps_before) in EACH {
            let lines = mib * LINES_OF_MIB;
            output::progress(&format!("  chase_lines, {lines} lines"));
            let steps = (lines * (laps_before + 1)).min(MOST_EACH * (laps_before + 1));
            let work = works::chase_lines(steps, lines);
            let ready = work.ready_verified(self.device, &kernel, 1_u32, RING_THREADS)?;
            let ticks = ready.left::<u32>("ticks")?;
            let (multiprocessor, ticks) = ticks.split_last().context("it has lines")?;
            let found = Lines::new(lines as u32, laps_before as u32, *multiprocessor, ticks);
            self.facts.lines.push(found);
        }
        Ok(())
    }

    /// Reads with more and more resident warps, and more and more loads of each thread.
    fn in_flight(&mut self) -> anyhow::Result<()> {
        let multiprocessors = self.device.multiprocessors();
        let (small, large) = (works::sum(FEW_FLOATS), works::sum(FLOATS));
        let mut ready = None;
        let capacity = self.facts.capacity;
        let mut launches = Vec::new();
        for id in ["in_flight_1", "in_flight_2", "in_flight_4", "in_flight_8"] {
            let kernel = self.kernel(id)?;
            for &warps in WARPS.iter().filter(|warps| **warps <= capacity.warps) {
                let threads = (warps * 32).min(if warps % 8 == 0 { 256 } else { 128 });
                let blocks = warps * 32 / threads;
                launches.push((kernel.clone(), multiprocessors * blocks, threads, warps));
            }
            // The same by what a block takes of shared memory.
            for blocks in [1, 2, 3, 4, 6, 8] {
                let room = capacity.shared_bytes / blocks;
                let limit = capacity.shared_bytes - 1024;
                let dynamic = (room.min(limit) / 1024 * 1024).saturating_sub(2048);
                let crowded = kernel.with_dynamic_shared_bytes(dynamic);
                launches.push((crowded, multiprocessors * GRID_BLOCKS, 256, blocks * 8));
            }
        }
        for turn in turns::shuffled(launches.len(), 0) {
            let (kernel, blocks, threads, warps) = &launches[turn];
            let arrays = match ready.take() {
                Some(arrays) => arrays,
                None => large.ready_verified(self.device, kernel, *blocks, *threads)?,
            };
            small.ready_verified(self.device, kernel, *blocks, *threads)?;
            let launch = arrays.reshaped(kernel, *blocks, *threads);
            let rate = self.rate(
                kernel,
                &launch,
                (*blocks, *threads),
                *warps,
                TimingMode::Cold,
            )?;
            self.facts.rates.push(rate);
            ready = Some(arrays);
        }
        Ok(())
    }

    /// The plain copy in blocks of different sizes, and a launch that does next to nothing.
    fn blocks(&mut self) -> anyhow::Result<()> {
        let kernel = self.kernel("one_each")?;
        let small = works::shift(FEW_FLOATS, 0);
        let arrays = works::shift(FLOATS, 0).ready_verified(
            self.device,
            &kernel,
            FLOATS as u32 / 256,
            256_u32,
        )?;
        for &threads in BLOCKS {
            let grid = (FLOATS as u32).div_ceil(threads);
            let resources = self.device.resources(&kernel, threads)?;
            let blocks = resources.context("a GPU tells")?.blocks_per_multiprocessor;
            small.ready_verified(self.device, &kernel, grid, threads)?;
            let launch = arrays.reshaped(&kernel, grid, threads);
            let warps = blocks * threads / 32;
            let rate = self.rate(&kernel, &launch, (grid, threads), warps, TimingMode::Cold)?;
            self.facts.rates.push(rate);
        }
        let least = works::shift(32, 0).ready_verified(self.device, &kernel, 1_u32, 32_u32)?;
        let rate = self.rate(&kernel, &least, (1, 32), 1, TimingMode::Warm)?;
        self.facts.rates.push(rate);
        Ok(())
    }

    /// Reads the same again and again, out of L1, L2 and shared memory.
    fn rereads(&mut self) -> anyhow::Result<()> {
        let (floats, resident) = REREAD;
        let grid = self.device.multiprocessors() * resident;
        let work = works::reread(floats * grid as usize, TIMES);
        for id in ["reread_l1", "reread_l2", "reread_shared"] {
            let kernel = self.kernel(id)?;
            let ready = work.ready_verified(self.device, &kernel, grid, 256_u32)?;
            let rate = self.rate(&kernel, &ready, (grid, 256), resident * 8, TimingMode::Warm)?;
            let bytes = rate.bytes * TIMES as u64;
            self.facts.rates.push(Rate { bytes, ..rate });
        }
        Ok(())
    }

    fn copy(&mut self) -> anyhow::Result<()> {
        let bytes = 4 * FLOATS as u64;
        let timing = self
            .device
            .time_copy(bytes, samples(20, TimingMode::Cold))?;
        self.facts.rates.push(Rate {
            kernel: DRIVER_COPY.to_string(),
            blocks: 0,
            threads: 0,
            dynamic_shared_bytes: 0,
            warps: 0,
            bytes: 2 * bytes,
            samples_us: rounded(&timing.samples_us),
        });
        Ok(())
    }

    /// A launch of this shape, timed.
    fn rate(
        &mut self,
        kernel: &Kernel,
        ready: &Ready,
        (blocks, threads): (u32, u32),
        warps: u32,
        mode: TimingMode,
    ) -> anyhow::Result<Rate> {
        output::progress(&format!(
            "  {}, {blocks} blocks of {threads}",
            kernel.name()
        ));
        let timing = ready.time(samples(20, mode))?;
        self.facts.device.clocks = timing.clocks.clone();
        Ok(Rate {
            kernel: kernel.name().to_string(),
            blocks,
            threads,
            dynamic_shared_bytes: kernel.dynamic_shared_bytes(),
            warps,
            bytes: ready.bytes_moved(),
            samples_us: rounded(&timing.samples_us),
        })
    }
}

/// So many samples, in no more than a second.
fn samples(count: usize, mode: TimingMode) -> TimingOptions {
    TimingOptions {
        least_samples: count,
        most_samples: count,
        warm_up: if count == 1 { 0 } else { 3 },
        longest: Duration::from_secs(1),
        ..mode.into()
    }
}
