//! CUDA events around single launches and copies. How many samples are taken and what they mean lives in `timing`.

use super::driver::{Failure, check};
use super::module::Ready;
use super::nvml::Nvml;
use super::{CudaDevice, State};
use crate::device::Prepared;
use crate::kernel::Kernel;
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::place::Direction;
use cornerturn_base::timing::{Timing, TimingMode, TimingOptions, rotated_sets, sample};
use cudarc::driver::sys::CUevent;
use std::time::Duration;

/// What is launched right after a copy's buffers are freed is up to a tenth slower (seen on an H200 with 8 GB freed):
/// the driver seems to clear them meanwhile.
const AFTER_FREEING: Duration = Duration::from_millis(100);
const FREED_LEAST_BYTES: usize = 1 << 30;

/// Two events, destroyed with it. The device's lock is held for as long as it lives.
pub(super) struct Events<'a> {
    cuda: &'a CudaDevice,
    pub(super) start: CUevent,
    pub(super) end: CUevent,
}

impl Events<'_> {
    /// Microseconds between the two, which are done. Whole nanoseconds: far below what an event resolves.
    pub(super) fn elapsed_us(&self) -> Result<f64, Failure> {
        let mut milliseconds = 0.0;
        // SAFETY: both events are recorded and done, and belong to the current context.
        check("cuEventElapsedTime", unsafe {
            (self.cuda.driver.cuEventElapsedTime)(&mut milliseconds, self.start, self.end)
        })?;
        Ok((f64::from(milliseconds) * 1e6).round() / 1e3)
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        for event in [self.start, self.end] {
            if !event.is_null() {
                // SAFETY: created by this driver and destroyed once; after a fault the context that it belonged to
                // is gone, and the call answers with an error that changes nothing.
                unsafe { (self.cuda.driver.cuEventDestroy_v2)(event) };
            }
        }
    }
}

impl CudaDevice {
    /// Times single launches, of each of `prepared` in turn: several only for [`TimingMode::Rotated`].
    pub(crate) fn time(
        &self,
        kernel: &Kernel,
        prepared: &[Prepared],
        options: &TimingOptions,
    ) -> Result<Timing> {
        let mut state = self.enter()?;
        let mut launches = prepared
            .iter()
            .map(|prepared| self.ready(&mut state, kernel, prepared))
            .collect::<Result<Vec<Ready>>>()?;
        let count = launches.len().max(1);
        let mut turn = 0;
        let mut sample = |state: &mut State| {
            let result = self.sample(state, options, |cuda, state| {
                turn = (turn + 1) % count;
                match launches.get_mut(turn) {
                    Some(ready) => cuda.submit(state.stream, ready),
                    None => Ok(()),
                }
            })?;
            self.settle_launch(state, kernel, result)
        };
        match prepared.first() {
            // `launch` refuses windows over several sets; all else is the same for each.
            Some(first) => self.with_l2(&mut state, first, sample),
            None => sample(&mut state),
        }
    }

    /// Times the driver's device-to-device copy.
    pub(crate) fn time_copy(&self, bytes: u64, options: &TimingOptions) -> Result<Timing> {
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let pairs = match options.mode {
            TimingMode::Rotated => rotated_sets(2 * bytes, self.l2_bytes as u64),
            _ => 1,
        };
        let pairs = (0..pairs)
            .map(|_| {
                let pair = [
                    Scratch::allocate(self, size)?,
                    Scratch::allocate(self, size)?,
                ];
                pair[0].fill(0x5A)?;
                pair[1].fill(0xA5)?;
                Ok(pair)
            })
            .collect::<Result<Vec<[Scratch; 2]>>>()?;
        let mut state = self.enter()?;
        for [source, _] in &pairs {
            source.check_alive()?;
        }
        let mut turn = 0;
        let result = self.sample(&mut state, options, |cuda, state| {
            turn = (turn + 1) % pairs.len();
            let [source, target] = &pairs[turn];
            // SAFETY: both buffers have `size` bytes and live in the current context; they do not overlap.
            let code = unsafe {
                (cuda.driver.cuMemcpyDtoDAsync_v2)(
                    target.address,
                    source.address,
                    size,
                    state.stream,
                )
            };
            check("cuMemcpyDtoDAsync", code)
        })?;
        let timing = self.settle(&mut state, result);
        // The scratch buffers' drops enter the device again.
        drop(state);
        drop(pairs);
        if size >= FREED_LEAST_BYTES / 2 {
            std::thread::sleep(AFTER_FREEING);
        }
        timing
    }

    /// Times copies between pinned memory and a buffer of as many bytes; both stay where they are meanwhile.
    pub(crate) fn time_pinned_copy(
        &self,
        direction: Direction,
        address: u64,
        host: &mut [u8],
        options: &TimingOptions,
    ) -> Result<Timing> {
        let mut state = self.enter()?;
        let result = self.sample(&mut state, options, |cuda, state| {
            cuda.queue_copy(direction, address, host, state.stream)
        })?;
        self.settle(&mut state, result)
    }

    /// Times what `submit` queues: what went wrong with it is the inner error, the caller's to explain.
    pub(super) fn sample(
        &self,
        state: &mut State,
        options: &TimingOptions,
        mut submit: impl FnMut(&Self, &State) -> Result<(), Failure>,
    ) -> Result<Result<Timing, Failure>> {
        if options.mode != TimingMode::Unreset {
            // Rotated and warm launches have no flush, but what another kernel left to stay is not theirs either.
            let reset = self.reset_persisting();
            self.settle(state, reset)?;
        }
        // What streams of the program are at would be timed with it.
        let waited = self.wait_for_all(state);
        self.settle(state, waited)?;
        let mut flush = self.flush(state, options.mode)?;
        let events = match self.events() {
            Ok(events) => events,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut once = |state: &mut State| -> Result<f64, Failure> {
            // Work ahead of the start event: while it runs, the events and the launch are queued, so that no time of
            // the host lies between them.
            match &mut flush {
                Some(flush) => self.queue_flush(state, flush)?,
                None => submit(self, state)?,
            }
            self.record_on(events.start, state.stream)?;
            submit(self, state)?;
            self.record_on(events.end, state.stream)?;
            self.wait(state)?;
            events.elapsed_us()
        };
        let mut clocks = Clocks::default();
        let samples_us = sample(
            options,
            || once(state),
            // While the GPU is still warm from the last sample.
            || clocks = self.nvml.as_ref().map(Nvml::clocks).unwrap_or_default(),
        );
        Ok(samples_us.map(|samples_us| Timing {
            samples_us,
            mode: options.mode,
            clocks,
        }))
    }

    pub(super) fn events(&self) -> Result<Events<'_>, Failure> {
        let mut events = Events {
            cuda: self,
            start: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
        };
        for event in [&mut events.start, &mut events.end] {
            // SAFETY: the context is current and `event` writable; 0 asks for an event with timing.
            check("cuEventCreate", unsafe {
                (self.driver.cuEventCreate)(event, 0)
            })?;
        }
        Ok(events)
    }
}

/// A device buffer of the driver layer's own.
pub(super) struct Scratch<'a> {
    cuda: &'a CudaDevice,
    address: u64,
    bytes: usize,
    life: u64,
}

impl<'a> Scratch<'a> {
    pub(super) fn allocate(cuda: &'a CudaDevice, bytes: usize) -> Result<Self> {
        if bytes == 0 {
            return Err(Error::Usage("a copy of no bytes takes no time".to_string()));
        }
        let (address, life) = cuda.allocate("device copy", bytes)?;
        Ok(Self {
            cuda,
            address,
            bytes,
            life,
        })
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }

    fn fill(&self, byte: u8) -> Result<()> {
        self.cuda.fill(self.address, self.bytes, byte)
    }

    fn check_alive(&self) -> Result<()> {
        if self.life == self.cuda.life() {
            return Ok(());
        }
        Err(Error::Buffer {
            name: "device copy".to_string(),
            reason: "was lost to another kernel's fault; run it again".to_string(),
        })
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.cuda.free(self.address, self.life);
    }
}
