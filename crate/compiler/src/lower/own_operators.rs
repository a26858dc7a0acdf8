//! Operators that structs and enumerations have of their own, as members or outside.

use super::Lower;
use super::operators::spelled;
use super::overloads::Given;
use super::scope::Binding;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{Binary, Expr, Scalar};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// An operator that a struct has, as a member or outside.
    pub(super) fn struct_operator(
        &mut self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let name = format!("operator{}", spelled(operator));
        let given = vec![Given::of(right, b)];
        let is_member = self.has_operator(&a.ty, &name, 1);
        if is_member && self.member_fits(&a.ty, &name, &given) {
            return self.call_operator(a, &name, given, span);
        }
        let list = match a.ty.is_struct() || b.ty.is_struct() {
            true => self.free_operator(&name),
            false => {
                let list = self.enum_operators(&[&a.ty, &b.ty], &name);
                Some(Binding::Functions(Rc::new(list)))
            }
        };
        if let Some(Binding::Functions(list)) = list {
            let given = vec![Given::of(left, a), Given::of(right, b)];
            let fits = |lower: &mut Self, one| lower.fits(one, None, &given).is_ok();
            if list.iter().any(|one| fits(self, one)) {
                let chosen = self.choose(&name, &list, None, &given, span)?;
                self.check_one_meaning(&chosen, spelled(operator), (&a.ty, &b.ty), span)?;
                return self.inline(chosen, None, given, span);
            }
        }
        if is_member {
            return self.call_operator(a, &name, given, span);
        }
        let (x, y) = (
            self.as_number(a.clone(), left.span)?,
            self.as_number(b.clone(), right.span)?,
        );
        if x.ty.is_struct() || y.ty.is_struct() {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        }
        self.operate(operator, x, y, span)
    }

    pub(super) fn call_operator(
        &mut self,
        object: &Typed,
        name: &str,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        let list = match object.ty.kind {
            Kind::Struct(id) => self.member_binding(id, name),
            _ => None,
        };
        match list {
            Some(Binding::Functions(list)) => {
                let list = super::calls::callable_on(&list, Some(object));
                let chosen = self.choose(name, &list, None, &given, span)?;
                let address = self.materialised(object, span)?;
                let object = Typed::place(object.ty.clone(), address);
                self.inline(chosen, Some(object), given, span)
            }
            _ => {
                let ty = object.ty.clone();
                let other = given.first().and_then(|given| given.typed.as_ref());
                let other = other.map_or(ty.clone(), |typed| typed.ty.clone());
                Err(self.no_operator(name.trim_start_matches("operator"), &ty, &other, span))
            }
        }
    }

    /// Whether a struct has an operator of its own that takes so many operands besides the object.
    pub(super) fn has_operator(&self, ty: &Type, name: &str, operands: usize) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        match self.member_binding(id, name) {
            Some(Binding::Functions(list)) => list
                .iter()
                .any(|function| function.function.parameters.len() == operands),
            _ => false,
        }
    }

    fn member_fits(&mut self, ty: &Type, name: &str, given: &[Given]) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, name) else {
            return false;
        };
        let fits = |lower: &mut Self, one| lower.fits(one, None, given).is_ok();
        list.iter().any(|one| fits(self, one))
    }

    /// The operators that are members of nothing: those of the struct whose function this is hide none of them.
    pub(super) fn free_operator(&self, name: &str) -> Option<Binding> {
        let local = self.local(name).cloned();
        local.or_else(|| self.globals.names.get(name).cloned())
    }

    /// `++` and `--` of a struct: its own function, or one outside. The one behind is declared with an `int` that says nothing but that.
    pub(super) fn step_struct(
        &mut self,
        place: &Typed,
        name: &str,
        is_after: bool,
        inner: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let mut mark = Vec::new();
        let zero = Typed::scalar(Scalar::Int, self.builder.u32(0));
        if is_after {
            mark.push(Given::of(inner, &zero));
        }
        let takes_mark = self.has_operator(&place.ty, name, 1);
        let is_member = takes_mark || self.has_operator(&place.ty, name, 0);
        match self.free_operator(name) {
            Some(Binding::Functions(list)) if !is_member => {
                let mut given = vec![Given::of(inner, place)];
                given.append(&mut mark);
                let chosen = self.choose(name, &list, None, &given, span)?;
                self.inline(chosen, None, given, span)
            }
            _ => {
                mark.retain(|_| takes_mark);
                self.call_operator(place, name, mark, span)
            }
        }
    }
}
