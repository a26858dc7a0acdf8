//! How much of this machine's memory a launch takes beside its buffers. Whether there is that much is for others to say.

use crate::check;
use crate::decode::DecodedEntry;
use crate::error::LaunchError;
use crate::launch::Options;
use crate::memory::Buffer;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::run::preset::LaunchShape;

/// What is kept of how the lanes of one access lie to each other.
const PATTERN_BYTES: u64 = 1 << 10;
/// What a checked launch keeps of a page of 1024 granules.
const PAGE_GRANULES: u64 = 1 << 10;
const PAGE_BYTES: u64 = 704;

/// Bytes for so many host threads, and for the shadow of these buffers if the launch is checked: more than it takes
/// unless its blocks race all over them.
pub(super) fn needed(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    options: &Options,
    (buffers, workers): (&[&Buffer], u64),
) -> u64 {
    let program = &entry.program;
    let lanes = (GROUP_WARPS * WARP) as u64;
    let groups = u64::from(shape.threads()).div_ceil(lanes);
    let words = (program.word_slots + program.word_presets.len()) as u64;
    let longs = (program.long_slots + program.long_presets.len()) as u64;
    let lane = 4 * words + 8 * longs + u64::from(program.local_bytes);
    let shared = u64::from(program.static_shared_bytes) + u64::from(shape.dynamic_shared_bytes);
    let seat = groups * lanes * lane + shared + PATTERN_BYTES * program.accesses.len() as u64;
    let shadow = if options.check {
        let granule = u64::from(check::granule(program));
        let one = |buffer: &&Buffer| {
            let bytes = buffer.bytes as u64;
            // What was there before, in case that the launch is repeated, and what of it was written.
            bytes + bytes / 8 + bytes.div_ceil(PAGE_GRANULES * granule) * PAGE_BYTES
        };
        buffers.iter().map(one).sum()
    } else {
        0
    };
    workers * seat + shadow
}

/// Refuses what cannot be had, before anything is allocated piece by piece, where nothing could be refused any more.
pub(super) fn probe(entry: &DecodedEntry, bytes: u64) -> Result<(), LaunchError> {
    // WebAssembly never gives memory back.
    if cfg!(target_arch = "wasm32") {
        return Ok(());
    }
    let mut room: Vec<u8> = Vec::new();
    let asked = usize::try_from(bytes).unwrap_or(usize::MAX);
    room.try_reserve_exact(asked)
        .map_err(|_| LaunchError::HostMemory {
            entry: entry.name.clone(),
            bytes,
        })
}
