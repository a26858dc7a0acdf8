//! Operations on streams that are being watched for a timeline: what each was, and what will say when. What becomes of it is `stream`'s.

use super::{CudaDevice, CudaEvent, CudaStream, Device};
use cornerturn_base::error::Result;
use cornerturn_base::memory;
use serde::{Deserialize, Serialize};

/// What kind of operation a bar of a timeline stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeedKind {
    /// A copy from the host to the device.
    ToDevice,
    /// A kernel.
    Kernel,
    /// A copy from the device to the host.
    ToHost,
    /// A copy or a fill within the device.
    Within,
    /// A whole graph.
    Graph,
}

/// An operation that was watched.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) stream: String,
    pub(crate) what: String,
    pub(crate) kind: DeedKind,
    pub(crate) span: Span,
}

/// What says when it was.
#[derive(Debug)]
pub(crate) enum Span {
    /// The end of the longest path of operations that leads to it.
    Step(u32),
    /// Before it and after it in its stream.
    Events([CudaEvent; 2]),
}

/// What is being watched: the event from which time is counted, and the operations so far.
#[derive(Debug)]
pub(crate) struct Watching {
    pub(crate) zero: Option<CudaEvent>,
    pub(crate) operations: Vec<Watched>,
}

impl Device {
    pub(crate) fn is_watched(&self) -> bool {
        memory::lock(&self.0.watching).is_some()
    }

    /// Begins to watch, or ends it.
    pub(crate) fn set_watching(&self, watching: Option<Watching>) -> Option<Watching> {
        std::mem::replace(&mut *memory::lock(&self.0.watching), watching)
    }

    pub(crate) fn watch(&self, watched: Watched) {
        if let Some(watching) = &mut *memory::lock(&self.0.watching) {
            watching.operations.push(watched);
        }
    }
}

impl CudaDevice {
    /// Queues something between two events.
    pub(crate) fn between_events(
        &self,
        stream: Option<&CudaStream>,
        queue: impl FnOnce() -> Result<()>,
    ) -> Result<[CudaEvent; 2]> {
        let events = [self.make_event()?, self.make_event()?];
        let queued = self
            .record_event(&events[0], stream)
            .and_then(|()| queue())
            .and_then(|()| self.record_event(&events[1], stream));
        if let Err(error) = queued {
            events.iter().for_each(|event| self.free_event(event));
            return Err(error);
        }
        Ok(events)
    }
}
