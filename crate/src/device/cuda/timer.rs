//! CUDA events around single launches and copies. How many samples are taken and what they mean lives in `timing`.

use super::driver::{Failure, OUT_OF_MEMORY, check};
use super::{CudaDevice, State};
use crate::clocks::{Clocks, Nvml};
use crate::device::Prepared;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::timing::{Timing, TimingMode, TimingOptions, sample};
use cudarc::driver::sys::{CUdeviceptr, CUevent};
use std::time::Duration;

/// L2 is emptied by writing this many times its size, or at least this many bytes.
const FLUSH_TIMES: usize = 4;
const FLUSH_LEAST_BYTES: usize = 128 << 20;

/// What is launched right after a copy's buffers are freed is up to a tenth slower (seen on an H200 with 8 GB freed):
/// the driver seems to clear them meanwhile.
const AFTER_FREEING: Duration = Duration::from_millis(100);
const FREED_LEAST_BYTES: usize = 1 << 30;

/// Two events, destroyed with it. The device's lock is held for as long as it lives.
struct Events<'a> {
    cuda: &'a CudaDevice,
    start: CUevent,
    end: CUevent,
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
    /// Times single launches.
    pub(crate) fn time(
        &self,
        kernel: &Kernel,
        prepared: &Prepared,
        options: &TimingOptions,
    ) -> Result<Timing> {
        let mut state = self.enter()?;
        let mut ready = self.ready(&mut state, kernel, prepared)?;
        let result = self.sample(&mut state, options, |cuda, state| {
            cuda.submit(state, &mut ready)
        });
        self.settle_launch(&mut state, kernel, result)
    }

    /// Times the driver's device-to-device copy.
    pub(crate) fn time_copy(&self, bytes: u64, options: &TimingOptions) -> Result<Timing> {
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let source = Scratch::allocate(self, size)?;
        let target = Scratch::allocate(self, size)?;
        source.fill(0x5A)?;
        target.fill(0xA5)?;
        let mut state = self.enter()?;
        source.check_alive()?;
        let result = self.sample(&mut state, options, |cuda, state| {
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
        });
        let timing = self.settle(&mut state, result);
        // The scratch buffers' drops enter the device again.
        drop(state);
        drop((source, target));
        if size >= FREED_LEAST_BYTES / 2 {
            std::thread::sleep(AFTER_FREEING);
        }
        timing
    }

    /// Times what `submit` queues.
    pub(super) fn sample(
        &self,
        state: &mut State,
        options: &TimingOptions,
        mut submit: impl FnMut(&Self, &State) -> Result<(), Failure>,
    ) -> Result<Timing, Failure> {
        let events = self.events()?;
        let flush = match options.mode {
            TimingMode::Cold => Some(self.flush_buffer(state)?),
            TimingMode::Warm => None,
        };
        let mut once = |state: &mut State| -> Result<f64, Failure> {
            // Work ahead of the start event: while it runs, the events and the launch are queued, so that no time of
            // the host lies between them.
            match flush {
                Some((address, bytes)) => {
                    // SAFETY: the flush buffer has `bytes` bytes in the current context.
                    let code =
                        unsafe { (self.driver.cuMemsetD8Async)(address, 0, bytes, state.stream) };
                    check("cuMemsetD8Async", code)?;
                }
                None => submit(self, state)?,
            }
            self.record(state, events.start)?;
            submit(self, state)?;
            self.record(state, events.end)?;
            self.wait(state)?;
            let mut milliseconds = 0.0;
            // SAFETY: both events are recorded and done, and belong to the current context.
            check("cuEventElapsedTime", unsafe {
                (self.driver.cuEventElapsedTime)(&mut milliseconds, events.start, events.end)
            })?;
            // Whole nanoseconds: far below what an event resolves.
            Ok((f64::from(milliseconds) * 1e6).round() / 1e3)
        };
        let mut clocks = Clocks::default();
        let samples_us = sample(
            options,
            || once(state),
            // While the GPU is still warm from the last sample.
            || clocks = self.nvml.as_ref().map(Nvml::clocks).unwrap_or_default(),
        )?;
        Ok(Timing {
            samples_us,
            mode: options.mode,
            clocks,
        })
    }

    fn events(&self) -> Result<Events<'_>, Failure> {
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

    fn record(&self, state: &State, event: CUevent) -> Result<(), Failure> {
        // SAFETY: event and stream belong to the current context.
        check("cuEventRecord", unsafe {
            (self.driver.cuEventRecord)(event, state.stream)
        })
    }

    /// The buffer whose writing empties L2; smaller where memory is short, but never smaller than twice L2.
    fn flush_buffer(&self, state: &mut State) -> Result<(CUdeviceptr, usize), Failure> {
        if let Some(flush) = state.flush {
            return Ok(flush);
        }
        let mut bytes = (self.l2_bytes * FLUSH_TIMES).max(FLUSH_LEAST_BYTES);
        loop {
            let mut address = 0;
            // SAFETY: the context is current and `address` writable.
            let code = unsafe { (self.driver.cuMemAlloc_v2)(&mut address, bytes) };
            if code == OUT_OF_MEMORY && bytes / 2 >= 2 * self.l2_bytes.max(1 << 20) {
                bytes /= 2;
                continue;
            }
            check("cuMemAlloc", code)?;
            state.flush = Some((address, bytes));
            return Ok((address, bytes));
        }
    }
}

/// A device buffer of this file's own.
struct Scratch<'a> {
    cuda: &'a CudaDevice,
    address: u64,
    bytes: usize,
    life: u64,
}

impl<'a> Scratch<'a> {
    fn allocate(cuda: &'a CudaDevice, bytes: usize) -> Result<Self> {
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
