//! What a thread does that starts a bulk or tensor copy: it finds out what is to be copied and queues it. What must hold of it is in `rules`.

use crate::instructions::bulk::form::{
    FROM_GLOBAL, FROM_SHARED, REDUCTIONS, SPREADS, TO_GLOBAL, reduction,
};
use crate::instructions::bulk::note::{note, note_sent, record_copy, sectors_of, sectors_of_tile};
use crate::instructions::bulk::rules::{
    BULK_ALIGN, BULK_SIZE, INNERMOST, NEGATIVE, NO_SUCH_BLOCK, NO_SUCH_REDUCTION, OTHER_BLOCK,
    OTHER_RANK, TILE_ADDRESS, TILE_ALIGN, global_range, map_at, rows_in_buffers, shared_range,
};
use crate::instructions::bulk::target::{Target, target, tie};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Bulk, Origin, Reduction, Sent, What};
use crate::machine::world::World;
use crate::operations::asynchronous::Broken;
use crate::operations::drive::one;
use crate::operations::remote::Owner;
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::program::space::{address_bits, shared_owner};
use crate::report::{FindingKind, Space};
use crate::tensor_map::MOST_RANK;

/// A copy that a thread starts: what it moves, and where it is tied to an mbarrier.
type Started = (Bulk, Option<Target>);

pub(super) const BULK: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_threads(lanes, world, inst, start_bulk)
});

pub(super) const TILE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_threads(lanes, world, inst, start_tile)
});

fn for_threads(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    start: fn(&Lanes, &mut World, &Inst, usize) -> Result<Started, Broken>,
) {
    let active = lanes.active;
    for warp in active.first..active.last {
        for_lanes(active.mask[warp], |lane| {
            let at = warp * WARP + lane;
            match start(lanes, world, inst, at) {
                Ok((bulk, Some(target))) => {
                    if let Err(broken) = tie(world, target, bulk) {
                        world.broken(lanes, inst, at, broken);
                    }
                }
                Ok((bulk, None)) => world.start_store(lanes.first_warp + warp, lane, bulk),
                Err(broken) => world.broken(lanes, inst, at, broken),
            }
        });
    }
}

fn origin(lanes: &Lanes, world: &World, inst: &Inst, at: usize) -> Origin {
    let (warp, lane) = (lanes.first_warp + at / WARP, at % WARP);
    Origin {
        place: inst.place,
        thread: (lanes.first_warp * WARP + at) as u32,
        early: world.early(warp, 1 << lane) >> lane,
    }
}

fn start_bulk(lanes: &Lanes, world: &mut World, inst: &Inst, at: usize) -> Result<Started, Broken> {
    let shape = world.program.accesses[inst.aux as usize];
    let long = |slot: usize| lanes.longs.source(inst.s[slot])[at];
    let (shared, other) = (long(0) & address_bits(Some(Space::Shared)), long(1));
    let bytes = lanes.words.source(inst.s[2])[at];
    let (what, spreads) = (inst.imm & 0xff, inst.imm & SPREADS != 0);
    let barrier = match what {
        TO_GLOBAL => None,
        _ => Some(target(world, long(3), shared, spreads)?),
    };
    // The same place in whichever block's memory.
    let shared = shared_owner(shared).1;
    let mut bulk = Bulk {
        by: origin(lanes, world, inst, at),
        site: shape.site,
        shared: shared as u32,
        bytes,
        what: What::Nothing,
        sent: None,
    };
    let moved = (bytes, sectors_of(other, bytes.into()));
    note(lanes, world, inst, at, [shared, other], moved);
    if world.trace.is_some() && what != FROM_SHARED {
        let at_none = [0; MOST_RANK];
        record_copy(lanes, world, inst, at, &bulk, barrier, (other, at_none));
    }
    let mut found = shared_range(
        world,
        shared,
        bytes,
        BULK_ALIGN,
        BULK_SIZE,
        what != TO_GLOBAL,
    );
    if found.is_ok() {
        found = match what {
            FROM_SHARED => shared_range(world, other, bytes, BULK_ALIGN, BULK_SIZE, false),
            _ => global_range(world, shape.site, other, bytes, what == TO_GLOBAL),
        };
    }
    match found {
        Err(broken) => world.broken(lanes, inst, at, broken),
        Ok(()) => {
            bulk.what = match what {
                FROM_GLOBAL => What::Load { from: other },
                FROM_SHARED if barrier.is_some_and(|target| target.blocks != 0) => What::Bytes {
                    bytes: world.shared_bytes_at(other as u32, bytes),
                    reduction: None,
                },
                FROM_SHARED => What::Move { from: other as u32 },
                _ => What::Store {
                    to: other,
                    reduction: shape.atomic.map(|op| Reduction {
                        op,
                        bytes: shape.element,
                    }),
                },
            }
        }
    }
    Ok((bulk, barrier))
}

fn start_tile(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    thread: usize,
) -> Result<Started, Broken> {
    let shape = world.program.accesses[inst.aux as usize];
    let long = |slot: usize| lanes.longs.source(inst.s[slot])[thread];
    let (what, rank) = (inst.imm & 0xff, inst.imm >> 8 & 0xff);
    let to = long(0) & address_bits(Some(Space::Shared));
    let barrier = match what {
        TO_GLOBAL => None,
        _ => Some(target(world, long(5), to, inst.imm & SPREADS != 0)?),
    };
    let to = shared_owner(to).1;
    let map = map_at(world, shape.site, long(1))?;
    let against = |kind, rule| Broken {
        kind,
        space: Space::Global,
        address: map.address,
        bytes: map.tile_bytes() as u32,
        is_store: what == TO_GLOBAL,
        rule: Some(rule),
    };
    if map.rank() as u64 != rank {
        return Err(against(FindingKind::InvalidAddress, OTHER_RANK));
    }
    let pairs = [long(2), long(3), long(4)];
    let at: [i32; MOST_RANK] =
        std::array::from_fn(|number| (pairs[number / 2] >> (32 * (number % 2))) as i32);
    let mut bulk = Bulk {
        by: origin(lanes, world, inst, thread),
        site: shape.site,
        shared: to as u32,
        bytes: map.tile_bytes() as u32,
        what: What::Nothing,
        sent: None,
    };
    let reduction = match (inst.imm >> 16 & 0xff) as usize {
        0 => None,
        op => match reduction(REDUCTIONS[(op - 1) % REDUCTIONS.len()], map.element) {
            Some(reduction) => Some(reduction),
            None => return Err(against(FindingKind::InvalidAddress, NO_SUCH_REDUCTION)),
        },
    };
    let moved = (bulk.bytes, sectors_of_tile(&map, &at));
    note(lanes, world, inst, thread, [to, map.address], moved);
    if world.trace.is_some() {
        let from = (map.address, at);
        record_copy(lanes, world, inst, thread, &bulk, barrier, from);
    }
    let unaligned = i64::from(at[0]) * i64::from(map.element.bytes()) % BULK_ALIGN as i64 != 0;
    let found = if unaligned {
        Err(against(FindingKind::Misaligned, INNERMOST))
    } else if what == TO_GLOBAL && at.iter().any(|coordinate| *coordinate < 0) {
        Err(against(FindingKind::OutOfBounds, NEGATIVE))
    } else {
        let bytes = map.extent_bytes() as u32;
        shared_range(
            world,
            to,
            bytes,
            TILE_ALIGN,
            TILE_ADDRESS,
            what != TO_GLOBAL,
        )
        .and_then(|()| rows_in_buffers(world, shape.site, &map, &at, what == TO_GLOBAL))
    };
    match found {
        Err(broken) => world.broken(lanes, inst, thread, broken),
        Ok(()) if what == TO_GLOBAL => bulk.what = What::StoreTile { map, at, reduction },
        Ok(()) => bulk.what = What::LoadTile { map, at },
    }
    Ok((bulk, barrier))
}

pub(super) const STORE_ASYNC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_threads(lanes, world, inst, start_store)
});

/// A store or reduction of a thread's registers that an mbarrier counts, in shared memory of the cluster.
fn start_store(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    at: usize,
) -> Result<Started, Broken> {
    let shape = world.program.accesses[inst.aux as usize];
    let bits = address_bits(Some(Space::Shared));
    let [to, barrier] = [0, 1].map(|slot| lanes.longs.source(inst.s[slot])[at] & bits);
    let mut bytes = Vec::new();
    for slot in inst.s[2..].iter().filter(|slot| **slot != NO_SLOT) {
        match shape.element {
            8 => bytes.extend(lanes.longs.source(*slot)[at].to_le_bytes()),
            _ => bytes.extend(lanes.words.source(*slot)[at].to_le_bytes()),
        }
    }
    note_sent(world, inst, bytes.len());
    let broken = |kind, rule| Broken {
        kind,
        space: Space::Shared,
        address: to,
        bytes: bytes.len() as u32,
        is_store: true,
        rule,
    };
    let Ok((owner, offset)) = world.shared_place(to) else {
        return Err(broken(FindingKind::InvalidAddress, Some(NO_SUCH_BLOCK)));
    };
    if !offset.is_multiple_of(bytes.len() as u64) {
        return Err(broken(FindingKind::Misaligned, None));
    }
    if !world.has_shared(offset, bytes.len() as u64) {
        return Err(broken(FindingKind::OutOfBounds, None));
    }
    if world.shared_place(barrier).map(|(owner, _)| owner) != Ok(owner) {
        return Err(broken(FindingKind::InvalidAddress, Some(OTHER_BLOCK)));
    }
    let target = target(world, barrier, to, false)?;
    let rank = world.cluster.as_ref().map_or(0, |cluster| cluster.rank);
    let own = Sent {
        by: rank,
        to: rank,
        barrier: target.barrier,
    };
    let reduction = shape.atomic.map(|op| Reduction {
        op,
        bytes: shape.element,
    });
    let bulk = Bulk {
        by: origin(lanes, world, inst, at),
        site: shape.site,
        shared: offset as u32,
        bytes: bytes.len() as u32,
        what: What::Bytes { bytes, reduction },
        sent: (owner == Owner::Own).then_some(own),
    };
    Ok((bulk, Some(target)))
}
