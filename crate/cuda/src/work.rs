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
            Work::Record(event) => {
                self.stamp(*event);
                Ok(Trod::default())
            }
            Work::Empty | Work::Wait(_) | Work::Graph(_) => Ok(Trod::default()),
        }
    }

    /// Carries an operation out on a stream, and compares what it touches with what may be under way.
    pub(crate) fn perform(&self, context: &Arc<Context>, id: StreamId, work: &Work) -> Result<()> {
        if context.has_failed() {
            return Ok(());
        }
        let wants_touched = self.settings().check && self.order().is_needed();
        match work {
            Work::Graph(graph) => return self.perform_graph(context, id, graph, wants_touched),
            Work::Record(event) => {
                if let Some(event) = self.events.get(*event) {
                    self.order().record(event.id, id);
                }
            }
            Work::Wait(event) => {
                if let Some(event) = self.events.get(*event) {
                    self.order().wait(id, event.id);
                }
            }
            _ => {}
        }
        let trod = self.carry_out(context, work, wants_touched)?;
        if wants_touched && !matches!(work, Work::Record(_) | Work::Wait(_)) {
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
}
