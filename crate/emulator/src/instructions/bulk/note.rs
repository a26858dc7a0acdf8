//! Counts a copy that is started, and records it where the launch is traced.

use crate::counters::SECTOR_BYTES;
use crate::instructions::bulk::form::{FROM_SHARED, TO_GLOBAL};
use crate::instructions::bulk::target::Target;
use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::pending::Bulk;
use crate::machine::world::{Recorded, World};
use crate::operations::tile::for_rows;
use crate::program::kinds::WARP;
use crate::report::{BulkCopy, HandoverKind, Space};
use crate::tensor_map::{MOST_RANK, TensorMap};

/// Records a copy between global and shared memory, with where it begins in global memory and its coordinates.
#[cold]
pub(super) fn record_copy(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    thread: usize,
    bulk: &Bulk,
    target: Option<Target>,
    (global, at): (u64, [i32; MOST_RANK]),
) {
    let what = HandoverKind::Copy(BulkCopy {
        shared: bulk.shared,
        bytes: bulk.bytes,
        is_store: inst.imm & 0xff == TO_GLOBAL,
        barrier: target.map(|target| target.barrier),
        blocks: target.map_or(0, |target| target.blocks),
        global,
        at,
    });
    world.record_handover(inst.place, lanes.first_warp + thread / WARP, what);
}

/// Sectors of global memory that a range lies in.
pub(super) fn sectors_of(address: u64, bytes: u64) -> u64 {
    match bytes {
        0 => 0,
        bytes => address.saturating_add(bytes - 1) / SECTOR_BYTES - address / SECTOR_BYTES + 1,
    }
}

/// Sectors of global memory that a tile's rows lie in, row by row.
pub(super) fn sectors_of_tile(map: &TensorMap, at: &[i32; MOST_RANK]) -> u64 {
    let mut sectors = 0;
    let element = u64::from(map.element.bytes());
    for_rows(map, at, |row| {
        sectors += sectors_of(row.address, u64::from(row.inside) * element);
    });
    sectors
}

/// Counts a store or reduction that one thread sends to shared memory.
pub(super) fn note_sent(world: &mut World, inst: &Inst, bytes: usize) {
    let site = world.program.accesses[inst.aux as usize].site as usize;
    let count = &mut world.sites[site];
    count.executed += 1;
    count.requests += 1;
    count.bytes += bytes as u64;
}

/// Counts the copy at its two sites, and records it: its first address on either side.
pub(super) fn note(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    at: usize,
    addresses: [u64; 2],
    (bytes, sectors): (u32, u64),
) {
    let site = world.program.accesses[inst.aux as usize].site as usize;
    let (warp, lane) = (lanes.first_warp + at / WARP, at % WARP);
    for number in [site, site + 1] {
        world.sites[number].executed += 1;
        world.sites[number].requests += 1;
        world.sites[number].bytes += u64::from(bytes);
        let info = &world.program.sites[number];
        let (space, is_store) = (info.space, info.is_store);
        if space == Space::Global {
            world.sites[number].sectors += sectors;
        }
        if world.trace.is_some() {
            // The shared side is the first address, whichever way the copy goes.
            let is_shared = match inst.imm & 0xff {
                FROM_SHARED => is_store,
                _ => space == Space::Shared,
            };
            let address = if is_shared {
                addresses[0]
            } else {
                addresses[1]
            };
            world.record(&Recorded {
                site: number,
                space,
                is_store,
                access_bytes: bytes,
                warp,
                mask: 1 << lane,
                addresses: &[address; WARP],
            });
        }
    }
}
