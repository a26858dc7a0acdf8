//! Questions about memory: what a pointer is, how much is left; memory of the program that is registered; hints on managed memory and pools. Allocations are in `memory`.

use crate::call::{Result, call, device, give};
use crate::errors::CudaError;
use crate::stream;
use crate::types::{Handle, Location, PointerAttributes};
use cornerturn_cuda::{Allocation, Driver, Kind};
use std::ffi::{c_int, c_uint, c_void};

/// Numbers of `cudaMemoryType`.
const UNREGISTERED: c_int = 0;
const HOST: c_int = 1;
const DEVICE: c_int = 2;
const MANAGED: c_int = 3;

/// `cudaPointerGetAttributes`.
///
/// # Safety
/// `attributes` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaPointerGetAttributes(
    attributes: *mut PointerAttributes,
    pointer: *const c_void,
) -> CudaError {
    call(|driver| {
        let of = attributes_of(driver.allocation(pointer as u64), pointer as usize);
        // SAFETY: the caller's promise.
        unsafe { give(attributes, of) }
    })
}

fn attributes_of(found: Option<(Allocation, usize)>, pointer: usize) -> PointerAttributes {
    let mut attributes = PointerAttributes {
        kind: UNREGISTERED,
        device: -2,
        device_pointer: std::ptr::null_mut(),
        host_pointer: pointer as *mut c_void,
        reserved: [0; 8],
    };
    let Some((allocation, offset)) = found else {
        return attributes;
    };
    let (kind, of_host) = match allocation.kind {
        Kind::Managed => (MANAGED, true),
        Kind::Pinned | Kind::Registered => (HOST, true),
        Kind::Device | Kind::Array | Kind::Variable => (DEVICE, false),
    };
    attributes.kind = kind;
    attributes.device = allocation.device.cast_signed();
    attributes.device_pointer = (allocation.base as usize + offset) as *mut c_void;
    attributes.host_pointer = match of_host {
        true => (allocation.host + offset) as *mut c_void,
        false => std::ptr::null_mut(),
    };
    attributes
}

/// `cudaMemGetInfo`: of this machine's memory.
///
/// # Safety
/// Each pointer is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> CudaError {
    call(|driver| {
        let (free_bytes, total_bytes) = driver.memory_bytes();
        // SAFETY: the caller's promise.
        unsafe {
            give(free, free_bytes as usize)?;
            give(total, total_bytes as usize)
        }
    })
}

/// `cudaHostRegister`.
///
/// # Safety
/// So many bytes are readable and writable there until they are unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostRegister(
    pointer: *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the caller's promise.
    call(|driver| Ok(unsafe { driver.register(pointer as usize, bytes, flags) }.map(drop)?))
}

/// `cudaHostUnregister`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaHostUnregister(pointer: *mut c_void) -> CudaError {
    call(|driver| {
        driver.synchronize()?;
        Ok(driver.unregister(pointer as usize)?)
    })
}

/// The allocation of a pointer of the host's to pinned or registered memory, and the offset there.
fn pinned(driver: &Driver, pointer: *mut c_void) -> Result<(Allocation, usize)> {
    let found = driver.allocation(pointer as u64);
    let found = found.filter(|(one, _)| matches!(one.kind, Kind::Pinned | Kind::Registered));
    found.ok_or_else(|| CudaError::INVALID_VALUE.into())
}

/// `cudaHostGetDevicePointer`.
///
/// # Safety
/// `device` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostGetDevicePointer(
    device: *mut *mut c_void,
    host: *mut c_void,
    _flags: c_uint,
) -> CudaError {
    call(|driver| {
        let (allocation, offset) = pinned(driver, host)?;
        let address = allocation.base as usize + offset;
        // SAFETY: the caller's promise.
        unsafe { give(device, address as *mut c_void) }
    })
}

/// `cudaHostGetFlags`.
///
/// # Safety
/// `flags` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostGetFlags(flags: *mut c_uint, pointer: *mut c_void) -> CudaError {
    call(|driver| {
        let (allocation, _) = pinned(driver, pointer)?;
        // SAFETY: the caller's promise.
        unsafe { give(flags, allocation.flags) }
    })
}

/// Hints on managed memory are for such memory only.
fn check_managed(driver: &Driver, pointer: *const c_void, bytes: usize) -> Result<()> {
    let last = (pointer as u64).checked_add((bytes as u64).saturating_sub(1));
    let found = driver.allocation(pointer as u64).zip(last);
    let fits = found.is_some_and(|((allocation, _), last)| {
        let is_managed = matches!(allocation.kind, Kind::Managed | Kind::Variable);
        is_managed && last - allocation.base < allocation.bytes as u64
    });
    match fits && bytes > 0 {
        true => Ok(()),
        false => Err(CudaError::INVALID_VALUE.into()),
    }
}

/// `cudaMemPrefetchAsync`: nothing has to move here.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(
    pointer: *const c_void,
    bytes: usize,
    _location: Location,
    _flags: c_uint,
    stream: Handle,
) -> CudaError {
    call(|driver| {
        stream::check(driver, stream)?;
        check_managed(driver, pointer, bytes)
    })
}

/// `cudaMemAdvise`: a hint.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(
    pointer: *const c_void,
    bytes: usize,
    _advice: c_int,
    _location: Location,
) -> CudaError {
    call(|driver| check_managed(driver, pointer, bytes))
}

/// `cudaStreamAttachMemAsync`: a hint.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAttachMemAsync(
    stream: Handle,
    _pointer: *mut c_void,
    _bytes: usize,
    _flags: c_uint,
) -> CudaError {
    call(|driver| stream::check(driver, stream))
}

/// The one pool of each device, by a number that is no address.
const POOL: usize = 0x0c0d_0001;

/// `cudaDeviceGetDefaultMemPool`.
///
/// # Safety
/// `pool` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetDefaultMemPool(pool: *mut Handle, of: c_int) -> CudaError {
    call(|driver| {
        let of = u32::try_from(of).ok().filter(|of| *of < driver.devices());
        let of = of.ok_or(CudaError::INVALID_DEVICE)?;
        // SAFETY: the caller's promise.
        unsafe { give(pool, (POOL + of as usize) as Handle) }
    })
}

/// `cudaDeviceGetMemPool`.
///
/// # Safety
/// `pool` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetMemPool(pool: *mut Handle, of: c_int) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaDeviceGetDefaultMemPool(pool, of) }
}

/// `cudaMemPoolTrimTo`: a pool keeps nothing.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolTrimTo(pool: Handle, _bytes: usize) -> CudaError {
    call(|_| check_pool(pool))
}

/// `cudaMemPoolSetAttribute`: how much a pool keeps, which is nothing here.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAttribute(
    pool: Handle,
    _attribute: c_int,
    _value: *mut c_void,
) -> CudaError {
    call(|_| check_pool(pool))
}

fn check_pool(pool: Handle) -> Result<()> {
    match (pool as usize).checked_sub(POOL) {
        Some(of) if of <= device() as usize + 16 => Ok(()),
        _ => Err(CudaError::INVALID_VALUE.into()),
    }
}
