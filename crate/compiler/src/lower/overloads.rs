//! Which of several functions a call means.

use super::Lower;
use super::deduce::Argument;
use super::scope::{FunctionRef, Scope};
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::source::Span;
use crate::syntax::{
    Expr, ExprKind, Function, Scalar, TemplateArgument, TemplateParameter, TypeKind,
};
use crate::types::{Kind, Type, promoted};

/// What it costs to convert an argument as its struct says; more than any other changes together.
pub(super) const BY_CONVERSION: u32 = 1 << 10;

/// An argument of a call: a list in braces has no type before it is known what for.
#[derive(Debug, Clone)]
pub(super) struct Given<'e> {
    pub(super) expr: &'e Expr,
    pub(super) typed: Option<Typed>,
}

impl<'e> Given<'e> {
    pub(super) fn of(expr: &'e Expr, typed: &Typed) -> Self {
        Self {
            expr,
            typed: Some(typed.clone()),
        }
    }
}

/// A function with the arguments of its template.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) function: FunctionRef,
    pub(super) scope: Scope,
    pub(super) instance: String,
}

impl Lower<'_> {
    pub(super) fn given<'e>(&mut self, arguments: &'e [Expr]) -> Res<Vec<Given<'e>>> {
        let mut list = Vec::with_capacity(arguments.len());
        for expr in arguments {
            let typed = match expr.kind {
                ExprKind::List(_) => None,
                _ => Some(self.expr(expr)?),
            };
            list.push(Given { expr, typed });
        }
        Ok(list)
    }

    /// The one function that takes these arguments best.
    pub(super) fn choose(
        &mut self,
        name: &str,
        list: &[FunctionRef],
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Chosen> {
        let mut best: Vec<((u32, u32), Chosen)> = Vec::new();
        let mut refused = None;
        for function in list {
            match self.fits(function, explicit, given, span) {
                Ok((score, chosen)) => match best.first() {
                    Some((other, _)) if *other < score => {}
                    Some((other, _)) if *other == score => best.push((score, chosen)),
                    _ => best = vec![(score, chosen)],
                },
                Err(reason) => refused = Some(reason),
            }
        }
        // Of a declaration and its definition, the definition.
        if best.len() > 1 {
            best.retain(|(_, chosen)| chosen.function.function.body.is_some());
        }
        match (best.len(), refused) {
            (1, _) => Ok(best.swap_remove(0).1),
            (0, Some(reason)) if list.len() == 1 => Err(self.sink.error(
                span,
                format!("`{name}` cannot be called like this: {reason}"),
            )),
            (0, _) => {
                let types: Vec<String> = given
                    .iter()
                    .map(|given| {
                        given
                            .typed
                            .as_ref()
                            .map_or("{…}".to_string(), |typed| self.structs.spelled(&typed.ty))
                    })
                    .collect();
                let message = format!("no function `{name}` takes ({})", types.join(", "));
                Err(self.sink.error(span, message))
            }
            _ => Err(self.sink.error_help(
                span,
                format!("more than one function `{name}` fits this call"),
                "cast an argument to the type that is meant",
            )),
        }
    }

    pub(super) fn fits(
        &mut self,
        candidate: &FunctionRef,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Result<((u32, u32), Chosen), String> {
        let function = candidate.function.clone();
        let most = function.parameters.len();
        let least = function
            .parameters
            .iter()
            .filter(|parameter| parameter.default.is_none())
            .count();
        if given.len() > most || given.len() < least {
            let wanted = if least == most {
                most.to_string()
            } else {
                format!("{least} to {most}")
            };
            return Err(format!("it takes {wanted} arguments, not {}", given.len()));
        }
        let mut values = Vec::new();
        let none = Vec::new();
        let parameters = function.template.as_ref().unwrap_or(&none);
        if function.template.is_some() {
            values = self.deduced(candidate, parameters, explicit, given, span)?;
        } else if let Some(explicit) = explicit
            && !self.is_special_for(&function, explicit)
        {
            return Err("it is no template for these arguments".to_string());
        }
        let scope = self.template_scope(parameters, &values);
        let words: Vec<String> = values
            .iter()
            .map(|value| value.spelled(&self.structs))
            .collect();
        let mut score = 0;
        for (number, given) in given.iter().enumerate() {
            let syntax = &function.parameters[number].ty;
            let (ty, _) = self.in_environment(vec![scope.clone()], candidate.of, |lower| {
                lower.quiet_type(syntax)
            });
            let ty = ty.map_err(|_| {
                format!(
                    "the type of its parameter {} has no meaning for this",
                    number + 1
                )
            })?;
            match self.rank(given, &ty) {
                Some(rank) => score += rank,
                None => {
                    let from = given.typed.as_ref().map_or("a list".to_string(), |typed| {
                        format!("a `{}`", self.structs.spelled(&typed.ty))
                    });
                    return Err(format!(
                        "its parameter {} is a `{}`, the argument is {from}",
                        number + 1,
                        self.structs.spelled(&ty)
                    ));
                }
            }
        }
        let instance = format!(
            "{}<{}>{}",
            function.name,
            words.join(", "),
            candidate.of.map_or(0, |of| of.0 + 1)
        );
        let generality = u32::from(function.template.is_some()) * (1 + parameters.len() as u32);
        let function = candidate.clone();
        Ok((
            (score, generality),
            Chosen {
                function,
                scope,
                instance,
            },
        ))
    }

    /// Whether a function is a template's special case for the arguments of a call.
    fn is_special_for(&mut self, function: &Function, explicit: &[TemplateArgument]) -> bool {
        let Some(special) = function
            .special
            .as_ref()
            .filter(|list| list.len() >= explicit.len())
        else {
            return false;
        };
        let before = std::mem::take(self.sink);
        let same = explicit.iter().zip(special).all(|(a, b)| match (a, b) {
            (TemplateArgument::Type(a), TemplateArgument::Type(b)) => {
                matches!((self.type_of(a), self.type_of(b)), (Ok(a), Ok(b)) if a == b)
            }
            (TemplateArgument::Value(a), TemplateArgument::Value(b)) => {
                let values = (self.constant_integer(a), self.constant_integer(b));
                matches!(values, (Ok(a), Ok(b)) if a.0 == b.0)
            }
            _ => false,
        });
        *self.sink = before;
        same
    }

    /// A type whose failure is no error of the source.
    pub(super) fn quiet_type(&mut self, syntax: &crate::syntax::TypeSyntax) -> Res<Type> {
        let before = std::mem::take(self.sink);
        let result = self.type_of(syntax);
        match result {
            Ok(ty) => {
                *self.sink = before;
                Ok(ty)
            }
            Err(reported) => {
                *self.sink = before;
                Err(reported)
            }
        }
    }

    fn deduced(
        &mut self,
        candidate: &FunctionRef,
        parameters: &[TemplateParameter],
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        _span: Span,
    ) -> Result<Vec<Argument>, String> {
        let mut values: Vec<Argument> = Vec::new();
        let mut found = HashMap::default();
        for (argument, parameter) in explicit.unwrap_or(&[]).iter().zip(parameters) {
            let value = self.evaluate_argument(parameter, argument, &values, parameters);
            let value = value.map_err(|_| "its template arguments have no value".to_string())?;
            let (TemplateParameter::Type(name, _) | TemplateParameter::Value(name, ..)) = parameter;
            found.insert(name.clone(), value.clone());
            values.push(value);
        }
        for (given, parameter) in given.iter().zip(&candidate.function.parameters) {
            let Some(typed) = &given.typed else { continue };
            let is_reference = matches!(parameter.ty.kind, TypeKind::Reference(_));
            let ty = if is_reference {
                typed.ty.clone()
            } else {
                self.by_value(&typed.ty)
            };
            if !self.deduce(&parameter.ty, &ty, parameters, &mut found) {
                return Err(format!(
                    "its template does not fit a `{}`",
                    self.structs.spelled(&typed.ty)
                ));
            }
        }
        for parameter in &parameters[values.len()..] {
            let (TemplateParameter::Type(name, _) | TemplateParameter::Value(name, ..)) = parameter;
            let value = match found.remove(name) {
                Some(Argument::Value(bits, _)) => match parameter {
                    TemplateParameter::Value(_, syntax, _)
                        if !matches!(syntax.kind, TypeKind::Auto) =>
                    {
                        let scope = self.template_scope(parameters, &values);
                        let (ty, _) = self.in_environment(vec![scope], candidate.of, |lower| {
                            lower.quiet_type(syntax)
                        });
                        Argument::Value(
                            bits,
                            ty.map_err(|_| "its template has a value of no type".to_string())?,
                        )
                    }
                    _ => Argument::Value(bits, Type::scalar(Scalar::ULong)),
                },
                Some(value) => value,
                None => match self.default_argument(parameter, &values, parameters) {
                    Ok(Some(value)) => value,
                    _ => {
                        return Err(format!(
                            "the template's argument `{name}` does not follow from the call; write it: `{}<…>(…)`",
                            candidate.function.name
                        ));
                    }
                },
            };
            values.push(value);
        }
        Ok(values)
    }

    /// What an argument's type is when it is copied.
    fn by_value(&self, ty: &Type) -> Type {
        match &ty.kind {
            Kind::Array(of, _) => Type::pointer((**of).clone()),
            _ => ty.plain(),
        }
    }

    /// How much an argument must be changed for a parameter of this type; none if it cannot be.
    pub(super) fn rank(&mut self, given: &Given, ty: &Type) -> Option<u32> {
        let Some(typed) = &given.typed else {
            let target = if let Kind::Reference(to) = &ty.kind {
                to
            } else {
                ty
            };
            return target
                .is_aggregate()
                .then_some(1)
                .or(Some(3).filter(|_| target.mem().is_some()));
        };
        let from = &typed.ty;
        if let Kind::Reference(to) = &ty.kind {
            let is_place = matches!(typed.form, Form::Place(_));
            if same_plain(from, to) || self.structs.derives(from, to) {
                return match (to.is_const, is_place, from.is_const) {
                    (false, true, true) => None,
                    (false, false, _) if !matches!(from.kind, Kind::Closure(_)) => None,
                    (true, _, false) => Some(1),
                    _ => Some(0),
                };
            }
            if !to.is_const {
                return None;
            }
            return self.rank_value(from, typed, to).map(|rank| rank + 1);
        }
        self.rank_value(from, typed, ty)
    }

    fn rank_value(&mut self, from: &Type, typed: &Typed, to: &Type) -> Option<u32> {
        let from = self.by_value(from);
        match (&from.kind, &to.kind) {
            (Kind::Pointer(a), Kind::Pointer(b)) => {
                if (a.is_const && !b.is_const) || (a.is_volatile && !b.is_volatile) {
                    return None;
                }
                let qualifies =
                    u32::from(a.is_const != b.is_const || a.is_volatile != b.is_volatile);
                match () {
                    () if same_plain(a, b) => Some(qualifies),
                    () if self.structs.derives(a, b) => Some(4 + qualifies),
                    () if b.is_void() => Some(8),
                    () => None,
                }
            }
            (a, b) if a == b => Some(0),
            (Kind::Null, Kind::Pointer(_)) => Some(1),
            (Kind::Pointer(_), Kind::Scalar(Scalar::Bool)) => Some(16),
            (Kind::Struct(_), Kind::Pointer(_)) => {
                let found = self.conversion_of(&from, to)?;
                Some(BY_CONVERSION + u32::from(!same_plain(&found.1, to)))
            }
            (_, Kind::Pointer(_)) => match typed.form {
                Form::Value(value)
                    if from.is_integer() && self.builder.body.constant(value) == Some(0) =>
                {
                    Some(16)
                }
                _ => None,
            },
            (_, Kind::Enum(..)) => None,
            (Kind::Scalar(a), Kind::Scalar(b)) => match () {
                () if from.is_integer() && promoted(*a) == *b => Some(2),
                () if *a == Scalar::Float && *b == Scalar::Double => Some(2),
                () if from.is_arithmetic() && to.is_arithmetic() => Some(8),
                () => None,
            },
            (Kind::Enum(_, of), Kind::Scalar(scalar)) if promoted(*of) == *scalar => Some(2),
            (Kind::Enum(..), Kind::Scalar(_)) if to.is_arithmetic() => Some(8),
            (Kind::Struct(_), Kind::Struct(_)) => self.structs.derives(&from, to).then_some(4),
            (Kind::Struct(_), _) => {
                let found = self.conversion_of(&from, to)?;
                Some(BY_CONVERSION + u32::from(!same_plain(&found.1, to)))
            }
            (_, Kind::Struct(id)) if from.is_arithmetic() && self.takes_one(*id) => {
                Some(BY_CONVERSION)
            }
            _ => None,
        }
    }
}
