//! Limits of a launch, as CUDA has them for compute capability 9.0.

use crate::decode::DecodedEntry;
use crate::launch::Options;
use crate::program::cluster::cluster_misfit;
use crate::program::kinds::WARP;
use crate::run::preset::{LaunchShape, MULTIPROCESSORS};

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS: u64 = 1024;
const MOST_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
pub(super) const MOST_SHARED_BYTES: u64 = 227 << 10;
/// Of a multiprocessor.
const MOST_RESIDENT_BLOCKS: u64 = 32;
const MOST_RESIDENT_WARPS: u64 = 64;
const MULTIPROCESSOR_SHARED_BYTES: u64 = 228 << 10;
/// What CUDA keeps of a block's shared memory for itself.
const RESERVED_SHARED_BYTES: u64 = 1 << 10;

/// A limit that a launch is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Over {
    Most {
        what: String,
        value: u64,
        most: u64,
    },
    /// The kernel is compiled for blocks of one shape (`.reqntid`).
    OtherBlock {
        required: [u32; 3],
        found: [u32; 3],
    },
    /// What is wrong with the clusters of the launch, in words.
    Cluster(String),
}

/// The first limit that the launch is over, or what is wrong with its clusters.
pub(super) fn refusal(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    options: &Options,
) -> Option<Over> {
    let misfit = || cluster_misfit(&entry.cluster, shape.grid, options.cluster).map(Over::Cluster);
    over_limit(entry, shape)
        .or_else(misfit)
        .or_else(|| over_residence(entry, shape))
}

/// The blocks of a cooperative launch run all together.
fn over_residence(entry: &DecodedEntry, shape: &LaunchShape) -> Option<Over> {
    let value = shape.grid.iter().map(|size| u64::from(*size)).product();
    let threads = u64::from(shape.threads());
    let most = resident_blocks(entry, threads, shape.dynamic_shared_bytes);
    let is_over = shape.is_cooperative && value > most;
    is_over.then(|| Over::Most {
        what: format!(
            "the number of blocks of a cooperative launch, which run all together on an H200's {MULTIPROCESSORS} \
             multiprocessors,"
        ),
        value,
        most,
    })
}

/// The first limit that the launch is over.
fn over_limit(entry: &DecodedEntry, shape: &LaunchShape) -> Option<Over> {
    if let Some(required) = entry.required.filter(|required| *required != shape.block) {
        let found = shape.block;
        return Some(Over::OtherBlock { required, found });
    }
    let axes = ["x", "y", "z"];
    let over = |what: String, value: u64, most: u64| {
        (value > most).then_some(Over::Most { what, value, most })
    };
    for (axis, name) in axes.iter().enumerate() {
        let found = over(
            format!("the block's size in {name}"),
            u64::from(shape.block[axis]),
            u64::from(MOST_BLOCK[axis]),
        )
        .or_else(|| {
            over(
                format!("the grid's size in {name}"),
                u64::from(shape.grid[axis]),
                u64::from(MOST_GRID[axis]),
            )
        });
        if found.is_some() {
            return found;
        }
    }
    let threads = shape.block.iter().map(|size| u64::from(*size)).product();
    over(
        "the number of threads of a block".to_string(),
        threads,
        MOST_THREADS,
    )
    .or_else(|| {
        let most = u64::from(entry.max_threads?);
        over(
            "the number of threads of a block (`.maxntid` or `.reqntid` in the PTX)".to_string(),
            threads,
            most,
        )
    })
    .or_else(|| {
        over(
            "the block's shared memory, in bytes,".to_string(),
            shared_bytes(entry, shape.dynamic_shared_bytes),
            MOST_SHARED_BYTES,
        )
    })
}

fn shared_bytes(entry: &DecodedEntry, dynamic: u32) -> u64 {
    let (fixed, offset) = (
        u64::from(entry.program.static_shared_bytes),
        u64::from(entry.program.dynamic_shared_offset),
    );
    match dynamic {
        0 => fixed,
        dynamic => offset.max(fixed) + u64::from(dynamic),
    }
}

/// How many blocks an H200 runs together: occupancy by blocks, warps and shared memory. Registers are the assembler's
/// affair, and PTX does not tell them.
pub(super) fn resident_blocks(entry: &DecodedEntry, threads: u64, dynamic_shared: u32) -> u64 {
    let warps = threads.div_ceil(WARP as u64).max(1);
    let shared = shared_bytes(entry, dynamic_shared) + RESERVED_SHARED_BYTES;
    let each = MOST_RESIDENT_BLOCKS
        .min(MOST_RESIDENT_WARPS / warps)
        .min(MULTIPROCESSOR_SHARED_BYTES / shared);
    each.max(1) * u64::from(MULTIPROCESSORS)
}

/// The axis of a grid or block that has no extent, if one has none.
pub(super) fn empty(shape: &LaunchShape) -> bool {
    shape.grid.contains(&0) || shape.block.contains(&0)
}
