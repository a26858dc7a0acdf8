//! What L2 holds when a launch is timed: the flush and its modes. Timing itself is in `timer`.

use super::driver::{Failure, OUT_OF_MEMORY, check};
use super::module::Ready;
use super::{CudaDevice, State};
use crate::device::Prepared;
use crate::kernel::Kernel;
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::error::Result;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::TimingMode;
use cudarc::driver::sys::CUdeviceptr;

/// L2 is emptied by writing this many times its size, or at least this many bytes.
const FLUSH_TIMES: usize = 4;
const FLUSH_LEAST_BYTES: usize = 128 << 20;

/// Reads a buffer of zeros, 16 bytes a thread. What it would store, if it found something else, keeps the loads alive.
const READ_BACK: &str = include_str!("read_back.ptx");
const READ_BACK_THREADS: u32 = 256;

/// What is queued before each timed launch.
pub(super) struct Flush {
    address: CUdeviceptr,
    bytes: usize,
    /// Whether persisting lines are reset first.
    resets: bool,
    /// The launch that reads the buffer after it was written.
    read_back: Option<Ready>,
}

impl CudaDevice {
    /// The flush of a mode; none where launches follow one another.
    pub(super) fn flush(&self, state: &mut State, mode: TimingMode) -> Result<Option<Flush>> {
        if !mode.flushes() {
            return Ok(None);
        }
        let buffer = self.flush_buffer(state);
        let (address, bytes) = self.settle(state, buffer)?;
        let read_back = match mode {
            TimingMode::Clean => Some(self.reader(state, address, bytes)?),
            _ => None,
        };
        Ok(Some(Flush {
            address,
            bytes,
            resets: mode != TimingMode::Unreset,
            read_back,
        }))
    }

    /// Makes lines that were loaded with `evict_last` normal ones: they survive any flush that only writes. Seen on an
    /// H200: right after a kernel with such loads, `vectorized` gained 7 % on matrices of 64 MiB and 17 % on 16 MiB.
    pub(super) fn reset_persisting(&self) -> Result<(), Failure> {
        // SAFETY: a context is current.
        let code = unsafe { (self.driver.cuCtxResetPersistingL2Cache)() };
        check("cuCtxResetPersistingL2Cache", code)
    }

    /// Queues the flush. The stream is idle: the reset of persisting lines is no operation of a stream.
    pub(super) fn queue_flush(&self, state: &State, flush: &mut Flush) -> Result<(), Failure> {
        if flush.resets {
            self.reset_persisting()?;
        }
        // SAFETY: the flush buffer has `bytes` bytes in the current context.
        let code =
            unsafe { (self.driver.cuMemsetD8Async)(flush.address, 0, flush.bytes, state.stream) };
        check("cuMemsetD8Async", code)?;
        match &mut flush.read_back {
            Some(ready) => self.submit(state.stream, ready),
            None => Ok(()),
        }
    }

    /// The launch that reads the flush buffer.
    fn reader(&self, state: &mut State, address: CUdeviceptr, bytes: usize) -> Result<Ready> {
        let kernel = Kernel::ptx(READ_BACK, "read_back")?;
        let blocks = bytes / (16 * READ_BACK_THREADS as usize);
        let prepared = Prepared {
            grid: Dim3::new(u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1),
            block: Dim3::new(READ_BACK_THREADS, 1, 1),
            dynamic_shared_bytes: 0,
            cluster: None,
            is_cooperative: false,
            is_programmatic: false,
            parameters: vec![address.to_le_bytes().to_vec()],
            caches: CacheSettings::new(),
            window: (0, 0),
        };
        self.ready(state, &kernel, &prepared)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, args};

    /// It must read every byte and write none, or the mode would not be what its name says.
    #[test]
    fn the_reader_reads_every_sector_once_and_stores_nothing() {
        let device = Device::emulator();
        let buffer = device.upload("flushed", &[0_u32; 4 * 256 * 3]).unwrap();
        let kernel = Kernel::ptx(READ_BACK, "read_back").unwrap();
        let report = device
            .launch(&kernel, 3, READ_BACK_THREADS, args![buffer])
            .unwrap();
        let counters = report.counters.unwrap();
        assert_eq!(counters.global_load_sectors, 3 * 256 * 16 / 32);
        assert_eq!(counters.global_store_sectors, 0);
    }
}
