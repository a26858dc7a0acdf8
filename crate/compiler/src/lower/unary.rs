//! Operators on one operand, and lambdas.

use super::Lower;
use super::overloads::Given;
use super::scope::{Binding, Closure};
use super::values::{Form, Typed};
use crate::diagnostics::{Res, an};
use crate::ir::{Bin, Cvt, Ty, Value};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Lambda, Scalar, Unary};
use crate::types::{self, Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
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

    pub(super) fn unary(&mut self, operator: Unary, inner: &Expr, span: Span) -> Res<Typed> {
        match operator {
            Unary::Address => return self.address(inner, span),
            Unary::Increment | Unary::Decrement | Unary::IncrementAfter | Unary::DecrementAfter => {
                return self.step(operator, inner, span);
            }
            _ => {}
        }
        let mut typed = self.expr(inner)?;
        let name = match operator {
            Unary::Deref => "operator*",
            Unary::Minus => "operator-",
            Unary::Not => "operator!",
            Unary::Complement => "operator~",
            _ => "operator+",
        };
        if typed.ty.is_struct() && !self.has_unary_operator(&typed, name, inner, span) {
            typed = match operator {
                Unary::Not => Typed::scalar(Scalar::Bool, self.truth(&typed, span)?),
                _ => self.as_number(typed, span)?,
            };
        }
        if typed.ty.is_struct() || self.has_enum_operator(&[&typed.ty], name) {
            return self.unary_operator(typed, name, inner, span);
        }
        let typed = self.decayed(typed);
        let is_function = typed.ty.is_callee() || matches!(typed.form, Form::Functions(_));
        if operator == Unary::Deref && is_function {
            return Ok(typed);
        }
        if operator == Unary::Deref {
            let Kind::Pointer(to) = typed.ty.kind.clone() else {
                let name = self.spelled(&typed.ty);
                let message = format!("`*` needs a pointer, this is {}", an(&name));
                let help = "leave it out for the value; for a power write `x * x`, or `powf(x, y)`";
                return Err(self.sink.error_help(span, message, help));
            };
            if to.is_void() {
                return Err(self.sink.error_help(
                    span,
                    "a `void*` points to nothing that has a value",
                    "cast it to a pointer to something",
                ));
            }
            let address = self.rvalue(&typed, span)?;
            return Ok(Typed::place((*to).clone(), address));
        }
        if operator == Unary::Not {
            let value = self.truth(&typed, span)?;
            return Ok(Typed::scalar(
                Scalar::Bool,
                self.builder.un(crate::ir::Un::Not, value),
            ));
        }
        let scalar = match (&typed.ty.kind, typed.ty.as_integer()) {
            (Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)), _) => *scalar,
            (_, Some(scalar)) => types::promoted(scalar),
            _ => {
                let name = self.spelled(&typed.ty);
                return Err(self.sink.error(
                    span,
                    format!("this operator needs a number, not {}", an(&name)),
                ));
            }
        };
        let ty = Type::scalar(scalar);
        let value = self.convert(&typed, &ty, span)?;
        let is_floating = ty.is_floating();
        let value = match operator {
            Unary::Plus => value,
            Unary::Minus if is_floating => self.builder.un(crate::ir::Un::Neg, value),
            Unary::Minus => {
                let register = self.builder.body.ty(value);
                let zero = self.builder.constant(register, 0);
                self.builder.bin(Bin::Sub, zero, value)
            }
            _ if is_floating => return Err(self.sink.error(span, "`~` needs a whole number")),
            _ => {
                let register = self.builder.body.ty(value);
                let all = self.builder.constant(register, u64::MAX);
                self.builder.bin(Bin::Xor, value, all)
            }
        };
        Ok(Typed::value(ty, value))
    }

    /// An operator that is a function of the struct, or one that takes it.
    /// Whether a struct that can become a number has an operator of its own, so that it is not converted.
    fn has_unary_operator(&mut self, typed: &Typed, name: &str, inner: &Expr, span: Span) -> bool {
        if !self.becomes_number(&typed.ty) || self.has_operator(&typed.ty, name, 0) {
            return true;
        }
        let Some(Binding::Functions(list)) = self.free_operator(name) else {
            return false;
        };
        let given = [Given::of(inner, typed)];
        let fits = |lower: &mut Self, one| lower.fits(one, None, &given, span).is_ok();
        list.iter().any(|one| fits(self, one))
    }

    pub(super) fn unary_operator(
        &mut self,
        typed: Typed,
        name: &str,
        inner: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let is_member = self.has_operator(&typed.ty, name, 0);
        match self.free_operator(name) {
            Some(Binding::Functions(list)) if !is_member => {
                let given = vec![Given {
                    expr: inner,
                    typed: Some(typed),
                }];
                let chosen = self.choose(name, &list, None, &given, span)?;
                self.inline(chosen, None, given, span)
            }
            _ => self.call_operator(&typed, name, Vec::new(), span),
        }
    }

    pub(super) fn address(&mut self, inner: &Expr, span: Span) -> Res<Typed> {
        let typed = self.place_of(inner)?;
        match typed.form {
            Form::Place(address) => Ok(Typed::value(Type::pointer(typed.ty), address)),
            Form::Functions(_) => Ok(typed),
            // A parameter `const T&` that stands for a value.
            Form::Value(_) if matches!(inner.kind, ExprKind::Path(_)) && typed.ty.is_const => {
                let address = self.materialised(&typed, span)?;
                Ok(Typed::value(Type::pointer(typed.ty), address))
            }
            _ => Err(self.sink.error_help(
                span,
                "this value has no address",
                "keep it in a variable first",
            )),
        }
    }

    /// The same bits as another type, for `__float_as_uint` and the like.
    pub(super) fn bits_as(&mut self, value: Value, to: Scalar) -> Typed {
        let ty = Type::scalar(to);
        let register = ty.register().unwrap_or(Ty::B32);
        Typed::value(ty, self.builder.cvt(Cvt::Bits, register, value))
    }
}
