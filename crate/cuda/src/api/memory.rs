//! Memory of all kinds: device, managed, pinned, registered, asynchronous; and fills.

use std::ffi::{c_int, c_uint};

use super::structs::{IpcHandle, MemoryLocation};
use super::{Address, Handle, Out, driver, exports};
use crate::copy::Fill;
use crate::memory::Kind;
use crate::status::{Error, Result, Status};
use crate::work::Work;

/// What `cuMemFree` takes.
pub(crate) const OF_DEVICE: [Kind; 2] = [Kind::Device, Kind::Managed];
/// The flag of `cuMemHostAlloc` and `cuMemHostRegister` that asks for a device address.
const MAPPED: c_uint = 2;
/// Rows of `cuMemAllocPitch` begin so many bytes apart, or a multiple.
const PITCH_BYTES: usize = 512;

exports! {
    /// Device memory.
    fn cuMemAlloc_v2(address: Out<Address>, bytes: usize) {
        address.check()?;
        address.set(driver()?.allocate(bytes, Kind::Device, None)?)
    }

    /// Device memory for rows.
    fn cuMemAllocPitch_v2(address: Out<Address>, pitch: Out<usize>, width_bytes: usize, height: usize, element_bytes: c_uint) {
        address.check()?;
        pitch.check()?;
        if width_bytes == 0 || height == 0 || !matches!(element_bytes, 4 | 8 | 16) {
            return Err(Status::INVALID_VALUE.into());
        }
        let row = width_bytes.checked_next_multiple_of(PITCH_BYTES).ok_or(Status::OUT_OF_MEMORY)?;
        let bytes = row.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?;
        address.set(driver()?.allocate(bytes, Kind::Device, None)?)?;
        pitch.set(row)
    }

    /// Managed memory.
    fn cuMemAllocManaged(address: Out<Address>, bytes: usize, flags: c_uint) {
        address.check()?;
        if !matches!(flags, 1 | 2) {
            return Err(Status::INVALID_VALUE.into());
        }
        let driver = driver()?;
        let base = driver.allocate(bytes, Kind::Managed, None)?;
        driver.flags(base, flags);
        address.set(base)
    }

    /// Frees device or managed memory; nothing for null.
    fn cuMemFree_v2(address: Address) {
        let driver = driver()?;
        match address {
            0 => Ok(()),
            _ => driver.free(address, &OF_DEVICE),
        }
    }

    /// Pinned memory.
    fn cuMemAllocHost_v2(address: Out<Address>, bytes: usize) {
        pinned(address, bytes, MAPPED)
    }

    /// The same with flags.
    fn cuMemHostAlloc(address: Out<Address>, bytes: usize, flags: c_uint) {
        if flags > 7 {
            return Err(Status::INVALID_VALUE.into());
        }
        pinned(address, bytes, flags)
    }

    /// Frees pinned memory.
    fn cuMemFreeHost(address: Address) {
        let driver = driver()?;
        driver.context_even_failed()?;
        match address {
            0 => Ok(()),
            _ => driver.free(address, &[Kind::Pinned]),
        }
    }

    /// Registers memory of the program.
    fn cuMemHostRegister_v2(address: Address, bytes: usize, flags: c_uint) {
        if flags > 15 {
            return Err(Status::INVALID_VALUE.into());
        }
        // SAFETY: the C caller promises that the memory stays until it unregisters it.
        unsafe { driver()?.register(address as usize, bytes, flags | MAPPED) }.map(drop)
    }

    /// Undoes it.
    fn cuMemHostUnregister(address: Address) {
        driver()?.unregister(address as usize)
    }

    /// The address by which kernels reach pinned or registered memory.
    fn cuMemHostGetDevicePointer_v2(device: Out<Address>, host: Address, flags: c_uint) {
        let found = driver()?.allocation(host).filter(|_| flags == 0);
        match found {
            Some((one, offset)) if matches!(one.kind, Kind::Pinned | Kind::Registered) => {
                device.set(one.base + offset as u64)
            }
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// The flags of pinned memory.
    fn cuMemHostGetFlags(flags: Out<c_uint>, host: Address) {
        let found = driver()?.allocation(host).map(|(one, _)| one);
        let pinned = found.filter(|one| matches!(one.kind, Kind::Pinned | Kind::Registered));
        flags.set(pinned.ok_or(Status::INVALID_VALUE)?.flags)
    }

    /// Free and total bytes.
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let driver = driver()?;
        driver.context()?;
        let (free_bytes, total_bytes) = driver.memory_bytes();
        free.set(free_bytes as usize)?;
        total.set(total_bytes as usize)
    }

    /// The allocation that an address lies in.
    fn cuMemGetAddressRange_v2(base: Out<Address>, bytes: Out<usize>, address: Address) {
        let (found, _) = driver()?.allocation(address).ok_or(Status::NOT_FOUND)?;
        base.set_if_asked(found.base);
        bytes.set_if_asked(found.bytes);
        Ok(())
    }

    /// Device memory, in the order of a stream: at once.
    fn cuMemAllocAsync(address: Out<Address>, bytes: usize, stream: Handle) {
        address.check()?;
        let driver = driver()?;
        driver.stream(stream)?;
        address.set(driver.allocate(bytes, Kind::Device, None)?)
    }

    /// Frees it.
    fn cuMemFreeAsync(address: Address, stream: Handle) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.free(address, &OF_DEVICE)
    }

    /// Where managed memory should lie: it lies everywhere.
    fn cuMemPrefetchAsync(address: Address, bytes: usize, device: c_int, stream: Handle) {
        let _ = device;
        managed(address, bytes, Some(stream))
    }

    /// The same.
    fn cuMemPrefetchAsync_v2(address: Address, bytes: usize, _location: MemoryLocation, flags: c_uint, stream: Handle) {
        match flags {
            0 => managed(address, bytes, Some(stream)),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// How managed memory is used: it is all the same.
    fn cuMemAdvise(address: Address, bytes: usize, _advice: c_uint, _device: c_int) {
        managed(address, bytes, None)
    }

    /// The same.
    fn cuMemAdvise_v2(address: Address, bytes: usize, _advice: c_uint, _location: MemoryLocation) {
        managed(address, bytes, None)
    }

    /// A stream's managed memory: it is everybody's.
    fn cuStreamAttachMemAsync(stream: Handle, address: Address, _bytes: usize, _flags: c_uint) {
        managed(address, 0, Some(stream))
    }

    /// Fills bytes.
    fn cuMemsetD8_v2(address: Address, value: u8, count: usize) {
        fill(address, &[value], (0, count, 1), None)
    }

    /// Fills 16-bit words.
    fn cuMemsetD16_v2(address: Address, value: u16, count: usize) {
        fill(address, &value.to_le_bytes(), (0, count, 1), None)
    }

    /// Fills 32-bit words.
    fn cuMemsetD32_v2(address: Address, value: c_uint, count: usize) {
        fill(address, &value.to_le_bytes(), (0, count, 1), None)
    }

    /// Fills rows of bytes.
    fn cuMemsetD2D8_v2(address: Address, pitch: usize, value: u8, width: usize, height: usize) {
        fill(address, &[value], (pitch, width, height), None)
    }

    /// Fills rows of 16-bit words.
    fn cuMemsetD2D16_v2(address: Address, pitch: usize, value: u16, width: usize, height: usize) {
        fill(address, &value.to_le_bytes(), (pitch, width, height), None)
    }

    /// Fills rows of 32-bit words.
    fn cuMemsetD2D32_v2(address: Address, pitch: usize, value: c_uint, width: usize, height: usize) {
        fill(address, &value.to_le_bytes(), (pitch, width, height), None)
    }

    /// Fills bytes on a stream.
    fn cuMemsetD8Async(address: Address, value: u8, count: usize, stream: Handle) {
        fill(address, &[value], (0, count, 1), Some(stream))
    }

    /// Fills 16-bit words on a stream.
    fn cuMemsetD16Async(address: Address, value: u16, count: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), (0, count, 1), Some(stream))
    }

    /// Fills 32-bit words on a stream.
    fn cuMemsetD32Async(address: Address, value: c_uint, count: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), (0, count, 1), Some(stream))
    }

    /// Fills rows of bytes on a stream.
    fn cuMemsetD2D8Async(address: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) {
        fill(address, &[value], (pitch, width, height), Some(stream))
    }

    /// Fills rows of 16-bit words on a stream.
    fn cuMemsetD2D16Async(address: Address, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), (pitch, width, height), Some(stream))
    }

    /// Fills rows of 32-bit words on a stream.
    fn cuMemsetD2D32Async(address: Address, pitch: usize, value: c_uint, width: usize, height: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), (pitch, width, height), Some(stream))
    }

    /// Handles of memory for other processes: there are none, nor any of the functions below.
    fn cuIpcGetMemHandle(_handle: Out<[u8; 64]>, _address: Address) {
        Err(no_ipc())
    }

    /// The same.
    fn cuIpcOpenMemHandle_v2(_address: Out<Address>, _handle: IpcHandle, _flags: c_uint) {
        Err(no_ipc())
    }

    /// The same.
    fn cuIpcCloseMemHandle(_address: Address) {
        Err(no_ipc())
    }

    /// The same of an event.
    fn cuIpcGetEventHandle(_handle: Out<[u8; 64]>, _event: Handle) {
        Err(no_ipc())
    }

    /// The same.
    fn cuIpcOpenEventHandle(_event: Out<Handle>, _handle: IpcHandle) {
        Err(no_ipc())
    }
}

fn no_ipc() -> Error {
    let message = "memory and events of other processes are not supported";
    Error::new(Status::NOT_SUPPORTED, message)
}

fn pinned(address: Out<Address>, bytes: usize, flags: c_uint) -> Result<()> {
    address.check()?;
    let driver = driver()?;
    let base = driver.allocate(bytes, Kind::Pinned, None)?;
    driver.flags(base, flags);
    address.set(base)
}

/// Refuses memory that is not managed, and streams that there are not.
fn managed(address: Address, bytes: usize, stream: Option<Handle>) -> Result<()> {
    let driver = driver()?;
    driver.context()?;
    if let Some(stream) = stream {
        driver.stream(stream)?;
    }
    let found = driver.allocation(address);
    let fits = |(one, offset): &(crate::memory::Allocation, usize)| {
        let is_managed = matches!(one.kind, Kind::Managed | Kind::Variable);
        is_managed
            && offset
                .checked_add(bytes)
                .is_some_and(|end| end <= one.bytes)
    };
    match found.filter(fits) {
        Some(_) => Ok(()),
        None => Err(Status::INVALID_VALUE.into()),
    }
}

/// Fills rows of so many elements; waits without a stream.
fn fill(
    address: Address,
    pattern: &[u8],
    (pitch_bytes, width, rows): (usize, usize, usize),
    stream: Option<Handle>,
) -> Result<()> {
    let driver = driver()?;
    if !address.is_multiple_of(pattern.len() as u64) {
        return Err(Status::INVALID_VALUE.into());
    }
    let work = Work::Fill(Fill {
        address,
        pitch_bytes,
        pattern: pattern.to_vec(),
        width_bytes: width
            .checked_mul(pattern.len())
            .ok_or(Status::INVALID_VALUE)?,
        rows,
    });
    match stream {
        Some(stream) => driver.submit(stream, work),
        None => {
            driver.refuse_in_capture(0)?;
            driver.submit(0, work)
        }
    }
}
