//! Compares an operation with all that may be under way: which bytes both touch.

use std::ops::Range;

use crate::streams::past::{Operation, Past};
use crate::streams::{Lacks, Order, Side, StreamId, Unordered};
use crate::touched::TouchedBuffer;

impl Order {
    /// Compares an operation with all that may be under way when it begins.
    pub(super) fn races(
        &self,
        second: &Operation,
        on: Option<StreamId>,
        past: &Past,
    ) -> Vec<Unordered> {
        let mut races = Vec::new();
        for (id, stream) in &self.streams {
            for first in stream.not_in(past, *id) {
                let lacks = match on == Some(*id) {
                    true => Lacks::EventInGraph,
                    false => Lacks::Event,
                };
                self.compare((first, *id), (second, on), lacks, &mut races);
            }
        }
        races
    }

    pub(super) fn compare(
        &self,
        (first, stream): (&Operation, StreamId),
        (second, on): (&Operation, Option<StreamId>),
        lacks: Lacks,
        races: &mut Vec<Unordered>,
    ) {
        for a in &first.touched {
            for b in second.touched.iter().filter(|b| b.base == a.base) {
                if let Some((bytes, first_writes, second_writes)) = conflict(a, b) {
                    races.push(Unordered {
                        first: self.side(first, Some(stream), first_writes),
                        second: self.side(second, on, second_writes),
                        buffer: b.name.clone(),
                        bytes,
                        lacks,
                    });
                }
            }
        }
    }

    fn side(&self, operation: &Operation, stream: Option<StreamId>, writes: bool) -> Side {
        let stream = stream.and_then(|id| self.streams.get(&id));
        Side {
            deed: operation.deed.clone(),
            stream: stream.map(|stream| (stream.name.clone(), stream.kind)),
            writes,
        }
    }
}

/// The first bytes of a buffer on which two operations depend on their order, and which of them write there.
fn conflict(a: &TouchedBuffer, b: &TouchedBuffer) -> Option<(Range<u64>, bool, bool)> {
    let pairs = [
        (a.written.shared_with(&b.written), true, true),
        (a.written.shared_with(&b.read), true, false),
        (a.read.shared_with(&b.written), false, true),
    ];
    let found = pairs
        .into_iter()
        .filter_map(|(bytes, first, second)| Some((bytes?, first, second)));
    found.min_by_key(|(bytes, ..)| bytes.start)
}
