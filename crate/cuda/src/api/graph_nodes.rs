//! Nodes of graphs: kernels, copies, fills, host functions, graphs, events, and what they do.

use std::ffi::c_uint;
use std::sync::Arc;

use super::copy::cube;
use super::launch::launch;
use super::structs::{HostNode, KernelNode, KernelNode1, Memcpy3d, MemsetNode};
use super::{Handle, In, Out, driver, exports};
use crate::copy::Fill;
use crate::graph::{GraphExec, Node, NodeId};
use crate::status::{Result, Status};
use crate::work::{HostCall, Work};

exports! {
    /// Adds a kernel.
    fn cuGraphAddKernelNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, params: In<KernelNode1>) {
        add(node, graph, (after, count), kernel(&params.get()?.into())?)
    }

    /// Adds a kernel, of a module or a library.
    fn cuGraphAddKernelNode_v2(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, params: In<KernelNode>) {
        add(node, graph, (after, count), kernel(&params.get()?)?)
    }

    /// Adds a copy.
    fn cuGraphAddMemcpyNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, params: In<Memcpy3d>, _context: Handle) {
        add(node, graph, (after, count), Work::Copy(cube(&params.get()?)?))
    }

    /// Adds a fill.
    fn cuGraphAddMemsetNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, params: In<MemsetNode>, _context: Handle) {
        add(node, graph, (after, count), fill(&params.get()?)?)
    }

    /// Adds a function of the host.
    fn cuGraphAddHostNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, params: In<HostNode>) {
        add(node, graph, (after, count), host(&params.get()?)?)
    }

    /// Adds a graph, as it is now.
    fn cuGraphAddChildGraphNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, child: Handle) {
        let driver = driver()?;
        let child = driver.instantiate(&*driver.graph(child)?, 0)?;
        add(node, graph, (after, count), Work::Graph(child))
    }

    /// Adds a node that does nothing.
    fn cuGraphAddEmptyNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize) {
        add(node, graph, (after, count), Work::Empty)
    }

    /// Adds the record of an event.
    fn cuGraphAddEventRecordNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, event: Handle) {
        driver()?.event(event)?;
        add(node, graph, (after, count), Work::Record(event))
    }

    /// Adds a wait for an event.
    fn cuGraphAddEventWaitNode(node: Out<NodeId>, graph: Handle, after: In<NodeId>, count: usize, event: Handle) {
        driver()?.event(event)?;
        add(node, graph, (after, count), Work::Wait(event))
    }

    /// What kind of node it is.
    fn cuGraphNodeGetType(node: NodeId, kind: Out<c_uint>) {
        let graph = driver()?.graph_of(node)?;
        let found = graph.change(node, |node| match node.work {
            Work::Kernel(_) => 0,
            Work::Copy(_) => 1,
            Work::Fill(_) => 2,
            Work::Host(_) => 3,
            Work::Graph(_) => 4,
            Work::Empty => 5,
            Work::Wait(_) => 6,
            Work::Record(_) => 7,
        });
        kind.set(found.ok_or(Status::INVALID_VALUE)?)
    }

    /// Lets a kernel node do something else.
    fn cuGraphKernelNodeSetParams(node: NodeId, params: In<KernelNode1>) {
        set(node, kernel(&params.get()?.into())?)
    }

    /// The same.
    fn cuGraphKernelNodeSetParams_v2(node: NodeId, params: In<KernelNode>) {
        set(node, kernel(&params.get()?)?)
    }

    /// The same of a copy.
    fn cuGraphMemcpyNodeSetParams(node: NodeId, params: In<Memcpy3d>) {
        set(node, Work::Copy(cube(&params.get()?)?))
    }

    /// The same of a fill.
    fn cuGraphMemsetNodeSetParams(node: NodeId, params: In<MemsetNode>) {
        set(node, fill(&params.get()?)?)
    }

    /// The same of a function of the host.
    fn cuGraphHostNodeSetParams(node: NodeId, params: In<HostNode>) {
        set(node, host(&params.get()?)?)
    }

    /// Lets a kernel of an instantiated graph do something else.
    fn cuGraphExecKernelNodeSetParams(exec: Handle, node: NodeId, params: In<KernelNode1>) {
        set_exec(exec, node, kernel(&params.get()?.into())?)
    }

    /// The same.
    fn cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: NodeId, params: In<KernelNode>) {
        set_exec(exec, node, kernel(&params.get()?)?)
    }

    /// The same of a copy.
    fn cuGraphExecMemcpyNodeSetParams(exec: Handle, node: NodeId, params: In<Memcpy3d>, _context: Handle) {
        set_exec(exec, node, Work::Copy(cube(&params.get()?)?))
    }

    /// The same of a fill.
    fn cuGraphExecMemsetNodeSetParams(exec: Handle, node: NodeId, params: In<MemsetNode>, _context: Handle) {
        set_exec(exec, node, fill(&params.get()?)?)
    }

    /// The same of a function of the host.
    fn cuGraphExecHostNodeSetParams(exec: Handle, node: NodeId, params: In<HostNode>) {
        set_exec(exec, node, host(&params.get()?)?)
    }

    /// Whether a node of an instantiated graph is carried out.
    fn cuGraphNodeSetEnabled(exec: Handle, node: NodeId, is_enabled: c_uint) {
        change(&*driver()?.graph_exec(exec)?, node, |node| node.is_enabled = is_enabled != 0)
    }

    /// The same, asked for.
    fn cuGraphNodeGetEnabled(exec: Handle, node: NodeId, is_enabled: Out<c_uint>) {
        let exec = driver()?.graph_exec(exec)?;
        let found = exec.change(node, |node| c_uint::from(node.is_enabled));
        is_enabled.set(found.ok_or(Status::INVALID_VALUE)?)
    }
}

fn add(
    node: Out<NodeId>,
    graph: Handle,
    (after, count): (In<NodeId>, usize),
    work: Work,
) -> Result<()> {
    node.check()?;
    let graph = driver()?.graph(graph)?;
    node.set(graph.add(work, after.list(count)?)?)
}

fn set(node: NodeId, work: Work) -> Result<()> {
    let graph = driver()?.graph_of(node)?;
    let same = |node: &mut Node| replace(node, work);
    graph.change(node, same).ok_or(Status::INVALID_VALUE)?
}

fn set_exec(exec: Handle, node: NodeId, work: Work) -> Result<()> {
    let exec = driver()?.graph_exec(exec)?;
    let same = |node: &mut Node| replace(node, work);
    exec.change(node, same).ok_or(Status::INVALID_VALUE)?
}

fn change(exec: &GraphExec, node: NodeId, change: impl FnOnce(&mut Node)) -> Result<()> {
    exec.change(node, change)
        .ok_or_else(|| Status::INVALID_VALUE.into())
}

/// A node stays of its kind.
fn replace(node: &mut Node, work: Work) -> Result<()> {
    if std::mem::discriminant(&node.work) != std::mem::discriminant(&work) {
        return Err(Status::INVALID_VALUE.into());
    }
    node.work = work;
    Ok(())
}

fn kernel(node: &KernelNode) -> Result<Work> {
    let function = if node.function == 0 {
        node.kernel
    } else {
        node.function
    };
    let shape = (node.grid, node.block, node.shared_bytes);
    Ok(Work::Kernel(launch(
        function,
        shape,
        (node.params, node.extra),
    )?))
}

fn fill(node: &MemsetNode) -> Result<Work> {
    let element = node.element_bytes as usize;
    if !matches!(element, 1 | 2 | 4) {
        return Err(Status::INVALID_VALUE.into());
    }
    Ok(Work::Fill(Fill {
        address: node.to,
        pitch_bytes: node.pitch,
        pattern: node.value.to_le_bytes()[..element].to_vec(),
        width_bytes: node
            .width
            .checked_mul(element)
            .ok_or(Status::INVALID_VALUE)?,
        rows: node.height,
    }))
}

fn host(node: &HostNode) -> Result<Work> {
    let (function, data) = (node.function.ok_or(Status::INVALID_VALUE)?, node.data);
    Ok(Work::Host(HostCall(Arc::new(move || function(data)))))
}
