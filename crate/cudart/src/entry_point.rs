//! Functions of the driver API, for programs that ask the runtime for them by name, as for `cuTensorMapEncodeTiled`.

use crate::call::{ask, give};
use crate::errors::CudaError;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

unsafe extern "C" {
    /// Of `cornerturn-cuda`, in this library.
    fn cuGetProcAddress_v2(
        symbol: *const c_char,
        function: *mut *mut c_void,
        version: c_int,
        flags: c_ulonglong,
        status: *mut c_int,
    ) -> c_int;
}

/// CUDA 13.0.
const VERSION: c_uint = 13_000;

/// `cudaGetDriverEntryPointByVersion`. That there is no such function is told by `status` too, 1.
///
/// # Safety
/// `symbol` is ended by a zero byte; the pointers are null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDriverEntryPointByVersion(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_uint,
    flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    ask(|_| {
        if symbol.is_null() || function.is_null() {
            return Err(CudaError::INVALID_VALUE.into());
        }
        let (mut found, mut how) = (std::ptr::null_mut(), 0);
        // SAFETY: a function of ours, with variables of our own and what the caller promises.
        let error = unsafe {
            let version = version.cast_signed();
            cuGetProcAddress_v2(symbol, &raw mut found, version, flags, &raw mut how)
        };
        // SAFETY: the caller's promise; nothing is written where there is no room.
        unsafe {
            let _ = give(status, how);
            give(function, found)?;
        }
        match error {
            0 => Ok(()),
            error => Err(CudaError(error).into()),
        }
    })
}

/// `cudaGetDriverEntryPoint`.
///
/// # Safety
/// `symbol` is ended by a zero byte; the pointers are null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDriverEntryPoint(
    symbol: *const c_char,
    function: *mut *mut c_void,
    flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaGetDriverEntryPointByVersion(symbol, function, VERSION, flags, status) }
}
