//! Values that are set before a block runs: constants, parameters, special registers.

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
    /// An address in a variable of shared memory (or its generic window): `offset` is it if no launch leaves gaps
    /// between variables, and `variable` is the variable's number among them.
    Shared {
        variable: u32,
        offset: u64,
        generic: bool,
    },
    /// So far into `extern __shared__` memory (or its generic window), which starts behind all other. The emitter makes
    /// a [`Preset::Shared`] of it.
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
    ClusterId(u8),
    ClusterCount(u8),
    /// The block's place in its cluster.
    ClusterCtaid(u8),
    /// Blocks of a cluster.
    ClusterNctaid(u8),
    ClusterRank,
    ClusterSize,
    /// 1 if the launch is one of clusters.
    IsExplicitCluster,
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
    /// Half of the address of the words by which the blocks of a cooperative launch wait for each other, as the driver
    /// gives it; 0 in any other launch.
    Workspace {
        high: bool,
    },
    DynamicShared,
    TotalShared,
}
