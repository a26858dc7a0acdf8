//! The graph of a body's blocks: which can be reached, from where, and which come before which on every way.

use super::{Block, Body, Def, Inst, Op, Term, Value};
use std::cell::OnceCell;
use std::ops::Index;

/// Where control goes from a block.
pub(crate) fn successors(term: Term) -> impl Iterator<Item = Block> {
    let (first, second) = match term {
        Term::Jump(next) => (Some(next), None),
        Term::Branch(_, yes, no) => (Some(yes), Some(no)),
        Term::None | Term::Return => (None, None),
    };
    first.into_iter().chain(second)
}

/// Calls with each way from one of these blocks to another.
fn each_way(body: &Body, order: &[Block], mut way: impl FnMut(Block, Block)) {
    for block in order {
        match body.block(*block).term {
            Term::Jump(next) => way(*block, next),
            Term::Branch(_, yes, no) => {
                way(*block, yes);
                way(*block, no);
            }
            Term::None | Term::Return => {}
        }
    }
}

/// The same counted from the last, which a walk takes first.
fn successor_from_last(term: Term, number: usize) -> Option<Block> {
    match (term, number) {
        (Term::Jump(next) | Term::Branch(_, _, next), 0) | (Term::Branch(_, next, _), 1) => {
            Some(next)
        }
        _ => None,
    }
}

/// Lists of blocks, one for each block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lists {
    /// By block: where its list begins in `all`; behind the last the end.
    starts: Vec<u32>,
    all: Vec<Block>,
}

impl Lists {
    /// Of each block those in this order from which control comes.
    fn before(body: &Body, order: &[Block]) -> Self {
        let mut starts = vec![0_u32; body.blocks.len() + 2];
        each_way(body, order, |_, to| starts[to.0 as usize + 2] += 1);
        let mut count = 0;
        for start in &mut starts {
            count += *start;
            *start = count;
        }
        let mut all = vec![Block(0); count as usize];
        each_way(body, order, |from, to| {
            let next = &mut starts[to.0 as usize + 1];
            all[*next as usize] = from;
            *next += 1;
        });
        Self { starts, all }
    }
}

impl Index<usize> for Lists {
    type Output = [Block];

    fn index(&self, block: usize) -> &[Block] {
        &self.all[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

/// What every way to a block goes through, as a tree.
#[derive(Debug)]
struct Dominators {
    /// By block: the nearest one.
    above: Vec<Option<Block>>,
    spans: Vec<Span>,
}

/// A block's number in a walk through the tree, and the first number that is no longer below it.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: u32,
    end: u32,
}

impl Span {
    /// Of a block that nothing comes to: neither below another nor above.
    const NOWHERE: Self = Self {
        first: u32::MAX,
        end: 0,
    };
}

impl Dominators {
    /// `order` has each block behind the one that is above it.
    fn new(above: Vec<Option<Block>>, order: &[Block]) -> Self {
        let mut sizes = vec![1_u32; above.len()];
        for block in order.iter().rev() {
            if let Some(above) = above[block.0 as usize] {
                sizes[above.0 as usize] += sizes[block.0 as usize];
            }
        }
        // The number that the next block below one gets.
        let mut next = vec![0_u32; above.len()];
        let mut spans = vec![Span::NOWHERE; above.len()];
        for block in order {
            let (at, size) = (block.0 as usize, sizes[block.0 as usize]);
            let first = match above[at] {
                Some(above) => {
                    let next = &mut next[above.0 as usize];
                    std::mem::replace(next, *next + size)
                }
                None => 0,
            };
            next[at] = first + 1;
            let end = first + size;
            spans[at] = Span { first, end };
        }
        Self { above, spans }
    }
}

#[derive(Debug)]
pub(crate) struct Graph {
    /// Blocks that can be reached, each after those that come before it but for ways back.
    pub(crate) order: Vec<Block>,
    /// Where control comes from, by block.
    pub(crate) before: Lists,
    /// Once somebody asks.
    dominators: OnceCell<Dominators>,
    /// A block's place in `order`.
    pub(crate) place: Vec<usize>,
}

impl Graph {
    pub(crate) fn new(body: &Body) -> Self {
        let count = body.blocks.len();
        let mut seen = vec![false; count];
        let mut order = Vec::with_capacity(count);
        let mut stack = Vec::with_capacity(count);
        stack.push((Block(0), 0_usize));
        seen[0] = true;
        while let Some((block, next)) = stack.last_mut() {
            // Later successors first: the first one then stands right behind the block.
            match successor_from_last(body.block(*block).term, *next) {
                Some(successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor.0 as usize], true) {
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut place = vec![usize::MAX; count];
        for (at, block) in order.iter().enumerate() {
            place[block.0 as usize] = at;
        }
        Self {
            before: Lists::before(body, &order),
            order,
            dominators: OnceCell::new(),
            place,
        }
    }

    /// Whether it is that of this body, as it is now.
    pub(crate) fn is_of(&self, body: &Body) -> bool {
        let now = Self::new(body);
        self.order == now.order && self.before == now.before && self.place == now.place
    }

    /// The nearest block that every way to a block goes through.
    pub(crate) fn dominator(&self, block: Block) -> Option<Block> {
        self.dominators().above[block.0 as usize]
    }

    fn dominators(&self) -> &Dominators {
        self.dominators
            .get_or_init(|| Dominators::new(self.find_dominators(), &self.order))
    }

    fn find_dominators(&self) -> Vec<Option<Block>> {
        let mut above = vec![None; self.place.len()];
        above[0] = Some(Block(0));
        loop {
            let mut changes = false;
            for at in 1..self.order.len() {
                let block = self.order[at];
                let mut found: Option<Block> = None;
                for from in &self.before[block.0 as usize] {
                    if above[from.0 as usize].is_some() {
                        found = Some(match found {
                            Some(other) => self.meet(&above, *from, other),
                            None => *from,
                        });
                    }
                }
                if above[block.0 as usize] != found {
                    above[block.0 as usize] = found;
                    changes = true;
                }
            }
            // Where loops are entered at their first blocks only, one round finds all.
            if !changes || self.are_entered_at_first(&above) {
                break;
            }
        }
        above[0] = None;
        above
    }

    /// Whether every way back leads to a block that is above the one where it begins.
    fn are_entered_at_first(&self, above: &[Option<Block>]) -> bool {
        let place = |block: Block| self.place[block.0 as usize];
        self.order.iter().all(|block| {
            let before = self.before[block.0 as usize].iter();
            let mut back = before.filter(|from| place(**from) >= place(*block));
            back.all(|from| self.meet(above, *from, *block) == *block)
        })
    }

    /// The nearest block that both come after, as far as it is known what is above each.
    fn meet(&self, above: &[Option<Block>], mut a: Block, mut b: Block) -> Block {
        while a != b {
            while self.place[a.0 as usize] > self.place[b.0 as usize] {
                a = above[a.0 as usize].unwrap_or(Block(0));
            }
            while self.place[b.0 as usize] > self.place[a.0 as usize] {
                b = above[b.0 as usize].unwrap_or(Block(0));
            }
        }
        a
    }

    /// Whether every way to the second block goes through the first.
    pub(crate) fn dominates(&self, first: Block, second: Block) -> bool {
        let spans = &self.dominators().spans;
        let (above, below) = (spans[first.0 as usize], spans[second.0 as usize]);
        first == second || (above.first..above.end).contains(&below.first)
    }

    pub(crate) fn is_reached(&self, block: Block) -> bool {
        self.place[block.0 as usize] != usize::MAX
    }

    /// The nearest block that every way to any of these goes through; nothing of none.
    pub(crate) fn above_all(&self, blocks: impl IntoIterator<Item = Block>) -> Option<Block> {
        let mut blocks = blocks.into_iter();
        let first = blocks.next()?;
        blocks.try_fold(first, |mut above, block| {
            while !self.dominates(above, block) {
                above = self.dominator(above)?;
            }
            Some(above)
        })
    }

    /// All instructions that are reached, in order, each with its block.
    pub(crate) fn insts<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = (Block, Inst)> + 'a {
        let of = |block: &'a Block| body.block(*block).insts.iter().map(|inst| (*block, *inst));
        self.order.iter().flat_map(of)
    }

    /// By instruction: the block that it stands in.
    pub(crate) fn homes(&self, body: &Body) -> Vec<Option<Block>> {
        let mut homes = vec![None; body.insts.len()];
        for (block, inst) in self.insts(body) {
            homes[inst.0 as usize] = Some(block);
        }
        homes
    }
}

/// The block that a value is made in, by the homes of instructions; nothing of constants.
pub(crate) fn home(body: &Body, homes: &[Option<Block>], value: Value) -> Option<Block> {
    match body.values[value.0 as usize].1 {
        Def::Inst(inst, _) => homes[inst.0 as usize],
        _ => None,
    }
}

/// Removes what phis say of blocks that control does not come from any more.
pub(crate) fn prune_phis(body: &mut Body, graph: &Graph) {
    for block in &graph.order {
        let before = &graph.before[block.0 as usize];
        for inst in &body.blocks[block.0 as usize].insts {
            let inst = &mut body.insts[inst.0 as usize];
            if let Op::Phi(from) = &mut inst.op {
                if from.iter().all(|block| before.contains(block)) {
                    continue;
                }
                let keep: Vec<bool> = from.iter().map(|block| before.contains(block)).collect();
                let mut at = 0;
                from.retain(|_| {
                    at += 1;
                    keep[at - 1]
                });
                at = 0;
                inst.args.retain(|_| {
                    at += 1;
                    keep[at - 1]
                });
            }
        }
    }
}

/// By value: how often it is used.
pub(crate) fn uses(body: &Body) -> Vec<u32> {
    let mut uses = vec![0; body.values.len()];
    for inst in body.blocks.iter().flat_map(|block| &block.insts) {
        for arg in &body.inst(*inst).args {
            uses[arg.0 as usize] += 1;
        }
    }
    for block in &body.blocks {
        if let Term::Branch(condition, ..) = block.term {
            uses[condition.0 as usize] += 1;
        }
    }
    uses
}
