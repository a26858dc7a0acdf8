//! Lambdas: objects with a function and what they capture.

use super::Lower;
use super::scope::{Binding, Closure};
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::Lambda;
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// Whether this is the type of a lambda that is a function: nothing stands between its brackets.
    pub(super) fn captures_nothing(&self, ty: &Type) -> bool {
        let Kind::Closure(number) = ty.kind else {
            return false;
        };
        self.closures.get(number as usize).is_some_and(|closure| {
            let lambda = &closure.lambda;
            let is_empty = lambda.captures.is_empty() && lambda.made.is_empty();
            is_empty && !lambda.by_copy && !lambda.by_reference && !lambda.copies_this
        })
    }

    #[inline(never)]
    pub(super) fn lambda(&mut self, lambda: &Rc<Lambda>, span: Span) -> Res<Typed> {
        let Some(frame) = self.frames.last() else {
            return Err(self.sink.gap(span, "a lambda outside of functions"));
        };
        let (mut scopes, of, mut this) = (frame.scopes.clone(), frame.of, frame.this);
        // What is captured by copying keeps the value that it has now.
        let mut copied = super::scope::Scope::default();
        let named = |name: &str| {
            lambda
                .captures
                .iter()
                .find(|(known, _)| &**known == name)
                .map(|(_, by_reference)| *by_reference)
        };
        let mut wanted: Vec<(crate::syntax::Name, Typed)> = Vec::new();
        for scope in &scopes {
            for (name, binding) in scope.names.iter() {
                if let Binding::Typed(typed) = binding {
                    let by_copy = named(name).map_or(lambda.by_copy, |by_reference| !by_reference);
                    if by_copy
                        && matches!(typed.form, Form::Place(_))
                        && self.structs.size(&typed.ty) <= 256
                    {
                        wanted.retain(|(known, _)| known != name);
                        wanted.push((name.clone(), typed.clone()));
                    }
                }
            }
        }
        if let (true, Some((address, id, is_const))) = (lambda.copies_this, this) {
            let ty = Type::new(Kind::Struct(id));
            let copy = self.new_slot(&ty);
            let object = Typed::place(ty.clone(), address);
            self.store(&ty, copy, &object, span)?;
            this = Some((copy, id, is_const));
        }
        for (name, value, by_reference) in &lambda.made {
            let typed = self.expr(value)?;
            if !by_reference && !matches!(typed.ty.kind, Kind::Closure(_) | Kind::Function) {
                let typed = self.decayed(typed);
                wanted.retain(|(known, _)| known != name);
                wanted.push((name.clone(), typed));
                continue;
            }
            copied.names.insert(name.clone(), Binding::Typed(typed));
        }
        for (name, typed) in wanted {
            let address = self.new_slot(&typed.ty.plain());
            self.store(&typed.ty.plain(), address, &typed, span)?;
            let mut ty = typed.ty;
            ty.is_const |= !lambda.is_mutable;
            copied
                .names
                .insert(name, Binding::Typed(Typed::place(ty, address)));
        }
        if !lambda.by_copy && !lambda.by_reference {
            self.leave_out(lambda, &mut scopes);
        }
        scopes.push(copied);
        self.closures.push(Closure {
            lambda: lambda.clone(),
            scopes,
            of,
            this,
        });
        let number = self.closures.len() as u32 - 1;
        Ok(Typed {
            ty: Type::new(Kind::Closure(number)),
            ..Typed::void()
        })
    }

    /// Takes the variables away that a lambda does not capture; constants need not be captured.
    fn leave_out(&mut self, lambda: &Lambda, scopes: &mut [super::scope::Scope]) {
        for scope in scopes {
            let mut left = Vec::new();
            for (name, binding) in scope.names.iter() {
                let is_captured = lambda.captures.iter().any(|(known, _)| known == name);
                if let (Binding::Typed(typed), false) = (binding, is_captured)
                    && matches!(typed.form, Form::Place(_) | Form::Value(_))
                    && !typed.ty.is_const
                    && !matches!(typed.ty.kind, Kind::Closure(_) | Kind::Reference(_))
                {
                    left.push(name.clone());
                }
            }
            for name in left {
                scope.names.remove(&name);
                self.not_captured.insert(name);
            }
        }
    }
}
