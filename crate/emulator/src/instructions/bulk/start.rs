//! What a thread does that starts a bulk or tensor copy: it checks all that must hold and queues it.

use crate::instructions::mbarrier;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Bulk, Origin, Reduction, Sent, What};
use crate::machine::world::{Recorded, World};
use crate::operations::asynchronous::Broken;
use crate::operations::drive::one;
use crate::operations::remote::Owner;
use crate::operations::tile::for_rows;
use crate::program::access::AtomicOp;
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::program::space::{WINDOW_BYTES, WINDOWS, in_block, shared_owner};
use crate::report::{BulkCopy, FindingKind, HandoverKind, Space};
use crate::tensor_map::{MOST_RANK, TENSOR_MAP_BYTES, TensorElement, TensorMap};

/// What [`crate::machine::inst::Inst::imm`] says of a bulk copy; for tensors, the rank and the reduction are above.
pub(crate) const FROM_GLOBAL: u64 = 0;
pub(crate) const FROM_SHARED: u64 = 1;
pub(crate) const TO_GLOBAL: u64 = 2;
/// It goes to several blocks of the cluster, whose bits are in the mbarrier's address.
pub(crate) const SPREADS: u64 = 1 << 32;
const BLOCKS_SHIFT: u32 = 32;

/// The reductions of tensor copies, as their number in [`Inst::imm`] counts them.
pub(crate) const REDUCTIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

/// What a reducing copy does with elements of a type, if there is such a copy.
pub(crate) fn reducing(name: &str, written: &str) -> Option<AtomicOp> {
    let is_wide = matches!(written, "f32" | "f64");
    AtomicOp::named(name, written).filter(|_| !is_wide || name == "add")
}

/// Global and shared addresses and sizes of bulk copies are multiples of this.
const BULK_ALIGN: u64 = 16;
/// Shared addresses of tensor copies are multiples of this.
const TILE_ALIGN: u64 = 128;
/// Tensor maps are at multiples of this.
const MAP_ALIGN: u64 = 64;
const NO_MAP: &str = "no tensor map is there: a kernel takes one as `const __grid_constant__ CUtensorMap`, and the host passes what `TensorMap` or the driver encoded";
const OTHER_RANK: &str = "the tensor map has another number of dimensions than the instruction";
const NO_SUCH_REDUCTION: &str = "the tensor map's elements have no such reduction here";
const NO_SUCH_BLOCK: &str = "the cluster has no such block, or it has ended";
const OTHER_BLOCK: &str =
    "the mbarrier must be in the same block's shared memory as what is stored";
const BULK_SIZE: &str = "bulk copies take addresses and sizes that are multiples of 16 bytes";
const TILE_ADDRESS: &str = "tensor copies take shared memory addresses that are multiples of 128";
const MAP_ADDRESS: &str = "a tensor map is at an address that is a multiple of 64";
const INNERMOST: &str =
    "the innermost coordinate of a tensor copy must be at a multiple of 16 bytes in its row";
const NEGATIVE: &str = "a tensor copy to global memory cannot start at a negative coordinate";

/// A copy that a thread starts: what it moves, and where it is tied to an mbarrier.
type Started = (Bulk, Option<Target>);

/// An mbarrier, at this address in each of some blocks of the cluster.
#[derive(Debug, Clone, Copy)]
struct Target {
    barrier: u32,
    /// The ranks, a bit each; none for the block that starts the copy.
    blocks: u32,
}

pub(crate) const BULK: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_threads(lanes, world, inst, start_bulk)
});

pub(crate) const TILE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
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

/// Ties a copy to the mbarriers of all blocks that it goes to.
fn tie(world: &mut World, target: Target, bulk: Bulk) -> Result<(), Broken> {
    let Target { barrier, blocks } = target;
    let (own, count) = match &world.cluster {
        Some(cluster) => (cluster.rank, cluster.count()),
        None => (0, 1),
    };
    if blocks == 0 {
        world.tie(barrier, bulk);
        return Ok(());
    }
    for rank in (0..u32::BITS).filter(|rank| blocks >> rank & 1 == 1) {
        let address = in_block(u64::from(barrier), rank);
        let known = |world: &World| mbarrier::known(world, barrier);
        if rank == own {
            known(world)?;
            world.tie(barrier, bulk.clone());
        } else if rank >= count || world.has_ended(Owner::Other(rank as usize)) {
            return Err(Broken {
                kind: FindingKind::InvalidAddress,
                space: Space::Shared,
                address,
                bytes: bulk.bytes,
                is_store: true,
                rule: Some(NO_SUCH_BLOCK),
            });
        } else {
            let sent = Sent {
                by: own,
                to: rank,
                barrier,
            };
            let sent = Bulk {
                sent: Some(sent),
                ..bulk.clone()
            };
            world.in_other(rank as usize, |world| known(world))?;
            world.send(&sent);
            world.in_other(rank as usize, |world| world.tie(barrier, sent));
        }
    }
    Ok(())
}

/// Where the copy is tied: to an mbarrier of the block whose memory it goes to, or at this address of all that it names.
fn target(world: &World, barrier: u64, to: u64, spreads: bool) -> Result<Target, Broken> {
    let offset = shared_owner(barrier & u64::from(u32::MAX)).1;
    if spreads {
        let blocks = (barrier >> BLOCKS_SHIFT) as u32 & 0xffff;
        let barrier = offset as u32;
        return Ok(Target { barrier, blocks });
    }
    if let (Owner::Other(rank), _) = world.shared_place(to).unwrap_or((Owner::Own, 0)) {
        return Ok(Target {
            barrier: offset as u32,
            blocks: 1 << rank,
        });
    }
    Ok(Target {
        barrier: mbarrier::checked(world, barrier)?,
        blocks: 0,
    })
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
    let (shared, other) = (long(0), long(1));
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
    note(lanes, world, inst, at, [shared, other], bytes);
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
    let barrier = match what {
        TO_GLOBAL => None,
        _ => Some(target(world, long(5), long(0), inst.imm & SPREADS != 0)?),
    };
    let to = shared_owner(long(0)).1;
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
    note(lanes, world, inst, thread, [to, map.address], bulk.bytes);
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

pub(crate) const STORE_ASYNC: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
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
    let [to, barrier] = [0, 1].map(|slot| lanes.longs.source(inst.s[slot])[at]);
    let mut bytes = Vec::new();
    for slot in inst.s[2..].iter().filter(|slot| **slot != NO_SLOT) {
        match shape.element {
            8 => bytes.extend(lanes.longs.source(*slot)[at].to_le_bytes()),
            _ => bytes.extend(lanes.words.source(*slot)[at].to_le_bytes()),
        }
    }
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

/// The reduction of a tensor copy with elements of a type.
pub(crate) fn reduction(name: &str, element: TensorElement) -> Option<Reduction> {
    let written = match element {
        TensorElement::U32 => "u32",
        TensorElement::S32 => "s32",
        TensorElement::U64 => "u64",
        TensorElement::S64 => "s64",
        TensorElement::F16 => "f16",
        TensorElement::Bf16 => "bf16",
        TensorElement::F32 | TensorElement::F32Ftz => "f32",
        TensorElement::F64 => "f64",
        _ => return None,
    };
    Some(Reduction {
        op: reducing(name, written)?,
        bytes: element.bytes(),
    })
}

/// The tensor map at a generic address.
fn map_at(world: &mut World, site: u32, address: u64) -> Result<TensorMap, Broken> {
    let broken = |kind, space, rule| Broken {
        kind,
        space,
        address,
        bytes: TENSOR_MAP_BYTES as u32,
        is_store: false,
        rule: Some(rule),
    };
    let mut bytes = [0; TENSOR_MAP_BYTES];
    let window = address.wrapping_sub(WINDOWS) / WINDOW_BYTES;
    let (space, found) = match window {
        2 | 3 => {
            let words = if window == 2 {
                world.constants
            } else {
                world.params
            };
            let offset = (address - WINDOWS - window * WINDOW_BYTES) as usize;
            let words = words.get(offset / 4..offset / 4 + bytes.len() / 4);
            for (chunk, word) in bytes.chunks_exact_mut(4).zip(words.unwrap_or_default()) {
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            let space = if window == 2 {
                Space::Const
            } else {
                Space::Param
            };
            (space, words.is_some())
        }
        0 | 1 => (Space::Shared, false),
        _ => match world.find(site as usize, address, bytes.len()) {
            Some((buffer, offset)) => {
                buffer.read(offset, &mut bytes);
                (Space::Global, true)
            }
            None => (Space::Global, false),
        },
    };
    if !address.is_multiple_of(MAP_ALIGN) {
        return Err(broken(FindingKind::Misaligned, space, MAP_ADDRESS));
    }
    let map = if found {
        TensorMap::decode(&bytes)
    } else {
        None
    };
    map.ok_or(broken(FindingKind::InvalidAddress, space, NO_MAP))
}

// ---- what must hold ----

fn shared_range(
    world: &World,
    address: u64,
    bytes: u32,
    align: u64,
    rule: &'static str,
    is_store: bool,
) -> Result<(), Broken> {
    let broken = |kind, rule| Broken {
        kind,
        space: Space::Shared,
        address,
        bytes,
        is_store,
        rule,
    };
    if !address.is_multiple_of(align) || !u64::from(bytes).is_multiple_of(BULK_ALIGN) {
        return Err(broken(FindingKind::Misaligned, Some(rule)));
    }
    if !world.has_shared(address, u64::from(bytes)) {
        return Err(broken(FindingKind::OutOfBounds, None));
    }
    Ok(())
}

fn global_range(
    world: &mut World,
    site: u32,
    address: u64,
    bytes: u32,
    is_store: bool,
) -> Result<(), Broken> {
    let broken = |kind, rule| Broken {
        kind,
        space: Space::Global,
        address,
        bytes,
        is_store,
        rule,
    };
    if !address.is_multiple_of(BULK_ALIGN) {
        return Err(broken(FindingKind::Misaligned, Some(BULK_SIZE)));
    }
    match world.find(site as usize, address, bytes as usize) {
        Some(_) => Ok(()),
        None => Err(broken(FindingKind::OutOfBounds, None)),
    }
}

/// What the map says is inside the tensor must be inside a buffer.
fn rows_in_buffers(
    world: &mut World,
    site: u32,
    map: &TensorMap,
    at: &[i32; MOST_RANK],
    is_store: bool,
) -> Result<(), Broken> {
    let mut found = Ok(());
    for_rows(map, at, |row| {
        let bytes = row.inside * map.element.bytes();
        if found.is_ok()
            && bytes > 0
            && world
                .find(site as usize, row.address, bytes as usize)
                .is_none()
        {
            found = Err(Broken {
                kind: FindingKind::OutOfBounds,
                space: Space::Global,
                address: row.address,
                bytes,
                is_store,
                rule: None,
            });
        }
    });
    found
}

/// Records a copy between global and shared memory, with where it begins in global memory and its coordinates.
#[cold]
fn record_copy(
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

/// Counts the copy at its two sites, and records it: its first address on either side.
pub(crate) fn note(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    at: usize,
    addresses: [u64; 2],
    bytes: u32,
) {
    let site = world.program.accesses[inst.aux as usize].site as usize;
    let (warp, lane) = (lanes.first_warp + at / WARP, at % WARP);
    for number in [site, site + 1] {
        world.sites[number].executed += 1;
        world.sites[number].bytes += u64::from(bytes);
        let info = &world.program.sites[number];
        let (space, is_store) = (info.space, info.is_store);
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
