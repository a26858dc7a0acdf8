//! Timelines: when each operation on each stream was. How one is drawn is `plot`'s.

use crate::device::{Backend, CudaEvent, DeedKind, Device, Span, Watching};
use cornerturn_base::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Streams being watched; dropped, nothing becomes of it.
#[must_use = "the timeline is what `end` gives"]
#[derive(Debug)]
pub struct StreamWatch(Device);

/// What the numbers of a timeline are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineUnit {
    /// Microseconds, by CUDA events.
    Microseconds,
    /// Steps of the longest path of operations: the emulator has an order, and no time.
    Steps,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineBar {
    /// Its stream's name.
    pub stream: String,
    /// What it is: "kernel `scale`".
    pub what: String,
    /// What kind of operation.
    pub kind: DeedKind,
    /// Where it begins, in the timeline's unit.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
}

/// When each operation on each stream was, from the first one on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// What the numbers are.
    pub unit: TimelineUnit,
    /// The operations, in the order in which the program queued them.
    pub bars: Vec<TimelineBar>,
}

impl Device {
    /// Watches all that streams are given from now on. On a GPU an event is recorded before and after each operation,
    /// which takes some time of its own; a graph is one operation. The device is idle when it begins.
    ///
    /// ```
    /// use cornerturn::prelude::*;
    ///
    /// let device = Device::emulator();
    /// let (a, b) = (device.stream("a")?, device.stream("b")?);
    /// let (x, y) = (device.poisoned::<u32>("x", 99)?, device.poisoned::<u32>("y", 99)?);
    /// let watch = device.watch_streams()?;
    /// a.fill_byte(&x, 1)?;
    /// b.fill_byte(&y, 2)?;
    /// device.default_stream().copy(&x, &y)?;
    /// let timeline = watch.end()?;
    /// // The default stream's copy comes after both fills, which nothing orders.
    /// let starts: Vec<f64> = timeline.bars.iter().map(|bar| bar.start).collect();
    /// assert_eq!(starts, [0.0, 0.0, 1.0]);
    /// plot::timeline("Two fills and a copy", &timeline);
    /// # anyhow::Ok(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] where they are watched already; [`Error::Driver`].
    pub fn watch_streams(&self) -> Result<StreamWatch> {
        if self.is_watched() {
            return Err(Error::Usage(
                "the streams are watched already; end the other watch first".to_string(),
            ));
        }
        self.synchronize()?;
        let zero = match self.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => {
                let zero = cuda.make_event()?;
                cuda.record_event(&zero, None)?;
                Some(zero)
            }
        };
        self.set_watching(Some(Watching {
            zero,
            operations: Vec::new(),
        }));
        Ok(StreamWatch(self.clone()))
    }
}

impl StreamWatch {
    /// Waits for all that was queued, and tells when it was.
    ///
    /// # Errors
    /// [`Error::Driver`] where something that was queued has failed on the GPU.
    pub fn end(self) -> Result<Timeline> {
        let watching = self.0.set_watching(None);
        self.0.synchronize()?;
        let Some(Watching { zero, operations }) = watching else {
            return Err(Error::Usage("the streams are not watched".to_string()));
        };
        let unit = match zero {
            Some(_) => TimelineUnit::Microseconds,
            None => TimelineUnit::Steps,
        };
        let mut bars = Vec::new();
        for watched in operations {
            let (start, end) = self.bounds(zero.as_ref(), watched.span)?;
            bars.push(TimelineBar {
                stream: watched.stream,
                what: watched.what,
                kind: watched.kind,
                start,
                end,
            });
        }
        if let Some(zero) = zero {
            self.free([zero]);
        }
        let first = bars
            .iter()
            .map(|bar| bar.start)
            .fold(f64::INFINITY, f64::min);
        for bar in &mut bars {
            (bar.start, bar.end) = (bar.start - first, bar.end - first);
        }
        Ok(Timeline { unit, bars })
    }

    fn bounds(&self, zero: Option<&CudaEvent>, span: Span) -> Result<(f64, f64)> {
        match (span, zero, self.0.backend()) {
            (Span::Events(events), Some(zero), Backend::Cuda(cuda)) => {
                let at = |event| cuda.elapsed_ms(zero, event).map(|ms| ms * 1e3);
                let bounds = (at(&events[0])?, at(&events[1])?);
                self.free(events);
                Ok(bounds)
            }
            (Span::Step(step), ..) => Ok((f64::from(step) - 1.0, f64::from(step))),
            (Span::Events(_), ..) => Err(Error::NoClock),
        }
    }

    fn free(&self, events: impl IntoIterator<Item = CudaEvent>) {
        if let Backend::Cuda(cuda) = self.0.backend() {
            events.into_iter().for_each(|event| cuda.free_event(&event));
        }
    }
}

impl Drop for StreamWatch {
    fn drop(&mut self) {
        let Some(watching) = self.0.set_watching(None) else {
            return;
        };
        self.free(watching.zero);
        for watched in watching.operations {
            if let Span::Events(events) = watched.span {
                self.free(events);
            }
        }
    }
}
