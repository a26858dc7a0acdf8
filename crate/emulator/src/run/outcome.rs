//! From what the host threads found to the report.

use std::collections::HashMap;

use crate::check::{Race, merge_races};
use crate::counters::{Arithmetic, Counters};
use crate::decode::DecodedEntry;
use crate::launch::Options;
use crate::machine::output::{Output, joined as joined_output};
use crate::machine::world::SiteCount;
use crate::memory::Buffer;
use crate::memory::faults::{Fault, merge};
use crate::program::Program;
use crate::program::access::{AccessShape, AtomicOp, SiteInfo};
use crate::program::space::shared_owner;
use crate::report::{
    Access, BlockReach, BlockRuns, BufferInfo, Detail, Finding, FindingKind, Handover, OtherSite,
    Path, Printed, RaceHint, RaceScope, Reach, Report, Shuffle, Site, Space, Trace, WideCount,
};
use crate::run::gather::gather;
use crate::run::limits::Over;
use crate::run::preset::LaunchShape;
use crate::run::shared;
use crate::sorted::sort_by_key;
use crate::touched::Touched;

/// An address less than this far from a buffer was meant for it.
const NEAR_BYTES: u64 = 1 << 36;

/// An index this little below 0 was meant for the buffer's start.
const MOST_BELOW: u64 = 1 << 16;

/// Addresses below this come from a null pointer.
const NULL_BYTES: u64 = 1 << 16;

/// What was recorded of a traced block.
#[derive(Debug)]
pub(super) struct Traced {
    /// Its index in the request.
    pub(super) index: usize,
    pub(super) accesses: Vec<Access>,
    pub(super) shuffles: Vec<Shuffle>,
    pub(super) handovers: Vec<Handover>,
    /// Whether there were more.
    pub(super) truncated: bool,
}

/// What one host thread found.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) sites: Vec<SiteCount>,
    pub(super) beside: Counters,
    pub(super) faults: Vec<Fault>,
    pub(super) races: Vec<Race>,
    pub(super) output: Output,
    pub(super) warp_instructions: u64,
    /// By basic block, and by guarded instruction: active lanes of all executions.
    pub(super) block_lanes: Vec<u64>,
    pub(super) guarded_lanes: Vec<u64>,
    pub(super) traces: Vec<Traced>,
    /// Numbers of blocks, and where they reach.
    pub(super) reaches: Vec<(u64, Vec<Reach>)>,
    /// What machine code does together, in the order of the request.
    pub(super) wides: Vec<WideCount>,
    /// How often basic blocks ran, by number.
    pub(super) runs: Vec<BlockRuns>,
}

/// Adds counts of the same groups.
pub(super) fn add_wides(sums: &mut Vec<WideCount>, counts: &[WideCount]) {
    sums.resize(sums.len().max(counts.len()), WideCount::default());
    for (sum, count) in sums.iter_mut().zip(counts) {
        sum.executed += count.executed;
        sum.requests += count.requests;
        sum.sectors += count.sectors;
        sum.wavefronts += count.wavefronts;
        sum.bank_conflicts += count.bank_conflicts;
        sum.misfits += count.misfits;
    }
}

/// Adds runs of the same basic blocks.
pub(super) fn add_runs(sums: &mut Vec<BlockRuns>, runs: &[BlockRuns]) {
    sums.resize(sums.len().max(runs.len()), BlockRuns::default());
    for (sum, run) in sums.iter_mut().zip(runs) {
        sum.warps += run.warps;
        sum.octets += run.octets;
        sum.lanes += run.lanes;
    }
}

/// The report of a launch that was not run.
pub(super) fn refused(entry: &DecodedEntry, over: Over) -> Report {
    let detail = match over {
        Over::Most { what, value, most } => Detail::Limit { what, value, most },
        Over::OtherBlock { required, found } => Detail::OtherBlock { required, found },
        Over::Cluster(what) => Detail::Cluster { what },
    };
    Report {
        findings: vec![bare_finding(entry, FindingKind::Limit, detail)],
        stopped: true,
        ..Report::default()
    }
}

fn bare_finding(entry: &DecodedEntry, kind: FindingKind, detail: Detail) -> Finding {
    Finding {
        kind,
        entry: entry.name.clone(),
        source: None,
        inlining: None,
        ptx_line: 0,
        block: [0; 3],
        thread: [0; 3],
        space: None,
        address: None,
        owner: None,
        access_bytes: 0,
        is_store: false,
        is_atomic: false,
        buffer: None,
        count: 1,
        other: None,
        detail,
    }
}

/// A launch that has run: what ran, on what.
pub(super) struct Launched<'l> {
    pub(super) entry: &'l DecodedEntry,
    pub(super) shape: &'l LaunchShape,
    pub(super) options: &'l Options,
    pub(super) buffers: &'l [&'l Buffer],
}

/// What ended a launch before all its blocks had.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cut {
    /// The first block that was stopped.
    pub(super) block: Option<u64>,
    /// The launch's budget was used up.
    pub(super) exhausted: bool,
}

impl Cut {
    pub(super) fn is_none(self) -> bool {
        self.block.is_none() && !self.exhausted
    }

    /// Whether what a block found says the same in every run: how far those behind the first that was stopped had come
    /// is chance.
    fn keeps(self, block: u64) -> bool {
        self.is_none() || self.block.is_some_and(|stop| block <= stop)
    }
}

/// Puts the parts together.
pub(super) fn report(launched: &Launched, parts: Vec<Part>, cut: Cut) -> Report {
    let Launched {
        entry,
        shape,
        options,
        ..
    } = *launched;
    let (mut sum, outputs) = added(entry, parts);
    if !cut.is_none() {
        sum.faults.retain(|fault| cut.keeps(fault.block));
        sum.races.retain(|race| cut.keeps(race.later.block));
        sum.sites.fill(SiteCount::default());
        sum.beside = Counters::default();
        sum.warp_instructions = 0;
        sum.block_lanes.clear();
        sum.guarded_lanes.clear();
    }
    let out_of_budget = cut.exhausted && cut.block.is_none();
    let printed = if out_of_budget {
        Printed::default()
    } else {
        joined_output(&outputs, cut.block, |block, thread| {
            (shape.block_id(block), shape.thread_id(thread))
        })
    };
    if out_of_budget {
        sum.reaches.clear();
    }
    let executed = executed(&entry.program, &sum);
    let mut findings = findings(launched, sum.faults, sum.races);
    if out_of_budget {
        let detail = Detail::Budget {
            instructions: options.launch_budget,
            whole_launch: true,
        };
        findings.push(bare_finding(entry, FindingKind::EndlessLoop, detail));
    }
    let is_remark = |finding: &Finding| {
        let detail = &finding.detail;
        matches!(
            detail,
            Detail::LeftBehind
                | Detail::Exited {
                    came_before: false,
                    ..
                }
        )
    };
    let (remarks, findings) = findings.into_iter().partition(is_remark);
    let (sites, numbers) = reported_sites(entry, &sum.sites);
    let trace = options.trace.as_ref().map(|request| Trace {
        blocks: blocks_in_order(sum.reaches, shape, cut.block, &numbers),
        wides: sum.wides,
        runs: named_runs(entry, sum.runs),
        ..joined(sum.traces, request.max_accesses, &numbers)
    });
    Report {
        counters: sum.beside + counters_of(&sites) + executed,
        sites,
        findings,
        remarks,
        trace,
        touched: Touched::new(),
        early: None,
        warp_instructions: sum.warp_instructions,
        printed,
        stopped: !cut.is_none(),
    }
}

/// The counters of what was executed, from how often it was.
fn executed(program: &Program, sum: &Part) -> Counters {
    let mut arithmetic = Arithmetic::default();
    let mut threads = 0u64;
    for (block, lanes) in program.blocks.iter().zip(&sum.block_lanes) {
        threads = threads.wrapping_add(u64::from(block.weight).wrapping_mul(*lanes));
        arithmetic.add(*lanes, &block.arithmetic);
    }
    for (each, lanes) in program.guarded.iter().zip(&sum.guarded_lanes) {
        arithmetic.add(*lanes, each);
    }
    Counters {
        ptx_warp_instructions: sum.warp_instructions,
        ptx_thread_instructions: threads,
        ..arithmetic.counters()
    }
}

/// Adds counts of the same places.
fn add_lanes(sums: &mut Vec<u64>, counts: &[u64]) {
    sums.resize(sums.len().max(counts.len()), 0);
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// All parts as one, but for what they printed, which is put in order later.
fn added(entry: &DecodedEntry, parts: Vec<Part>) -> (Part, Vec<Output>) {
    let mut sum = Part {
        sites: vec![SiteCount::default(); entry.program.sites.len()],
        ..Part::default()
    };
    let mut outputs = Vec::new();
    for part in parts {
        for (sum, count) in sum.sites.iter_mut().zip(&part.sites) {
            sum.executed += count.executed;
            sum.requests += count.requests;
            sum.sectors += count.sectors;
            sum.wavefronts += count.wavefronts;
            sum.bank_conflicts += count.bank_conflicts;
            sum.bytes += count.bytes;
        }
        sum.faults.extend(part.faults);
        sum.races.extend(part.races);
        outputs.push(part.output);
        sum.traces.extend(part.traces);
        sum.reaches.extend(part.reaches);
        add_wides(&mut sum.wides, &part.wides);
        add_runs(&mut sum.runs, &part.runs);
        sum.beside += part.beside;
        sum.warp_instructions += part.warp_instructions;
        add_lanes(&mut sum.block_lanes, &part.block_lanes);
        add_lanes(&mut sum.guarded_lanes, &part.guarded_lanes);
    }
    (sum, outputs)
}

/// What was found, in the order in which it is reported.
fn findings(launched: &Launched, mut faults: Vec<Fault>, mut races: Vec<Race>) -> Vec<Finding> {
    let Launched {
        entry,
        shape,
        buffers,
        ..
    } = *launched;
    merge(&mut faults, true);
    // A loop that the compiler unrolls has many places in one line.
    let mut lines = HashMap::new();
    let places = if races.is_empty() {
        0
    } else {
        entry.program.places.len() as u32
    };
    let line: Vec<u32> = (0..places)
        .map(|place| match entry.program.source(place) {
            Some(line) => *lines.entry(line).or_insert(place),
            None => place,
        })
        .collect();
    merge_races(&mut races, |place| {
        line.get(place as usize).copied().unwrap_or(place)
    });
    let faults = faults
        .iter()
        .map(|fault| finding(entry, shape, buffers, fault));
    let races = races.iter().map(|race| racing(entry, shape, buffers, race));
    let mut findings: Vec<Finding> = faults.chain(races).collect();
    sort_by_key(&mut findings, |finding| {
        let [x, y, z] = finding.block;
        (finding.kind.stops(), z, y, x, finding.ptx_line)
    });
    gather(findings)
}

/// The sites as the report lists them, and the report's number of each of the program's. A generic access is
/// listed for the spaces that it reached.
fn reported_sites(entry: &DecodedEntry, counts: &[SiteCount]) -> (Vec<Site>, Vec<usize>) {
    let program = &entry.program;
    let mut sites: Vec<Site> = Vec::new();
    let mut numbers = Vec::new();
    for (at, (info, count)) in program.sites.iter().zip(counts).enumerate() {
        let next = program.sites.get(at + 1);
        if info.is_alternative && count.executed == 0 {
            numbers.push(sites.len().saturating_sub(1));
            continue;
        }
        numbers.push(sites.len());
        sites.push(Site {
            ptx_line: program.ptx_line(info.place),
            source: program.source(info.place),
            space: info.space,
            is_store: info.is_store,
            is_atomic: info.is_atomic,
            is_matrix: info.is_matrix,
            is_generic: info.is_alternative || next.is_some_and(|next| next.is_alternative),
            access_bytes: info.access_bytes,
            executed: count.executed,
            requests: count.requests,
            sectors: count.sectors,
            wavefronts: count.wavefronts,
            bank_conflicts: count.bank_conflicts,
            path: info.path,
            bytes: count.bytes,
        });
    }
    (sites, numbers)
}

/// What these sites add to the counters of memory.
pub fn counters_of(sites: &[Site]) -> Counters {
    let mut sums = Counters::default();
    for site in sites.iter().filter(|site| site.path != Path::Bulk) {
        if site.path == Path::Tensor {
            sums.shared_multiply_wavefronts += site.wavefronts;
            continue;
        }
        if site.path == Path::Async {
            add_async_copy(&mut sums, site);
            continue;
        }
        if site.is_atomic {
            add_atomic(&mut sums, site);
            continue;
        }
        // Instructions that ncu counts under the name of the space.
        let executed = if site.is_generic || site.is_matrix {
            0
        } else {
            site.executed
        };
        match (site.space, site.is_store) {
            (Space::Global, false) => {
                sums.global_load_instructions += executed;
                sums.global_load_requests += site.requests;
                sums.global_load_sectors += site.sectors;
            }
            (Space::Global, true) => {
                sums.global_store_instructions += executed;
                sums.global_store_requests += site.requests;
                sums.global_store_sectors += site.sectors;
            }
            (Space::Shared, false) => {
                sums.shared_load_instructions += executed;
                if site.is_matrix {
                    sums.shared_matrix_load_instructions += site.executed;
                }
                sums.shared_load_wavefronts += site.wavefronts;
                sums.shared_load_bank_conflicts += site.bank_conflicts;
            }
            (Space::Shared, true) => {
                sums.shared_store_instructions += executed;
                sums.shared_store_wavefronts += site.wavefronts;
                sums.shared_store_bank_conflicts += site.bank_conflicts;
            }
            (Space::Local, false) => {
                sums.local_load_instructions += executed;
                sums.local_load_requests += site.requests;
                sums.local_load_sectors += site.sectors;
            }
            (Space::Local, true) => {
                sums.local_store_instructions += executed;
                sums.local_store_requests += site.requests;
                sums.local_store_sectors += site.sectors;
            }
            (Space::Texture, _) => {
                sums.texture_instructions += executed;
                sums.texture_requests += site.requests;
                sums.texture_sectors += site.sectors;
            }
            (Space::Const | Space::Param, _) => {}
        }
    }
    sums
}

fn add_async_copy(sums: &mut Counters, site: &Site) {
    if site.is_store {
        sums.async_copy_wavefronts += site.wavefronts;
        sums.async_copy_bank_conflicts += site.bank_conflicts;
        return;
    }
    sums.async_copy_instructions += site.executed;
    sums.async_copy_requests += site.requests;
    sums.async_copy_sectors += site.sectors;
}

fn add_atomic(sums: &mut Counters, site: &Site) {
    match (site.space, site.is_store) {
        (Space::Shared, _) => {
            sums.shared_atom_instructions += site.executed;
            sums.shared_atom_wavefronts += site.wavefronts;
            sums.shared_atom_bank_conflicts += site.bank_conflicts;
        }
        (_, true) => {
            sums.global_red_instructions += site.executed;
            sums.global_red_requests += site.requests;
            sums.global_red_sectors += site.sectors;
        }
        (_, false) => {
            sums.global_atom_instructions += site.executed;
            sums.global_atom_requests += site.requests;
            sums.global_atom_sectors += site.sectors;
        }
    }
}

fn finding(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    buffers: &[&Buffer],
    fault: &Fault,
) -> Finding {
    let program = &entry.program;
    let mut finding = Finding {
        kind: fault.kind,
        entry: entry.name.clone(),
        source: program.source(fault.place),
        inlining: program.inlining(fault.place),
        ptx_line: program.ptx_line(fault.place),
        block: shape.block_id(fault.block),
        thread: shape.thread_id(fault.thread),
        space: fault.space,
        address: fault.address,
        owner: None,
        access_bytes: fault.access_bytes,
        is_store: fault.is_store,
        is_atomic: (program.sites.iter()).any(|site| site.place == fault.place && site.is_atomic),
        buffer: None,
        count: fault.count,
        other: None,
        detail: fault.detail.clone(),
    };
    if fault.kind == FindingKind::Trap && program.awaits_grid && !shape.is_cooperative {
        finding.detail = Detail::NotCooperative;
    }
    let Some(mut address) = fault.address else {
        return finding;
    };
    if fault.space == Some(Space::Shared) {
        (finding.owner, address) = shared_owner(address);
        finding.address = Some(address);
    }
    finding.buffer = match fault.space {
        Some(Space::Global) => meant(buffers, address, u64::from(fault.access_bytes)),
        Some(Space::Shared) => Some(shared_variable(entry, shape, address)),
        Some(Space::Local) => Some(bank(
            "local memory of the thread",
            program.local_bytes as usize,
        )),
        _ => None,
    };
    let lost =
        fault.space == Some(Space::Global) && (address < NULL_BYTES || finding.buffer.is_none());
    if lost && fault.kind != FindingKind::InvalidAddress {
        finding.kind = FindingKind::InvalidAddress;
        finding.buffer = None;
    }
    finding
}

/// The finding of a race.
fn racing(entry: &DecodedEntry, shape: &LaunchShape, buffers: &[&Buffer], race: &Race) -> Finding {
    let program = &entry.program;
    let (later, earlier) = (&race.later, &race.earlier);
    let in_one_warp = (later.block, later.thread / 32) == (earlier.block, earlier.thread / 32);
    let scope = if race.same_instruction {
        RaceScope::Instruction
    } else if race.crosses_proxies {
        RaceScope::Proxies
    } else if later.is_atomic && earlier.is_atomic && in_one_warp {
        RaceScope::Warp
    } else if later.block == earlier.block {
        RaceScope::Block
    } else {
        RaceScope::Grid
    };
    let fault = Fault {
        kind: FindingKind::Race,
        block: later.block,
        place: later.place,
        space: Some(race.space),
        thread: later.thread,
        address: Some(race.address),
        access_bytes: race.access_bytes,
        is_store: later.is_store,
        count: race.count,
        detail: Detail::Race {
            scope,
            is_atomic: later.is_atomic,
            other_is_atomic: earlier.is_atomic,
            hint: hint(entry, race),
        },
    };
    let other = OtherSite {
        source: program.source(earlier.place),
        ptx_line: program.ptx_line(earlier.place),
        block: shape.block_id(earlier.block),
        thread: shape.thread_id(earlier.thread),
        is_store: earlier.is_store,
        is_copy: (program.sites.iter())
            .any(|site| site.place == earlier.place && site.path != Path::Registers),
    };
    Finding {
        other: Some(Box::new(other)),
        ..finding(entry, shape, buffers, &fault)
    }
}

/// What the program says of the cause of a race.
fn hint(entry: &DecodedEntry, race: &Race) -> RaceHint {
    let program = &entry.program;
    let places = [race.later.place, race.earlier.place];
    // Of what threads share: a call loads its arguments, too.
    let site = |place: u32| {
        let shared = |site: &&SiteInfo| matches!(site.space, Space::Global | Space::Shared);
        let mut sites = program.sites.iter().filter(shared);
        sites.find(|site| site.place == place)
    };
    let is_constant = |shape: &AccessShape| {
        let site = program.sites.get(shape.site as usize);
        shape.is_constant && site.is_some_and(|site| places.contains(&site.place))
    };
    let swaps = |shape: &AccessShape| shape.atomic == Some(AtomicOp::CompareAndSwap);
    let fetches = |shape: &AccessShape| shape.space == Some(Space::Texture) && is_constant(shape);
    // `st.async` is no site either.
    let is_sent = |place: u32| site(place).is_none_or(|site| site.path == Path::Bulk);
    let in_cluster = race.space == Space::Shared && shared_owner(race.address).0.is_some();
    let multiplies = |place: u32| site(place).is_some_and(|site| site.path == Path::Tensor);
    if in_cluster && places.into_iter().any(is_sent) {
        RaceHint::Sent
    } else if multiplies(places[0]) {
        RaceHint::Multiply
    } else if multiplies(places[1]) {
        RaceHint::OtherMultiply
    } else if program.accesses.iter().any(fetches) {
        RaceHint::StaleTexture
    } else if program.accesses.iter().any(is_constant) {
        RaceHint::ReadOnlyLoad
    // The instructions of mbarriers are no sites of accesses.
    } else if race.space == Space::Shared && places.iter().all(|place| site(*place).is_none()) {
        RaceHint::Mbarrier
    // Nor is one of `free`.
    } else if race.space == Space::Global && race.later.is_store && site(places[0]).is_none() {
        RaceHint::Free
    } else if race.space == Space::Global && race.earlier.is_store && site(places[1]).is_none() {
        RaceHint::OtherFree
    } else if !program.orders_blocks && program.accesses.iter().any(swaps) {
        RaceHint::Unfenced
    } else {
        RaceHint::None
    }
}

/// The variable in shared memory that an address lies in, or all of the block's shared memory.
fn shared_variable(entry: &DecodedEntry, shape: &LaunchShape, address: u64) -> BufferInfo {
    let program = &entry.program;
    let info = |(number, (name, _, bytes)): (usize, &(String, u64, u64))| BufferInfo {
        name: plain_name(name).to_string(),
        base: shared::start(program, shape, number),
        bytes: *bytes as usize,
    };
    let variables: Vec<BufferInfo> = (program.shared_variables.iter().enumerate())
        .map(info)
        .collect();
    let holds =
        |variable: &&BufferInfo| address.wrapping_sub(variable.base) < variable.bytes as u64;
    if let Some(variable) = variables.iter().find(holds) {
        return variable.clone();
    }
    let dynamic = shape.dynamic_shared_bytes;
    let dynamic_start = shared::start(program, shape, variables.len());
    if dynamic > 0 && (shape.shared_gap == 0 || variables.is_empty()) {
        let all = shared::bytes(program, shape) as usize;
        return bank("shared memory of the block", all);
    }
    if dynamic > 0 && address as i64 >= dynamic_start as i64 {
        return BufferInfo {
            base: dynamic_start,
            ..bank("dynamic shared memory", dynamic as usize)
        };
    }
    // Past the last variable that begins before, or before the first.
    let missed = (variables.iter())
        .filter(|variable| variable.base as i64 <= address as i64)
        .max_by_key(|variable| variable.base)
        .or_else(|| variables.iter().min_by_key(|variable| variable.base));
    match missed {
        Some(variable) if variable.bytes > 0 => variable.clone(),
        _ => bank(
            "shared memory of the block",
            shared::bytes(program, shape) as usize,
        ),
    }
}

/// The name that a variable of a function has in CUDA C++: the last part of `_ZZ4kernE4tile`.
fn plain_name(name: &str) -> &str {
    if !name.starts_with("_Z") {
        return name;
    }
    // `_0` and so on tells apart variables of one name.
    let trimmed = name.trim_end_matches(|mark: char| mark.is_ascii_digit());
    let whole = trimmed.strip_suffix('_').unwrap_or(name);
    (1..whole.len())
        .filter(|at| whole.is_char_boundary(*at))
        .find_map(|at| {
            let (head, tail) = whole.split_at(whole.len() - at);
            let length = tail.len().to_string();
            let is_name = !tail.starts_with(|mark: char| mark.is_ascii_digit());
            (is_name && head.ends_with(&length)).then_some(tail)
        })
        .unwrap_or(name)
}

fn bank(name: &str, bytes: usize) -> BufferInfo {
    BufferInfo {
        name: name.to_string(),
        base: 0,
        bytes,
    }
}

/// The buffer that an access of so many bytes was meant for: the one that an index just below 0 has missed because it
/// has 32 bits and no sign, else the nearest one.
fn meant(buffers: &[&Buffer], address: u64, access_bytes: u64) -> Option<BufferInfo> {
    let wrapped = |buffer: &&&Buffer| {
        let from_wrap = (access_bytes << 32).wrapping_sub(address.wrapping_sub(buffer.base));
        from_wrap.wrapping_sub(1) < MOST_BELOW * access_bytes
    };
    let distance = |buffer: &Buffer| {
        let end = buffer.base + buffer.bytes as u64;
        if address < buffer.base {
            buffer.base - address
        } else {
            (address + 1).saturating_sub(end)
        }
    };
    let nearest = buffers.iter().min_by_key(|buffer| distance(buffer))?;
    let near = distance(nearest);
    let meant = if near > access_bytes << 24 {
        buffers.iter().find(wrapped).unwrap_or(nearest)
    } else {
        nearest
    };
    (near < NEAR_BYTES).then(|| meant.info())
}

/// Runs of basic blocks with the lines of their instructions.
fn named_runs(entry: &DecodedEntry, mut runs: Vec<BlockRuns>) -> Vec<BlockRuns> {
    let program = &entry.program;
    for (run, block) in runs.iter_mut().zip(&program.blocks) {
        let (first, last) = block.places;
        let lines = (first..=last).map(|place| program.ptx_line(place));
        run.ptx_lines = lines.filter(|line| *line > 0).collect();
    }
    runs
}

/// The traced blocks' accesses in the order of the request, each warp's numbered.
fn joined(mut traces: Vec<Traced>, room: usize, sites: &[usize]) -> Trace {
    sort_by_key(&mut traces, |traced| traced.index);
    let mut trace = Trace::default();
    for traced in traces {
        trace.truncated |= traced.truncated;
        let free = room - trace.shuffles.len().min(room);
        trace.truncated |= traced.shuffles.len() > free;
        trace
            .shuffles
            .extend(traced.shuffles.into_iter().take(free));
        let free = room - trace.handovers.len().min(room);
        trace.truncated |= traced.handovers.len() > free;
        let handovers = traced.handovers.into_iter().take(free);
        trace.handovers.extend(handovers);
        let mut orders = [0u32; 32];
        for mut access in traced.accesses {
            if trace.accesses.len() >= room {
                trace.truncated = true;
                break;
            }
            let order = &mut orders[access.warp as usize % 32];
            access.order = *order;
            *order += 1;
            access.site = sites.get(access.site).copied().unwrap_or(0);
            trace.accesses.push(access);
        }
    }
    trace
}

/// Where blocks reach, in the order in which they start; of a launch that ended early, those up to its end.
fn blocks_in_order(
    mut reaches: Vec<(u64, Vec<Reach>)>,
    shape: &LaunchShape,
    stopped: Option<u64>,
    sites: &[usize],
) -> Vec<BlockReach> {
    reaches.retain(|(block, _)| stopped.is_none_or(|stop| *block <= stop));
    sort_by_key(&mut reaches, |(block, _)| *block);
    reaches
        .into_iter()
        .map(|(block, mut reach)| {
            for reach in &mut reach {
                reach.site = sites.get(reach.site).copied().unwrap_or(0);
            }
            sort_by_key(&mut reach, |reach| reach.site);
            BlockReach {
                block: shape.block_id(block),
                sites: reach,
            }
        })
        .collect()
}
