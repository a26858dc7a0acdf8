//! What a checked launch watches: reads of memory that nothing has written, and races of warps and of blocks.
//!
//! Most accesses meet no other since the block's last barrier: `marks` tells by a bit for each granule of memory, 32 of
//! them, a segment, at a time (`footprint` cuts what a group of warps accesses into segments), and `log` notes them as
//! they come. Only where an access meets another does `cells` have to know who accessed the granule last, and `clocks`
//! what happened before what among the block's warps. What asynchronous copies do, `copies` takes by ranges. `segments`
//! gathers what the block did to global memory for `grid`, which compares blocks when they end: by bits (`seen`) as
//! long as none meet, else by who did what (`pages`, `told`). A granule is as wide as the narrowest access of the
//! program: neighbouring bytes stored by different threads are no race. A value that nobody may use is no finding
//! before something uses it (`undefined`). What is a race at all, `model` says. Without `Options::check` there is none of this.

mod alone;
mod block;
mod cells;
mod clocks;
mod cluster;
mod copies;
mod flights;
mod footprint;
mod found;
mod grid;
mod groups;
mod known;
mod lanes;
mod local;
mod log;
mod marks;
mod members;
mod model;
mod order;
mod pages;
mod parcels;
mod partial;
mod remote;
mod seen;
mod segments;
mod sent;
mod sources;
mod steps;
mod told;
mod undefined;
mod undo;
mod unmet;
mod unread;
mod unwritten;
mod volatile;
mod watchers;

use std::ops::Range;

use crate::memory::Buffer;
use crate::memory::faults::Faults;
use crate::memory::heap::Heap;
use crate::program::Program;
use crate::program::access::Wanted;
use crate::program::kinds::WARP;
use crate::report::Space;

pub(crate) use alone::LaneTouch;
pub(crate) use block::{BlockShadow, races_of_grid};
pub(crate) use cluster::{ClusterShadow, Remote};
pub(crate) use copies::{CopyAct, CopyTouch};
pub(crate) use footprint::Footprint;
pub(crate) use found::{Race, merge_races};
pub(crate) use grid::GridShadow;
pub(crate) use groups::GroupTouch;
pub(crate) use local::Stored;
pub(crate) use members::Collective;
pub(crate) use parcels::Sending;
pub(crate) use sources::Source;
pub(crate) use undefined::{Causes, Undefined};
pub(crate) use unwritten::Unwritten;

#[cfg(test)]
mod oracle;

/// One warp's access to global or shared memory, before it is done.
pub(crate) struct Touch<'t> {
    pub(crate) space: Space,
    pub(crate) place: u32,
    /// Warp in the block.
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    pub(crate) addresses: &'t [u64; WARP],
    /// Bytes per lane.
    pub(crate) bytes: u32,
    pub(crate) act: TouchAct<'t>,
    /// It is strong, but its scope is the block.
    pub(crate) is_narrow: bool,
    /// It is a load past the caches that stores go through (`ld.global.nc`).
    pub(crate) is_constant: bool,
    /// What becomes of what it loads.
    pub(crate) wanted: Wanted,
    /// It is an asynchronous copy's, which has been waited for.
    pub(crate) is_copy: bool,
}

/// What an access does.
#[derive(Clone, Copy)]
pub(crate) enum TouchAct<'t> {
    Load,
    /// The words stored: word `w` of lane `l` is at `[w][l]`.
    Store(&'t [[u32; WARP]; 4]),
    /// An asynchronous copy to shared memory starts: until it is waited for, nothing is stored, but nobody may be
    /// reading any more.
    Begin,
    /// Reads unless it only exchanges; `swaps` if it compares first.
    Atomic {
        reads: bool,
        swaps: bool,
    },
}

/// The narrowest access of a program to memory that its threads share, in bytes: 1, 2 or 4.
pub(crate) fn granule(program: &Program) -> u32 {
    let shared =
        |space: Option<Space>| !matches!(space, Some(Space::Local | Space::Const | Space::Param));
    let widths = program
        .accesses
        .iter()
        .filter(|access| shared(access.space))
        .map(|access| access.element);
    widths.min().unwrap_or(4).clamp(1, 4)
}

/// What a launch's checks see of memory, and where they say what they found.
pub(crate) struct Around<'w> {
    /// Global memory, sorted by address.
    pub(crate) buffers: &'w [&'w Buffer],
    /// The heap of device code, which is the last buffer.
    pub(crate) heap: Option<&'w Heap>,
    pub(crate) program: &'w Program,
    pub(crate) shared: &'w [u32],
    pub(crate) shared_bytes: u32,
    pub(crate) shared_gaps: &'w [Range<u64>],
    pub(crate) faults: &'w mut Faults,
}

impl Around<'_> {
    /// Whether an access to a buffer is left out: it is one to the heap of device code that lies in nothing that
    /// `malloc` gave, which is found elsewhere, or the heap has handed out freed memory again, so that its old and new
    /// owners cannot be told apart.
    fn leaves_out(&self, buffer: usize, address: u64, bytes: u64) -> bool {
        let Some(heap) = self.heap.filter(|_| buffer + 1 == self.buffers.len()) else {
            return false;
        };
        heap.has_reused() || heap.miss(address, bytes).is_some()
    }
}
