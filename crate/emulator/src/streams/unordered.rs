//! Two operations that nothing orders, as data. Their words are in `words`.

use std::ops::Range;

use crate::streams::deed::{Deed, StreamKind};

/// One of the two operations of an [`Unordered`] pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The operation.
    pub deed: Deed,
    /// The stream's name and kind; `None` for the host's own access to memory.
    pub stream: Option<(String, StreamKind)>,
    /// Whether it writes the bytes.
    pub writes: bool,
}

/// Two operations that touch the same bytes, at least one of them writing, which nothing orders. Its words are its
/// `Display`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unordered {
    /// The one that was queued first.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// The buffer, or the memory of the host.
    pub buffer: String,
    /// The first range of bytes that both touch, as offsets in the buffer.
    pub bytes: Range<u64>,
    /// What would have ordered them.
    pub lacks: Lacks,
}

/// What is missing between two operations that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lacks {
    /// An event, or the host's waiting.
    Event,
    /// The same, while the graph is captured that has both.
    EventInGraph,
    /// The second one's own waiting: it is a programmatic dependent launch, and touches the bytes before it has waited for
    /// the first (`griddepcontrol.wait`).
    Wait,
    /// The waiting of a kernel between them: the second one waits for that, and that one not for the first.
    WaitBetween,
}
