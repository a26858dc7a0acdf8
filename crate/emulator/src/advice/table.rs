//! Accesses and branches by source line: sums over what a compiler has made several instructions of.

use crate::advice::local_arrays::arrays_at;
use crate::advice::pattern::LanePattern;
use crate::report::{LineCount, Path, Site, SourceLine, Space, Worst};

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Loads into registers, fetches of a texture among them.
    Load,
    /// Stores from registers.
    Store,
    /// An atomic, whether or not its result is read.
    Atomic,
    /// A reduction by a bulk copy: an atomic for each element.
    BulkReduction,
    /// Reads of memory for an asynchronous or bulk copy, or for tensor cores.
    CopyFrom,
    /// Writes of such a copy.
    CopyTo,
}

impl Operation {
    fn of(site: &Site) -> Self {
        match (site.path, site.is_atomic, site.is_store) {
            (Path::Bulk, true, _) => Self::BulkReduction,
            (_, true, _) => Self::Atomic,
            (Path::Registers, _, false) => Self::Load,
            (Path::Registers | Path::Sent, _, true) => Self::Store,
            (_, _, false) => Self::CopyFrom,
            (_, _, true) => Self::CopyTo,
        }
    }

    /// The word for it, in JSON as well.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
            Self::BulkReduction => "bulk reduction",
            Self::CopyFrom => "copy from",
            Self::CopyTo => "copy to",
        }
    }
}

/// One kind of access of one line: all instructions that a compiler has made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LineAccess {
    /// The line of CUDA C++, if it is known.
    pub source: Option<SourceLine>,
    /// The first line of the PTX that does it, from 1.
    pub ptx_line: u32,
    /// The memory.
    pub space: Space,
    /// What it does.
    pub operation: Operation,
    /// The most bytes of a lane at once.
    pub access_bytes: u32,
    /// Requests of warps.
    pub requests: u64,
    /// Active lanes of these together; 0 where they are not counted.
    pub lanes: u64,
    /// 32-byte sectors (global and local memory, textures).
    pub sectors: u64,
    /// The fewest that could serve.
    pub fewest_sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// The fewest that could serve.
    pub fewest_wavefronts: u64,
    /// Different addresses in each request, added up (atomics, constant memory).
    pub addresses: u64,
    /// Bytes from the first to the last address of all (atomics).
    pub reach_bytes: u64,
    /// Bytes that bulk copies move.
    pub bytes: u64,
    /// Of all sectors of the launch, or, of shared memory, of all wavefronts: from 0 to 1.
    pub share: f64,
    /// The array of the thread that it accesses, in local memory, if the source names one.
    pub array: Option<String>,
    /// The request furthest from the fewest, if one is.
    pub worst: Option<Box<Worst>>,
    /// Instructions that do it.
    pub sites: u32,
    /// Those of which no request takes more than the fewest sectors.
    pub neat_sites: u32,
    /// Those that take other parts of the same structures as the worst request: with its stride, and within one of them.
    pub fields: u32,
}

impl LineAccess {
    /// Sectors or wavefronts beyond the fewest.
    pub fn excess(&self) -> u64 {
        match self.space {
            Space::Shared => self.wavefronts.saturating_sub(self.fewest_wavefronts),
            Space::Const => self.addresses.saturating_sub(self.requests),
            _ => self.sectors.saturating_sub(self.fewest_sectors),
        }
    }

    /// Lanes that want one address at once, on average (atomics, constant memory).
    pub fn meeting(&self) -> f64 {
        self.lanes as f64 / self.addresses.max(1) as f64
    }

    /// Addresses that all atomics of the line go to, at most.
    pub fn places(&self) -> u64 {
        (self.reach_bytes / u64::from(self.access_bytes.max(1))).max(1)
    }

    /// How the lanes of the worst request lie.
    pub fn pattern(&self) -> Option<LanePattern> {
        let worst = self.worst.as_ref()?;
        Some(LanePattern::of(&worst.addresses))
    }

    /// Where lanes that lie so many bytes apart would begin in the worst request if all were active.
    pub(super) fn begin(&self, bytes: i64) -> Option<u64> {
        let worst = self.worst.as_ref()?;
        let active = (0_i64..).zip(&worst.addresses);
        let active: Vec<(i64, u64)> = active
            .filter_map(|(lane, at)| Some((lane, (*at)?)))
            .collect();
        // Where an index wraps, the first or the last one lies elsewhere.
        let (lane, address) = *active.get(active.len() / 2)?;
        let of = |other: i64| address.wrapping_add_signed(bytes.wrapping_mul(other - lane));
        Some(of(0).min(of(31)))
    }

    /// Whether it was counted in sectors or wavefronts that say anything.
    pub fn is_counted(&self) -> bool {
        self.requests > 0 && self.space != Space::Param
    }
}

/// A line that only some lanes of a warp execute, or whose branch parts them.
#[derive(Debug, Clone, PartialEq)]
pub struct LineBranch {
    /// The line of CUDA C++, if it is known.
    pub source: Option<SourceLine>,
    /// Its first line of the PTX, from 1.
    pub ptx_line: u32,
    /// Instructions issued by warps.
    pub issued: u64,
    /// Active lanes in each of them, 32 at most.
    pub lanes_active: f64,
    /// Of all instructions of the launch: from 0 to 1.
    pub share: f64,
    /// Executions of its conditional branches by warps.
    pub branches: u64,
    /// Those that parted the lanes of their warp.
    pub split: u64,
}

type Key = (Result<SourceLine, u32>, Space, Operation);

fn key(site: &Site) -> Key {
    let line = site.source.clone().ok_or(site.ptx_line);
    (line, site.space, Operation::of(site))
}

/// The accesses of a launch by line, in the order of the lines.
pub(super) fn accesses(sites: &[Site], source: Option<&str>) -> Vec<LineAccess> {
    let mut rows: Vec<(Key, LineAccess)> = Vec::new();
    for site in sites.iter().filter(|site| site.executed > 0) {
        let key = key(site);
        let at = match rows.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                rows.push((key, empty(site, source)));
                rows.len() - 1
            }
        };
        if let Some((_, row)) = rows.get_mut(at) {
            add(row, site);
        }
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut rows: Vec<LineAccess> = rows.into_iter().map(|(_, row)| row).collect();
    let sectors = rows.iter().map(|row| row.sectors).sum::<u64>();
    let wavefronts = rows.iter().map(|row| row.wavefronts).sum::<u64>();
    for row in &mut rows {
        let (part, all) = match row.space {
            Space::Shared => (row.wavefronts, wavefronts),
            _ => (row.sectors, sectors),
        };
        row.share = part as f64 / all.max(1) as f64;
    }
    rows
}

fn empty(site: &Site, source: Option<&str>) -> LineAccess {
    let line = site.source.as_ref().map(|line| line.line);
    let array = match (site.space, source, line) {
        (Space::Local, Some(text), Some(line)) => arrays_at(text, line),
        _ => None,
    };
    LineAccess {
        source: site.source.clone(),
        ptx_line: site.ptx_line,
        space: site.space,
        operation: Operation::of(site),
        access_bytes: 0,
        requests: 0,
        lanes: 0,
        sectors: 0,
        fewest_sectors: 0,
        wavefronts: 0,
        fewest_wavefronts: 0,
        addresses: 0,
        reach_bytes: 0,
        bytes: 0,
        share: 0.0,
        array,
        worst: None,
        sites: 0,
        neat_sites: 0,
        fields: 0,
    }
}

fn add(row: &mut LineAccess, site: &Site) {
    row.ptx_line = row.ptx_line.min(site.ptx_line);
    row.access_bytes = row.access_bytes.max(site.access_bytes);
    row.requests += site.requests;
    row.lanes += site.demand.lanes;
    row.sectors += site.sectors;
    row.fewest_sectors += site.demand.fewest_sectors;
    row.wavefronts += site.wavefronts;
    row.fewest_wavefronts += site.wavefronts.saturating_sub(site.bank_conflicts);
    row.addresses += site.demand.addresses;
    row.bytes += site.bytes;
    let reach = site.demand.reach.map_or(0, |(first, end)| end - first);
    row.reach_bytes = row.reach_bytes.max(reach);
    row.sites += 1;
    row.neat_sites += u32::from(site.sectors == site.demand.fewest_sectors);
    row.fields += u32::from(is_part_beside(&row.worst, &site.demand.worst));
    let excess = |worst: &Option<Box<Worst>>| worst.as_ref().map_or(0, |worst| worst.excess);
    if excess(&site.demand.worst) > excess(&row.worst) {
        row.worst = site.demand.worst.clone();
    }
}

/// Whether two requests of one warp have one stride, and begin less than that apart.
fn is_part_beside(known: &Option<Box<Worst>>, next: &Option<Box<Worst>>) -> bool {
    let (Some(known), Some(next)) = (known, next) else {
        return false;
    };
    let first = |worst: &Worst| worst.addresses.iter().flatten().next().copied();
    let pattern = LanePattern::of(&known.addresses);
    let (LanePattern::Stride { bytes, .. }, Some(a), Some(b)) =
        (pattern, first(known), first(next))
    else {
        return false;
    };
    (known.block, known.warp) == (next.block, next.warp)
        && pattern == LanePattern::of(&next.addresses)
        && a != b
        && a.abs_diff(b) < bytes.unsigned_abs()
}

/// Up to so many lanes of 32 on average, some are counted as missing.
const NEARLY_ALL: f64 = 31.5;

/// The lines that say something of divergence, in their order: a branch that parts one warp of a hundred does not.
pub(super) fn branches(lines: &[LineCount]) -> Vec<LineBranch> {
    let all = lines.iter().map(|line| line.issued).sum::<u64>();
    let row = |line: &LineCount| LineBranch {
        source: line.source.clone(),
        ptx_line: line.ptx_line,
        issued: line.issued,
        lanes_active: line.lanes as f64 / line.issued.max(1) as f64,
        share: line.issued as f64 / all.max(1) as f64,
        branches: line.branch.executed,
        split: line.branch.split,
    };
    let mut rows: Vec<LineBranch> = (lines.iter().map(row))
        .filter(|row| 100 * row.split > row.branches || row.lanes_active < NEARLY_ALL)
        .collect();
    rows.sort_by(|a, b| (&a.source, a.ptx_line).cmp(&(&b.source, b.ptx_line)));
    rows
}

/// Other lines that access the same structures: with the same stride, and within one of them, in the same warp.
pub(super) fn fields_beside<'r>(row: &LineAccess, all: &'r [LineAccess]) -> Vec<&'r LineAccess> {
    let is_beside = |other: &&LineAccess| {
        other.space == row.space
            && other.operation == row.operation
            && (&other.source, other.ptx_line) != (&row.source, row.ptx_line)
            && is_part_beside(&row.worst, &other.worst)
    };
    all.iter().filter(is_beside).collect()
}
