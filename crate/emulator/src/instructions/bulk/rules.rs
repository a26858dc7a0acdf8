//! What must hold of a bulk or tensor copy when it is started: addresses, sizes, the tensor map, buffers around all of it.

use crate::machine::world::World;
use crate::operations::asynchronous::Broken;
use crate::operations::tile::for_rows;
use crate::program::space::{WINDOW_BYTES, WINDOWS};
use crate::report::{FindingKind, Space};
use crate::tensor_map::{MOST_RANK, TENSOR_MAP_BYTES, TensorMap};

/// Global and shared addresses and sizes of bulk copies are multiples of this.
pub(super) const BULK_ALIGN: u64 = 16;
/// Shared addresses of tensor copies are multiples of this.
pub(super) const TILE_ALIGN: u64 = 128;
/// Tensor maps are at multiples of this.
const MAP_ALIGN: u64 = 64;
const NO_MAP: &str = "no tensor map is there: a kernel takes one as `const __grid_constant__ CUtensorMap`, and the host passes what `TensorMap` or the driver encoded";
pub(super) const OTHER_RANK: &str =
    "the tensor map has another number of dimensions than the instruction";
pub(super) const NO_SUCH_REDUCTION: &str = "the tensor map's elements have no such reduction here";
pub(super) const NO_SUCH_BLOCK: &str = "the cluster has no such block, or it has ended";
pub(super) const OTHER_BLOCK: &str =
    "the mbarrier must be in the same block's shared memory as what is stored";
pub(super) const BULK_SIZE: &str =
    "bulk copies take addresses and sizes that are multiples of 16 bytes";
pub(super) const TILE_ADDRESS: &str =
    "tensor copies take shared memory addresses that are multiples of 128";
const MAP_ADDRESS: &str = "a tensor map is at an address that is a multiple of 64";
pub(super) const INNERMOST: &str =
    "the innermost coordinate of a tensor copy must be at a multiple of 16 bytes in its row";
pub(super) const NEGATIVE: &str =
    "a tensor copy to global memory cannot start at a negative coordinate";

/// The tensor map at a generic address.
pub(super) fn map_at(world: &mut World, site: u32, address: u64) -> Result<TensorMap, Broken> {
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

pub(super) fn shared_range(
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

pub(super) fn global_range(
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
pub(super) fn rows_in_buffers(
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
