//! Graphs: made, instantiated, launched, asked for their nodes. What nodes do is `graph_nodes`.

use std::ffi::c_uint;

use super::{Handle, In, Out, driver, exports};
use crate::graph::{Graph, Node, NodeId};
use crate::status::{Result, Status};
use crate::work::Work;

exports! {
    /// Makes a graph.
    fn cuGraphCreate(graph: Out<Handle>, _flags: c_uint) {
        graph.check()?;
        graph.set(driver()?.make_graph().handle)
    }

    /// Destroys it.
    fn cuGraphDestroy(graph: Handle) {
        driver()?.graphs.remove(graph).map(drop).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// Makes a copy.
    fn cuGraphClone(clone: Out<Handle>, graph: Handle) {
        let driver = driver()?;
        let copy = std::sync::Arc::new(driver.graph(graph)?.copy());
        driver.graphs.put(copy.handle, copy.clone());
        clone.set(copy.handle)
    }

    /// Makes it ready to be launched.
    fn cuGraphInstantiateWithFlags(exec: Out<Handle>, graph: Handle, flags: u64) {
        instantiate(exec, graph, flags)
    }

    /// The same with a log, which is empty.
    fn cuGraphInstantiate_v2(exec: Out<Handle>, graph: Handle, node: Out<NodeId>, log: Out<u8>, bytes: usize) {
        node.set_if_asked(0);
        if bytes > 0 {
            log.set_if_asked(0);
        }
        instantiate(exec, graph, 0)
    }

    /// The same with a structure of parameters: flags, a stream, and places for what failed.
    fn cuGraphInstantiateWithParams(exec: Out<Handle>, graph: Handle, params: In<u64>) {
        instantiate(exec, graph, params.get()?)
    }

    /// Destroys a graph that was ready.
    fn cuGraphExecDestroy(exec: Handle) {
        driver()?.graph_execs.remove(exec).map(drop).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// The flags that it was made with.
    fn cuGraphExecGetFlags(exec: Handle, flags: Out<u64>) {
        flags.set(driver()?.graph_exec(exec)?.flags)
    }

    /// Nothing has to be uploaded.
    fn cuGraphUpload(exec: Handle, stream: Handle) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.graph_exec(exec).map(drop)
    }

    /// Launches it.
    fn cuGraphLaunch(exec: Handle, stream: Handle) {
        let driver = driver()?;
        driver.submit(stream, Work::Graph(driver.graph_exec(exec)?))
    }

    /// Gives it what another graph of the same form does.
    fn cuGraphExecUpdate(exec: Handle, graph: Handle, node: Out<NodeId>, result: Out<c_uint>) {
        node.set_if_asked(0);
        let updated = update(exec, graph);
        result.set_if_asked(c_uint::from(updated.is_err()));
        updated
    }

    /// The same with a structure for what failed: a code, and two nodes.
    fn cuGraphExecUpdate_v2(exec: Handle, graph: Handle, result: Out<[u64; 3]>) {
        let updated = update(exec, graph);
        result.set_if_asked([u64::from(updated.is_err()), 0, 0]);
        updated
    }

    /// Its nodes.
    fn cuGraphGetNodes(graph: Handle, nodes: Out<NodeId>, count: Out<usize>) {
        list(driver()?.graph(graph)?.nodes(), nodes, count)
    }

    /// Those that come after none.
    fn cuGraphGetRootNodes(graph: Handle, nodes: Out<NodeId>, count: Out<usize>) {
        let mut all = driver()?.graph(graph)?.nodes();
        all.retain(|node| node.after.is_empty());
        list(all, nodes, count)
    }

    /// Which comes before which.
    fn cuGraphGetEdges(graph: Handle, from: Out<NodeId>, to: Out<NodeId>, count: Out<usize>) {
        edges(&*driver()?.graph(graph)?, from, to, count)
    }

    /// The same; edges have no data.
    fn cuGraphGetEdges_v2(graph: Handle, from: Out<NodeId>, to: Out<NodeId>, _data: Out<u64>, count: Out<usize>) {
        edges(&*driver()?.graph(graph)?, from, to, count)
    }

    /// What a node comes after.
    fn cuGraphNodeGetDependencies(node: NodeId, nodes: Out<NodeId>, count: Out<usize>) {
        before(node, nodes, count)
    }

    /// The same; edges have no data.
    fn cuGraphNodeGetDependencies_v2(node: NodeId, nodes: Out<NodeId>, _data: Out<u64>, count: Out<usize>) {
        before(node, nodes, count)
    }

    /// What comes after a node.
    fn cuGraphNodeGetDependentNodes(node: NodeId, nodes: Out<NodeId>, count: Out<usize>) {
        let mut all = driver()?.graph_of(node)?.nodes();
        all.retain(|other| other.after.contains(&node));
        list(all, nodes, count)
    }

    /// Adds edges.
    fn cuGraphAddDependencies(graph: Handle, from: In<NodeId>, to: In<NodeId>, count: usize) {
        change_edges(graph, (from.list(count)?, to.list(count)?), true)
    }

    /// The same; edges have no data.
    fn cuGraphAddDependencies_v2(graph: Handle, from: In<NodeId>, to: In<NodeId>, _data: In<u64>, count: usize) {
        change_edges(graph, (from.list(count)?, to.list(count)?), true)
    }

    /// Takes edges away.
    fn cuGraphRemoveDependencies(graph: Handle, from: In<NodeId>, to: In<NodeId>, count: usize) {
        change_edges(graph, (from.list(count)?, to.list(count)?), false)
    }

    /// Takes a node away.
    fn cuGraphDestroyNode(node: NodeId) {
        driver()?.graph_of(node)?.remove(node)
    }

    /// The node of a copy that stands for one of the original.
    fn cuGraphNodeFindInClone(found: Out<NodeId>, original: NodeId, clone: Handle) {
        let driver = driver()?;
        let nodes = driver.graph_of(original)?.nodes();
        let at = nodes.iter().position(|node| node.id == original);
        let copies = driver.graph(clone)?.nodes();
        let copy = at.and_then(|at| copies.get(at)).ok_or(Status::INVALID_VALUE)?;
        found.set(copy.id)
    }

    /// What it keeps is not counted.
    fn cuGraphRetainUserObject(graph: Handle, _object: Handle, _count: c_uint, _flags: c_uint) {
        driver()?.graph(graph).map(drop)
    }

    /// The same.
    fn cuGraphReleaseUserObject(graph: Handle, _object: Handle, _count: c_uint) {
        driver()?.graph(graph).map(drop)
    }
}

fn instantiate(exec: Out<Handle>, graph: Handle, flags: u64) -> Result<()> {
    exec.check()?;
    let driver = driver()?;
    exec.set(driver.instantiate(&*driver.graph(graph)?, flags)?.handle)
}

fn update(exec: Handle, graph: Handle) -> Result<()> {
    let driver = driver()?;
    driver.update_graph(&*driver.graph_exec(exec)?, &*driver.graph(graph)?)
}

/// Gives nodes, as many as there is room for, or only how many there are.
fn list(nodes: Vec<Node>, out: Out<NodeId>, count: Out<usize>) -> Result<()> {
    let room = room(&count)?;
    if !out.is_null() {
        out.set_all(nodes.iter().take(room).map(|node| node.id))?;
    }
    count.set(nodes.len())
}

fn room(count: &Out<usize>) -> Result<usize> {
    In(count.0.cast_const()).get()
}

fn before(node: NodeId, nodes: Out<NodeId>, count: Out<usize>) -> Result<()> {
    let graph = driver()?.graph_of(node)?;
    let after = graph
        .change(node, |node| node.after.clone())
        .unwrap_or_default();
    let mut all = graph.nodes();
    all.retain(|other| after.contains(&other.id));
    list(all, nodes, count)
}

fn edges(graph: &Graph, from: Out<NodeId>, to: Out<NodeId>, count: Out<usize>) -> Result<()> {
    let nodes = graph.nodes();
    let pairs = nodes
        .iter()
        .flat_map(|node| node.after.iter().map(|before| (*before, node.id)));
    let pairs: Vec<(NodeId, NodeId)> = pairs.collect();
    let room = room(&count)?;
    if !from.is_null() && !to.is_null() {
        from.set_all(pairs.iter().take(room).map(|(from, _)| *from))?;
        to.set_all(pairs.iter().take(room).map(|(_, to)| *to))?;
    }
    count.set(pairs.len())
}

fn change_edges(graph: Handle, (from, to): (Vec<NodeId>, Vec<NodeId>), adds: bool) -> Result<()> {
    let graph = driver()?.graph(graph)?;
    for (from, to) in from.into_iter().zip(to) {
        if !graph.has(from) {
            return Err(Status::INVALID_VALUE.into());
        }
        let changed = graph.change(to, |node| {
            node.after.retain(|before| *before != from);
            if adds {
                node.after.push(from);
            }
        });
        changed.ok_or(Status::INVALID_VALUE)?;
    }
    Ok(())
}
