//! Natural loops: finds those of a kernel that have one way in (Aho, Lam, Sethi and Ullman, *Compilers*, 9.6). What is
//! done with them stands elsewhere.

use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, home, successors};
use crate::ir::{Block, Body, Term, Value};

/// A loop: the block that it begins with, and all that belong to it.
pub(super) struct Natural {
    pub(super) header: Block,
    pub(super) blocks: HashSet<Block>,
    pub(super) before: Block,
}

impl Natural {
    /// Whether who goes from a block to another enters the loop.
    pub(super) fn is_entered(&self, from: Block, to: Block) -> bool {
        self.blocks.contains(&to) && !self.blocks.contains(&from)
    }

    /// Where a block of the loop leads on in it and where out of it, if each iteration asks anew which; values by the block
    /// that they are made in.
    pub(super) fn way_out(
        &self,
        body: &Body,
        homes: &[Option<Block>],
        block: Block,
    ) -> Option<(Block, Block)> {
        let Term::Branch(condition, yes, no) = body.block(block).term else {
            return None;
        };
        let inside = |block: Block| self.blocks.contains(&block);
        let ways = match (inside(yes), inside(no)) {
            (true, false) => (yes, no),
            (false, true) => (no, yes),
            _ => return None,
        };
        let is_own = |value: &Value| home(body, homes, *value).is_some_and(inside);
        let is_new = is_own(&condition) && body.def(condition)?.args.iter().any(is_own);
        is_new.then_some(ways)
    }
}

pub(super) fn loops(body: &Body, graph: &Graph) -> Vec<Natural> {
    let mut by_header: HashMap<Block, HashSet<Block>> = HashMap::default();
    for block in &graph.order {
        for next in successors(body.block(*block).term) {
            if graph.dominates(next, *block) {
                let blocks = by_header
                    .entry(next)
                    .or_insert_with(|| std::iter::once(next).collect());
                let mut open = vec![*block];
                while let Some(block) = open.pop() {
                    if blocks.insert(block) {
                        open.extend(&graph.before[block.0 as usize]);
                    }
                }
            }
        }
    }
    let mut loops = Vec::new();
    for (header, blocks) in by_header {
        // The one way in, from a block that leads nowhere else.
        let outside: Vec<Block> = graph.before[header.0 as usize]
            .iter()
            .copied()
            .filter(|from| !blocks.contains(from))
            .collect();
        if let [before] = outside[..]
            && successors(body.block(before).term).count() == 1
        {
            loops.push(Natural {
                header,
                blocks,
                before,
            });
        }
    }
    loops.sort_by_key(|found| found.header.0);
    loops
}
