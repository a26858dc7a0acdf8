//! Where memory lies that a host and a kernel share, and how bytes get from one to the other. Making it is `device`'s.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where the bytes of a buffer lie that a kernel is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the GPU's memory; the host reaches it by copies alone.
    #[default]
    Device,
    /// In pages of the host's memory that stay where they are; kernels reach them over the link (“zero-copy”).
    Mapped,
    /// In pages that move to whoever touches them (“unified memory”).
    Managed,
}

impl Place {
    /// Every place, in the order of a work's parameter: 0, 1, 2.
    pub const ALL: [Self; 3] = [Self::Device, Self::Mapped, Self::Managed];
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device memory",
            Self::Mapped => "mapped host memory",
            Self::Managed => "managed memory",
        })
    }
}

/// One of the two ends of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The CPU and its memory.
    Host,
    /// The GPU and its memory.
    Device,
}

/// What the driver is told about managed memory (CUDA driver API, `CUmem_advise`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advice {
    /// It is read far more often than written: each side may keep a copy of its own.
    ReadMostly,
    /// It is to stay on this side; the other one reaches it over the link where it can.
    Stay(Side),
    /// This side will use it, and is to have it in its page tables, so that it need not fault.
    UsedBy(Side),
}

/// Which way a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host's memory to the GPU's.
    ToDevice,
    /// From the GPU's memory to the host's.
    ToHost,
}
