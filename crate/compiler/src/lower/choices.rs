//! What decides whether an operand is looked at: `&&`, `||`, `? :`, and conditions that lead to blocks.

use super::Lower;
use super::values::{Typed, same_plain};
use crate::diagnostics::Res;
use crate::ir::{Bin, Block, FULLY_DEPENDENT, Op, Term, Ty, Value};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Scalar};
use crate::types::{self, Kind, Type};

/// Instructions that are run for nothing rather than jumped over.
const SPECULATED: usize = 6;

impl Lower<'_> {
    /// Moves a block's instructions to the end of the one at hand, if that costs little; the block must be the newest.
    fn speculate(&mut self, into: Block, from: Block) -> bool {
        let symbols = &self.module.symbols;
        let body = &self.builder.body;
        let data = body.block(from);
        let cheap = |inst: &crate::ir::Inst| {
            let inst = body.inst(*inst);
            match inst.op {
                Op::Load(mem) => {
                    !mem.is_volatile
                        && is_within_symbol(
                            body,
                            symbols,
                            inst.args[0],
                            mem.ty.bytes() * u64::from(mem.count),
                        )
                }
                Op::Phi(_) => false,
                // A condition may be there to keep a divisor from being 0.
                Op::Bin(Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS) => {
                    body.constant(inst.args[1]).is_some_and(|by| by != 0)
                }
                _ => inst.op.is_pure(),
            }
        };
        if data.term != Term::None || !data.insts.iter().all(cheap) {
            return false;
        }
        if self.count_of(from) > SPECULATED {
            return false;
        }
        let body = &mut self.builder.body;
        let moved = std::mem::take(&mut body.blocks[from.0 as usize].insts);
        body.blocks[into.0 as usize].insts.extend(moved);
        true
    }

    /// How many instructions a block has but for those that are none in a copy.
    fn count_of(&self, block: Block) -> usize {
        let body = &self.builder.body;
        let insts = &body.block(block).insts;
        if !body.symbolic.is_any() {
            return insts.len();
        }
        let stays = |inst: &&crate::ir::Inst| {
            let results = &body.inst(**inst).results;
            let mark = results
                .iter()
                .fold(0, |mark, one| mark | body.symbolic.mark(*one));
            if mark & FULLY_DEPENDENT == 0 {
                body.symbolic.asks_all(mark); // a copy may have more of it or less
            }
            mark & FULLY_DEPENDENT == 0
        };
        insts.iter().filter(stays).count()
    }

    pub(super) fn logical(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Res<Typed> {
        let is_and = operator == Binary::LogicalAnd;
        let a = self.expr(left)?;
        let a = self.truth(&a, left.span)?;
        if let Some(bits) = self.builder.body.constant_or_symbolic(a) {
            if (bits == 0) == is_and {
                return Ok(Typed::scalar(Scalar::Bool, a));
            }
            let b = self.expr(right)?;
            let b = self.truth(&b, right.span)?;
            return Ok(Typed::scalar(Scalar::Bool, b));
        }
        let from = self.builder.at;
        let ended = self.builder.is_ended();
        let (b, other, is_whole) = self.apart(right)?;
        if is_whole && !ended && self.speculate(from, other) {
            self.builder.go_to(from);
            let bin = if is_and { Bin::And } else { Bin::Or };
            return Ok(Typed::scalar(Scalar::Bool, self.builder.bin(bin, a, b)));
        }
        self.builder.body.asks(a); // were it known, there would be one block
        let last = self.builder.at;
        let join = self.builder.block();
        self.builder.end(Term::Jump(join));
        self.builder.go_to(from);
        self.builder.end(if is_and {
            Term::Branch(a, other, join)
        } else {
            Term::Branch(a, join, other)
        });
        self.builder.go_to(join);
        let known = self.builder.constant(Ty::Pred, u64::from(!is_and));
        let value = self
            .builder
            .emit(Op::Phi(vec![from, last]), &[Ty::Pred], vec![known, b])[0];
        Ok(Typed::scalar(Scalar::Bool, value))
    }

    /// The right side in a block of its own: its value, the block, and whether all of it stands there.
    fn apart(&mut self, right: &Expr) -> Res<(Value, Block, bool)> {
        let other = self.builder.block();
        self.builder.go_to(other);
        let went_on = self.builder.went_on;
        let b = self.perhaps(|lower| lower.expr(right))?;
        let b = self.truth(&b, right.span)?;
        let is_whole = self.builder.at == other && self.builder.went_on == went_on;
        Ok((b, other, is_whole))
    }

    /// Goes to one of two blocks by a condition.
    pub(super) fn branch_on(&mut self, condition: &Expr, yes: Block, no: Block) -> Res<()> {
        if let ExprKind::Binary(operator @ (Binary::LogicalAnd | Binary::LogicalOr), left, right) =
            &condition.kind
        {
            let is_and = *operator == Binary::LogicalAnd;
            let a = self.expr(left)?;
            let a = self.truth(&a, left.span)?;
            let decided = self.builder.body.constant_or_symbolic(a);
            if decided.is_none() && !self.builder.is_ended() {
                let from = self.builder.at;
                let (b, other, is_whole) = self.apart(right)?;
                if is_whole && self.speculate(from, other) {
                    self.builder.go_to(from);
                    let both = self
                        .builder
                        .bin(if is_and { Bin::And } else { Bin::Or }, a, b);
                    self.builder.end(Term::Branch(both, yes, no));
                    return Ok(());
                }
                self.builder.body.asks(a); // were it known, there would be one block less
                self.builder.end(Term::Branch(b, yes, no));
                self.builder.go_to(from);
                self.builder.end(if is_and {
                    Term::Branch(a, other, no)
                } else {
                    Term::Branch(a, yes, other)
                });
                return Ok(());
            }
            if decided.is_some_and(|bits| (bits == 0) == is_and) {
                self.builder.end(Term::Jump(if is_and { no } else { yes }));
                return Ok(());
            }
            return self.branch_on(right, yes, no);
        }
        let value = self.whole(condition.span, |lower| {
            let typed = lower.expr(condition)?;
            lower.truth(&typed, condition.span)
        })?;
        self.builder.end(Term::Branch(value, yes, no));
        Ok(())
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        yes: &Expr,
        no: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let typed = self.expr(condition)?;
        let value = self.truth(&typed, condition.span)?;
        if let Some(bits) = self.builder.body.constant_or_symbolic(value) {
            let (chosen, other) = if bits != 0 { (yes, no) } else { (no, yes) };
            // A function that is recursive while compiling ends here: the arm not taken is not looked at.
            let function = self.frames.last().and_then(|frame| frame.function.as_ref());
            if function.is_some_and(|function| function.is_constexpr) {
                return self.expr(chosen);
            }
            let other = self.aside(|lower| lower.expr(other))?;
            let chosen = self.expr(chosen)?;
            let ty = self.meeting_type(&chosen, &other, span)?;
            if ty.is_aggregate() || ty.is_void() || same_plain(&chosen.ty, &ty) {
                return Ok(chosen);
            }
            let value = self.convert(&chosen, &ty, span)?;
            return Ok(Typed::value(ty, value));
        }
        let from = self.builder.at;
        let (first, second, join) = (
            self.builder.block(),
            self.builder.block(),
            self.builder.block(),
        );
        let went_on = self.builder.went_on;
        let (mut arms, mut ends) = (Vec::new(), Vec::new());
        for (block, arm) in [(first, yes), (second, no)] {
            self.builder.go_to(block);
            arms.push(self.perhaps(|lower| lower.expr(arm))?);
            ends.push(self.builder.at);
        }
        let (end_first, end_second) = (ends[0], ends[1]);
        let ty = self.meeting_type(&arms[0], &arms[1], span)?;
        self.builder.go_to(from);
        let slot = if ty.is_aggregate() {
            Some(self.new_slot(&ty.plain()))
        } else {
            None
        };
        let mut results = Vec::new();
        for (end, typed) in ends.iter().zip(&arms) {
            self.builder.go_to(*end);
            match slot {
                Some(slot) => self.store(&ty.plain(), slot, typed, span)?,
                None if ty.is_void() => {}
                None => results.push(self.convert(typed, &ty, span)?),
            }
        }
        let is_whole = end_first == first && end_second == second;
        let is_whole = is_whole && self.builder.went_on == went_on;
        if let ([a, b], true) = (&results[..], is_whole) {
            let (a, b) = (*a, *b);
            let both = self.count_of(first) + self.count_of(second);
            if both <= SPECULATED && self.speculate(from, first) && self.speculate(from, second) {
                self.builder.go_to(from);
                return Ok(Typed::value(ty, self.builder.select(value, a, b)));
            }
        }
        self.builder.body.asks(value); // were it known, there would be one arm
        for end in [end_first, end_second] {
            self.builder.go_to(end);
            self.builder.end(Term::Jump(join));
        }
        self.builder.go_to(from);
        self.builder.end(Term::Branch(value, first, second));
        self.builder.go_to(join);
        match (slot, &results[..]) {
            (Some(slot), _) => Ok(Typed::place(ty.plain(), slot)),
            (None, [a, b]) => {
                let register = self.builder.body.ty(*a);
                let args = vec![*a, *b];
                let value =
                    self.builder
                        .emit(Op::Phi(vec![end_first, end_second]), &[register], args)[0];
                Ok(Typed::value(ty, value))
            }
            _ => Ok(Typed::void()),
        }
    }

    fn meeting_type(&mut self, a: &Typed, b: &Typed, span: Span) -> Res<Type> {
        let (a, b) = (self.decayed(a.clone()), self.decayed(b.clone()));
        match (&a.ty.kind, &b.ty.kind) {
            (Kind::Function | Kind::Callee(_), _) | (_, Kind::Function | Kind::Callee(_)) => {
                self.meeting_callee(&a, &b, span)
            }
            _ if self.captures_nothing(&a.ty) && self.captures_nothing(&b.ty) => {
                self.meeting_callee(&a, &b, span)
            }
            (x, y) if x == y => Ok(a.ty.plain()),
            (Kind::Pointer(x), Kind::Pointer(y)) if same_plain(x, y) => {
                let mut of = (**x).clone();
                of.is_const |= y.is_const;
                of.is_volatile |= y.is_volatile;
                Ok(Type::pointer(of))
            }
            // A pointer to an object meets one to a base of it there.
            (Kind::Pointer(x), Kind::Pointer(y)) if self.structs.derives(x, y) => Ok(b.ty.plain()),
            (Kind::Pointer(x), Kind::Pointer(y)) if self.structs.derives(y, x) => Ok(a.ty.plain()),
            (Kind::Pointer(_), Kind::Null | Kind::Scalar(_)) => Ok(a.ty.plain()),
            (Kind::Null | Kind::Scalar(_), Kind::Pointer(_)) => Ok(b.ty.plain()),
            _ if a.ty.is_arithmetic() && b.ty.is_arithmetic() => {
                let scalar = |ty: &Type| match ty.kind {
                    Kind::Scalar(scalar) => scalar,
                    _ => Scalar::Int,
                };
                Ok(Type::scalar(types::common(scalar(&a.ty), scalar(&b.ty))))
            }
            _ => Err(self.no_operator("? :", &a.ty, &b.ty, span)),
        }
    }
}

/// Whether an address lies in a variable wherever control goes, so that reading it does no harm.
fn is_within_symbol(
    body: &crate::ir::Body,
    symbols: &[super::SymbolData],
    address: Value,
    bytes: u64,
) -> bool {
    let (mut at, mut offset) = (address, 0_u64);
    loop {
        let Some(inst) = body.def(at) else {
            return false;
        };
        match (&inst.op, &inst.args[..]) {
            (Op::Symbol(symbol), _) => {
                let end = offset.checked_add(bytes);
                return end.is_some_and(|end| end <= symbols[symbol.0 as usize].size);
            }
            (Op::ToGeneric(_), [inner]) => at = *inner,
            (Op::Bin(Bin::Add), [base, by]) => match body.constant(*by) {
                Some(by) => {
                    offset = offset.wrapping_add(by);
                    at = *base;
                }
                None => return false,
            },
            _ => return false,
        }
    }
}
