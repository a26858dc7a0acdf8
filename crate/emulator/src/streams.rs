//! What a host program queues on streams, as an order: which operation comes before which, and which touch the same bytes unordered. What an operation does, and on what, is not its business.
//!
//! The rules are CUDA's (CUDA C++ Programming Guide, *Asynchronous Concurrent Execution*; CUDA Driver API, *Stream
//! synchronization behavior*): a stream does one thing after the other; who waits for an event comes after what stood in
//! the event's stream when it was recorded; what is queued after the host has waited comes after what it waited for; and
//! the legacy default stream waits for all streams but the non-blocking ones, and these for it. Nothing else orders.
//!
//! A programmatic dependent launch right after a kernel of its stream may begin before that kernel has ended (CUDA C++
//! Programming Guide, *Programmatic Dependent Launch and Synchronization*): what its threads do before they wait comes
//! after what the kernel itself came after, and no more; what they do afterwards comes after the kernel's end. That end
//! says nothing of an earlier kernel for which the kernel has not waited.
//!
//! An operation that the host has waited for comes before all that follows, so it is forgotten: what is kept is what may
//! still be under way.

mod early;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::Location;

use crate::touched::{Early, Touched, TouchedBuffer};

/// A stream of one [`Order`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(usize);

impl StreamId {
    /// The legacy default stream, which is always there.
    pub const DEFAULT: Self = Self(0);
}

/// An event of one [`Order`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u64);

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

/// A moment: what has been done before it.
///
/// A stream does its operations in the order in which they were queued, so the last one that is done says it for all.
#[derive(Debug, Clone, Default)]
pub struct Past {
    last: BTreeMap<StreamId, u64>,
    /// The longest path of operations that leads there.
    steps: u32,
}

impl Past {
    fn join(&mut self, other: &Self) {
        for (stream, number) in &other.last {
            let last = self.last.entry(*stream).or_insert(*number);
            *last = (*last).max(*number);
        }
        self.steps = self.steps.max(other.steps);
    }

    /// The number of the first operation of a stream that need not be done.
    fn next(&self, stream: StreamId) -> u64 {
        self.last.get(&stream).map_or(0, |last| last + 1)
    }
}

#[derive(Debug)]
struct Stream {
    name: String,
    kind: StreamKind,
    /// What its next operation comes after, beside what all do.
    past: Past,
    /// Those of its operations that the host has not waited for, by rising number.
    operations: Vec<Operation>,
    /// Where a kernel is the last of them: what a programmatic dependent launch comes after that follows it.
    gate: Option<Past>,
    /// Numbers of operations of which the last one's end says nothing.
    loose: Vec<u64>,
}

impl Stream {
    /// Its operations that need not be done at a moment.
    fn not_in(&self, past: &Past, id: StreamId) -> &[Operation] {
        let next = past.next(id);
        let first = self.operations.partition_point(|op| op.number < next);
        &self.operations[first..]
    }
}

#[derive(Debug)]
struct Operation {
    number: u64,
    deed: Deed,
    touched: Touched,
}

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

/// What became of an operation that was queued.
#[derive(Debug, Default)]
pub struct Placed {
    /// The earlier operations with which it races: one entry for each and each buffer.
    pub races: Vec<Unordered>,
    /// The length of the longest path of operations that ends with it, from 1.
    pub step: u32,
}

/// The order of a program's operations. Calls are in the order in which the host makes them.
#[derive(Debug)]
pub struct Order {
    streams: BTreeMap<StreamId, Stream>,
    next_stream: usize,
    next_operation: u64,
    /// The longest path to what the host has waited for.
    host_steps: u32,
    /// Whether the program itself queues on the legacy default stream, and does not wait.
    uses_default: bool,
    /// Where events stand that were recorded.
    events: BTreeMap<EventId, Past>,
    next_event: u64,
}

impl Default for Order {
    fn default() -> Self {
        Self::new()
    }
}

impl Order {
    /// Nothing is under way, and there is the legacy default stream alone.
    pub fn new() -> Self {
        let mut order = Self {
            streams: BTreeMap::new(),
            next_stream: 0,
            next_operation: 0,
            host_steps: 0,
            uses_default: false,
            events: BTreeMap::new(),
            next_event: 0,
        };
        order.add_stream("default", StreamKind::Default);
        order
    }

    /// Adds a stream.
    pub fn add_stream(&mut self, name: &str, kind: StreamKind) -> StreamId {
        let id = StreamId(self.next_stream);
        self.next_stream += 1;
        let stream = Stream {
            name: name.to_string(),
            kind,
            past: Past::default(),
            operations: Vec::new(),
            gate: None,
            loose: Vec::new(),
        };
        self.streams.insert(id, stream);
        id
    }

    /// Takes a stream away, after the host has waited for it.
    pub fn remove_stream(&mut self, stream: StreamId) {
        self.synchronize_stream(stream);
        self.streams.remove(&stream);
    }

    /// The program has the legacy default stream too.
    pub fn use_default(&mut self) {
        self.uses_default = true;
    }

    /// Whether the program has streams, so that anything can be out of order.
    pub fn is_needed(&self) -> bool {
        self.uses_default || self.streams.len() > 1
    }

    /// Adds an event, which stands for nothing yet.
    pub fn add_event(&mut self) -> EventId {
        let id = EventId(self.next_event);
        self.next_event += 1;
        id
    }

    /// Queues an operation on a stream.
    pub fn queue(&mut self, stream: StreamId, deed: Deed, touched: Touched) -> Placed {
        let past = self.begin(stream);
        let operation = self.operation(deed, touched);
        let races = self.races(&operation, Some(stream), &past);
        let step = self.push(stream, past, operation);
        Placed { races, step }
    }

    /// The same as [`Order::queue`] where nobody wants to know of races; the operation's step.
    pub fn add(&mut self, stream: StreamId, deed: Deed, touched: Touched) -> u32 {
        let past = self.begin(stream);
        let operation = self.operation(deed, touched);
        self.push(stream, past, operation)
    }

    fn push(&mut self, stream: StreamId, mut past: Past, operation: Operation) -> u32 {
        past.last.insert(stream, operation.number);
        past.steps += 1;
        let step = past.steps;
        self.end(stream, past, [operation]);
        step
    }

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

    /// The host itself reads or writes memory, and no stream does it for it: it is over when the call returns.
    pub fn touch(&mut self, deed: Deed, touched: Touched) -> Vec<Unordered> {
        let operation = self.operation(deed, touched);
        self.races(&operation, None, &Past::default())
    }

    /// Records an event: it stands for what is in the stream now. To record it again moves it.
    pub fn record(&mut self, event: EventId, stream: StreamId) {
        // The legacy default stream waits for others here too: a record is an action like any other.
        let past = self.begin(stream);
        self.end(stream, past.clone(), []);
        self.events.insert(event, past);
    }

    /// Whether an event stands for anything.
    pub fn is_recorded(&self, event: EventId) -> bool {
        self.events.contains_key(&event)
    }

    /// What follows in a stream comes after what an event stands for; false if it was never recorded.
    pub fn wait(&mut self, stream: StreamId, event: EventId) -> bool {
        let mut past = self.begin(stream);
        let Some(position) = self.events.get(&event) else {
            return false;
        };
        past.join(position);
        let position = position.clone();
        self.end(stream, past, []);
        let known = position.next(stream);
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.loose.retain(|number| *number >= known);
            if let Some(gate) = &mut stream.gate {
                gate.join(&position);
            }
        }
        true
    }

    /// Forgets an event.
    pub fn remove_event(&mut self, event: EventId) {
        self.events.remove(&event);
    }

    /// The host waits for what an event stands for; false if it was never recorded.
    pub fn synchronize_event(&mut self, event: EventId) -> bool {
        let Some(past) = self.events.get(&event).cloned() else {
            return false;
        };
        self.forget_done(&past);
        true
    }

    /// The host waits for all that is in a stream.
    pub fn synchronize_stream(&mut self, stream: StreamId) {
        let past = self.begin(stream);
        self.forget_done(&past);
    }

    /// The host waits for all that a moment came after.
    pub fn synchronize_past(&mut self, past: &Past) {
        self.forget_done(past);
    }

    /// What a stream has been given so far.
    pub fn past(&self, stream: StreamId) -> Past {
        self.streams
            .get(&stream)
            .map(|stream| stream.past.clone())
            .unwrap_or_default()
    }

    /// The host waits for everything.
    pub fn synchronize(&mut self) {
        let streams: Vec<StreamId> = self.streams.keys().copied().collect();
        for stream in streams {
            self.synchronize_stream(stream);
        }
    }

    /// A buffer is gone: its address may become another one's.
    pub fn forget_buffer(&mut self, base: u64) {
        let streams = self.streams.values_mut();
        for operation in streams.flat_map(|stream| &mut stream.operations) {
            operation.touched.retain(|touched| touched.base != base);
        }
    }

    /// The moment at which a stream would begin an action now.
    fn begin(&self, stream: StreamId) -> Past {
        self.after_others(stream, self.past(stream))
    }

    /// A moment of a stream, or later: after what the host and the legacy default stream let it wait for.
    fn after_others(&self, stream: StreamId, mut past: Past) -> Past {
        past.steps = past.steps.max(self.host_steps);
        let kind = self.streams.get(&stream).map(|stream| stream.kind);
        for other in self.streams.values() {
            let waits = matches!(
                (kind, other.kind),
                (Some(StreamKind::Default), StreamKind::Blocking)
                    | (Some(StreamKind::Blocking), StreamKind::Default)
            );
            if waits {
                past.join(&other.past);
            }
        }
        past
    }

    /// The moment at which a stream has done these, and what it did before.
    fn end(
        &mut self,
        stream: StreamId,
        past: Past,
        operations: impl IntoIterator<Item = Operation>,
    ) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.past = past;
            let known = stream.operations.len();
            stream.operations.extend(operations);
            if stream.operations.len() > known {
                (stream.gate, stream.loose) = (None, Vec::new());
            }
        }
    }

    fn operation(&mut self, deed: Deed, touched: Touched) -> Operation {
        let number = self.next_operation;
        self.next_operation += 1;
        Operation {
            number,
            deed,
            touched,
        }
    }

    /// Compares an operation with all that may be under way when it begins.
    fn races(&self, second: &Operation, on: Option<StreamId>, past: &Past) -> Vec<Unordered> {
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

    fn compare(
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

    /// The host knows that these are done.
    fn forget_done(&mut self, past: &Past) {
        self.host_steps = self.host_steps.max(past.steps);
        for (id, stream) in &mut self.streams {
            let next = past.next(*id);
            stream
                .operations
                .retain(|operation| operation.number >= next);
        }
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
