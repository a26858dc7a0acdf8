//! Trip counts: how often a loop runs, as a value that can be computed before it.

use crate::hash::HashSet;
use crate::ir::{Bin, Block, Body, Cmp, Def, Exact, Inst, Loc, Op, Term, Ty, Value, Values};

/// A loop that goes on as long as a number, which changes by the same in every iteration, has not reached its bound.
pub(super) struct Trips {
    /// What is compared at the end of the first iteration.
    start: Start,
    bound: Value,
    step: Step,
    goes_on: Cmp,
}

/// A number before the loop, and whether the step is added before it is compared, and what else: 2 in `k + 2 < n`.
struct Start {
    /// What is counted, in the first iteration and in all.
    first: Value,
    phi: Value,
    is_stepped: bool,
    more: i64,
}

#[derive(Clone, Copy)]
enum Step {
    Constant(i64),
    /// Known only when the loop is entered.
    Value(Value),
}

impl Trips {
    /// Of a loop whose length is known only when it is entered.
    pub(super) fn new(body: &Body, header: Block, latch: Block, blocks: &[Block]) -> Option<Self> {
        let trips = Self::any(body, header, latch, blocks)?;
        let is_known = |value| body.constant(value).is_some();
        let is_constant = is_known(trips.start.first) && is_known(trips.bound);
        (!is_constant).then_some(trips)
    }

    pub(super) fn any(body: &Body, header: Block, latch: Block, blocks: &[Block]) -> Option<Self> {
        let Term::Branch(condition, yes, _) = body.block(latch).term else {
            return None;
        };
        let own: HashSet<Inst> = (blocks.iter())
            .flat_map(|block| body.block(*block).insts.iter().copied())
            .collect();
        let inside = |value: Value| match body.values[value.0 as usize].1 {
            Def::Inst(inst, _) => own.contains(&inst),
            _ => false,
        };
        let test = body.def(condition)?;
        let Op::Cmp(mut goes_on) = test.op else {
            return None;
        };
        if yes != header {
            goes_on = goes_on.opposite()?;
        }
        let (mut number, mut bound) = (test.args[0], test.args[1]);
        if !inside(number) {
            (number, bound) = (bound, number);
            goes_on = goes_on.turned()?;
        }
        let ty = body.ty(number);
        if inside(bound) || !matches!(ty, Ty::B32 | Ty::B64) {
            return None;
        }
        // The number, or what it is in the next iteration.
        let steps = |phi: Value| {
            let data = body.def(phi)?;
            let Op::Phi(from) = &data.op else { return None };
            let is_header = body
                .block(header)
                .insts
                .iter()
                .any(|inst| body.inst(*inst).results.first() == Some(&phi));
            let [a, b] = data.args[..] else { return None };
            let (first, next) = match from[..] {
                [_, back] if back == latch => (a, b),
                [back, _] if back == latch => (b, a),
                _ => return None,
            };
            let sum = body.def(next)?;
            let by = match (&sum.op, &sum.args[..]) {
                (Op::Bin(Bin::Add), [x, by]) if *x == phi => *by,
                (Op::Bin(Bin::Add), [by, x]) if *x == phi => *by,
                _ => return None,
            };
            let is_known = is_header && !inside(first) && !inside(by);
            is_known.then_some((first, next, by, sum.exact == Exact::Yes))
        };
        let phi_of = |next: Value| {
            let args = body.def(next)?.args.iter().copied();
            args.into_iter()
                .find(|arg| steps(*arg).is_some_and(|(_, other, ..)| other == next))
        };
        let form = |number: Value| match steps(number) {
            Some(_) => Some((number, false)),
            None => phi_of(number).map(|phi| (phi, true)),
        };
        let (phi, is_stepped, more) = match form(number) {
            Some((phi, is_stepped)) => (phi, is_stepped, 0),
            None => {
                let sum = body.def(number).filter(|sum| sum.op.is_bin(Bin::Add))?;
                let (phi, is_stepped) = form(sum.args[0])?;
                (phi, is_stepped, ty.signed(body.constant(sum.args[1])?))
            }
        };
        let (first, _, by, is_exact) = steps(phi)?;
        let step = match body.constant(by) {
            Some(bits) => Step::Constant(ty.signed(bits)),
            None if more != 0 => return None,
            None => Step::Value(by),
        };
        let trips = Self {
            start: Start {
                first,
                phi,
                is_stepped,
                more,
            },
            bound,
            step,
            goes_on,
        };
        trips.is_counted(body, is_exact).then_some(trips)
    }

    /// Whether the number reaches its bound before it could pass it by being too large for its type.
    fn is_counted(&self, body: &Body, is_exact: bool) -> bool {
        let is_zero = body.constant(self.bound) == Some(0);
        match (self.goes_on, self.step) {
            (Cmp::Ne, Step::Constant(1 | -1)) => true,
            (Cmp::LtS | Cmp::LeS, Step::Constant(by)) => by > 0 && (by == 1 || is_exact),
            (Cmp::GtS | Cmp::GeS, Step::Constant(by)) => by < 0 && (by == -1 || is_exact),
            (Cmp::LtS, Step::Value(_)) => is_exact,
            (Cmp::LtU, Step::Constant(1)) => true,
            (Cmp::LtU, Step::Constant(by)) => {
                let most = body.ty(self.bound).mask();
                let bound = body.constant(self.bound);
                by > 0 && bound.is_some_and(|bound| bound <= most - (by as u64).min(most))
            }
            (Cmp::GtU, Step::Constant(-1)) => is_zero,
            _ => false,
        }
    }

    /// How many iterations there are if it is the same for all threads of a block that begin the loop, of which there are
    /// so many at most: of `for (e = threadIdx.x; e < 1024; e += 256)` there are four where a block has 256.
    pub(super) fn of_all_threads(&self, body: &Body, threads: Option<u64>) -> Option<u64> {
        let (Cmp::LtU, Step::Constant(by), true, 0) = (
            self.goes_on,
            self.step,
            self.start.is_stepped,
            self.start.more,
        ) else {
            return None;
        };
        let (by, bound) = (u64::try_from(by).ok()?, body.constant(self.bound)?);
        let last = body.unsigned_max_in_block(self.start.first, threads)?;
        let of = |first: u64| Some(bound.checked_sub(first)?.div_ceil(by));
        (last < bound && of(0) == of(last)).then(|| of(0)).flatten()
    }

    /// How many iterations there are, where that follows from constants.
    pub(super) fn constant(&self, body: &Body) -> Option<u64> {
        let Step::Constant(by) = self.step else {
            return None;
        };
        let ty = body.ty(self.bound);
        let is_unsigned = matches!(self.goes_on, Cmp::LtU | Cmp::GtU);
        let of = |bits: u64| match is_unsigned {
            true => i128::from(bits & ty.mask()),
            false => i128::from(ty.signed(bits)),
        };
        let stepped = if self.start.is_stepped { by } else { 0 };
        let first = body.constant(self.start.first)?;
        let first = of(first.wrapping_add_signed(stepped.wrapping_add(self.start.more)));
        let bound = of(body.constant(self.bound)?);
        let distance = if by > 0 { bound - first } else { first - bound };
        let reaches = matches!(self.goes_on, Cmp::LeS | Cmp::GeS);
        let distance = distance + i128::from(reaches);
        if distance < 0 && self.goes_on == Cmp::Ne {
            return None;
        }
        let by = i128::from(by.unsigned_abs());
        u64::try_from(1 + (distance.max(0) + by - 1) / by).ok()
    }

    /// What is counted, with its least and its most in the iterations that there are.
    pub(super) fn bounds(&self, body: &Body) -> Option<(Value, (i64, i64))> {
        let (Step::Constant(by), more) = (self.step, self.constant(body)?.checked_sub(1)?) else {
            return None;
        };
        let first = body.ty(self.bound).signed(body.constant(self.start.first)?);
        let last = first.checked_add(by.checked_mul(i64::try_from(more).ok()?)?)?;
        Some((self.start.phi, (first.min(last), first.max(last))))
    }

    /// The most iterations that there can be, where the bounds of what is compared are known.
    pub(super) fn most(&self, body: &Body) -> Option<u64> {
        let Step::Constant(by) = self.step else {
            return None;
        };
        let goes_up = by > 0;
        let is_unsigned = matches!(self.goes_on, Cmp::LtU | Cmp::GtU);
        let (low, high) = match goes_up {
            true => (self.start.first, self.bound),
            false => (self.bound, self.start.first),
        };
        let low = match (body.range(low), is_unsigned) {
            (Some((least, _)), _) => least,
            (None, true) => 0,
            (None, false) => return None,
        };
        let (_, high) = body.range(high)?;
        let reaches = matches!(self.goes_on, Cmp::LeS | Cmp::GeS) || !self.start.is_stepped;
        let more = i64::from(reaches).checked_sub(self.start.more)?;
        let distance = high.checked_sub(low)?.checked_add(more)?;
        Some((distance.max(1) as u64).div_ceil(by.unsigned_abs()))
    }

    /// Whether a condition says that there is an iteration.
    pub(super) fn begins_if(&self, body: &Body, condition: Value) -> bool {
        let test = body.def(condition);
        test.is_some_and(|test| {
            self.start.more == 0
                && test.op == Op::Cmp(self.goes_on)
                && test.args[..] == [self.start.first, self.bound]
        })
    }

    /// How many iterations come behind the first, computed at the end of a block.
    pub(super) fn more(&self, body: &mut Body, at: Block, loc: Loc) -> Value {
        let ty = body.ty(self.bound);
        let by = match self.step {
            Step::Constant(by) => body.make_constant(ty, by as u64),
            Step::Value(by) => by,
        };
        let bin = |body: &mut Body, bin: Bin, a: Value, b: Value| {
            append(body, at, Op::Bin(bin), ty, [a, b], loc)
        };
        let start = match self.start.is_stepped {
            true => bin(body, Bin::Add, self.start.first, by),
            false => self.start.first,
        };
        let start = match self.start.more {
            0 => start,
            more => {
                let more = body.make_constant(ty, more as u64);
                bin(body, Bin::Add, start, more)
            }
        };
        let goes_up = !matches!(self.step, Step::Constant(by) if by < 0);
        if self.goes_on == Cmp::Ne {
            return match goes_up {
                true => bin(body, Bin::Sub, self.bound, start),
                false => bin(body, Bin::Sub, start, self.bound),
            };
        }
        let one = body.make_constant(ty, if goes_up { 1 } else { u64::MAX });
        let bound = match self.goes_on {
            Cmp::LeS | Cmp::GeS => bin(body, Bin::Add, self.bound, one),
            _ => self.bound,
        };
        let farther = match self.goes_on {
            Cmp::LtU => Bin::MaxU,
            Cmp::GtU => Bin::MinU,
            _ if goes_up => Bin::MaxS,
            _ => Bin::MinS,
        };
        let end = bin(body, farther, bound, start);
        let distance = match goes_up {
            true => bin(body, Bin::Sub, end, start),
            false => bin(body, Bin::Sub, start, end),
        };
        let by = match self.step {
            Step::Constant(1 | -1) => return distance,
            Step::Constant(by) => body.make_constant(ty, by.unsigned_abs()),
            Step::Value(by) => by,
        };
        let minus_one = body.make_constant(ty, u64::MAX);
        let almost = bin(body, Bin::Add, by, minus_one);
        let rounded = bin(body, Bin::Add, distance, almost);
        bin(body, Bin::DivU, rounded, by)
    }
}

/// Appends an instruction to a block; its result.
pub(super) fn append(
    body: &mut Body,
    block: Block,
    op: Op,
    ty: Ty,
    args: impl Into<Values>,
    loc: Loc,
) -> Value {
    let inst = body.make(op, &[ty], args, loc);
    body.blocks[block.0 as usize].insts.push(inst);
    body.inst(inst).results[0]
}

/// Puts an instruction in front of another of its block; its result.
pub(super) fn put_before(
    body: &mut Body,
    (block, before): (Block, Inst),
    op: Op,
    ty: Ty,
    args: impl Into<Values>,
) -> Value {
    let made = body.make(op, &[ty], args, body.inst(before).loc);
    let insts = &mut body.blocks[block.0 as usize].insts;
    let at = insts.iter().position(|inst| *inst == before);
    insts.insert(at.unwrap_or(insts.len()), made);
    body.inst(made).results[0]
}
