//! What a traced block adds up for machine code: accesses that it does together as a wider one, and how often basic blocks run. Which accesses those are is the host's to say.

use crate::counters::{Wavefronts, local_sectors, sectors};
use crate::machine::lanes::Lanes;
use crate::machine::world::Recorded;
use crate::program::Program;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::{BlockRuns, Space, Wide, WideCount};
use std::collections::HashMap;

/// One access of a group, until the others have come.
#[derive(Debug, Clone, Copy)]
struct Part {
    mask: u32,
    addresses: [u64; WARP],
}

/// The accesses of one traced block that machine code does together.
#[derive(Debug, Default)]
pub(crate) struct Wides {
    /// Group and place in it, by site.
    members: HashMap<usize, (usize, usize)>,
    sizes: Vec<usize>,
    /// What has come of a group, by group and warp.
    pending: HashMap<(usize, usize), Vec<Option<Part>>>,
    pub(crate) counts: Vec<WideCount>,
}

impl Wides {
    /// For these groups of PTX lines.
    pub(crate) fn new(program: &Program, wides: &[Wide]) -> Self {
        let mut members = HashMap::new();
        for (site, info) in program.sites.iter().enumerate() {
            let line = program.ptx_line(info.place);
            for (group, wide) in wides.iter().enumerate() {
                if let Some(place) = wide.ptx_lines.iter().position(|other| *other == line) {
                    members.insert(site, (group, place));
                }
            }
        }
        Self {
            members,
            sizes: wides.iter().map(|wide| wide.ptx_lines.len()).collect(),
            pending: HashMap::new(),
            counts: vec![WideCount::default(); wides.len()],
        }
    }

    /// Takes note of an access; once the whole group has been executed by the warp, it counts as one.
    pub(crate) fn note(&mut self, request: &Recorded) {
        let Some(&(group, place)) = self.members.get(&request.site) else {
            return;
        };
        let size = self.sizes[group];
        let parts = self
            .pending
            .entry((group, request.warp))
            .or_insert_with(|| vec![None; size]);
        if parts[place].is_some() {
            self.counts[group].misfits += 1;
            parts.fill(None);
        }
        parts[place] = Some(Part {
            mask: request.mask,
            addresses: *request.addresses,
        });
        if parts.iter().all(Option::is_some) {
            let whole: Vec<Part> = parts.iter_mut().filter_map(Option::take).collect();
            add(&mut self.counts[group], &whole, request);
        }
    }

    /// Groups of which a part was executed and the rest was not do not fit.
    pub(crate) fn end(&mut self) {
        for ((group, _), parts) in self.pending.drain() {
            let is_begun = parts.iter().any(Option::is_some);
            self.counts[group].misfits += u64::from(is_begun);
        }
    }
}

/// Adds one wide access of a warp, if its parts lie side by side in every lane.
fn add(count: &mut WideCount, parts: &[Part], request: &Recorded) {
    let Some(first) = parts.first() else { return };
    let (narrow, bytes) = (
        u64::from(request.access_bytes),
        request.access_bytes * parts.len() as u32,
    );
    let is_active = |lane: &usize| first.mask & (1 << lane) != 0;
    let fits = parts.iter().zip(0u64..).all(|(part, at)| {
        part.mask == first.mask
            && (0..WARP).filter(is_active).all(|lane| {
                part.addresses[lane] == first.addresses[lane].wrapping_add(at * narrow)
                    && first.addresses[lane] % u64::from(bytes) == 0
            })
    });
    if !fits {
        count.misfits += 1;
        return;
    }
    let (mask, addresses) = (first.mask, &first.addresses);
    count.executed += 1;
    match request.space {
        Space::Shared => {
            let wavefronts = Wavefronts::masked(addresses, mask, bytes, request.is_store);
            count.requests += 1;
            count.wavefronts += u64::from(wavefronts.taken);
            count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
        }
        Space::Local => {
            count.requests += u64::from(bytes.div_ceil(4));
            count.sectors += u64::from(local_sectors(addresses, mask, bytes));
        }
        _ => {
            let lanes = std::array::from_fn(|lane| is_active(&lane).then(|| addresses[lane]));
            count.requests += 1;
            count.sectors += u64::from(sectors(&lanes, bytes));
        }
    }
}

/// Adds one execution of a basic block by the warps that are active.
#[cold]
pub(crate) fn note_run(runs: &mut Vec<BlockRuns>, block: u32, lanes: &Lanes) {
    let block = block as usize;
    if runs.len() <= block {
        runs.resize(block + 1, BlockRuns::default());
    }
    let active = &lanes.active;
    for warp in active.first..active.last.min(GROUP_WARPS) {
        let mask = active.mask[warp];
        let octets = (0..4).filter(|octet| mask >> (8 * octet) & 0xff != 0);
        runs[block].warps += u64::from(mask != 0);
        runs[block].octets += octets.count() as u64;
        runs[block].lanes += u64::from(mask.count_ones());
    }
}
