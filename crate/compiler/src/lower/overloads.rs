//! Which of several functions a call means.

use super::Lower;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::Typed;
use crate::diagnostics::{Res, an};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Function, TemplateArgument, TypeKind, TypeSyntax};
use crate::types::Type;
use std::borrow::Cow;

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
            match self.fits(function, explicit, given) {
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

    /// Whether a function takes these arguments: how well, and how special it is, or why not.
    pub(super) fn fits(
        &mut self,
        candidate: &FunctionRef,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
    ) -> Result<((u32, u32), Chosen), String> {
        let function = candidate.function.clone();
        check_number(&function, given.len())?;
        let mut values = Vec::new();
        let none = Vec::new();
        let parameters = function.template.as_ref().unwrap_or(&none);
        if function.template.is_some() {
            // What has no meaning for these arguments only means that the template does not fit.
            let before = std::mem::take(self.sink);
            let found = self.deduced(candidate, parameters, explicit, given);
            *self.sink = before;
            values = found?;
        } else if let Some(explicit) = explicit
            && !self.is_special_for(candidate, explicit, given)
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
        let score = self.score(candidate, &scope, given)?;
        let of = candidate.of.map_or(0, |of| of.0 + 1).to_string();
        let instance = [&*function.name, "<", &words.join(", "), ">", &of].concat();
        // Of two templates that fit, the one that says more about its parameters.
        let said: u32 = function.parameters.iter().map(|one| detail(&one.ty)).sum();
        let generality = match function.template.is_some() {
            true => {
                1000 * (1 + parameters.len() as u32 + u32::from(has_pack(&function)))
                    - said.min(900)
            }
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

    /// How much the arguments must be changed for the parameters, whose types are looked at in the template's scope.
    fn score(
        &mut self,
        candidate: &FunctionRef,
        scope: &Scope,
        given: &[Given],
    ) -> Result<u32, String> {
        let function = candidate.function.clone();
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
        Ok(score)
    }

    /// Whether a function is a template's special case for the arguments of a call.
    fn is_special_for(
        &mut self,
        candidate: &FunctionRef,
        explicit: &[TemplateArgument],
        given: &[Given],
    ) -> bool {
        let Some(special) = &candidate.function.special else {
            return false;
        };
        if special.is_empty() {
            return self.is_deduced_special_for(candidate, explicit, given);
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
            let values = self.deduced(template, parameters, Some(explicit), given);
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
        *self.sink = before;
        result
    }
}

/// Whether a function's last parameter takes any number of arguments.
fn has_pack(function: &Function) -> bool {
    let last = function.parameters.last();
    last.is_some_and(|last| last.packs.is_some())
}

/// Refuses more arguments than a function takes, or fewer.
fn check_number(function: &Function, given: usize) -> Result<(), String> {
    let is_needed = |one: &&crate::syntax::Parameter| one.default.is_none() && one.packs.is_none();
    let least = function.parameters.iter().filter(is_needed).count();
    let most = if has_pack(function) {
        usize::MAX
    } else {
        function.parameters.len()
    };
    if given > most || given < least {
        let wanted = if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        return Err(format!("it {}", crate::diagnostics::takes(&wanted, given)));
    }
    Ok(())
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
