//! Streams and events: an order of operations, each of which is carried out when it is queued. Capture into graphs is in `capture`.

mod capture;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cornerturn_emulator::streams::{EventId, StreamId, StreamKind};

pub use capture::Capture;
pub(crate) use capture::Streams;

use crate::clock::Hand;
use crate::driver::Driver;
use crate::status::{Error, Result, Status};
use crate::table::new_handle;
use crate::work::Work;

/// The legacy default stream's handle; 0 means it as well.
pub const LEGACY: u64 = 1;
/// The handle of each thread's own default stream.
pub const PER_THREAD: u64 = 2;

/// A stream.
#[derive(Debug)]
pub struct Stream {
    /// Its handle.
    pub handle: u64,
    /// The context that it is of.
    pub context: u64,
    /// 1 for one that does not wait for the legacy default stream.
    pub flags: u32,
    /// The priority that it was asked for with.
    pub priority: i32,
    /// A number that no other stream has.
    pub number: u64,
    pub(crate) id: StreamId,
    /// How far it is.
    pub(crate) hand: Hand,
}

/// An event.
#[derive(Debug)]
pub struct Event {
    /// Its handle.
    pub handle: u64,
    /// The flags that it was made with: 2 says that it tells no time.
    pub flags: u32,
    pub(crate) id: EventId,
    /// When it was recorded, in nanoseconds of the clock and one more; 0 if it was not.
    stamp: AtomicU64,
}

impl Event {
    /// It is recorded at a time.
    pub(crate) fn stamp(&self, ns: u64) {
        self.stamp.store(ns + 1, Ordering::Relaxed);
    }

    /// When it was recorded, if it was.
    pub(crate) fn ns(&self) -> Option<u64> {
        self.stamp.load(Ordering::Relaxed).checked_sub(1)
    }
}

thread_local! {
    /// The handle of this thread's default stream; 0 before it is used.
    static OWN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Driver {
    /// Makes a stream.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] for flags that there are not.
    pub fn make_stream(&self, flags: u32, priority: i32) -> Result<Arc<Stream>> {
        if flags > 1 {
            return Err(Status::INVALID_VALUE.into());
        }
        let context = self.context()?;
        let number = self.next_number();
        let kind = match flags {
            1 => StreamKind::NonBlocking,
            _ => StreamKind::Blocking,
        };
        let id = self.order().add_stream(&format!("stream {number}"), kind);
        let stream = Arc::new(Stream {
            handle: new_handle(),
            context: context.handle,
            flags,
            priority: priority.clamp(-5, 0),
            number,
            id,
            hand: Hand::default(),
        });
        self.streams.put(stream.handle, stream.clone());
        Ok(stream)
    }

    /// Destroys a stream, once what it has been given is done.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn destroy_stream(&self, handle: u64) -> Result<()> {
        let stream = self.streams.remove(handle).ok_or(Status::INVALID_HANDLE)?;
        self.flush();
        self.order().remove_stream(stream.id);
        Ok(())
    }

    /// The stream of a handle; none for the legacy default stream.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn stream(&self, handle: u64) -> Result<Option<Arc<Stream>>> {
        match handle {
            0 | LEGACY => Ok(None),
            PER_THREAD => {
                let own = OWN.get();
                if let Some(stream) = self.streams.get(own) {
                    return Ok(Some(stream));
                }
                let stream = self.make_stream(0, 0)?;
                OWN.set(stream.handle);
                Ok(Some(stream))
            }
            handle => match self.streams.get(handle) {
                Some(stream) => Ok(Some(stream)),
                None => Err(Error::new(
                    Status::INVALID_HANDLE,
                    format!("{handle:#x} is no stream"),
                )),
            },
        }
    }

    /// Queues an operation on a stream: carries it out, or adds it to the graph that the stream is captured into.
    ///
    /// # Errors
    /// What it is refused for; the error that a kernel before it has left.
    pub fn submit(&self, stream: u64, work: Work) -> Result<()> {
        let context = self.context()?;
        let stream = self.stream(stream)?;
        if self.captures.are_active() {
            let handle = stream.as_ref().map_or(LEGACY, |stream| stream.handle);
            match self.capture(handle, &work)? {
                true => return Ok(()),
                false => self.check_capture_allows(stream.as_deref())?,
            }
        }
        self.perform(&context, stream.as_deref(), &work)
    }

    /// Queues an operation on a stream and waits for it.
    ///
    /// # Errors
    /// As [`Driver::submit`]; [`Status::STREAM_CAPTURE_UNSUPPORTED`] on a stream that is being captured.
    pub fn submit_and_wait(&self, stream: u64, work: Work) -> Result<()> {
        self.refuse_in_capture(stream)?;
        self.submit(stream, work)?;
        self.synchronize_stream(stream)
    }

    /// Waits for all that a stream has been given.
    ///
    /// # Errors
    /// The error that a kernel has left.
    pub fn synchronize_stream(&self, stream: u64) -> Result<()> {
        self.refuse_in_capture(stream)?;
        let stream = self.stream(stream)?;
        let (id, hand) = match &stream {
            Some(stream) => (stream.id, &stream.hand),
            None => (StreamId::DEFAULT, &self.clock.legacy),
        };
        self.order().synchronize_stream(id);
        self.clock.host.reach(hand.ns());
        self.flush();
        self.context_even_failed()?.settle()
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// The error that a kernel has left.
    pub fn synchronize(&self) -> Result<()> {
        if self.captures.are_active() {
            return Err(Status::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        self.order().synchronize();
        for (_, stream) in self.streams.all() {
            self.clock.host.reach(stream.hand.ns());
        }
        self.clock.host.reach(self.clock.legacy.ns());
        self.flush();
        self.context_even_failed()?.settle()
    }

    /// Makes an event.
    ///
    /// # Errors
    /// The error that a kernel has left.
    pub fn make_event(&self, flags: u32) -> Result<Arc<Event>> {
        self.context()?;
        let event = Arc::new(Event {
            handle: new_handle(),
            flags,
            id: self.order().add_event(),
            stamp: AtomicU64::new(0),
        });
        self.events.put(event.handle, event.clone());
        Ok(event)
    }

    /// The event of a handle.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn event(&self, handle: u64) -> Result<Arc<Event>> {
        let event = self.events.get(handle);
        event.ok_or_else(|| Error::new(Status::INVALID_HANDLE, format!("{handle:#x} is no event")))
    }

    /// Destroys an event.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn destroy_event(&self, handle: u64) -> Result<()> {
        let event = self.events.remove(handle).ok_or(Status::INVALID_HANDLE)?;
        self.order().remove_event(event.id);
        Ok(())
    }

    /// Records an event on a stream.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn record_event(&self, event: u64, stream: u64) -> Result<()> {
        self.event(event)?;
        self.submit(stream, Work::Record(event))
    }

    /// Lets what a stream is given from now on come after an event; nothing for one that was never recorded.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn wait_event(&self, stream: u64, event: u64) -> Result<()> {
        self.event(event)?;
        self.submit(stream, Work::Wait(event))
    }

    /// Waits for an event.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`]; the error that a kernel has left; [`Status::CAPTURED_EVENT`].
    pub fn synchronize_event(&self, handle: u64) -> Result<()> {
        let event = self.event(handle)?;
        if self.captures.has_event(handle) {
            return Err(Status::CAPTURED_EVENT.into());
        }
        self.order().synchronize_event(event.id);
        self.clock.host.reach(event.ns().unwrap_or_default());
        self.flush();
        self.context_even_failed()?.settle()
    }

    /// Milliseconds from one event to the other, by the clock that adds up what operations take at least.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`] for events that tell no time or were never recorded.
    pub fn elapsed_ms(&self, start: u64, end: u64) -> Result<f32> {
        let stamp = |handle| -> Result<u64> {
            let event = self.event(handle)?;
            let stamp = event.ns().filter(|_| event.flags & 2 == 0);
            stamp.ok_or_else(|| {
                let message =
                    "an event that was never recorded, or made without timing, has no time";
                Error::new(Status::INVALID_HANDLE, message)
            })
        };
        let (start, end) = (stamp(start)?, stamp(end)?);
        self.note_times();
        Ok(((end as f64 - start as f64) / 1e6) as f32)
    }

    /// Lets somebody say what launches take, for the times of events and the report.
    pub fn predict_by(&self, predictor: fn(&cornerturn_emulator::Report) -> Option<u64>) {
        self.clock.predict_by(predictor);
    }
}

/// What a mutex holds, whatever became of others who held it.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
