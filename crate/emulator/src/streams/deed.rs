//! What a program names: its streams and events, and what it queues.

use std::panic::Location;

/// A stream of one [`Order`](super::Order).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub(super) usize);

impl StreamId {
    /// The legacy default stream, which is always there.
    pub const DEFAULT: Self = Self(0);
}

/// An event of one [`Order`](super::Order).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub(super) u64);

/// How a stream stands to the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// It is the legacy default stream.
    Default,
    /// It and the legacy default stream wait for each other.
    Blocking,
    /// They do not.
    NonBlocking,
}

/// An operation, as findings name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// What it does, as a noun: "kernel `scale`", "the copy of `input` to the device".
    pub what: String,
    /// Where the program queues it.
    pub place: Option<&'static Location<'static>>,
}
