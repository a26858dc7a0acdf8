//! Buffers that a host brings along: over words of its own, at addresses of its choice.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::MemoryError;
use crate::memory::heap;
use crate::memory::words::Words;
use crate::memory::{Buffer, Memory};
use crate::texture::Texture;

impl Buffer {
    /// The same buffer over other words, as many, which take what is in it.
    pub(crate) fn moved_to(self, words: &'static [AtomicU32]) -> Self {
        for (new, old) in words.iter().zip(self.words.iter()) {
            new.store(old.load(Relaxed), Relaxed);
        }
        let words = Words::Lent(words);
        Self { words, ..self }
    }
}

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

    /// Says that the host has written these bytes of words that it has lent: they count as initialised.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range does not lie in one buffer.
    pub fn note_written(&self, address: u64, bytes: usize) -> Result<(), MemoryError> {
        let (buffer, offset) = self.range(address, bytes)?;
        buffer.mark(offset, bytes, true);
        Ok(())
    }

    /// Puts another texture in the place of one, such as the same with other texels: kernels know it by the same handle.
    ///
    /// # Errors
    /// [`MemoryError::NotATexture`] if there is none with this handle.
    pub fn replace_texture(&mut self, handle: u64, texture: Texture) -> Result<(), MemoryError> {
        match self.textures.replace(handle, texture) {
            true => Ok(()),
            false => Err(MemoryError::NotATexture { handle }),
        }
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
