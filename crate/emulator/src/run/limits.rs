//! Limits of a launch, as CUDA has them for compute capability 9.0.

use crate::decode::DecodedEntry;
use crate::run::preset::LaunchShape;

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS: u64 = 1024;
const MOST_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
const MOST_SHARED_BYTES: u64 = 227 << 10;

/// A limit that a launch is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Over {
    pub(super) what: String,
    pub(super) value: u64,
    pub(super) most: u64,
}

/// The first limit that the launch is over.
pub(super) fn over_limit(entry: &DecodedEntry, shape: &LaunchShape) -> Option<Over> {
    let axes = ["x", "y", "z"];
    let over =
        |what: String, value: u64, most: u64| (value > most).then_some(Over { what, value, most });
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
    let shared = u64::from(
        entry
            .program
            .dynamic_shared_offset
            .max(entry.program.static_shared_bytes),
    );
    let shared = if shape.dynamic_shared_bytes > 0 {
        shared
    } else {
        u64::from(entry.program.static_shared_bytes)
    };
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
        let bytes = shared + u64::from(shape.dynamic_shared_bytes);
        over(
            "the block's shared memory, in bytes,".to_string(),
            bytes,
            MOST_SHARED_BYTES,
        )
    })
}

/// The axis of a grid or block that has no extent, if one has none.
pub(super) fn empty(shape: &LaunchShape) -> bool {
    shape.grid.contains(&0) || shape.block.contains(&0)
}
