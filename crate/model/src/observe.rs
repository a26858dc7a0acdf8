//! What the emulator observed of a launch, as the model takes it: bounded, whatever the launch. What it means for time is others' business.

use crate::op::{Names, Op};
use cornerturn_emulator::counters::lanes_per_phase;
use cornerturn_emulator::{
    Access, Counters, Path, Report, Space, StepKind, StepsRequest, TraceRequest,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Steps of the followed warp, accesses of all recorded blocks, recorded blocks, kept 32-byte sectors.
const MOST_STEPS: usize = 8192;
const MOST_ACCESSES: usize = 12_288;
const MOST_BLOCKS: u32 = 40;
const MOST_SECTORS: usize = 200_000;
const SECTOR_BYTES: u64 = 32;
const LINE_SECTORS: u64 = 4;

/// What was launched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Shared memory of a block, declared and asked for by the launch.
    pub shared_bytes: u32,
    /// Registers of a thread as the assembler gives them; estimated where nobody knows.
    pub registers: Option<u32>,
    /// The share of the multiprocessor's memory that is asked to be shared memory, in percent.
    pub carveout: Option<u32>,
}

impl Shape {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|size| u64::from(*size)).product()
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(32).max(1)
    }

    fn place(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [number % x, number / x % y, number / (x * y)].map(|at| at as u32)
    }

    fn number(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [width, height, _] = self.grid.map(u64::from);
        u64::from(x) + width * (u64::from(y) + height * u64::from(z))
    }
}

/// A memory instruction over the whole launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteSum {
    /// Line of the PTX.
    pub ptx_line: u32,
    /// 0 global, 1 shared, 2 local, 3 other.
    pub space: u8,
    /// Whether it stores.
    pub is_store: bool,
    /// Whether it is an atomic.
    pub is_atomic: bool,
    /// Whether its data passes the registers by: by the copy engine.
    pub is_bulk: bool,
    /// Requests of warps.
    pub requests: f64,
    /// 32-byte sectors.
    pub sectors: f64,
    /// Passes through the banks.
    pub wavefronts: f64,
    /// Bytes that bulk copies move.
    pub bytes: f64,
    /// Different addresses in each request, added up.
    pub addresses: f64,
    /// Bytes between the first address and the last, of an atomic.
    pub reach: f64,
}

/// One recorded access to global or local memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the block.
    pub block: u64,
    /// Warp in the block.
    pub warp: u32,
    /// Index into the sites.
    pub site: u32,
    /// Passes through L1's banks if all is there.
    pub wavefronts: u32,
    /// Whether it covers only parts of its sectors.
    pub is_partial: bool,
    /// Its sectors, in rising order; none where there are too many of all.
    pub sectors: Vec<u64>,
}

/// A step of the followed warp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Index into the instructions.
    pub op: u32,
    /// The sites of its accesses.
    pub sites: Vec<u32>,
    /// Whether its guard let no lane through.
    pub is_off: bool,
}

/// What was observed of a launch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// What was launched.
    pub shape: Shape,
    /// The instructions of the PTX that were executed or traced.
    pub ops: Vec<Op>,
    /// How often each was executed, counted once for each warp.
    pub executed: Vec<f64>,
    /// The memory instructions.
    pub sites: Vec<SiteSum>,
    /// The followed warp.
    pub steps: Vec<Traced>,
    /// Whether it did more than was recorded.
    pub is_cut: bool,
    /// Accesses of some blocks.
    pub samples: Vec<Sample>,
    /// First addresses of the buffers, and the most sectors of each that can be read and written.
    pub buffers: Vec<(u64, f64, f64)>,
    /// Sums over the launch that the model uses as they are: warp instructions, sectors of atomics.
    pub warp_instructions: f64,
    /// Sectors of global atomics, once for each lane of the most that share an address.
    pub atomic_sectors: f64,
    /// Most registers that are alive at a time, by the text.
    pub alive: u32,
    /// Why it cannot be predicted, if it cannot.
    pub refusal: Option<String>,
}

/// Numbers of the blocks that are recorded: those that share a multiprocessor with one another at first, and neighbours.
fn recorded_blocks(shape: &Shape, multiprocessors: u32) -> Vec<u64> {
    let blocks = shape.blocks();
    let by_warps = (64 / shape.warps()).clamp(1, 32);
    let middle = (blocks / 2 / u64::from(multiprocessors)) * u64::from(multiprocessors);
    let mut chosen: Vec<u64> = (0..u64::from(by_warps.min(MOST_BLOCKS)))
        .map(|turn| middle + turn * u64::from(multiprocessors))
        .collect();
    chosen.extend([middle + 1, 0, middle + 2]);
    chosen.retain(|number| *number < blocks);
    let mut seen = Vec::new();
    chosen.retain(|number| {
        let is_new = !seen.contains(number);
        seen.push(*number);
        is_new
    });
    chosen
}

/// What the emulator has to record of a launch for the model.
pub fn request(shape: &Shape) -> TraceRequest {
    let mut blocks = recorded_blocks(shape, 132);
    // The block of the followed warp records no accesses of others.
    let followed = match blocks.len() {
        0 | 1 => blocks.first().copied(),
        _ => blocks.pop(),
    }
    .unwrap_or(0);
    TraceRequest {
        blocks: blocks.iter().map(|number| shape.place(*number)).collect(),
        warps: None,
        max_accesses: MOST_ACCESSES,
        max_blocks: 0,
        wides: None,
        steps: Some(StepsRequest {
            block: shape.place(followed),
            warp: 0,
            skipped: 0,
            most: MOST_STEPS,
        }),
    }
}

impl Observation {
    /// Of a launch that ran with [`request`] on buffers with these first addresses and bytes. `ptx` is the text that ran.
    pub fn new(shape: Shape, ptx: &str, buffers: &[(u64, u64)], report: &Report) -> Self {
        let mut found = Self {
            shape,
            ..Self::default()
        };
        let Some(trace) = report.trace.as_ref() else {
            found.refusal = Some("the launch was not recorded".to_string());
            return found;
        };
        if report.stopped {
            found.refusal = Some("it did not come to its end".to_string());
            return found;
        }
        let lines: Vec<&str> = ptx.lines().collect();
        let mut names = Names::default();
        let mut by_line: BTreeMap<u32, u32> = BTreeMap::new();
        let mut op_of = |found: &mut Self, line: u32| -> Option<u32> {
            if let Some(known) = by_line.get(&line) {
                return Some(*known);
            }
            let text = lines.get(line.checked_sub(1)? as usize)?;
            let op = Op::parse(text, line, &mut names)?;
            let number = found.ops.len() as u32;
            found.ops.push(op);
            found.executed.push(0.0);
            by_line.insert(line, number);
            Some(number)
        };
        for run in &trace.runs {
            for line in &run.ptx_lines {
                if let Some(op) = op_of(&mut found, *line) {
                    found.executed[op as usize] += run.warps as f64;
                }
            }
        }
        if let Some(steps) = &trace.steps {
            found.is_cut = steps.is_cut;
            for step in steps
                .steps
                .iter()
                .filter(|step| step.warp == steps.warp && step.ptx_line != 0)
            {
                if matches!(step.kind, StepKind::Released(_) | StepKind::Exit) {
                    continue;
                }
                if let Some(op) = op_of(&mut found, step.ptx_line) {
                    let sites = step
                        .accesses
                        .iter()
                        .map(|access| access.site as u32)
                        .collect();
                    found.steps.push(Traced {
                        op,
                        sites,
                        is_off: step.mask == 0,
                    });
                }
            }
        }
        found.add_sites(report);
        found.add_samples(&trace.accesses);
        found.add_sums(report);
        let whole = |(base, bytes): &(u64, u64)| {
            let sectors = bytes.div_ceil(SECTOR_BYTES) as f64;
            (*base, sectors, sectors)
        };
        found.buffers = buffers.iter().map(whole).collect();
        found.buffers.sort_by_key(|(base, ..)| *base);
        found.buffers.dedup_by_key(|(base, ..)| *base);
        found.alive = crate::residence::alive(&lines);
        found
    }

    fn add_sites(&mut self, report: &Report) {
        self.sites = report
            .sites
            .iter()
            .map(|site| SiteSum {
                ptx_line: site.ptx_line,
                space: space(site.space),
                is_store: site.is_store,
                is_atomic: site.is_atomic,
                is_bulk: site.path == Path::Bulk,
                requests: site.requests as f64,
                sectors: site.sectors as f64,
                wavefronts: site.wavefronts as f64,
                bytes: site.bytes as f64,
                addresses: site.demand.addresses as f64,
                reach: site
                    .demand
                    .reach
                    .map_or(0.0, |(first, end)| (end - first) as f64),
            })
            .collect();
    }

    fn add_samples(&mut self, accesses: &[Access]) {
        let mut kept = 0;
        for access in accesses {
            if !matches!(access.space, Space::Global | Space::Local) {
                continue;
            }
            let mut sectors = sectors_of(access);
            let active = access.addresses.iter().flatten().count() as u64;
            let is_partial =
                active * u64::from(access.access_bytes) < sectors.len() as u64 * SECTOR_BYTES;
            kept += sectors.len();
            if kept > MOST_SECTORS {
                sectors = Vec::new();
            }
            self.samples.push(Sample {
                block: self.shape.number(access.block),
                warp: access.warp,
                site: access.site as u32,
                wavefronts: wavefronts(access),
                is_partial,
                sectors,
            });
        }
    }

    fn add_sums(&mut self, report: &Report) {
        let Counters {
            global_atom_sectors,
            global_red_sectors,
            bulk_reduction_sectors,
            ..
        } = report.counters;
        self.warp_instructions = report.warp_instructions as f64;
        self.atomic_sectors =
            (global_atom_sectors + global_red_sectors + bulk_reduction_sectors) as f64;
    }
}

fn space(space: Space) -> u8 {
    match space {
        Space::Global => 0,
        Space::Shared => 1,
        Space::Local => 2,
        _ => 3,
    }
}

/// The sectors of an access. Local memory lies apart, word by word.
fn sectors_of(access: &Access) -> Vec<u64> {
    let mut sectors: Vec<u64> = Vec::new();
    let last = u64::from(access.access_bytes.max(1)) - 1;
    for (lane, address) in access.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        match access.space {
            Space::Local => {
                for word in 0..=last / 4 {
                    let at = (address / 4 + word) * 128 + lane as u64 * 4;
                    let own = (u64::from(access.warp) << 24) | 1 << 60;
                    sectors.push((own + at) / SECTOR_BYTES);
                }
            }
            _ => (address / SECTOR_BYTES..=(address + last) / SECTOR_BYTES)
                .for_each(|sector| sectors.push(sector)),
        }
    }
    sectors.sort_unstable();
    sectors.dedup();
    sectors
}

/// The lines of a request's sectors.
pub fn lines(sectors: &[u64]) -> usize {
    let mut last = u64::MAX;
    let mut count = 0;
    for sector in sectors {
        let line = sector / LINE_SECTORS;
        count += usize::from(line != last);
        last = line;
    }
    count
}

/// Passes through L1's 32 banks: as of shared memory, phase by phase.
fn wavefronts(access: &Access) -> u32 {
    let lanes = lanes_per_phase(&access.addresses, access.access_bytes, access.is_store);
    let words = (access.access_bytes / 4).max(1) as u64;
    let phases = access.addresses.chunks(lanes.max(1));
    phases
        .map(|phase| {
            let mut seen: Vec<u64> = phase
                .iter()
                .flatten()
                .flat_map(|address| (0..words).map(move |word| address / 4 + word))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            let mut banks = [0u32; 32];
            seen.iter()
                .for_each(|word| banks[(word % 32) as usize] += 1);
            banks.into_iter().max().unwrap_or(0)
        })
        .sum()
}
