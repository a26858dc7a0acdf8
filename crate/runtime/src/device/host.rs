//! A device's memory by the place where it lies, pinned memory of the host, and copies that go on by themselves. Who may use what and when is `buffer`'s and `pinned`'s.

use super::cuda::Started;
use super::{Backend, Device};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::link::HostFacts;
use cornerturn_base::place::{Advice, Direction, Place, Side};
use cornerturn_base::timing::{Timing, TimingOptions};

/// A copy that was started.
#[derive(Debug)]
pub(crate) enum Copying {
    /// The GPU is at it.
    Cuda(Started),
    /// The emulator has one memory and no time: the copy is made when it is finished, since nobody may look before.
    Emulated,
}

impl Device {
    /// Memory in a place: its address as kernels see it, and the life of the device's memory.
    pub(crate) fn allocate(&self, place: Place, name: &str, bytes: usize) -> Result<(u64, u64)> {
        check_some(name, bytes)?;
        match self.backend() {
            Backend::Emulated(emulated) => Ok((emulated.allocate(name, bytes)?, 0)),
            Backend::Cuda(cuda) => cuda.allocate_in(place, name, bytes),
        }
    }

    pub(crate) fn free(&self, place: Place, address: u64, life: u64) {
        match self.backend() {
            Backend::Emulated(emulated) => emulated.free(address),
            Backend::Cuda(cuda) => cuda.free_in(place, address, life),
        }
    }

    /// Reads as the host does it: memory that it reaches by itself is touched, the GPU's is copied.
    pub(crate) fn read_in(
        &self,
        place: Place,
        address: u64,
        life: u64,
        out: &mut [u8],
    ) -> Result<()> {
        match self.backend() {
            Backend::Emulated(emulated) => emulated.read(address, out),
            Backend::Cuda(cuda) => cuda.touch_read(place, address, life, out),
        }
    }

    /// Writes in the same way.
    pub(crate) fn write_in(
        &self,
        place: Place,
        address: u64,
        life: u64,
        bytes: &[u8],
    ) -> Result<()> {
        match self.backend() {
            Backend::Emulated(emulated) => emulated.write(address, bytes),
            Backend::Cuda(cuda) => cuda.touch_write(place, address, life, bytes),
        }
    }

    /// Queues the move of managed bytes to a side; the emulator has one memory.
    pub(crate) fn prefetch(&self, address: u64, bytes: usize, side: Side) -> Result<()> {
        match self.backend() {
            Backend::Emulated(_) => Ok(()),
            Backend::Cuda(cuda) => cuda.prefetch(address, bytes, side),
        }
    }

    pub(crate) fn advise(&self, address: u64, bytes: usize, advice: Advice) -> Result<()> {
        match self.backend() {
            Backend::Emulated(_) => Ok(()),
            Backend::Cuda(cuda) => cuda.advise(address, bytes, advice),
        }
    }

    /// Pins memory of the host, which its owner unpins before it goes. Gives the life of the device's memory.
    pub(crate) fn pin(&self, name: &str, host: &mut [u8]) -> Result<u64> {
        check_some(name, host.len())?;
        match self.backend() {
            Backend::Emulated(_) => Ok(0),
            Backend::Cuda(cuda) => cuda.pin(host),
        }
    }

    pub(crate) fn unpin(&self, host: &mut [u8], life: u64) {
        match self.backend() {
            Backend::Emulated(_) => {}
            Backend::Cuda(cuda) => cuda.unpin(host, life),
        }
    }

    /// Starts a copy. The caller leaves pinned memory and buffer alone until it has finished it.
    pub(crate) fn start_copy(
        &self,
        direction: Direction,
        address: u64,
        host: &mut [u8],
    ) -> Result<Copying> {
        match self.backend() {
            Backend::Emulated(_) => Ok(Copying::Emulated),
            Backend::Cuda(cuda) => cuda.start_copy(direction, address, host).map(Copying::Cuda),
        }
    }

    /// Waits until a copy is done.
    pub(crate) fn finish_copy(
        &self,
        copying: Copying,
        direction: Direction,
        address: u64,
        host: &mut [u8],
    ) -> Result<()> {
        match (self.backend(), copying) {
            (Backend::Cuda(cuda), Copying::Cuda(started)) => cuda.finish_copy(started),
            (Backend::Emulated(emulated), _) => match direction {
                Direction::ToDevice => emulated.write(address, host),
                Direction::ToHost => emulated.read(address, host),
            },
            (Backend::Cuda(_), Copying::Emulated) => Ok(()),
        }
    }

    /// Times copies between pinned memory and a buffer on the GPU, by events.
    pub(crate) fn time_pinned_copy(
        &self,
        direction: Direction,
        address: u64,
        host: &mut [u8],
        options: &TimingOptions,
    ) -> Result<Timing> {
        match self.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.time_pinned_copy(direction, address, host, options),
        }
    }

    /// What is known of the machine that the GPU is in; `None` for the emulator.
    pub fn host(&self) -> Option<HostFacts> {
        match self.backend() {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => Some(HostFacts::read(cuda.bus_id())),
        }
    }

    /// Waits until what the host has written is there, where the program has streams.
    pub(crate) fn settle_writes(&self) -> Result<()> {
        match self.backend() {
            Backend::Emulated(_) => Ok(()),
            Backend::Cuda(cuda) => cuda.settle_writes(),
        }
    }

    /// Waits until the device has done all that was queued: streams, moves of pages, copies. A launch that is on no stream of
    /// the program is waited for anyway.
    ///
    /// # Errors
    /// [`Error::Driver`] where the GPU fails.
    pub fn synchronize(&self) -> Result<()> {
        match self.backend() {
            Backend::Emulated(_) => {}
            Backend::Cuda(cuda) => cuda.synchronize()?,
        }
        self.order().synchronize();
        Ok(())
    }
}

fn check_some(name: &str, bytes: usize) -> Result<()> {
    match bytes {
        0 => Err(Error::Buffer {
            name: name.to_string(),
            reason: "holds no elements; a buffer needs at least one".to_string(),
        }),
        _ => Ok(()),
    }
}
