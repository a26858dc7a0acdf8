//! What streams and graphs do: kernels, copies, fills, host functions, and how one is carried out. Which comes before which is `stream`'s and `graph`'s.

use std::fmt;
use std::sync::Arc;

use cornerturn_emulator::streams::{Deed, StreamId};

use crate::context::Context;
use crate::copy::{Copy, Fill};
use crate::driver::Driver;
use crate::graph::GraphExec;
use crate::launch::KernelLaunch;
use crate::record::Trod;
use crate::status::Result;
use crate::stream::Stream;

/// A function of the host that a stream calls.
#[derive(Clone)]
pub struct HostCall(pub Arc<dyn Fn() + Send + Sync>);

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostCall")
    }
}

/// An operation of a stream or graph.
#[derive(Debug, Clone)]
pub enum Work {
    /// A kernel.
    Kernel(KernelLaunch),
    /// A copy.
    Copy(Copy),
    /// Memory is filled with a pattern.
    Fill(Fill),
    /// The host does something.
    Host(HostCall),
    /// Nothing: a place in the order.
    Empty,
    /// An event is recorded.
    Record(u64),
    /// What follows comes after an event.
    Wait(u64),
    /// Another graph.
    Graph(Arc<GraphExec>),
}

impl Work {
    /// What it is, as a noun.
    pub(crate) fn deed(&self) -> Deed {
        let what = match self {
            Self::Kernel(launch) => format!("kernel `{}`", launch.function.name),
            Self::Copy(copy) => format!("the copy of {} bytes", copy.bytes()),
            Self::Fill(fill) => format!("the fill of {} bytes", fill.bytes()),
            Self::Host(_) => "a host function".to_string(),
            Self::Empty => "an empty node".to_string(),
            Self::Record(_) => "an event's record".to_string(),
            Self::Wait(_) => "a wait for an event".to_string(),
            Self::Graph(_) => "a graph".to_string(),
        };
        Deed { what, place: None }
    }
}

impl Driver {
    /// Carries an operation out, and says what it touches where that is asked for.
    pub(crate) fn carry_out(
        &self,
        context: &Arc<Context>,
        work: &Work,
        wants_touched: bool,
    ) -> Result<Trod> {
        match work {
            Work::Kernel(launch) => self.perform_launch(context, launch, wants_touched),
            Work::Copy(copy) => self.perform_copy(copy, wants_touched),
            Work::Fill(fill) => self.perform_fill(fill, wants_touched),
            Work::Host(call) => {
                (call.0)();
                Ok(Trod::default())
            }
            Work::Empty | Work::Record(_) | Work::Wait(_) | Work::Graph(_) => Ok(Trod::default()),
        }
    }

    /// Carries an operation out on a stream, and compares what it touches with what may be under way. None is the legacy
    /// default stream.
    pub(crate) fn perform(
        &self,
        context: &Arc<Context>,
        stream: Option<&Stream>,
        work: &Work,
    ) -> Result<()> {
        if context.has_failed() {
            return Ok(());
        }
        let id = stream.map_or(StreamId::DEFAULT, |stream| stream.id);
        let wants_touched = self.settings().check && self.order().is_needed();
        let begin = self.begin_ns(stream);
        let hand = stream.map_or(&self.clock.legacy, |stream| &stream.hand);
        hand.reach(begin);
        match work {
            Work::Graph(graph) => {
                let ns = self.perform_graph(context, id, graph, wants_touched)?;
                hand.reach(begin + ns);
                return Ok(());
            }
            Work::Record(event) => {
                if let Some(event) = self.events.get(*event) {
                    self.order().record(event.id, id);
                    event.stamp(begin);
                }
                return Ok(());
            }
            Work::Wait(event) => {
                if let Some(event) = self.events.get(*event) {
                    self.order().wait(id, event.id);
                    hand.reach(event.ns().unwrap_or_default());
                }
                return Ok(());
            }
            _ => {}
        }
        let trod = self.carry_out(context, work, wants_touched)?;
        hand.reach(begin + trod.ns);
        if wants_touched {
            let mut order = self.order();
            let placed = match work {
                Work::Kernel(_) => order.queue_kernel(id, work.deed(), trod.touched, trod.early),
                _ => order.queue(id, work.deed(), trod.touched),
            };
            drop(order);
            self.note_races(&placed.races);
        }
        Ok(())
    }

    /// When a stream would begin an operation now: after what it has been given, what the host has waited for, and what the
    /// legacy default stream and the blocking streams let each other wait for.
    fn begin_ns(&self, stream: Option<&Stream>) -> u64 {
        let (host, legacy) = (self.clock.host.ns(), self.clock.legacy.ns());
        match stream {
            Some(stream) if stream.flags & 1 == 1 => stream.hand.ns().max(host),
            Some(stream) => stream.hand.ns().max(host).max(legacy),
            None => {
                let all = self.streams.all().into_iter();
                let blocking = all.filter(|(_, stream)| stream.flags & 1 == 0);
                let last = blocking.map(|(_, stream)| stream.hand.ns()).max();
                last.unwrap_or_default().max(host).max(legacy)
            }
        }
    }
}
