//! Graphs of the driver: what the program has captured is queued once more, on streams that capture, and becomes one. What was captured is `graph`'s business.

use super::driver::check;
use super::stream::{CudaStream, lost};
use super::{CudaDevice, State};
use crate::device::{Captured, Queued};
use cornerturn_base::error::Result;
use cudarc::driver::sys::{CUgraph, CUgraphExec, CUstream};
use std::ffi::c_uint;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: the library's own calls between are no part of what is captured.
const RELAXED: c_uint = 2;

/// A graph that can be launched.
#[derive(Debug)]
pub struct CudaGraph {
    graph: CUgraph,
    pub(super) executable: CUgraphExec,
    pub(super) life: u64,
}

// SAFETY: the handles are pointers into the driver, which allows any thread to use them; the device's lock orders it.
unsafe impl Send for CudaGraph {}
// SAFETY: as above; a shared reference gives no access to the handles outside the lock.
unsafe impl Sync for CudaGraph {}

impl CudaDevice {
    /// Captures these calls from a stream on, and makes a graph of them.
    pub(crate) fn make_graph(
        &self,
        origin: Option<&CudaStream>,
        calls: &[Captured],
    ) -> Result<CudaGraph> {
        let mut state = self.enter()?;
        let life = self.life();
        let origin = self.handle(&mut state, origin)?;
        // What loads modules is done before: a capture takes none of it.
        for call in calls {
            if let Captured::Queue(_, Queued::Launch { kernel, prepared }) = call {
                self.ready(&mut state, kernel, prepared)?;
            }
        }
        // SAFETY: the stream belongs to the current context, and captures nothing else: the lock is held until the end.
        let code = unsafe { (self.driver.cuStreamBeginCapture_v2)(origin, RELAXED) };
        self.settle(&mut state, check("cuStreamBeginCapture", code))?;
        let replayed = calls
            .iter()
            .try_for_each(|call| self.replay(&mut state, call));
        // After a fault the streams are gone, and the capture with them.
        if let Err(error) = replayed {
            if life == self.life() {
                self.abandon(&mut state, origin);
            }
            return Err(error);
        }
        let mut graph = std::ptr::null_mut();
        // SAFETY: `graph` is writable; the stream captures.
        let code = unsafe { (self.driver.cuStreamEndCapture)(origin, &mut graph) };
        self.settle(&mut state, check("cuStreamEndCapture", code))?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: `executable` is writable, and the graph was made above.
        let code = unsafe { (self.driver.cuGraphInstantiateWithFlags)(&mut executable, graph, 0) };
        if let Err(failure) = check("cuGraphInstantiate", code) {
            // SAFETY: made above, and nobody else knows it.
            unsafe { (self.driver.cuGraphDestroy)(graph) };
            return self.settle(&mut state, Err(failure));
        }
        Ok(CudaGraph {
            graph,
            executable,
            life: self.life(),
        })
    }

    fn replay(&self, state: &mut State, call: &Captured) -> Result<()> {
        match call {
            Captured::Queue(stream, queued) => {
                let stream = self.handle(state, *stream)?;
                self.queue_on(state, stream, queued)
            }
            Captured::Record(event, stream) => {
                self.check_event(event)?;
                let recorded = self.record_on(event.event, self.handle(state, *stream)?);
                self.settle(state, recorded)
            }
            Captured::Wait(stream, event) => {
                self.check_event(event)?;
                let waits = self.let_wait(self.handle(state, *stream)?, event.event);
                self.settle(state, waits)
            }
        }
    }

    /// Ends a capture of which nothing is to become.
    fn abandon(&self, state: &mut State, origin: CUstream) {
        let mut graph = std::ptr::null_mut();
        // SAFETY: `graph` is writable; the stream captures, after a failed call too.
        let code = unsafe { (self.driver.cuStreamEndCapture)(origin, &mut graph) };
        let ended = self.settle(state, check("cuStreamEndCapture", code));
        if ended.is_ok() && !graph.is_null() {
            // SAFETY: made by the call above, and nobody else knows it.
            unsafe { (self.driver.cuGraphDestroy)(graph) };
        }
    }

    /// Queues a graph on a stream.
    pub(crate) fn launch_graph(
        &self,
        graph: &CudaGraph,
        stream: Option<&CudaStream>,
    ) -> Result<()> {
        let mut state = self.enter()?;
        let stream = self.handle(&mut state, stream)?;
        if graph.life != self.life() {
            return Err(lost("the graph"));
        }
        // SAFETY: graph and stream belong to the current context; the graph's owner keeps the memory that it uses.
        let code = unsafe { (self.driver.cuGraphLaunch)(graph.executable, stream) };
        self.settle(&mut state, check("cuGraphLaunch", code))
    }

    /// Destroys a graph, after all that was queued of it is done.
    pub(crate) fn free_graph(&self, graph: &CudaGraph) {
        let Ok(mut state) = self.enter() else { return };
        let waited = self.wait_for_all(&mut state);
        // A failure cannot be answered in a drop, and the next call meets a sticky one again.
        let _ = self.settle(&mut state, waited);
        if graph.life == self.life() && !state.hung {
            // SAFETY: made in this context; only the last handle's drop comes here.
            unsafe {
                (self.driver.cuGraphExecDestroy)(graph.executable);
                (self.driver.cuGraphDestroy)(graph.graph);
            }
        }
    }
}
