//! Host memory that the GPU reaches: pinned, mapped and managed pages, and copies that go on while the host does. When any of it may be used is checked above, in `buffer` and `pinned`.

use super::driver::{Failure, NOT_READY, OUT_OF_MEMORY, check};
use super::stream::{LEGACY, WITHOUT_TIMING};
use super::{CudaDevice, LONGEST_LAUNCH, State};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory::Pages;
use cornerturn_base::place::{Advice, Direction, Place, Side};
use cudarc::driver::sys::{CUdevice, CUdeviceptr, CUevent};
use std::ffi::{c_uint, c_void};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// `CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP`.
const REGISTER_MAPPED: c_uint = 1 | 2;
/// `CU_MEM_ATTACH_GLOBAL`.
const ATTACH_GLOBAL: c_uint = 1;
/// `CU_DEVICE_CPU`, the host in the place of a device's number.
const CPU: CUdevice = -1;

/// A copy that was started. It must be finished, or its host memory never be freed.
#[derive(Debug)]
pub(crate) struct Started {
    event: CUevent,
    life: u64,
}

// SAFETY: the handle is a pointer into the driver, which allows any thread to use it; only `finish_copy` does, once.
unsafe impl Send for Started {}
// SAFETY: as above; a shared reference gives no access to the handle.
unsafe impl Sync for Started {}

impl CudaDevice {
    /// Memory in a place; its address as kernels see it, and the life of the context.
    pub(crate) fn allocate_in(
        &self,
        place: Place,
        name: &str,
        bytes: usize,
    ) -> Result<(CUdeviceptr, u64)> {
        match place {
            Place::Device => self.allocate(name, bytes),
            Place::Mapped => self.allocate_mapped(name, bytes),
            Place::Managed => self.allocate_managed(name, bytes),
        }
    }

    fn allocate_mapped(&self, name: &str, bytes: usize) -> Result<(CUdeviceptr, u64)> {
        let mut pages = Pages::new(&format!("buffer `{name}`"), bytes)?;
        let mut state = self.enter()?;
        let host: *mut c_void = pages.bytes_mut().as_mut_ptr().cast();
        // SAFETY: the pages are our own. They are unregistered in `free_in`, or go with the context, before they are freed.
        let code = unsafe { (self.driver.cuMemHostRegister_v2)(host, bytes, REGISTER_MAPPED) };
        self.settle(&mut state, check("cuMemHostRegister", code))?;
        let mut address = 0;
        // SAFETY: `address` is writable and the pages are registered.
        let code = unsafe { (self.driver.cuMemHostGetDevicePointer_v2)(&mut address, host, 0) };
        let got = check("cuMemHostGetDevicePointer", code);
        if got.is_err() {
            // SAFETY: they are registered, and nothing else knows them.
            unsafe { (self.driver.cuMemHostUnregister)(host) };
        }
        self.settle(&mut state, got)?;
        state.mapped.insert(address, pages);
        Ok((address, self.life()))
    }

    fn allocate_managed(&self, name: &str, bytes: usize) -> Result<(CUdeviceptr, u64)> {
        let mut state = self.enter()?;
        let mut address = 0;
        // SAFETY: the context is current and `address` writable.
        let code = unsafe { (self.driver.cuMemAllocManaged)(&mut address, bytes, ATTACH_GLOBAL) };
        if code == OUT_OF_MEMORY {
            return Err(Error::Memory {
                free: None,
                what: format!("buffer `{name}`"),
                bytes,
                place: "managed memory",
            });
        }
        self.settle(&mut state, check("cuMemAllocManaged", code))?;
        Ok((address, self.life()))
    }

    /// Frees what was allocated in a place.
    pub(crate) fn free_in(&self, place: Place, address: CUdeviceptr, life: u64) {
        if place != Place::Mapped {
            return self.free(address, life);
        }
        let Ok(mut state) = self.enter() else { return };
        let waited = self.wait_for_all(&mut state);
        let _ = self.settle(&mut state, waited);
        // Pages of an earlier life went with its state.
        if life != self.life() || state.hung {
            return;
        }
        if let Some(mut pages) = state.mapped.remove(&address) {
            // SAFETY: they were registered in `allocate_mapped`, and no kernel runs: a launch holds the lock,
            // and streams were waited for.
            unsafe { (self.driver.cuMemHostUnregister)(pages.bytes_mut().as_mut_ptr().cast()) };
        }
    }

    /// Reads bytes of a place that the host reaches by itself: as any load does, it makes managed pages come.
    pub(crate) fn touch_read(
        &self,
        place: Place,
        address: u64,
        life: u64,
        out: &mut [u8],
    ) -> Result<()> {
        let mut state = self.enter_alone(place)?;
        let is_done = match place {
            Place::Mapped if life == self.life() => state.mapped_read(address, out),
            Place::Managed if life == self.life() && self.manages_on_demand => {
                // SAFETY: a managed buffer has one address on both sides. It is of this life, so it is still there; the
                // caller checked the range. No kernel runs: a launch holds the lock until its kernel has ended,
                // and streams were waited for.
                unsafe {
                    std::ptr::copy_nonoverlapping(of_host(address), out.as_mut_ptr(), out.len());
                }
                true
            }
            _ => false,
        };
        drop(state);
        match is_done {
            true => Ok(()),
            false => self.read(address, out),
        }
    }

    /// Writes bytes of such a place.
    pub(crate) fn touch_write(
        &self,
        place: Place,
        address: u64,
        life: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let mut state = self.enter_alone(place)?;
        let is_done = match place {
            Place::Mapped if life == self.life() => state.mapped_write(address, bytes),
            Place::Managed if life == self.life() && self.manages_on_demand => {
                // SAFETY: as in `touch_read`; nobody else on the host has a reference into the buffer.
                unsafe {
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), of_host(address), bytes.len());
                }
                true
            }
            _ => false,
        };
        drop(state);
        match is_done {
            true => Ok(()),
            false => self.write(address, bytes),
        }
    }

    /// Queues the move of managed pages to a side. Nothing to do where the driver moves all of them at each launch.
    pub(crate) fn prefetch(&self, address: u64, bytes: usize, side: Side) -> Result<()> {
        let mut state = self.enter()?;
        if !self.manages_on_demand {
            return Ok(());
        }
        // SAFETY: the caller's buffer has so many bytes of managed memory; the stream belongs to the context.
        let code = unsafe {
            (self.driver.cuMemPrefetchAsync)(address, bytes, self.ordinal(side), state.stream)
        };
        self.settle(&mut state, check("cuMemPrefetchAsync", code))
    }

    /// Gives the driver a hint on managed pages.
    pub(crate) fn advise(&self, address: u64, bytes: usize, advice: Advice) -> Result<()> {
        let mut state = self.enter()?;
        if !self.manages_on_demand {
            return Ok(());
        }
        // CUmem_advise: 1 read mostly, 3 preferred location, 5 accessed by.
        let (number, side) = match advice {
            Advice::ReadMostly => (1, Side::Device),
            Advice::Stay(side) => (3, side),
            Advice::UsedBy(side) => (5, side),
        };
        // SAFETY: as in `prefetch`.
        let code = unsafe { (self.driver.cuMemAdvise)(address, bytes, number, self.ordinal(side)) };
        self.settle(&mut state, check("cuMemAdvise", code))
    }

    fn ordinal(&self, side: Side) -> CUdevice {
        match side {
            Side::Host => CPU,
            Side::Device => self.device,
        }
    }

    /// Pins memory of the host; the owner unpins it before it frees it. Gives the life of the context.
    pub(crate) fn pin(&self, host: &mut [u8]) -> Result<u64> {
        let mut state = self.enter()?;
        // SAFETY: the memory is the caller's, and stays where it is until `unpin`.
        let code = unsafe {
            (self.driver.cuMemHostRegister_v2)(
                host.as_mut_ptr().cast(),
                host.len(),
                REGISTER_MAPPED,
            )
        };
        self.settle(&mut state, check("cuMemHostRegister", code))?;
        Ok(self.life())
    }

    /// Unpins it.
    pub(crate) fn unpin(&self, host: &mut [u8], life: u64) {
        let Ok(_state) = self.enter() else { return };
        if life == self.life() {
            // SAFETY: it was registered in this context by `pin`, once.
            unsafe { (self.driver.cuMemHostUnregister)(host.as_mut_ptr().cast()) };
        }
    }

    /// Queues a copy on the stream of copies. The caller keeps the host memory, pinned and untouched, until
    /// `finish_copy`, and the ranges have the same length.
    pub(crate) fn start_copy(
        &self,
        direction: Direction,
        address: u64,
        host: &mut [u8],
    ) -> Result<Started> {
        let mut state = self.enter()?;
        let event = self.new_event(WITHOUT_TIMING);
        let event = self.settle(&mut state, event)?;
        // It comes after what the legacy default stream would come after.
        let joined = match state.streams.is_empty() {
            true => Ok(()),
            false => self
                .record_on(event, LEGACY)
                .and_then(|()| self.let_wait(state.copies, event)),
        };
        let queued = joined
            .and_then(|()| self.queue_copy(direction, address, host, state.copies))
            .and_then(|()| self.record_on(event, state.copies));
        if queued.is_err() {
            // SAFETY: created above, and nobody else knows it.
            unsafe { (self.driver.cuEventDestroy_v2)(event) };
        }
        self.settle(&mut state, queued)?;
        Ok(Started {
            event,
            life: self.life(),
        })
    }

    /// Queues a copy on a stream of the current context.
    pub(super) fn queue_copy(
        &self,
        direction: Direction,
        address: u64,
        host: &mut [u8],
        stream: cudarc::driver::sys::CUstream,
    ) -> Result<(), Failure> {
        let (memory, bytes) = (host.as_mut_ptr().cast::<c_void>(), host.len());
        let (call, code) = match direction {
            Direction::ToDevice => {
                // SAFETY: the callers keep the host memory until the copy is done, and checked the range of the buffer.
                let code =
                    unsafe { (self.driver.cuMemcpyHtoDAsync_v2)(address, memory, bytes, stream) };
                ("cuMemcpyHtoDAsync", code)
            }
            Direction::ToHost => {
                // SAFETY: as above.
                let code =
                    unsafe { (self.driver.cuMemcpyDtoHAsync_v2)(memory, address, bytes, stream) };
                ("cuMemcpyDtoHAsync", code)
            }
        };
        check(call, code)
    }

    /// Waits for a copy. One whose context is gone is over, too, and its bytes are lost.
    pub(crate) fn finish_copy(&self, started: Started) -> Result<()> {
        let mut state = self.enter()?;
        if started.life != self.life() {
            return Err(Error::Driver {
                call: "cuEventQuery",
                code: "lost".to_string(),
                reason: "a kernel's fault ended the copy; make the buffers again".to_string(),
            });
        }
        let result = self.wait_for(&mut state, started.event);
        // SAFETY: created in `start_copy`, of this life, and used for the last time.
        unsafe { (self.driver.cuEventDestroy_v2)(started.event) };
        self.settle(&mut state, result)
    }

    pub(super) fn wait_for(&self, state: &mut State, event: CUevent) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            // SAFETY: the event belongs to the current context.
            let code = unsafe { (self.driver.cuEventQuery)(event) };
            if code != NOT_READY {
                return check("cuEventQuery", code);
            }
            if begun.elapsed() > LONGEST_LAUNCH {
                state.hung = true;
                return Err(Failure {
                    call: "cuEventQuery",
                    code,
                });
            }
            if begun.elapsed() > Duration::from_millis(2) {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
    }

    /// Waits until all that was queued is done: streams first, which may hold a kernel without an end, then moves of pages
    /// and copies.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let mut state = self.enter()?;
        let waited = self.wait_for_all(&mut state);
        self.settle(&mut state, waited)?;
        // SAFETY: a context is current.
        let code = unsafe { (self.driver.cuCtxSynchronize)() };
        self.settle(&mut state, check("cuCtxSynchronize", code))
    }
}

impl CudaDevice {
    /// The state, and no stream is at work if the host is to touch memory of this place itself.
    fn enter_alone(&self, place: Place) -> Result<MutexGuard<'_, State>> {
        let mut state = self.enter()?;
        if place != Place::Device {
            let waited = self.wait_for_all(&mut state);
            self.settle(&mut state, waited)?;
        }
        Ok(state)
    }
}

impl State {
    /// The mapped pages that hold so many bytes from an address, with the offset.
    fn mapped_at(&mut self, address: u64, bytes: usize) -> Option<(&mut Pages, usize)> {
        let (base, pages) = self.mapped.range_mut(..=address).next_back()?;
        let offset = usize::try_from(address - base).ok()?;
        let end = offset.checked_add(bytes)?;
        (end <= pages.bytes_mut().len()).then_some((pages, offset))
    }

    fn mapped_read(&mut self, address: u64, out: &mut [u8]) -> bool {
        let Some((pages, offset)) = self.mapped_at(address, out.len()) else {
            return false;
        };
        out.copy_from_slice(&pages.bytes_mut()[offset..offset + out.len()]);
        true
    }

    fn mapped_write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some((pages, offset)) = self.mapped_at(address, bytes.len()) else {
            return false;
        };
        pages.bytes_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
        true
    }
}

/// A managed address as the host uses it: the same number.
fn of_host(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
