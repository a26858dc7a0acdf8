//! Variables of device and constant memory: copies to and from them, their addresses and sizes. Copies between pointers are in `copies`.

use crate::call::{Failure, Result, call, give};
use crate::copies::{queue_line, spots};
use crate::errors::CudaError;
use crate::registered;
use crate::stream::Wait;
use crate::types::{CopyKind, Handle};
use cornerturn_cuda::Driver;
use std::ffi::c_void;

/// The variable's bytes that a copy to or from it is about.
fn part_of(driver: &Driver, symbol: *const c_void, offset: usize, bytes: usize) -> Result<u64> {
    let symbol = registered::variable(driver, symbol)?;
    let end = offset.checked_add(bytes).map(|end| end as u64);
    if end.is_none_or(|end| end > symbol.bytes) {
        let message = format!(
            "{bytes} bytes from byte {offset} on are more than the variable `{}` has: {}",
            symbol.name, symbol.bytes
        );
        return Err(Failure::new(CudaError::INVALID_VALUE, message));
    }
    Ok(symbol.address + offset as u64)
}

/// # Safety
/// As [`queue`].
unsafe fn to_symbol(
    symbol: *const c_void,
    source: *const c_void,
    (bytes, offset): (usize, usize),
    kind: CopyKind,
    to: (Handle, Wait),
) -> CudaError {
    call(|driver| {
        let address = part_of(driver, symbol, offset, bytes)?;
        let (target, source) = spots(kind, address, source as u64)?;
        // SAFETY: the caller's promise.
        unsafe { queue_line(driver, (target, source), bytes, to) }
    })
}

/// `cudaMemcpyToSymbol`.
///
/// # Safety
/// What is the host's is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyToSymbol(
    symbol: *const c_void,
    source: *const c_void,
    bytes: usize,
    offset: usize,
    kind: CopyKind,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        to_symbol(
            symbol,
            source,
            (bytes, offset),
            kind,
            (std::ptr::null_mut(), Wait::Yes),
        )
    }
}

/// `cudaMemcpyToSymbolAsync`.
///
/// # Safety
/// What is the host's is readable until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyToSymbolAsync(
    symbol: *const c_void,
    source: *const c_void,
    bytes: usize,
    offset: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { to_symbol(symbol, source, (bytes, offset), kind, (stream, Wait::No)) }
}

/// # Safety
/// As [`queue`].
unsafe fn from_symbol(
    target: *mut c_void,
    symbol: *const c_void,
    (bytes, offset): (usize, usize),
    kind: CopyKind,
    to: (Handle, Wait),
) -> CudaError {
    call(|driver| {
        let address = part_of(driver, symbol, offset, bytes)?;
        let (target, source) = spots(kind, target as u64, address)?;
        // SAFETY: the caller's promise.
        unsafe { queue_line(driver, (target, source), bytes, to) }
    })
}

/// `cudaMemcpyFromSymbol`.
///
/// # Safety
/// What is the host's is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyFromSymbol(
    target: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: CopyKind,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        from_symbol(
            target,
            symbol,
            (bytes, offset),
            kind,
            (std::ptr::null_mut(), Wait::Yes),
        )
    }
}

/// `cudaMemcpyFromSymbolAsync`.
///
/// # Safety
/// What is the host's is writable until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyFromSymbolAsync(
    target: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { from_symbol(target, symbol, (bytes, offset), kind, (stream, Wait::No)) }
}

/// `cudaGetSymbolAddress`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetSymbolAddress(
    pointer: *mut *mut c_void,
    symbol: *const c_void,
) -> CudaError {
    call(|driver| {
        let symbol = registered::variable(driver, symbol)?;
        // SAFETY: the caller's promise.
        unsafe { give(pointer, symbol.address as *mut c_void) }
    })
}

/// `cudaGetSymbolSize`.
///
/// # Safety
/// `bytes` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) -> CudaError {
    call(|driver| {
        let symbol = registered::variable(driver, symbol)?;
        // SAFETY: the caller's promise.
        unsafe { give(bytes, symbol.bytes as usize) }
    })
}
