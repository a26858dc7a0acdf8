//! Iterated dominance frontiers (Cytron and others, 1991): where different values of one object can meet, which are the
//! blocks that ways lead to from blocks that set it and from others.

use crate::ir::Block;
use crate::ir::graph::Graph;

pub(super) struct Frontiers {
    /// By block: where ways that come through it meet others for the first time.
    of: Vec<Vec<Block>>,
}

impl Frontiers {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut of: Vec<Vec<Block>> = vec![Vec::new(); graph.place.len()];
        for block in &graph.order {
            let before = &graph.before[block.0 as usize];
            if before.len() < 2 {
                continue;
            }
            let above = graph.dominator(*block);
            for from in before {
                let mut at = Some(*from);
                while let Some(from) = at.filter(|_| at != above) {
                    let all = &mut of[from.0 as usize];
                    if all.last() == Some(block) {
                        break; // and so have all above it
                    }
                    all.push(*block);
                    at = graph.dominator(from);
                }
            }
        }
        Self { of }
    }

    /// The blocks, in order, where values meet that are set in these.
    pub(super) fn meetings(&self, set: &[Block]) -> Vec<Block> {
        let mut found: Vec<Block> = Vec::new();
        let mut is_found = vec![false; self.of.len()];
        let mut open = set.to_vec();
        while let Some(block) = open.pop() {
            for next in &self.of[block.0 as usize] {
                if !std::mem::replace(&mut is_found[next.0 as usize], true) {
                    found.push(*next);
                    open.push(*next);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
