//! The control-flow graph: basic blocks, what dominates what. Where diverged lanes rejoin is `joins`' affair.

use crate::counters::Arithmetic;
use crate::decode::dominators::{NOWHERE, immediate_dominators};
use crate::decode::ir::{Act, Body, Op, Reg, Value};
use crate::program::kinds::FileKind;

/// A basic block; blocks are kept in reverse post-order, so that a block comes after those that dominate it.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) ops: Vec<Op>,
    pub(super) end: End,
    /// PTX instructions in it.
    pub(super) weight: u32,
    /// What these count in each lane, but for guarded ones.
    pub(super) arithmetic: Arithmetic,
    /// The places of its first and last instruction, which follow each other.
    pub(super) places: Option<(u32, u32)>,
}

/// How a block ends; numbers are blocks.
#[derive(Debug, Clone)]
pub(super) enum End {
    Jump(usize),
    /// To `taken` where the register holds (or not, if `negated`).
    Branch {
        reg: Reg,
        negated: bool,
        taken: usize,
        other: usize,
        place: u32,
    },
    Switch {
        index: Value,
        targets: Vec<usize>,
        place: u32,
    },
    /// Goes on at `next` when the function called returns.
    Call {
        call: u32,
        next: usize,
        place: u32,
    },
    Return,
    Exit,
    Trap {
        kind: u32,
        place: u32,
    },
}

impl End {
    pub(super) fn targets(&self) -> Vec<usize> {
        match self {
            End::Jump(target) | End::Call { next: target, .. } => vec![*target],
            End::Branch { taken, other, .. } => vec![*taken, *other],
            End::Switch { targets, .. } => targets.clone(),
            End::Return | End::Exit | End::Trap { .. } => Vec::new(),
        }
    }

    fn renumber(&mut self, numbers: &[usize]) {
        match self {
            End::Jump(target) | End::Call { next: target, .. } => *target = numbers[*target],
            End::Branch { taken, other, .. } => {
                *taken = numbers[*taken];
                *other = numbers[*other];
            }
            End::Switch { targets, .. } => {
                for target in targets {
                    *target = numbers[*target];
                }
            }
            End::Return | End::Exit | End::Trap { .. } => {}
        }
    }

    /// Registers read.
    pub(super) fn uses(&self) -> Option<Reg> {
        match self {
            End::Branch { reg, .. } => Some(*reg),
            End::Switch {
                index: Value::Reg(reg),
                ..
            } => Some(*reg),
            _ => None,
        }
    }
}

/// A function as a graph.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Block>,
    /// Depth-first numbers in the tree of dominators: those of a block enclose those of what it dominates.
    spans: Vec<(usize, usize)>,
}

/// Targets of all indirect branches together beyond which those of one table branch from one place.
const MOST_SWITCH_TARGETS: usize = 1 << 14;

impl Graph {
    /// Cuts a body into blocks and drops those that nothing reaches.
    pub(super) fn new(body: &mut Body) -> Self {
        share_switches(body);
        let blocks = ordered(cut(body));
        let targets: Vec<Vec<usize>> = blocks.iter().map(|block| block.end.targets()).collect();
        let dominators = immediate_dominators(blocks.len(), &targets);
        let spans = tree_spans(&dominators);
        Self { blocks, spans }
    }

    /// Whether every way to `later` leads through `earlier`.
    pub(super) fn dominates(&self, earlier: usize, later: usize) -> bool {
        let (outer, inner) = (self.spans[earlier], self.spans[later]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }

    /// Pairs of a block and an earlier (or the same) block that it jumps to.
    pub(super) fn back_edges(&self) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            edges.extend(
                block
                    .end
                    .targets()
                    .into_iter()
                    .filter(|target| *target <= number)
                    .map(|target| (number, target)),
            );
        }
        edges
    }
}

/// Lets the indirect branches of a table jump to one that does it for all, where they would have too many targets
/// each for themselves.
fn share_switches(body: &mut Body) {
    let mut uses = vec![0usize; body.tables.len()];
    for op in body.ops.iter().filter(|op| matches!(op.act, Act::Switch)) {
        uses[op.aux as usize] += 1;
    }
    let targets = |(uses, table): (&usize, &Vec<u32>)| uses.saturating_mul(table.len());
    let all: usize = uses.iter().zip(&body.tables).map(targets).sum();
    if all <= MOST_SWITCH_TARGETS {
        return;
    }
    // The label of the one branch of each table, its index, and an operation like it.
    let mut shared: Vec<Option<(u32, Reg, Op)>> = vec![None; uses.len()];
    let mut ops = Vec::with_capacity(body.ops.len() + uses.len());
    for op in std::mem::take(&mut body.ops) {
        if !matches!(op.act, Act::Switch) || uses[op.aux as usize] < 2 {
            ops.push(op);
            continue;
        }
        let (label, index, _) = *shared[op.aux as usize]
            .get_or_insert_with(|| (body.label(), body.fresh(FileKind::Words, 32), op));
        let mut copy = Op {
            act: Act::Copy,
            aux: 0,
            ..op
        };
        copy.d[0] = Some(index);
        ops.push(copy);
        ops.push(jump(label, op));
    }
    if ops.last().is_none_or(|op| !op.is_end()) {
        ops.extend(shared.iter().flatten().next().map(|(.., like)| Op {
            act: Act::Exit,
            ..jump(0, *like)
        }));
    }
    for (label, index, switch) in shared.into_iter().flatten() {
        ops.push(Op {
            act: Act::Label(label),
            ..jump(label, switch)
        });
        let mut switch = Op {
            weight: 0,
            ..switch
        };
        switch.s[0] = index.into();
        ops.push(switch);
    }
    body.ops = ops;
}

/// A jump that stands for no instruction, in the place of another operation.
fn jump(label: u32, like: Op) -> Op {
    Op {
        act: Act::Jump(label),
        d: [None; 4],
        s: [Value::None; 6],
        guard: None,
        aux: 0,
        weight: 0,
        ..like
    }
}

/// Blocks in the order of the text, targets by number in that order.
fn cut(body: &mut Body) -> Vec<Block> {
    let ops = std::mem::take(&mut body.ops);
    let (starts, label_blocks) = starts(&ops, body.labels as usize);
    // Falling off the end of the text is an exit, in one more block.
    let new = |end: End| Block {
        ops: Vec::new(),
        end,
        weight: 0,
        arithmetic: Arithmetic::default(),
        places: None,
    };
    let mut blocks = vec![new(End::Jump(1))];
    for (at, op) in ops.into_iter().enumerate() {
        if starts[at] && at > 0 {
            blocks.push(new(End::Jump(blocks.len() + 1)));
        }
        let next = blocks.len();
        let Some(block) = blocks.last_mut() else {
            break;
        };
        block.weight = block.weight.saturating_add(op.weight);
        if let Some(each) = op.arithmetic {
            block.arithmetic.add(1, &body.arithmetic[each as usize]);
        }
        if !matches!(op.act, Act::Label(_)) {
            let (first, last) = block.places.unwrap_or((op.place, op.place));
            block.places = Some((first.min(op.place), last.max(op.place)));
        }
        match op.act {
            Act::Label(_) | Act::Nothing => {}
            _ if op.is_end() => block.end = end(&op, next, &label_blocks, &body.tables),
            _ => block.ops.push(op),
        }
    }
    blocks.push(new(End::Exit));
    blocks
}

/// At which operations a block starts, and which block each label is in.
fn starts(ops: &[Op], labels: usize) -> (Vec<bool>, Vec<usize>) {
    let mut starts = vec![true];
    starts.resize(ops.len() + 1, false);
    for (at, op) in ops.iter().enumerate() {
        starts[at] |= matches!(op.act, Act::Label(_));
        starts[at + 1] |= op.is_end();
    }
    let mut label_blocks = vec![0; labels];
    let mut number = 0;
    for (at, op) in ops.iter().enumerate() {
        number += usize::from(starts[at] && at > 0);
        if let Act::Label(label) = op.act {
            label_blocks[label as usize] = number;
        }
    }
    (starts, label_blocks)
}

/// The end of a block by its last operation, with `next` the block behind it in the text.
fn end(op: &Op, next: usize, label_blocks: &[usize], tables: &[Vec<u32>]) -> End {
    let place = op.place;
    let block_of = |label: &u32| label_blocks[*label as usize];
    match op.act {
        Act::Jump(label) => End::Jump(block_of(&label)),
        Act::Branch(label) => {
            let taken = block_of(&label);
            match op.guard {
                Some((reg, negated)) if taken != next => End::Branch {
                    reg,
                    negated,
                    taken,
                    other: next,
                    place,
                },
                _ => End::Jump(taken),
            }
        }
        Act::Switch => End::Switch {
            index: op.s[0],
            targets: tables[op.aux as usize].iter().map(block_of).collect(),
            place,
        },
        Act::Call => End::Call {
            call: op.aux,
            next,
            place,
        },
        Act::Return => End::Return,
        Act::Trap => End::Trap {
            kind: op.aux,
            place,
        },
        // Of the operations that end a block, only this one is left.
        _ => End::Exit,
    }
}

/// The reachable blocks in reverse post-order.
fn ordered(blocks: Vec<Block>) -> Vec<Block> {
    let targets: Vec<Vec<usize>> = blocks.iter().map(|block| block.end.targets()).collect();
    let order = reverse_postorder(0, &targets);
    let mut numbers = vec![NOWHERE; blocks.len()];
    for (number, block) in order.iter().enumerate() {
        numbers[*block] = number;
    }
    let mut kept: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut result = Vec::with_capacity(order.len());
    for block in order {
        if let Some(mut block) = kept[block].take() {
            block.end.renumber(&numbers);
            result.push(block);
        }
    }
    result
}

/// The nodes reachable from `first`, each after those that lead to it except around loops.
fn reverse_postorder(first: usize, targets: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; targets.len()];
    let mut order = Vec::new();
    let mut stack = vec![(first, 0)];
    seen[first] = true;
    while let Some((node, next)) = stack.last_mut() {
        // The last target first, so that the order keeps to the text where it can.
        let count = targets[*node].len();
        if *next < count {
            let target = targets[*node][count - 1 - *next];
            *next += 1;
            if !seen[target] {
                seen[target] = true;
                stack.push((target, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// First and last depth-first number below each node of the tree.
fn tree_spans(dominators: &[usize]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); dominators.len()];
    for (node, dominator) in dominators.iter().enumerate().skip(1) {
        if *dominator != NOWHERE {
            children[*dominator].push(node);
        }
    }
    let mut spans = vec![(0, 0); dominators.len()];
    let mut counter = 0;
    let mut stack = vec![(0, 0)];
    while let Some((node, next)) = stack.last_mut() {
        if *next == 0 {
            spans[*node].0 = counter;
            counter += 1;
        }
        if *next < children[*node].len() {
            let child = children[*node][*next];
            *next += 1;
            stack.push((child, 0));
        } else {
            spans[*node].1 = counter;
            stack.pop();
        }
    }
    spans
}
