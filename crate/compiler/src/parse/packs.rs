//! What is written of packs of parameters (`f(x)...`, `(x + ...)`), and of memory that a kernel asks for (`new`, `delete`).

use super::Parser;
use super::expressions::OPERATORS;
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Fold, New};
use std::rc::Rc;

impl Parser<'_> {
    /// An expression that begins at this token, or what `...` behind it makes of it.
    #[inline(never)]
    pub(super) fn expanded(&mut self, value: Expr, start: usize) -> Res<Expr> {
        if !self.is("...") {
            return Ok(value);
        }
        let packs = self.packs_since(start);
        let span = value.span.to(self.next().span);
        if packs.is_empty() {
            let help =
                "`...` stands behind what names a pack: a parameter that was declared with `...`";
            return Err(self
                .sink
                .error_help(span, "there is no pack to expand here", help));
        }
        let depth = value.depth + 1;
        let kind = ExprKind::Expand(packs, Box::new(value));
        Ok(Expr { span, kind, depth })
    }

    /// The operator of a fold, if one stands here: none for the comma.
    fn fold_operator(&mut self) -> Option<Option<Binary>> {
        if self.eat(",") {
            return Some(None);
        }
        let token = self.peek();
        let found = OPERATORS.iter().find(|(text, ..)| token.is(text))?.1;
        self.at += 1;
        Some(Some(found))
    }

    /// `... + x)`, behind the bracket that opens.
    #[inline(never)]
    pub(super) fn fold_from_left(&mut self, open: Span) -> Res<Expr> {
        self.expect("...")?;
        let operator = self.needed_operator()?;
        let start = self.at;
        let pattern = self.deeper(Self::unary)?;
        let packs = self.packs_since(start);
        let fold = Fold {
            operator,
            packs,
            pattern,
            init: None,
            from_left: true,
        };
        self.fold(fold, open)
    }

    fn needed_operator(&mut self) -> Res<Option<Binary>> {
        match self.fold_operator() {
            Some(operator) => Ok(operator),
            None => Err(self
                .sink
                .error(self.span(), "an operator was expected here")),
        }
    }

    /// `x + ...)` and `x + ... + y)`, of which the first part is read.
    #[inline(never)]
    pub(super) fn fold_from_right(&mut self, first: Expr, start: usize, open: Span) -> Res<Expr> {
        let before = self.packs_since(start);
        let operator = self.needed_operator()?;
        self.expect("...")?;
        let (mut pattern, mut packs, mut init, mut from_left) = (first, before, None, false);
        if !self.is(")") {
            self.needed_operator()?;
            let second = self.at;
            let last = self.deeper(Self::unary)?;
            from_left = packs.is_empty();
            init = Some(last);
            if from_left {
                packs = self.packs_since(second);
                init = init.map(|last| std::mem::replace(&mut pattern, last));
            }
        }
        let fold = Fold {
            operator,
            packs,
            pattern,
            init,
            from_left,
        };
        self.fold(fold, open)
    }

    fn fold(&mut self, fold: Fold, open: Span) -> Res<Expr> {
        let span = open.to(self.expect(")")?);
        if fold.packs.is_empty() {
            let help = "one of the sides names a parameter that was declared with `...`";
            return Err(self
                .sink
                .error_help(span, "there is no pack to expand here", help));
        }
        let init = fold.init.as_ref().map_or(0, |init| init.depth);
        let depth = fold.pattern.depth.max(init) + 1;
        self.check_depth(depth, span)?;
        let kind = ExprKind::Fold(Rc::new(fold));
        Ok(Expr { span, kind, depth })
    }

    /// `new T`, `new T[n]`, `new T(…)`, `new (place) T(…)`.
    #[inline(never)]
    pub(super) fn new_object(&mut self) -> Res<Expr> {
        let start = self.next().span;
        let mut place = None;
        if self.eat("(") {
            place = Some(self.in_brackets(Self::expression)?);
            self.expect(")")?;
        }
        let specifiers = self.specifiers()?;
        let Some(mut ty) = specifiers.ty else {
            return Err(self.no_type());
        };
        while self.is("*") {
            let span = ty.span.to(self.next().span);
            ty = super::types::syntax(crate::syntax::TypeKind::Pointer(Box::new(ty)), span);
        }
        let mut count = None;
        if self.eat("[") {
            count = Some(self.in_brackets(Self::expression)?);
            self.expect("]")?;
        }
        let (mut values, mut is_braces) = (None, false);
        if self.eat("(") {
            values = Some(self.expressions_up_to(")")?);
        } else if self.eat("{") {
            is_braces = true;
            values = Some(self.expressions_up_to("}")?);
        }
        let parts = values.iter().flatten().chain(&count).chain(&place);
        let depth = parts.map(|part| part.depth).max().unwrap_or(0) + 1;
        let span = start.to(self.last());
        self.check_depth(depth, span)?;
        let kind = ExprKind::New(Rc::new(New {
            place,
            ty,
            count,
            values,
            is_braces,
        }));
        Ok(Expr { span, kind, depth })
    }

    #[inline(never)]
    pub(super) fn delete(&mut self) -> Res<Expr> {
        let start = self.next().span;
        if self.eat("[") {
            self.expect("]")?;
        }
        let inner = self.deeper(Self::unary)?;
        let (span, depth) = (start.to(inner.span), inner.depth + 1);
        let kind = ExprKind::Delete(Box::new(inner));
        Ok(Expr { span, kind, depth })
    }
}
