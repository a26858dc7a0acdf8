//! Which of several functions a call means.

use super::Lower;
use super::deduce::Argument;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::{Res, an};
use crate::hash::HashMap;
use crate::source::Span;
use crate::syntax::{
    Expr, ExprKind, Function, Scalar, TemplateArgument, TemplateParameter, TypeKind, TypeSyntax,
};
use crate::types::{Kind, Type, promoted};
use std::borrow::Cow;
use std::rc::Rc;

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
        // Of one of CUDA's and one of the source's own for the same types, the latter.
        let is_own =
            |(_, chosen): &((u32, u32), Chosen)| !chosen.function.function.span.is_header();
        if best.len() > 1 && best.iter().any(is_own) {
            best.retain(is_own);
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
            _ if self.take_the_same(&best[0].1, &best[1].1) => {
                let what = format!("`{name}` of two namespaces, or defined twice");
                Err(self.sink.gap(span, what))
            }
            _ => Err(self.sink.error_help(
                span,
                format!("more than one function `{name}` fits this call"),
                "cast an argument to the type that is meant",
            )),
        }
    }

    /// Whether two functions that are no templates have the same parameters.
    fn take_the_same(&mut self, a: &Chosen, b: &Chosen) -> bool {
        let mut all = Vec::new();
        for chosen in [a, b] {
            let function = chosen.function.function.clone();
            if function.template.is_some() {
                return false;
            }
            for parameter in &function.parameters {
                let scopes = vec![chosen.scope.clone()];
                let (ty, _) = self.in_environment(scopes, chosen.function.of, |lower| {
                    lower.quiet_type(&parameter.ty)
                });
                all.push(ty.ok());
            }
        }
        let (first, second) = all.split_at(all.len() / 2);
        first == second && first.iter().all(Option::is_some)
    }

    pub(super) fn fits(
        &mut self,
        candidate: &FunctionRef,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Result<((u32, u32), Chosen), String> {
        let function = candidate.function.clone();
        let is_needed =
            |one: &&crate::syntax::Parameter| one.default.is_none() && one.packs.is_none();
        let least = function.parameters.iter().filter(is_needed).count();
        let pack = function
            .parameters
            .last()
            .is_some_and(|last| last.packs.is_some());
        let most = if pack {
            usize::MAX
        } else {
            function.parameters.len()
        };
        if given.len() > most || given.len() < least {
            let wanted = if least == most {
                most.to_string()
            } else {
                format!("{least} to {most}")
            };
            return Err(format!(
                "it {}",
                crate::diagnostics::takes(&wanted, given.len())
            ));
        }
        let mut values = Vec::new();
        let none = Vec::new();
        let parameters = function.template.as_ref().unwrap_or(&none);
        if function.template.is_some() {
            // What has no meaning for these arguments only means that the template does not fit.
            let before = std::mem::take(self.sink);
            let found = self.deduced(candidate, parameters, explicit, given, span);
            *self.sink = before;
            values = found?;
        } else if let Some(explicit) = explicit
            && !self.is_special_for(candidate, explicit, given, span)
        {
            return Err("it is no template for these arguments".to_string());
        }
        let scope = self.template_scope(parameters, &values);
        let words: Vec<String> = values
            .iter()
            .map(|value| value.spelled(&self.structs))
            .collect();
        let depends = matches!(&function.returns.kind, TypeKind::Path(path) if path.parts.len() > 1
            || path.parts[0].arguments.is_some());
        if function.template.is_some() && depends {
            let returns = &function.returns;
            let (ty, _) = self.in_environment(vec![scope.clone()], candidate.of, |lower| {
                lower.quiet_type(returns)
            });
            ty.map_err(|_| "what it returns has no meaning for this".to_string())?;
        }
        let types = |lower: &mut Self| {
            let ty = |number| {
                let syntax = type_of_parameter(&function, number);
                (lower.quiet_type(&syntax), syntax.is_rvalue)
            };
            Ok((0..given.len()).map(ty).collect::<Vec<_>>())
        };
        let (types, _) = self.in_environment(vec![scope.clone()], candidate.of, types);
        let types = types.unwrap_or_default().into_iter();
        let mut score = 0;
        for (number, (given, (ty, is_rvalue))) in given.iter().zip(types).enumerate() {
            let ty = ty.map_err(|_| {
                format!(
                    "the type of its parameter {} has no meaning for this",
                    number + 1
                )
            })?;
            match self.rank_of(given, &ty, is_rvalue) {
                Some(rank) => score += rank,
                None => {
                    let from = given.typed.as_ref().map_or("a list".to_string(), |typed| {
                        an(&self.structs.spelled(&typed.ty))
                    });
                    return Err(format!(
                        "its parameter {} is {}, the argument is {from}",
                        number + 1,
                        an(&self.structs.spelled(&ty))
                    ));
                }
            }
        }
        let of = candidate.of.map_or(0, |of| of.0 + 1).to_string();
        let instance = [&*function.name, "<", &words.join(", "), ">", &of].concat();
        // Of two templates that fit, the one that says more about its parameters.
        let said: u32 = function.parameters.iter().map(|one| detail(&one.ty)).sum();
        let generality = match function.template.is_some() {
            true => 1000 * (1 + parameters.len() as u32 + u32::from(pack)) - said.min(900),
            false if function.special.as_ref().is_some_and(Vec::is_empty) => 1000,
            false => 0,
        };
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
    fn is_special_for(
        &mut self,
        candidate: &FunctionRef,
        explicit: &[TemplateArgument],
        given: &[Given],
        span: Span,
    ) -> bool {
        let Some(special) = &candidate.function.special else {
            return false;
        };
        if special.is_empty() {
            return self.is_deduced_special_for(candidate, explicit, given, span);
        }
        if special.len() < explicit.len() {
            return false;
        }
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

    /// The same for `template <> float2 add(float2 a, float2 b)`, whose arguments follow from its parameters: they are those
    /// of its template.
    fn is_deduced_special_for(
        &mut self,
        candidate: &FunctionRef,
        explicit: &[TemplateArgument],
        given: &[Given],
        span: Span,
    ) -> bool {
        let own = &candidate.function;
        let Some(Binding::Functions(list)) = self.lookup(&own.name) else {
            return false;
        };
        let before = std::mem::take(self.sink);
        let fits = list.iter().any(|template| {
            let of = &template.function;
            let Some(parameters) = &of.template else {
                return false;
            };
            let values = self.deduced(template, parameters, Some(explicit), given, span);
            let Ok(values) = values else { return false };
            let scope = self.template_scope(parameters, &values);
            let types = |lower: &mut Self, of: &Function| {
                let of = of.parameters.iter().map(|one| &one.ty).chain([&of.returns]);
                Ok(of.map(|ty| lower.type_of(ty).ok()).collect::<Vec<_>>())
            };
            let (theirs, _) = self.in_environment(vec![scope], template.of, |lower| types(lower, of));
            let ours = types(self, own);
            matches!((ours, theirs), (Ok(ours), Ok(theirs)) if ours == theirs && !ours.contains(&None))
        });
        *self.sink = before;
        fits
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

    pub(super) fn deduced(
        &mut self,
        candidate: &FunctionRef,
        parameters: &[TemplateParameter],
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        _span: Span,
    ) -> Result<Vec<Argument>, String> {
        let mut values: Vec<Argument> = Vec::new();
        let mut found = HashMap::default();
        let no_value = |_| {
            "what stands between `<` and `>` is not what its template takes, or not known while compiling".to_string()
        };
        let explicit = self.expanded_arguments(explicit.unwrap_or(&[]));
        let explicit = explicit.map_err(no_value)?;
        let mut of_pack = Vec::new();
        for (number, parameter) in parameters.iter().enumerate().take(explicit.len()) {
            let is_pack = parameter.is_pack();
            let last = if is_pack { explicit.len() } else { number + 1 };
            for argument in &explicit[number..last] {
                let value = self.evaluate_argument(parameter, argument, &values, parameters);
                let value = value.map_err(no_value)?;
                if is_pack {
                    of_pack.push(value);
                } else {
                    found.insert(parameter.name().clone(), value.clone());
                    values.push(value);
                }
            }
            if is_pack {
                break;
            }
        }
        if values.len() + of_pack.len() < explicit.len() {
            return Err("its template takes fewer arguments".to_string());
        }
        // What is written is not deduced: arguments may be converted to it.
        self.deduce_from(candidate, &parameters[values.len()..], given, &mut found)?;
        for parameter in &parameters[values.len()..] {
            let name = parameter.name();
            if parameter.is_pack() {
                let mut all = std::mem::take(&mut of_pack);
                if let Some(Argument::Pack(list)) = found.remove(name) {
                    all.extend(list.into_iter().skip(all.len()));
                }
                values.push(Argument::Pack(all));
                continue;
            }
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

    /// Finds what the types of arguments say of the parameters of a template.
    pub(super) fn deduce_from(
        &self,
        candidate: &FunctionRef,
        parameters: &[TemplateParameter],
        given: &[Given],
        found: &mut HashMap<crate::syntax::Name, Argument>,
    ) -> Result<(), String> {
        let one = |lower: &Self, given: &Given, ty: &TypeSyntax, found: &mut HashMap<_, _>| {
            let Some(typed) = &given.typed else {
                return true;
            };
            if let TypeKind::Reference(_) = ty.kind {
                return lower.deduce(ty, &typed.ty, parameters, found);
            }
            let of = lower.by_value(&typed.ty);
            match (&ty.kind, &of.kind) {
                // An array that is no reference is a pointer to its first element, whatever its length.
                (TypeKind::Array(element, _), Kind::Pointer(of)) => {
                    lower.deduce(element, of, parameters, found)
                }
                _ => lower.deduce(ty, &of, parameters, found),
            }
        };
        for (number, parameter) in candidate.function.parameters.iter().enumerate() {
            let Some(first) = given.get(number) else {
                break;
            };
            let fits = match &parameter.packs {
                None => one(self, first, &parameter.ty, found),
                Some(packs) => {
                    let rest = &given[number..];
                    self.deduce_pack(packs, rest.len(), found, |lower, number, found| {
                        one(lower, &rest[number], &parameter.ty, found)
                    })
                }
            };
            if !fits {
                let typed = first.typed.as_ref();
                let name = typed.map_or(String::new(), |typed| self.structs.spelled(&typed.ty));
                return Err(format!("its template does not fit a `{name}`"));
            }
        }
        Ok(())
    }

    /// What an argument's type is when it is copied.
    fn by_value(&self, ty: &Type) -> Type {
        match &ty.kind {
            Kind::Array(of, _) => Type::pointer((**of).clone()),
            _ => ty.plain(),
        }
    }

    /// The same as [`Lower::rank`] for a parameter that may be `T&&`, which takes values too.
    fn rank_of(&mut self, given: &Given, ty: &Type, is_rvalue: bool) -> Option<u32> {
        let is_place = |given: &Given| {
            let form = given.typed.as_ref().map(|typed| &typed.form);
            matches!(form, Some(Form::Place(_)))
        };
        match &ty.kind {
            Kind::Reference(to) if is_rvalue && !is_place(given) => {
                let mut to = (**to).clone();
                to.is_const = true;
                let rank = self.rank(given, &Type::new(Kind::Reference(Rc::new(to))));
                rank.map(|rank| rank.saturating_sub(1))
            }
            _ => self.rank(given, ty).map(|rank| rank + u32::from(is_rvalue)),
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
        match &ty.kind {
            Kind::Array(of, _) => self.rank_value(from, typed, &Type::pointer((**of).clone())),
            _ => self.rank_value(from, typed, ty),
        }
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
            (Kind::Function, Kind::Callee(_)) => Some(0),
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
            (Kind::Enum(..), Kind::Scalar(_)) if self.is_scoped_enum(&from) => None,
            (Kind::Enum(_, of), Kind::Scalar(scalar)) if promoted(*of) == *scalar => Some(2),
            (Kind::Enum(..), Kind::Scalar(_)) if to.is_arithmetic() => Some(8),
            (Kind::Struct(_), Kind::Struct(_)) if self.structs.derives(&from, to) => Some(4),
            (Kind::Struct(_), Kind::Struct(id)) => {
                let is_taken =
                    self.takes_struct(*id, &from) || self.conversion_of(&from, to).is_some();
                is_taken.then_some(BY_CONVERSION)
            }
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

/// The type of the parameter that takes an argument.
pub(super) fn type_of_parameter(function: &Function, number: usize) -> Cow<'_, TypeSyntax> {
    let last = function.parameters.len() - 1;
    let parameter = &function.parameters[number.min(last)];
    match &parameter.packs {
        Some(packs) => Cow::Owned(super::packs::nth_type(
            &parameter.ty,
            packs,
            number - last.min(number),
        )),
        None => Cow::Borrowed(&parameter.ty),
    }
}

/// How much a type says besides its name.
fn detail(ty: &TypeSyntax) -> u32 {
    match &ty.kind {
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => 1 + u32::from(to.is_const) + detail(to),
        TypeKind::Reference(to) => detail(to),
        TypeKind::Path(path) => path
            .parts
            .iter()
            .map(|part| 2 * part.arguments.as_ref().map_or(0, Vec::len) as u32)
            .sum(),
        _ => 0,
    }
}
