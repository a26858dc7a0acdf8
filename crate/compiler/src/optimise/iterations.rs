//! What the iterations of an unrolled loop tell of the loop that they were when LLVM ordered the sides of sums: which values it
//! carried on, and which constants followed from its variable.

use super::order::Ranks;
use crate::hash::{HashMap, HashSet};
use crate::ir::{Bin, Body, Def, Inst, Instruction, Loc, ORDERED, Op};

/// Tells the same instruction in the iterations of a loop: by its statement, and by how many of the statement come before it.
#[derive(Default)]
pub(super) struct Ordinals(HashMap<Loc, (u32, u32)>);

impl Ordinals {
    pub(super) fn next(&mut self, data: &Instruction) -> (Loc, u32) {
        let (iteration, next) = self.0.entry(data.loc).or_default();
        if *iteration != data.iteration {
            (*iteration, *next) = (data.iteration, 0);
        }
        *next += 1;
        (data.loc, *next)
    }
}

/// Floating-point instructions of iterations, in order.
fn of_iterations(body: &Body) -> impl Iterator<Item = (Inst, &Instruction)> {
    let insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.filter_map(|inst| {
        let data = body.inst(*inst);
        let is_inside = data.iteration != 0 && data.iteration != ORDERED;
        let is_float = || {
            data.results
                .first()
                .is_some_and(|value| body.ty(*value).is_float())
        };
        (is_inside && is_float()).then_some((*inst, data))
    })
}

/// Products with a constant that is another one in other iterations.
pub(super) fn varying(body: &Body) -> HashSet<Inst> {
    let products = || {
        let mut ordinals = Ordinals::default();
        of_iterations(body).filter_map(move |(inst, data)| {
            let is_product = matches!(data.op, Op::Bin(Bin::Mul | Bin::Div));
            let mut args = data.args.iter().filter(|_| is_product);
            let constant = args.find_map(|arg| body.constant(*arg))?;
            Some((inst, ordinals.next(data), constant))
        })
    };
    let mut constants: HashMap<(Loc, u32), Option<u64>> = HashMap::default();
    for (_, key, constant) in products() {
        let known = constants.entry(key).or_insert(Some(constant));
        *known = known.filter(|known| *known == constant);
    }
    let varying = products().filter(|(_, key, _)| constants[key].is_none());
    varying.map(|(inst, ..)| inst).collect()
}

/// What is known of the two sides of a sum.
#[derive(Clone, Copy)]
struct Sides {
    /// Whether they follow from what the iteration itself makes.
    own: [bool; 2],
    /// Whether they follow from what another iteration of the loop makes, or from the loop's variable.
    others: [bool; 2],
    /// Whether the second has the lower rank.
    is_lower: bool,
}

/// A sum in the first iteration, and in another one.
#[derive(Clone, Copy, Default)]
struct Seen {
    first: Option<Sides>,
    later: Option<Sides>,
}

impl Seen {
    /// Whether the second side has the lower rank in the loop: what it carries on is behind all that was there before, and
    /// before all that an iteration makes.
    fn is_swapped(&self) -> bool {
        let sides = [self.first, self.later].into_iter().flatten();
        let own = [0, 1].map(|side| sides.clone().any(|sides| sides.own[side]));
        // What only the first iteration makes is the same in all.
        let is_first_own = |side: usize| self.first.is_some_and(|first| first.own[side]);
        let carried = [0, 1]
            .map(|side| self.later.is_some_and(|later| later.others[side]) && !is_first_own(side));
        match carried {
            [true, true] => false,
            [true, false] => !own[1],
            [false, true] => own[0],
            [false, false] => self
                .first
                .or(self.later)
                .is_some_and(|sides| sides.is_lower),
        }
    }
}

/// The sums of iterations of which LLVM takes the second side for the first.
pub(super) fn swapped(body: &Body, ranks: &Ranks, varying: &HashSet<Inst>) -> HashSet<Inst> {
    let loop_of = |iteration: u32| body.loops.get(iteration as usize).copied();
    let mut seen: HashMap<(u32, (Loc, u32)), Seen> = HashMap::default();
    let mut sums = Vec::new();
    let mut ordinals = Ordinals::default();
    for (inst, data) in of_iterations(body) {
        let Some(of) = loop_of(data.iteration).filter(|_| data.op.is_bin(Bin::Add)) else {
            continue;
        };
        let rank = |side: usize| ranks[data.args[side].0 as usize];
        let is_own = |side: usize| rank(side).1 == data.iteration;
        let is_others = |side: usize| {
            let from = rank(side).1;
            let is_varying = match body.values[data.args[side].0 as usize].1 {
                Def::Inst(inst, _) => varying.contains(&inst),
                _ => false,
            };
            from != data.iteration && loop_of(from) == Some(of) || is_varying
        };
        let sides = Sides {
            own: [0, 1].map(is_own),
            others: [0, 1].map(is_others),
            is_lower: rank(1).0 < rank(0).0,
        };
        let key = (of, ordinals.next(data));
        let seen = seen.entry(key).or_default();
        let place = if data.iteration == of {
            &mut seen.first
        } else {
            &mut seen.later
        };
        place.get_or_insert(sides);
        sums.push((inst, key));
    }
    let swapped = sums.into_iter().filter(|(_, key)| seen[key].is_swapped());
    swapped.map(|(inst, _)| inst).collect()
}
