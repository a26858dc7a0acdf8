//! Graphs: operations that were captured, done at one launch, again and again. How they are captured is `capture`'s.

use crate::device::{
    self, Backend, CudaDevice, CudaEvent, CudaGraph, DeedKind, Device, Queued, Span, Watched,
    in_order,
};
use crate::stream::Stream;
use crate::stream::copy::wait_for;
use crate::stream::node::{Node, found};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_emulator::streams::{GraphNode, Past, Placed};
use std::fmt;
use std::sync::{Arc, Mutex, TryLockError};

/// An operation of a graph.
pub(super) struct Step {
    pub(super) node: Node,
    pub(super) stream: String,
    /// Those that it comes right after.
    pub(super) after: Vec<usize>,
}

/// The launches of a graph, as the copies in it need to know them.
pub(super) struct Runs {
    device: Device,
    name: String,
    done: Option<CudaEvent>,
    last: Mutex<Option<Past>>,
}

impl Runs {
    /// Of a graph that is to be captured.
    pub(super) fn new(device: &Device, name: &str) -> Result<Self> {
        let done = match device.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => Some(cuda.make_event()?),
        };
        Ok(Self {
            device: device.clone(),
            name: name.to_string(),
            done,
            last: Mutex::default(),
        })
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the last launch, if there was one.
    pub(super) fn wait(&self, device: &Device) -> Result<()> {
        let last = memory::lock(&self.last).clone();
        match last {
            Some(past) => wait_for(device, self.done.as_ref(), &past),
            None => Ok(()),
        }
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        if let (Backend::Cuda(cuda), Some(event)) = (self.device.backend(), &self.done) {
            cuda.free_event(event);
        }
    }
}

/// Operations that one launch queues together, as they were captured. A cheap handle.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let kernel = Kernel::cuda("__global__ void add(int* x) { x[threadIdx.x] += 1; }")?;
/// let (stream, x) = (device.stream("s")?, device.buffer("x", &[0_i32; 32])?);
/// let capture = stream.capture("step")?;
/// stream.launch(&kernel, 1, 32, args![x])?;
/// let graph = capture.end()?;
/// for _ in 0..3 {
///     graph.launch(&stream)?;
/// }
/// assert_eq!((graph.len(), x.read()?[31]), (1, 3));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Graph(Arc<Made>);

struct Made {
    runs: Arc<Runs>,
    steps: Vec<Step>,
    cuda: Option<CudaGraph>,
}

impl Drop for Made {
    fn drop(&mut self) {
        if let (Backend::Cuda(cuda), Some(graph)) = (self.runs.device.backend(), &self.cuda) {
            cuda.free_graph(graph);
        }
    }
}

impl Graph {
    pub(super) fn new(runs: Arc<Runs>, steps: Vec<Step>, cuda: Option<CudaGraph>) -> Self {
        Self(Arc::new(Made { runs, steps, cuda }))
    }

    /// The name given when its capture began.
    pub fn name(&self) -> &str {
        self.0.runs.name()
    }

    /// How many operations it has.
    pub fn len(&self) -> usize {
        self.0.steps.len()
    }

    /// Whether it has none; the end of a capture refuses that.
    pub fn is_empty(&self) -> bool {
        self.0.steps.is_empty()
    }

    /// The driver's graph.
    pub(crate) fn cuda(&self) -> Option<&CudaGraph> {
        self.0.cuda.as_ref()
    }

    /// Queues all its operations on a stream: they begin when what stands there is done, in the order of their capture
    /// and no other, and what is queued later comes after all of them.
    ///
    /// # Errors
    /// [`Error::Usage`] where the stream is another device's or is captured itself, or while [`StreamCopy::with`] looks
    /// at memory that the graph copies; [`Error::Kernel`] and [`Error::Unordered`], which the emulator finds.
    ///
    /// [`StreamCopy::with`]: crate::StreamCopy::with
    #[track_caller]
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        let (device, runs) = (&self.0.runs.device, &self.0.runs);
        if !device.is_same(stream.device()) {
            return Err(self.error(&format!(
                "is of another device than stream `{}`; create both on one",
                stream.name()
            )));
        }
        if let Some(capturing) = stream.capturing() {
            return Err(self.error(&format!(
                "cannot be launched on stream `{}` while that is captured for graph `{}`; end the capture first",
                stream.name(),
                capturing.name()
            )));
        }
        match device.backend() {
            Backend::Emulated(_) => self.perform(stream)?,
            Backend::Cuda(cuda) => {
                let hosts = self.hosts()?;
                self.queue(cuda, stream)?;
                if let Some(done) = &runs.done {
                    cuda.record_event(done, stream.cuda())?;
                }
                let touched = self
                    .0
                    .steps
                    .iter()
                    .flat_map(|step| step.node.touched.clone());
                let deed = device::deed(format!("graph `{}`", self.name()));
                let mut order = device.order();
                order.add(stream.0.id, deed, touched.collect());
                *memory::lock(&runs.last) = Some(order.past(stream.0.id));
                drop(hosts);
            }
        }
        Ok(())
    }

    fn queue(&self, cuda: &CudaDevice, stream: &Stream) -> Result<()> {
        let Some(graph) = &self.0.cuda else {
            return Ok(());
        };
        let queue = || cuda.launch_graph(graph, stream.cuda());
        if !stream.device().is_watched() {
            return queue();
        }
        let events = cuda.between_events(stream.cuda(), queue)?;
        stream.device().watch(Watched {
            stream: stream.name().to_string(),
            what: format!("graph `{}`", self.name()),
            kind: DeedKind::Graph,
            span: Span::Events(events),
        });
        Ok(())
    }

    /// Does all of it on the emulator, in the order of the capture.
    fn perform(&self, stream: &Stream) -> Result<()> {
        let device = &self.0.runs.device;
        let Backend::Emulated(emulated) = device.backend() else {
            return Ok(());
        };
        drop(self.hosts()?);
        let (mut nodes, mut reports) = (Vec::new(), Vec::new());
        for step in &self.0.steps {
            let (mut report, touched) = step.node.perform(emulated)?;
            let early = report.as_mut().and_then(|report| report.early.take());
            reports.push((&step.node.queued, report));
            let mut deed = step.node.deed.clone();
            deed.what = format!("{} of graph `{}`", deed.what, self.name());
            nodes.push(GraphNode {
                deed,
                touched,
                after: step.after.clone(),
                early: early.zip(self.kernel_before(step)),
            });
        }
        let mut order = device.order();
        let placed = order.queue_all(stream.0.id, nodes);
        *memory::lock(&self.0.runs.last) = Some(order.past(stream.0.id));
        drop(order);
        for (step, placed) in self.0.steps.iter().zip(&placed) {
            step.node
                .watch(stream, &step.stream, Span::Step(placed.step));
        }
        let races = placed.into_iter().flat_map(|placed| placed.races).collect();
        in_order(Placed { races, step: 0 })?;
        for (queued, report) in reports {
            found(queued, report)?;
        }
        Ok(())
    }

    /// The kernel right before an operation in its stream.
    fn kernel_before(&self, step: &Step) -> Option<usize> {
        let is_kernel = |index: &&usize| {
            let earlier = self.0.steps.get(**index);
            earlier.is_some_and(|earlier| {
                earlier.stream == step.stream
                    && matches!(earlier.node.queued, Queued::Launch { .. })
            })
        };
        step.after.iter().find(is_kernel).copied()
    }

    /// The memory of the host that it copies: nobody looks at it meanwhile.
    fn hosts(&self) -> Result<Vec<impl Drop>> {
        let mut guards = Vec::new();
        for step in &self.0.steps {
            let Queued::Copy { host, .. } = &step.node.queued else {
                continue;
            };
            match host.try_lock() {
                Ok(guard) => guards.push(guard),
                Err(TryLockError::Poisoned(poisoned)) => guards.push(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    return Err(self.error(&format!(
                        "is launched while `with` looks at the memory of {}",
                        step.node.deed.what
                    )));
                }
            }
        }
        Ok(guards)
    }

    fn error(&self, reason: &str) -> Error {
        Error::Usage(format!("graph `{}` {reason}", self.name()))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}` of {} operations", self.name(), self.len())
    }
}
