//! Captures: what streams are given is noted instead of done. What becomes of it is `graph`'s.

use crate::device::{Backend, Captured};
use crate::stream::Stream;
use crate::stream::event::Event;
use crate::stream::graph::{Graph, Runs, Step};
use crate::stream::node::Node;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::streams::{StreamId, StreamKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, Weak};

/// A capture that goes on: what its streams are given is noted and not done. [`Capture::end`] makes a graph of it;
/// dropped, nothing becomes of it.
#[must_use = "the graph is what `end` gives"]
pub struct Capture(Arc<Capturing>);

/// What several streams are captured for.
pub(super) struct Capturing {
    runs: Arc<Runs>,
    origin: StreamId,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    nodes: Vec<Step>,
    calls: Vec<Call>,
    /// The streams that are captured, and the operations that the next one on each comes right after.
    streams: BTreeMap<StreamId, (Stream, BTreeSet<usize>)>,
}

/// What the program called, in order.
enum Call {
    Queue(Stream, usize),
    Record(Event, Stream),
    Wait(Stream, Event),
}

/// Where an event stands in a capture.
#[derive(Clone)]
pub(super) struct Position {
    capturing: Weak<Capturing>,
    graph: String,
    after: BTreeSet<usize>,
}

impl Stream {
    /// Begins to capture what this stream is given, for a graph. A stream that waits for an event recorded in a captured
    /// one is captured too; before the end, this one must wait for it in turn. Findings call the graph `name`.
    ///
    /// ```
    /// use cornerturn::prelude::*;
    ///
    /// let device = Device::emulator();
    /// let transpose = Kernel::registered("padded")?;
    /// let (stream, elements) = (device.stream("s")?, vec![1.5_f32; 33 * 65]);
    /// let (input, output) = (device.upload("input", &elements)?, device.poisoned::<f32>("output", 33 * 65)?);
    ///
    /// let capture = stream.capture("step")?;
    /// stream.launch(&transpose, (3, 2), (32, 8), args![input, output, 33, 65])?;
    /// let mut result = stream.start_read(&output, device.pinned("result", &elements)?)?;
    /// let graph = capture.end()?;
    ///
    /// for value in [2.5, 3.5] {
    ///     input.write(&vec![value; 33 * 65])?;
    ///     graph.launch(&stream)?;
    ///     assert!(result.with(|elements| elements.iter().all(|&element| element == value))?);
    /// }
    /// # anyhow::Ok(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for the legacy default stream, which CUDA does not capture, and for one that is captured already.
    pub fn capture(&self, name: &str) -> Result<Capture> {
        if self.kind() == StreamKind::Default {
            return Err(Error::Usage(
                "the legacy default stream cannot be captured; capture one of device.stream"
                    .to_string(),
            ));
        }
        self.check_not_captured("cannot be captured twice")?;
        let runs = Runs::new(self.device(), name)?;
        let capturing = Arc::new(Capturing {
            runs: Arc::new(runs),
            origin: self.0.id,
            noted: Mutex::default(),
        });
        capturing.join(self, &BTreeSet::new());
        Ok(Capture(capturing))
    }
}

impl Capturing {
    pub(super) fn name(&self) -> &str {
        self.runs.name()
    }

    pub(super) fn runs(&self) -> Arc<Runs> {
        Arc::clone(&self.runs)
    }

    /// A stream is captured from here on, or waits for more.
    fn join(self: &Arc<Self>, stream: &Stream, after: &BTreeSet<usize>) {
        let mut noted = memory::lock(&self.noted);
        let entry = noted.streams.entry(stream.0.id);
        let (_, frontier) = entry.or_insert_with(|| (stream.clone(), BTreeSet::new()));
        frontier.extend(after);
        *memory::lock(&stream.0.capturing) = Some(Arc::clone(self));
    }

    pub(super) fn push(&self, stream: &Stream, node: Node) {
        let mut noted = memory::lock(&self.noted);
        let number = noted.nodes.len();
        let frontier = noted.streams.get_mut(&stream.0.id);
        let after = frontier.map(|(_, frontier)| std::mem::replace(frontier, [number].into()));
        noted.nodes.push(Step {
            node,
            stream: stream.name().to_string(),
            after: after.unwrap_or_default().into_iter().collect(),
        });
        noted.calls.push(Call::Queue(stream.clone(), number));
    }

    pub(super) fn record(self: &Arc<Self>, stream: &Stream, event: &Event) -> Position {
        let mut noted = memory::lock(&self.noted);
        noted
            .calls
            .push(Call::Record(event.clone(), stream.clone()));
        let frontier = noted.streams.get(&stream.0.id);
        Position {
            capturing: Arc::downgrade(self),
            graph: self.name().to_string(),
            after: frontier
                .map(|(_, frontier)| frontier.clone())
                .unwrap_or_default(),
        }
    }

    /// The streams go back to doing what they are given.
    fn leave(&self) -> Noted {
        let noted = std::mem::take(&mut *memory::lock(&self.noted));
        for (stream, _) in noted.streams.values() {
            *memory::lock(&stream.0.capturing) = None;
        }
        noted
    }
}

impl Position {
    pub(super) fn graph(&self) -> &str {
        &self.graph
    }

    /// A stream waits for what stands before here.
    pub(super) fn wait(&self, stream: &Stream, event: &Event) -> Result<()> {
        let Some(capturing) = self.capturing.upgrade() else {
            return Err(event.error(&format!(
                "was recorded in the capture of graph `{}`, which is over; record it again",
                self.graph
            )));
        };
        let own = stream.capturing();
        if own.is_some_and(|own| !Arc::ptr_eq(&own, &capturing)) {
            return Err(event.error(&format!(
                "is part of the capture of graph `{}`, and stream `{}` of another one",
                self.graph,
                stream.name()
            )));
        }
        if stream.kind() == StreamKind::Default {
            return Err(event.error(&format!(
                "is part of the capture of graph `{}`, and the legacy default stream cannot be captured",
                self.graph
            )));
        }
        capturing.join(stream, &self.after);
        let call = Call::Wait(stream.clone(), event.clone());
        memory::lock(&capturing.noted).calls.push(call);
        Ok(())
    }
}

impl Capture {
    /// Ends it: a graph of all that its streams were given.
    ///
    /// # Errors
    /// [`Error::Usage`] where nothing was captured, or where the stream with which it began does not wait for all that
    /// others were given; [`Error::Driver`].
    pub fn end(self) -> Result<Graph> {
        let noted = self.0.leave();
        let (name, device) = (self.0.name(), self.0.runs.device());
        if noted.nodes.is_empty() {
            return Err(Error::Usage(format!(
                "graph `{name}`: nothing was queued while it was captured"
            )));
        }
        let origin = noted.streams.get(&self.0.origin);
        let Some((origin, frontier)) = origin else {
            return Err(Error::Usage(format!("graph `{name}`: its stream is gone")));
        };
        if let Some(left) = not_before(&noted.nodes, frontier) {
            return Err(Error::Usage(format!(
                "graph `{name}`: {} on stream `{}` is not waited for: record an event there, and let `{}` wait for it \
                 before the capture ends",
                left.node.deed.what,
                left.stream,
                origin.name()
            )));
        }
        let cuda = match device.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => {
                let calls: Vec<Captured> = noted
                    .calls
                    .iter()
                    .filter_map(|call| captured(call, &noted.nodes))
                    .collect();
                Some(cuda.make_graph(origin.cuda(), &calls)?)
            }
        };
        Ok(Graph::new(self.0.runs(), noted.nodes, cuda))
    }
}

/// A call as the driver is to capture it.
fn captured<'c>(call: &'c Call, nodes: &'c [Step]) -> Option<Captured<'c>> {
    Some(match call {
        Call::Queue(stream, number) => {
            Captured::Queue(stream.cuda(), &nodes.get(*number)?.node.queued)
        }
        Call::Record(event, stream) => Captured::Record(event.cuda()?, stream.cuda()),
        Call::Wait(stream, event) => Captured::Wait(stream.cuda(), event.cuda()?),
    })
}

/// The first operation that comes before none of these.
fn not_before<'s>(steps: &'s [Step], last: &BTreeSet<usize>) -> Option<&'s Step> {
    let mut before = vec![false; steps.len()];
    let mut open: Vec<usize> = last.iter().copied().collect();
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut before[number], true) {
            open.extend(&steps[number].after);
        }
    }
    let left = before.iter().position(|before| !before)?;
    steps.get(left)
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a capture for graph `{}`", self.0.name())
    }
}
