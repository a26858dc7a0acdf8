//! A loaded PTX module and what a host may ask of its entries.

mod variables;

use crate::decode::{DecodedEntry, FIRST_GLOBAL, Listed, decode};
use crate::error::LoadError;
use crate::memory::Buffer;
use crate::memory::heap::Heap;
use crate::parse::parse;
use crate::program::cluster::{Cluster, cluster_misfit};
use crate::program::param::Param;
use crate::program::space::WORKSPACE;
use crate::program::variable::ModuleVariable;
use crate::table;
pub use variables::{VARIABLES, VARIABLES_BYTES};

/// Of the words by which blocks of a cooperative launch wait for each other.
const WORKSPACE_BYTES: usize = 64;

/// PTX that has been parsed and decoded, ready to launch.
///
/// It owns the `.global` variables of the PTX: what a launch stores there, the next one reads, as on a GPU.
#[derive(Debug)]
pub struct Module {
    entries: Vec<Entry>,
    constants: Vec<u32>,
    globals: Vec<Buffer>,
    variables: Vec<ModuleVariable>,
    heap: Option<Heap>,
}

/// One kernel of a module.
#[derive(Debug)]
pub struct Entry {
    listed: Listed,
}

impl Module {
    /// Parses and decodes PTX text.
    ///
    /// # Errors
    /// [`LoadError`], with the line. What is not supported refuses the entries that come by it, in their own code or in
    /// a function that they call, and not the others: see [`Entry::unsupported`]. Only at the module's level, such as in
    /// its header or an `.extern` variable, it refuses the file.
    pub fn load(source: &str) -> Result<Self, LoadError> {
        Self::decoded(source, true, FIRST_GLOBAL)
    }

    /// As [`Module::load`], but each product and each sum is rounded, as the PTX has it. Otherwise a `mul` and an `add` or
    /// `sub` of floating point without a rounding modifier become one `fma` where NVIDIA's assembler makes them one: what
    /// a GPU computes (PTX ISA, `mul`, on fused multiply-add; which ones was found by trials).
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn load_as_written(source: &str) -> Result<Self, LoadError> {
        Self::decoded(source, false, FIRST_GLOBAL)
    }

    fn decoded(source: &str, fuses: bool, first_global: u64) -> Result<Self, LoadError> {
        let decoded = decode(&parse(source)?, table::find, fuses, first_global)?;
        let mut globals = decoded.globals;
        if decoded.provided.workspace {
            let workspace = Buffer::new("grid workspace", WORKSPACE, WORKSPACE_BYTES);
            globals.splice(0..0, workspace.ok());
        }
        let entries = decoded
            .entries
            .into_iter()
            .map(|listed| Entry { listed })
            .collect();
        Ok(Self {
            entries,
            constants: decoded.constants,
            globals,
            variables: decoded.variables,
            heap: if decoded.provided.heap {
                Heap::new()
            } else {
                None
            },
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

    /// The kernels, in the order of the text; those as well that the emulator cannot run.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The kernel of this name, if it can run.
    ///
    /// # Errors
    /// [`LoadError::UnknownEntry`], which lists those there are; [`LoadError::Unsupported`] if the emulator lacks
    /// something that the kernel needs. Its parameters are in [`Module::entries`] even then.
    pub fn entry(&self, name: &str) -> Result<&Entry, LoadError> {
        let entry = self.entries.iter().find(|entry| entry.name() == name);
        let entry = entry.ok_or_else(|| LoadError::UnknownEntry {
            name: name.to_string(),
            available: self.names(),
        })?;
        entry.decoded().map(|_| entry).map_err(Clone::clone)
    }

    /// Whether a launch may leave something behind for the next: the module has variables of its own, or a heap. Loading
    /// it again begins anew.
    pub fn keeps_state(&self) -> bool {
        !self.globals.is_empty() || self.heap.is_some()
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

    /// Puts back what the driver sets before each launch.
    pub(crate) fn prepare(&self) {
        let workspace = self.globals.first();
        if let Some(workspace) = workspace.filter(|buffer| buffer.base == WORKSPACE) {
            workspace.write(0, &[0; WORKSPACE_BYTES]);
        }
    }

    pub(crate) fn globals(&self) -> &[Buffer] {
        &self.globals
    }
}

impl Entry {
    /// Name in the PTX.
    pub fn name(&self) -> &str {
        &self.listed.name
    }

    /// Parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.listed.params
    }

    /// Why the emulator cannot run it, if so: a [`LoadError::Unsupported`].
    pub fn unsupported(&self) -> Option<&LoadError> {
        self.listed.decoded.as_ref().err()
    }

    /// Bytes of shared memory that the PTX itself declares; 0 for an [unsupported](Self::unsupported) kernel.
    pub fn static_shared_bytes(&self) -> u32 {
        self.decoded()
            .map_or(0, |entry| entry.program.static_shared_bytes)
    }

    /// The most threads a block may have, from `.maxntid` or `.reqntid`.
    pub fn max_threads(&self) -> Option<u32> {
        self.listed.max_threads
    }

    /// Blocks of a cluster in x, y, z that it is compiled for (`.reqnctapercluster`).
    pub fn cluster(&self) -> Option<[u32; 3]> {
        self.listed.cluster.blocks
    }

    /// What is wrong with a launch of so many blocks in these clusters, or in those that it is compiled for: in words.
    pub fn cluster_misfit(&self, grid: [u32; 3], asked: Option<Cluster>) -> Option<String> {
        cluster_misfit(&self.listed.cluster, grid, asked)
    }

    /// Whether it has an `.extern .shared` array, whose size the launch gives; false for an
    /// [unsupported](Self::unsupported) kernel.
    pub fn uses_dynamic_shared(&self) -> bool {
        self.decoded()
            .is_ok_and(|entry| entry.program.uses_dynamic_shared)
    }

    pub(crate) fn decoded(&self) -> Result<&DecodedEntry, &LoadError> {
        self.listed.decoded.as_ref()
    }
}
