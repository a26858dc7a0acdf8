//! Graphs: operations with an order of their own, made by capture or node by node, and their launches.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use cornerturn_emulator::streams::{GraphNode, StreamId};

use crate::context::Context;
use crate::driver::Driver;
use crate::record::Trod;
use crate::status::{Error, Result, Status};
use crate::stream::held;
use crate::table::new_handle;
use crate::work::Work;

/// The handle of a node.
pub type NodeId = u64;

/// An operation of a graph.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its handle.
    pub id: NodeId,
    /// What it does.
    pub work: Work,
    /// Nodes that it comes right after.
    pub after: Vec<NodeId>,
    /// Whether a launch carries it out.
    pub is_enabled: bool,
}

/// A graph.
#[derive(Debug)]
pub struct Graph {
    /// Its handle.
    pub handle: u64,
    nodes: Mutex<Vec<Node>>,
}

/// A graph that is ready to be launched.
#[derive(Debug)]
pub struct GraphExec {
    /// Its handle.
    pub handle: u64,
    /// The flags that it was made with.
    pub flags: u64,
    /// Each behind those that it comes after.
    nodes: Mutex<Vec<Node>>,
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self {
            handle: new_handle(),
            nodes: Mutex::default(),
        }
    }

    /// Adds a node.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] if one of those before it is none of the graph's.
    pub fn add(&self, work: Work, after: Vec<NodeId>) -> Result<NodeId> {
        let mut nodes = held(&self.nodes);
        if after
            .iter()
            .any(|id| !nodes.iter().any(|node| node.id == *id))
        {
            return Err(Error::new(
                Status::INVALID_VALUE,
                "a node is to follow one of another graph",
            ));
        }
        let id = new_handle();
        nodes.push(Node {
            id,
            work,
            after,
            is_enabled: true,
        });
        Ok(id)
    }

    /// Its nodes, in the order in which they were added.
    pub fn nodes(&self) -> Vec<Node> {
        held(&self.nodes).clone()
    }

    /// Whether a node is one of its.
    pub fn has(&self, id: NodeId) -> bool {
        held(&self.nodes).iter().any(|node| node.id == id)
    }

    /// Changes a node; none if it has no such one.
    pub fn change<T>(&self, id: NodeId, change: impl FnOnce(&mut Node) -> T) -> Option<T> {
        let mut nodes = held(&self.nodes);
        nodes.iter_mut().find(|node| node.id == id).map(change)
    }

    /// Takes a node away.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] if it is none of the graph's.
    pub fn remove(&self, id: NodeId) -> Result<()> {
        let mut nodes = held(&self.nodes);
        let at = nodes.iter().position(|node| node.id == id);
        nodes.remove(at.ok_or(Status::INVALID_VALUE)?);
        for node in nodes.iter_mut() {
            node.after.retain(|before| *before != id);
        }
        Ok(())
    }

    /// These nodes and all that come before them.
    pub fn all_before(&self, ends: &[NodeId]) -> HashSet<NodeId> {
        let nodes = held(&self.nodes);
        let (mut found, mut next) = (HashSet::new(), ends.to_vec());
        while let Some(id) = next.pop() {
            if found.insert(id) {
                let node = nodes.iter().find(|node| node.id == id);
                next.extend(node.into_iter().flat_map(|node| &node.after));
            }
        }
        found
    }

    /// A copy, with handles of its own.
    pub fn copy(&self) -> Self {
        let mut nodes = self.nodes();
        let old: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
        let new: Vec<NodeId> = old.iter().map(|_| new_handle()).collect();
        let renamed = |id: &NodeId| {
            let at = old.iter().position(|other| other == id);
            at.map_or(*id, |at| new[at])
        };
        for node in &mut nodes {
            node.id = renamed(&node.id);
            node.after = node.after.iter().map(renamed).collect();
        }
        Self {
            handle: new_handle(),
            nodes: Mutex::new(nodes),
        }
    }

    /// The nodes, each behind those that it comes after.
    fn sorted(&self) -> Result<Vec<Node>> {
        let mut left = self.nodes();
        let (mut sorted, mut done) = (Vec::new(), HashSet::new());
        while !left.is_empty() {
            let is_ready = |node: &Node| node.after.iter().all(|id| done.contains(id));
            let Some(at) = left.iter().position(is_ready) else {
                return Err(Error::new(
                    Status::INVALID_VALUE,
                    "the graph's nodes wait for each other",
                ));
            };
            let node = left.remove(at);
            done.insert(node.id);
            sorted.push(node);
        }
        Ok(sorted)
    }
}

impl GraphExec {
    /// Changes a node; none if it has no such one.
    pub fn change<T>(&self, id: NodeId, change: impl FnOnce(&mut Node) -> T) -> Option<T> {
        let mut nodes = held(&self.nodes);
        nodes.iter_mut().find(|node| node.id == id).map(change)
    }
}

impl Driver {
    /// Makes a graph without nodes.
    pub fn make_graph(&self) -> Arc<Graph> {
        let graph = Arc::new(Graph::new());
        self.graphs.put(graph.handle, graph.clone());
        graph
    }

    /// The graph of a handle.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`].
    pub fn graph(&self, handle: u64) -> Result<Arc<Graph>> {
        self.graphs
            .get(handle)
            .ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// The graph that a node is one of.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`].
    pub fn graph_of(&self, node: NodeId) -> Result<Arc<Graph>> {
        let mut all = self.graphs.all().into_iter();
        let found = all.find(|(_, graph)| graph.has(node));
        found
            .map(|(_, graph)| graph)
            .ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// Makes a graph ready to be launched, as it is now.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] if its nodes wait for each other, and for flags that there are not.
    pub fn instantiate(&self, graph: &Graph, flags: u64) -> Result<Arc<GraphExec>> {
        // Memory is freed at a launch of the host, not of a device.
        if flags > 15 || flags & 5 == 5 {
            return Err(Status::INVALID_VALUE.into());
        }
        let exec = Arc::new(GraphExec {
            handle: new_handle(),
            flags,
            nodes: Mutex::new(graph.sorted()?),
        });
        self.graph_execs.put(exec.handle, exec.clone());
        Ok(exec)
    }

    /// Gives an instantiated graph what the nodes of another graph of the same form do.
    ///
    /// # Errors
    /// [`Status::GRAPH_EXEC_UPDATE_FAILURE`] if it has another form.
    pub fn update_graph(&self, exec: &GraphExec, graph: &Graph) -> Result<()> {
        let (new, mut old) = (graph.sorted()?, held(&exec.nodes));
        let same = |(a, b): (&Node, &Node)| {
            std::mem::discriminant(&a.work) == std::mem::discriminant(&b.work)
                && a.after.len() == b.after.len()
        };
        if new.len() != old.len() || !new.iter().zip(old.iter()).all(same) {
            return Err(Status::GRAPH_EXEC_UPDATE_FAILURE.into());
        }
        for (old, new) in old.iter_mut().zip(new) {
            old.work = new.work;
        }
        Ok(())
    }

    /// The instantiated graph of a handle.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`].
    pub fn graph_exec(&self, handle: u64) -> Result<Arc<GraphExec>> {
        let exec = self.graph_execs.get(handle);
        exec.ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// Carries all its nodes out on a stream; what they take, in nanoseconds, along the longest path.
    pub(crate) fn perform_graph(
        &self,
        context: &Arc<Context>,
        id: StreamId,
        exec: &GraphExec,
        wants_touched: bool,
    ) -> Result<u64> {
        let nodes = held(&exec.nodes).clone();
        let (mut placed, mut handles) = (Vec::new(), Vec::<NodeId>::new());
        let mut ends: Vec<u64> = Vec::new();
        for node in &nodes {
            let mut after: Vec<usize> = (node.after.iter())
                .filter_map(|id| handles.iter().position(|handle| handle == id))
                .collect();
            handles.push(node.id);
            let begin = after.iter().map(|at| ends[*at]).max().unwrap_or_default();
            let mut trod = Trod::default();
            match &node.work {
                _ if !node.is_enabled => {}
                // Its nodes are in the order of this one, and are compared with no others of the graph.
                Work::Graph(inner) => trod.ns = self.perform_graph(context, id, inner, false)?,
                Work::Record(event) => {
                    if let Some(event) = self.events.get(*event) {
                        event.stamp(self.clock.host.ns() + begin);
                    }
                }
                work => trod = self.carry_out(context, work, wants_touched)?,
            }
            ends.push(begin + trod.ns);
            let early = trod.early.zip(after.last().copied());
            after.dedup();
            placed.push(GraphNode {
                deed: node.work.deed(),
                touched: trod.touched,
                after,
                early,
            });
        }
        if wants_touched {
            let all = self.order().queue_all(id, placed);
            all.iter().for_each(|one| self.note_races(&one.races));
        }
        Ok(ends.into_iter().max().unwrap_or_default())
    }
}
