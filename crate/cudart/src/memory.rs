//! Memory: allocated, freed, registered, and what a pointer is. Copies and fills are in `copies`.

use crate::call::{Result, call, give};
use crate::errors::CudaError;
use crate::names;
use crate::stream;
use crate::types::{Extent, Handle, PitchedPointer};
use cornerturn_cuda::{Driver, Kind};
use std::ffi::{c_uint, c_void};

/// Rows of pitched memory begin at multiples of this, as on an H200.
const PITCH_BYTES: usize = 512;

/// What `cudaFree` frees.
const OF_DEVICE: [Kind; 2] = [Kind::Device, Kind::Managed];

/// Allocates memory, under the name that the program has for it. Nothing is no error: the pointer is null then.
///
/// # Safety
/// `pointer` is null or there is room.
unsafe fn allocate(
    driver: &Driver,
    pointer: *mut *mut c_void,
    bytes: usize,
    kind: Kind,
    calls: &[&str],
) -> Result<()> {
    if pointer.is_null() {
        return Err(CudaError::INVALID_VALUE.into());
    }
    let address = match bytes {
        0 => 0,
        bytes => driver.allocate(bytes, kind, names::of_call(driver, calls).as_deref())?,
    };
    // SAFETY: the caller's promise.
    unsafe { give(pointer, address as *mut c_void) }
}

/// `cudaMalloc`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) -> CudaError {
    // SAFETY: the caller's promise.
    call(|driver| unsafe { allocate(driver, pointer, bytes, Kind::Device, &["cudaMalloc"]) })
}

/// `cudaMallocManaged`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocManaged(
    pointer: *mut *mut c_void,
    bytes: usize,
    _flags: c_uint,
) -> CudaError {
    call(|driver| match bytes {
        // CUDA Runtime API, `cudaMallocManaged`: "If size is 0, cudaMallocManaged returns cudaErrorInvalidValue."
        0 => Err(CudaError::INVALID_VALUE.into()),
        // SAFETY: the caller's promise.
        _ => unsafe {
            allocate(
                driver,
                pointer,
                bytes,
                Kind::Managed,
                &["cudaMallocManaged"],
            )
        },
    })
}

/// `cudaMallocHost`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocHost(pointer: *mut *mut c_void, bytes: usize) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaHostAlloc(pointer, bytes, 0) }
}

/// `cudaHostAlloc`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostAlloc(
    pointer: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call(|driver| {
        let calls = ["cudaHostAlloc", "cudaMallocHost"];
        // SAFETY: the caller's promise.
        unsafe {
            allocate(driver, pointer, bytes, Kind::Pinned, &calls)?;
            driver.flags(pointer.read() as u64, flags);
        }
        Ok(())
    })
}

/// `cudaMallocAsync`: at once, as nobody can tell when. The order of the stream holds for what is done with it.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocAsync(
    pointer: *mut *mut c_void,
    bytes: usize,
    stream: Handle,
) -> CudaError {
    call(|driver| {
        stream::check(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { allocate(driver, pointer, bytes, Kind::Device, &["cudaMallocAsync"]) }
    })
}

/// `cudaMallocFromPoolAsync`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocFromPoolAsync(
    pointer: *mut *mut c_void,
    bytes: usize,
    _pool: Handle,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaMallocAsync(pointer, bytes, stream) }
}

/// The pitch of rows of so many bytes.
fn pitch_of(width_bytes: usize) -> Result<usize> {
    let pitch = width_bytes.checked_next_multiple_of(PITCH_BYTES);
    pitch.ok_or_else(|| CudaError::MEMORY_ALLOCATION.into())
}

/// `cudaMallocPitch`.
///
/// # Safety
/// Each pointer is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocPitch(
    pointer: *mut *mut c_void,
    pitch: *mut usize,
    width_bytes: usize,
    rows: usize,
) -> CudaError {
    call(|driver| {
        let row = pitch_of(width_bytes)?;
        let bytes = row.checked_mul(rows).ok_or(CudaError::MEMORY_ALLOCATION)?;
        // SAFETY: the caller's promise.
        unsafe {
            give(pitch, row)?;
            allocate(driver, pointer, bytes, Kind::Device, &["cudaMallocPitch"])
        }
    })
}

/// `cudaMalloc3D`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMalloc3D(pointer: *mut PitchedPointer, extent: Extent) -> CudaError {
    call(|driver| {
        let pitch = pitch_of(extent.width)?;
        let bytes = pitch
            .checked_mul(extent.height)
            .and_then(|slice| slice.checked_mul(extent.depth))
            .ok_or(CudaError::MEMORY_ALLOCATION)?;
        let mut first = std::ptr::null_mut();
        // SAFETY: the caller's promise, and a variable of our own.
        unsafe {
            allocate(
                driver,
                &raw mut first,
                bytes,
                Kind::Device,
                &["cudaMalloc3D"],
            )?;
            let made = PitchedPointer {
                pointer: first,
                pitch,
                x_bytes: extent.width,
                y_rows: extent.height,
            };
            give(pointer, made)
        }
    })
}

fn free(driver: &Driver, pointer: *mut c_void, kinds: &[Kind]) -> Result<()> {
    // To free nothing is no error, and makes the context.
    match pointer.is_null() {
        true => Ok(driver.context().map(drop)?),
        false => {
            driver.synchronize()?;
            Ok(driver.free(pointer as u64, kinds)?)
        }
    }
}

/// `cudaFree`: it waits for what is under way.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFree(pointer: *mut c_void) -> CudaError {
    call(|driver| free(driver, pointer, &OF_DEVICE))
}

/// `cudaFreeHost`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(pointer: *mut c_void) -> CudaError {
    call(|driver| free(driver, pointer, &[Kind::Pinned]))
}

/// `cudaFreeAsync`: when the stream comes to it, which is now.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync(pointer: *mut c_void, stream: Handle) -> CudaError {
    call(|driver| {
        stream::check(driver, stream)?;
        match pointer.is_null() {
            true => Err(CudaError::INVALID_VALUE.into()),
            false => Ok(driver.free(pointer as u64, &OF_DEVICE)?),
        }
    })
}
