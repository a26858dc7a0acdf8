//! A copy between pinned memory and a buffer that stands in a stream, and the way back to the memory.

use crate::device::{Backend, CudaEvent, Device};
use crate::pinned::Pinned;
use crate::stream::Stream;
use crate::stream::graph::Runs;
use cornerturn_base::element::Element;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::streams::Past;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A copy that stands in a stream. It holds the pinned memory, so that nobody reads or changes it before
/// [`StreamCopy::wait`]. The buffer may be used: what uses it must come after the copy, or before it.
#[must_use = "a copy is done when `wait` returns; dropped, it is waited for at once"]
pub struct StreamCopy<T: Element> {
    stream: Stream,
    /// `None` once it was given back. If the copy is forgotten, it is never freed.
    host: Option<Arc<Mutex<Pinned<T>>>>,
    until: Until,
}

/// When the memory is free.
enum Until {
    /// When all that is in the stream is done: nothing more is known yet.
    Stream,
    /// When this event is there, and what the order of streams knows of it.
    Event(Option<CudaEvent>, Past),
    /// When the last launch of a graph is done; the next one copies again.
    Graph(Arc<Runs>),
}

impl<T: Element> StreamCopy<T> {
    pub(super) fn new(stream: &Stream, host: Arc<Mutex<Pinned<T>>>) -> Self {
        Self {
            stream: stream.clone(),
            host: Some(host),
            until: Until::Stream,
        }
    }

    /// The copy stands in the stream.
    pub(super) fn begun(mut self, stream: &Stream) -> Result<Self> {
        if let Some(capturing) = stream.capturing() {
            self.until = Until::Graph(capturing.runs());
            return Ok(self);
        }
        let event = match stream.device().backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => {
                let event = cuda.make_event()?;
                cuda.record_event(&event, stream.cuda())?;
                Some(event)
            }
        };
        let past = stream.device().order().past(stream.0.id);
        self.until = Until::Event(event, past);
        Ok(self)
    }

    /// Waits until the copy is done, and gives the pinned memory back.
    ///
    /// # Errors
    /// [`Error::Driver`] where something that stood in the stream has failed on the GPU; [`Error::Usage`] where a graph
    /// makes the copy at each launch, and is there still.
    pub fn wait(mut self) -> Result<Pinned<T>> {
        self.settle()?;
        let Some(host) = self.host.take() else {
            return Err(self.stream.error("has given the memory of this copy back"));
        };
        match Arc::try_unwrap(host) {
            Ok(pinned) => Ok(pinned
                .into_inner()
                .unwrap_or_else(std::sync::PoisonError::into_inner)),
            Err(shared) => {
                let name = memory::lock(&shared).name().to_string();
                Err(Error::Usage(format!(
                    "pinned `{name}`: graph `{}` copies it at each launch; look at it by `with`, or drop the graph first",
                    self.graph()
                )))
            }
        }
    }

    /// Waits until the copy is done, and lets `look` read and change the pinned elements. For copies that a graph makes at
    /// each launch.
    ///
    /// # Errors
    /// [`Error::Driver`] as [`StreamCopy::wait`].
    pub fn with<R>(&mut self, look: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        let host = self.host.clone();
        let Some(host) = host else {
            return Err(self.stream.error("has given the memory of this copy back"));
        };
        // The lock first: no graph is launched while it is held.
        let mut elements = memory::lock(&host);
        self.settle()?;
        Ok(look(&mut elements))
    }

    fn graph(&self) -> &str {
        match &self.until {
            Until::Graph(runs) => runs.name(),
            _ => "",
        }
    }

    /// Waits until nothing is at the memory. Where that cannot be known, it is never freed.
    fn settle(&mut self) -> Result<()> {
        let device = self.stream.device();
        let settled = match &self.until {
            Until::Stream => wait_for_stream(&self.stream),
            Until::Event(event, past) => wait_for(device, event.as_ref(), past),
            Until::Graph(runs) => runs.wait(device),
        };
        if settled.is_err()
            && let Some(host) = self.host.take()
        {
            std::mem::forget(host);
        }
        settled
    }
}

fn wait_for_stream(stream: &Stream) -> Result<()> {
    match stream.device().backend() {
        Backend::Emulated(_) => Ok(()),
        Backend::Cuda(cuda) => cuda.synchronize_stream(stream.cuda()),
    }
}

/// Waits for an event, and lets the order of streams know.
pub(super) fn wait_for(device: &Device, event: Option<&CudaEvent>, past: &Past) -> Result<()> {
    if let (Backend::Cuda(cuda), Some(event)) = (device.backend(), event) {
        cuda.synchronize_event(event)?;
    }
    device.order().synchronize_past(past);
    Ok(())
}

impl<T: Element> Drop for StreamCopy<T> {
    fn drop(&mut self) {
        if self.host.is_some() && !matches!(self.until, Until::Graph(_)) {
            // A failure cannot be answered in a drop, and the next call meets it again.
            drop(self.settle());
        }
        if let (Until::Event(Some(event), _), Backend::Cuda(cuda)) =
            (&self.until, self.stream.device().backend())
        {
            cuda.free_event(event);
        }
    }
}

impl<T: Element> fmt::Debug for StreamCopy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a copy on {:?}", self.stream)
    }
}
