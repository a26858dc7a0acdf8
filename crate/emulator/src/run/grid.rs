//! A launch of a grid: what it runs on, by how many host threads, and what becomes of what they found. How blocks run is in the files here.

mod in_order;
mod seat;
mod state;
#[cfg(feature = "threads")]
mod threads;
mod unit;
mod world;

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::check;
use crate::check::{GridShadow, races_of_grid};
use crate::decode::DecodedEntry;
use crate::error::LaunchError;
use crate::launch::{Launch, Options};
use crate::memory::initialised::Initialised;
use crate::memory::textures::Textures;
use crate::memory::touches::Touches;
use crate::memory::{Buffer, Memory};
use crate::module::Module;
use crate::program::Program;
use crate::report::Report;
use crate::run::outcome::{Cut, Launched, Part};
use crate::run::preset::LaunchShape;
use crate::run::{limits, need, outcome, shared};
use crate::touched::{Early, Touched};
use state::Grid;

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
        .then(|| GridShadow::new(&buffers, &entry.program, ordered, may_repeat));
    let mut result = setup.work(workers, shadow.as_ref())?;
    if let Some(shadow) = &mut shadow
        && shadow.is_suspect()
    {
        // What blocks do that meet may depend on chance: run them again, one after the other, and compare them.
        shadow.take_back(&buffers);
        result = setup.work(1, Some(shadow))?;
    }
    let (mut parts, cut) = result;
    parts.extend(settle(entry, shadow, &buffers, cut));
    let launched = Launched {
        entry,
        shape: &shape,
        options,
        buffers: &buffers,
    };
    let report = outcome::report(&launched, parts, cut);
    Ok(match touches {
        Some(touches) => with_touched(report, &touches, memory, &buffers, options),
        None => report,
    })
}

/// Notes which bytes of the buffers are written now; what the checks found of the whole grid.
fn settle(
    entry: &DecodedEntry,
    shadow: Option<GridShadow>,
    buffers: &[&Buffer],
    cut: Cut,
) -> Option<Part> {
    match shadow {
        Some(shadow) => {
            let part = cut.is_none().then(|| Part {
                races: races_of_grid(&shadow),
                ..Part::default()
            });
            shadow.give_back(buffers);
            part
        }
        None if entry.program.stores() => {
            buffers.iter().for_each(|buffer| {
                buffer.put_initialised(Initialised::All);
            });
            None
        }
        None => None,
    }
}

/// The report with what the launch touched of the host's buffers.
fn with_touched(
    report: Report,
    touches: &Touches,
    memory: &Memory,
    buffers: &[&Buffer],
    options: &Options,
) -> Report {
    // Variables of the module begin anew with each launch, and so does the heap.
    let of_memory = |touched: Touched| -> Touched {
        let touched = touched.into_iter();
        touched
            .filter(|touched| memory.buffer_at(touched.base).is_some())
            .collect()
    };
    let early = options.programmatic.then(|| touches.early(buffers));
    Report {
        touched: of_memory(touches.touched(buffers)),
        early: early.map(|early| Early {
            touched: of_memory(early.touched),
            ..early
        }),
        ..report
    }
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
    textures: &'s Textures,
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
            found: Mutex::new(None),
            has_found: AtomicBool::new(false),
        };
        let parts = grid.work(workers)?;
        let last = grid.last_after_found().map(|(_, last)| last);
        let last = last.filter(|last| last + 1 < self.blocks);
        let stop = grid.stop.load(Relaxed).min(last.unwrap_or(u64::MAX));
        let cut = Cut {
            block: (stop != u64::MAX).then_some(stop),
            exhausted: grid.exhausted.load(Relaxed),
            executed: grid.executed.load(Relaxed),
        };
        Ok((parts, cut))
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
