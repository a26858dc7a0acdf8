//! The heap of device code, first fit in one buffer. The instructions on it are in `operations::heap`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::memory::Buffer;

/// CUDA C++ Programming Guide, "Dynamic Global Memory Allocation": the default size.
const HEAP_BYTES: u64 = 8 << 20;
/// First address: behind all buffers of the host.
const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;
/// Allocations are aligned to this.
const ALIGN_BYTES: u64 = 16;

/// A module's heap. What one launch allocates, the next may use.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) buffer: Buffer,
    parts: Mutex<Parts>,
}

/// Parts of the heap by first address, with their sizes.
#[derive(Debug)]
struct Parts {
    free: BTreeMap<u64, u64>,
    used: BTreeMap<u64, u64>,
}

impl Heap {
    /// An empty heap; none if the host has not the memory.
    pub(crate) fn new() -> Option<Self> {
        let buffer = Buffer::new("device heap", FIRST_ADDRESS, HEAP_BYTES as usize).ok()?;
        Some(Self {
            buffer,
            parts: Mutex::new(Parts {
                free: BTreeMap::from([(FIRST_ADDRESS, HEAP_BYTES)]),
                used: BTreeMap::new(),
            }),
        })
    }

    /// The address of so many bytes, 0 if there is no room.
    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(ALIGN_BYTES) else {
            return 0;
        };
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let found = parts.free.iter().find(|(_, size)| **size >= bytes);
        let Some((start, size)) = found.map(|(start, size)| (*start, *size)) else {
            return 0;
        };
        parts.free.remove(&start);
        if size > bytes {
            parts.free.insert(start + bytes, size - bytes);
        }
        parts.used.insert(start, bytes);
        start
    }

    /// Whether the address was one that `malloc` had given.
    pub(crate) fn free(&self, address: u64) -> bool {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut bytes) = parts.used.remove(&address) else {
            return false;
        };
        let mut start = address;
        if let Some(after) = parts.free.remove(&(start + bytes)) {
            bytes += after;
        }
        let before = parts.free.range(..start).next_back();
        if let Some((first, size)) = before.map(|(first, size)| (*first, *size))
            && first + size == start
        {
            start = first;
            bytes += size;
        }
        parts.free.insert(start, bytes);
        true
    }
}
