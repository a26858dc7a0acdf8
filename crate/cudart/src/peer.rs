//! Access from one device to another's memory. The emulator's devices share one.

use crate::call::{ask, call, give};
use crate::device::numbered;
use crate::errors::CudaError;
use std::ffi::{c_int, c_uint};

/// `cudaDeviceCanAccessPeer`.
///
/// # Safety
/// `can` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceCanAccessPeer(
    can: *mut c_int,
    device: c_int,
    peer: c_int,
) -> CudaError {
    ask(|driver| {
        let (device, peer) = (numbered(driver, device)?, numbered(driver, peer)?);
        // SAFETY: the caller's promise.
        unsafe { give(can, c_int::from(device != peer)) }
    })
}

/// `cudaDeviceGetP2PAttribute`: the emulator's devices share one memory, so that all is supported but performance, which
/// ranks 0.
///
/// # Safety
/// `value` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
    peer: c_int,
) -> CudaError {
    ask(|driver| {
        let (device, peer) = (numbered(driver, device)?, numbered(driver, peer)?);
        let found = match attribute {
            1 => 0,
            2..=4 => 1,
            _ => return Err(CudaError::INVALID_VALUE.into()),
        };
        match device == peer {
            true => Err(CudaError::INVALID_DEVICE.into()),
            // SAFETY: the caller's promise.
            false => unsafe { give(value, found) },
        }
    })
}

/// `cudaDeviceEnablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: c_int, _flags: c_uint) -> CudaError {
    call(|driver| Ok(driver.enable_peer(numbered(driver, peer)?)?))
}

/// `cudaDeviceDisablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: c_int) -> CudaError {
    call(|driver| Ok(driver.disable_peer(numbered(driver, peer)?)?))
}
