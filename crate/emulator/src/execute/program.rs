//! The compact form of a decoded entry, which the interpreter executes.

use std::collections::HashMap;

use crate::check::Strength;
use crate::execute::atomic::AtomicOp;
use crate::execute::lanes::{FileKind, Lanes, Slot};
use crate::execute::matrix;
use crate::execute::world::World;
use crate::report::{SourceLine, Space};

pub(crate) use crate::report::Path;

/// Computes on registers only.
///
/// The function may need AVX2 and FMA, or AVX-512: [`Both::chosen`] picks one that this machine can run.
pub(crate) type ComputeFn = unsafe fn(&mut Lanes, &Inst);

/// Touches memory, findings or counters; the same rule for AVX2 as [`ComputeFn`].
pub(crate) type AccessFn = unsafe fn(&mut Lanes, &mut World, &Inst);

/// One function compiled for any machine, again for AVX2 and FMA, and again for AVX-512. Results are the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Both<F> {
    pub(crate) plain: F,
    pub(crate) wide: F,
    pub(crate) widest: F,
}

impl<F: Copy> Both<F> {
    /// The version for this machine.
    pub(crate) fn chosen(&self) -> F {
        if has_widest() {
            self.widest
        } else if has_wide() {
            self.wide
        } else {
            self.plain
        }
    }
}

/// Whether this machine has AVX2 and FMA.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Whether this machine has the parts of AVX-512 that all of its processors have had for years.
fn has_widest() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        has_wide()
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// One instruction of the compact form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inst {
    pub(crate) action: Action,
    /// Destinations.
    pub(crate) d: [Slot; 4],
    /// Sources.
    pub(crate) s: [Slot; 6],
    /// Predicate register that guards it, or [`crate::execute::lanes::NO_SLOT`].
    pub(crate) guard: Slot,
    /// Acts where the guard is false.
    pub(crate) guard_negated: bool,
    /// A number whose meaning is the action's: an address offset, a mode.
    pub(crate) imm: u64,
    /// An index whose meaning is the action's: a memory access, a table of targets.
    pub(crate) aux: u32,
    /// Index into [`Program::places`].
    pub(crate) place: u32,
}

/// What an instruction does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Compute(ComputeFn),
    Access(AccessFn),
    /// As `Access`, after which the strand lets others run if it has waited in vain.
    Wait(AccessFn),
    /// The start of a basic block of so many PTX instructions: lanes may rejoin here, and are counted here.
    Block(u32),
    Jump(u32),
    /// Lanes whose predicate `s[0]` holds go to `taken`, the others on to `other`; they rejoin at `join`.
    Branch {
        taken: u32,
        other: u32,
        join: u32,
    },
    /// Each lane goes to entry `s[0]` of target table `aux`; they rejoin at `join`.
    Switch {
        join: u32,
    },
    /// Calls by `calls[aux]`; the next instruction is the `Restore` of the same call.
    Call,
    /// Back in the caller, all lanes.
    Restore,
    Return,
    Exit,
    Barrier(BarrierKind),
    ClusterBarrier(ClusterBarrier),
    Trap,
    /// `s[0]` moves to `d[0]` and is not used again: whole groups exchange their arrays.
    MoveLast(FileKind),
}

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
    Arrive,
    Wait,
}

/// Where an instruction came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) ptx_line: u32,
    /// Index into [`Program::files`] and line; `u32::MAX` if unknown.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// A memory access as decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessShape {
    /// Index of its first site; a generic access has three, for global, shared and local memory.
    pub(crate) site: u32,
    /// `None` for a generic address.
    pub(crate) space: Option<Space>,
    /// Bytes of one element.
    pub(crate) element: u32,
    /// Elements of the vector, 1, 2 or 4.
    pub(crate) count: u32,
    /// Sign-extends elements narrower than the register.
    pub(crate) signed: bool,
    /// Registers are 64 bits wide.
    pub(crate) long: bool,
    /// The compiler's own traffic in call frames, which no counter sees.
    pub(crate) uncounted: bool,
    /// What an atomic does; `None` for a load or store.
    pub(crate) atomic: Option<AtomicOp>,
    /// What the assembler makes of an atomic.
    pub(crate) assembled: Assembled,
    /// How it takes part in the order of threads.
    pub(crate) strength: Strength,
}

/// The machine instruction that an atomic becomes, as far as it decides what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Assembled {
    /// `ATOMG`, `REDG`, `ATOMS`: each active lane by itself.
    #[default]
    EachLane,
    /// The same for one lane, after the warp has put its values together (`REDUX`, `POPC`).
    OneLane,
    /// `ATOMS.POPC.INC`: the lanes that add 1 to one word together.
    EachWord,
    /// `LDS` and `ATOMS.CAST.SPIN`: a loop in which one lane of each bank gets its turn.
    Loop,
}

impl AccessShape {
    /// Bytes per lane.
    pub(crate) fn bytes(&self) -> u32 {
        self.element * self.count
    }

    /// Whether a lane's element is a row of an 8×8 matrix: no type has 16 bytes.
    pub(crate) fn is_matrix_row(&self) -> bool {
        self.element == 16
    }
}

/// What is known of a memory instruction before it runs.
#[derive(Debug, Clone)]
pub(crate) struct SiteInfo {
    pub(crate) place: u32,
    pub(crate) space: Space,
    pub(crate) is_store: bool,
    pub(crate) is_atomic: bool,
    pub(crate) access_bytes: u32,
    /// Not a site of its own: the shared or local half of a generic access.
    pub(crate) is_alternative: bool,
    pub(crate) path: Path,
    /// Moves 8×8 matrices: ncu counts it as no load or store instruction.
    pub(crate) is_matrix: bool,
}

/// A value set before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Preset {
    Bits(u64),
    /// Little-endian bytes of the parameters.
    Param {
        offset: u32,
        bytes: u32,
        signed: bool,
    },
    Special(Special),
    /// So far into `extern __shared__` memory (or its generic window), which starts behind all other.
    DynamicShared {
        offset: u64,
        generic: bool,
    },
}

/// Special registers that do not change while a block runs. PTX ISA section "Special Registers".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    SmId,
    SmCount,
    GridId,
    DynamicShared,
    TotalShared,
}

/// Bytes of every parameter and result: what caller and callee of an indirect call must agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) params: Vec<u64>,
    pub(crate) returns: Vec<u64>,
}

/// A parameter or result: its offsets in the caller's and the callee's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) caller: u32,
    pub(crate) callee: u32,
    pub(crate) words: u32,
}

/// A call that is not inlined.
#[derive(Debug)]
pub(crate) struct CallSite {
    /// Index into [`Program::functions`]; `None` if a pointer says.
    pub(crate) target: Option<u32>,
    pub(crate) arguments: Vec<Piece>,
    pub(crate) results: Vec<Piece>,
    pub(crate) signature: Signature,
    /// Registers that the caller needs afterwards.
    pub(crate) saved: Vec<(FileKind, Slot)>,
    /// Offset in the caller's frame where they are kept.
    pub(crate) save_at: u32,
}

/// A function of a program; number 0 is the entry itself.
#[derive(Debug)]
pub(crate) struct Callable {
    /// Its first instruction.
    pub(crate) start: u32,
    pub(crate) frame_bytes: u32,
    pub(crate) signature: Signature,
    /// Registers that may be read before they are written.
    pub(crate) cleared: Vec<(FileKind, Slot)>,
}

/// The most local memory that the calls of a thread may take beside the entry's own.
const MOST_STACK_BYTES: u64 = 64 << 10;

/// A decoded entry.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) code: Vec<Inst>,
    pub(crate) accesses: Vec<AccessShape>,
    pub(crate) matrix: matrix::Tables,
    pub(crate) sites: Vec<SiteInfo>,
    pub(crate) places: Vec<Place>,
    pub(crate) files: Vec<String>,
    /// Targets of `brx.idx`.
    pub(crate) tables: Vec<Vec<u32>>,
    pub(crate) functions: Vec<Callable>,
    pub(crate) calls: Vec<CallSite>,
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
    pub(crate) uses_dynamic_shared: bool,
    /// Of the entry itself.
    pub(crate) local_bytes: u32,
    /// Its result may depend on the order of blocks (atomics that return a value, float sums).
    pub(crate) order_matters: bool,
    /// Its blocks may wait for each other: it has fences or releases that other blocks see.
    pub(crate) orders_blocks: bool,
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
        let file = self.files.get(place.file as usize)?.clone();
        Some(SourceLine {
            file,
            line: place.line,
        })
    }

    pub(crate) fn ptx_line(&self, place: u32) -> u32 {
        self.places
            .get(place as usize)
            .map_or(0, |place| place.ptx_line)
    }
}
