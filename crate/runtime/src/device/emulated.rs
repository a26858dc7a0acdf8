//! The emulator as a device: its memory behind a lock, its errors in the library's words. What it executes and counts is its own package's.

use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::{Memory, MemoryError, Surface, Texture};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The emulator's global memory. Launches, reads and writes share it; only allocation needs it alone.
pub struct EmulatedDevice {
    memory: RwLock<Memory>,
}

impl std::fmt::Debug for EmulatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmulatedDevice")
    }
}

impl EmulatedDevice {
    pub(crate) fn new() -> Self {
        Self {
            memory: RwLock::new(Memory::new()),
        }
    }

    /// The memory. A panic elsewhere leaves it usable: its words are atomic and its list of buffers whole.
    pub(crate) fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allocate(&self, name: &str, bytes: usize) -> Result<u64> {
        memory::check(&format!("buffer `{name}`"), bytes)?;
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        memory
            .allocate(bytes, name)
            .map_err(|error| translate(name, &error))
    }

    pub(crate) fn free(&self, address: u64) {
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        // Only a buffer's drop comes here, once, with the address that it was given.
        let _ = memory.free(address);
    }

    pub(crate) fn make_texture(&self, texture: Texture) -> u64 {
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        memory.bind_texture(texture)
    }

    pub(crate) fn free_texture(&self, handle: u64) {
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        // Only a texture's drop comes here, once, with the handle that it was given.
        let _ = memory.unbind_texture(handle);
    }

    pub(crate) fn make_surface(&self, surface: Surface) -> u64 {
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        memory.bind_surface(surface)
    }

    pub(crate) fn free_surface(&self, handle: u64) {
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        // Only a surface's drop comes here, once, with the handle that it was given.
        let _ = memory.unbind_surface(handle);
    }

    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> Result<()> {
        self.memory()
            .read(address, out)
            .map_err(|error| translate("read", &error))
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.memory()
            .write(address, bytes)
            .map_err(|error| translate("write", &error))
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, byte: u8) -> Result<()> {
        let word = u32::from_le_bytes([byte; 4]);
        self.memory()
            .fill(address, bytes, word)
            .map_err(|error| translate("fill", &error))
    }

    pub(crate) fn poison(&self, address: u64, bytes: usize, byte: u8) -> Result<()> {
        let word = u32::from_le_bytes([byte; 4]);
        self.memory()
            .poison(address, bytes, word)
            .map_err(|error| translate("poison", &error))
    }

    /// As [`Memory::unwritten`].
    pub(crate) fn unwritten(
        &self,
        address: u64,
        bytes: usize,
        element_bytes: usize,
    ) -> Result<Option<(usize, usize)>> {
        self.memory()
            .unwritten(address, bytes, element_bytes)
            .map_err(|error| translate("unwritten", &error))
    }
}

fn translate(name: &str, error: &MemoryError) -> Error {
    match error {
        MemoryError::TooLarge { bytes, .. } => {
            memory::lacking(&format!("buffer `{name}`"), *bytes, None)
        }
        other => Error::Buffer {
            name: name.to_string(),
            reason: other.to_string(),
        },
    }
}
