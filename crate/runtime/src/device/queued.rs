//! One operation of a stream as a backend takes it, checked and laid out. Checking is `stream`'s.

use super::{DeedKind, Prepared};
use crate::kernel::Kernel;
use cornerturn_base::memory::SharedHost;
use cornerturn_base::place::Direction;
use std::sync::Arc;

/// What a stream does next. Addresses and sizes lie in buffers that whoever queues it keeps until it is done.
#[derive(Clone)]
pub enum Queued {
    /// Between pinned memory of the host, all of it, and the bytes from an address on.
    Copy {
        direction: Direction,
        address: u64,
        host: SharedHost,
    },
    /// From one buffer to another.
    Move { from: u64, to: u64, bytes: usize },
    /// One byte, so many times.
    Fill {
        address: u64,
        bytes: usize,
        byte: u8,
    },
    Launch {
        kernel: Kernel,
        prepared: Arc<Prepared>,
    },
}

impl Queued {
    /// What kind of operation it is.
    pub(crate) fn kind(&self) -> DeedKind {
        match self {
            Self::Copy { direction, .. } => match direction {
                Direction::ToDevice => DeedKind::ToDevice,
                Direction::ToHost => DeedKind::ToHost,
            },
            Self::Move { .. } | Self::Fill { .. } => DeedKind::Within,
            Self::Launch { .. } => DeedKind::Kernel,
        }
    }
}
