//! The arguments of templates: those that are written, those that follow from a call's, and defaults.

use super::Lower;
use super::deduce::Argument;
use super::overloads::Given;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::Form;
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::source::Span;
use crate::syntax::{Scalar, TemplateArgument, TemplateParameter, TypeKind, TypeSyntax};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// All arguments of a template for a call, or why it does not fit.
    pub(super) fn deduced(
        &mut self,
        candidate: &FunctionRef,
        parameters: &[TemplateParameter],
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
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

    /// The values of template arguments, with defaults for those that are left out.
    pub(super) fn evaluate_arguments(
        &mut self,
        parameters: &[TemplateParameter],
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Res<Vec<Argument>> {
        let arguments = &*self.expanded_arguments(arguments)?;
        let has_pack = parameters.iter().any(TemplateParameter::is_pack);
        if arguments.len() > parameters.len() && !has_pack {
            let message = format!(
                "this template takes {} arguments, not {}",
                parameters.len(),
                arguments.len()
            );
            return Err(self.sink.error(span, message));
        }
        let mut values = Vec::new();
        for (number, parameter) in parameters.iter().enumerate() {
            if let TemplateParameter::Pack(of) = parameter {
                let mut all = Vec::new();
                for argument in arguments.get(number..).unwrap_or(&[]) {
                    all.push(self.evaluate_argument(of, argument, &values, parameters)?);
                }
                values.push(Argument::Pack(all));
                break;
            }
            let value = match arguments.get(number) {
                Some(argument) => {
                    self.evaluate_argument(parameter, argument, &values, parameters)?
                }
                None => match self.default_argument(parameter, &values, parameters)? {
                    Some(value) => value,
                    None => {
                        let message = format!(
                            "this template takes {} arguments, not {}",
                            parameters.len(),
                            arguments.len()
                        );
                        return Err(self.sink.error(span, message));
                    }
                },
            };
            values.push(value);
        }
        Ok(values)
    }

    /// The value of one that is written.
    fn evaluate_argument(
        &mut self,
        parameter: &TemplateParameter,
        argument: &TemplateArgument,
        before: &[Argument],
        parameters: &[TemplateParameter],
    ) -> Res<Argument> {
        match (parameter, argument) {
            (TemplateParameter::Pack(of), _) => {
                self.evaluate_argument(of, argument, before, parameters)
            }
            (TemplateParameter::Template(name, _), TemplateArgument::Type(ty)) => {
                match self.template_named(ty) {
                    Some(found) => Ok(found),
                    None => {
                        let message =
                            format!("the template's parameter `{name}` is a template of a struct");
                        Err(self.sink.error(ty.span, message))
                    }
                }
            }
            (TemplateParameter::Type(..), TemplateArgument::Type(ty)) => {
                Ok(Argument::Type(self.type_of(ty)?))
            }
            (
                TemplateParameter::Type(name, _) | TemplateParameter::Template(name, _),
                TemplateArgument::Value(value),
            ) => {
                let message =
                    format!("the template's parameter `{name}` is a type, this is a value");
                Err(self.sink.error(value.span, message))
            }
            (TemplateParameter::Value(_, of, _), TemplateArgument::Value(value)) => {
                let scope = self.template_scope(parameters, before);
                let (of, _) = self.in_environment(vec![scope], None, |lower| match of.kind {
                    TypeKind::Auto => Ok(None),
                    _ => lower.type_of(of).map(Some),
                });
                let of = of?;
                let (typed, known) =
                    self.aside_known(value, of.as_ref().filter(|of| !of.is_callee()))?;
                if let Form::Functions(list) = &typed.form {
                    return Ok(Argument::Functions(list.clone()));
                }
                let of = of.unwrap_or_else(|| typed.ty.plain());
                match known {
                    Some((bits, _)) => Ok(Argument::Value(bits, of)),
                    None => Err(self.not_constant(value)),
                }
            }
            (TemplateParameter::Value(name, ..), TemplateArgument::Type(ty)) => {
                // A name that is both: a function or constant may be called as a type is.
                let message =
                    format!("the template's parameter `{name}` is a value, this is a type");
                Err(self.sink.error(ty.span, message))
            }
        }
    }

    pub(super) fn default_argument(
        &mut self,
        parameter: &TemplateParameter,
        before: &[Argument],
        parameters: &[TemplateParameter],
    ) -> Res<Option<Argument>> {
        let argument = match parameter {
            TemplateParameter::Type(_, Some(ty)) | TemplateParameter::Template(_, Some(ty)) => {
                TemplateArgument::Type(ty.clone())
            }
            TemplateParameter::Value(_, _, Some(value)) => TemplateArgument::Value(value.clone()),
            _ => return Ok(None),
        };
        let scope = self.template_scope(parameters, before);
        let (value, _) = self.in_environment(vec![scope], None, |lower| {
            lower.evaluate_argument(parameter, &argument, before, parameters)
        });
        value.map(Some)
    }

    /// The template that a name stands for which is no type by itself.
    fn template_named(&self, ty: &TypeSyntax) -> Option<Argument> {
        let TypeKind::Path(path) = &ty.kind else {
            return None;
        };
        let [part] = &path.parts[..] else { return None };
        let binding = match self.lookup(&part.name)? {
            // Within a template its own name is that of its struct.
            Binding::Type(Type {
                kind: Kind::Struct(id),
                ..
            }) => Binding::StructTemplate(self.structs.get(id).syntax.clone()?),
            other => other,
        };
        let name = match &binding {
            Binding::StructTemplate(of) if of.template.is_some() => of.name.clone(),
            Binding::AliasTemplate(_) => part.name.clone(),
            _ => return None,
        };
        Some(Argument::Template(name, Rc::new(binding)))
    }

    /// The names that a template's parameters are for these arguments.
    pub(super) fn template_scope(
        &self,
        parameters: &[TemplateParameter],
        arguments: &[Argument],
    ) -> Scope {
        let mut scope = Scope::default();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let binding = super::packs::binding_of(argument);
            scope.names.insert(parameter.name().clone(), binding);
        }
        scope
    }
}
