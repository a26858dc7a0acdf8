//! Assignments and steps: the place that is changed, whether it may be, and whether a function of its struct does it.

use super::Lower;
use super::operators::spelled;
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::{Space, Value};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Scalar, Unary};
use crate::types::{Kind, Type};

impl Lower<'_> {
    pub(super) fn assign(
        &mut self,
        operator: Option<Binary>,
        to: &Expr,
        from: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let Some(operator) = operator else {
            let value = match &from.kind {
                // An object of its own first: the list may read what is assigned to.
                ExprKind::List(list) => {
                    let ty = self.type_of_expr(to)?.plain();
                    self.construct(&ty, list, true, span)?
                }
                _ => self.expr(from)?,
            };
            let read = self.read_now(&value, from.span)?;
            let place = self.place_of(to)?;
            if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
                self.store_bits(&place.ty, *address, *bits, &value, from.span)?;
                return Ok(place);
            }
            let (place, address) = self.checked_place(place, to)?;
            if self.assigns(&place.ty, from, &value) {
                let given = vec![Given::of(from, &value)];
                return self.call_operator(&place, "operator=", given, span);
            }
            if matches!(place.ty.kind, Kind::Array(..)) {
                let help = "copy the elements one by one";
                return Err(self.sink.error_help(
                    span,
                    "an array cannot be assigned as a whole",
                    help,
                ));
            }
            // A number is read before its place is found, so that `a[i] = b[i]` reads first.
            match self.is_polymorphic(&place.ty) {
                true => self.keeping_table(address, |lower| {
                    lower.store_at(&place, address, &value, from.span)
                })?,
                false => self.store_at(&place, address, &read.unwrap_or(value), from.span)?,
            }
            return Ok(place);
        };
        let value = self.expr(from)?;
        let place = self.place_of(to)?;
        if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
            let result = self.operate(operator, place.clone(), value, span)?;
            self.store_bits(&place.ty, *address, *bits, &result, span)?;
            return Ok(place);
        }
        let (place, address) = self.checked_place(place, to)?;
        let is_struct = place.ty.is_struct();
        if is_struct || matches!(place.ty.kind, Kind::Enum(..)) {
            let name = format!("operator{}=", spelled(operator));
            if !is_struct && !self.has_enum_operator(&[&place.ty], &name) {
                return self.assign_plainly(operator, &place, address, value, from.span, span);
            }
            return self.changing_operator(&place, &name, to, Given::of(from, &value), span);
        }
        self.assign_plainly(operator, &place, address, value, from.span, span)
    }

    /// `a += b` of numbers.
    fn assign_plainly(
        &mut self,
        operator: Binary,
        place: &Typed,
        address: Value,
        value: Typed,
        at: Span,
        span: Span,
    ) -> Res<Typed> {
        let value = self.as_number(value, at)?;
        let value = match &value.form {
            // Read now: the place may be what the value is read from.
            Form::Place(_) if !value.ty.is_aggregate() => {
                let read = self.rvalue(&value, at)?;
                Typed::value(value.ty.plain(), read)
            }
            _ => value,
        };
        let result = self.operate(operator, place.clone(), value, span)?;
        self.store_cast(place, address, &result, span)?;
        Ok(place.clone())
    }

    /// `a += b` of a struct: its own function, or one outside that takes both.
    fn changing_operator(
        &mut self,
        object: &Typed,
        name: &str,
        to: &Expr,
        given: Given,
        span: Span,
    ) -> Res<Typed> {
        let is_member = self.has_operator(&object.ty, name, 1);
        match self.free_operator(name) {
            Some(Binding::Functions(list)) if !is_member => {
                let given = vec![Given::of(to, object), given];
                let chosen = self.choose(name, &list, None, &given, span)?;
                self.inline(chosen, None, given, span)
            }
            _ => self.call_operator(object, name, vec![given], span),
        }
    }

    pub(super) fn step(&mut self, operator: Unary, inner: &Expr, span: Span) -> Res<Typed> {
        let place = self.place_of(inner)?;
        let is_after = matches!(operator, Unary::IncrementAfter | Unary::DecrementAfter);
        let binary = match operator {
            Unary::Increment | Unary::IncrementAfter => Binary::Add,
            _ => Binary::Sub,
        };
        if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
            let before = self.decayed(place.clone());
            let one = Typed::scalar(Scalar::Int, self.builder.u32(1));
            let result = self.operate(binary, before.clone(), one, span)?;
            self.store_bits(&place.ty, *address, *bits, &result, span)?;
            return Ok(if is_after { before } else { place });
        }
        let (place, address) = self.checked_place(place, inner)?;
        let name = match operator {
            Unary::Increment | Unary::IncrementAfter => "operator++",
            _ => "operator--",
        };
        if self.has_enum_operator(&[&place.ty], name) {
            return self.unary_operator(place, name, inner, span);
        }
        if place.ty.is_struct() {
            return self.step_struct(&place, name, is_after, inner, span);
        }
        let before = self.rvalue(&place, span)?;
        let before = Typed::value(place.ty.plain(), before);
        let one = Typed::scalar(Scalar::Int, self.builder.u32(1));
        let result = self.operate(binary, before.clone(), one, span)?;
        self.store_cast(&place, address, &result, span)?;
        Ok(if is_after { before } else { place })
    }

    fn store_cast(&mut self, to: &Typed, address: Value, result: &Typed, span: Span) -> Res<()> {
        let value = self.convert(result, &to.ty.plain(), span)?;
        self.store_to(&to.ty, address, to.origin, value);
        Ok(())
    }

    /// Whether a struct has a function that assigns this to it; its own objects it copies without one.
    #[inline(never)]
    fn assigns(&mut self, ty: &Type, expr: &Expr, value: &Typed) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, "operator=") else {
            return false;
        };
        let given = [Given::of(expr, value)];
        ty.kind != value.ty.kind
            || list.iter().any(|one| {
                let fits = self.fits(one, None, &given);
                fits.is_ok_and(|((score, _), _)| score < super::ranks::BY_CONVERSION)
            })
    }

    /// The place on the left of an assignment.
    fn checked_place(&mut self, typed: Typed, expr: &Expr) -> Res<(Typed, Value)> {
        if matches!(typed.form, Form::Functions(_)) {
            let what = "a pointer to a function that changes";
            return Err(self.sink.gap(expr.span, what));
        }
        let help = match typed.ty.is_const {
            true => Some("it is declared `const`, or reached through something that is"),
            false if self.is_in_constant_memory(expr) => {
                Some("it lies in constant memory, which only the host writes")
            }
            false => None,
        };
        if let Some(help) = help {
            return Err(self
                .sink
                .error_help(expr.span, "this cannot be changed", help));
        }
        match typed.form {
            Form::Place(address) => Ok((typed, address)),
            _ => {
                let help = "only variables and what pointers point to can be assigned";
                Err(self
                    .sink
                    .error_help(expr.span, "this is a value, not a place for one", help))
            }
        }
    }

    /// Whether an expression names a `__constant__` variable or a part of it. It is no `const`, so that pointers to it are
    /// plain ones.
    fn is_in_constant_memory(&self, expr: &Expr) -> bool {
        self.part_of_constant(expr).is_some()
    }

    fn part_of_constant(&self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Path(path) => match self.lookup(&path.parts.last()?.name)? {
                Binding::Symbol(symbol, ty) => {
                    let space = self.module.symbols[symbol.0 as usize].space;
                    (space == Space::Constant).then_some(ty)
                }
                _ => None,
            },
            ExprKind::Index(of, _) => match self.part_of_constant(of)?.kind {
                Kind::Array(element, _) => Some((*element).clone()),
                _ => None,
            },
            ExprKind::Member(of, part, false) => match self.part_of_constant(of)?.kind {
                Kind::Struct(id) => Some(self.field(id, &part.name)?.ty),
                _ => None,
            },
            _ => None,
        }
    }
}
