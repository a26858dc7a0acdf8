//! Packs of any number of parameters: what `...` makes of a pattern, and folds.

use super::Lower;
use super::deduce::Argument;
use super::overloads::Given;
use super::scope::{Binding, Scope};
use super::values::Typed;
use crate::diagnostics::Res;
use crate::limits::PACK;
use crate::source::Span;
use crate::syntax::{
    Binary, Expr, ExprKind, Fold, Function, Init, Name, Packs, Parameter, Scalar, TemplateArgument,
    TypeKind, TypeSyntax, Variable,
};
use std::borrow::Cow;
use std::rc::Rc;

fn is_expansion(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Expand(..))
}

/// The type of one of a pack's parameters.
pub(super) fn nth_type(ty: &TypeSyntax, packs: &Packs, number: usize) -> TypeSyntax {
    TypeSyntax {
        span: ty.span,
        kind: TypeKind::Nth(packs.clone(), number, Box::new(ty.clone())),
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        is_rvalue: ty.is_rvalue,
    }
}

fn nth_expr(pattern: &Expr, packs: &Packs, number: usize) -> Expr {
    Expr {
        kind: ExprKind::Nth(packs.clone(), number, Box::new(pattern.clone())),
        ..pattern.clone()
    }
}

impl Lower<'_> {
    /// The pack that a name is of here.
    fn pack(&self, name: &str) -> Option<Rc<Vec<Binding>>> {
        match self.lookup(name) {
            Some(Binding::Pack(list)) => Some(list),
            _ => None,
        }
    }

    /// How many elements the packs have that a pattern names.
    pub(super) fn pack_length(&mut self, packs: &[Name], span: Span) -> Res<usize> {
        let mut length = None;
        for name in packs {
            let Some(list) = self.pack(name) else {
                continue;
            };
            if length.is_some_and(|length| length != list.len()) {
                let message = "the packs that are expanded together have different lengths";
                return Err(self.sink.error(span, message));
            }
            length = Some(list.len());
        }
        match length {
            Some(length) if length > PACK => {
                let message = format!("a pack has more than {PACK} elements here");
                Err(self.sink.error(span, message))
            }
            Some(length) => Ok(length),
            None => Err(self.sink.error(span, "there is no pack to expand here")),
        }
    }

    /// Runs a part where the names of packs are those of one element each.
    pub(super) fn with_nth<T>(
        &mut self,
        packs: &[Name],
        number: usize,
        part: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        let mut scope = Scope::default();
        for name in packs {
            let element = self.pack(name).and_then(|list| list.get(number).cloned());
            if let Some(element) = element {
                scope.names.insert(name.clone(), element);
            }
        }
        if self.frames.is_empty() {
            return self.in_environment(vec![scope], None, part).0;
        }
        self.frame().scopes.push(scope);
        let depth = self.frames.len();
        let result = part(self);
        self.frames.truncate(depth);
        self.frame().scopes.pop();
        result
    }

    /// Expressions with each pattern as what it stands for.
    #[inline(never)]
    pub(super) fn expanded<'e>(&mut self, list: &'e [Expr]) -> Res<Cow<'e, [Expr]>> {
        if !list.iter().any(is_expansion) {
            return Ok(Cow::Borrowed(list));
        }
        let mut all = Vec::new();
        for expr in list {
            match &expr.kind {
                ExprKind::Expand(packs, pattern) => {
                    let length = self.pack_length(packs, expr.span)?;
                    all.extend((0..length).map(|number| nth_expr(pattern, packs, number)));
                }
                _ => all.push(expr.clone()),
            }
        }
        Ok(Cow::Owned(all))
    }

    #[inline(never)]
    pub(super) fn expanded_types<'e>(
        &mut self,
        list: &'e [TypeSyntax],
    ) -> Res<Cow<'e, [TypeSyntax]>> {
        if !list
            .iter()
            .any(|ty| matches!(ty.kind, TypeKind::Expand(..)))
        {
            return Ok(Cow::Borrowed(list));
        }
        let mut all = Vec::new();
        for ty in list {
            match &ty.kind {
                TypeKind::Expand(packs, pattern) => {
                    let length = self.pack_length(packs, ty.span)?;
                    all.extend((0..length).map(|number| nth_type(pattern, packs, number)));
                }
                _ => all.push(ty.clone()),
            }
        }
        Ok(Cow::Owned(all))
    }

    #[inline(never)]
    pub(super) fn expanded_arguments<'e>(
        &mut self,
        list: &'e [TemplateArgument],
    ) -> Res<Cow<'e, [TemplateArgument]>> {
        let is_expanded = |argument: &TemplateArgument| match argument {
            TemplateArgument::Type(ty) => matches!(ty.kind, TypeKind::Expand(..)),
            TemplateArgument::Value(value) => is_expansion(value),
        };
        if !list.iter().any(is_expanded) {
            return Ok(Cow::Borrowed(list));
        }
        let mut all = Vec::new();
        for argument in list {
            match argument {
                TemplateArgument::Type(ty) => {
                    let types = self.expanded_types(std::slice::from_ref(ty))?.into_owned();
                    all.extend(types.into_iter().map(TemplateArgument::Type));
                }
                TemplateArgument::Value(value) => {
                    let values = self.expanded(std::slice::from_ref(value))?.into_owned();
                    all.extend(values.into_iter().map(TemplateArgument::Value));
                }
            }
        }
        Ok(Cow::Owned(all))
    }

    /// A variable whose first values are those that a pattern stands for.
    #[inline(never)]
    pub(super) fn expanded_variable<'v>(
        &mut self,
        variable: &'v Variable,
    ) -> Res<Cow<'v, Variable>> {
        let (Init::Braces(list) | Init::Brackets(list)) = &variable.init else {
            return Ok(Cow::Borrowed(variable));
        };
        if !list.iter().any(is_expansion) {
            return Ok(Cow::Borrowed(variable));
        }
        let values = self.expanded(list)?.into_owned();
        let mut variable = variable.clone();
        variable.init = match variable.init {
            Init::Braces(_) => Init::Braces(values),
            _ => Init::Brackets(values),
        };
        Ok(Cow::Owned(variable))
    }

    /// `sizeof...(name)`.
    #[inline(never)]
    pub(super) fn pack_size(&mut self, name: &Name, span: Span) -> Res<Typed> {
        let length = self.pack_length(std::slice::from_ref(name), span)?;
        Ok(Typed::scalar(
            Scalar::ULong,
            self.builder.u64(length as u64),
        ))
    }

    /// `(x + ...)` as the expression that it stands for.
    #[inline(never)]
    pub(super) fn fold(&mut self, fold: &Fold, span: Span) -> Res<Typed> {
        let length = self.pack_length(&fold.packs, span)?;
        let elements = (0..length).map(|number| nth_expr(&fold.pattern, &fold.packs, number));
        let mut all: Vec<Expr> = elements.collect();
        match (&fold.init, fold.from_left) {
            (Some(init), true) => all.insert(0, init.clone()),
            (Some(init), false) => all.push(init.clone()),
            _ => {}
        }
        let join = |a: Expr, b: Expr| Expr {
            span,
            depth: a.depth.max(b.depth).saturating_add(1),
            kind: match fold.operator {
                Some(operator) => ExprKind::Binary(operator, Box::new(a), Box::new(b)),
                None => ExprKind::Comma(Box::new(a), Box::new(b)),
            },
        };
        let whole = match fold.from_left {
            true => all.into_iter().reduce(join),
            false => all.into_iter().rev().reduce(|b, a| join(a, b)),
        };
        match (whole, fold.operator) {
            (Some(whole), _) => self.expr(&whole),
            (None, Some(operator @ (Binary::LogicalAnd | Binary::LogicalOr))) => {
                let bits = u64::from(operator == Binary::LogicalAnd);
                let value = self.builder.constant(crate::ir::Ty::Pred, bits);
                Ok(Typed::scalar(Scalar::Bool, value))
            }
            (None, None) => Ok(Typed::void()),
            (None, Some(_)) => {
                let help = "write a first value: `(0 + ... + x)`";
                let message = "a fold of nothing has no value with this operator";
                Err(self.sink.error_help(span, message, help))
            }
        }
    }

    /// Makes the arguments from a parameter on those of its pack.
    #[inline(never)]
    pub(super) fn bind_pack<'e>(
        &mut self,
        function: &Function,
        parameter: &Parameter,
        packs: &Packs,
        given: impl Iterator<Item = Given<'e>>,
    ) -> Res<()> {
        let mut all = Vec::new();
        let Some(name) = &parameter.name else {
            return Ok(());
        };
        for (number, given) in given.enumerate() {
            let one = Parameter {
                ty: nth_type(&parameter.ty, packs, number),
                ..parameter.clone()
            };
            self.bind_parameter(function, &one, given)?;
            let scope = self.frame().scopes.last_mut();
            all.extend(scope.and_then(|scope| scope.names.remove(name)));
        }
        self.bind(name, Binding::Pack(Rc::new(all)));
        Ok(())
    }
}

/// The elements of packs among arguments, as arguments like the others.
pub(super) fn binding_of(argument: &Argument) -> Binding {
    match argument {
        Argument::Type(ty) => Binding::Type(ty.clone()),
        Argument::Functions(list) => Binding::Functions(list.clone()),
        Argument::Value(bits, ty) => {
            let mut ty = ty.plain();
            ty.is_const = true;
            Binding::Constant(ty, *bits)
        }
        Argument::Template(_, binding) => (**binding).clone(),
        Argument::Pack(list) => Binding::Pack(Rc::new(list.iter().map(binding_of).collect())),
    }
}
