//! Analyses of a body that passes share: each is made when a pass first asks for it, and kept until what it is of changes.

use crate::ir::Body;
use crate::ir::graph::Graph;
use std::rc::Rc;

/// What is known of a body. Whoever changes how control goes in it says so, before anything is asked again.
#[derive(Debug, Default)]
pub(super) struct Analyses {
    graph: Option<Rc<Graph>>,
}

impl Analyses {
    /// The control-flow graph, with its dominators once somebody asks for them.
    pub(super) fn graph(&mut self, body: &Body) -> Rc<Graph> {
        if let Some(graph) = &self.graph {
            debug_assert!(
                graph.is_of(body),
                "a pass changed the graph and did not say so"
            );
            return graph.clone();
        }
        let graph = Rc::new(Graph::new(body));
        self.graph = Some(graph.clone());
        graph
    }

    /// Blocks have changed, or how control goes from one to another.
    pub(super) fn graph_changed(&mut self) {
        self.graph = None;
    }
}
