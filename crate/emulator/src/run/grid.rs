//! The grid: its blocks are run, and what they found is put together. How host threads share them is in `threads`.

#[cfg(feature = "threads")]
mod threads;
mod unit;

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use unit::Unit;

use crate::check;
use crate::check::{BlockShadow, GridShadow, Undefined, races_of_grid};
use crate::counters::Counters;
use crate::decode::DecodedEntry;
use crate::error::LaunchError;
use crate::launch::{Launch, Options};
use crate::machine::lanes::{Active, File, Frame, Lanes};
use crate::machine::output::Output;
use crate::machine::wide::Wides;
use crate::machine::world::{BlockTrace, SiteCount, World};
use crate::memory::heap::Heap;
use crate::memory::initialised::Initialised;
use crate::memory::textures::Bound;
use crate::memory::touches::Touches;
use crate::memory::{Buffer, Memory};
use crate::module::Module;
use crate::program::access::SiteInfo;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::program::{Path, Program};
use crate::report::{BlockRuns, Detail, GridWait, Reach, Report, Space, WideCount};
use crate::run::block::{Bounds, Course, Ended, run_block, start_block};
use crate::run::group::Group;
use crate::run::outcome::{Cut, Launched, Part, Traced, add_runs, add_wides};
use crate::run::preset::{LaunchShape, enter_block, fill_presets};
use crate::run::{limits, need, outcome, shared};
use crate::touched::{Early, Touched};

/// After so many blocks a launch tells how far it is.
const BLOCKS_BETWEEN: u64 = 64;

/// Runs an entry whose arguments have been checked.
pub(crate) fn run(
    module: &Module,
    entry: &DecodedEntry,
    memory: &Memory,
    launch: &Launch,
    options: &Options,
) -> Result<Report, LaunchError> {
    let shape = shape(entry, launch, options);
    if limits::empty(&shape) {
        return Err(LaunchError::Empty {
            entry: entry.name.clone(),
            grid: shape.grid,
            block: shape.block,
        });
    }
    if let Some(over) = limits::refusal(entry, &shape, options) {
        return Ok(outcome::refused(entry, over));
    }
    module.prepare();
    let heap = module.heap();
    let globals = module.globals().iter().chain(memory.buffers());
    let buffers: Vec<&Buffer> = globals.chain(heap.map(|heap| &heap.buffer)).collect();
    let granule = check::granule(&entry.program);
    let touches = options.touched.then(|| Touches::new(&buffers, granule));
    let setup = Setup {
        module,
        entry,
        shape,
        options,
        buffers: &buffers,
        textures: memory.textures(),
        params: param_words(entry, launch),
        touches: touches.as_ref(),
        blocks: shape.grid.iter().map(|size| u64::from(*size)).product(),
    };
    let workers = match heap {
        Some(_) if options.check => 1,
        _ => worker_count(options, &entry.program, &shape),
    };
    let bytes = need::needed(entry, &shape, options, (&buffers, workers as u64));
    need::probe(entry, bytes)?;
    let ordered = entry.program.orders_blocks || shape.cluster_blocks() > 1;
    // What was allocated on the device's heap cannot be taken back.
    let may_repeat = heap.is_none();
    let mut shadow = options
        .check
        .then(|| GridShadow::new(&buffers, granule, ordered, may_repeat));
    let mut result = setup.work(workers, shadow.as_ref())?;
    if let Some(shadow) = &mut shadow
        && shadow.is_suspect()
    {
        // What blocks do that meet may depend on chance: run them again, one after the other, and compare them.
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
    let report = outcome::report(&launched, parts, cut);
    Ok(match touches {
        // Variables of the module begin anew with each launch, and so does the heap.
        Some(touches) => {
            let of_memory = |touched: Touched| -> Touched {
                let touched = touched.into_iter();
                touched
                    .filter(|touched| memory.buffer_at(touched.base).is_some())
                    .collect()
            };
            let early = options.programmatic.then(|| touches.early(&buffers));
            Report {
                touched: of_memory(touches.touched(&buffers)),
                early: early.map(|early| Early {
                    touched: of_memory(early.touched),
                    ..early
                }),
                ..report
            }
        }
        None => report,
    })
}

/// Bytes that a launch takes beside its buffers.
pub(crate) fn needed(
    module: &Module,
    entry: &DecodedEntry,
    memory: &Memory,
    launch: &Launch,
    options: &Options,
) -> u64 {
    let shape = shape(entry, launch, options);
    if limits::empty(&shape) || limits::refusal(entry, &shape, options).is_some() {
        return 0;
    }
    let buffers: Vec<&Buffer> = module.globals().iter().chain(memory.buffers()).collect();
    let workers = worker_count(options, &entry.program, &shape) as u64;
    need::needed(entry, &shape, options, (&buffers, workers))
}

fn shape(entry: &DecodedEntry, launch: &Launch, options: &Options) -> LaunchShape {
    let dynamic_shared_bytes = launch.dynamic_shared_bytes;
    let shared_gap = if options.check {
        shared::gap(&entry.program, dynamic_shared_bytes)
    } else {
        0
    };
    let asked = options.cluster.map(|cluster| cluster.blocks);
    LaunchShape {
        grid: launch.grid,
        block: launch.block,
        cluster: asked.or(entry.cluster.blocks).unwrap_or([1; 3]),
        is_cooperative: options.cooperative,
        is_clustered: asked.is_some() || entry.cluster.blocks.is_some(),
        dynamic_shared_bytes,
        shared_gap,
    }
}

/// What a launch runs, and on what; the same however often it is run.
struct Setup<'s> {
    module: &'s Module,
    entry: &'s DecodedEntry,
    shape: LaunchShape,
    options: &'s Options,
    buffers: &'s [&'s Buffer],
    textures: &'s [Bound],
    params: Vec<u32>,
    touches: Option<&'s Touches>,
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
            textures: self.textures,
            heap: self.module.heap(),
            constants: self.module.constants(),
            params: &self.params,
            touches: self.touches,
            shadow,
            blocks: self.blocks,
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
    textures: &'g [Bound],
    heap: Option<&'g Heap>,
    constants: &'g [u32],
    params: &'g [u32],
    touches: Option<&'g Touches>,
    /// Present if the launch is checked.
    shadow: Option<&'g GridShadow>,
    blocks: u64,
    /// The first block with a finding that stops the launch: those before it still run, so that the
    /// outcome does not depend on the host's threads.
    stop: AtomicU64,
    /// Warp instructions of the whole launch so far.
    executed: AtomicU64,
    exhausted: AtomicBool,
}

/// What a block runs in, one after the other.
struct Seat<'g> {
    groups: Vec<Group>,
    world: World<'g>,
    /// Changes of memory by this seat's blocks that the launch knows of.
    told: u64,
    /// Index of the block in the trace's request.
    traced: Option<usize>,
    traces: Vec<Traced>,
    reaches: Vec<(u64, Vec<Reach>)>,
    wides: Vec<WideCount>,
    runs: Vec<BlockRuns>,
}

impl Seat<'_> {
    /// What its blocks have found.
    fn part(self) -> Part {
        let world = self.world;
        Part {
            races: world.check.map_or_else(Vec::new, |shadow| shadow.finish()),
            sites: world.sites,
            beside: world.beside,
            faults: world.faults.list,
            output: world.output,
            warp_instructions: world.warp_instructions,
            block_lanes: world.block_lanes,
            guarded_lanes: world.guarded_lanes,
            traces: self.traces,
            reaches: self.reaches,
            wides: self.wides,
            runs: self.runs,
        }
    }
}

impl Grid<'_> {
    #[cfg(feature = "threads")]
    fn work(&self, workers: usize) -> Result<Vec<Part>, LaunchError> {
        match workers {
            1 => self.in_order(),
            _ => self.on_threads(workers),
        }
    }

    #[cfg(not(feature = "threads"))]
    fn work(&self, _workers: usize) -> Result<Vec<Part>, LaunchError> {
        self.in_order()
    }

    /// All blocks on this thread. Those of a cluster run together. One that waits makes room for the next one, as many as a
    /// GPU runs together; after that they take turns.
    fn in_order(&self) -> Result<Vec<Part>, LaunchError> {
        let talk = self.entry.program.order_matters;
        let (units, each) = (self.units(), u64::from(self.shape.cluster_blocks()));
        let most = if talk {
            let threads = u64::from(self.shape.threads());
            let dynamic = self.shape.dynamic_shared_bytes;
            (limits::resident_blocks(self.entry, threads, dynamic) / each).max(1) as usize
        } else {
            1
        };
        let mut waiting: VecDeque<Unit> = VecDeque::new();
        let mut free: Vec<Unit> = Vec::new();
        // Changes of memory by blocks that have had a turn; units in a row that wait for ever as memory is now.
        let (mut epoch, mut stuck) = (0, 0);
        let mut next = 0;
        // Units that have ended, and the first block of the first of them.
        let (mut left, mut first_left) = (0, u64::MAX);
        loop {
            let mut unit = if next < units && waiting.len() < most {
                if self.is_over(self.shape.block_of(next, 0)) {
                    break;
                }
                let mut unit = free.pop().map_or_else(|| self.unit(), Ok)?;
                self.enter_unit(&mut unit, next);
                next += 1;
                unit
            } else {
                match waiting.pop_front() {
                    Some(unit) => unit,
                    None => break,
                }
            };
            let before = epoch;
            match self.turn_of_unit(&mut unit, &mut epoch) {
                Ended::Done => {
                    stuck = 0;
                    left += 1;
                    first_left = first_left.min(unit.first_block());
                    self.leave_unit(&mut unit);
                    free.push(unit);
                }
                Ended::Stopped | Ended::Abandoned => {
                    waiting.push_back(unit);
                    break;
                }
                ended => {
                    let for_ever = ended == Ended::Waits { for_ever: true } && epoch == before;
                    stuck = if for_ever { stuck + 1 } else { 0 };
                    if stuck > waiting.len() && (next == units || waiting.len() + 1 >= most) {
                        let resident =
                            (talk && next < units).then_some((most as u64 * each, self.blocks));
                        // The first block says it for all.
                        waiting.push_back(unit);
                        let grid = self.shape.is_cooperative.then(|| GridWait {
                            waiting: waiting.len() as u64 * each,
                            ended: left * each,
                            first_ended: (left > 0).then(|| self.shape.block_id(first_left)),
                        });
                        let first = waiting.iter_mut().min_by_key(|unit| unit.first_block());
                        if let Some(unit) = first {
                            self.give_up(unit, Detail::Waiting { resident, grid });
                        }
                        break;
                    }
                    waiting.push_back(unit);
                }
            }
        }
        let mut parts: Vec<Part> = free.into_iter().flat_map(Unit::parts).collect();
        for mut unit in waiting {
            self.leave_unit(&mut unit);
            parts.extend(unit.parts());
        }
        Ok(parts)
    }

    /// Clusters of the grid, or blocks where there are none.
    fn units(&self) -> u64 {
        self.blocks / u64::from(self.shape.cluster_blocks())
    }

    fn is_checked(&self) -> bool {
        self.shadow.is_some()
    }

    /// A finding of this block stops the launch.
    fn stop_at(&self, block: u64) {
        self.stop.fetch_min(block, Relaxed);
    }

    /// Whether the launch ends before this block.
    fn is_over(&self, block: u64) -> bool {
        let suspect = self.shadow.is_some_and(GridShadow::is_suspect);
        self.stop.load(Relaxed) < block || self.exhausted.load(Relaxed) || suspect
    }

    fn seat(&self) -> Result<Seat<'_>, LaunchError> {
        Ok(Seat {
            groups: self.groups()?,
            world: self.world(),
            told: 0,
            traced: None,
            traces: Vec::new(),
            reaches: Vec::new(),
            wides: Vec::new(),
            runs: Vec::new(),
        })
    }

    /// Starts a block in a seat.
    fn enter(&self, seat: &mut Seat, block: u64) -> Course {
        if let Some(started) = &self.options.started {
            started.fetch_max(block + 1, Relaxed);
        }
        if let Some(progress) = self.options.progress
            && block.is_multiple_of(BLOCKS_BETWEEN)
        {
            progress(block, self.blocks);
        }
        let program = &self.entry.program;
        let world = &mut seat.world;
        world.block = block;
        world.block_id = self.shape.block_id(block);
        for group in &mut seat.groups {
            enter_block(
                program,
                &self.shape,
                block,
                &mut group.lanes.words,
                &mut group.lanes.longs,
            );
        }
        seat.traced = self.start_trace(world);
        self.start_check(world);
        start_block(&mut seat.groups, world)
    }

    /// Runs a seat's block until it ends or waits for others, which have changed memory so often.
    fn turn(&self, seat: &mut Seat, course: &mut Course, epoch: u64) -> Ended {
        let Seat { groups, world, .. } = seat;
        let (block, before) = (world.block, world.warp_instructions);
        let mut reported = 0;
        let mut abandon = |executed: u64| {
            reported += executed;
            self.spend(executed);
            self.is_over(block)
        };
        let warps = u64::from(self.shape.threads()).div_ceil(WARP as u64);
        let mut bounds = Bounds {
            warp_budget: self.options.warp_budget(warps),
            check: self.options.check,
            epoch,
            abandon: &mut abandon,
        };
        let ended = run_block(groups, world, course, &mut bounds);
        if ended == Ended::Stopped {
            self.stop.fetch_min(block, Relaxed);
        }
        self.spend((world.warp_instructions - before).saturating_sub(reported));
        ended
    }

    /// Takes down what a block has left behind.
    fn leave(&self, seat: &mut Seat) {
        let world = &mut seat.world;
        if let Some(shadow) = &mut world.check {
            shadow.end();
        }
        world.faults.end_block();
        if let Some(trace) = world.trace.take() {
            if let Some(index) = seat.traced {
                seat.traces.push(Traced {
                    index,
                    accesses: trace.accesses,
                    shuffles: trace.shuffles,
                    handovers: trace.handovers,
                    truncated: trace.truncated,
                });
            }
            seat.reaches
                .extend(trace.reach.map(|reach| (world.block, reach)));
            if let Some((mut wides, runs)) = trace.wides {
                wides.end();
                add_wides(&mut seat.wides, &wides.counts);
                add_runs(&mut seat.runs, &runs);
            }
        }
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
            shadow.give_shared(world.shared_given.clone());
        }
    }

    fn start_trace(&self, world: &mut World) -> Option<usize> {
        let request = self.options.trace.as_ref()?;
        let index = request
            .blocks
            .iter()
            .position(|block| *block == world.block_id);
        let reach = (world.block < request.max_blocks as u64).then(Vec::new);
        let wides = request.wides.as_deref();
        if index.is_none() && reach.is_none() && wides.is_none() {
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
            shuffles: Vec::new(),
            handovers: Vec::new(),
            truncated: false,
            reach,
            wides: wides.map(|wides| (Wides::new(world.program, wides), Vec::new())),
        });
        index
    }

    fn world(&self) -> World<'_> {
        let program = &self.entry.program;
        let shared_bytes = shared::bytes(program, &self.shape);
        World {
            program,
            code: &self.entry.code,
            buffers: self.buffers,
            textures: self.textures,
            constants: self.constants,
            params: self.params,
            shared: vec![0; (shared_bytes as usize).div_ceil(4)],
            shared_bytes,
            shared_gaps: shared::gaps(program, &self.shape),
            shared_given: shared::given(program, &self.shape),
            sites: vec![SiteCount::default(); program.sites.len()],
            patterns: program.accesses.iter().map(|_| None).collect(),
            last_words: vec![0; program.accesses.len() * self.group_count()],
            beside: Counters::default(),
            faults: Default::default(),
            block: 0,
            block_id: [0; 3],
            warp_instructions: 0,
            block_lanes: vec![0; program.blocks.len()],
            guarded_lanes: vec![0; program.guarded.len()],
            clock_start: 0,
            trace: None,
            touches: self.touches,
            dependence: self
                .touches
                .filter(|_| self.options.programmatic)
                .map(|_| Box::default()),
            stage: Default::default(),
            waits: 0,
            changes: 0,
            pending: Default::default(),
            blocked: None,
            cluster: None,
            check: self.shadow.map(|grid| {
                let mut shadow = BlockShadow::new(grid, self.buffers, shared_bytes);
                let reads_shared = |site: &SiteInfo| {
                    matches!(site.path, Path::Bulk | Path::Tensor)
                        && site.space == Space::Shared
                        && !site.is_store
                };
                if program.sites.iter().any(reads_shared) {
                    shadow.keep_stores();
                }
                Box::new(shadow)
            }),
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
                undefined: Undefined::default(),
            },
            strands: Vec::new(),
            threads: mask,
            spent: [0; GROUP_WARPS],
        })
    }
}

fn worker_count(options: &Options, program: &Program, shape: &LaunchShape) -> usize {
    let is_clustered = shape.cluster_blocks() > 1;
    let ordered = program.order_matters || options.check && (program.orders_blocks || is_clustered);
    let units: u64 = shape
        .clusters()
        .iter()
        .map(|size| u64::from(*size))
        .product();
    if ordered || !cfg!(feature = "threads") {
        return 1;
    }
    let wanted = if options.threads == 0 {
        cores()
    } else {
        options.threads
    };
    wanted.clamp(1, usize::try_from(units).unwrap_or(usize::MAX).max(1))
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
