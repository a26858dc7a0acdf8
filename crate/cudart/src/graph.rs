//! Graphs: made, instantiated and launched. Their nodes are in `node`; what they do is the driver's.

use crate::call::{call, give};
use crate::errors::CudaError;
use crate::stream;
use crate::types::Handle;
use cornerturn_cuda::Work;
use std::ffi::{c_int, c_uint, c_ulonglong};

/// `cudaGraphCreate`.
///
/// # Safety
/// `graph` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphCreate(graph: *mut Handle, flags: c_uint) -> CudaError {
    call(|driver| {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE.into());
        }
        // SAFETY: the caller's promise.
        unsafe { give(graph, driver.make_graph().handle as Handle) }
    })
}

/// `cudaGraphInstantiate`.
///
/// # Safety
/// `exec` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphInstantiate(
    exec: *mut Handle,
    graph: Handle,
    flags: c_ulonglong,
) -> CudaError {
    call(|driver| {
        let graph = driver.graph(graph as u64)?;
        let made = driver.instantiate(&graph, flags)?;
        // SAFETY: the caller's promise.
        unsafe { give(exec, made.handle as Handle) }
    })
}

/// `cudaGraphInstantiateWithFlags`.
///
/// # Safety
/// `exec` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphInstantiateWithFlags(
    exec: *mut Handle,
    graph: Handle,
    flags: c_ulonglong,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { cudaGraphInstantiate(exec, graph, flags) }
}

/// `cudaGraphLaunch`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch(exec: Handle, stream: Handle) -> CudaError {
    call(|driver| {
        let exec = driver.graph_exec(exec as u64)?;
        Ok(driver.submit(stream as u64, Work::Graph(exec))?)
    })
}

/// `cudaGraphUpload`: nothing has to move.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphUpload(exec: Handle, stream: Handle) -> CudaError {
    call(|driver| {
        driver.graph_exec(exec as u64)?;
        stream::check(driver, stream)
    })
}

/// `cudaGraphExecUpdate`: the result's first word says whether it could be.
///
/// # Safety
/// `result` is null or there is room for its first word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphExecUpdate(
    exec: Handle,
    graph: Handle,
    result: *mut c_int,
) -> CudaError {
    call(|driver| {
        let exec = driver.graph_exec(exec as u64)?;
        let graph = driver.graph(graph as u64)?;
        let updated = driver.update_graph(&exec, &graph);
        if !result.is_null() {
            // cudaGraphExecUpdateErrorTopologyChanged is 2.
            let word = if updated.is_ok() { 0 } else { 2 };
            // SAFETY: the caller's promise.
            unsafe { give(result, word) }?;
        }
        Ok(updated?)
    })
}

/// `cudaGraphDestroy`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroy(graph: Handle) -> CudaError {
    call(|driver| Ok(driver.graph(graph as u64).map(drop)?))
}

/// `cudaGraphExecDestroy`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecDestroy(exec: Handle) -> CudaError {
    call(|driver| Ok(driver.graph_exec(exec as u64).map(drop)?))
}
