//! Buffers that a host brings along: over words of its own, at addresses of its choice.

use std::sync::atomic::AtomicU32;

use crate::error::MemoryError;
use crate::memory::heap;
use crate::memory::words::Words;
use crate::memory::{Buffer, Memory};

impl Memory {
    /// Takes words of the host as a buffer at `base`, without a copy: what a kernel stores there, the host sees, and what
    /// the host stores counts as the kernel's own. With `is_written` all of it counts as initialised from now on; without,
    /// only what [`Memory::write`], [`Memory::fill`] and kernels write.
    ///
    /// # Errors
    /// [`MemoryError::Taken`] if another buffer has one of the addresses, if `base` is no multiple of 4, or if it ends where
    /// the heap of device code begins, 0x7f00_0000_0000; [`MemoryError::OutOfRange`] if the words are fewer than the bytes.
    pub fn adopt(
        &mut self,
        (name, is_written): (&str, bool),
        base: u64,
        bytes: usize,
        words: &'static [AtomicU32],
    ) -> Result<(), MemoryError> {
        if words.len() < bytes.div_ceil(4) {
            return Err(MemoryError::OutOfRange {
                address: base,
                bytes,
            });
        }
        let buffer = Buffer::over(name, base, bytes, Words::Lent(words));
        if !is_written {
            buffer.mark(0, bytes, false);
        }
        self.insert(buffer)
    }

    /// Takes a buffer in, in the order of addresses.
    pub(crate) fn insert(&mut self, buffer: Buffer) -> Result<(), MemoryError> {
        let at = self.room(&buffer).ok_or(MemoryError::Taken {
            address: buffer.base,
        })?;
        self.next = self.next.max(super::after(buffer.base, buffer.bytes));
        self.buffers.insert(at, buffer);
        Ok(())
    }

    /// Where in the order of addresses a buffer fits.
    pub(crate) fn room(&self, buffer: &Buffer) -> Option<usize> {
        let end = buffer.base.checked_add(buffer.bytes as u64)?;
        let at = self.buffers.partition_point(|b| b.base < buffer.base);
        let is_free = self.buffers.get(at).is_none_or(|next| {
            // An empty buffer has an address too.
            end <= next.base && buffer.base < next.base
        });
        let before = at
            .checked_sub(1)
            .and_then(|before| self.buffers.get(before));
        let follows = before.is_none_or(|b| b.base + b.bytes as u64 <= buffer.base);
        let fits = buffer.base.is_multiple_of(4) && end <= heap::FIRST_ADDRESS;
        (is_free && follows && fits).then_some(at)
    }
}
