//! Where the lanes that part at a branch rejoin. The graph and its blocks are `flow`'s; the stack that follows is `run::strand::stack`'s.
//!
//! Ptxas marks a region in which lanes wait for each other by BSSY and BSYNC, and lanes that leave it for elsewhere by
//! BREAK or EXIT. It does not say how it chooses; what is here agrees with the machine code for sm_90 of the forms in
//! `tests/pass/reconverge.cu`. A branch has up to three places to rejoin at, each inside the one before:
//!
//! 1. its immediate post-dominator, as in every textbook;
//! 2. if lanes do nothing there but exit, the place at which those rejoin that have not returned early;
//! 3. the place at which those rejoin that do not leave for the one before: in the outermost loop around the branch that
//!    the former lies outside of, or, where there is none, among the blocks before the former.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::decode::dominators::{NOWHERE, immediate_dominators};
use crate::decode::flow::{End, Graph};

/// Blocks looked at, for each block of a function and beside, beyond which branches only have their post-dominators.
const MOST_WORK: [usize; 2] = [1 << 9, 1 << 18];
/// Loops around one block beyond which the same holds: only text that no compiler wrote has as many.
const MOST_LOOPS: usize = 64;

/// For each block where its lanes rejoin that part at its end, the outermost place first.
pub(super) fn joins(graph: &Graph) -> Vec<Vec<usize>> {
    let mut search = Search::new(graph);
    let outermost = post_dominators(&search.targets);
    let ends = graph.blocks.iter().map(|block| &block.end);
    ends.zip(outermost)
        .enumerate()
        .map(|(number, (end, first))| match end {
            End::Branch { .. } | End::Switch { .. } if search.loops.depth > MOST_LOOPS => {
                [first].into_iter().filter(|at| *at != NOWHERE).collect()
            }
            End::Branch { .. } | End::Switch { .. } => search.chain(number, first),
            _ => Vec::new(),
        })
        .collect()
}

/// Natural loops.
struct Loops {
    header: Vec<usize>,
    parent: Vec<usize>,
    /// The innermost loop of each block, or [`NOWHERE`].
    innermost: Vec<usize>,
    /// The most loops around one block.
    depth: usize,
}

impl Loops {
    fn new(graph: &Graph, sources: &[Vec<usize>]) -> Self {
        let mut loops = Self {
            header: Vec::new(),
            parent: Vec::new(),
            innermost: vec![NOWHERE; graph.blocks.len()],
            depth: 0,
        };
        let mut latches: HashMap<usize, Vec<usize>> = HashMap::new();
        for (from, to) in graph.back_edges() {
            // Any other is part of a loop with two entries: none that we treat as one.
            if graph.dominates(to, from) {
                latches.entry(to).or_default().push(from);
            }
        }
        // Inner loops first: their headers come later.
        let mut headers: Vec<usize> = latches.keys().copied().collect();
        headers.sort_unstable();
        // Of each loop one around it, the outermost so far after a few steps.
        let mut above: Vec<usize> = Vec::new();
        for header in headers.into_iter().rev() {
            let this = loops.header.len();
            loops.header.push(header);
            loops.parent.push(NOWHERE);
            above.push(this);
            loops.innermost[header] = this;
            let mut open = latches.remove(&header).unwrap_or_default();
            while let Some(block) = open.pop() {
                if loops.innermost[block] == NOWHERE {
                    loops.innermost[block] = this;
                    open.extend(&sources[block]);
                    continue;
                }
                let inner = top(&mut above, loops.innermost[block]);
                if inner != this {
                    (loops.parent[inner], above[inner]) = (this, this);
                    open.extend(&sources[loops.header[inner]]);
                }
            }
        }
        loops.depth = loops.deepest();
        loops
    }

    fn deepest(&self) -> usize {
        let mut depths = vec![1; self.parent.len()];
        // Loops come after those inside them.
        for (at, parent) in self.parent.iter().enumerate().rev() {
            if *parent != NOWHERE {
                depths[at] = depths[*parent] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The outermost loop around a block of those that this holds for.
    fn outermost(&self, block: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let around = |at: &usize| Some(*at).filter(|at| *at != NOWHERE);
        let first = around(&self.innermost[block]);
        let all = std::iter::successors(first, |at| around(&self.parent[*at]));
        all.filter(|at| holds(*at)).last()
    }

    fn contains(&self, outer: usize, block: usize) -> bool {
        self.outermost(block, |at| at == outer).is_some()
    }
}

/// Where ways may lead that are looked at: not into `stops`, nor out of the loop `within`.
#[derive(Default)]
struct Region<'s> {
    stops: &'s [usize],
    within: Option<usize>,
    /// Only what lies outside of this loop is asked for.
    past: Option<usize>,
}

/// The last of a chain of loops, which gets shorter.
fn top(above: &mut [usize], mut at: usize) -> usize {
    while above[at] != at {
        above[at] = above[above[at]];
        at = above[at];
    }
    at
}

struct Search<'g> {
    graph: &'g Graph,
    loops: Loops,
    targets: Vec<Vec<usize>>,
    sources: Vec<Vec<usize>>,
    /// Of each block the number in the part that is being looked at.
    numbers: Vec<usize>,
    work: usize,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Self {
        let targets: Vec<Vec<usize>> = (graph.blocks.iter())
            .map(|block| block.end.targets())
            .collect();
        let mut sources = vec![Vec::new(); targets.len()];
        for (block, targets) in targets.iter().enumerate() {
            targets
                .iter()
                .for_each(|target| sources[*target].push(block));
        }
        Self {
            graph,
            loops: Loops::new(graph, &sources),
            numbers: vec![NOWHERE; targets.len()],
            sources,
            targets,
            work: 0,
        }
    }

    /// The places for the lanes of one branch, `first` its post-dominator.
    fn chain(&mut self, branch: usize, first: usize) -> Vec<usize> {
        let mut chain: Vec<usize> = Some(first)
            .filter(|at| *at != NOWHERE)
            .into_iter()
            .collect();
        let mut main = Some(first).filter(|at| !self.only_exits(*at));
        if main.is_none() {
            let region = Region {
                stops: &chain,
                past: self.loops.outermost(branch, |_| true),
                ..Region::default()
            };
            main = self.meeting(branch, &region);
            chain.extend(main);
        }
        let left = |at: usize| main.is_none_or(|main| !self.loops.contains(at, main));
        let region = Region {
            stops: &chain,
            within: self.loops.outermost(branch, left),
            past: None,
        };
        if main.is_some() || region.within.is_some() {
            let inner = self.meeting(branch, &region);
            chain.extend(inner.filter(|inner| !chain.contains(inner)));
        }
        chain
    }

    /// Whether lanes that come to a block do nothing but end.
    fn only_exits(&self, block: usize) -> bool {
        let block = self.graph.blocks.get(block);
        block.is_none_or(|b| b.ops.is_empty() && matches!(b.end, End::Exit | End::Return))
    }

    /// Where lanes that part at a branch meet without leaving the region.
    fn meeting(&mut self, branch: usize, region: &Region) -> Option<usize> {
        let part = self.part(branch, region)?;
        let mut starts = part.targets[0].clone();
        starts.sort_unstable();
        starts.dedup();
        if starts.len() < 2 {
            return None;
        }
        let outside = |at: usize| {
            (region.past).is_none_or(|past| !self.loops.contains(past, part.blocks[at]))
        };
        let after = post_dominators(&part.targets);
        let mut at = after[0];
        while at != NOWHERE {
            if outside(at) {
                return Some(part.blocks[at]);
            }
            at = after[at];
        }
        if let Some(around) = region.within {
            return Some(self.loops.header[around]);
        }
        // The ways end apart. Some of them may meet before.
        self.work += starts.len() * part.blocks.len();
        let mut reached = vec![0; part.blocks.len()];
        for start in starts {
            part.reach(start, &mut reached);
        }
        let Some(past) = region.past else {
            let meets = (1..reached.len()).filter(|at| reached[*at] > 1);
            return meets.map(|at| part.blocks[at]).min();
        };
        // Of the ways out of a loop most go on behind it; the others return.
        let ways = part.ways_out(&after, |at| self.loops.contains(past, part.blocks[at]));
        self.work += ways.iter().map(|(ways, _)| ways).sum::<usize>();
        let sources = |at: usize| self.sources[part.blocks[at]].len();
        let behind = (1..reached.len()).filter(|at| outside(*at) && ways[*at].0 > 0);
        let best = behind.max_by_key(|at| (ways[*at], sources(*at), Reverse(part.blocks[*at])))?;
        (reached[best] > 1).then_some(part.blocks[best])
    }

    /// The blocks that ways from a branch lead to without leaving the region.
    fn part(&mut self, branch: usize, region: &Region) -> Option<Part> {
        let [each, beside] = MOST_WORK;
        if self.work > each * self.targets.len() + beside {
            return None;
        }
        let mut part = Part {
            blocks: vec![branch],
            targets: Vec::new(),
        };
        self.numbers[branch] = 0;
        let header = region.within.map(|around| self.loops.header[around]);
        while let Some(block) = part.blocks.get(part.targets.len()).copied() {
            let mut targets = Vec::new();
            let open = self.targets[block].iter().copied();
            for target in open.filter(|target| !region.stops.contains(target)) {
                let is_out = |around| !self.loops.contains(around, target);
                if Some(target) == header {
                    targets.push(NOWHERE);
                } else if !region.within.is_some_and(is_out) {
                    if self.numbers[target] == NOWHERE {
                        self.numbers[target] = part.blocks.len();
                        part.blocks.push(target);
                    }
                    targets.push(self.numbers[target]);
                }
            }
            part.targets.push(targets);
        }
        self.work += part.blocks.len() * (1 + self.loops.depth);
        part.blocks
            .iter()
            .for_each(|block| self.numbers[*block] = NOWHERE);
        Some(part)
    }
}

/// Some blocks of the graph, in the order in which they were met, the branch first.
struct Part {
    blocks: Vec<usize>,
    /// Numbers of the part; [`NOWHERE`] is its end.
    targets: Vec<Vec<usize>>,
}

impl Part {
    /// Adds one to all blocks that are reached from `start`.
    fn reach(&self, start: usize, reached: &mut [usize]) {
        let mut seen = vec![false; self.blocks.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop().filter(|at| *at != NOWHERE) {
            if !std::mem::replace(&mut seen[at], true) {
                reached[at] += 1;
                open.extend(&self.targets[at]);
            }
        }
    }

    /// For each block how many of the edges that lead out from inside must come by it, and whether they lead there.
    fn ways_out(&self, after: &[usize], is_inside: impl Fn(usize) -> bool) -> Vec<(usize, bool)> {
        let mut ways = vec![(0, false); self.blocks.len()];
        let mut left = MOST_WORK[1];
        let edges = (self.targets.iter().enumerate())
            .flat_map(|(from, targets)| targets.iter().map(move |to| (from, *to)))
            .filter(|(_, to)| *to != NOWHERE);
        for (_, to) in edges.filter(|(from, to)| is_inside(*from) && !is_inside(*to)) {
            ways[to].1 = true;
            let mut at = to;
            while at != NOWHERE && left > 0 {
                ways[at].0 += 1;
                at = after[at];
                left -= 1;
            }
        }
        ways
    }
}

/// Of each node the first that all ways from it to the end lead through, or [`NOWHERE`]. Ways end at nodes without
/// targets and where a target is [`NOWHERE`].
pub(super) fn post_dominators(targets: &[Vec<usize>]) -> Vec<usize> {
    // Dominators of the graph turned around, from the end: node 0, the others one up.
    let mut turned = vec![Vec::new(); targets.len() + 1];
    for (node, targets) in targets.iter().enumerate() {
        for target in targets {
            turned[target.wrapping_add(1)].push(node + 1);
        }
        if targets.is_empty() {
            turned[0].push(node + 1);
        }
    }
    let dominators = immediate_dominators(turned.len(), &turned);
    (dominators.into_iter().skip(1))
        .map(|at| match at {
            // In an endless loop, or with nothing but the end behind it.
            NOWHERE | 0 => NOWHERE,
            at => at - 1,
        })
        .collect()
}
