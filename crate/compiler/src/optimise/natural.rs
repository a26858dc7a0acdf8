//! Finds the natural loops of a kernel that have one way in. What is done with them stands elsewhere.

use super::copies::inst_of;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors};
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

    /// Where a block of the loop leads on in it and where out of it, and the condition, which each iteration asks anew.
    pub(super) fn way_out(&self, body: &Body, block: Block) -> Option<(Value, Block, Block)> {
        let Term::Branch(condition, yes, no) = body.block(block).term else {
            return None;
        };
        let inside = |block: Block| self.blocks.contains(&block);
        let (next, exit) = match (inside(yes), inside(no)) {
            (true, false) => (yes, no),
            (false, true) => (no, yes),
            _ => return None,
        };
        let is_own = |value: &Value| {
            let of = inst_of(body, *value);
            let mut insts = self
                .blocks
                .iter()
                .flat_map(|block| &body.block(*block).insts);
            insts.any(|inst| Some(*inst) == of)
        };
        let test = body.def(condition)?;
        let is_new = is_own(&condition) && test.args.iter().any(is_own);
        is_new.then_some((condition, next, exit))
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
