//! Fills of memory in one, two and three dimensions. What memory may be filled is the driver's.

use crate::call::{Failure, Result, call};
use crate::errors::CudaError;
use crate::stream::{self, Wait};
use crate::types::{Extent, Handle, PitchedPointer};
use cornerturn_cuda::{Driver, Fill, Work};
use std::ffi::{c_int, c_void};

fn queue(driver: &'static Driver, fill: Fill, stream: Handle) -> Result<()> {
    // A fill of device memory is asynchronous in any case: CUDA Runtime API, *API synchronization behavior*.
    stream::queue(driver, stream, Work::Fill(fill), Wait::No)
}

/// So many rows; a byte of `value` counts.
fn rows(
    pointer: *mut c_void,
    pitch_bytes: usize,
    value: c_int,
    (width_bytes, rows): (usize, usize),
) -> Result<Fill> {
    if width_bytes > pitch_bytes && rows > 1 {
        let message = format!("rows of {width_bytes} bytes do not fit a pitch of {pitch_bytes}");
        return Err(Failure::new(CudaError::INVALID_VALUE, message));
    }
    Ok(Fill {
        address: pointer as u64,
        pitch_bytes,
        pattern: vec![value as u8],
        width_bytes,
        rows,
    })
}

/// `cudaMemset`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset(pointer: *mut c_void, value: c_int, bytes: usize) -> CudaError {
    cudaMemsetAsync(pointer, value, bytes, std::ptr::null_mut())
}

/// `cudaMemsetAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync(
    pointer: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: Handle,
) -> CudaError {
    call(|driver| queue(driver, rows(pointer, bytes, value, (bytes, 1))?, stream))
}

/// `cudaMemset2D`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2D(
    pointer: *mut c_void,
    pitch: usize,
    value: c_int,
    width_bytes: usize,
    height: usize,
) -> CudaError {
    cudaMemset2DAsync(
        pointer,
        pitch,
        value,
        width_bytes,
        height,
        std::ptr::null_mut(),
    )
}

/// `cudaMemset2DAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2DAsync(
    pointer: *mut c_void,
    pitch: usize,
    value: c_int,
    width_bytes: usize,
    height: usize,
    stream: Handle,
) -> CudaError {
    call(|driver| {
        queue(
            driver,
            rows(pointer, pitch, value, (width_bytes, height))?,
            stream,
        )
    })
}

/// `cudaMemset3D`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D(pointer: PitchedPointer, value: c_int, extent: Extent) -> CudaError {
    cudaMemset3DAsync(pointer, value, extent, std::ptr::null_mut())
}

/// `cudaMemset3DAsync`: a slice after the other.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync(
    pointer: PitchedPointer,
    value: c_int,
    extent: Extent,
    stream: Handle,
) -> CudaError {
    call(|driver| {
        let slice = pointer.pitch.checked_mul(pointer.y_rows);
        let slice = slice.ok_or(CudaError::INVALID_VALUE)?;
        for z in 0..extent.depth {
            let first = pointer.pointer.wrapping_byte_add(z.wrapping_mul(slice));
            let fill = rows(first, pointer.pitch, value, (extent.width, extent.height))?;
            queue(driver, fill, stream)?;
        }
        Ok(())
    })
}
