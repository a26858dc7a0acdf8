//! Copies of memory in one, two and three dimensions. What a pointer may be in each direction is the driver's; variables are in `symbols`, fills in `fills`.

use crate::call::{Failure, Result, call, taken};
use crate::errors::CudaError;
use crate::stream::{self, Wait};
use crate::types::{Copy3d, CopyKind, Extent, Handle, PitchedPointer, Position};
use cornerturn_cuda::{Copy, Driver, Side, Spot, Work};
use std::ffi::{c_int, c_void};

/// Where both sides of a copy of this kind lie: target, source.
pub(crate) fn spots(kind: CopyKind, target: u64, source: u64) -> Result<(Spot, Spot)> {
    Ok(match kind {
        CopyKind::HOST_TO_HOST => (Spot::Host(target), Spot::Host(source)),
        CopyKind::HOST_TO_DEVICE => (Spot::Device(target), Spot::Host(source)),
        CopyKind::DEVICE_TO_HOST => (Spot::Host(target), Spot::Device(source)),
        CopyKind::DEVICE_TO_DEVICE => (Spot::Device(target), Spot::Device(source)),
        CopyKind::DEFAULT => (Spot::Any(target), Spot::Any(source)),
        other => {
            let message = format!("{} is no direction of a copy", other.0);
            return Err(Failure::new(CudaError::INVALID_DIRECTION, message));
        }
    })
}

/// Queues a copy, and waits for it where the call does.
///
/// # Safety
/// What is the host's is readable, or writable, until the copy is done.
pub(crate) unsafe fn queue(
    driver: &'static Driver,
    (target, source): (Side, Side),
    extent: [usize; 3],
    (stream, wait): (Handle, Wait),
) -> Result<()> {
    // SAFETY: the caller's promise.
    let copy = unsafe { Copy::new(target, source, extent) };
    stream::queue(driver, stream, Work::Copy(copy), wait)
}

/// Queues a copy of bytes that lie one behind the other on either side.
///
/// # Safety
/// As [`queue`].
pub(crate) unsafe fn queue_line(
    driver: &'static Driver,
    (target, source): (Spot, Spot),
    bytes: usize,
    to: (Handle, Wait),
) -> Result<()> {
    let sides = (Side::line(target), Side::line(source));
    // SAFETY: the caller's promise.
    unsafe { queue(driver, sides, [bytes, 1, 1], to) }
}

/// # Safety
/// As [`queue`].
unsafe fn line(
    (target, source): (*mut c_void, *const c_void),
    bytes: usize,
    kind: CopyKind,
    to: (Handle, Wait),
) -> CudaError {
    call(|driver| {
        let (target, source) = spots(kind, target as u64, source as u64)?;
        // SAFETY: the caller's promise.
        unsafe { queue_line(driver, (target, source), bytes, to) }
    })
}

/// `cudaMemcpy`.
///
/// # Safety
/// What is the host's is readable, or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy(
    target: *mut c_void,
    source: *const c_void,
    bytes: usize,
    kind: CopyKind,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        line(
            (target, source),
            bytes,
            kind,
            (std::ptr::null_mut(), Wait::Yes),
        )
    }
}

/// `cudaMemcpyAsync`.
///
/// # Safety
/// What is the host's is readable, or writable, until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyAsync(
    target: *mut c_void,
    source: *const c_void,
    bytes: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { line((target, source), bytes, kind, (stream, Wait::No)) }
}

/// `cudaMemcpyPeer`: devices share their addresses.
///
/// # Safety
/// As [`cudaMemcpy`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyPeer(
    target: *mut c_void,
    _target_device: c_int,
    source: *const c_void,
    _source_device: c_int,
    bytes: usize,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaMemcpy(target, source, bytes, CopyKind::DEVICE_TO_DEVICE) }
}

/// `cudaMemcpyPeerAsync`.
///
/// # Safety
/// As [`cudaMemcpyAsync`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyPeerAsync(
    target: *mut c_void,
    _target_device: c_int,
    source: *const c_void,
    _source_device: c_int,
    bytes: usize,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaMemcpyAsync(target, source, bytes, CopyKind::DEVICE_TO_DEVICE, stream) }
}

/// A rectangle of rows.
struct Rows {
    target: *mut c_void,
    target_pitch: usize,
    source: *const c_void,
    source_pitch: usize,
    width_bytes: usize,
    rows: usize,
}

/// # Safety
/// As [`queue`].
unsafe fn rectangle(rows: &Rows, kind: CopyKind, to: (Handle, Wait)) -> CudaError {
    call(|driver| {
        if rows.width_bytes > rows.target_pitch || rows.width_bytes > rows.source_pitch {
            let message = format!(
                "rows of {} bytes do not fit pitches of {} and {}",
                rows.width_bytes, rows.target_pitch, rows.source_pitch
            );
            return Err(Failure::new(CudaError::INVALID_PITCH, message));
        }
        let (target, source) = spots(kind, rows.target as u64, rows.source as u64)?;
        let sides = (
            Side::rows(target, rows.target_pitch),
            Side::rows(source, rows.source_pitch),
        );
        // SAFETY: the caller's promise.
        unsafe { queue(driver, sides, [rows.width_bytes, rows.rows, 1], to) }
    })
}

/// `cudaMemcpy2D`.
///
/// # Safety
/// What is the host's is readable, or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy2D(
    target: *mut c_void,
    target_pitch: usize,
    source: *const c_void,
    source_pitch: usize,
    width_bytes: usize,
    rows: usize,
    kind: CopyKind,
) -> CudaError {
    let rows = Rows {
        target,
        target_pitch,
        source,
        source_pitch,
        width_bytes,
        rows,
    };
    // SAFETY: the caller's promise.
    unsafe { rectangle(&rows, kind, (std::ptr::null_mut(), Wait::Yes)) }
}

/// `cudaMemcpy2DAsync`.
///
/// # Safety
/// As [`cudaMemcpyAsync`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy2DAsync(
    target: *mut c_void,
    target_pitch: usize,
    source: *const c_void,
    source_pitch: usize,
    width_bytes: usize,
    rows: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    let rows = Rows {
        target,
        target_pitch,
        source,
        source_pitch,
        width_bytes,
        rows,
    };
    // SAFETY: the caller's promise.
    unsafe { rectangle(&rows, kind, (stream, Wait::No)) }
}

/// One side of a copy in three dimensions. Widths are in elements of an array where one takes part: so many bytes each.
fn side(
    driver: &Driver,
    array: Handle,
    (spot, pitched): (Spot, PitchedPointer),
    position: Position,
) -> Result<Side> {
    let spot = match array.is_null() {
        true => spot,
        false => Spot::Array(driver.array(array as u64)?),
    };
    let element = element_bytes(&spot);
    Ok(Side {
        spot,
        pitch_bytes: pitched.pitch,
        slice_rows: pitched.y_rows,
        offset: [position.x * element, position.y, position.z],
    })
}

fn element_bytes(spot: &Spot) -> usize {
    match spot {
        Spot::Array(array) => array.shape.texel_bytes(),
        _ => 1,
    }
}

/// The sides and the extent in bytes of what `cudaMemcpy3DParms` describes.
///
/// # Errors
/// `cudaErrorInvalidValue` for a side that is named twice or not at all.
pub(crate) fn parts(driver: &Driver, asked: &Copy3d) -> Result<((Side, Side), [usize; 3])> {
    let (target, source) = (asked.target.pointer, asked.source.pointer);
    let is_one = |array: Handle, pointer: *mut c_void| array.is_null() != pointer.is_null();
    if !is_one(asked.target_array, target) || !is_one(asked.source_array, source) {
        let message = "each side of the copy is an array or a pointer";
        return Err(Failure::new(CudaError::INVALID_VALUE, message));
    }
    let (target, source) = spots(asked.kind, target as u64, source as u64)?;
    let target = side(
        driver,
        asked.target_array,
        (target, asked.target),
        asked.target_position,
    )?;
    let source = side(
        driver,
        asked.source_array,
        (source, asked.source),
        asked.source_position,
    )?;
    let Extent {
        width,
        height,
        depth,
    } = asked.extent;
    let element = element_bytes(&target.spot).max(element_bytes(&source.spot));
    let width = width.checked_mul(element).ok_or(CudaError::INVALID_VALUE)?;
    Ok(((target, source), [width, height, depth]))
}

/// # Safety
/// `asked` is null or whole, and as [`queue`].
unsafe fn volume(asked: *const Copy3d, to: (Handle, Wait)) -> CudaError {
    call(|driver| {
        // SAFETY: the caller's promise.
        let asked = unsafe { taken(asked) }?;
        let (sides, extent) = parts(driver, &asked)?;
        // SAFETY: the caller's promise.
        unsafe { queue(driver, sides, extent, to) }
    })
}

/// `cudaMemcpy3D`.
///
/// # Safety
/// `asked` is null or whole, and what is the host's is readable, or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy3D(asked: *const Copy3d) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { volume(asked, (std::ptr::null_mut(), Wait::Yes)) }
}

/// `cudaMemcpy3DAsync`.
///
/// # Safety
/// As [`cudaMemcpy3D`], until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy3DAsync(asked: *const Copy3d, stream: Handle) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { volume(asked, (stream, Wait::No)) }
}
