//! Values that must be known while compiling.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Block, Ty};
use crate::limits::{EVALUATED, PARTS};
use crate::syntax::{Expr, ExprKind, Init, Variable};
use crate::types::{Kind, Type};

impl Lower<'_> {
    pub(super) fn not_constant(&mut self, expr: &Expr) -> Reported {
        if self.is_evaluated_out() {
            let message = format!(
                "this is not known after {EVALUATED} steps, the most that are made while compiling"
            );
            let help = "does each loop of the `constexpr` function come to its end?";
            return self.sink.error_help(expr.span, message, help);
        }
        let help = "a constant is a number, a `constexpr` variable, a template's argument, or computed of such";
        self.sink
            .error_help(expr.span, "this must be known while compiling", help)
    }

    /// The bits of a whole number, extended to 64 by its type.
    pub(super) fn constant_integer(&mut self, expr: &Expr) -> Res<(u64, Type)> {
        let (typed, known) = self.aside_known(expr, None)?;
        if !typed.ty.is_integer() {
            let name = self.spelled(&typed.ty);
            return Err(self.sink.error(
                expr.span,
                format!("a whole number is needed here, this is {}", an(&name)),
            ));
        }
        let Some((bits, register)) = known else {
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

    /// An expression that is not run, as a value of a type if one is given, with its bits and register if they are known.
    #[inline(never)]
    pub(super) fn aside_known(
        &mut self,
        expr: &Expr,
        ty: Option<&Type>,
    ) -> Res<(Typed, Option<(u64, Ty)>)> {
        self.aside(|lower| {
            let start = lower.start();
            let typed = lower.expr(expr)?;
            let value = match (ty, &typed.form) {
                (Some(ty), _) => lower.convert(&typed, ty, expr.span)?,
                (None, _) if typed.ty.is_aggregate() => return Ok((typed, None)),
                (None, Form::Value(_) | Form::Place(_) | Form::Bits(..)) => {
                    let typed = lower.decayed(typed.clone());
                    lower.rvalue(&typed, expr.span)?
                }
                _ => return Ok((typed, None)),
            };
            let register = lower.builder.body.ty(value);
            let is_address = match ty {
                Some(ty) => lower.holds_address(ty),
                None => lower.holds_address(&typed.ty),
            };
            // An address is no number that is known while compiling.
            let known = match is_address {
                true => lower.builder.body.constant(value),
                false => lower.evaluated(start, value),
            };
            Ok((typed, known.map(|bits| (bits, register))))
        })
    }

    /// Runs a part whose instructions are thrown away.
    pub(super) fn aside<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let at = self.builder.at;
        let scratch: Block = self.builder.block();
        self.builder.go_to(scratch);
        // What would end with the statement is not made.
        let temporaries = self.temporaries.replace(Vec::new());
        let result = part(self);
        self.temporaries = temporaries;
        self.builder.go_to(at);
        result
    }

    /// The type of an expression that is not run.
    pub(super) fn type_of_expr(&mut self, expr: &Expr) -> Res<Type> {
        self.aside(|lower| lower.expr(expr)).map(|typed| typed.ty)
    }

    pub(super) fn static_assert(&mut self, condition: &Expr, said: Option<&str>) -> Res<()> {
        let bool_type = Type::scalar(crate::syntax::Scalar::Bool);
        let (_, known) = self.aside_known(condition, Some(&bool_type))?;
        match known.map(|(bits, _)| bits) {
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
        match self.aside_known(expr, Some(ty))?.1 {
            Some((bits, register)) => {
                let value = self.builder.constant(register, bits);
                Ok(Typed::value(ty.clone(), value))
            }
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
        let variable = &*self.expanded_variable(variable)?;
        if self.is_polymorphic(ty) {
            let what = "an object with virtual functions that lies in the module";
            return Err(self.sink.gap(variable.span, what));
        }
        let has_addresses = self.holds_address(ty) && !matches!(variable.init, Init::None);
        if has_addresses || self.needs_running(variable, ty) {
            return self.run_bytes(variable, ty);
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

    /// Whether first values are more than constants in braces: what constructors and functions give.
    #[inline(never)]
    fn needs_running(&mut self, variable: &Variable, ty: &Type) -> bool {
        match (&ty.kind, &variable.init) {
            (Kind::Struct(id), _) if self.has_constructor(*id) => true,
            (Kind::Struct(_), Init::Value(value)) => {
                !matches!(value.kind, ExprKind::List(_) | ExprKind::Construct(..))
            }
            (Kind::Array(of, _), Init::Braces(_)) => of.is_struct(),
            (Kind::Array(..), Init::Value(value)) => matches!(value.kind, ExprKind::Text(_)),
            (Kind::Struct(id), _) => {
                let of = self.structs.get(*id);
                of.fields.iter().any(|field| field.bits.is_some()) || !of.bases.is_empty()
            }
            _ => false,
        }
    }

    /// Whether a pointer or a reference is in an object of this type.
    pub(super) fn holds_address(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Pointer(_) | Kind::Reference(_) => true,
            Kind::Array(of, _) => self.holds_address(of),
            Kind::Struct(id) => {
                let mut fields = self.structs.get(*id).fields.iter();
                fields.any(|field| self.holds_address(&field.ty))
            }
            _ => false,
        }
    }

    /// The bytes that running an initialisation leaves; those that it leaves out are zero.
    #[inline(never)]
    fn run_bytes(&mut self, variable: &Variable, ty: &Type) -> Res<Vec<u8>> {
        let size = self.structs.size(ty);
        let plain = ty.plain();
        let found = self.aside(|lower| {
            let start = lower.start();
            let address = lower.new_slot(&plain);
            lower.zero(&plain, address, variable.span)?;
            match (&variable.init, &plain.kind) {
                (Init::None, Kind::Struct(id)) => {
                    lower.default_construct(*id, &plain, address, variable.span)?;
                }
                (init, _) => lower.initialise_by(&plain, address, init, variable.span)?,
            }
            let bytes = lower.evaluated_bytes(start, address, size);
            Ok(bytes.map(|bytes| bytes.into_iter().map(|byte| byte.unwrap_or(0)).collect()))
        })?;
        match found {
            Some(bytes) => Ok(bytes),
            None => {
                let help = "a constant is a number, a `constexpr` variable, a template's argument, or computed of such";
                let message = "these values must be known while compiling";
                Err(self.sink.error_help(variable.span, message, help))
            }
        }
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
                let Some((bits, _)) = self.aside_known(expr, Some(ty))?.1 else {
                    return Err(self.not_constant(expr));
                };
                let length = self.structs.size(ty) as usize;
                bytes[offset as usize..offset as usize + length]
                    .copy_from_slice(&bits.to_le_bytes()[..length]);
                return Ok(());
            }
        };
        match &expr.kind {
            ExprKind::List(list) => {
                let list = self.with_braces(ty, list)?;
                if list.len() > places.len() {
                    let message = format!("{} values for {} elements", list.len(), places.len());
                    return Err(self.sink.error(expr.span, message));
                }
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
