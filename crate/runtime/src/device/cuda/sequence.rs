//! Launches one after the other, timed as a sequence: nothing of the library lies between the driver's calls. What is measured and why is `sequence`'s.

use super::driver::{Failure, NOT_READY, check};
use super::module::Ready;
use super::stream::lost;
use super::{CudaDevice, State};
use crate::device::{SequenceSpan, Sequenced};
use cornerturn_base::error::Result;
use std::time::{Duration, Instant};

/// Longer than any sequence that is measured.
const LONGEST_WATCH: Duration = Duration::from_millis(100);

impl CudaDevice {
    /// Takes so many samples in microseconds, each of so many repetitions. The GPU is idle when one begins.
    pub(crate) fn time_sequence(
        &self,
        sequenced: &Sequenced,
        span: &SequenceSpan,
        repetitions: usize,
        samples: usize,
    ) -> Result<Vec<f64>> {
        let mut state = self.enter()?;
        let mut launches = match sequenced {
            Sequenced::Launches(steps) => steps
                .iter()
                .map(|step| self.ready(&mut state, &step.0, &step.1))
                .collect::<Result<Vec<Ready>>>()?,
            Sequenced::Graph(graph) if graph.life != self.life() => return Err(lost("the graph")),
            Sequenced::Graph(_) => Vec::new(),
        };
        let mut ahead = match span {
            SequenceSpan::Behind((kernel, prepared)) => {
                Some(self.ready(&mut state, kernel, prepared)?)
            }
            _ => None,
        };
        let waited = self.wait_for_all(&mut state);
        self.settle(&mut state, waited)?;
        let mut once = |state: &mut State| {
            self.sequence_once(state, &mut launches, sequenced, ahead.as_mut(), repetitions)
        };
        let mut taken = Vec::with_capacity(samples);
        for _ in 0..samples {
            let sample = once(&mut state).map(|times| match span {
                SequenceSpan::Calls => times.calls_us,
                SequenceSpan::Done => times.done_us,
                SequenceSpan::Behind(_) => times.events_us,
            });
            taken.push(match sequenced {
                Sequenced::Launches([(kernel, _), ..]) => {
                    self.settle_launch(&mut state, kernel, sample)?
                }
                _ => self.settle(&mut state, sample)?,
            });
        }
        Ok(taken)
    }

    /// Queues all of it once, and waits.
    fn sequence_once(
        &self,
        state: &mut State,
        launches: &mut [Ready],
        sequenced: &Sequenced,
        ahead: Option<&mut Ready>,
        repetitions: usize,
    ) -> Result<Times, Failure> {
        // An event is a call, and takes time of its own: only where it is asked for.
        let events = match ahead {
            Some(ahead) => {
                let events = self.events()?;
                self.submit(state.stream, ahead)?;
                self.record_on(events.start, state.stream)?;
                Some(events)
            }
            None => None,
        };
        let begun = Instant::now();
        for _ in 0..repetitions {
            for ready in &mut *launches {
                self.submit(state.stream, ready)?;
            }
            if let Sequenced::Graph(graph) = sequenced {
                // SAFETY: graph and stream belong to the current context; the graph's owner keeps the memory that it
                // uses until the wait below.
                let code = unsafe { (self.driver.cuGraphLaunch)(graph.executable, state.stream) };
                check("cuGraphLaunch", code)?;
            }
        }
        let calls_us = microseconds(begun);
        if let Some(events) = &events {
            self.record_on(events.end, state.stream)?;
        }
        self.watch(state, begun);
        self.wait(state)?;
        let done_us = microseconds(begun);
        let events_us = match &events {
            Some(events) => events.elapsed_us()?,
            None => 0.0,
        };
        Ok(Times {
            calls_us,
            done_us,
            events_us,
        })
    }

    /// Asks without a pause whether the stream's work is done, for a while: `wait` lies down between its questions.
    fn watch(&self, state: &State, begun: Instant) {
        let is_done = || {
            // SAFETY: the stream belongs to the current context.
            let code = unsafe { (self.driver.cuStreamQuery)(state.stream) };
            code != NOT_READY
        };
        while !is_done() && begun.elapsed() < LONGEST_WATCH {}
    }
}

/// What one sample could be, in microseconds.
struct Times {
    calls_us: f64,
    done_us: f64,
    /// 0 without events.
    events_us: f64,
}

fn microseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e6
}
