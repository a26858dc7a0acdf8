//! Conversions that structs declare: to other types by an operator, from numbers by a constructor.

use super::Lower;
use super::overloads::{Chosen, Given};
use super::scope::{Binding, FunctionRef, Scope};
use super::values::{Typed, same_plain};
use crate::diagnostics::{Res, an};
use crate::ir::Value;
use crate::source::Span;
use crate::syntax::{CONSTRUCTOR, CONVERSION, Expr, ExprKind, Scalar, TypeKind};
use crate::types::{Kind, StructId, Type, promoted};

impl Lower<'_> {
    /// The conversions that a struct declares, and what each gives.
    fn conversions(&mut self, from: &Type) -> Vec<(FunctionRef, Type)> {
        let Kind::Struct(id) = from.kind else {
            return Vec::new();
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, CONVERSION) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for function in list.iter() {
            if from.is_const && !function.function.is_const {
                continue;
            }
            let returns = &function.function.returns;
            let (ty, _) = self.in_environment(Vec::new(), function.of.or(Some(id)), |lower| {
                lower.quiet_type(returns)
            });
            if let Ok(ty) = ty {
                all.push((function.clone(), ty));
            }
        }
        all
    }

    /// The conversion of a struct that fits a type best, and what it gives: that type, what is promoted to it, or else the only
    /// number that the struct can become.
    pub(super) fn conversion_of(&mut self, from: &Type, to: &Type) -> Option<(FunctionRef, Type)> {
        let all = self.conversions(from);
        if let Some(exact) = all.iter().find(|(_, ty)| same_plain(ty, to)) {
            return Some(exact.clone());
        }
        let is_promoted = |ty: &Type| match (&ty.kind, &to.kind) {
            (Kind::Scalar(Scalar::Float), Kind::Scalar(Scalar::Double)) => true,
            (Kind::Scalar(from), Kind::Scalar(to)) => ty.is_integer() && promoted(*from) == *to,
            _ => false,
        };
        let mut numbers = all.iter().filter(|(_, ty)| ty.is_arithmetic());
        let promoted = all.iter().find(|(_, ty)| is_promoted(ty));
        let only = match (numbers.next(), numbers.next()) {
            (only, None) => only,
            _ => None,
        };
        let found = promoted.or(only).filter(|_| to.is_arithmetic());
        found.cloned()
    }

    /// A struct that can become one sort of number as that number; it is an error if it can become several.
    #[inline(never)]
    pub(super) fn as_number(&mut self, typed: Typed, span: Span) -> Res<Typed> {
        if !typed.ty.is_struct() {
            return Ok(typed);
        }
        let mut numbers = self.conversions(&typed.ty);
        numbers.retain(|(_, ty)| ty.is_arithmetic());
        match &numbers[..] {
            [] => Ok(typed),
            [(_, ty)] => self.converted(&typed, ty, span),
            [..] => {
                let name = self.spelled(&typed.ty);
                let message = format!("{} can become more than one sort of number here", an(&name));
                let help = "say which, such as `(float)value`";
                Err(self.sink.error_help(span, message, help))
            }
        }
    }

    pub(super) fn becomes_number(&mut self, ty: &Type) -> bool {
        let all = self.conversions(ty);
        all.iter().any(|(_, ty)| ty.is_arithmetic())
    }

    /// Refuses an operator between an object and a number where both could be converted: the number to what the operator's
    /// function takes, and the object to a number.
    pub(super) fn check_one_meaning(
        &mut self,
        chosen: &Chosen,
        operator: &str,
        (a, b): (&Type, &Type),
        span: Span,
    ) -> Res<()> {
        let object = match (a.is_arithmetic(), b.is_arithmetic()) {
            (true, false) => b,
            (false, true) => a,
            _ => return Ok(()),
        };
        let of = chosen.function.of;
        let parameters = &chosen.function.function.parameters;
        let number = match a.is_arithmetic() {
            true => parameters.first(),
            false => parameters.last(),
        };
        let Some(number) = number else {
            return Ok(());
        };
        let (taken, _) = self.in_environment(Vec::new(), of, |lower| lower.quiet_type(&number.ty));
        let is_object = taken.is_ok_and(|ty| match &ty.kind {
            Kind::Reference(to) => to.is_struct(),
            _ => ty.is_struct(),
        });
        if !is_object || !self.becomes_number(object) {
            return Ok(());
        }
        let (a, b, object) = (
            self.spelled(a),
            self.spelled(b),
            self.spelled(&object.plain()),
        );
        let message = format!(
            "`{operator}` of {} and {} has more than one meaning: either could become what the other is",
            an(&a),
            an(&b)
        );
        let help = format!("convert one of them, as in `(float)value` or `{object}(1.0f)`");
        Err(self.sink.error_help(span, message, help))
    }

    /// A struct as what its conversion gives.
    pub(super) fn converted(&mut self, from: &Typed, to: &Type, span: Span) -> Res<Typed> {
        let Some((function, _)) = self.conversion_of(&from.ty, to) else {
            return Err(self.mismatch(&from.ty, to, span));
        };
        let chosen = Chosen {
            instance: format!("{CONVERSION}{}", function.of.map_or(0, |of| of.0 + 1)),
            function,
            scope: Scope::default(),
        };
        let address = self.materialised(from, span)?;
        let object = Typed::place(from.ty.clone(), address);
        self.inline(chosen, Some(object), Vec::new(), span)
    }

    /// Whether a struct has a constructor that takes one value.
    pub(super) fn takes_one(&self, id: StructId) -> bool {
        let Some(Binding::Functions(list)) = self.member_binding(id, CONSTRUCTOR) else {
            return false;
        };
        let takes = |function: &FunctionRef| {
            let parameters = &function.function.parameters;
            let needed = parameters.iter().filter(|one| one.default.is_none());
            !parameters.is_empty() && needed.count() <= 1
        };
        list.iter().any(takes)
    }

    /// Whether one of a struct's constructors takes an object of another struct.
    pub(super) fn takes_struct(&mut self, id: StructId, from: &Type) -> bool {
        let Some(Binding::Functions(list)) = self.member_binding(id, CONSTRUCTOR) else {
            return false;
        };
        list.iter().any(|constructor| {
            let function = &constructor.function;
            let needed = function.parameters.iter();
            let needed = needed.filter(|one| one.default.is_none()).count();
            let (Some(first), None, true) =
                (function.parameters.first(), &function.template, needed <= 1)
            else {
                return false;
            };
            let (ty, _) = self.in_environment(Vec::new(), constructor.of.or(Some(id)), |lower| {
                lower.quiet_type(&first.ty)
            });
            ty.is_ok_and(|ty| {
                let of = match &ty.kind {
                    Kind::Reference(of) => of,
                    _ => &ty,
                };
                same_plain(of, from) || self.structs.derives(from, of)
            })
        })
    }

    /// The constructor that a struct declares for copies of its objects.
    fn copy_constructor(&self, id: StructId) -> Option<FunctionRef> {
        let Some(Binding::Functions(list)) = self.member_binding(id, CONSTRUCTOR) else {
            return None;
        };
        let own = &self.structs.get(id).syntax.as_ref()?.name;
        let copies = |function: &&FunctionRef| {
            let [only] = &function.function.parameters[..] else {
                return false;
            };
            let TypeKind::Reference(to) = &only.ty.kind else {
                return false;
            };
            let TypeKind::Path(path) = &to.kind else {
                return false;
            };
            path.parts.last().is_some_and(|part| part.name == *own) && !only.ty.is_rvalue
        };
        // A template is none: it is for objects of other types.
        let may_copy = |function: &&FunctionRef| {
            function.function.body.is_some() && function.function.template.is_none()
        };
        list.iter().filter(may_copy).find(copies).cloned()
    }

    /// Puts a copy of what an expression names at an address; what a call gives is put there without its constructor.
    #[inline(never)]
    pub(super) fn store_copy(
        &mut self,
        ty: &Type,
        address: Value,
        from: &Typed,
        expr: &Expr,
    ) -> Res<()> {
        let is_named = matches!(
            expr.kind,
            ExprKind::Path(_) | ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Unary(..)
        );
        match ty.kind {
            Kind::Struct(id) if is_named && from.ty.kind == ty.kind => {
                match self.copy_constructor(id) {
                    Some(copying) => self.copied(copying, id, address, from, expr.span),
                    None => self.store(ty, address, from, expr.span),
                }
            }
            _ => self.store(ty, address, from, expr.span),
        }
    }

    /// The same of what an expression gives that may be made for this alone: with a destructor it would end with the
    /// statement, and is moved here as it is.
    pub(super) fn store_made(
        &mut self,
        ty: &Type,
        address: Value,
        from: &Typed,
        expr: &Expr,
    ) -> Res<()> {
        match ty.kind {
            Kind::Struct(id) if self.has_destructor(ty) && !self.take_over(from) => {
                match self.has_constructor(id) && from.ty.is_struct() {
                    true => {
                        self.run_constructor(id, address, vec![Given::of(expr, from)], expr.span)
                    }
                    false => self.store_copy(ty, address, from, expr),
                }
            }
            _ => self.store_copy(ty, address, from, expr),
        }
    }

    #[inline(never)]
    fn copied(
        &mut self,
        copying: FunctionRef,
        id: StructId,
        address: Value,
        from: &Typed,
        span: Span,
    ) -> Res<()> {
        let expr = Expr::nothing(span);
        let given = Given::of(&expr, from);
        let chosen = Chosen {
            instance: format!("(copy {})", id.0),
            function: copying,
            scope: Scope::default(),
        };
        let object = Typed::place(Type::new(Kind::Struct(id)), address);
        self.inline(chosen, Some(object), vec![given], span)?;
        Ok(())
    }

    /// A number as an object of a struct, by the constructor that takes it.
    pub(super) fn constructed_from(
        &mut self,
        id: StructId,
        address: Value,
        from: &Typed,
        span: Span,
    ) -> Res<()> {
        let expr = Expr::nothing(span);
        let given = Given::of(&expr, from);
        self.run_constructor(id, address, vec![given], span)
    }
}
