//! A loaded PTX module and what a host may ask of its entries.

use crate::decode::{DecodedEntry, decode};
use crate::error::LoadError;
use crate::memory::Buffer;
use crate::memory::heap::Heap;
use crate::parse::parse;
use crate::program::param::Param;
use crate::table;

/// PTX that has been parsed and decoded, ready to launch.
///
/// It owns the `.global` variables of the PTX: what a launch stores there, the next one reads, as on a GPU.
#[derive(Debug)]
pub struct Module {
    entries: Vec<Entry>,
    constants: Vec<u32>,
    globals: Vec<Buffer>,
    heap: Option<Heap>,
}

/// One kernel of a module.
#[derive(Debug)]
pub struct Entry {
    decoded: DecodedEntry,
}

impl Module {
    /// Parses and decodes PTX text.
    ///
    /// # Errors
    /// [`LoadError`], with the line. Nothing that loads is refused later for what it contains.
    pub fn load(source: &str) -> Result<Self, LoadError> {
        let decoded = decode(&parse(source)?, table::find)?;
        let entries = decoded
            .entries
            .into_iter()
            .map(|decoded| Entry { decoded })
            .collect();
        Ok(Self {
            entries,
            constants: decoded.constants,
            globals: decoded.globals,
            heap: if decoded.uses_heap { Heap::new() } else { None },
        })
    }

    /// The same for bytes from a file.
    ///
    /// # Errors
    /// [`LoadError::NotText`] if they are not UTF-8, else as [`Module::load`].
    pub fn load_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        match std::str::from_utf8(bytes) {
            Ok(source) => Self::load(source),
            Err(error) => Err(LoadError::NotText {
                offset: error.valid_up_to(),
            }),
        }
    }

    /// The kernels, in the order of the text.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`LoadError::UnknownEntry`], which lists those there are.
    pub fn entry(&self, name: &str) -> Result<&Entry, LoadError> {
        self.entries
            .iter()
            .find(|entry| entry.name() == name)
            .ok_or_else(|| LoadError::UnknownEntry {
                name: name.to_string(),
                available: self.names(),
            })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.entries
            .iter()
            .map(|entry| entry.name().to_string())
            .collect()
    }

    pub(crate) fn constants(&self) -> &[u32] {
        &self.constants
    }

    pub(crate) fn heap(&self) -> Option<&Heap> {
        self.heap.as_ref()
    }

    pub(crate) fn globals(&self) -> &[Buffer] {
        &self.globals
    }
}

impl Entry {
    /// Name in the PTX.
    pub fn name(&self) -> &str {
        &self.decoded.name
    }

    /// Parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.decoded.params
    }

    /// Bytes of shared memory that the PTX itself declares.
    pub fn static_shared_bytes(&self) -> u32 {
        self.decoded.program.static_shared_bytes
    }

    /// The most threads a block may have, from `.maxntid` or `.reqntid`.
    pub fn max_threads(&self) -> Option<u32> {
        self.decoded.max_threads
    }

    /// Whether it has an `.extern .shared` array, whose size the launch gives.
    pub fn uses_dynamic_shared(&self) -> bool {
        self.decoded.program.uses_dynamic_shared
    }

    pub(crate) fn decoded(&self) -> &DecodedEntry {
        &self.decoded
    }
}
