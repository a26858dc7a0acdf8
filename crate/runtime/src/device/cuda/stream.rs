//! Streams and events of the driver, and what is queued on them. What the program may do with them is checked above, in `stream`.

use super::driver::{Failure, check};
use super::{CudaDevice, State};
use crate::device::Queued;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cudarc::driver::sys::{CUevent, CUstream};
use std::ffi::c_uint;

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`.
pub(super) const WITHOUT_TIMING: c_uint = 2;
/// The legacy default stream.
pub(super) const LEGACY: CUstream = std::ptr::null_mut();

/// A stream; `None` in its place is the legacy default stream.
#[derive(Debug)]
pub struct CudaStream {
    pub(super) stream: CUstream,
    life: u64,
}

/// An event with timing.
#[derive(Debug)]
pub struct CudaEvent {
    pub(super) event: CUevent,
    life: u64,
}

// SAFETY: the handles are pointers into the driver, which allows any thread to use them; the device's lock orders it.
unsafe impl Send for CudaStream {}
// SAFETY: as above; a shared reference gives no access to the handle outside the lock.
unsafe impl Sync for CudaStream {}
// SAFETY: as for streams.
unsafe impl Send for CudaEvent {}
// SAFETY: as for streams.
unsafe impl Sync for CudaEvent {}

impl CudaDevice {
    /// Makes a stream. What the host has written before is in the device's memory then, as a non-blocking stream needs it.
    pub(crate) fn make_stream(&self, is_blocking: bool) -> Result<CudaStream> {
        let mut state = self.enter()?;
        let settled = self.wait_for_stream(&mut state, LEGACY);
        self.settle(&mut state, settled)?;
        let mut stream = std::ptr::null_mut();
        let flags = if is_blocking { 0 } else { NON_BLOCKING };
        // SAFETY: the context is current and `stream` writable.
        let code = unsafe { (self.driver.cuStreamCreate)(&mut stream, flags) };
        self.settle(&mut state, check("cuStreamCreate", code))?;
        state.streams.push(stream);
        Ok(CudaStream {
            stream,
            life: self.life(),
        })
    }

    /// Waits for what is in a stream, and destroys it.
    pub(crate) fn free_stream(&self, stream: &CudaStream) {
        let Ok(mut state) = self.enter() else { return };
        if stream.life != self.life() {
            return;
        }
        let waited = self.wait_for_stream(&mut state, stream.stream);
        // A failure cannot be answered in a drop, and the next call meets a sticky one again.
        let _ = self.settle(&mut state, waited);
        if stream.life == self.life() && !state.hung {
            state.streams.retain(|other| *other != stream.stream);
            // SAFETY: made in this context; only the last handle's drop comes here.
            unsafe { (self.driver.cuStreamDestroy_v2)(stream.stream) };
        }
    }

    pub(crate) fn make_event(&self) -> Result<CudaEvent> {
        let mut state = self.enter()?;
        let event = self.new_event(0);
        let event = self.settle(&mut state, event)?;
        Ok(CudaEvent {
            event,
            life: self.life(),
        })
    }

    pub(crate) fn free_event(&self, event: &CudaEvent) {
        let Ok(_state) = self.enter() else { return };
        if event.life == self.life() {
            // SAFETY: made in this context; only the last handle's drop comes here. The driver keeps what it still needs.
            unsafe { (self.driver.cuEventDestroy_v2)(event.event) };
        }
    }

    /// Records an event on a stream.
    pub(crate) fn record_event(
        &self,
        event: &CudaEvent,
        stream: Option<&CudaStream>,
    ) -> Result<()> {
        let mut state = self.enter()?;
        let stream = self.handle(&mut state, stream)?;
        self.check_event(event)?;
        let recorded = self.record_on(event.event, stream);
        self.settle(&mut state, recorded)
    }

    /// What follows on a stream waits for an event.
    pub(crate) fn wait_event(&self, stream: Option<&CudaStream>, event: &CudaEvent) -> Result<()> {
        let mut state = self.enter()?;
        let stream = self.handle(&mut state, stream)?;
        self.check_event(event)?;
        let waits = self.let_wait(stream, event.event);
        self.settle(&mut state, waits)
    }

    /// The host waits for an event.
    pub(crate) fn synchronize_event(&self, event: &CudaEvent) -> Result<()> {
        let mut state = self.enter()?;
        self.check_event(event)?;
        let result = self.wait_for(&mut state, event.event);
        self.settle(&mut state, result)
    }

    /// The host waits for a stream.
    pub(crate) fn synchronize_stream(&self, stream: Option<&CudaStream>) -> Result<()> {
        let mut state = self.enter()?;
        let stream = self.handle(&mut state, stream)?;
        let result = self.wait_for_stream(&mut state, stream);
        self.settle(&mut state, result)
    }

    /// Milliseconds from one event to another, once both are there.
    pub(crate) fn elapsed_ms(&self, start: &CudaEvent, end: &CudaEvent) -> Result<f64> {
        let mut state = self.enter()?;
        self.check_event(start)?;
        self.check_event(end)?;
        let mut milliseconds = 0.0;
        let result = self
            .wait_for(&mut state, start.event)
            .and_then(|()| self.wait_for(&mut state, end.event))
            .and_then(|()| {
                // SAFETY: both events are recorded and done, and belong to the current context.
                check("cuEventElapsedTime", unsafe {
                    (self.driver.cuEventElapsedTime)(&mut milliseconds, start.event, end.event)
                })
            });
        self.settle(&mut state, result)?;
        Ok(f64::from(milliseconds))
    }

    /// Queues an operation on a stream.
    pub(crate) fn queue(&self, stream: Option<&CudaStream>, queued: &Queued) -> Result<()> {
        let mut state = self.enter()?;
        let stream = self.handle(&mut state, stream)?;
        self.queue_on(&mut state, stream, queued)
    }

    pub(super) fn queue_on(
        &self,
        state: &mut State,
        stream: CUstream,
        queued: &Queued,
    ) -> Result<()> {
        let result = match queued {
            Queued::Copy {
                direction,
                address,
                host,
            } => self.queue_copy(*direction, *address, memory::lock(host).bytes_mut(), stream),
            Queued::Move { from, to, bytes } => {
                // SAFETY: whoever queues it has checked both ranges, and keeps the buffers until it is done.
                let code =
                    unsafe { (self.driver.cuMemcpyDtoDAsync_v2)(*to, *from, *bytes, stream) };
                check("cuMemcpyDtoDAsync", code)
            }
            Queued::Fill {
                address,
                bytes,
                byte,
            } => {
                // SAFETY: as above.
                let code =
                    unsafe { (self.driver.cuMemsetD8Async)(*address, *byte, *bytes, stream) };
                check("cuMemsetD8Async", code)
            }
            Queued::Launch { kernel, prepared } => {
                let mut ready = self.ready(state, kernel, prepared)?;
                let result = self.submit(stream, &mut ready);
                return self.settle_launch(state, kernel, result);
            }
        };
        self.settle(state, result)
    }

    /// The driver's handle of a stream of this context.
    pub(super) fn handle(
        &self,
        state: &mut State,
        stream: Option<&CudaStream>,
    ) -> Result<CUstream> {
        match stream {
            None => {
                if !state.streams.contains(&LEGACY) {
                    state.streams.push(LEGACY);
                }
                Ok(LEGACY)
            }
            Some(stream) if stream.life == self.life() => Ok(stream.stream),
            Some(_) => Err(lost("the stream")),
        }
    }

    pub(super) fn check_event(&self, event: &CudaEvent) -> Result<()> {
        match event.life == self.life() {
            true => Ok(()),
            false => Err(lost("the event")),
        }
    }

    pub(super) fn new_event(&self, flags: c_uint) -> Result<CUevent, Failure> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the context is current and `event` writable.
        let code = unsafe { (self.driver.cuEventCreate)(&mut event, flags) };
        check("cuEventCreate", code).map(|()| event)
    }

    pub(super) fn record_on(&self, event: CUevent, stream: CUstream) -> Result<(), Failure> {
        // SAFETY: event and stream belong to the current context.
        check("cuEventRecord", unsafe {
            (self.driver.cuEventRecord)(event, stream)
        })
    }

    pub(super) fn let_wait(&self, stream: CUstream, event: CUevent) -> Result<(), Failure> {
        // SAFETY: event and stream belong to the current context; flags must be 0.
        check("cuStreamWaitEvent", unsafe {
            (self.driver.cuStreamWaitEvent)(stream, event, 0)
        })
    }

    /// Waits until all is done that was queued on a stream; on the legacy default stream, on all blocking ones too.
    pub(super) fn wait_for_stream(
        &self,
        state: &mut State,
        stream: CUstream,
    ) -> Result<(), Failure> {
        let event = self.new_event(WITHOUT_TIMING)?;
        let result = self
            .record_on(event, stream)
            .and_then(|()| self.wait_for(state, event));
        // SAFETY: made above, and used for the last time.
        unsafe { (self.driver.cuEventDestroy_v2)(event) };
        result
    }

    /// Before work of the library's own, which goes to no stream of the program: it comes after what the legacy default
    /// stream would come after, and the host waits for it.
    pub(super) fn join_default(&self, state: &mut State) -> Result<(), Failure> {
        match state.streams.is_empty() {
            true => Ok(()),
            false => self.wait_for_stream(state, LEGACY),
        }
    }

    /// The same, where nothing else is done; what the host has written is there then.
    pub(crate) fn settle_writes(&self) -> Result<()> {
        let mut state = self.enter()?;
        let joined = self.join_default(&mut state);
        self.settle(&mut state, joined)
    }

    /// Waits for every stream of the program, before memory goes or the host touches it.
    pub(super) fn wait_for_all(&self, state: &mut State) -> Result<(), Failure> {
        self.join_default(state)?;
        for stream in state
            .streams
            .clone()
            .into_iter()
            .filter(|stream| *stream != LEGACY)
        {
            self.wait_for_stream(state, stream)?;
        }
        Ok(())
    }
}

pub(super) fn lost(what: &str) -> Error {
    Error::Usage(format!(
        "{what} was lost when a kernel's fault took the GPU's context with it; create it again"
    ))
}
