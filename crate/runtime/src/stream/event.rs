//! Events: marks in streams that others wait for.

use crate::device::{Backend, CudaEvent, Device};
use crate::stream::Stream;
use crate::stream::capture::Position;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::streams::EventId;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A mark in a stream: who waits for it comes after all that stood in the stream when it was recorded. A cheap handle.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let (stream, begin, end) = (device.stream("s")?, device.event("begin")?, device.event("end")?);
/// stream.record(&begin)?;
/// stream.record(&end)?;
/// end.synchronize()?;
/// // Milliseconds on a GPU; the emulator has no clock.
/// assert!(matches!(end.elapsed_ms_since(&begin), Err(Error::NoClock)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    device: Device,
    name: String,
    /// What the order of the streams knows it by.
    id: EventId,
    cuda: Option<CudaEvent>,
    at: Mutex<At>,
}

/// Where it was recorded last.
#[derive(Clone)]
pub(super) enum At {
    Nowhere,
    Stream,
    /// In a stream that was captured.
    Capture(Position),
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.device.order().remove_event(self.id);
        if let (Backend::Cuda(cuda), Some(event)) = (self.device.backend(), &self.cuda) {
            cuda.free_event(event);
        }
    }
}

impl Device {
    /// An event that stands nowhere yet. Errors call it `name`.
    ///
    /// # Errors
    /// [`Error::Driver`] where the GPU fails.
    pub fn event(&self, name: &str) -> Result<Event> {
        let cuda = match self.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => Some(cuda.make_event()?),
        };
        Ok(Event(Arc::new(Inner {
            device: self.clone(),
            name: name.to_string(),
            id: self.order().add_event(),
            cuda,
            at: Mutex::new(At::Nowhere),
        })))
    }
}

impl Stream {
    /// Records an event: it stands for all that is in the stream by now. To record it again moves it.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is another device's; [`Error::Driver`].
    pub fn record(&self, event: &Event) -> Result<()> {
        event.check_device(self)?;
        if let Some(capturing) = self.capturing() {
            let at = At::Capture(capturing.record(self, event));
            *memory::lock(&event.0.at) = at;
            return Ok(());
        }
        if let (Backend::Cuda(cuda), Some(handle)) = (self.device().backend(), event.cuda()) {
            cuda.record_event(handle, self.cuda())?;
        }
        self.device().order().record(event.0.id, self.0.id);
        *memory::lock(&event.0.at) = At::Stream;
        Ok(())
    }

    /// Lets all that is queued from now on wait for what the event stands for now. The host does not wait.
    ///
    /// # Errors
    /// [`Error::Usage`] where the event was never recorded, is another device's, or is part of a capture that the stream
    /// cannot join; [`Error::Driver`].
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.check_device(self)?;
        let at = memory::lock(&event.0.at).clone();
        match (at, self.capturing()) {
            (At::Nowhere, _) => Err(event.never_recorded()),
            (At::Capture(position), _) => position.wait(self, event),
            (At::Stream, Some(capturing)) => Err(event.error(&format!(
                "was recorded before graph `{}` began to be captured, and a graph waits for nothing outside: wait for it \
                 before the capture, or record it in a captured stream",
                capturing.name()
            ))),
            (At::Stream, None) => {
                if let (Backend::Cuda(cuda), Some(handle)) = (self.device().backend(), event.cuda())
                {
                    cuda.wait_event(self.cuda(), handle)?;
                }
                self.device().order().wait(self.0.id, event.0.id);
                Ok(())
            }
        }
    }
}

impl Event {
    /// The name given at its creation.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Waits on the host until all that it stands for is done.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was never recorded, or in a capture only; [`Error::Driver`] where something that it
    /// stands for has failed on the GPU.
    pub fn synchronize(&self) -> Result<()> {
        self.check_recorded()?;
        if let (Backend::Cuda(cuda), Some(handle)) = (self.0.device.backend(), self.cuda()) {
            cuda.synchronize_event(handle)?;
        }
        self.0.device.order().synchronize_event(self.0.id);
        Ok(())
    }

    /// Milliseconds from another event to this one; the host waits until both are there.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; else as [`Event::synchronize`].
    pub fn elapsed_ms_since(&self, earlier: &Self) -> Result<f64> {
        self.check_recorded()?;
        earlier.check_recorded()?;
        if !self.0.device.is_same(&earlier.0.device) {
            return Err(self.error(&format!(
                "is not of the device of event `{}`",
                earlier.name()
            )));
        }
        let (Backend::Cuda(cuda), Some(end), Some(start)) =
            (self.0.device.backend(), self.cuda(), earlier.cuda())
        else {
            return Err(Error::NoClock);
        };
        let milliseconds = cuda.elapsed_ms(start, end)?;
        let mut order = self.0.device.order();
        order.synchronize_event(earlier.0.id);
        order.synchronize_event(self.0.id);
        Ok(milliseconds)
    }

    pub(super) fn cuda(&self) -> Option<&CudaEvent> {
        self.0.cuda.as_ref()
    }

    fn check_device(&self, stream: &Stream) -> Result<()> {
        match self.0.device.is_same(stream.device()) {
            true => Ok(()),
            false => Err(self.error(&format!(
                "is of another device than stream `{}`; create both on one",
                stream.name()
            ))),
        }
    }

    fn check_recorded(&self) -> Result<()> {
        match &*memory::lock(&self.0.at) {
            At::Nowhere => Err(self.never_recorded()),
            At::Stream => Ok(()),
            At::Capture(position) => Err(self.error(&format!(
                "was recorded in the capture of graph `{}` only, where nothing is done; record it on a stream that is not \
                 captured",
                position.graph()
            ))),
        }
    }

    fn never_recorded(&self) -> Error {
        self.error(
            "was never recorded, so it stands for nothing; call stream.record(&event) before",
        )
    }

    pub(super) fn error(&self, reason: &str) -> Error {
        Error::Usage(format!("event `{}` {reason}", self.name()))
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event `{}`", self.name())
    }
}
