//! What dominates what in a graph, in time that hardly grows faster than the graph. What the nodes are is `flow`'s affair.

/// Stands for a missing node.
pub(super) const NOWHERE: usize = usize::MAX;

/// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", the simple version. Of each node that
/// can be reached from node 0 its immediate dominator, of node 0 itself; of others [`NOWHERE`].
pub(super) fn immediate_dominators(count: usize, targets: &[Vec<usize>]) -> Vec<usize> {
    let mut dominators = vec![NOWHERE; count];
    if count == 0 {
        return dominators;
    }
    let tree = Tree::new(count, targets);
    let mut sources = vec![Vec::new(); count];
    for node in &tree.order {
        for target in targets[*node].iter().filter(|target| **target != NOWHERE) {
            sources[*target].push(*node);
        }
    }
    let mut forest = Forest {
        ancestor: vec![NOWHERE; count],
        label: (0..count).collect(),
        semi: tree.number,
    };
    let mut buckets = vec![Vec::new(); count];
    for node in tree.order[1..].iter().rev().copied() {
        for source in &sources[node] {
            let best = forest.eval(*source);
            forest.semi[node] = forest.semi[node].min(forest.semi[best]);
        }
        buckets[tree.order[forest.semi[node]]].push(node);
        let parent = tree.parent[node];
        forest.ancestor[node] = parent;
        for other in std::mem::take(&mut buckets[parent]) {
            let best = forest.eval(other);
            let is_above = forest.semi[best] < forest.semi[other];
            dominators[other] = if is_above { best } else { parent };
        }
    }
    for node in &tree.order[1..] {
        if dominators[*node] != tree.order[forest.semi[*node]] {
            dominators[*node] = dominators[dominators[*node]];
        }
    }
    dominators[0] = 0;
    dominators
}

/// The tree of a depth-first walk from node 0.
struct Tree {
    /// Nodes as they are first met.
    order: Vec<usize>,
    /// Where each is in that order.
    number: Vec<usize>,
    parent: Vec<usize>,
}

impl Tree {
    fn new(count: usize, targets: &[Vec<usize>]) -> Self {
        let mut tree = Self {
            order: vec![0],
            number: vec![NOWHERE; count],
            parent: vec![0; count],
        };
        tree.number[0] = 0;
        let mut stack = vec![(0, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(target) = targets[*node].get(*next).copied() else {
                stack.pop();
                continue;
            };
            *next += 1;
            if target != NOWHERE && tree.number[target] == NOWHERE {
                tree.number[target] = tree.order.len();
                tree.parent[target] = *node;
                tree.order.push(target);
                stack.push((target, 0));
            }
        }
        tree
    }
}

/// The part of the tree whose nodes have been looked at, paths shortened.
struct Forest {
    ancestor: Vec<usize>,
    /// The node with the least `semi` on the way up that has been taken out.
    label: Vec<usize>,
    semi: Vec<usize>,
}

impl Forest {
    /// The node with the least `semi` from `node` up to the root of its tree, the root left out.
    fn eval(&mut self, node: usize) -> usize {
        if self.ancestor[node] == NOWHERE {
            return node;
        }
        let mut path = Vec::new();
        let mut at = node;
        while self.ancestor[self.ancestor[at]] != NOWHERE {
            path.push(at);
            at = self.ancestor[at];
        }
        for at in path.into_iter().rev() {
            let above = self.ancestor[at];
            if self.semi[self.label[above]] < self.semi[self.label[at]] {
                self.label[at] = self.label[above];
            }
            self.ancestor[at] = self.ancestor[above];
        }
        self.label[node]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Which nodes can be reached from node 0 without coming by `without`.
    fn reached(targets: &[Vec<usize>], without: usize) -> Vec<bool> {
        let mut seen = vec![false; targets.len()];
        let mut stack = if without == 0 { vec![] } else { vec![0] };
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                stack.extend(targets[node].iter().filter(|target| **target != without));
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn a_dominator_is_on_every_way(
            targets in (1usize..12).prop_flat_map(|count| {
                proptest::collection::vec(proptest::collection::vec(0..count, 0..4), count)
            })
        ) {
            let count = targets.len();
            let found = immediate_dominators(count, &targets);
            let whole = reached(&targets, NOWHERE);
            for node in 1..count {
                if !whole[node] {
                    prop_assert_eq!(found[node], NOWHERE);
                    continue;
                }
                let dominates = |other: usize| other != node && !reached(&targets, other)[node];
                let all: Vec<usize> = (0..count).filter(|other| whole[*other] && dominates(*other)).collect();
                // The nearest one is dominated by all others.
                let nearest = all.iter().find(|near| {
                    all.iter().all(|other| other == *near || !reached(&targets, *other)[**near])
                });
                prop_assert_eq!(Some(&found[node]), nearest);
            }
        }
    }
}
