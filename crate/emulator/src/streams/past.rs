//! Moments, and what each stream holds that may be under way.

use std::collections::BTreeMap;

use crate::streams::deed::{Deed, StreamId, StreamKind};
use crate::touched::Touched;

/// A moment: what has been done before it.
///
/// A stream does its operations in the order in which they were queued, so the last one that is done says it for all.
#[derive(Debug, Clone, Default)]
pub struct Past {
    pub(super) last: BTreeMap<StreamId, u64>,
    /// The longest path of operations that leads there.
    pub(super) steps: u32,
}

impl Past {
    pub(super) fn join(&mut self, other: &Self) {
        for (stream, number) in &other.last {
            let last = self.last.entry(*stream).or_insert(*number);
            *last = (*last).max(*number);
        }
        self.steps = self.steps.max(other.steps);
    }

    /// The number of the first operation of a stream that need not be done.
    pub(super) fn next(&self, stream: StreamId) -> u64 {
        self.last.get(&stream).map_or(0, |last| last + 1)
    }
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) name: String,
    pub(super) kind: StreamKind,
    /// What its next operation comes after, beside what all do.
    pub(super) past: Past,
    /// Those of its operations that the host has not waited for, by rising number.
    pub(super) operations: Vec<Operation>,
    /// Where a kernel is the last of them: what a programmatic dependent launch comes after that follows it.
    pub(super) gate: Option<Past>,
    /// Numbers of operations of which the last one's end says nothing.
    pub(super) loose: Vec<u64>,
}

impl Stream {
    /// Its operations that need not be done at a moment.
    pub(super) fn not_in(&self, past: &Past, id: StreamId) -> &[Operation] {
        let next = past.next(id);
        let first = self.operations.partition_point(|op| op.number < next);
        &self.operations[first..]
    }
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) number: u64,
    pub(super) deed: Deed,
    pub(super) touched: Touched,
}
