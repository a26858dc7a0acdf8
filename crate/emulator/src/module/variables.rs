//! A module's variables as a host sees them: where they lie, what constants hold, and how other modules reach them.

use crate::decode::{FIRST_GLOBAL, MOST_GLOBAL_BYTES};
use crate::error::{LoadError, MemoryError};
use crate::memory::{Buffer, Memory};
use crate::module::Module;
use crate::program::space::WORKSPACE;
use crate::program::variable::ModuleVariable;
use std::sync::atomic::AtomicU32;

/// Where the `.global` variables of a module begin that [`Module::load`] has loaded.
pub const VARIABLES: u64 = FIRST_GLOBAL;
/// They end before [`VARIABLES`] and this, but for gaps between many small ones.
pub const VARIABLES_BYTES: u64 = 2 * MOST_GLOBAL_BYTES;

impl Module {
    /// As [`Module::load`], but the `.global` variables begin at `first` or the next multiple of 256, so that those of
    /// several modules can lie in one memory: see [`Module::share_variables`].
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn load_at(source: &str, first: u64) -> Result<Self, LoadError> {
        Self::decoded(source, true, first.next_multiple_of(256))
    }

    /// The variables in global and constant memory, in the order of the text.
    pub fn variables(&self) -> &[ModuleVariable] {
        &self.variables
    }

    /// Makes the `.global` variables buffers of a memory: the kernels of all modules and the host then reach them by their
    /// addresses, as on a GPU. They lie in words of the host, of which the first stands for the address `first`.
    /// [`Memory::free`] takes each away again.
    ///
    /// # Errors
    /// [`MemoryError::Taken`] if a buffer has one of their addresses: [`Module::load_at`] decides them;
    /// [`MemoryError::OutOfRange`] if one does not lie in the words. Nothing is shared then.
    pub fn share_variables(
        &mut self,
        memory: &mut Memory,
        (first, words): (u64, &'static [AtomicU32]),
    ) -> Result<(), MemoryError> {
        let own = |buffer: &Buffer| buffer.base == WORKSPACE;
        let part = |buffer: &Buffer| {
            let at = usize::try_from(buffer.base.checked_sub(first)? / 4).ok()?;
            words.get(at..at.checked_add(buffer.bytes.div_ceil(4))?)
        };
        for buffer in self.globals.iter().filter(|buffer| !own(buffer)) {
            let (address, bytes) = (buffer.base, buffer.bytes);
            if memory.room(buffer).is_none() {
                return Err(MemoryError::Taken { address });
            }
            if part(buffer).is_none() {
                return Err(MemoryError::OutOfRange { address, bytes });
            }
        }
        let (kept, shared): (Vec<_>, Vec<_>) = self.globals.drain(..).partition(own);
        self.globals = kept;
        for buffer in shared {
            // Each was found a moment ago.
            let words = part(&buffer).unwrap_or_default();
            memory.insert(buffer.moved_to(words))?;
        }
        Ok(())
    }

    /// Writes bytes of the bank of constants from `offset` on, for the launches that follow.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if they do not lie in the bank; nothing is written then.
    pub fn write_constants(&mut self, offset: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let first = self.in_bank(offset, bytes.len())?;
        for (at, byte) in (first..).zip(bytes) {
            let shift = 8 * (at % 4);
            let word = &mut self.constants[at / 4];
            *word = *word & !(0xff << shift) | u32::from(*byte) << shift;
        }
        Ok(())
    }

    /// Reads bytes of the bank of constants from `offset` on.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if they do not lie in the bank.
    pub fn read_constants(&self, offset: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let first = self.in_bank(offset, out.len())?;
        for (at, byte) in (first..).zip(out) {
            *byte = (self.constants[at / 4] >> (8 * (at % 4))) as u8;
        }
        Ok(())
    }

    fn in_bank(&self, offset: u64, bytes: usize) -> Result<usize, MemoryError> {
        let end = offset.checked_add(bytes as u64);
        match end {
            Some(end) if end <= 4 * self.constants.len() as u64 => Ok(offset as usize),
            _ => Err(MemoryError::OutOfRange {
                address: offset,
                bytes,
            }),
        }
    }
}
