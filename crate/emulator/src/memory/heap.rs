//! The heap of device code, in one buffer: what is handed out, what was given back. The instructions on it are in `operations::heap`.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::Buffer;
use crate::memory::initialised::Initialised;
use crate::report::HEAP_NAME;

/// CUDA C++ Programming Guide, "Dynamic Global Memory Allocation": the default size.
const HEAP_BYTES: u64 = 8 << 20;
/// First address: behind all buffers of the host.
pub(super) const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;
/// Allocations are aligned to this.
const ALIGN_BYTES: u64 = 16;

/// A module's heap. What one launch allocates, the next may use.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) buffer: Buffer,
    parts: Mutex<Parts>,
    /// Freed memory has been handed out again.
    has_reused: AtomicBool,
}

/// Parts of the heap by first address.
#[derive(Debug)]
struct Parts {
    /// What has never been handed out begins here.
    fresh: u64,
    /// Given back, with their sizes. They are handed out again only when nothing else is left, so that whoever still
    /// uses them is found.
    freed: BTreeMap<u64, u64>,
    used: BTreeMap<u64, Used>,
}

#[derive(Debug, Clone, Copy)]
struct Used {
    /// Bytes asked for.
    asked: u64,
    /// Bytes taken.
    taken: u64,
}

/// What an access to the heap misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    /// Memory given back: its first address.
    Freed(u64),
    /// The memory before it, from its first address, with its size; none if nothing was handed out before it.
    Past(Option<(u64, u64)>),
}

impl Heap {
    /// An empty heap; none if the host has not the memory.
    pub(crate) fn new() -> Option<Self> {
        let buffer = Buffer::new(HEAP_NAME, FIRST_ADDRESS, HEAP_BYTES as usize).ok()?;
        // `malloc` does not clear what it gives.
        buffer.put_initialised(Initialised::None);
        Some(Self {
            has_reused: AtomicBool::new(false),
            buffer,
            parts: Mutex::new(Parts {
                fresh: FIRST_ADDRESS,
                freed: BTreeMap::new(),
                used: BTreeMap::new(),
            }),
        })
    }

    /// The address of so many bytes, 0 if there is no room.
    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let asked = bytes.max(1);
        // Behind each lies what belongs to nobody.
        let taken = asked
            .checked_next_multiple_of(ALIGN_BYTES)
            .and_then(|bytes| bytes.checked_add(ALIGN_BYTES));
        let Some(taken) = taken else {
            return 0;
        };
        let mut parts = self.lock();
        let start = parts.fresh;
        if taken <= FIRST_ADDRESS + HEAP_BYTES - start {
            parts.fresh += taken;
            parts.used.insert(start, Used { asked, taken });
            return start;
        }
        let found = parts.freed.iter().find(|(_, size)| **size >= taken);
        let Some((start, size)) = found.map(|(start, size)| (*start, *size)) else {
            return 0;
        };
        self.has_reused.store(true, Relaxed);
        parts.freed.remove(&start);
        if size > taken {
            parts.freed.insert(start + taken, size - taken);
        }
        parts.used.insert(start, Used { asked, taken });
        start
    }

    /// Whether freed memory has been handed out again.
    pub(crate) fn has_reused(&self) -> bool {
        self.has_reused.load(Relaxed)
    }

    /// The bytes that were asked for when `malloc` gave this address, if it is not freed yet.
    pub(crate) fn asked(&self, address: u64) -> Option<u64> {
        let parts = self.lock();
        parts.used.get(&address).map(|used| used.asked)
    }

    /// Whether the address was one that `malloc` had given.
    pub(crate) fn free(&self, address: u64) -> bool {
        let mut parts = self.lock();
        let Some(Used { taken, .. }) = parts.used.remove(&address) else {
            return false;
        };
        let (mut start, mut bytes) = (address, taken);
        if let Some(after) = parts.freed.remove(&(start + bytes)) {
            bytes += after;
        }
        let before = parts.freed.range(..start).next_back();
        if let Some((first, size)) = before.map(|(first, size)| (*first, *size))
            && first + size == start
        {
            start = first;
            bytes += size;
        }
        parts.freed.insert(start, bytes);
        true
    }

    /// What an access to the heap misses, if it does not lie in memory that is handed out.
    pub(crate) fn miss(&self, address: u64, bytes: u64) -> Option<Miss> {
        let parts = self.lock();
        let before = parts.used.range(..=address).next_back();
        if let Some((start, used)) = before
            && address + bytes <= start + used.asked
        {
            return None;
        }
        let freed = parts.freed.range(..=address).next_back();
        Some(match freed {
            Some((start, size)) if address < start + size => Miss::Freed(*start),
            _ => Miss::Past(before.map(|(start, used)| (*start, used.asked))),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
