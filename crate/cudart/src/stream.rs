//! Streams: made, waited for, captured, and how work is queued on them. Events are in `event`, graphs in `graph`.

use crate::call::{Result, call, device, give, listed};
use crate::errors::CudaError;
use crate::types::Handle;
use cornerturn_cuda::{Driver, Stream, Work};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;

/// Whether a call waits for what it queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    Yes,
    No,
}

/// A stream as the driver has it.
pub(crate) fn handle(stream: Handle) -> u64 {
    stream as u64
}

/// Refuses a handle that is no stream, and any call after a kernel that has failed.
pub(crate) fn check(driver: &Driver, stream: Handle) -> Result<()> {
    driver.context()?;
    Ok(driver.stream(handle(stream)).map(drop)?)
}

/// Queues work on a stream.
pub(crate) fn queue(driver: &Driver, stream: Handle, work: Work, wait: Wait) -> Result<()> {
    match wait {
        Wait::Yes => driver.submit_and_wait(handle(stream), work)?,
        Wait::No => driver.submit(handle(stream), work)?,
    }
    Ok(())
}

/// The stream that a handle names; none for the legacy default stream.
fn named(driver: &Driver, stream: Handle) -> Result<Option<Arc<Stream>>> {
    Ok(driver.stream(handle(stream))?)
}

/// `cudaStreamCreate`.
///
/// # Safety
/// `stream` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreate(stream: *mut Handle) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaStreamCreateWithPriority(stream, 0, 0) }
}

/// `cudaStreamCreateWithFlags`.
///
/// # Safety
/// `stream` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreateWithFlags(
    stream: *mut Handle,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaStreamCreateWithPriority(stream, flags, 0) }
}

/// `cudaStreamCreateWithPriority`.
///
/// # Safety
/// `stream` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreateWithPriority(
    stream: *mut Handle,
    flags: c_uint,
    priority: c_int,
) -> CudaError {
    call(|driver| {
        if stream.is_null() {
            return Err(CudaError::INVALID_VALUE.into());
        }
        let made = driver.make_stream(flags, priority)?;
        // SAFETY: the caller's promise.
        unsafe { give(stream, made.handle as Handle) }
    })
}

/// `cudaStreamDestroy`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamDestroy(stream: Handle) -> CudaError {
    call(|driver| {
        driver.context()?;
        Ok(driver.destroy_stream(handle(stream))?)
    })
}

/// `cudaStreamSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize(stream: Handle) -> CudaError {
    call(|driver| Ok(driver.synchronize_stream(handle(stream))?))
}

/// `cudaStreamQuery`: what is queued is done, so that this is a wait.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery(stream: Handle) -> CudaError {
    cudaStreamSynchronize(stream)
}

/// `cudaStreamWaitEvent`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) -> CudaError {
    call(|driver| Ok(driver.wait_event(handle(stream), event as u64)?))
}

/// `cudaStreamGetFlags`.
///
/// # Safety
/// `flags` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetFlags(stream: Handle, flags: *mut c_uint) -> CudaError {
    call(|driver| {
        let stream = named(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { give(flags, stream.map_or(0, |stream| stream.flags)) }
    })
}

/// `cudaStreamGetPriority`.
///
/// # Safety
/// `priority` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetPriority(stream: Handle, priority: *mut c_int) -> CudaError {
    call(|driver| {
        let stream = named(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { give(priority, stream.map_or(0, |stream| stream.priority)) }
    })
}

/// `cudaStreamGetId`.
///
/// # Safety
/// `id` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetId(stream: Handle, id: *mut c_ulonglong) -> CudaError {
    call(|driver| {
        let stream = named(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { give(id, stream.map_or(0, |stream| stream.number)) }
    })
}

/// `cudaStreamGetDevice`.
///
/// # Safety
/// `of` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetDevice(stream: Handle, of: *mut c_int) -> CudaError {
    call(|driver| {
        named(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { give(of, device().cast_signed()) }
    })
}

/// `cudaStreamAddCallback`'s function: the stream, the error so far, the program's data.
type Callback = unsafe extern "C" fn(Handle, CudaError, *mut c_void);

/// `cudaStreamAddCallback`.
///
/// # Safety
/// `callback` may be called with `data` when the stream comes to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamAddCallback(
    stream: Handle,
    callback: Option<Callback>,
    data: *mut c_void,
    flags: c_uint,
) -> CudaError {
    call(|driver| {
        let callback = callback
            .filter(|_| flags == 0)
            .ok_or(CudaError::INVALID_VALUE)?;
        let (own, data) = (stream as usize, data as usize);
        // SAFETY: the caller's promise.
        let called =
            move || unsafe { callback(own as Handle, CudaError::SUCCESS, data as *mut c_void) };
        let work = Work::Host(cornerturn_cuda::HostCall(Arc::new(called)));
        queue(driver, stream, work, Wait::No)
    })
}

/// `cudaStreamBeginCapture`: the modes differ only in what other threads may do meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCapture(stream: Handle, _mode: c_int) -> CudaError {
    call(|driver| Ok(driver.begin_capture(handle(stream), None)?))
}

/// `cudaStreamBeginCaptureToGraph`.
///
/// # Safety
/// `after` points to so many nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamBeginCaptureToGraph(
    stream: Handle,
    graph: Handle,
    after: *const Handle,
    _edges: *const c_void,
    count: usize,
    _mode: c_int,
) -> CudaError {
    call(|driver| {
        let graph = driver.graph(graph as u64)?;
        // SAFETY: the caller's promise.
        let after = unsafe { listed(after, count) }?;
        let after = after.into_iter().map(|node| node as u64).collect();
        Ok(driver.begin_capture(handle(stream), Some((graph, after)))?)
    })
}

/// `cudaStreamEndCapture`.
///
/// # Safety
/// `graph` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamEndCapture(stream: Handle, graph: *mut Handle) -> CudaError {
    call(|driver| {
        let made = driver.end_capture(handle(stream))?;
        // SAFETY: the caller's promise.
        unsafe { give(graph, made.handle as Handle) }
    })
}

/// `cudaStreamIsCapturing`.
///
/// # Safety
/// `status` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamIsCapturing(stream: Handle, status: *mut c_int) -> CudaError {
    call(|driver| {
        let is_captured = driver.capture_of(handle(stream)).is_some();
        // SAFETY: the caller's promise.
        unsafe { give(status, c_int::from(is_captured)) }
    })
}

/// `cudaThreadExchangeStreamCaptureMode`: kept by nobody, as the modes change nothing here.
#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadExchangeStreamCaptureMode(_mode: *mut c_int) -> CudaError {
    CudaError::SUCCESS
}

/// `cudaStreamSetAttribute`: windows of L2, priorities and domains, all of which are hints.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSetAttribute(
    stream: Handle,
    _attribute: c_int,
    _value: *const c_void,
) -> CudaError {
    call(|driver| check(driver, stream))
}

/// `cudaStreamCopyAttributes`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCopyAttributes(to: Handle, from: Handle) -> CudaError {
    call(|driver| {
        check(driver, to)?;
        check(driver, from)
    })
}
