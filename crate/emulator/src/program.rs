//! A decoded kernel as plain data: its tables of accesses, places, calls and presets. The instructions themselves, which
//! are functions, are `machine::inst`'s.

pub(crate) mod access;
pub(crate) mod call;
pub(crate) mod cluster;
pub(crate) mod floats;
pub(crate) mod flow;
pub(crate) mod kinds;
pub(crate) mod matrix;
pub(crate) mod observation;
pub(crate) mod param;
pub(crate) mod preset;
pub(crate) mod space;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod variable;

use std::collections::HashMap;
use std::sync::Arc;

use crate::counters::Arithmetic;
use crate::program::access::{AccessShape, SiteInfo};
use crate::program::call::{CallSite, Callable};
use crate::program::flow::Flow;
use crate::program::kinds::{FileKind, Slot};
use crate::program::observation::Observation;
use crate::program::preset::Preset;
use crate::report::{Inlining, SourceLine, Space};

pub(crate) use crate::report::Path;

/// PTX ISA section "Parallel Synchronization and Communication Instructions: bar". The barrier's number
/// is `s[0]`, the number of threads `s[1]` if there is one, a predicate to reduce `s[2]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    And,
    Or,
    Count,
}

/// PTX ISA section "Parallel Synchronization and Communication Instructions: barrier.cluster".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClusterBarrier {
    /// It makes known what the thread did before, unless it is relaxed.
    Arrive {
        is_relaxed: bool,
    },
    Wait,
}

/// Where an instruction came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) ptx_line: u32,
    /// Index into [`Program::files`] and line; `u32::MAX` if unknown. If the instruction is of an inlined function of a
    /// header, those of the call.
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// File and line in that header.
    pub(crate) inlined_from: Option<(u32, u32)>,
    /// Of an inlined function that is the programmer's own: file and line in the kernel.
    pub(crate) inlined_into: Option<(u32, u32)>,
}

impl Place {
    pub(crate) const UNKNOWN: Self = Self {
        ptx_line: 0,
        file: u32::MAX,
        line: 0,
        inlined_from: None,
        inlined_into: None,
    };
}

/// The most local memory that the calls of a thread may take beside the entry's own.
const MOST_STACK_BYTES: u64 = 64 << 10;

/// The variable in shared memory that stands for what CUDA keeps of it for itself. A block finds zeros there: the tiles
/// of cooperative groups that are larger than a warp rely on it.
pub(crate) const RESERVED_SHARED: &str = "reserved shared memory";

/// A basic block as it is counted.
#[derive(Debug)]
pub(crate) struct BasicBlock {
    /// The places of its first and last instruction.
    pub(crate) places: (u32, u32),
    /// PTX instructions in it.
    pub(crate) weight: u32,
    /// The place of the branch that it ends with, if it does: where lanes may part.
    pub(crate) branch: Option<u32>,
    /// What these count in each lane, but for guarded ones.
    pub(crate) arithmetic: Arithmetic,
}

/// A decoded entry.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) accesses: Vec<AccessShape>,
    pub(crate) matrix: matrix::Tables,
    pub(crate) sites: Vec<SiteInfo>,
    pub(crate) places: Vec<Place>,
    pub(crate) blocks: Vec<BasicBlock>,
    /// What guarded instructions count in each lane that their guard lets through.
    pub(crate) guarded: Vec<Arithmetic>,
    pub(crate) files: Arc<[String]>,
    /// Targets of `brx.idx`.
    pub(crate) tables: Vec<Vec<u32>>,
    /// Of each instruction of the code, for checked launches.
    pub(crate) flows: Vec<Flow>,
    /// Of each branch the places where lanes rejoin, the outermost first.
    pub(crate) joins: Vec<Vec<u32>>,
    pub(crate) functions: Vec<Callable>,
    pub(crate) calls: Vec<CallSite>,
    /// Names of functions with variables in local memory that have been inlined.
    pub(crate) inlined: Vec<String>,
    /// Functions that pointers may point to, by address.
    pub(crate) addresses: HashMap<u64, u32>,
    /// How many functions of the module have an address.
    pub(crate) known_functions: u64,
    pub(crate) word_slots: usize,
    pub(crate) long_slots: usize,
    pub(crate) pred_slots: usize,
    pub(crate) word_presets: Vec<Preset>,
    pub(crate) long_presets: Vec<Preset>,
    /// Registers that may be read before they are written; zeroed when a block starts.
    pub(crate) cleared: Vec<(FileKind, Slot)>,
    pub(crate) static_shared_bytes: u32,
    /// Where `extern __shared__` memory starts.
    pub(crate) dynamic_shared_offset: u32,
    /// The largest alignment of a variable in shared memory.
    pub(crate) shared_align: u32,
    pub(crate) uses_dynamic_shared: bool,
    /// Of the entry itself.
    pub(crate) local_bytes: u32,
    /// Its result may depend on the order of blocks (atomics that return a value, float sums, volatile and other strong
    /// loads): they start in order and run on one thread, checked or not.
    pub(crate) order_matters: bool,
    /// Names of the variables that are dynamic shared memory.
    pub(crate) dynamic_names: Vec<String>,
    /// By place, a number for the operand by which an instruction addresses memory: the same where the text is the same.
    pub(crate) operands: Vec<(u32, u64)>,
    /// Its blocks may wait for each other: it has fences or releases that other blocks see.
    pub(crate) orders_blocks: bool,
    /// What observes other threads, and what that decides.
    pub(crate) observation: Observation,
    /// It asks for the words by which the blocks of a cooperative launch wait for each other.
    pub(crate) awaits_grid: bool,
    /// Variables in shared memory: name, first byte, bytes; dynamic memory has none of its own.
    pub(crate) shared_variables: Vec<(String, u64, u64)>,
}

impl Program {
    /// Whether it may store to global memory.
    pub(crate) fn stores(&self) -> bool {
        self.sites
            .iter()
            .any(|site| (site.is_store || site.is_atomic) && site.space == Space::Global)
    }

    /// The end of the local memory that a thread may use.
    pub(crate) fn stack_limit(&self) -> u64 {
        u64::from(self.local_bytes) + MOST_STACK_BYTES
    }

    /// The line of CUDA C++ at a place.
    pub(crate) fn source(&self, place: u32) -> Option<SourceLine> {
        let place = self.places.get(place as usize)?;
        self.source_line((place.file, place.line))
    }

    /// What an inlined function has to do with a place: the other of its two lines.
    pub(crate) fn inlining(&self, place: u32) -> Option<Inlining> {
        let place = self.places.get(place as usize)?;
        let from = place.inlined_from.and_then(|line| self.source_line(line));
        let into = place.inlined_into.and_then(|line| self.source_line(line));
        from.map(Inlining::From).or(into.map(Inlining::Into))
    }

    fn source_line(&self, (file, line): (u32, u32)) -> Option<SourceLine> {
        let file = self.files.get(file as usize)?.clone();
        Some(SourceLine { file, line })
    }

    pub(crate) fn ptx_line(&self, place: u32) -> u32 {
        self.places
            .get(place as usize)
            .map_or(0, |place| place.ptx_line)
    }
}
