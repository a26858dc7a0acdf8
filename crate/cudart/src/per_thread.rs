//! The calls of a program that is compiled with `-default-stream per-thread`: no stream means the thread's own. Each is the call of its name otherwise.

use crate::copies::cudaMemcpyAsync;
use crate::entry_point::{cudaGetDriverEntryPoint, cudaGetDriverEntryPointByVersion};
use crate::errors::CudaError;
use crate::fills::cudaMemsetAsync;
use crate::types::{CopyKind, Dim3, Handle, HostFunction, LaunchConfig};
use crate::{event, graph, launch, memory, stream};
use cornerturn_cuda::PER_THREAD;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// The stream that is meant.
fn own(stream: Handle) -> Handle {
    match stream.is_null() {
        true => PER_THREAD as Handle,
        false => stream,
    }
}

/// `cudaMemcpy`.
///
/// # Safety
/// What is the host's is readable, or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy_ptds(
    target: *mut c_void,
    source: *const c_void,
    bytes: usize,
    kind: CopyKind,
) -> CudaError {
    // SAFETY: the caller's promise.
    let copied = unsafe { cudaMemcpyAsync(target, source, bytes, kind, own(std::ptr::null_mut())) };
    match copied {
        CudaError::SUCCESS => stream::cudaStreamSynchronize(own(std::ptr::null_mut())),
        error => error,
    }
}

/// `cudaMemset`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset_ptds(pointer: *mut c_void, value: c_int, bytes: usize) -> CudaError {
    cudaMemsetAsync(pointer, value, bytes, own(std::ptr::null_mut()))
}

/// `cudaMemcpyAsync`.
///
/// # Safety
/// What is the host's is readable, or writable, until the copy is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpyAsync_ptsz(
    target: *mut c_void,
    source: *const c_void,
    bytes: usize,
    kind: CopyKind,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaMemcpyAsync(target, source, bytes, kind, own(stream)) }
}

/// `cudaMemsetAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync_ptsz(
    pointer: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: Handle,
) -> CudaError {
    cudaMemsetAsync(pointer, value, bytes, own(stream))
}

/// `cudaStreamSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize_ptsz(stream: Handle) -> CudaError {
    stream::cudaStreamSynchronize(own(stream))
}

/// `cudaStreamQuery`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery_ptsz(stream: Handle) -> CudaError {
    stream::cudaStreamQuery(own(stream))
}

/// `cudaStreamWaitEvent`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent_ptsz(
    stream: Handle,
    event: Handle,
    flags: c_uint,
) -> CudaError {
    stream::cudaStreamWaitEvent(own(stream), event, flags)
}

/// `cudaEventRecord`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord_ptsz(event: Handle, stream: Handle) -> CudaError {
    event::cudaEventRecord(event, own(stream))
}

/// `cudaGraphLaunch`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch_ptsz(exec: Handle, stream: Handle) -> CudaError {
    graph::cudaGraphLaunch(exec, own(stream))
}

/// `cudaMallocAsync`.
///
/// # Safety
/// `pointer` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocAsync_ptsz(
    pointer: *mut *mut c_void,
    bytes: usize,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { memory::cudaMallocAsync(pointer, bytes, own(stream)) }
}

/// `cudaFreeAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync_ptsz(pointer: *mut c_void, stream: Handle) -> CudaError {
    memory::cudaFreeAsync(pointer, own(stream))
}

/// `cudaLaunchHostFunc`.
///
/// # Safety
/// `function` may be called with `data` when the stream comes to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchHostFunc_ptsz(
    stream: Handle,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { launch::cudaLaunchHostFunc(own(stream), function, data) }
}

/// What the code for `<<<…>>>` ends with.
///
/// # Safety
/// `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaLaunchKernel_ptsz(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        launch::__cudaLaunchKernel(function, grid, block, arguments, shared_bytes, own(stream))
    }
}

/// `cudaLaunchKernel`.
///
/// # Safety
/// `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernel_ptsz(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { launch::cudaLaunchKernel(function, grid, block, arguments, shared_bytes, own(stream)) }
}

/// `cudaLaunchKernelExC`.
///
/// # Safety
/// `config` is null or whole, and `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernelExC_ptsz(
    config: *const LaunchConfig,
    function: *const c_void,
    arguments: *const *const c_void,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(config) = config.as_ref() else {
            return launch::cudaLaunchKernelExC(config, function, arguments);
        };
        let config = LaunchConfig {
            stream: own(config.stream),
            ..*config
        };
        launch::cudaLaunchKernelExC(&config, function, arguments)
    }
}

/// `cudaGetDriverEntryPointByVersion`: the driver's functions have the same names.
///
/// # Safety
/// `symbol` is ended by a zero byte; the pointers are null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDriverEntryPointByVersion_ptsz(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_uint,
    flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaGetDriverEntryPointByVersion(symbol, function, version, flags, status) }
}

/// `cudaGetDriverEntryPoint`.
///
/// # Safety
/// `symbol` is ended by a zero byte; the pointers are null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDriverEntryPoint_ptsz(
    symbol: *const c_char,
    function: *mut *mut c_void,
    flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaGetDriverEntryPoint(symbol, function, flags, status) }
}
