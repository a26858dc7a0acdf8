//! Launches one after the other on one stream, done or timed as a whole. The driver's calls are `device`'s; what was measured so is kept by `launches`.

use crate::argument::Argument;
use crate::device::{Backend, Device, SequenceSpan, SequenceStep, Sequenced};
use crate::kernel::Kernel;
use crate::launch::prepare;
use crate::stream::{Graph, Stream};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::Dim3;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What is measured of a sequence of launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchClock {
    /// The host's clock, from before the first call until the last one returns.
    Calls,
    /// The host's clock, from before the first call until it sees that all is done.
    Done,
    /// Events on the GPU, which finds everything queued when it begins: no time of the host is in it.
    Queued,
}

impl LaunchClock {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Calls, Self::Done, Self::Queued];

    /// The name, as in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Done => "done",
            Self::Queued => "queued",
        }
    }
}

/// Launches in their order.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let (scale, offset) = (Kernel::registered("scale")?, Kernel::registered("offset")?);
/// let buffer = |name| device.upload(name, &[3.0_f32; 301]);
/// let (x, y, z) = (buffer("x")?, buffer("y")?, buffer("z")?);
/// let sequence = LaunchSequence::new(&device)?
///     .then(&scale, 2, 256, args![x, y, 301])?
///     .then(&offset, 2, 256, args![y, z, 301])?;
/// sequence.run()?;
/// assert_eq!(z.read()?[300], 1.75);
/// // The same by one call:
/// sequence.captured()?.run()?;
/// # anyhow::Ok(())
/// ```
#[derive(Debug)]
pub struct LaunchSequence {
    stream: Stream,
    steps: Vec<Step>,
    /// What keeps the GPU busy until all is queued.
    ahead: Option<Step>,
    graph: Option<Graph>,
}

struct Step {
    arguments: Vec<Argument>,
    laid_out: SequenceStep,
}

impl LaunchSequence {
    /// No launches yet, for a stream of their own.
    ///
    /// # Errors
    /// [`Error::Driver`] where the GPU fails.
    pub fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            stream: device.nonblocking_stream("sequence")?,
            steps: Vec::new(),
            ahead: None,
            graph: None,
        })
    }

    /// One more launch, after the others.
    ///
    /// # Errors
    /// As [`Device::launch`](crate::Device::launch), before anything runs; [`Error::Usage`] after [`LaunchSequence::captured`].
    pub fn then(
        mut self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
    ) -> Result<Self> {
        if let Some(graph) = &self.graph {
            return Err(Error::Usage(format!(
                "graph `{}` is captured, and takes no more launches; add them before",
                graph.name()
            )));
        }
        let step = Step::new(&self.stream, kernel, grid.into(), block.into(), arguments)?;
        self.steps.push(step);
        Ok(self)
    }

    /// What the GPU does while the others are queued, where they are timed by [`LaunchClock::Queued`]: longer than the host
    /// needs for that.
    ///
    /// # Errors
    /// As [`LaunchSequence::then`].
    pub fn behind(
        mut self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
    ) -> Result<Self> {
        let step = Step::new(&self.stream, kernel, grid.into(), block.into(), arguments)?;
        self.ahead = Some(step);
        Ok(self)
    }

    /// All of them as one graph, which one call launches.
    ///
    /// # Errors
    /// As [`Capture::end`](crate::Capture::end).
    pub fn captured(mut self) -> Result<Self> {
        let capture = self.stream.capture("sequence")?;
        self.each_on_stream()?;
        self.graph = Some(capture.end()?);
        Ok(self)
    }

    /// How many launches it has.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Does all of them once, and waits.
    ///
    /// # Errors
    /// As [`Stream::launch`](crate::Stream::launch) and [`Stream::synchronize`](crate::Stream::synchronize).
    pub fn run(&self) -> Result<()> {
        match &self.graph {
            Some(graph) => graph.launch(&self.stream)?,
            None => self.each_on_stream()?,
        }
        self.stream.synchronize()
    }

    fn each_on_stream(&self) -> Result<()> {
        for step in &self.steps {
            let (kernel, prepared) = &step.laid_out;
            self.stream
                .launch(kernel, prepared.grid, prepared.block, &step.arguments)?;
        }
        Ok(())
    }

    /// Takes so many samples in microseconds, in each of which everything is queued so often. The GPU is idle when a sample
    /// begins.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Usage`] where nothing is ahead of what is timed as
    /// [`LaunchClock::Queued`]; [`Error::Driver`] and [`Error::Fault`].
    pub fn time(&self, clock: LaunchClock, repetitions: usize, samples: usize) -> Result<Vec<f64>> {
        let Backend::Cuda(cuda) = self.stream.device().backend() else {
            return Err(Error::NoClock);
        };
        let span = match (clock, &self.ahead) {
            (LaunchClock::Calls, _) => SequenceSpan::Calls,
            (LaunchClock::Done, _) => SequenceSpan::Done,
            (LaunchClock::Queued, Some(ahead)) => SequenceSpan::Behind(&ahead.laid_out),
            (LaunchClock::Queued, None) => {
                return Err(Error::Usage(
                    "nothing is ahead of the sequence, so that the GPU would wait for the host; say by `behind` what is"
                        .to_string(),
                ));
            }
        };
        let steps: Vec<SequenceStep> = self.steps.iter().map(|s| s.laid_out.clone()).collect();
        let sequenced = match self.graph.as_ref().and_then(Graph::cuda) {
            Some(graph) => Sequenced::Graph(graph),
            None => Sequenced::Launches(&steps),
        };
        cuda.time_sequence(&sequenced, &span, repetitions, samples)
    }
}

impl Step {
    fn new(
        stream: &Stream,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        arguments: &[Argument],
    ) -> Result<Self> {
        let prepared = prepare(stream.device(), kernel, grid, block, arguments)?;
        Ok(Self {
            arguments: arguments.to_vec(),
            laid_out: (kernel.clone(), Arc::new(prepared)),
        })
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.laid_out.0)
    }
}
