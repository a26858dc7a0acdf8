//! Folding of exits: asks at once what a loop asks one behind the other where both lead out of it to the same place, as
//! in LLVM's `FoldBranchToCommonDest`. Branches outside of loops are left to `if_convert`.

use super::analyses::Analyses;
use super::if_convert::is_quick;
use super::natural_loops::{Natural, loops};
use super::trip_count::append;
use crate::hash::HashSet;
use crate::ir::graph::{Graph, uses};
use crate::ir::{Bin, Block, Body, Inst, Op, Term, Ty, Un};

/// Instructions of the second question that nothing else wants, and of one that the loop carries some of.
const MOST_OF_QUESTION: usize = 5;
const MOST_WITH_CARRIED: usize = 2;

/// Until there is nothing left to ask at once.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) {
    while join_some(body, analyses) {
        super::simplify_cfg::run(body, analyses, false);
    }
}

/// True if two questions became one.
fn join_some(body: &mut Body, analyses: &mut Analyses) -> bool {
    let graph = analyses.graph(body);
    let (homes, uses) = (graph.homes(body), uses(body));
    let mut touched: HashSet<Block> = HashSet::default();
    let mut pairs = Vec::new();
    for natural in loops(body, &graph) {
        for first in graph.order.iter().copied() {
            let pair = Pair::new(body, &graph, &homes, &natural, first);
            let is_free =
                |pair: &Pair| ![first, pair.second].iter().any(|own| touched.contains(own));
            if let Some(pair) = pair.filter(is_free)
                && pair.is_small(body, &uses)
            {
                touched.extend([first, pair.second]);
                pairs.push(pair);
            }
        }
    }
    for pair in &pairs {
        pair.join(body);
    }
    !pairs.is_empty()
}

/// Two blocks of a loop, the second only behind the first, that lead out of it to the same place.
struct Pair {
    first: Block,
    second: Block,
    /// Where the second leads else.
    next: Block,
    exit: Block,
}

impl Pair {
    fn new(
        body: &Body,
        graph: &Graph,
        homes: &[Option<Block>],
        natural: &Natural,
        first: Block,
    ) -> Option<Self> {
        if !natural.blocks.contains(&first) {
            return None;
        }
        let (second, exit) = natural.way_out(body, homes, first)?;
        let (next, other) = natural.way_out(body, homes, second)?;
        let (first_from, meets) = meeting(body, graph, first, exit);
        let (from, meets_too) = meeting(body, graph, second, other);
        let is_behind = graph.before[second.0 as usize] == [first] && second != natural.header;
        let is_same = meets == meets_too && gives_the_same(body, meets, [first_from, from]);
        (is_behind && is_same).then_some(Self {
            first,
            second,
            next,
            exit,
        })
    }

    /// Whether the second block asks little, whatever the first says.
    fn is_small(&self, body: &Body, uses: &[u32]) -> bool {
        let insts = &body.block(self.second).insts;
        let Some((_, others)) = insts.split_last() else {
            return true;
        };
        let asks_only = |inst: &Inst| {
            let [result] = body.inst(*inst).results[..] else {
                return false;
            };
            let args = insts.iter().flat_map(|inst| &body.inst(*inst).args);
            let here = args.filter(|arg| **arg == result).count();
            uses[result.0 as usize] as usize == here
        };
        let most = match others.iter().all(asks_only) {
            true => MOST_OF_QUESTION,
            false => MOST_WITH_CARRIED,
        };
        insts.len() <= most && insts.iter().all(|inst| is_quick(body, *inst))
    }

    /// Asks both in the first block.
    fn join(&self, body: &mut Body) {
        let moved = std::mem::take(&mut body.blocks[self.second.0 as usize].insts);
        let second = std::mem::replace(&mut body.blocks[self.second.0 as usize].term, Term::None);
        let first = body.block(self.first).term;
        let loc = body.block(self.first).loc;
        body.blocks[self.first.0 as usize].insts.extend(moved);
        let (Term::Branch(a, a_yes, _), Term::Branch(b, b_yes, _)) = (first, second) else {
            return;
        };
        let goes_on = [a_yes != self.exit, b_yes == self.next];
        let mut asked = [a, b];
        if goes_on[0] != goes_on[1] {
            asked[1] = append(body, self.first, Op::Un(Un::Not), Ty::Pred, [b], loc);
        }
        let bin = if goes_on[0] { Bin::And } else { Bin::Or };
        let both = append(body, self.first, Op::Bin(bin), Ty::Pred, asked, loc);
        body.blocks[self.first.0 as usize].term = match goes_on[0] {
            true => Term::Branch(both, self.next, self.exit),
            false => Term::Branch(both, self.exit, self.next),
        };
        for inst in body.block(self.next).insts.clone() {
            if let Op::Phi(from) = &mut body.insts[inst.0 as usize].op {
                let seconds = from.iter_mut().filter(|from| **from == self.second);
                seconds.for_each(|from| *from = self.first);
            }
        }
    }
}

/// The block from which a way out of a loop comes to where it leads, and that: an empty block between them is none.
fn meeting(body: &Body, graph: &Graph, block: Block, to: Block) -> (Block, Block) {
    let data = body.block(to);
    match data.term {
        Term::Jump(next) if data.insts.is_empty() && graph.before[to.0 as usize] == [block] => {
            (to, next)
        }
        _ => (block, to),
    }
}

/// Whether nothing behind a loop depends on from which of two blocks control comes there.
fn gives_the_same(body: &Body, meets: Block, from: [Block; 2]) -> bool {
    body.block(meets).insts.iter().all(|inst| {
        let data = body.inst(*inst);
        let Op::Phi(ways) = &data.op else { return true };
        let [a, b] = from.map(|block| {
            let at = ways.iter().position(|other| *other == block);
            at.map(|at| data.args[at])
        });
        a == b
    })
}
