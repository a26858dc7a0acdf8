//! Events. What their times mean is the driver's: no GPU's time.

use crate::call::{call, give};
use crate::errors::CudaError;
use crate::types::Handle;
use std::ffi::c_uint;

/// `cudaEventCreate`.
///
/// # Safety
/// `event` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventCreate(event: *mut Handle) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaEventCreateWithFlags(event, 0) }
}

/// `cudaEventCreateWithFlags`.
///
/// # Safety
/// `event` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventCreateWithFlags(event: *mut Handle, flags: c_uint) -> CudaError {
    call(|driver| {
        if event.is_null() || flags > 7 {
            return Err(CudaError::INVALID_VALUE.into());
        }
        let made = driver.make_event(flags)?;
        // SAFETY: the caller's promise.
        unsafe { give(event, made.handle as Handle) }
    })
}

/// `cudaEventRecord`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord(event: Handle, stream: Handle) -> CudaError {
    call(|driver| Ok(driver.record_event(event as u64, stream as u64)?))
}

/// `cudaEventRecordWithFlags`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecordWithFlags(
    event: Handle,
    stream: Handle,
    _flags: c_uint,
) -> CudaError {
    cudaEventRecord(event, stream)
}

/// `cudaEventSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventSynchronize(event: Handle) -> CudaError {
    call(|driver| Ok(driver.synchronize_event(event as u64)?))
}

/// `cudaEventQuery`: what is queued is done, so that this is a wait.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventQuery(event: Handle) -> CudaError {
    cudaEventSynchronize(event)
}

/// `cudaEventElapsedTime`.
///
/// # Safety
/// `milliseconds` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    start: Handle,
    end: Handle,
) -> CudaError {
    call(|driver| {
        let elapsed = driver.elapsed_ms(start as u64, end as u64)?;
        // SAFETY: the caller's promise.
        unsafe { give(milliseconds, elapsed) }
    })
}

/// `cudaEventDestroy`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventDestroy(event: Handle) -> CudaError {
    call(|driver| Ok(driver.destroy_event(event as u64)?))
}
