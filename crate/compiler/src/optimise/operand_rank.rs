//! Ranks of operands, as in LLVM's `Reassociate`: which side of a sum LLVM takes for the first, by numbers that it
//! gives to values. What becomes of the sum stands in `contract_fma`.

use super::iterations;
use crate::hash::HashSet;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Inst, ORDERED, Op, Un, Value};

/// By value: a number and an iteration, as [`ranks`] says.
pub(super) type Ranks = Vec<(u64, u32)>;

/// In a rank, how many bits are those of an instruction in a block, and in an iteration of a loop that was unrolled in it.
const BITS_OF_BLOCK: u32 = 44;
const BITS_OF_ITERATION: u32 = 24;

/// By value: numbers by which LLVM orders the two sides of a sum. What comes later in memory's order has a higher one.
/// With each stands the iteration of an unrolled loop in which the last of what it follows from was made.
/// Those that are known stay.
pub(super) fn ranks(body: &Body, graph: &Graph, known: &[(u64, u32)]) -> Ranks {
    let mut ranks = known.to_vec();
    ranks.resize(body.values.len(), (0, 0));
    for (place, block) in graph.order.iter().enumerate() {
        let (mut next, mut iteration) = ((place as u64 + 1) << BITS_OF_BLOCK, 0);
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            if data.iteration != iteration && data.iteration != ORDERED {
                // A block of its own, were the loop one still.
                next = ((next >> BITS_OF_ITERATION) + 1) << BITS_OF_ITERATION;
                iteration = data.iteration;
            }
            let is_fixed = match &data.op {
                Op::Load(_) | Op::Phi(_) | Op::Intrinsic(_) | Op::Asm(_) => true,
                // What are calls there, as of `fabsf`.
                Op::Un(un) => matches!(un, Un::Abs | Un::Sqrt),
                Op::Bin(bin) => matches!(
                    bin,
                    Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS | Bin::Min | Bin::Max
                ),
                _ => false,
            };
            // What stores has a number too.
            next += u64::from(is_fixed || data.rereads || matches!(data.op, Op::Store(_)));
            let rank = match is_fixed {
                true => (next, data.iteration),
                false if data.rereads => (next + 1, data.iteration),
                false => {
                    let ranks = data.args.iter().map(|arg| ranks[arg.0 as usize]);
                    let (rank, iteration) = ranks.max().unwrap_or_default();
                    (rank + u64::from(data.op != Op::Un(Un::Neg)), iteration)
                }
            };
            for result in &data.results {
                if result.0 as usize >= known.len() {
                    ranks[result.0 as usize] = rank;
                }
            }
        }
    }
    ranks
}

/// What says which side of a sum is the first.
pub(super) struct Order {
    ranks: Ranks,
    /// Sums that stay as they are.
    turned: HashSet<Inst>,
    /// Those in iterations of unrolled loops that do not: they were ordered when the loop was one.
    swapped: HashSet<Inst>,
}

impl Order {
    /// `known` are ranks that stay, `varying` the products with constants that follow from a loop's variable.
    pub(super) fn new(
        body: &Body,
        graph: &Graph,
        known: &[(u64, u32)],
        varying: &HashSet<Inst>,
    ) -> Self {
        let ranks = ranks(body, graph, known);
        Self {
            swapped: iterations::swapped(body, graph, &ranks, varying),
            turned: HashSet::default(),
            ranks,
        }
    }

    /// The same, but these sums stay as they are.
    pub(super) fn without(self, turned: HashSet<Inst>) -> Self {
        Self { turned, ..self }
    }

    /// Whether LLVM takes the second side of a sum for the first.
    pub(super) fn is_swapped(&self, body: &Body, sum: Inst) -> bool {
        let data = body.inst(sum);
        let (a, b) = (data.args[0], data.args[1]);
        let rank = |value: Value| self.ranks[value.0 as usize];
        let is_lower = match data.iteration {
            0 => rank(b).0 < rank(a).0,
            _ => self.swapped.contains(&sum),
        };
        is_lower && !self.turned.contains(&sum) && body.constant(b).is_none()
    }
}

/// Orders the sides of sums in loops, as LLVM does before it moves out of them what is the same in all iterations, and before it
/// unrolls them.
pub(super) fn order_sums<'a>(
    body: &mut Body,
    graph: &Graph,
    blocks: impl Iterator<Item = &'a Block>,
) {
    let insts = blocks.flat_map(|block| &body.block(*block).insts);
    let is_sum = |inst: &&Inst| {
        let data = body.inst(**inst);
        data.op.is_bin(Bin::Add) && body.ty(data.results[0]).is_float()
    };
    let sums: Vec<Inst> = insts.filter(is_sum).copied().collect();
    if sums.is_empty() {
        return;
    }
    let order = Order::new(body, graph, &[], &iterations::varying(body));
    for sum in sums {
        let is_swapped = order.is_swapped(body, sum);
        let data = &mut body.insts[sum.0 as usize];
        data.iteration = ORDERED;
        if is_swapped {
            data.args.swap(0, 1);
        }
    }
}
