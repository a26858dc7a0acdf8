//! Conversions that structs declare: to other types by an operator, from numbers by a constructor.

use super::Lower;
use super::overloads::{Chosen, Given};
use super::scope::{Binding, FunctionRef, Scope};
use super::structs::CONSTRUCTOR;
use super::values::{Typed, same_plain};
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::source::Span;
use crate::syntax::{CONVERSION, Expr, ExprKind};
use crate::types::{Kind, StructId, Type};

impl Lower<'_> {
    /// The conversion of a struct that fits a type best, and what it gives.
    pub(super) fn conversion_of(&mut self, from: &Type, to: &Type) -> Option<(FunctionRef, Type)> {
        let Kind::Struct(id) = from.kind else {
            return None;
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, CONVERSION) else {
            return None;
        };
        let mut all: Vec<(FunctionRef, Type)> = Vec::new();
        for function in list.iter() {
            if from.is_const && !function.function.is_const {
                continue;
            }
            let returns = &function.function.returns;
            let (ty, _) =
                self.in_environment(Vec::new(), Some(id), |lower| lower.quiet_type(returns));
            if let Ok(ty) = ty {
                all.push((function.clone(), ty));
            }
        }
        let exact = all.iter().find(|(_, ty)| same_plain(ty, to));
        let any = || {
            let mut numbers = all.iter().filter(|(_, ty)| ty.is_arithmetic());
            numbers.next().filter(|_| to.is_arithmetic())
        };
        exact.or_else(any).cloned()
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

    /// A number as an object of a struct, by the constructor that takes it.
    pub(super) fn constructed_from(
        &mut self,
        id: StructId,
        address: Value,
        from: &Typed,
        span: Span,
    ) -> Res<()> {
        let expr = Expr {
            span,
            kind: ExprKind::Null,
            depth: 1,
        };
        let given = Given {
            expr: &expr,
            typed: Some(from.clone()),
        };
        self.run_constructor(id, address, vec![given], span)
    }
}
