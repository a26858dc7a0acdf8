//! What a finding says of a race: how far its two threads are apart, and its cause.

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
    /// The two are of one line of the source, and go to places that it computes apart: what one thread stores another
    /// loads, and each stores only its own.
    Exchange,
    /// The two are a load and a store of one element, whose address is the same for several threads: an update.
    Update,
    /// The two are of one warp, and the `__syncwarp()` between them has a mask without the other thread.
    LeftOut {
        /// The mask, a bit for each lane.
        mask: u32,
        /// The line of the `__syncwarp()` in CUDA C++, 0 if it is not known.
        line: u32,
    },
    /// The kernel has atomics or flags in global memory, by which blocks may tell each other what they have done; a fence
    /// for it, if so.
    Told {
        /// Whether it has a fence.
        fenced: bool,
    },
}

/// How far apart the two threads of a race are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RaceScope {
    /// Lanes of one warp, in one instruction.
    Instruction,
    /// Lanes of one warp, by volatile accesses in different instructions.
    Warp,
    /// The same by plain accesses, wherever the two race.
    Lanes,
    /// A store of a thread and a bulk copy that reads it by another way, with no proxy fence between.
    Proxies,
    /// Warps of one block.
    Block,
    /// Blocks.
    Grid,
}
