//! Values that must be known while compiling.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res};
use crate::ir::{Block, Ty};
use crate::limits::PARTS;
use crate::syntax::{Expr, ExprKind, Init, Variable};
use crate::types::{Kind, Type};

impl Lower<'_> {
    pub(super) fn not_constant(&mut self, expr: &Expr) -> Reported {
        let help = "a constant is a number, a `constexpr` variable, a template's argument, or computed of such";
        self.sink
            .error_help(expr.span, "this must be known while compiling", help)
    }

    /// The bits of a whole number, extended to 64 by its type.
    pub(super) fn constant_integer(&mut self, expr: &Expr) -> Res<(u64, Type)> {
        let typed = self.aside(|lower| lower.expr(expr))?;
        if !typed.ty.is_integer() {
            let name = self.spelled(&typed.ty);
            return Err(self.sink.error(
                expr.span,
                format!("a whole number is needed here, this is a `{name}`"),
            ));
        }
        let bits = match typed.form {
            Form::Value(value) => self
                .builder
                .body
                .constant(value)
                .map(|bits| (bits, self.builder.body.ty(value))),
            _ => None,
        };
        let Some((bits, register)) = bits else {
            return Err(self.not_constant(expr));
        };
        let is_signed = typed.ty.as_integer().is_some_and(crate::types::is_signed);
        let bits = if is_signed && register == Ty::B32 {
            bits as u32 as i32 as u64
        } else {
            bits
        };
        Ok((bits, typed.ty))
    }

    /// Runs a part whose instructions are thrown away.
    pub(super) fn aside<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let at = self.builder.at;
        let scratch: Block = self.builder.block();
        self.builder.go_to(scratch);
        let result = part(self);
        self.builder.go_to(at);
        result
    }

    /// The type of an expression that is not run.
    pub(super) fn type_of_expr(&mut self, expr: &Expr) -> Res<Type> {
        self.aside(|lower| lower.expr(expr)).map(|typed| typed.ty)
    }

    pub(super) fn static_assert(&mut self, condition: &Expr, said: Option<&str>) -> Res<()> {
        let typed = self.aside(|lower| lower.expr(condition))?;
        let value = self.truth(&typed, condition.span)?;
        match self.builder.body.constant(value) {
            None => Err(self.not_constant(condition)),
            Some(0) => {
                if let (true, Some(said)) = (condition.span.is_header(), said) {
                    return Err(self.sink.gap(condition.span, said));
                }
                let said = said.map(|said| format!(": {said}")).unwrap_or_default();
                Err(self.sink.error(
                    condition.span,
                    format!("a static_assert does not hold{said}"),
                ))
            }
            Some(_) => Ok(()),
        }
    }

    /// The value of a constant that is a number.
    pub(super) fn initial_value(&mut self, variable: &Variable, ty: &Type) -> Res<Typed> {
        let expr = match &variable.init {
            Init::Value(expr) => expr,
            Init::Braces(list) | Init::Brackets(list) if list.len() == 1 => &list[0],
            _ => {
                return Err(self.sink.error(
                    variable.span,
                    format!("the constant `{}` needs one value", variable.name),
                ));
            }
        };
        let typed = self.expr(expr)?;
        let value = self.convert(&typed, ty, expr.span)?;
        match self.builder.body.constant(value) {
            Some(_) => Ok(Typed::value(ty.clone(), value)),
            None => Err(self.not_constant(expr)),
        }
    }

    /// The bytes of a module's variable.
    pub(super) fn constant_bytes(&mut self, variable: &Variable, ty: &Type) -> Res<Vec<u8>> {
        let size = self.structs.size(ty);
        if size > 16 * PARTS as u64 {
            return Err(self
                .sink
                .gap(variable.span, "an initial value of so many bytes"));
        }
        let mut bytes = vec![0; size as usize];
        match &variable.init {
            Init::None => {}
            Init::Value(expr) => self.put_constant(expr, ty, 0, &mut bytes)?,
            Init::Braces(list) | Init::Brackets(list) => {
                let list = Expr {
                    span: variable.span,
                    kind: ExprKind::List(list.clone()),
                    depth: 1,
                };
                self.put_constant(&list, ty, 0, &mut bytes)?;
            }
        }
        Ok(bytes)
    }

    fn put_constant(&mut self, expr: &Expr, ty: &Type, offset: u64, bytes: &mut [u8]) -> Res<()> {
        let places: Vec<(Type, u64)> = match &ty.kind {
            Kind::Array(of, count) => {
                let size = self.structs.size(of);
                (0..*count)
                    .map(|at| ((**of).clone(), offset + at * size))
                    .collect()
            }
            Kind::Struct(id) => {
                let fields = &self.structs.get(*id).fields;
                fields
                    .iter()
                    .map(|field| (field.ty.clone(), offset + field.offset))
                    .collect()
            }
            _ => {
                let expr = match &expr.kind {
                    ExprKind::List(list) if list.len() == 1 => &list[0],
                    ExprKind::List(list) if list.is_empty() => return Ok(()),
                    _ => expr,
                };
                let typed = self.aside(|lower| lower.expr(expr))?;
                let value = self.convert(&typed, ty, expr.span)?;
                let Some(bits) = self.builder.body.constant(value) else {
                    return Err(self.not_constant(expr));
                };
                let length = self.structs.size(ty) as usize;
                bytes[offset as usize..offset as usize + length]
                    .copy_from_slice(&bits.to_le_bytes()[..length]);
                return Ok(());
            }
        };
        match &expr.kind {
            ExprKind::List(list) if list.len() > places.len() => {
                let message = format!("{} values for {} elements", list.len(), places.len());
                Err(self.sink.error(expr.span, message))
            }
            ExprKind::List(list) => {
                for (value, (ty, at)) in list.iter().zip(places) {
                    self.put_constant(value, &ty, at, bytes)?;
                }
                Ok(())
            }
            ExprKind::Construct(_, list, _) if ty.is_struct() => {
                for (value, (ty, at)) in list.iter().zip(places) {
                    self.put_constant(value, &ty, at, bytes)?;
                }
                Ok(())
            }
            _ => Err(self.not_constant(expr)),
        }
    }
}
