//! Follows what atomics and strong loads return to what runs because of it. What that means for races is in `check::model`.
//!
//! A thread that got the last of a number of tickets has observed the others' atomics. That it had to is sure only where
//! the program asks for the ticket: who does not ask was the last by chance. So what an instruction is guarded by is followed
//! back, through registers and through memory of the block and of the thread, and errs on the side of being guarded.

use std::collections::HashSet;

use crate::decode::dominators::NOWHERE;
use crate::decode::flow::{End, Graph};
use crate::decode::ir::{Body, Carries, Op, Reg, Value};
use crate::decode::joins::post_dominators;
use crate::program::access::Strength;
use crate::report::Space;

/// Blocks looked at, and rounds through a function, beyond which everything counts as guided.
const MOST_WORK: usize = 1 << 22;
const MOST_ROUNDS: usize = 64;

/// Notes of a function which of its accesses observe, and which are guided by what has been observed.
pub(super) fn note_observed(graph: &Graph, body: &mut Body) {
    let observers = observers(graph, body);
    if observers.is_empty() {
        return;
    }
    for place in &observers {
        body.observation.add_observer(*place);
    }
    // What comes back from a call, or is handed to one, is not followed.
    let loops = graph.back_edges().len();
    if !body.calls.is_empty() || loops * graph.blocks.len() > MOST_WORK {
        body.observation.is_unknown = true;
        return;
    }
    let mut trail = Trail::new(graph, body, observers);
    let mut rounds = 0;
    while std::mem::take(&mut trail.has_changed) && rounds < MOST_ROUNDS {
        trail.round();
        rounds += 1;
    }
    let is_unknown = trail.has_changed || trail.work > MOST_WORK;
    let Trail {
        registers, guided, ..
    } = trail;
    body.observation.is_unknown |= is_unknown;
    for (block, is_guided) in graph.blocks.iter().zip(guided) {
        for op in block.ops.iter().filter(|op| op.is_memory) {
            if is_guided || op.guard.is_some_and(|(reg, _)| registers[reg.0 as usize]) {
                body.observation.add_guided(op.place);
            }
        }
    }
}

/// The places of what observes others' stores and gives the program something that it uses. PTX ISA section "Observation
/// Order"; that a reduction gives nothing to go by, section "Reductions Do Not Form Acquire Patterns".
fn observers(graph: &Graph, body: &Body) -> HashSet<u32> {
    let is_strong = |op: &&Op| {
        op.is_memory && {
            let shape = &body.accesses[op.aux as usize];
            shape.atomic.is_some() || shape.strength != Strength::Weak
        }
    };
    let ops = || graph.blocks.iter().flat_map(|block| &block.ops);
    let strong: Vec<&Op> = ops().filter(is_strong).collect();
    if strong.is_empty() {
        return HashSet::new();
    }
    let mut used = vec![false; body.regs.len()];
    let ends = graph.blocks.iter().filter_map(|block| block.end.uses());
    for reg in ops().flat_map(Op::uses).chain(ends) {
        used[reg.0 as usize] = true;
    }
    let observes = |op: &&&Op| op.results().any(|reg| used[reg.0 as usize]);
    strong.iter().filter(observes).map(|op| op.place).collect()
}

/// What depends on what has been observed, as far as it has been found.
struct Trail<'b> {
    graph: &'b Graph,
    body: &'b Body,
    observers: HashSet<u32>,
    post_dominators: Vec<usize>,
    /// Of each loop whether each block is inside.
    loops: Vec<Vec<bool>>,
    registers: Vec<bool>,
    /// The block's memory, and the thread's.
    memory: bool,
    guided: Vec<bool>,
    /// Blocks whose end has been followed.
    followed: Vec<bool>,
    has_changed: bool,
    work: usize,
}

impl<'b> Trail<'b> {
    fn new(graph: &'b Graph, body: &'b Body, observers: HashSet<u32>) -> Self {
        let targets: Vec<Vec<usize>> =
            (graph.blocks.iter().map(|block| block.end.targets())).collect();
        Self {
            graph,
            body,
            observers,
            loops: loops(graph, &targets),
            post_dominators: post_dominators(&targets),
            registers: vec![false; body.regs.len()],
            memory: false,
            guided: vec![false; targets.len()],
            followed: vec![false; targets.len()],
            has_changed: true,
            work: 0,
        }
    }

    fn is_marked(&self, value: Value) -> bool {
        matches!(value, Value::Reg(reg) if self.registers[reg.0 as usize])
    }

    fn round(&mut self) {
        let graph = self.graph;
        for (number, block) in graph.blocks.iter().enumerate() {
            for op in &block.ops {
                self.follow(op, self.guided[number]);
            }
            let decides = block
                .end
                .uses()
                .is_some_and(|reg| self.registers[reg.0 as usize]);
            if decides && !std::mem::replace(&mut self.followed[number], true) {
                self.guide(number);
            }
        }
    }

    fn follow(&mut self, op: &Op, is_guided: bool) {
        let guard = op
            .guard
            .is_some_and(|(reg, _)| self.registers[reg.0 as usize]);
        let is_guided = is_guided || guard;
        let mut marks = is_guided || op.s.iter().any(|value| self.is_marked(*value));
        if op.is_memory {
            let shape = &self.body.accesses[op.aux as usize];
            let is_private = !matches!(shape.space, Some(Space::Global | Space::Const));
            let is_load = op.carries == Carries::Load && shape.atomic.is_none();
            // Where it goes says nothing of what it is.
            let gives = is_guided || op.s[1..].iter().any(|value| self.is_marked(*value));
            if is_private && !is_load && gives && !self.memory {
                (self.memory, self.has_changed) = (true, true);
            }
            marks |= is_private && self.memory;
            marks |= self.observers.contains(&op.place);
        }
        if marks {
            op.results().for_each(|reg| self.mark(reg));
        }
    }

    fn mark(&mut self, reg: Reg) {
        let before = std::mem::replace(&mut self.registers[reg.0 as usize], true);
        self.has_changed |= !before;
    }

    /// The end of a block depends on what has been observed, and so does whether the blocks run that lie before the place
    /// where its ways join; and what lies behind a loop that it leaves has been waited for.
    fn guide(&mut self, branch: usize) {
        let join = self.post_dominators[branch];
        let targets = self.graph.blocks[branch].end.targets();
        targets
            .iter()
            .for_each(|target| self.reach(branch, *target, join));
        for number in 0..self.loops.len() {
            let inside = &self.loops[number];
            if !inside[branch] {
                continue;
            }
            let out: Vec<usize> = targets
                .iter()
                .copied()
                .filter(|target| !inside[*target])
                .collect();
            out.into_iter()
                .for_each(|target| self.reach(branch, target, NOWHERE));
        }
    }

    /// Blocks that can be reached from an edge before `stop`, and without going round a loop.
    fn reach(&mut self, from: usize, to: usize, stop: usize) {
        let mut seen = vec![false; self.guided.len()];
        let mut open = vec![(from, to)];
        while let Some((from, block)) = open.pop() {
            if block == stop || block <= from || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            self.work += 1;
            if self.work > MOST_WORK {
                return;
            }
            self.has_changed |= !std::mem::replace(&mut self.guided[block], true);
            let end: &End = &self.graph.blocks[block].end;
            open.extend(end.targets().into_iter().map(|target| (block, target)));
        }
    }
}

/// The natural loops: of each whether each block is inside.
fn loops(graph: &Graph, targets: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let mut sources = vec![Vec::new(); targets.len()];
    for (block, targets) in targets.iter().enumerate() {
        targets
            .iter()
            .for_each(|target| sources[*target].push(block));
    }
    let edges = graph.back_edges().into_iter();
    let natural = edges.filter(|(from, to)| graph.dominates(*to, *from));
    natural
        .map(|(from, header)| {
            let mut inside = vec![false; targets.len()];
            inside[header] = true;
            let mut open = vec![from];
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut inside[block], true) {
                    open.extend(&sources[block]);
                }
            }
            inside
        })
        .collect()
}
