//! What the iterations of an unrolled loop tell of the loop that they were when LLVM ordered the sides of sums: which values it
//! carried on, and which constants followed from its variable.

use crate::hash::{HashMap, HashSet};
use crate::ir::graph::Graph;
use crate::ir::{Bin, BlockData, Body, Inst, Instruction, Loc, ORDERED, Op, Value};

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

/// Floating-point instructions of iterations, of some blocks.
fn of_iterations<'a>(
    body: &'a Body,
    blocks: impl Iterator<Item = &'a BlockData>,
) -> impl Iterator<Item = (Inst, &'a Instruction)> {
    blocks.flat_map(|block| &block.insts).filter_map(|inst| {
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

/// Arithmetic with a constant that only one iteration has in a statement: it follows from the loop's variable.
pub(super) fn varying(body: &Body) -> HashSet<Inst> {
    let with_constants = || {
        of_iterations(body, body.blocks.iter()).filter_map(|(inst, data)| {
            let is_arithmetic =
                matches!(data.op, Op::Bin(Bin::Mul | Bin::Div | Bin::Add | Bin::Sub));
            let mut args = data.args.iter().filter(|_| is_arithmetic);
            let constant = args.find_map(|arg| body.constant(*arg))?;
            Some((inst, data, constant))
        })
    };
    // By statement, and by constant: an iteration that has it, and whether others do too.
    let mut statements: HashMap<Loc, (u32, bool)> = HashMap::default();
    let mut constants: HashMap<(Loc, u64), (u32, bool)> = HashMap::default();
    for (_, data, constant) in with_constants() {
        let alone = (data.iteration, false);
        let statement = statements.entry(data.loc).or_insert(alone);
        let constant = constants.entry((data.loc, constant)).or_insert(alone);
        for (first, several) in [statement, constant] {
            *several |= *first != data.iteration;
        }
    }
    let varying = with_constants().filter(|(_, data, constant)| {
        statements[&data.loc].1 && !constants[&(data.loc, *constant)].1
    });
    varying.map(|(inst, ..)| inst).collect()
}

/// What is known of the two sides of a sum.
#[derive(Clone, Copy)]
struct Sides {
    /// Whether they follow from what the iteration itself loads or finds out.
    own: [bool; 2],
    /// What the iteration before made that they follow from.
    carried: [Option<Value>; 2],
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
    /// Takes in what another iteration shows.
    fn see(&mut self, sides: Sides, is_first: bool) {
        let seen = match is_first {
            true => &mut self.first,
            false => &mut self.later,
        };
        let known = *seen.get_or_insert(sides);
        *seen = Some(Sides {
            own: [0, 1].map(|side| known.own[side] || sides.own[side]),
            carried: [0, 1].map(|side| known.carried[side].or(sides.carried[side])),
            is_lower: match (0..2).all(|side| sides.own[side] || !known.own[side]) {
                true => sides.is_lower,
                false => known.is_lower,
            },
        });
    }

    /// Whether the second side has the lower rank in the loop: what it carries on is behind all that was there before, and
    /// before all that an iteration makes.
    fn is_swapped(&self) -> bool {
        let sides = || [self.first, self.later].into_iter().flatten();
        let own = [0, 1].map(|side| sides().any(|sides| sides.own[side]));
        let carried = [0, 1].map(|side| {
            let later = self.later.filter(|_| !own[side]);
            later.and_then(|later| later.carried[side])
        });
        let is_lower = |wanted: &dyn Fn(&Sides) -> bool| {
            let mut sides = sides().filter(wanted);
            sides.next().is_some_and(|sides| sides.is_lower)
        };
        match carried {
            [Some(a), Some(b)] => a == b && is_lower(&|sides| sides.carried == [Some(a), Some(b)]),
            [Some(_), None] => !own[1],
            [None, Some(_)] => own[0],
            [None, None] => is_lower(&|sides| sides.own == own),
        }
    }
}

/// What iterations carry on.
struct Carried<'a> {
    body: &'a Body,
    varying: &'a HashSet<Inst>,
    /// By value: what it follows from that another iteration made, or that follows from the loop's variable.
    from: HashMap<Value, Value>,
    /// What first iterations make, with the statements of theirs that use it: where others use it too, it is the same in all.
    used: HashSet<(Value, Loc)>,
    /// What others use too of it.
    shared: HashSet<Value>,
}

impl<'a> Carried<'a> {
    fn new(body: &'a Body, varying: &'a HashSet<Inst>) -> Self {
        Self {
            body,
            varying,
            from: HashMap::default(),
            used: HashSet::default(),
            shared: HashSet::default(),
        }
    }

    fn first_of(&self, iteration: u32) -> Option<u32> {
        self.body.loops.get(iteration as usize).copied()
    }

    /// What an argument follows from, or is, if the iteration does not make it but another one of its loop does.
    fn of(&self, data: &Instruction, arg: Value) -> Option<Value> {
        let of = self.body.def(arg).map_or(0, |def| def.iteration);
        let first = self.first_of(data.iteration);
        if of == data.iteration {
            return self.from.get(&arg).copied();
        }
        let is_others = of != 0 && self.first_of(of) == first && first != Some(data.iteration);
        (is_others && !self.used.contains(&(arg, data.loc))).then_some(arg)
    }

    fn pass(&mut self, inst: Inst, data: &Instruction) {
        let Some(&result) = data.results.first() else {
            return;
        };
        let is_varying = self.varying.contains(&inst).then_some(result);
        let found = is_varying.or_else(|| data.args.iter().find_map(|arg| self.of(data, *arg)));
        let args = data.args.iter().map(|arg| (*arg, data.loc));
        match self.first_of(data.iteration) == Some(data.iteration) {
            true => self.used.extend(args),
            false => {
                let shared = args.filter(|arg| self.used.contains(arg));
                self.shared.extend(shared.map(|(arg, _)| arg));
            }
        }
        if let Some(found) = found {
            self.from.insert(result, found);
        }
    }
}

/// The sums of iterations of which LLVM takes the second side for the first.
pub(super) fn swapped(
    body: &Body,
    graph: &Graph,
    ranks: &[(u64, u32)],
    varying: &HashSet<Inst>,
) -> HashSet<Inst> {
    let mut swapped = HashSet::default();
    if of_iterations(body, body.blocks.iter()).next().is_none() {
        return swapped;
    }
    let blocks = graph.order.iter().map(|block| body.block(*block));
    let insts: Vec<(Inst, &Instruction)> = of_iterations(body, blocks).collect();
    let mut carried = Carried::new(body, varying);
    for (inst, data) in &insts {
        carried.pass(*inst, data);
    }
    let mut seen: HashMap<(u32, (Loc, u32)), Seen> = HashMap::default();
    let mut sums = Vec::new();
    let mut ordinals = Ordinals::default();
    for (inst, data) in insts {
        let first = carried.first_of(data.iteration);
        let Some(first) = first.filter(|_| data.op.is_bin(Bin::Add)) else {
            continue;
        };
        let rank = |side: usize| ranks[data.args[side].0 as usize];
        let sides = Sides {
            own: [0, 1].map(|side| rank(side).1 == data.iteration),
            carried: [0, 1].map(|side| carried.of(data, data.args[side])),
            is_lower: rank(1).0 < rank(0).0,
        };
        if carried.shared.contains(&data.results[0]) {
            // There is none of it in other iterations.
            swapped.extend(sides.is_lower.then_some(inst));
            continue;
        }
        let key = (first, ordinals.next(data));
        let seen = seen.entry(key).or_default();
        seen.see(sides, data.iteration == first);
        sums.push((inst, key));
    }
    let others = sums.into_iter().filter(|(_, key)| seen[key].is_swapped());
    swapped.extend(others.map(|(inst, _)| inst));
    swapped
}
