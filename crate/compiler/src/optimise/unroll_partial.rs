//! Partial unrolling: runs some iterations at a time of loops over constants that are too long for `unroll_full`, as
//! NVIDIA's compiler does.

use super::analyses::Analyses;
use super::loop_clone::{Shape, new_block, set_ways};
use super::natural_loops::loops;
use super::trip_count::Trips;
use super::unroll_runtime::{MOST_ASKED, MOST_TOGETHER, MOST_WHOLLY, cost, size};
use crate::hash::HashSet;
use crate::ir::{Bin, Block, Body, Op, Term, Ty, Value};

/// The most iterations at a time where they do not come out even.
const MOST_UNEVEN: u64 = 4;

/// Iterations that are left of a loop that was unrolled in part, up to which they may stand one behind the other.
const MOST_LEFT: u64 = 10;

/// True if there was such a loop.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses) -> bool {
    let graph = analyses.graph(body);
    let counted: Vec<(Shape, Trips)> = (loops(body, &graph).iter())
        .filter_map(|natural| {
            let shape = Shape::new(body, &graph, natural)?;
            let trips = Trips::any(body, shape.header, shape.latch, &shape.blocks)?;
            Some((shape, trips))
        })
        .collect();
    // For what is asked of their numbers.
    let bounds: Vec<_> = (counted.iter())
        .filter_map(|(_, trips)| trips.bounds(body))
        .collect();
    body.counted.extend(bounds);
    let plans: Vec<Plan> = (counted.into_iter())
        .filter_map(|(shape, trips)| Plan::new(body, shape, &trips))
        .collect();
    for plan in &plans {
        plan.carry_out(body);
    }
    !plans.is_empty()
}

/// How many iterations of a loop run at a time, if more than one.
fn at_a_time(trips: u64, size: usize) -> Option<u64> {
    let even = 1 << trips.trailing_zeros().min(63);
    let most = match even {
        1 => MOST_UNEVEN.min(trips),
        _ => even,
    };
    let fits = |count: &u64| size * *count as usize <= MOST_TOGETHER;
    let counts = std::iter::successors(Some(most), |count| Some(count / 2));
    let mut counts = counts.take_while(|count| *count > 1);
    counts.find(fits)
}

/// Whether nothing is left of a loop that was unrolled in part, since few iterations are left then which are small: what follows
/// from the number of the iteration alone is then known in each.
pub(super) fn leaves_few(body: &Body, shape: &Shape, trips: u64) -> bool {
    let all = size(body, &shape.blocks);
    let Some(count) = at_a_time(trips, all) else {
        return false;
    };
    let left = trips / count;
    if !trips.is_multiple_of(count) || left > MOST_LEFT {
        return false;
    }
    let again = all - known(body, shape);
    (all + again * (count as usize - 1)) * left as usize <= MOST_WHOLLY
}

/// What of a loop's size is known in each iteration, or is part of an address.
fn known(body: &Body, shape: &Shape) -> usize {
    let own = shape.own_values(body);
    let mut known: HashSet<Value> = HashSet::default();
    // The block of each further iteration joins the one before.
    let mut size = shape.blocks.len();
    for block in &shape.blocks {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let is_known = |value: &Value| known.contains(value) || body.constant(*value).is_some();
            let begins = |begin| body.constant(begin).is_some() && !body.ty(begin).is_float();
            let is_number = match &data.op {
                Op::Phi(_) if shape.phis.contains(inst) => {
                    shape.arg(body, *inst, shape.before).is_some_and(begins)
                }
                Op::Bin(_) | Op::Cmp(_) | Op::Cvt(_) | Op::Select => data.args.iter().all(is_known),
                _ => false,
            };
            let is_wide = |result: &Value| body.ty(*result) == Ty::B64;
            let is_address = data.op.is_bin(Bin::Add)
                && data.results.first().is_some_and(is_wide)
                && (data.args.iter()).all(|arg| is_known(arg) || !own.contains(arg));
            if is_number || is_address {
                size += cost(body, *inst);
            }
            if is_number {
                known.extend(&data.results);
            }
        }
    }
    size.min(self::size(body, &shape.blocks))
}

/// A loop that will be unrolled in part.
struct Plan {
    shape: Shape,
    /// Iterations at a time.
    count: usize,
    /// Which of them may be the last of all, the first being 1.
    asks: usize,
}

impl Plan {
    fn new(body: &Body, shape: Shape, trips: &Trips) -> Option<Self> {
        let data = body.block(shape.header);
        if data.is_done || data.unroll == Some(1) {
            return None;
        }
        let trips = trips.constant(body)?;
        let size = size(body, &shape.blocks);
        let count = match data.unroll {
            Some(asked) => trips.min(u64::from(asked)),
            None => at_a_time(trips, size)?,
        };
        if count < 2 || size.saturating_mul(count as usize) > MOST_ASKED {
            return None;
        }
        let asks = match trips % count {
            0 => count,
            left => left,
        };
        Some(Self {
            shape,
            count: count as usize,
            asks: asks as usize,
        })
    }

    /// Copies behind one another, of which the last goes back and one may go on behind the loop.
    fn carry_out(&self, body: &mut Body) {
        let shape = &self.shape;
        let header = &mut body.blocks[shape.header.0 as usize];
        header.is_done = header.unroll.is_some();
        let out = new_block(body, body.block(shape.header).loc);
        let ends = shape.lead_out(body, out);
        let copies = shape.iterations(body, self.count);
        let latches: Vec<Block> = std::iter::once(shape.latch)
            .chain(copies.iter().map(|copy| copy.latch))
            .collect();
        for (number, latch) in latches.iter().enumerate() {
            let next = copies.get(number).map_or(shape.header, |copy| copy.header);
            let term = &mut body.blocks[latch.0 as usize].term;
            *term = match *term {
                Term::Branch(condition, yes, _) if number + 1 == self.asks => {
                    match yes == shape.exit {
                        true => Term::Branch(condition, out, next),
                        false => Term::Branch(condition, next, out),
                    }
                }
                _ => Term::Jump(next),
            };
        }
        let Some(last) = copies.last() else { return };
        for phi in &shape.phis {
            let [begin, next] = [shape.before, shape.latch].map(|from| shape.arg(body, *phi, from));
            if let (Some(begin), Some(next)) = (begin, next) {
                let next = last.of(next);
                set_ways(body, *phi, [(shape.before, begin), (last.latch, next)]);
            }
        }
        let asking = latches[self.asks - 1];
        for (value, end) in ends {
            let value = match self.asks.checked_sub(2) {
                None => value,
                Some(copy) => copies[copy].of(value),
            };
            set_ways(body, end, [(asking, value)]);
        }
    }
}
