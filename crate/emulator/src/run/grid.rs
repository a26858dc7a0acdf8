//! The grid: blocks are handed out in order to host threads, and what these found is put together.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::check;
use crate::check::{BlockShadow, GridShadow, races_of_grid};
use crate::counters::Counters;
use crate::decode::DecodedEntry;
use crate::error::LaunchError;
use crate::launch::{Launch, Options};
use crate::machine::lanes::{Active, File, Frame, Lanes};
use crate::machine::output::Output;
use crate::machine::world::{BlockTrace, SiteCount, World};
use crate::memory::heap::Heap;
use crate::memory::initialised::Initialised;
use crate::memory::{Buffer, Memory};
use crate::module::Module;
use crate::program::Program;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::{Detail, Report};
use crate::run::block::{Bounds, Ended, Group, run_block};
use crate::run::outcome::{Cut, Launched, Part};
use crate::run::preset::{LaunchShape, enter_block, fill_presets};
use crate::run::{limits, outcome};

/// Blocks handed out at a time: neighbours share cache lines.
const MOST_CHUNK: u64 = 16;

/// Runs an entry whose arguments have been checked.
pub(crate) fn run(
    module: &Module,
    entry: &DecodedEntry,
    memory: &Memory,
    launch: &Launch,
    options: &Options,
) -> Result<Report, LaunchError> {
    let shape = LaunchShape {
        grid: launch.grid,
        block: launch.block,
        dynamic_shared_bytes: launch.dynamic_shared_bytes,
    };
    if limits::empty(&shape) {
        return Err(LaunchError::Empty {
            entry: entry.name.clone(),
            grid: shape.grid,
            block: shape.block,
        });
    }
    if let Some(over) = limits::over_limit(entry, &shape) {
        return Ok(outcome::refused(entry, over));
    }
    let heap = module.heap();
    let globals = module.globals().iter().chain(memory.buffers());
    let buffers: Vec<&Buffer> = globals.chain(heap.map(|heap| &heap.buffer)).collect();
    let setup = Setup {
        module,
        entry,
        shape,
        options,
        buffers: &buffers,
        params: param_words(entry, launch),
        blocks: shape.grid.iter().map(|size| u64::from(*size)).product(),
    };
    let workers = worker_count(options, &entry.program, setup.blocks);
    let (ordered, granule) = (entry.program.orders_blocks, check::granule(&entry.program));
    let mut shadow = options
        .check
        .then(|| GridShadow::new(&buffers, granule, ordered, workers > 1));
    let mut result = setup.work(workers, shadow.as_ref())?;
    if let Some(shadow) = &mut shadow
        && shadow.is_suspect()
    {
        // What racing blocks do depends on chance: run them again, one after the other.
        shadow.take_back(&buffers);
        result = setup.work(1, Some(shadow))?;
    }
    let (mut parts, cut) = result;
    match shadow {
        Some(shadow) => {
            if cut.is_none() {
                parts.push(Part {
                    races: races_of_grid(&shadow),
                    ..Part::default()
                });
            }
            shadow.give_back(&buffers);
        }
        None if entry.program.stores() => buffers.iter().for_each(|buffer| {
            buffer.put_initialised(Initialised::All);
        }),
        None => {}
    }
    let launched = Launched {
        entry,
        shape: &shape,
        options,
        buffers: &buffers,
    };
    Ok(outcome::report(&launched, parts, cut))
}

/// What a launch runs, and on what; the same however often it is run.
struct Setup<'s> {
    module: &'s Module,
    entry: &'s DecodedEntry,
    shape: LaunchShape,
    options: &'s Options,
    buffers: &'s [&'s Buffer],
    params: Vec<u32>,
    blocks: u64,
}

impl Setup<'_> {
    /// Runs all blocks on so many host threads.
    fn work(
        &self,
        workers: usize,
        shadow: Option<&GridShadow>,
    ) -> Result<(Vec<Part>, Cut), LaunchError> {
        let grid = Grid {
            entry: self.entry,
            shape: self.shape,
            options: self.options,
            buffers: self.buffers,
            heap: self.module.heap(),
            constants: self.module.constants(),
            params: &self.params,
            shadow,
            blocks: self.blocks,
            chunk: (self.blocks / (workers as u64 * 8)).clamp(1, MOST_CHUNK),
            next: AtomicU64::new(0),
            stop: AtomicU64::new(u64::MAX),
            executed: AtomicU64::new(0),
            exhausted: AtomicBool::new(false),
        };
        let parts = grid.work(workers)?;
        let stop = grid.stop.load(Relaxed);
        let cut = Cut {
            block: (stop != u64::MAX).then_some(stop),
            exhausted: grid.exhausted.load(Relaxed),
        };
        Ok((parts, cut))
    }
}

struct Grid<'g> {
    entry: &'g DecodedEntry,
    shape: LaunchShape,
    options: &'g Options,
    buffers: &'g [&'g Buffer],
    heap: Option<&'g Heap>,
    constants: &'g [u32],
    params: &'g [u32],
    /// Present if the launch is checked.
    shadow: Option<&'g GridShadow>,
    blocks: u64,
    chunk: u64,
    /// Next block to hand out.
    next: AtomicU64,
    /// The first block with a finding that stops the launch: those before it still run, so that the
    /// outcome does not depend on the host's threads.
    stop: AtomicU64,
    /// Warp instructions of the whole launch so far.
    executed: AtomicU64,
    exhausted: AtomicBool,
}

impl Grid<'_> {
    #[cfg(feature = "threads")]
    fn work(&self, workers: usize) -> Result<Vec<Part>, LaunchError> {
        if workers == 1 {
            return Ok(vec![self.worker()?]);
        }
        std::thread::scope(|scope| {
            let handles: Vec<_> = (1..workers)
                // Where the system gives no thread, there are fewer.
                .map_while(|_| {
                    let thread = std::thread::Builder::new();
                    thread.spawn_scoped(scope, || self.worker()).ok()
                })
                .collect();
            let mut parts = vec![self.worker()?];
            for handle in handles {
                match handle.join() {
                    Ok(part) => parts.push(part?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(parts)
        })
    }

    #[cfg(not(feature = "threads"))]
    fn work(&self, _workers: usize) -> Result<Vec<Part>, LaunchError> {
        Ok(vec![self.worker()?])
    }

    fn worker(&self) -> Result<Part, LaunchError> {
        let program = &self.entry.program;
        let mut groups = self.groups()?;
        let mut world = self.world();
        let (mut traces, mut reaches) = (Vec::new(), Vec::new());
        'all: loop {
            let first = self.next.fetch_add(self.chunk, Relaxed);
            if first >= self.blocks {
                break;
            }
            let end = (first + self.chunk).min(self.blocks);
            if let Some(started) = &self.options.started {
                started.fetch_max(end, Relaxed);
            }
            for block in first..end {
                if self.stop.load(Relaxed) < block || self.exhausted.load(Relaxed) {
                    break 'all;
                }
                world.block = block;
                world.block_id = self.shape.block_id(block);
                for group in &mut groups {
                    enter_block(
                        program,
                        world.block_id,
                        block,
                        &mut group.lanes.words,
                        &mut group.lanes.longs,
                    );
                }
                let traced = self.start_trace(&mut world);
                self.start_check(&mut world);
                self.block(block, &mut groups, &mut world);
                if let Some(shadow) = &mut world.check {
                    shadow.end();
                }
                world.faults.end_block();
                if let Some(trace) = world.trace.take() {
                    if let Some(index) = traced {
                        traces.push((index, trace.accesses, trace.truncated));
                    }
                    reaches.extend(trace.reach.map(|reach| (block, reach)));
                }
            }
        }
        Ok(Part {
            races: world.check.map_or_else(Vec::new, |shadow| shadow.races),
            sites: world.sites,
            beside: world.beside,
            faults: world.faults.list,
            output: world.output,
            warp_instructions: world.warp_instructions,
            thread_instructions: world.thread_instructions,
            traces,
            reaches,
        })
    }

    fn block(&self, block: u64, groups: &mut [Group], world: &mut World) {
        let before = world.warp_instructions;
        let mut reported = 0;
        let mut abandon = |executed: u64| {
            reported += executed;
            self.spend(executed);
            self.stop.load(Relaxed) < block || self.exhausted.load(Relaxed)
        };
        let mut bounds = Bounds {
            warp_budget: self.options.instruction_budget,
            check: self.options.check,
            abandon: &mut abandon,
        };
        if run_block(groups, world, &mut bounds) == Ended::Stopped {
            self.stop.fetch_min(block, Relaxed);
        }
        self.spend((world.warp_instructions - before).saturating_sub(reported));
    }

    fn spend(&self, executed: u64) {
        let spent =
            self.executed.fetch_add(executed, Relaxed) + executed > self.options.launch_budget;
        let stop = self.options.stop.as_deref();
        if spent || stop.is_some_and(|stop| stop.load(Relaxed)) {
            self.exhausted.store(true, Relaxed);
        }
    }

    fn start_check(&self, world: &mut World) {
        if let Some(shadow) = &mut world.check {
            let warps = (self.shape.threads() as usize).div_ceil(WARP);
            let local = (self.entry.program.local_bytes as usize).div_ceil(4) * GROUP_WARPS * WARP;
            shadow.start(world.block, warps, local);
        }
    }

    fn start_trace(&self, world: &mut World) -> Option<usize> {
        let request = self.options.trace.as_ref()?;
        let index = request
            .blocks
            .iter()
            .position(|block| *block == world.block_id);
        let reach = (world.block < request.max_blocks as u64).then(Vec::new);
        if index.is_none() && reach.is_none() {
            return None;
        }
        world.trace = Some(BlockTrace {
            warps: request.warps.clone(),
            room: if index.is_some() {
                request.max_accesses
            } else {
                0
            },
            accesses: Vec::new(),
            truncated: false,
            reach,
        });
        index
    }

    fn world(&self) -> World<'_> {
        let program = &self.entry.program;
        let dynamic = self.shape.dynamic_shared_bytes;
        let shared_bytes = if dynamic == 0 {
            program.static_shared_bytes
        } else {
            program.dynamic_shared_offset + dynamic
        };
        World {
            program,
            code: &self.entry.code,
            buffers: self.buffers,
            constants: self.constants,
            params: self.params,
            shared: vec![0; (shared_bytes as usize).div_ceil(4)],
            shared_bytes,
            sites: vec![SiteCount::default(); program.sites.len()],
            patterns: program.accesses.iter().map(|_| None).collect(),
            last_words: vec![0; program.accesses.len() * self.group_count()],
            beside: Counters::default(),
            faults: Default::default(),
            block: 0,
            block_id: [0; 3],
            warp_instructions: 0,
            thread_instructions: 0,
            clock_start: 0,
            trace: None,
            stage: Default::default(),
            waits: 0,
            pending: Default::default(),
            blocked: None,
            check: self
                .shadow
                .map(|grid| Box::new(BlockShadow::new(grid, shared_bytes))),
            detail: Detail::None,
            output: Output::default(),
            heap: self.heap,
        }
    }

    fn group_count(&self) -> usize {
        (self.shape.threads() as usize).div_ceil(GROUP_WARPS * WARP)
    }

    fn groups(&self) -> Result<Vec<Group>, LaunchError> {
        let program = &self.entry.program;
        let threads = self.shape.threads() as usize;
        (0..self.group_count())
            .map(|number| self.group(program, number * GROUP_WARPS, threads))
            .collect()
    }

    fn group(
        &self,
        program: &Program,
        first_warp: usize,
        threads: usize,
    ) -> Result<Group, LaunchError> {
        let lanes = GROUP_WARPS * WARP;
        let mut words = File::with_slots(program.word_slots, lanes);
        let mut longs = File::with_slots(program.long_slots, lanes);
        fill_presets(
            program,
            &self.shape,
            self.params,
            first_warp,
            &mut words,
            &mut longs,
        );
        let local_words = (program.local_bytes as usize).div_ceil(4) * lanes;
        let mut local = Vec::new();
        local
            .try_reserve_exact(local_words)
            .map_err(|_| LaunchError::HostMemory {
                entry: self.entry.name.clone(),
                bytes: local_words as u64 * 4,
            })?;
        local.resize(local_words, 0);
        let mut mask = [0u32; GROUP_WARPS];
        for (warp, lanes) in mask.iter_mut().enumerate() {
            let left = threads.saturating_sub((first_warp + warp) * WARP);
            *lanes = if left >= WARP {
                u32::MAX
            } else {
                (1 << left) - 1
            };
        }
        Ok(Group {
            lanes: Lanes {
                active: Active::new(mask),
                whole: true,
                live: mask,
                first_warp,
                words,
                longs,
                preds: vec![[0; GROUP_WARPS]; program.pred_slots],
                local,
                frame: Frame {
                    tops: vec![0; lanes],
                    ..Frame::default()
                },
            },
            strands: Vec::new(),
            threads: mask,
            spent: [0; GROUP_WARPS],
        })
    }
}

fn worker_count(options: &Options, program: &Program, blocks: u64) -> usize {
    let ordered = program.order_matters || options.check && program.orders_blocks;
    if ordered || !cfg!(feature = "threads") {
        return 1;
    }
    let wanted = if options.threads == 0 {
        cores()
    } else {
        options.threads
    };
    wanted.clamp(1, usize::try_from(blocks).unwrap_or(usize::MAX).max(1))
}

#[cfg(feature = "threads")]
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(not(feature = "threads"))]
fn cores() -> usize {
    1
}

/// The parameters as they lie in memory.
fn param_words(entry: &DecodedEntry, launch: &Launch) -> Vec<u32> {
    let ends = launch.args.iter().zip(&entry.param_offsets);
    // The arguments have been held to the parameters' sizes.
    let end = ends
        .map(|(arg, offset)| *offset as usize + arg.0.len())
        .max();
    let mut words = vec![0u32; end.unwrap_or(0).div_ceil(4)];
    for (arg, offset) in launch.args.iter().zip(&entry.param_offsets) {
        for (at, byte) in arg.0.iter().enumerate() {
            let at = *offset as usize + at;
            words[at / 4] |= u32::from(*byte) << (8 * (at % 4));
        }
    }
    words
}
