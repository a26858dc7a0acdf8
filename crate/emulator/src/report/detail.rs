//! What only some kinds of finding have to say. How these use a group of threads against its rules is in `misuse`, what led to a race in `race`.

use crate::report::misuse::{
    ClusterBarrierFault, ClusterFault, GridWait, IndexFault, MaskFault, MultiplyFault, PointerFault,
};
use crate::report::race::{RaceHint, RaceScope};
use crate::report::source::SourceLine;

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
    /// Several variables that are one memory: a [remark](crate::Report::remarks).
    OneDynamic {
        /// Their names, two at least.
        names: Vec<String>,
    },
    /// The instruction budget that ran out, in warp instructions.
    Budget {
        /// The budget.
        instructions: u64,
        /// Whether it is the budget of the whole launch rather than of one warp.
        whole_launch: bool,
    },
    /// A loop that comes back to where it was, in all registers and memory that decide how it goes on, and asks no other
    /// thread for anything: it never ends.
    Unchanged,
    /// A loop that nothing leads out of, whatever it computes.
    NoWayOut,
    /// An access past the bounds of an array.
    Index {
        /// What its index is likely to be.
        fault: IndexFault,
    },
    /// An access near no buffer.
    Pointer {
        /// What its pointer is likely to be.
        fault: PointerFault,
    },
    /// A read of what nobody has written, in an element that is then stored to.
    Update,
    /// The rule of the instruction that was broken, in words.
    Rule {
        /// The rule.
        rule: &'static str,
    },
    /// A tile of `wmma` of which a part is misaligned.
    Tile {
        /// Where it begins.
        base: u64,
        /// Elements from one row or column of it to the next.
        pitch: u64,
        /// Bytes of an element.
        element_bytes: u32,
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
    /// A conversion of `printf` that does not fit its argument: a [remark](crate::Report::remarks).
    Printed {
        /// The conversion, such as `%d`.
        conversion: String,
        /// What it takes.
        takes: &'static str,
        /// What is passed.
        passed: &'static str,
    },
    /// A value that the program uses, and to which nothing has set it: a variable that is no array.
    Unset,
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
        /// Some of them had come to it before, in a loop; if none had, it is a [remark](crate::Report::remarks).
        came_before: bool,
    },
    /// A bulk copy from shared memory that nobody has waited for when the block ends: a [remark](crate::Report::remarks).
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

impl Detail {
    /// Whether it is worth knowing, but no mistake: a [remark](crate::Report::remarks).
    pub(crate) fn is_remark(&self) -> bool {
        matches!(
            self,
            Self::LeftBehind
                | Self::Printed { .. }
                | Self::OneDynamic { .. }
                | Self::Exited {
                    came_before: false,
                    ..
                }
                | Self::Mask {
                    fault: MaskFault::Elsewhere,
                    ..
                }
        )
    }
}
