//! What a launch hands back: counters, access sites, findings, a trace. Data only; the words are in `diagnostics`.

mod handover;
mod printed;
mod shuffle;

use crate::counters::Counters;
use crate::touched::{Early, Touched};
pub use handover::{BulkCopy, Handover, HandoverKind};
pub use printed::{Printed, PrintedLine};
pub use shuffle::{Shuffle, ShuffleMode};

/// What a message says of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferInfo {
    /// The name given at allocation.
    pub name: String,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub bytes: usize,
}

/// Everything that one launch found out.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Sums over the launch. All zero if a finding stopped the run: parts of a run count nothing that compares.
    pub counters: Counters,
    /// One entry per load, store or atomic in the PTX, in the order of the text.
    pub sites: Vec<Site>,
    /// What the kernel did wrong, sorted by block, then thread; the same for any number of host threads.
    pub findings: Vec<Finding>,
    /// What is no mistake, but worth knowing: threads that ended before a barrier of their block, which CUDA allows
    /// since Volta. Looked for in checked launches.
    pub remarks: Vec<Finding>,
    /// Present if [`crate::Options::trace`] asked for it.
    pub trace: Option<Trace>,
    /// The bytes that it read and wrote, if [`crate::Options::touched`] asked for them: of the buffers only.
    pub touched: Touched,
    /// What of it a programmatic dependent launch did early, if [`crate::Options::programmatic`] says that it is one.
    pub early: Option<Early>,
    /// PTX instructions issued, counted once per warp.
    pub warp_instructions: u64,
    /// What the kernel printed.
    pub printed: Printed,
    /// The run ended before all threads had: at a finding that stops it, at a barrier for which threads wait for ever,
    /// at a budget, or before it began. On a GPU such a launch ends with an error or does not end.
    pub stopped: bool,
}

impl Report {
    /// Whether the kernel would come to its end on a GPU: it was not stopped here, and did nothing for which a GPU stops.
    pub fn would_end(&self) -> bool {
        !self.stopped && !self.findings.iter().any(|found| found.kind.is_fatal())
    }
}

/// One memory instruction of the PTX and what its executions add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The memory accessed. A generic access counts as the space that it reached last.
    pub space: Space,
    /// Whether it stores. An atomic whose result nobody reads (`red`) stores.
    pub is_store: bool,
    /// Whether it is an atomic (`atom`, `red`); those are in no load or store counter.
    pub is_atomic: bool,
    /// Whether it moves 8×8 matrices (`ldmatrix`), which is no load or store instruction to ncu.
    pub is_matrix: bool,
    /// Whether the address is generic: to ncu the instruction is no global, shared or local one, though the memory that
    /// it reaches counts its requests.
    pub is_generic: bool,
    /// Bytes per thread.
    pub access_bytes: u32,
    /// Executions, counted once per warp.
    pub executed: u64,
    /// Executions with at least one active thread.
    pub requests: u64,
    /// 32-byte sectors touched (global and local memory).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest that the access width needs (shared memory).
    pub bank_conflicts: u64,
    /// How the data travels. An asynchronous copy has two sites, one for what it reads and one for what it writes.
    pub path: Path,
    /// Bytes moved, counted for bulk copies only.
    pub bytes: u64,
}

/// How an access's data travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Path {
    /// Between memory and registers: ordinary loads, stores and atomics.
    #[default]
    Registers,
    /// From global to shared memory past the registers (`cp.async`): the profiler's `ldgsts`. What it reads is in
    /// the counters of global loads as well, what it writes in none of stores.
    Async,
    /// By the bulk copy engine (`cp.async.bulk`, tensor copies): in no counter of the load-store unit.
    Bulk,
    /// From shared memory to tensor cores (`wgmma`), past the registers.
    Tensor,
}

/// A line of CUDA C++, from `.loc`: of a header's inlined function the line at which it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// File name as the compiler wrote it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// The second line of an instruction that is of an inlined function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Inlining {
    /// The function is of a header of the toolkit: its line there. The first line is the call's.
    From(SourceLine),
    /// The function is the programmer's own: the line in the kernel at which it is called.
    Into(SourceLine),
}

/// A state space of the PTX ISA that has addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Memory of one block, in banks.
    Shared,
    /// Memory of one thread (spills, local arrays).
    Local,
    /// Constant variables of the module.
    Const,
    /// Kernel parameters.
    Param,
    /// A texture: in a trace, bytes behind its first texel, row after row, or the address if it lies over a buffer.
    Texture,
}

impl Space {
    /// The name in PTX.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
            Space::Texture => "texture",
        }
    }
}

/// Something that the kernel did wrong. [`Finding::message`] says it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What went wrong.
    pub kind: FindingKind,
    /// The kernel.
    pub entry: String,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The other line, if the instruction is of an inlined function.
    pub inlining: Option<Inlining>,
    /// Line in the PTX text, from 1; 0 if no instruction is to blame.
    pub ptx_line: u32,
    /// First block in which it happened.
    pub block: [u32; 3],
    /// First thread of that block in which it happened.
    pub thread: [u32; 3],
    /// The memory accessed, if any.
    pub space: Option<Space>,
    /// The address accessed, if any: an offset into the block's shared memory for [`Space::Shared`].
    pub address: Option<u64>,
    /// The block of the cluster whose shared memory it is, by its number there, if the address says so.
    pub owner: Option<u32>,
    /// Bytes per thread; 0 if no memory is accessed.
    pub access_bytes: u32,
    /// Whether the access stores.
    pub is_store: bool,
    /// Whether it is an atomic (`atom`, `red`).
    pub is_atomic: bool,
    /// The buffer meant: the one accessed, or the nearest one if the address is in none.
    pub buffer: Option<BufferInfo>,
    /// How many times a thread did this here, over the launch.
    pub count: u64,
    /// The other half of a race.
    pub other: Option<Box<OtherSite>>,
    /// What only this kind of finding has to say.
    pub detail: Detail,
}

/// What only some kinds of finding carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Detail {
    /// Nothing more.
    #[default]
    None,
    /// A launch over a limit.
    Limit {
        /// What is over it.
        what: String,
        /// The value asked for.
        value: u64,
        /// The largest allowed.
        most: u64,
    },
    /// The instruction budget that ran out, in warp instructions.
    Budget {
        /// The budget.
        instructions: u64,
        /// Whether it is the budget of the whole launch rather than of one warp.
        whole_launch: bool,
    },
    /// The rule of the instruction that was broken, in words.
    Rule {
        /// The rule.
        rule: &'static str,
    },
    /// An mbarrier whose phase is never completed.
    Mbarrier {
        /// Its address in shared memory.
        address: u32,
        /// Arrivals that are missing.
        missing: u32,
        /// Arrivals that each phase takes.
        expected: u32,
        /// Bytes that `expect_tx` announced and no copy has brought; negative if copies brought more.
        missing_bytes: i64,
        /// Phases that have been completed since it was last initialised.
        phases: u64,
        /// How often it was initialised.
        inits: u32,
    },
    /// What lies between the two accesses of a race, and which of them are atomic (or volatile).
    Race {
        /// How far the two are apart.
        scope: RaceScope,
        /// Whether the finding's own access is.
        is_atomic: bool,
        /// Whether the other one is.
        other_is_atomic: bool,
        /// What the kernel's text says of the cause.
        hint: RaceHint,
    },
    /// A failed assertion.
    Assertion {
        /// The expression that does not hold.
        expression: String,
        /// File of the assertion as the compiler wrote it.
        file: String,
        /// Line of the assertion.
        line: u32,
        /// The function around it.
        function: String,
    },
    /// A call that needs more local memory than a thread may use.
    Stack {
        /// How many calls are nested.
        depth: u32,
        /// Bytes needed.
        bytes: u64,
        /// The most there are.
        most: u64,
    },
    /// A call through a pointer that points to no function of that signature.
    Call {
        /// Whether it points to some function.
        is_function: bool,
    },
    /// `free` of what `malloc` did not give, or twice.
    Free,
    /// An access to memory that `free` was given.
    Freed {
        /// Where that memory begins.
        start: u64,
    },
    /// An access to a buffer that the host had freed before the launch.
    FreedBuffer,
    /// A read of which nobody has written a part, and the program uses that.
    Unwritten {
        /// How many bytes it uses of those that nothing has written.
        bytes: u32,
        /// The line of CUDA C++ that uses them, if it is known.
        used: Option<SourceLine>,
        /// The same in the PTX text, from 1; 0 if it is not known.
        used_ptx_line: u32,
    },
    /// A pointer to the local memory of another thread of the block.
    OtherLocal {
        /// The thread whose memory it is, x fastest.
        thread: u32,
    },
    /// A pointer into the frame of a function that has returned.
    DeadFrame {
        /// The function, if it is known.
        function: Option<String>,
    },
    /// An access to the heap of device code beside what `malloc` gave.
    Heap {
        /// First address and bytes of what `malloc` gave before it, if anything.
        before: Option<(u64, u64)>,
    },
    /// The address of a `%s` of `printf`, at which there is no text.
    Text,
    /// A barrier to which other threads of the block came from another place.
    TwoBarriers {
        /// The other barrier's line of CUDA C++, if the PTX carries line information.
        source: Option<SourceLine>,
        /// The other barrier's line in the PTX text, from 1.
        ptx_line: u32,
    },
    /// A barrier that threads of the block did not come to: they had exited before.
    Exited {
        /// How many.
        threads: u32,
        /// Some of them had come to it before, in a loop; if none had, it is a [remark](Report::remarks).
        came_before: bool,
    },
    /// A bulk copy from shared memory that nobody has waited for when the block ends: a [remark](Report::remarks).
    LeftBehind,
    /// Threads that wait, in loops, for what no thread does.
    Waiting {
        /// How many blocks a GPU runs together, and how many the launch has, if some had to wait to begin.
        resident: Option<(u64, u64)>,
        /// In a cooperative launch, how its blocks stand.
        grid: Option<GridWait>,
    },
    /// A trap in a launch that is not cooperative, of a kernel that asks for the barrier of the grid.
    NotCooperative,
    /// A barrier of a number, or for a number of threads, that there is none of.
    NoBarrier {
        /// The number of the barrier.
        barrier: u32,
        /// Threads that it was to wait for, if the kernel says.
        threads: Option<u32>,
    },
    /// A launch with another block than the kernel is compiled for (`.reqntid`).
    OtherBlock {
        /// Threads of a block in x, y, z that the kernel asks for.
        required: [u32; 3],
        /// Those of the launch.
        found: [u32; 3],
    },
    /// A launch in clusters that no GPU has.
    Cluster {
        /// What is wrong with them.
        what: String,
    },
    /// An access to the shared memory of another block of the cluster that cannot be.
    OtherShared {
        /// The block's number in the cluster.
        rank: u32,
        /// What is wrong with it.
        fault: ClusterFault,
    },
    /// A barrier of the cluster that is used against its rules.
    ClusterBarrier {
        /// How.
        fault: ClusterBarrierFault,
    },
    /// A barrier: how many threads wait at it and how many it needs.
    Barrier {
        /// Number of the barrier, 0 for `__syncthreads()`.
        barrier: u32,
        /// Threads that have arrived.
        arrived: u32,
        /// Threads that it waits for.
        expected: u32,
        /// Whether the kernel says how many, as in `bar.sync 1, 96`.
        is_counted: bool,
    },
    /// A collective instruction of a warp (`__syncwarp`, a shuffle, a vote, a reduction) whose mask is wrong, or its width.
    Mask {
        /// The members that it names, a bit for each lane.
        mask: u32,
        /// The lanes that are not as they should be.
        lanes: u32,
        /// What is wrong with them.
        fault: MaskFault,
    },
    /// A `wgmma` that is used against its rules.
    Multiply {
        /// How.
        fault: MultiplyFault,
    },
    /// An instruction of whole warps that only some threads of one reach.
    Warp {
        /// Threads that execute it together.
        active: u32,
    },
}

/// How a `wgmma` is used against its rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MultiplyFault {
    /// Only some of a warpgroup's four warps come to it.
    Missing {
        /// How many.
        warps: u32,
    },
    /// Warps of a warpgroup execute another one, or with other descriptors.
    Different,
    /// Lanes of a warp give different descriptors, or different predicates.
    Uneven,
    /// No `wgmma.fence` comes between it and what was done with its registers before.
    Unfenced,
    /// Its registers are used before they have been waited for.
    Unwaited {
        /// The line of CUDA C++ of the `wgmma.mma_async`, if the PTX carries line information.
        source: Option<SourceLine>,
        /// Its line in the PTX text, from 1.
        ptx_line: u32,
    },
}

/// How the blocks of a cooperative launch stand, of which some wait for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GridWait {
    /// Blocks that wait.
    pub waiting: u64,
    /// Blocks that have ended.
    pub ended: u64,
    /// The first of these.
    pub first_ended: Option<[u32; 3]>,
}

/// What is wrong with an access to another block's shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClusterFault {
    /// The cluster has only so many blocks.
    NoSuchRank {
        /// Blocks of the cluster.
        blocks: u32,
    },
    /// The block has ended, and its shared memory with it.
    Ended,
    /// Nothing keeps the block from ending before.
    MayHaveEnded,
    /// Nothing says that the block has begun.
    MayNotHaveBegun,
}

/// Ranks that there is room for in an address; the last one stands for all that are too large.
pub(crate) const MOST_RANK: u32 = 254;

/// How a barrier of a cluster is used against its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClusterBarrierFault {
    /// A thread waits that has not arrived.
    WaitAlone,
    /// A thread arrives again before it has waited.
    ArriveTwice,
    /// A thread ends that has arrived and not waited.
    NeverWaits,
    /// Only some lanes of a warp execute an `.aligned` one.
    Divergent,
}

/// What is wrong with the mask of a collective instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaskFault {
    /// Lanes execute it that it does not name.
    CallerLeftOut,
    /// It names lanes that never execute it with the same mask.
    NotComing,
    /// A shuffle takes values of lanes that it does not name.
    SourceOutside,
    /// A shuffle takes values of lanes that have exited, or that the block has not.
    SourceGone,
    /// The width of a shuffle is no power of two up to 32: this is it.
    Width(i32),
}

/// What a kernel's text says of the cause of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RaceHint {
    /// Nothing.
    #[default]
    None,
    /// One of the two is a load for what the kernel does not write (`ld.global.nc`, which `__ldg` is).
    ReadOnlyLoad,
    /// One of the two is a fetch from a texture over memory that the kernel writes.
    StaleTexture,
    /// It compares and swaps, as for a lock, and has no fence.
    Unfenced,
    /// The two concern an mbarrier: one of them is `mbarrier.init`.
    Mbarrier,
    /// The finding's own access is a `free` of device code, which comes after all others.
    Free,
    /// The other one is.
    OtherFree,
    /// The finding's own access is a `wgmma` that reads shared memory.
    Multiply,
    /// The other one is.
    OtherMultiply,
    /// One of the two is an asynchronous copy or store that another block of the cluster has sent.
    Sent,
}

/// How far apart the two threads of a race are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RaceScope {
    /// Lanes of one warp, in one instruction.
    Instruction,
    /// Lanes of one warp, by volatile accesses in different instructions.
    Warp,
    /// A store of a thread and a bulk copy that reads it by another way, with no proxy fence between.
    Proxies,
    /// Warps of one block.
    Block,
    /// Blocks.
    Grid,
}

/// What findings call the heap of device code.
pub(crate) const HEAP_NAME: &str = "device heap";

/// The other access of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherSite {
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// Its block.
    pub block: [u32; 3],
    /// Its thread.
    pub thread: [u32; 3],
    /// Whether it stores.
    pub is_store: bool,
    /// Whether it is an asynchronous copy's.
    pub is_copy: bool,
}

/// The kinds of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// An access past a buffer's bounds.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// A read of memory that nothing has written.
    Uninitialized,
    /// Two accesses without order, one of them a store.
    Race,
    /// A barrier that not all threads reach together.
    BarrierDivergence,
    /// A collective instruction of a warp (`__syncwarp`, a shuffle, a vote, a reduction) whose mask is wrong, or its width.
    Mask,
    /// An mbarrier that is used against its rules, or whose phase is never completed.
    Mbarrier,
    /// An address near no buffer, such as a null pointer.
    InvalidAddress,
    /// The kernel executed `trap`.
    Trap,
    /// An assertion of the kernel failed.
    Assert,
    /// A launch over a limit of the device.
    Limit,
    /// A warp used up its instruction budget.
    EndlessLoop,
}

impl FindingKind {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out_of_bounds",
            FindingKind::Misaligned => "misaligned",
            FindingKind::Uninitialized => "uninitialized",
            FindingKind::Race => "race",
            FindingKind::BarrierDivergence => "barrier_divergence",
            FindingKind::Mask => "mask",
            FindingKind::Mbarrier => "mbarrier",
            FindingKind::InvalidAddress => "invalid_address",
            FindingKind::Trap => "trap",
            FindingKind::Assert => "assert",
            FindingKind::Limit => "limit",
            FindingKind::EndlessLoop => "endless_loop",
        }
    }

    /// Whether the launch ends there. After any other finding the access is left out and the run goes on.
    pub fn stops(self) -> bool {
        matches!(
            self,
            FindingKind::Trap | FindingKind::Assert | FindingKind::Limit | FindingKind::EndlessLoop
        )
    }

    /// Whether a GPU does not come to the kernel's end after it: what [stops](Self::stops) the launch, and accesses that
    /// only the emulator leaves out. Threads that wait at a barrier for ever are [`Report::stopped`].
    pub fn is_fatal(self) -> bool {
        let faults = [Self::OutOfBounds, Self::Misaligned, Self::InvalidAddress];
        self.stops() || faults.contains(&self)
    }
}

/// Which accesses to record.
#[derive(Debug, Clone, Default)]
pub struct TraceRequest {
    /// The blocks to record, as `blockIdx`.
    pub blocks: Vec<[u32; 3]>,
    /// The warps of those blocks; all if `None`.
    pub warps: Option<Vec<u32>>,
    /// Recording stops after so many accesses, and that of shuffles and of handovers after so many of these.
    pub max_accesses: usize,
    /// Of so many blocks, the first ones, record where they reach in global memory.
    pub max_blocks: usize,
    /// For all blocks, count these accesses as wider ones, and the runs of basic blocks.
    pub wides: Option<Vec<Wide>>,
}

/// Memory instructions of one basic block that machine code does together, as one wider access of each lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wide {
    /// Their lines in the PTX, by rising address.
    pub ptx_lines: Vec<u32>,
}

/// What the accesses of a [`Wide`] count as one. Units as in [`Site`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WideCount {
    /// Executions by warps.
    pub executed: u64,
    /// Requests.
    pub requests: u64,
    /// 32-byte sectors (global and local memory).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest.
    pub bank_conflicts: u64,
    /// Executions whose parts do not lie side by side, or not in all lanes: then they are not one access.
    pub misfits: u64,
}

/// How often a basic block of the PTX was executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockRuns {
    /// The lines of its instructions in the PTX.
    pub ptx_lines: Vec<u32>,
    /// Executions, counted once per warp.
    pub warps: u64,
    /// Of those warps, the eighths (lanes 0 to 7, 8 to 15 and so on) with an active lane: sectors of one word of local
    /// memory each.
    pub octets: u64,
    /// Active lanes of those warps together.
    pub lanes: u64,
}

/// What was recorded; the number of host threads changes none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// One warp-level access each, in the order of the request's blocks, then as executed.
    pub accesses: Vec<Access>,
    /// The shuffles of the same warps, in the same order.
    pub shuffles: Vec<Shuffle>,
    /// What the same warps give to the copy engine and the tensor cores, in the same order.
    pub handovers: Vec<Handover>,
    /// Whether there were more than `max_accesses`.
    pub truncated: bool,
    /// Where the first `max_blocks` blocks reach, in the order in which blocks start: x fastest, then y, then z.
    pub blocks: Vec<BlockReach>,
    /// What [`TraceRequest::wides`] count, in their order.
    pub wides: Vec<WideCount>,
    /// With them, how often each basic block was executed.
    pub runs: Vec<BlockRuns>,
}

/// Where one block reaches in global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockReach {
    /// `blockIdx`.
    pub block: [u32; 3],
    /// One for each access site that the block executed, by site.
    pub sites: Vec<Reach>,
}

/// The bounds of what one block touches at one access site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Index into [`Report::sites`].
    pub site: usize,
    /// The lowest address.
    pub first: u64,
    /// One past the highest address.
    pub end: u64,
}

/// One memory instruction executed by one warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Index into [`Report::sites`].
    pub site: usize,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Position among this warp's recorded accesses, from 0.
    pub order: u32,
    /// The memory accessed.
    pub space: Space,
    /// Whether it stores.
    pub is_store: bool,
    /// Bytes per thread.
    pub access_bytes: u32,
    /// Each lane's address, `None` for an inactive lane; offsets into the block's shared memory for
    /// [`Space::Shared`], into the thread's local memory for [`Space::Local`].
    pub addresses: [Option<u64>; 32],
}
