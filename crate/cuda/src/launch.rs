//! Kernels: what they take, their attributes, and launches as they are asked for. How one is performed is in `perform`.

mod perform;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use cornerturn_emulator::{Arg, Cluster, Entry, Param, resident_blocks};

use crate::driver::Driver;
use crate::module::{LoadedModule, load_error};
use crate::status::{Error, Result, Status};
use crate::table::new_handle;

/// What a kernel has of shared memory without asking for more.
const SHARED_BYTES: i32 = 48 << 10;
/// The most that it can ask for, with what it declares.
const MOST_SHARED_BYTES: i32 = 227 << 10;
/// Threads that a block may have.
const MOST_THREADS: u32 = 1024;
/// Registers that `ptxas` may give a thread: the emulator does not know how many it does.
const REGISTERS: i32 = 32;

/// A kernel of a module.
#[derive(Debug)]
pub struct Function {
    /// Its handle.
    pub handle: u64,
    /// Its module.
    pub module: Arc<LoadedModule>,
    /// Its name in the PTX.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Where each parameter begins in a buffer that holds them all.
    pub offsets: Vec<usize>,
    /// Shared memory that it declares.
    pub static_shared_bytes: u32,
    /// Threads that a block may have.
    pub max_threads: u32,
    max_dynamic_shared: AtomicI32,
    carveout: AtomicI32,
    non_portable: AtomicI32,
}

/// Attributes of a kernel: `CUfunction_attribute` of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs, reason = "the header's names, in its order")]
pub enum FunctionAttribute {
    MaxThreadsPerBlock = 0,
    SharedSizeBytes = 1,
    ConstSizeBytes = 2,
    LocalSizeBytes = 3,
    NumRegs = 4,
    PtxVersion = 5,
    BinaryVersion = 6,
    CacheModeCa = 7,
    MaxDynamicSharedSizeBytes = 8,
    PreferredSharedMemoryCarveout = 9,
    ClusterSizeMustBeSet = 10,
    RequiredClusterWidth = 11,
    RequiredClusterHeight = 12,
    RequiredClusterDepth = 13,
    NonPortableClusterSizeAllowed = 14,
    ClusterSchedulingPolicyPreference = 15,
}

impl FunctionAttribute {
    /// The attribute of a number of the header.
    pub fn of(number: u32) -> Option<Self> {
        use FunctionAttribute::*;
        let all = [
            MaxThreadsPerBlock,
            SharedSizeBytes,
            ConstSizeBytes,
            LocalSizeBytes,
            NumRegs,
            PtxVersion,
            BinaryVersion,
            CacheModeCa,
            MaxDynamicSharedSizeBytes,
            PreferredSharedMemoryCarveout,
            ClusterSizeMustBeSet,
            RequiredClusterWidth,
            RequiredClusterHeight,
            RequiredClusterDepth,
            NonPortableClusterSizeAllowed,
            ClusterSchedulingPolicyPreference,
        ];
        all.get(number as usize).copied()
    }
}

/// A launch as it is asked for.
#[derive(Debug, Clone)]
pub struct KernelLaunch {
    /// The kernel.
    pub function: Arc<Function>,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// One for each parameter: see [`Function::arguments`].
    pub arguments: Vec<Arg>,
    /// Blocks of a cluster, where the launch says it.
    pub cluster: Option<[u32; 3]>,
    /// All blocks run together and may wait for each other.
    pub is_cooperative: bool,
    /// It may begin before the kernel before it has ended.
    pub is_programmatic: bool,
}

impl KernelLaunch {
    pub(crate) fn clusters(&self) -> Option<Cluster> {
        let cluster = Cluster::of(self.cluster?);
        let wide = self.function.non_portable.load(Ordering::Relaxed) != 0;
        Some(if wide {
            cluster.non_portable()
        } else {
            cluster
        })
    }
}

impl Function {
    pub(crate) fn new(module: Arc<LoadedModule>, name: &str) -> Option<Self> {
        let held = module.module();
        let entry = held.entries().iter().find(|entry| entry.name() == name)?;
        let params = entry.params().to_vec();
        let mut end = 0_usize;
        let offsets = (params.iter())
            .map(|param| {
                let offset = end.next_multiple_of(param.align.max(1));
                end = offset + param.bytes;
                offset
            })
            .collect();
        let static_shared_bytes = entry.static_shared_bytes();
        let max_threads = entry
            .max_threads()
            .unwrap_or(MOST_THREADS)
            .min(MOST_THREADS);
        drop(held);
        Some(Self {
            handle: new_handle(),
            name: name.to_string(),
            params,
            offsets,
            static_shared_bytes,
            max_threads,
            max_dynamic_shared: AtomicI32::new(SHARED_BYTES - static_shared_bytes as i32),
            carveout: AtomicI32::new(-1),
            non_portable: AtomicI32::new(0),
            module,
        })
    }

    /// Bytes of a buffer that holds all parameters.
    pub fn parameter_bytes(&self) -> usize {
        let last = self.offsets.last().zip(self.params.last());
        last.map_or(0, |(offset, param)| offset + param.bytes)
    }

    /// The arguments in a buffer that holds them all, each at its offset.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] if it is too short.
    pub fn arguments(&self, packed: &[u8]) -> Result<Vec<Arg>> {
        let one = |(offset, param): (&usize, &Param)| {
            let bytes = packed.get(*offset..offset + param.bytes)?;
            Some(Arg(bytes.to_vec()))
        };
        let all: Option<Vec<Arg>> = self.offsets.iter().zip(&self.params).map(one).collect();
        all.ok_or_else(|| {
            let (takes, given) = (self.parameter_bytes(), packed.len());
            let message = format!(
                "`{}` takes {takes} bytes of parameters, {given} were given",
                self.name
            );
            Error::new(Status::INVALID_VALUE, message)
        })
    }

    /// Asks something of its entry in the module.
    fn entry<T>(&self, ask: impl FnOnce(&Entry) -> T) -> Option<T> {
        let module = self.module.module();
        let mut entries = module.entries().iter();
        entries.find(|entry| entry.name() == self.name).map(ask)
    }

    /// Refuses a kernel that the emulator cannot run.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`], with what it needs.
    pub fn check_supported(&self) -> Result<()> {
        let gap = self.entry(|entry| entry.unsupported().cloned()).flatten();
        gap.map_or(Ok(()), |gap| Err(load_error(gap)))
    }

    /// An attribute's value. Registers are a guess: the emulator runs PTX, which has no registers of the machine.
    pub fn attribute(&self, attribute: FunctionAttribute) -> i32 {
        use FunctionAttribute::*;
        let cluster = |axis: usize| {
            let blocks = self.entry(Entry::cluster).flatten();
            blocks.map_or(0, |blocks| blocks[axis] as i32)
        };
        match attribute {
            MaxThreadsPerBlock => self.max_threads as i32,
            SharedSizeBytes => self.static_shared_bytes as i32,
            ConstSizeBytes => {
                let constants = self.module.symbols.iter().filter(|one| one.is_constant);
                constants.map(|one| one.bytes as i32).sum()
            }
            NumRegs => REGISTERS,
            PtxVersion | BinaryVersion => 90,
            MaxDynamicSharedSizeBytes => self.max_dynamic_shared.load(Ordering::Relaxed),
            PreferredSharedMemoryCarveout => self.carveout.load(Ordering::Relaxed),
            NonPortableClusterSizeAllowed => self.non_portable.load(Ordering::Relaxed),
            RequiredClusterWidth => cluster(0),
            RequiredClusterHeight => cluster(1),
            RequiredClusterDepth => cluster(2),
            LocalSizeBytes
            | CacheModeCa
            | ClusterSizeMustBeSet
            | ClusterSchedulingPolicyPreference => 0,
        }
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] for one that cannot be set, or a value over its limit.
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let (held, range) = match attribute {
            FunctionAttribute::MaxDynamicSharedSizeBytes => {
                let most = MOST_SHARED_BYTES - self.static_shared_bytes as i32;
                (&self.max_dynamic_shared, 0..=most)
            }
            FunctionAttribute::PreferredSharedMemoryCarveout => (&self.carveout, -1..=100),
            FunctionAttribute::NonPortableClusterSizeAllowed => (&self.non_portable, 0..=1),
            FunctionAttribute::ClusterSchedulingPolicyPreference => return Ok(()),
            _ => return Err(Status::INVALID_VALUE.into()),
        };
        if !range.contains(&value) {
            return Err(Status::INVALID_VALUE.into());
        }
        held.store(value, Ordering::Relaxed);
        Ok(())
    }

    /// How many of its blocks a multiprocessor of an H200 runs together, by threads and shared memory; registers are not
    /// known.
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: u32) -> u32 {
        // What the kernel is compiled for is asked at the launch.
        if threads == 0 || threads > MOST_THREADS {
            return 0;
        }
        if self.static_shared_bytes + shared_bytes > MOST_SHARED_BYTES as u32 {
            return 0;
        }
        let blocks = self.entry(|entry| resident_blocks(entry, [threads, 1, 1], shared_bytes));
        let multiprocessors = u64::from(cornerturn_emulator::MULTIPROCESSORS);
        blocks
            .flatten()
            .map_or(1, |blocks| (blocks / multiprocessors) as u32)
    }
}

impl Driver {
    /// The kernel of a handle.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn function_of(&self, handle: u64) -> Result<Arc<Function>> {
        let function = self.functions.get(handle);
        function.ok_or_else(|| Status::INVALID_HANDLE.into())
    }
}
