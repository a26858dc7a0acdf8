//! What threads give to the copy engine and to the tensor cores, and where they wait for them, as a trace records it.

/// One such instruction, executed by one warp; the arrivals and copies of several lanes are one each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// The block's number in its cluster; 0 without clusters.
    pub rank: u32,
    /// Warp in the block.
    pub warp: u32,
    /// What it does.
    pub what: HandoverKind,
}

/// What a [`Handover`] does. Addresses of shared memory are offsets in the block's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandoverKind {
    /// `mbarrier.init`.
    Init {
        /// The mbarrier.
        barrier: u32,
        /// Arrivals that each phase takes.
        arrivals: u32,
    },
    /// `mbarrier.arrive`, with or without `expect_tx`.
    Arrive {
        /// The mbarrier.
        barrier: u32,
        /// The block of the cluster whose it is.
        rank: u32,
        /// Arrivals.
        arrivals: u32,
        /// Bytes that are expected with them.
        bytes: u32,
    },
    /// A wait at an mbarrier that has ended: `mbarrier.test_wait` or `try_wait` that said yes.
    Wait {
        /// The mbarrier.
        barrier: u32,
        /// Parity of the phase that was waited for.
        parity: bool,
    },
    /// A bulk or tensor copy is started.
    Copy(BulkCopy),
    /// `cp.async.bulk.commit_group`.
    CommitCopies,
    /// `cp.async.bulk.wait_group`, until at most so many groups are left.
    WaitCopies {
        /// Groups that may be left.
        left: u32,
    },
    /// `wgmma.mma_async`.
    Multiply {
        /// Where A begins, if it comes from shared memory, and where B does.
        factors: [Option<u32>; 2],
        /// The sums go on.
        adds: bool,
    },
    /// `wgmma.commit_group`.
    CommitMultiplies,
    /// `wgmma.wait_group`, until at most so many groups are left.
    WaitMultiplies {
        /// Groups that may be left.
        left: u32,
    },
}

/// A bulk or tensor copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulkCopy {
    /// Where it begins in shared memory.
    pub shared: u32,
    /// Bytes of it.
    pub bytes: u32,
    /// It comes from there and goes to global memory, or the other way.
    pub is_store: bool,
    /// The mbarrier at which its bytes are counted.
    pub barrier: Option<u32>,
    /// The blocks of the cluster to which it goes (`.multicast::cluster`), a bit for each; 0 for the block's own.
    pub blocks: u32,
    /// Where it begins in global memory; of a tensor copy, where the tensor does.
    pub global: u64,
    /// The coordinates of a tensor copy, innermost first.
    pub at: [i32; 5],
}
