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

mod compare;
mod deed;
mod early;
mod graph;
mod past;
mod unordered;
mod words;

use std::collections::BTreeMap;

use crate::touched::Touched;
pub use deed::{Deed, EventId, StreamId, StreamKind};
pub use graph::GraphNode;
pub use past::Past;
use past::{Operation, Stream};
pub use unordered::{Lacks, Side, Unordered};

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
