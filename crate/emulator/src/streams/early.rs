//! Kernels in the order of a stream: those that may begin before the kernel before them has ended. What they touch early is told by their launch.

use crate::streams::past::{Operation, Past};
use crate::streams::{Deed, Lacks, Order, Placed, StreamId, Unordered};
use crate::touched::{Early, Touched};

impl Order {
    /// Queues a kernel on a stream; `early` says what it does early where it is a programmatic dependent launch.
    pub fn queue_kernel(
        &mut self,
        stream: StreamId,
        deed: Deed,
        touched: Touched,
        early: Option<Early>,
    ) -> Placed {
        let past = self.begin(stream);
        let gate = self.begin_early(stream);
        let operation = self.operation(deed, touched);
        let mut races = self.races(&operation, Some(stream), &past);
        let mut after = past.clone();
        let mut loose = Vec::new();
        // It begins as any other where no kernel is right before it.
        if let (Some(early), Some(gate)) = (early, gate) {
            let number = operation.number;
            let first = Operation {
                number,
                deed: operation.deed.clone(),
                touched: early.touched,
            };
            self.early_races(&first, stream, (&gate, &past), &mut races);
            loose = self.loose_races(&operation, stream, &mut races);
            if !early.waits {
                loose.extend(gate.next(stream)..past.next(stream));
            }
            if !early.holds_next {
                after = gate;
            }
        }
        let step = self.push(stream, past, operation);
        if let Some(stream) = self.streams.get_mut(&stream) {
            (stream.gate, stream.loose) = (Some(after), loose);
        }
        Placed { races, step }
    }

    /// What the next operation of a stream comes after if it is a programmatic dependent launch; `None` where no kernel is
    /// right before it.
    fn begin_early(&self, stream: StreamId) -> Option<Past> {
        let gate = self.streams.get(&stream)?.gate.clone()?;
        Some(self.after_others(stream, gate))
    }

    /// Compares what a programmatic dependent launch does early with what need not have ended then, and has ended later.
    fn early_races(
        &self,
        early: &Operation,
        on: StreamId,
        (gate, past): (&Past, &Past),
        races: &mut Vec<Unordered>,
    ) {
        for (id, stream) in &self.streams {
            let ended = past.next(*id);
            for first in stream.not_in(gate, *id) {
                // Those of which nothing is known are compared with all that it does.
                if first.number < ended && !stream.loose.contains(&first.number) {
                    self.compare((first, *id), (early, Some(on)), Lacks::Wait, races);
                }
            }
        }
    }

    /// Compares a programmatic dependent launch with those of which the end of the kernel before it says nothing; gives
    /// their numbers, as far as they may be under way.
    fn loose_races(
        &self,
        operation: &Operation,
        on: StreamId,
        races: &mut Vec<Unordered>,
    ) -> Vec<u64> {
        let Some(stream) = self.streams.get(&on) else {
            return Vec::new();
        };
        let known = self.after_others(on, Past::default()).next(on);
        let is_loose =
            |first: &&Operation| first.number >= known && stream.loose.contains(&first.number);
        let loose: Vec<&Operation> = stream.operations.iter().filter(is_loose).collect();
        for first in &loose {
            self.compare(
                (first, on),
                (operation, Some(on)),
                Lacks::WaitBetween,
                races,
            );
        }
        loose.into_iter().map(|first| first.number).collect()
    }
}
