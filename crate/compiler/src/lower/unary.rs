//! Operators on one operand.

use super::Lower;
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::{Res, an};
use crate::ir::{Bin, Cvt, Ty, Value};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Scalar, Unary};
use crate::types::{self, Kind, Type};

impl Lower<'_> {
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
        if typed.ty.is_struct() && !self.has_unary_operator(&typed, name, inner) {
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
        if operator == Unary::Deref && is_function
            || operator == Unary::Plus && (is_function || self.captures_nothing(&typed.ty))
        {
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

    /// Whether a struct that can become a number has an operator of its own, so that it is not converted.
    fn has_unary_operator(&mut self, typed: &Typed, name: &str, inner: &Expr) -> bool {
        if !self.becomes_number(&typed.ty) || self.has_operator(&typed.ty, name, 0) {
            return true;
        }
        let Some(Binding::Functions(list)) = self.free_operator(name) else {
            return false;
        };
        let given = [Given::of(inner, typed)];
        let fits = |lower: &mut Self, one| lower.fits(one, None, &given).is_ok();
        list.iter().any(|one| fits(self, one))
    }

    /// An operator that is a function of the struct, or one that takes it.
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
