//! Nodes of graphs, added one by one. How graphs are made, instantiated and launched is in `graph`.

use crate::call::{Failure, Result, call, give, listed, taken};
use crate::errors::CudaError;
use crate::launch::collected;
use crate::types::{Copy3d, Handle, HostNode, KernelNode, MemsetNode};
use crate::{copies, registered};
use cornerturn_cuda::{Copy, Driver, Fill, HostCall, KernelLaunch, NodeId, Work};
use std::ffi::c_void;
use std::sync::Arc;

/// Nodes as the driver has them.
fn nodes(handles: Vec<Handle>) -> Vec<NodeId> {
    handles.into_iter().map(|node| node as NodeId).collect()
}

/// Adds a node to a graph.
///
/// # Safety
/// `node` is null or there is room; `after` points to so many nodes.
unsafe fn add(
    (node, graph): (*mut Handle, Handle),
    (after, count): (*const Handle, usize),
    work: impl FnOnce(&'static Driver) -> Result<Work>,
) -> CudaError {
    call(|driver| {
        let graph = driver.graph(graph as u64)?;
        // SAFETY: the caller's promise.
        let after = unsafe { listed(after, count) }?;
        let made = graph.add(work(driver)?, nodes(after))?;
        // SAFETY: the caller's promise.
        unsafe { give(node, made as Handle) }
    })
}

/// What a kernel's node does.
///
/// # Safety
/// `asked` is null or whole, with a pointer to each argument.
unsafe fn kernel(driver: &'static Driver, asked: *const KernelNode) -> Result<Work> {
    // SAFETY: the caller's promise.
    let asked = unsafe { taken(asked) }?;
    if !asked.extra.is_null() {
        let message =
            "arguments of a node are given one by one (kernelParams), not in one buffer (extra)";
        return Err(Failure::new(CudaError::NOT_SUPPORTED, message));
    }
    let function = registered::kernel(driver, asked.function)?;
    function.check_supported()?;
    // SAFETY: the caller's promise.
    let arguments = unsafe { collected(&function, asked.arguments.cast()) }?;
    Ok(Work::Kernel(KernelLaunch {
        function,
        grid: asked.grid.sizes(),
        block: asked.block.sizes(),
        shared_bytes: asked.dynamic_shared_bytes,
        arguments,
        cluster: None,
        is_cooperative: false,
        is_programmatic: false,
    }))
}

/// What a fill's node does.
fn fill(asked: &MemsetNode) -> Result<Work> {
    let bytes = asked.element_bytes as usize;
    let whole = asked.value.to_le_bytes();
    let pattern = match bytes {
        1 | 2 | 4 => whole[..bytes].to_vec(),
        _ => return Err(CudaError::INVALID_VALUE.into()),
    };
    let width_bytes = asked
        .width
        .checked_mul(bytes)
        .ok_or(CudaError::INVALID_VALUE)?;
    Ok(Work::Fill(Fill {
        address: asked.pointer as u64,
        pitch_bytes: if asked.height > 1 {
            asked.pitch
        } else {
            width_bytes
        },
        pattern,
        width_bytes,
        rows: asked.height,
    }))
}

/// What a copy's node does.
///
/// # Safety
/// What is the host's is readable, or writable, whenever the graph is launched.
unsafe fn copy(driver: &Driver, asked: &Copy3d) -> Result<Work> {
    let ((target, source), extent) = copies::parts(driver, asked)?;
    // SAFETY: the caller's promise.
    Ok(Work::Copy(unsafe { Copy::new(target, source, extent) }))
}

/// `cudaGraphAddKernelNode`.
///
/// # Safety
/// The pointers are what the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddKernelNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    asked: *const KernelNode,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        add((node, graph), (after, count), |driver| {
            kernel(driver, asked)
        })
    }
}

/// `cudaGraphAddMemsetNode`.
///
/// # Safety
/// The pointers are what the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemsetNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    asked: *const MemsetNode,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { add((node, graph), (after, count), |_| fill(&taken(asked)?)) }
}

/// `cudaGraphAddMemcpyNode`.
///
/// # Safety
/// The pointers are what the interface says; what is the host's stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemcpyNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    asked: *const Copy3d,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        add((node, graph), (after, count), |driver| {
            copy(driver, &taken(asked)?)
        })
    }
}

/// `cudaGraphAddMemcpyNode1D`.
///
/// # Safety
/// The pointers are what the interface says; what is the host's stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemcpyNode1D(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    target: *mut c_void,
    source: *const c_void,
    bytes: usize,
    kind: crate::types::CopyKind,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        add((node, graph), (after, count), |_| {
            let (target, source) = copies::spots(kind, target as u64, source as u64)?;
            let sides = (
                cornerturn_cuda::Side::line(target),
                cornerturn_cuda::Side::line(source),
            );
            Ok(Work::Copy(Copy::new(sides.0, sides.1, [bytes, 1, 1])))
        })
    }
}

/// `cudaGraphAddHostNode`.
///
/// # Safety
/// The pointers are what the interface says; the function may be called whenever the graph is launched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddHostNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    asked: *const HostNode,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        add((node, graph), (after, count), |_| {
            let asked = taken(asked)?;
            let function = asked.function.ok_or(CudaError::INVALID_VALUE)?;
            let data = asked.data as usize;
            let called = move || function(data as *mut c_void);
            Ok(Work::Host(HostCall(Arc::new(called))))
        })
    }
}

/// `cudaGraphAddEmptyNode`.
///
/// # Safety
/// The pointers are what the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddEmptyNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe { add((node, graph), (after, count), |_| Ok(Work::Empty)) }
}

/// `cudaGraphAddChildGraphNode`.
///
/// # Safety
/// The pointers are what the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddChildGraphNode(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    child: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        add((node, graph), (after, count), |driver| {
            let child = driver.graph(child as u64)?;
            Ok(Work::Graph(driver.instantiate(&child, 0)?))
        })
    }
}

/// `cudaGraphAddDependencies`.
///
/// # Safety
/// Both lists have so many nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddDependencies(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    _edges: *const c_void,
    count: usize,
) -> CudaError {
    call(|driver| {
        let graph = driver.graph(graph as u64)?;
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (listed(from, count)?, listed(to, count)?) };
        for (from, to) in nodes(from).into_iter().zip(nodes(to)) {
            if !graph.has(from) {
                return Err(CudaError::INVALID_VALUE.into());
            }
            let changed = graph.change(to, |node| node.after.push(from));
            changed.ok_or(CudaError::INVALID_VALUE)?;
        }
        Ok(())
    })
}

/// `cudaGraphGetNodes`.
///
/// # Safety
/// `nodes` is null or has room for as many as `count` says, which is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphGetNodes(
    graph: Handle,
    nodes: *mut Handle,
    count: *mut usize,
) -> CudaError {
    call(|driver| {
        let all = driver.graph(graph as u64)?.nodes();
        if !nodes.is_null() {
            // SAFETY: the caller's promise.
            let room = unsafe { taken(count) }?;
            for (at, node) in all.iter().take(room).enumerate() {
                // SAFETY: there is room for so many.
                unsafe { give(nodes.wrapping_add(at), node.id as Handle) }?;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { give(count, all.len()) }
    })
}

/// `cudaGraphExecKernelNodeSetParams`.
///
/// # Safety
/// `asked` is null or whole, with a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphExecKernelNodeSetParams(
    exec: Handle,
    node: Handle,
    asked: *const KernelNode,
) -> CudaError {
    call(|driver| {
        let exec = driver.graph_exec(exec as u64)?;
        // SAFETY: the caller's promise.
        let work = unsafe { kernel(driver, asked) }?;
        let changed = exec.change(node as NodeId, |node| node.work = work);
        changed.ok_or_else(|| CudaError::INVALID_VALUE.into())
    })
}
