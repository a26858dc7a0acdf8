//! Operations that have an order of their own, as those of a graph: queued together on one stream.

use crate::streams::past::Operation;
use crate::streams::{Deed, Lacks, Order, Placed, StreamId};
use crate::touched::{Early, Touched};

/// An operation of a graph.
#[derive(Debug, Clone)]
pub struct GraphNode {
    /// What it is.
    pub deed: Deed,
    /// What it does to memory.
    pub touched: Touched,
    /// Those that it comes right after.
    pub after: Vec<usize>,
    /// For a programmatic dependent launch, what it does early, and the kernel right before it in its stream, one of `after`.
    pub early: Option<(Early, usize)>,
}

impl Order {
    /// Queues operations that have an order of their own: each comes after those that it names by their indices, which
    /// are lower than its own.
    pub fn queue_all(
        &mut self,
        stream: StreamId,
        nodes: impl IntoIterator<Item = GraphNode>,
    ) -> Vec<Placed> {
        let mut past = self.begin(stream);
        let base = past.steps;
        let (mut operations, mut all) = (Vec::<Operation>::new(), Vec::<Placed>::new());
        // Of each operation, which of the others come before it.
        let mut before: Vec<Vec<bool>> = Vec::new();
        // The same of a programmatic dependent launch that would follow it.
        let mut gates: Vec<Vec<bool>> = Vec::new();
        for node in nodes {
            let GraphNode { after, early, .. } = node;
            let operation = self.operation(node.deed, node.touched);
            let mut races = self.races(&operation, Some(stream), &past);
            let own = all_before(&after, &before);
            let mut gate = own.clone();
            if let Some((early, kernel)) = early.filter(|(_, kernel)| after.contains(kernel)) {
                let others: Vec<usize> = after.into_iter().filter(|n| *n != kernel).collect();
                let mut ended = all_before(&others, &before);
                join(&mut ended, gates.get(kernel).map_or(&[], Vec::as_slice));
                let first = Operation {
                    number: operation.number,
                    deed: operation.deed.clone(),
                    touched: early.touched,
                };
                for (at, earlier) in operations.iter().enumerate() {
                    if own[at] && !ended[at] {
                        let second = (&first, Some(stream));
                        self.compare((earlier, stream), second, Lacks::Wait, &mut races);
                    }
                }
                if !early.holds_next {
                    gate = ended;
                }
            }
            let mut step = base;
            for ((earlier, placed), is_before) in operations.iter().zip(&all).zip(&own) {
                match is_before {
                    true => step = step.max(placed.step),
                    false => self.compare(
                        (earlier, stream),
                        (&operation, Some(stream)),
                        Lacks::EventInGraph,
                        &mut races,
                    ),
                }
            }
            before.push(own);
            gates.push(gate);
            operations.push(operation);
            all.push(Placed {
                races,
                step: step + 1,
            });
        }
        if let Some(last) = operations.last() {
            past.last.insert(stream, last.number);
        }
        past.steps = all
            .iter()
            .fold(past.steps, |steps, placed| steps.max(placed.step));
        self.end(stream, past, operations);
        all
    }
}

/// What comes before an operation that comes right after these.
fn all_before(after: &[usize], before: &[Vec<bool>]) -> Vec<bool> {
    let mut all = vec![false; before.len()];
    for &earlier in after.iter().filter(|index| **index < before.len()) {
        all[earlier] = true;
        join(&mut all, &before[earlier]);
    }
    all
}

fn join(all: &mut [bool], others: &[bool]) {
    for (one, other) in all.iter_mut().zip(others) {
        *one |= other;
    }
}
