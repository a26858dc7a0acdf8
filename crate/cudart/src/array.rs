//! Arrays: made, described, copied to and from. Textures and surfaces over them are in `texture`.

use crate::call::{Failure, Result, call, give, taken};
use crate::copies::{queue, spots};
use crate::errors::CudaError;
use crate::stream::Wait;
use crate::types::{Channels, CopyKind, Extent, Handle};
use cornerturn_cuda::{Array, ArrayShape, Driver, Side, Spot};
use cornerturn_emulator::TexelFormat;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// `cudaChannelFormatKind`.
const SIGNED: c_int = 0;
const UNSIGNED: c_int = 1;
const FLOAT: c_int = 2;

/// What a channel is, and how many there are: each as wide as the first, and 1, 2 or 4.
///
/// # Errors
/// `cudaErrorInvalidChannelDescriptor` for another description.
pub(crate) fn texel_of(channels: Channels) -> Result<(TexelFormat, u32)> {
    use TexelFormat::*;
    let count = channels.bits.iter().take_while(|bits| **bits > 0).count();
    let width = channels.bits[0];
    let is_even = channels.bits.iter().take(count).all(|bits| *bits == width);
    let rest_is_empty = channels.bits.iter().skip(count).all(|bits| *bits == 0);
    let format = match (channels.kind, width) {
        (UNSIGNED, 8) => Some(U8),
        (SIGNED, 8) => Some(S8),
        (UNSIGNED, 16) => Some(U16),
        (SIGNED, 16) => Some(S16),
        (UNSIGNED, 32) => Some(U32),
        (SIGNED, 32) => Some(S32),
        (FLOAT, 16) => Some(F16),
        (FLOAT, 32) => Some(F32),
        _ => None,
    };
    let is_one = is_even && rest_is_empty && matches!(count, 1 | 2 | 4);
    let format = format.filter(|_| is_one).ok_or_else(|| {
        let message = format!(
            "no texel has channels of {:?} bits and the kind {}",
            channels.bits, channels.kind
        );
        Failure::new(CudaError::INVALID_CHANNEL, message)
    })?;
    Ok((format, count as u32))
}

fn channels_of(array: &Array) -> Channels {
    use TexelFormat::*;
    let bits = 8 * array.shape.format.bytes().cast_signed();
    let mut channels = Channels {
        bits: [0; 4],
        kind: match array.shape.format {
            U8 | U16 | U32 => UNSIGNED,
            S8 | S16 | S32 => SIGNED,
            F16 | F32 => FLOAT,
        },
    };
    channels.bits[..array.shape.channels.min(4) as usize].fill(bits);
    channels
}

/// `cudaCreateChannelDesc`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> Channels {
    Channels {
        bits: [x, y, z, w],
        kind,
    }
}

/// # Safety
/// `array` is null or there is room; `channels` is null or whole.
unsafe fn make(
    driver: &Driver,
    array: *mut Handle,
    channels: *const Channels,
    (extent, flags): (Extent, c_uint),
) -> Result<()> {
    // SAFETY: the caller's promise.
    let (format, count) = texel_of(unsafe { taken(channels) }?)?;
    if array.is_null() {
        return Err(CudaError::INVALID_VALUE.into());
    }
    let shape = ArrayShape {
        width: extent.width,
        height: extent.height,
        depth: extent.depth,
        format,
        channels: count,
        flags,
    };
    let made = driver.make_array(shape, 1)?;
    // SAFETY: the caller's promise.
    unsafe { give(array, made.handle as Handle) }
}

/// `cudaMallocArray`.
///
/// # Safety
/// `array` is null or there is room; `channels` is null or whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocArray(
    array: *mut Handle,
    channels: *const Channels,
    width: usize,
    height: usize,
    flags: c_uint,
) -> CudaError {
    let extent = Extent {
        width,
        height,
        depth: 0,
    };
    // SAFETY: the caller's promise.
    call(|driver| unsafe { make(driver, array, channels, (extent, flags)) })
}

/// `cudaMalloc3DArray`.
///
/// # Safety
/// `array` is null or there is room; `channels` is null or whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMalloc3DArray(
    array: *mut Handle,
    channels: *const Channels,
    extent: Extent,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the caller's promise.
    call(|driver| unsafe { make(driver, array, channels, (extent, flags)) })
}

/// `cudaFreeArray`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeArray(array: Handle) -> CudaError {
    call(|driver| match array.is_null() {
        true => Ok(()),
        false => Ok(driver.destroy_array(array as u64)?),
    })
}

/// `cudaGetChannelDesc`.
///
/// # Safety
/// `channels` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetChannelDesc(channels: *mut Channels, array: Handle) -> CudaError {
    call(|driver| {
        let array = driver.array(array as u64)?;
        // SAFETY: the caller's promise.
        unsafe { give(channels, channels_of(&array)) }
    })
}

/// `cudaArrayGetInfo`; each pointer may be null.
///
/// # Safety
/// Each pointer is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaArrayGetInfo(
    channels: *mut Channels,
    extent: *mut Extent,
    flags: *mut c_uint,
    array: Handle,
) -> CudaError {
    call(|driver| {
        let array = driver.array(array as u64)?;
        let shape = array.shape;
        let size = Extent {
            width: shape.width,
            height: shape.height,
            depth: shape.depth,
        };
        // SAFETY: the caller's promise; nothing is written where there is no room.
        unsafe {
            let _ = give(channels, channels_of(&array));
            let _ = give(extent, size);
            let _ = give(flags, shape.flags);
        }
        Ok(())
    })
}

/// A side of a copy within an array: its first byte in a row, and row.
fn within(array: Arc<Array>, x_bytes: usize, y: usize) -> Side {
    Side {
        offset: [x_bytes, y, 0],
        ..Side::line(Spot::Array(array))
    }
}

/// A copy of rows from a pitch on into an array.
///
/// # Safety
/// What is the host's is readable until the copy is done.
unsafe fn rows_to_array(
    (target, x_bytes, y): (Handle, usize, usize),
    (source, pitch): (*const c_void, usize),
    (width_bytes, rows): (usize, usize),
    kind: CopyKind,
    to: (Handle, Wait),
) -> CudaError {
    call(|driver| {
        let target = within(driver.array(target as u64)?, x_bytes, y);
        let (_, source) = spots(kind, 0, source as u64)?;
        let sides = (target, Side::rows(source, pitch));
        // SAFETY: the caller's promise.
        unsafe { queue(driver, sides, [width_bytes, rows, 1], to) }
    })
}

/// `cudaMemcpy2DToArray`.
///
/// # Safety
/// What is the host's is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy2DToArray(
    target: Handle,
    x_bytes: usize,
    y: usize,
    source: *const c_void,
    pitch: usize,
    width_bytes: usize,
    rows: usize,
    kind: CopyKind,
) -> CudaError {
    let (place, from) = ((target, x_bytes, y), (source, pitch));
    let to = (std::ptr::null_mut(), Wait::Yes);
    // SAFETY: the caller's promise.
    unsafe { rows_to_array(place, from, (width_bytes, rows), kind, to) }
}

/// `cudaMemcpy2DToArrayAsync`.
///
/// # Safety
/// What is the host's is readable until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy2DToArrayAsync(
    target: Handle,
    x_bytes: usize,
    y: usize,
    source: *const c_void,
    pitch: usize,
    width_bytes: usize,
    rows: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    let (place, from) = ((target, x_bytes, y), (source, pitch));
    let to = (stream, Wait::No);
    // SAFETY: the caller's promise.
    unsafe { rows_to_array(place, from, (width_bytes, rows), kind, to) }
}

/// `cudaMemcpy2DFromArray`.
///
/// # Safety
/// What is the host's is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy2DFromArray(
    target: *mut c_void,
    pitch: usize,
    source: Handle,
    x_bytes: usize,
    y: usize,
    width_bytes: usize,
    rows: usize,
    kind: CopyKind,
) -> CudaError {
    call(|driver| {
        let source = within(driver.array(source as u64)?, x_bytes, y);
        let (target, _) = spots(kind, target as u64, 0)?;
        let sides = (Side::rows(target, pitch), source);
        let to = (std::ptr::null_mut(), Wait::Yes);
        // SAFETY: the caller's promise.
        unsafe { queue(driver, sides, [width_bytes, rows, 1], to) }
    })
}

/// Bytes from a place in an array on, row after row, as boxes: what a copy in one dimension means.
fn boxes(array: &Array, x_bytes: usize, y: usize, bytes: usize) -> Vec<(usize, usize, usize)> {
    let row = array.row_bytes().max(1);
    let (mut boxes, mut at, mut left) = (Vec::new(), y * row + x_bytes, bytes);
    while left > 0 {
        let part = left.min(row - at % row);
        boxes.push((at % row, at / row, part));
        at += part;
        left -= part;
    }
    boxes
}

/// `cudaMemcpyToArray`.
///
/// # Safety
/// What is the host's is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyToArray(
    target: Handle,
    x_bytes: usize,
    y: usize,
    source: *const c_void,
    bytes: usize,
    kind: CopyKind,
) -> CudaError {
    call(|driver| {
        let array = driver.array(target as u64)?;
        let mut at = source as u64;
        for (x, row, part) in boxes(&array, x_bytes, y, bytes) {
            let (_, source) = spots(kind, 0, at)?;
            let sides = (within(array.clone(), x, row), Side::line(source));
            // SAFETY: the caller's promise.
            unsafe {
                queue(
                    driver,
                    sides,
                    [part, 1, 1],
                    (std::ptr::null_mut(), Wait::Yes),
                )
            }?;
            at += part as u64;
        }
        Ok(())
    })
}

/// `cudaMemcpyFromArray`.
///
/// # Safety
/// What is the host's is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyFromArray(
    target: *mut c_void,
    source: Handle,
    x_bytes: usize,
    y: usize,
    bytes: usize,
    kind: CopyKind,
) -> CudaError {
    call(|driver| {
        let array = driver.array(source as u64)?;
        let mut at = target as u64;
        for (x, row, part) in boxes(&array, x_bytes, y, bytes) {
            let (target, _) = spots(kind, at, 0)?;
            let sides = (Side::line(target), within(array.clone(), x, row));
            // SAFETY: the caller's promise.
            unsafe {
                queue(
                    driver,
                    sides,
                    [part, 1, 1],
                    (std::ptr::null_mut(), Wait::Yes),
                )
            }?;
            at += part as u64;
        }
        Ok(())
    })
}
