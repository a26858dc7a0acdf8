//! Streams: operations that a program queues and does not wait for. The order that CUDA gives them is `cornerturn_emulator::streams`', the driver's calls are `device`'s.

mod capture;
mod copy;
mod event;
mod graph;
mod node;
mod queue;
mod timeline;

use crate::device::{Backend, CudaStream, Device};
pub use capture::Capture;
use capture::Capturing;
pub use copy::StreamCopy;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::Report;
use cornerturn_emulator::streams::{StreamId, StreamKind};
pub use event::Event;
pub use graph::Graph;
use node::Node;
use std::fmt;
use std::sync::{Arc, Mutex};
pub use timeline::{StreamWatch, Timeline, TimelineBar, TimelineUnit};

/// Operations that are done one after the other, while the host goes on. A cheap handle; when the last one goes, the host
/// waits for what is queued.
///
/// Three streams of one device, and the event that the third one needs:
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let transpose = Kernel::registered("padded")?;
/// let elements: Vec<f32> = (0..33 * 65).map(|i| i as f32 + 0.5).collect();
/// let (input, output) = (device.poisoned::<f32>("input", 33 * 65)?, device.poisoned::<f32>("output", 33 * 65)?);
/// let (up, compute, down) = (device.nonblocking_stream("up")?, device.nonblocking_stream("compute")?,
///     device.nonblocking_stream("down")?);
/// let (there, done) = (device.event("there")?, device.event("done")?);
///
/// let sent = up.start_write(&input, device.pinned("elements", &elements)?)?;
/// up.record(&there)?;
/// compute.wait(&there)?;
/// compute.launch(&transpose, (3, 2), (32, 8), args![input, output, 33, 65])?;
/// compute.record(&done)?;
/// down.wait(&done)?;
/// let result = down.start_read(&output, device.pinned("result", &elements)?)?.wait()?;
/// assert_eq!(result[1], elements[65]);
/// # sent.wait()?;
///
/// // Without an event, nothing says that the next transpose comes after the copy of the last result.
/// let again = down.start_read(&output, result)?;
/// let race = compute.launch(&transpose, (3, 2), (32, 8), args![input, output, 33, 65]).unwrap_err().to_string();
/// assert!(race.contains("let `compute` wait for it"), "{race}");
/// # again.wait()?;
/// # anyhow::Ok(())
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    device: Device,
    name: String,
    kind: StreamKind,
    id: StreamId,
    /// `None` for the legacy default stream, and on the emulator.
    cuda: Option<CudaStream>,
    /// What is captured of it instead of being done.
    capturing: Mutex<Option<Arc<Capturing>>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let (Backend::Cuda(cuda), Some(stream)) = (self.device.backend(), &self.cuda) {
            cuda.free_stream(stream);
        }
        if self.kind != StreamKind::Default {
            self.device.order().remove_stream(self.id);
        }
    }
}

impl Device {
    /// A stream as `cudaStreamCreate` makes it: it and the legacy default stream wait for each other. Findings call it
    /// `name`.
    ///
    /// What the host has written before is in the device's memory when it returns.
    ///
    /// # Errors
    /// [`Error::Driver`] where the GPU fails.
    pub fn stream(&self, name: &str) -> Result<Stream> {
        self.make_stream(name, StreamKind::Blocking)
    }

    /// A stream as `cudaStreamCreateWithFlags(…, cudaStreamNonBlocking)` makes it: only events and the host order it with
    /// others.
    ///
    /// # Errors
    /// As [`Device::stream`].
    pub fn nonblocking_stream(&self, name: &str) -> Result<Stream> {
        self.make_stream(name, StreamKind::NonBlocking)
    }

    /// The legacy default stream, on which a CUDA program's launch and copies are that name no stream. An operation there
    /// begins when all that is in the blocking streams is done, and what is queued on these later waits for it.
    pub fn default_stream(&self) -> Stream {
        self.order().use_default();
        self.stream_of("default", StreamKind::Default, StreamId::DEFAULT, None)
    }

    fn make_stream(&self, name: &str, kind: StreamKind) -> Result<Stream> {
        let cuda = match self.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => Some(cuda.make_stream(kind == StreamKind::Blocking)?),
        };
        let mut order = self.order();
        order.synchronize_stream(StreamId::DEFAULT);
        let id = order.add_stream(name, kind);
        drop(order);
        Ok(self.stream_of(name, kind, id, cuda))
    }

    fn stream_of(
        &self,
        name: &str,
        kind: StreamKind,
        id: StreamId,
        cuda: Option<CudaStream>,
    ) -> Stream {
        Stream(Arc::new(Inner {
            device: self.clone(),
            name: name.to_string(),
            kind,
            id,
            cuda,
            capturing: Mutex::default(),
        }))
    }
}

impl Stream {
    /// The name given at its creation.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// How it stands to the legacy default stream.
    pub fn kind(&self) -> StreamKind {
        self.0.kind
    }

    /// The device that it is a stream of.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Waits until all that is queued is done; on the legacy default stream, all that is in the blocking ones too.
    ///
    /// # Errors
    /// [`Error::Usage`] while it is captured; [`Error::Driver`] where something that was queued has failed on the GPU.
    pub fn synchronize(&self) -> Result<()> {
        self.check_not_captured("cannot be waited for")?;
        let device = self.device();
        if let Backend::Cuda(cuda) = device.backend() {
            cuda.synchronize_stream(self.cuda())?;
        }
        device.order().synchronize_stream(self.0.id);
        Ok(())
    }

    /// Does it, or notes it while the stream is captured. Gives what the emulator counted.
    fn queue(&self, node: Node) -> Result<Option<Report>> {
        if let Some(capturing) = self.capturing() {
            capturing.push(self, node);
            return Ok(None);
        }
        node.run(self)
    }

    fn capturing(&self) -> Option<Arc<Capturing>> {
        memory::lock(&self.0.capturing).clone()
    }

    fn check_not_captured(&self, what: &str) -> Result<()> {
        match self.capturing() {
            None => Ok(()),
            Some(capturing) => Err(self.error(&format!(
                "is captured for graph `{}` and {what}; end the capture first",
                capturing.name()
            ))),
        }
    }

    /// The driver's stream.
    fn cuda(&self) -> Option<&CudaStream> {
        self.0.cuda.as_ref()
    }

    fn error(&self, reason: &str) -> Error {
        Error::Usage(format!("stream `{}` {reason}", self.name()))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            StreamKind::Default => return f.write_str("the legacy default stream"),
            StreamKind::Blocking => "blocking",
            StreamKind::NonBlocking => "non-blocking",
        };
        write!(f, "{kind} stream `{}`", self.name())
    }
}
