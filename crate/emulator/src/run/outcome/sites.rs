//! The sites of accesses as the report lists them, and the counters that follow from these and from how often each block ran.

use crate::counters::{Arithmetic, Counters};
use crate::decode::DecodedEntry;
use crate::machine::world::{Executions, SiteCount};
use crate::machine::worst::WorstSeen;
use crate::program::Program;
use crate::report::{Demand, Path, Site, Space, Worst};
use crate::run::outcome::part::Part;
use crate::run::preset::LaunchShape;

/// The counters of what was executed, from how often it was.
pub(super) fn executed(program: &Program, sum: &Part) -> Counters {
    let mut arithmetic = Arithmetic::default();
    let mut threads = 0u64;
    for (block, Executions { lanes, .. }) in program.blocks.iter().zip(&sum.block_runs) {
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

/// The sites as the report lists them, and the report's number of each of the program's. A generic access is
/// listed for the spaces that it reached.
pub(super) fn reported_sites(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    sum: &mut Part,
) -> (Vec<Site>, Vec<usize>) {
    let program = &entry.program;
    let mut sites: Vec<Site> = Vec::new();
    let mut numbers = Vec::new();
    for (at, (info, count)) in program.sites.iter().zip(&sum.sites).enumerate() {
        let worst = sum.worst.get_mut(at).and_then(Option::take);
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
            demand: demand(count, worst, shape, info.access_bytes),
        });
    }
    (sites, numbers)
}

fn demand(
    count: &SiteCount,
    worst: Option<Box<WorstSeen>>,
    shape: &LaunchShape,
    access_bytes: u32,
) -> Demand {
    let named = |seen: Box<WorstSeen>| {
        let is_active = |lane: usize| seen.mask >> lane & 1 != 0;
        Box::new(Worst {
            excess: seen.excess,
            block: shape.block_id(seen.block),
            warp: seen.warp,
            access_bytes,
            addresses: std::array::from_fn(|lane| is_active(lane).then(|| seen.addresses[lane])),
        })
    };
    Demand {
        lanes: count.lanes,
        fewest_sectors: count.sectors.saturating_sub(count.excess_sectors),
        addresses: count.addresses,
        reach: count.reach,
        worst: worst.map(named),
    }
}

/// What these sites add to the counters of memory.
pub fn counters_of(sites: &[Site]) -> Counters {
    let mut sums = Counters::default();
    for site in sites {
        if matches!(site.path, Path::Bulk | Path::Sent) {
            add_beside(&mut sums, site);
            continue;
        }
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
            (Space::Const | Space::Param | Space::Surface, _) => {}
        }
    }
    sums
}

/// What passes by the load-store unit, under names of our own.
fn add_beside(sums: &mut Counters, site: &Site) {
    match (site.path, site.space, site.is_store, site.is_atomic) {
        (Path::Sent, ..) => sums.async_stores += site.requests,
        (_, Space::Global, false, _) => sums.bulk_load_bytes += site.bytes,
        (_, Space::Global, true, false) => sums.bulk_store_bytes += site.bytes,
        (_, Space::Global, true, true) => {
            sums.bulk_reductions += site.requests;
            sums.bulk_reduction_sectors += site.sectors;
        }
        _ => {}
    }
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
