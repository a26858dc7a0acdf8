//! Emulated global memory: named buffers at GPU-like addresses. What a kernel may do with it is the interpreter's affair.

pub(crate) mod cache;
pub(crate) mod faults;
pub(crate) mod heap;
pub(crate) mod initialised;
mod lent;
pub(crate) mod textures;
pub(crate) mod touches;
mod words;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::error::MemoryError;
use crate::report::BufferInfo;
use crate::surface::Surface;
use crate::texture::Texture;

use crate::memory::initialised::Initialised;
use crate::memory::textures::Textures;
use crate::memory::words::Words;

/// First address handed out.
const FIRST_ADDRESS: u64 = 0x7000_0000_0000;

/// Buffers start at multiples of this, as the driver's large allocations do.
const GRANULE_BYTES: u64 = 2 << 20;

/// Words that are set by one call: a browser runs a function's quicker code from the next call on.
const PART_WORDS: usize = 1 << 14;

/// One allocation. The words are atomics, accessed relaxed: racing stores of an emulated kernel stay defined in Rust.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    pub(crate) base: u64,
    pub(crate) bytes: usize,
    pub(crate) words: Words,
    /// What has been written, as far as it is known; a checked launch takes it along.
    initialised: Mutex<Initialised>,
    /// What it was last poisoned with.
    poison: AtomicU32,
}

/// The index of the buffer that holds `bytes` from `address`, and the offset there; the buffers are sorted by address.
pub(crate) fn locate(buffers: &[&Buffer], address: u64, bytes: usize) -> Option<(usize, usize)> {
    let after = buffers.partition_point(|buffer| buffer.base <= address);
    let index = after.checked_sub(1)?;
    Some((index, buffers[index].offset(address, bytes)?))
}

/// Whether so many bytes of shared memory lie in its first `all`, and in none of the gaps, which are sorted.
#[inline(always)]
pub(crate) fn is_shared(address: u64, bytes: u64, all: u32, gaps: &[Range<u64>]) -> bool {
    let Some(end) = address.checked_add(bytes) else {
        return false;
    };
    if end > u64::from(all) || gaps.is_empty() {
        return end <= u64::from(all);
    }
    let next = gaps.partition_point(|gap| gap.end <= address);
    gaps.get(next).is_none_or(|gap| end <= gap.start)
}

/// Where the next buffer may begin behind one: with addresses between that nobody owns. The last address of all if there
/// is no room.
fn after(base: u64, bytes: usize) -> u64 {
    let span = (bytes as u64).checked_next_multiple_of(GRANULE_BYTES);
    let end = span.and_then(|span| base.checked_add(span)?.checked_add(GRANULE_BYTES));
    end.unwrap_or(u64::MAX)
}

#[inline(never)]
fn add_zeros(words: &mut Vec<AtomicU32>, more: usize) {
    words.resize_with(words.len() + more, || AtomicU32::new(0));
}

#[inline(never)]
fn set_words(words: &[AtomicU32], value: u32) {
    for word in words {
        word.store(value, Relaxed);
    }
}

impl Buffer {
    pub(crate) fn new(name: &str, base: u64, bytes: usize) -> Result<Self, MemoryError> {
        let too_large = || MemoryError::TooLarge {
            name: name.to_string(),
            bytes,
        };
        let count = bytes.div_ceil(4);
        let mut words: Vec<AtomicU32> = Vec::new();
        words.try_reserve_exact(count).map_err(|_| too_large())?;
        while words.len() < count {
            let more = (count - words.len()).min(PART_WORDS);
            add_zeros(&mut words, more);
        }
        Ok(Self::over(name, base, bytes, Words::from(words)))
    }

    /// A buffer over these words, all of them written.
    fn over(name: &str, base: u64, bytes: usize, words: Words) -> Self {
        Self {
            name: name.to_string(),
            base,
            bytes,
            words,
            initialised: Mutex::new(Initialised::All),
            poison: AtomicU32::new(0),
        }
    }

    /// What is known to have been written. Until it is put back, all counts as written.
    pub(crate) fn take_initialised(&self) -> Initialised {
        std::mem::replace(&mut *self.lock_initialised(), Initialised::All)
    }

    pub(crate) fn put_initialised(&self, state: Initialised) {
        *self.lock_initialised() = state;
    }

    /// Bytes from `offset` on are written, or no more.
    fn mark(&self, offset: usize, bytes: usize, written: bool) {
        self.lock_initialised()
            .mark(offset, bytes, self.bytes, written);
    }

    fn lock_initialised(&self) -> std::sync::MutexGuard<'_, Initialised> {
        self.initialised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn info(&self) -> BufferInfo {
        BufferInfo {
            name: self.name.clone(),
            base: self.base,
            bytes: self.bytes,
        }
    }

    /// Offset of `address` in the buffer if `bytes` from there lie inside it.
    #[inline(always)]
    pub(crate) fn offset(&self, address: u64, bytes: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        let room = (self.bytes as u64).checked_sub(bytes as u64)?;
        (offset <= room).then_some(offset as usize)
    }

    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            if at.is_multiple_of(4) && rest.len() >= 4 {
                let (whole, later) = rest.as_chunks::<4>();
                for (word, bytes) in self.words[at / 4..].iter().zip(whole) {
                    word.store(u32::from_le_bytes(*bytes), Relaxed);
                }
                at += 4 * whole.len();
                rest = later;
            } else {
                self.store_byte(at, rest[0]);
                at += 1;
                rest = &rest[1..];
            }
        }
    }

    pub(crate) fn read(&self, offset: usize, out: &mut [u8]) {
        let mut at = offset;
        let mut rest = out;
        while !rest.is_empty() {
            if at.is_multiple_of(4) && rest.len() >= 4 {
                let (whole, later) = rest.as_chunks_mut::<4>();
                for (word, bytes) in self.words[at / 4..].iter().zip(whole.iter_mut()) {
                    *bytes = word.load(Relaxed).to_le_bytes();
                }
                at += 4 * whole.len();
                rest = later;
            } else {
                rest[0] = (self.words[at / 4].load(Relaxed) >> (8 * (at % 4))) as u8;
                at += 1;
                rest = &mut rest[1..];
            }
        }
    }

    /// Puts words back as they were poisoned.
    pub(crate) fn restore(&self, first: usize, count: usize) {
        let end = (first + count).min(self.words.len());
        let poison = self.poison.load(Relaxed);
        set_words(&self.words[first.min(end)..end], poison);
    }

    fn store_byte(&self, at: usize, byte: u8) {
        let shift = 8 * (at % 4);
        let word = &self.words[at / 4];
        // Neighbouring bytes may be stored by another thread: replace only our own.
        let _ = word.fetch_update(Relaxed, Relaxed, |old| {
            Some((old & !(0xff << shift)) | (u32::from(byte) << shift))
        });
    }
}

/// Global memory of one emulated device.
///
/// Addresses look like a GPU's: aligned to at least 256 bytes, never zero, with unowned addresses
/// between any two buffers, so that an access one past a buffer's end belongs to no other.
#[derive(Debug)]
pub struct Memory {
    buffers: Vec<Buffer>,
    next: u64,
    /// The last buffers that were freed, for the words of findings.
    freed: VecDeque<BufferInfo>,
    textures: Textures,
}

/// So many freed buffers are remembered.
const MOST_FREED: usize = 256;

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Memory without buffers.
    pub fn new() -> Self {
        Self {
            buffers: Vec::new(),
            next: FIRST_ADDRESS,
            freed: VecDeque::new(),
            textures: Textures::default(),
        }
    }

    /// Allocates `bytes` bytes and returns their address. `name` is what findings call the buffer. The bytes are zero,
    /// but count as uninitialised until they are written, as those of `cudaMalloc` do.
    ///
    /// # Errors
    /// [`MemoryError::TooLarge`] if this machine has not the memory.
    pub fn allocate(&mut self, bytes: usize, name: &str) -> Result<u64, MemoryError> {
        let too_large = || MemoryError::TooLarge {
            name: name.to_string(),
            bytes,
        };
        let base = self.next;
        let next = after(base, bytes);
        if next == u64::MAX {
            return Err(too_large());
        }
        let buffer = Buffer::new(name, base, bytes)?;
        buffer.mark(0, bytes, false);
        self.buffers.push(buffer);
        self.next = next;
        Ok(base)
    }

    /// Frees the buffer that starts at `address`. Its addresses are not handed out again.
    ///
    /// # Errors
    /// [`MemoryError::NotABuffer`] if none starts there.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        match self
            .buffers
            .iter()
            .position(|buffer| buffer.base == address)
        {
            Some(index) => {
                let buffer = self.buffers.remove(index);
                if self.freed.len() == MOST_FREED {
                    self.freed.pop_front();
                }
                self.freed.push_back(buffer.info());
                Ok(())
            }
            None => Err(MemoryError::NotABuffer { address }),
        }
    }

    /// Copies `bytes` to `address`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range does not lie in one buffer; nothing is written then.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (buffer, offset) = self.range(address, bytes.len())?;
        buffer.write(offset, bytes);
        buffer.mark(offset, bytes.len(), true);
        Ok(())
    }

    /// Copies from `address` into `out`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range does not lie in one buffer.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let (buffer, offset) = self.range(address, out.len())?;
        buffer.read(offset, out);
        Ok(())
    }

    /// Fills `bytes` bytes from `address` with the little-endian bytes of `word`, repeated.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range does not lie in one buffer; nothing is written then.
    pub fn fill(&self, address: u64, bytes: usize, word: u32) -> Result<(), MemoryError> {
        self.set(address, bytes, word, true)
    }

    /// The same, but the bytes count as uninitialised: a checked launch finds a kernel that reads them.
    ///
    /// # Errors
    /// As [`Memory::fill`].
    pub fn poison(&self, address: u64, bytes: usize, word: u32) -> Result<(), MemoryError> {
        self.set(address, bytes, word, false)
    }

    /// How many of the elements from `address` on nobody has written since they were poisoned, and the first of them. A
    /// checked launch keeps account of what it writes.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range does not lie in one buffer.
    pub fn unwritten(
        &self,
        address: u64,
        bytes: usize,
        element_bytes: usize,
    ) -> Result<Option<(usize, usize)>, MemoryError> {
        let (buffer, offset) = self.range(address, bytes)?;
        let initialised = buffer.lock_initialised();
        let element = element_bytes.max(1);
        let is_unwritten = |at: &usize| !initialised.covers(offset + at * element, element);
        let mut unwritten = (0..bytes / element).filter(is_unwritten);
        Ok(unwritten.next().map(|first| (1 + unwritten.count(), first)))
    }

    fn set(&self, address: u64, bytes: usize, word: u32, written: bool) -> Result<(), MemoryError> {
        let (buffer, offset) = self.range(address, bytes)?;
        buffer.mark(offset, bytes, written);
        if !written {
            buffer.poison.store(word, Relaxed);
        }
        if offset.is_multiple_of(4) {
            let whole = &buffer.words[offset / 4..(offset + bytes) / 4];
            for part in whole.chunks(PART_WORDS) {
                set_words(part, word);
            }
            let tail = bytes % 4;
            buffer.write(offset + bytes - tail, &word.to_le_bytes()[..tail]);
        } else {
            let pattern: Vec<u8> = word.to_le_bytes().into_iter().cycle().take(bytes).collect();
            buffer.write(offset, &pattern);
        }
        Ok(())
    }

    /// The buffer that holds `address`, if one does.
    pub fn buffer_at(&self, address: u64) -> Option<BufferInfo> {
        self.buffers
            .iter()
            .find(|buffer| buffer.offset(address, 1).is_some())
            .map(Buffer::info)
    }

    /// The buffer that held `address` and was freed, if one did and it is not too long ago.
    pub(crate) fn freed_at(&self, address: u64) -> Option<&BufferInfo> {
        let held = |buffer: &&BufferInfo| address.wrapping_sub(buffer.base) < buffer.bytes as u64;
        self.freed.iter().find(held)
    }

    /// Makes a texture known to kernels, and returns its handle, which a kernel takes as a `cudaTextureObject_t`.
    pub fn bind_texture(&mut self, texture: Texture) -> u64 {
        self.textures.add(texture)
    }

    /// Frees a texture; the memory that it may lie over stays. Its handle is not handed out again.
    ///
    /// # Errors
    /// [`MemoryError::NotATexture`] if there is none with this handle.
    pub fn unbind_texture(&mut self, handle: u64) -> Result<(), MemoryError> {
        match self.textures.remove(handle) {
            true => Ok(()),
            false => Err(MemoryError::NotATexture { handle }),
        }
    }

    /// Makes a surface known to kernels, and returns its handle, which a kernel takes as a `cudaSurfaceObject_t`.
    pub fn bind_surface(&mut self, surface: Surface) -> u64 {
        self.textures.add_surface(surface)
    }

    /// Frees a surface; the memory that it lies in stays. Its handle is not handed out again.
    ///
    /// # Errors
    /// [`MemoryError::NotATexture`] if there is none with this handle.
    pub fn unbind_surface(&mut self, handle: u64) -> Result<(), MemoryError> {
        match self.textures.remove_surface(handle) {
            true => Ok(()),
            false => Err(MemoryError::NotATexture { handle }),
        }
    }

    pub(crate) fn textures(&self) -> &Textures {
        &self.textures
    }

    pub(crate) fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    fn range(&self, address: u64, bytes: usize) -> Result<(&Buffer, usize), MemoryError> {
        self.buffers
            .iter()
            .find_map(|buffer| buffer.offset(address, bytes).map(|offset| (buffer, offset)))
            .ok_or(MemoryError::OutOfRange { address, bytes })
    }
}
