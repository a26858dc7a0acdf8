//! Sinking past joins: moves arithmetic past branches whose ways join again, to the block where they do, if what needs
//! it stands there or behind. There a product becomes one operation with a sum. By the rule that NVIDIA's compiler
//! seems to follow: from a block's end on, instructions are taken together until no more values are kept over the
//! branch than before; what is left over stays. Loads stay, but what they give counts as kept.

use super::analyses::Analyses;
use super::operand_rank::{Ranks, ranks};
use super::sink::{Uses, base, is_free, takes_product_in, uses};
use crate::hash::HashSet;
use crate::ir::graph::{Graph, successors};
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Value};

/// The ranks of values before anything moved, if something did.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> Option<Ranks> {
    if !body
        .insts
        .iter()
        .any(|data| is_product(body, &data.op, data.results.first()))
    {
        return None;
    }
    let graph = analyses.graph(body);
    let mut uses = uses(body, &graph);
    let mut home = graph.homes(body);
    let mut before = None;
    for from in &graph.order {
        if !has_wanted_product(body, &uses, *from) {
            continue;
        }
        let joins: Vec<Block> = (graph.order.iter().copied())
            .filter(|to| graph.dominator(*to) == Some(*from) && is_join(&graph, *to))
            .collect();
        for to in joins {
            let found = Groups::find(body, &graph, (&uses, &home), (*from, to));
            for inst in found.iter().flat_map(|group| &group.insts) {
                home[inst.0 as usize] = Some(to);
            }
            if !found.is_empty() {
                before.get_or_insert_with(|| ranks(body, &graph, &[]));
            }
            place(body, &mut uses, &found, (*from, to));
        }
    }
    before
}

fn is_product(body: &Body, op: &Op, result: Option<&Value>) -> bool {
    *op == Op::Bin(Bin::Mul) && result.is_some_and(|result| body.ty(*result).is_float())
}

/// Whether a product of the block is wanted in another.
fn has_wanted_product(body: &Body, uses: &Uses, block: Block) -> bool {
    body.block(block).insts.iter().any(|inst| {
        let data = body.inst(*inst);
        let is_elsewhere = |value: &Value| uses.of(*value).iter().any(|(_, at)| *at != block);
        is_product(body, &data.op, data.results.first()) && data.results.iter().any(is_elsewhere)
    })
}

/// Whether several ways lead to a block, none of them from itself.
fn is_join(graph: &Graph, block: Block) -> bool {
    let before = &graph.before[block.0 as usize];
    before.len() > 1 && !before.iter().any(|from| graph.dominates(block, *from))
}

/// Instructions that move together, the last first.
struct Group {
    insts: Vec<Inst>,
    /// Whether fewer values are kept then.
    is_sparing: bool,
}

/// What moves from a block to another, as it is found.
struct Groups<'a> {
    body: &'a Body,
    graph: &'a Graph,
    uses: &'a Uses,
    /// By instruction: its block.
    home: &'a [Option<Block>],
    from: Block,
    to: Block,
    /// Blocks that control gets to from the first.
    behind: HashSet<Block>,
    /// All that moves, the last first, and those behind it that may.
    taken: Vec<Inst>,
    is_taken: HashSet<Inst>,
    /// How many of `taken` are sure to move.
    sure: usize,
    groups: Vec<Group>,
    /// What those that may move need to be kept, and how many values they spare.
    kept: HashSet<Value>,
    spared: usize,
}

impl<'a> Groups<'a> {
    fn find(
        body: &'a Body,
        graph: &'a Graph,
        (uses, home): (&'a Uses, &'a [Option<Block>]),
        (from, to): (Block, Block),
    ) -> Vec<Group> {
        let mut groups = Self {
            body,
            graph,
            uses,
            home,
            from,
            to,
            behind: blocks_behind(body, from),
            taken: Vec::new(),
            is_taken: HashSet::default(),
            sure: 0,
            groups: Vec::new(),
            kept: HashSet::default(),
            spared: 0,
        };
        for inst in body.block(from).insts.iter().rev() {
            if groups.may_move(*inst) {
                groups.take(*inst);
            }
        }
        groups.groups
    }

    fn may_move(&self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let is_movable = match &data.op {
            Op::Phi(_) | Op::Load(_) | Op::Store(_) => false,
            Op::Param(_) | Op::ParamAddress(_) | Op::Symbol(_) | Op::Slot(_) => false,
            Op::Asm(_) => false,
            op @ Op::Intrinsic(_) => op.is_pure(),
            Op::Bin(Bin::Add) => !takes_product_in(self.body, self.uses, inst),
            _ => true,
        };
        let is_used = |value: &Value| !self.uses.of(*value).is_empty();
        is_movable
            && data.results.iter().any(is_used)
            && data
                .results
                .iter()
                .all(|result| self.is_wanted_there(*result))
    }

    /// Whether all uses of a value stand in one block, to which each way goes through the join.
    fn is_wanted_there(&self, value: Value) -> bool {
        let place = |(by, at): &(Option<Inst>, Block)| match by {
            Some(by) if self.is_taken.contains(by) => self.to,
            _ => *at,
        };
        let mut places = self.uses.of(value).iter().map(place);
        places.next().is_none_or(|first| {
            first != self.from
                && self.graph.dominates(self.to, first)
                && places.all(|place| place == first)
        })
    }

    fn take(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        for result in &data.results {
            self.kept.remove(result);
            let open = &self.taken[self.sure..];
            let is_spared =
                |(by, _): &(Option<Inst>, Block)| by.is_none_or(|by| !open.contains(&by));
            self.spared += usize::from(self.uses.of(*result).iter().any(is_spared));
        }
        self.taken.push(inst);
        self.is_taken.insert(inst);
        for arg in &data.args {
            self.keep(*arg);
        }
        if self.kept.len() <= self.spared {
            self.join_group();
            self.sure = self.taken.len();
            self.kept.clear();
            self.spared = 0;
        }
    }

    /// Makes a group of what may move and of the groups that need it.
    fn join_group(&mut self) {
        let found = &self.taken[self.sure..];
        let results = found.iter().flat_map(|inst| &self.body.inst(*inst).results);
        let users: HashSet<Inst> = results
            .flat_map(|result| self.uses.of(*result))
            .filter_map(|(by, _)| *by)
            .collect();
        let is_sparing = self.kept.len() < self.spared;
        let needs = |group: &mut Group| group.insts.iter().any(|inst| users.contains(inst));
        let mut joined = Group {
            insts: Vec::new(),
            is_sparing,
        };
        for group in self.groups.extract_if(.., needs) {
            joined.insts.extend(group.insts);
            joined.is_sparing |= group.is_sparing;
        }
        joined.insts.extend(found);
        self.groups.push(joined);
    }

    /// Notes that a value is kept, if it is not anyway.
    fn keep(&mut self, arg: Value) {
        let Def::Inst(mut def, _) = self.body.values[arg.0 as usize].1 else {
            return;
        };
        let mut value = arg;
        if let Some(base) = base(self.body, def)
            && let Def::Inst(other, _) = self.body.values[base.0 as usize].1
        {
            (value, def) = (*base, other);
        }
        let sure = &self.taken[..self.sure];
        let is_behind = |(by, at): &(Option<Inst>, Block)| match by {
            Some(by) if self.is_taken.contains(by) => sure.contains(by),
            _ => *at != self.from && self.behind.contains(at),
        };
        // What is made before a loop that the branch is in is kept through all of it.
        let is_in_loop = |block: &Block| self.behind.contains(block);
        let home = self.home[def.0 as usize];
        let is_around = is_in_loop(&self.from) && home.is_some_and(|home| !is_in_loop(&home));
        if !is_around
            && !self.uses.of(value).iter().any(is_behind)
            && !is_free(self.body, self.body.inst(def))
        {
            self.kept.insert(value);
        }
    }
}

fn blocks_behind(body: &Body, from: Block) -> HashSet<Block> {
    let mut found = HashSet::default();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        let next = successors(body.block(block).term);
        open.extend(next.filter(|next| found.insert(*next)));
    }
    found
}

/// Puts groups, the last first and each its last instruction first, before what needs them in their new block. What is needed
/// behind that goes to its end, each group before those that came: where it is looked at first from there stands what spares
/// more than it needs.
fn place(body: &mut Body, uses: &mut Uses, groups: &[Group], (from, to): (Block, Block)) {
    let gone: HashSet<Inst> = (groups.iter())
        .flat_map(|group| group.insts.iter().copied())
        .collect();
    let insts = &mut body.blocks[from.0 as usize].insts;
    insts.retain(|inst| !gone.contains(inst));
    let mut ends = [Vec::new(), Vec::new()];
    for group in groups {
        let mut placed: Vec<Inst> = Vec::new();
        for inst in &group.insts {
            let data = body.inst(*inst);
            let users: HashSet<Inst> = (data.results.iter())
                .flat_map(|result| uses.of(*result))
                .filter_map(|(by, _)| *by)
                .collect();
            for arg in &data.args {
                for (by, at) in uses.of_mut(*arg) {
                    if *by == Some(*inst) {
                        *at = to;
                    }
                }
            }
            let needs = |other: &Inst| users.contains(other);
            let there = &mut body.blocks[to.0 as usize].insts;
            match there.iter().position(needs) {
                Some(at) => there.insert(at, *inst),
                None => {
                    let first = placed.iter().position(needs);
                    placed.insert(first.unwrap_or(placed.len()), *inst);
                }
            }
        }
        ends[usize::from(group.is_sparing)].splice(0..0, placed);
    }
    let insts = &mut body.blocks[to.0 as usize].insts;
    insts.extend(ends.into_iter().flatten());
}
