//! One operation, from the moment that a stream is given it: queued on a GPU, done by the emulator. Whether it races is the order's to say.

use crate::argument::Argument;
use crate::device::{Backend, CudaDevice, EmulatedDevice, Queued, Span, Watched, in_order};
use crate::launch::{LaunchOptions, emulate};
use crate::stream::Stream;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::place::Direction;
use cornerturn_emulator::streams::Deed;
use cornerturn_emulator::{Report, Touched};

/// An operation, checked.
pub(super) struct Node {
    pub(super) deed: Deed,
    pub(super) queued: Queued,
    /// What it does to memory, if it is no kernel that the emulator runs.
    pub(super) touched: Touched,
    /// What it uses, and what therefore stays.
    pub(super) _keeps: Vec<Argument>,
}

impl Node {
    /// Queues it on a GPU's stream, or does it.
    pub(super) fn run(self, stream: &Stream) -> Result<Option<Report>> {
        let device = stream.device();
        match device.backend() {
            Backend::Cuda(cuda) => {
                if device.is_watched() {
                    let queue = || self.queue(cuda, stream);
                    let events = cuda.between_events(stream.cuda(), queue)?;
                    self.watch(stream, stream.name(), Span::Events(events));
                } else {
                    self.queue(cuda, stream)?;
                }
                device.order().add(stream.0.id, self.deed, self.touched);
                Ok(None)
            }
            Backend::Emulated(emulated) => {
                let (mut report, touched) = self.perform(emulated)?;
                let (id, deed) = (stream.0.id, self.deed.clone());
                let placed = match &mut report {
                    Some(report) => {
                        let early = report.early.take();
                        device.order().queue_kernel(id, deed, touched, early)
                    }
                    None => device.order().queue(id, deed, touched),
                };
                self.watch(stream, stream.name(), Span::Step(placed.step));
                in_order(placed)?;
                found(&self.queued, report)
            }
        }
    }

    /// Tells a timeline, if somebody watches.
    pub(super) fn watch(&self, stream: &Stream, name: &str, span: Span) {
        stream.device().watch(Watched {
            stream: name.to_string(),
            what: self.deed.what.clone(),
            kind: self.queued.kind(),
            span,
        });
    }

    fn queue(&self, cuda: &CudaDevice, stream: &Stream) -> Result<()> {
        cuda.queue(stream.cuda(), &self.queued)
    }

    /// Does it on the emulator, which has no time: what is queued is done at once. Gives what a kernel did, and the bytes.
    pub(super) fn perform(&self, emulated: &EmulatedDevice) -> Result<(Option<Report>, Touched)> {
        match &self.queued {
            Queued::Copy {
                direction,
                address,
                host,
            } => {
                let mut host = memory::lock(host);
                match direction {
                    Direction::ToDevice => emulated.write(*address, host.bytes_mut())?,
                    Direction::ToHost => emulated.read(*address, host.bytes_mut())?,
                }
            }
            Queued::Move { from, to, bytes } => {
                let mut between = memory::zeros("a copy between buffers", *bytes)?;
                emulated.read(*from, &mut between)?;
                emulated.write(*to, &between)?;
            }
            Queued::Fill {
                address,
                bytes,
                byte,
            } => emulated.fill(*address, *bytes, *byte)?,
            Queued::Launch { kernel, prepared } => {
                let options = LaunchOptions::default();
                let mut report = emulate(kernel, prepared, &emulated.memory(), &options, true)?;
                let touched = std::mem::take(&mut report.touched);
                return Ok((Some(report), touched));
            }
        }
        Ok((None, self.touched.clone()))
    }
}

/// What a kernel did, or what was found in it.
pub(super) fn found(queued: &Queued, report: Option<Report>) -> Result<Option<Report>> {
    match (queued, report) {
        (Queued::Launch { kernel, .. }, Some(report)) if !report.findings.is_empty() => {
            Err(Error::Kernel {
                kernel: kernel.name().to_string(),
                findings: report.findings,
                printed: Box::new(report.printed),
            })
        }
        (_, report) => Ok(report),
    }
}
