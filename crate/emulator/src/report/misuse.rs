//! How the rules are broken: by threads that act together, in a warp, a warpgroup, a cluster, a cooperative grid, and by indices and pointers.

use crate::report::source::SourceLine;

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
pub(crate) const MOST_RANK: u32 = 253;

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
    /// Lanes that it names execute another such instruction with the same mask: a [remark](crate::Report::remarks).
    Elsewhere,
}

/// What an index past the bounds of an array is likely to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexFault {
    /// Nothing more is known.
    Unknown,
    /// No test holds back the threads past the edge; `is_flat` if the launch has one dimension.
    NoTest {
        /// Whether blocks and grid extend in x alone.
        is_flat: bool,
    },
    /// There are no more threads than elements, and no test: the index is more than the thread's number.
    Scaled,
    /// Each thread takes several elements, no test is there, and the last block has fewer left than its threads take.
    LastBlock,
    /// A part of it is inside: a vector.
    Across,
    /// A test lets one thread too many through.
    OneTooMany,
    /// A test is there, but not of this index.
    OtherTest,
    /// A test is there, in a launch of rows and columns: the index is made of them in another way than the array lies.
    OtherRow,
    /// A loop goes round too often.
    TooManyRounds,
    /// A fixed distance before another element.
    NeighbourBefore,
    /// A fixed distance behind another element.
    NeighbourBehind,
    /// It is below 0.
    Negative,
    /// It is so far below 0 that it has overflowed.
    Overflown,
    /// Dynamic shared memory, of which the launch gives so many bytes.
    Dynamic {
        /// Bytes of the launch.
        bytes: u32,
    },
}

/// What a pointer to nowhere is likely to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PointerFault {
    /// Null, or an element of an array that begins at null.
    Null,
    /// The lower half of a pointer to a buffer.
    Cut,
    /// No pointer to a buffer of the launch.
    Foreign,
}
