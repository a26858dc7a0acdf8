//! Capture: what streams are given becomes nodes of a graph, and is not carried out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::{LEGACY, Stream, held};
use crate::driver::Driver;
use crate::graph::{Graph, NodeId};
use crate::status::{Error, Result, Status};
use crate::table::new_handle;
use crate::work::Work;

/// A capture that goes on.
#[derive(Debug)]
pub struct Capture {
    /// A number that no other capture has.
    pub id: u64,
    /// The stream in which it began.
    pub origin: u64,
    /// The graph that it makes.
    pub graph: Arc<Graph>,
    /// Streams that take part, each with the nodes that its next one comes after.
    pub(crate) streams: HashMap<u64, Vec<NodeId>>,
    events: HashMap<u64, Vec<NodeId>>,
}

/// All captures.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    all: Mutex<Vec<Capture>>,
    active: AtomicUsize,
}

impl Streams {
    /// Whether anything is being captured.
    pub(crate) fn are_active(&self) -> bool {
        self.active.load(Ordering::Relaxed) > 0
    }

    /// Whether an event was last recorded in a stream that is being captured.
    pub(crate) fn has_event(&self, event: u64) -> bool {
        self.are_active()
            && held(&self.all)
                .iter()
                .any(|one| one.events.contains_key(&event))
    }
}

impl Driver {
    /// Begins to capture a stream, into a graph if one is given.
    ///
    /// # Errors
    /// [`Status::STREAM_CAPTURE_UNSUPPORTED`] for the legacy default stream, [`Status::ILLEGAL_STATE`] for one that is
    /// being captured.
    pub fn begin_capture(
        &self,
        stream: u64,
        graph: Option<(Arc<Graph>, Vec<NodeId>)>,
    ) -> Result<()> {
        self.context()?;
        let found = self
            .stream(stream)?
            .ok_or(Status::STREAM_CAPTURE_UNSUPPORTED)?;
        let mut all = held(&self.captures.all);
        if all
            .iter()
            .any(|one| one.streams.contains_key(&found.handle))
        {
            return Err(Status::ILLEGAL_STATE.into());
        }
        let (graph, after) = graph.unwrap_or_else(|| (Arc::new(Graph::new()), Vec::new()));
        self.graphs.put(graph.handle, graph.clone());
        all.push(Capture {
            id: new_handle(),
            origin: found.handle,
            graph,
            streams: HashMap::from([(found.handle, after)]),
            events: HashMap::new(),
        });
        self.captures.active.store(all.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Ends the capture that began in a stream, and gives its graph.
    ///
    /// # Errors
    /// [`Status::ILLEGAL_STATE`] if it is not captured; [`Status::STREAM_CAPTURE_UNMATCHED`] if the capture began in another
    /// stream; [`Status::STREAM_CAPTURE_UNJOINED`] if another stream of it has work that the first one does not wait for.
    pub fn end_capture(&self, stream: u64) -> Result<Arc<Graph>> {
        let found = self.stream(stream)?.ok_or(Status::ILLEGAL_STATE)?;
        let mut all = held(&self.captures.all);
        let takes_part = |one: &Capture| one.streams.contains_key(&found.handle);
        let at = all
            .iter()
            .position(takes_part)
            .ok_or(Status::ILLEGAL_STATE)?;
        if all[at].origin != found.handle {
            return Err(Status::STREAM_CAPTURE_UNMATCHED.into());
        }
        let capture = all.remove(at);
        self.captures.active.store(all.len(), Ordering::Relaxed);
        let ends = capture
            .streams
            .get(&found.handle)
            .cloned()
            .unwrap_or_default();
        let joined = capture.graph.all_before(&ends);
        let others = capture
            .streams
            .iter()
            .filter(|(other, _)| **other != found.handle);
        let is_left = |node: &NodeId| !joined.contains(node);
        if others.flat_map(|(_, ends)| ends).any(is_left) {
            let message = "a stream that takes part in the capture has work for which the first stream does not wait: record an event on it, and let the first stream wait for the event";
            return Err(Error::new(Status::STREAM_CAPTURE_UNJOINED, message));
        }
        Ok(capture.graph)
    }

    /// What a stream is captured into: the capture's number, its graph, and the nodes that the next one comes after.
    pub fn capture_of(&self, stream: u64) -> Option<(u64, Arc<Graph>, Vec<NodeId>)> {
        if !self.captures.are_active() {
            return None;
        }
        let handle = self.stream(stream).ok()??.handle;
        let all = held(&self.captures.all);
        all.iter().find_map(|one| {
            let after = one.streams.get(&handle)?;
            Some((one.id, one.graph.clone(), after.clone()))
        })
    }

    /// Sets the nodes that the next one of a captured stream comes after, or adds to them.
    ///
    /// # Errors
    /// [`Status::ILLEGAL_STATE`] if it is not captured.
    pub fn set_capture_after(&self, stream: u64, nodes: Vec<NodeId>, adds: bool) -> Result<()> {
        let handle = self.stream(stream)?.ok_or(Status::ILLEGAL_STATE)?.handle;
        let mut all = held(&self.captures.all);
        let mut after = all
            .iter_mut()
            .filter_map(|one| one.streams.get_mut(&handle));
        let after = after.next().ok_or(Status::ILLEGAL_STATE)?;
        if !adds {
            after.clear();
        }
        after.extend(nodes);
        Ok(())
    }

    /// Takes an operation into a capture; false if the stream is in none.
    pub(crate) fn capture(&self, stream: u64, work: &Work) -> Result<bool> {
        let mut all = held(&self.captures.all);
        if let Work::Wait(event) = work {
            let Some(capture) = all.iter_mut().find(|one| one.events.contains_key(event)) else {
                return Ok(all.iter().any(|one| one.streams.contains_key(&stream)));
            };
            let (id, nodes) = (capture.id, capture.events.get(event).cloned());
            let other = |one: &&mut Capture| one.id != id && one.streams.contains_key(&stream);
            if all.iter_mut().find(other).is_some() {
                return Err(Status::STREAM_CAPTURE_MERGE.into());
            }
            if let Some(capture) = all.iter_mut().find(|one| one.id == id) {
                let after = capture.streams.entry(stream).or_default();
                for node in nodes.into_iter().flatten() {
                    if !after.contains(&node) {
                        after.push(node);
                    }
                }
            }
            return Ok(true);
        }
        let Some(capture) = all.iter_mut().find(|one| one.streams.contains_key(&stream)) else {
            return Ok(false);
        };
        let after = capture.streams.entry(stream).or_default();
        if let Work::Record(event) = work {
            let after = after.clone();
            capture.events.insert(*event, after);
            return Ok(true);
        }
        let node = capture.graph.add(work.clone(), std::mem::take(after))?;
        after.push(node);
        Ok(true)
    }

    /// The legacy default stream would wait for streams that are being captured.
    pub(crate) fn check_capture_allows(&self, stream: Option<&Stream>) -> Result<()> {
        let is_captured = |handle: &u64| {
            let stream = self.streams.get(*handle);
            stream.is_some_and(|stream| stream.flags == 0)
        };
        let all = held(&self.captures.all);
        let waits = all
            .iter()
            .flat_map(|one| one.streams.keys())
            .any(is_captured);
        match stream.is_none() && waits {
            true => Err(Status::STREAM_CAPTURE_IMPLICIT.into()),
            false => Ok(()),
        }
    }

    /// A call that waits is none that can be captured.
    pub(crate) fn refuse_in_capture(&self, stream: u64) -> Result<()> {
        let is_captured = self.capture_of(stream).is_some();
        let is_legacy = matches!(stream, 0 | LEGACY) && self.captures.are_active();
        match is_captured {
            true => Err(Status::STREAM_CAPTURE_UNSUPPORTED.into()),
            false if is_legacy => self.check_capture_allows(None),
            false => Ok(()),
        }
    }
}
