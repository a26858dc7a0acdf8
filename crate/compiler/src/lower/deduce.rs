//! Template arguments that follow from the types of a call's arguments.

use super::Lower;
use super::scope::FunctionRef;
use crate::hash::HashMap;
use crate::syntax::{
    ExprKind, Name, Scalar, TemplateArgument, TemplateParameter, TypeKind, TypeSyntax,
};
use crate::types::{Kind, Structs, Type};
use std::rc::Rc;

/// What a template is made with.
#[derive(Debug, Clone)]
pub(super) enum Argument {
    Type(Type),
    Value(u64, Type),
    Functions(Rc<Vec<FunctionRef>>),
}

impl Argument {
    pub(super) fn spelled(&self, structs: &Structs) -> String {
        match self {
            Argument::Type(Type {
                kind: Kind::Closure(number),
                ..
            }) => format!("lambda {number}"),
            Argument::Type(Type {
                kind: Kind::Struct(id),
                ..
            }) => format!("{}#{}", structs.get(*id).name, id.0),
            Argument::Type(ty) => structs.spelled(ty),
            Argument::Value(bits, _) => bits.to_string(),
            Argument::Functions(list) => list
                .first()
                .map_or_else(String::new, |first| first.function.name.to_string()),
        }
    }
}

impl Lower<'_> {
    /// Compares a parameter's type with an argument's; false where they cannot be the same.
    pub(super) fn deduce(
        &self,
        pattern: &TypeSyntax,
        argument: &Type,
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        match &pattern.kind {
            TypeKind::Path(path) if path.parts.len() == 1 => {
                let part = &path.parts[0];
                if let Some(arguments) = &part.arguments {
                    return self.deduce_struct(&part.name, arguments, argument, parameters, found);
                }
                let is_parameter =
                    parameters.iter().any(|parameter| matches!(parameter, TemplateParameter::Type(name, _) if *name == part.name));
                if !is_parameter {
                    return true;
                }
                let mut ty = argument.clone();
                if pattern.is_const {
                    ty.is_const = false;
                }
                match found.get(&part.name) {
                    Some(Argument::Type(known)) => super::values::same_plain(known, &ty),
                    Some(_) => false,
                    None => {
                        found.insert(part.name.clone(), Argument::Type(ty));
                        true
                    }
                }
            }
            TypeKind::Pointer(to) => match &argument.kind {
                Kind::Pointer(of) => self.deduce(to, of, parameters, found),
                Kind::Array(of, _) => self.deduce(to, of, parameters, found),
                Kind::Null => true,
                _ => false,
            },
            TypeKind::Reference(to) => self.deduce(to, argument, parameters, found),
            TypeKind::Array(of, size) => match &argument.kind {
                Kind::Array(element, count) => {
                    if let Some(ExprKind::Path(path)) = size.as_ref().map(|size| &size.kind) {
                        let name = &path.parts[0].name;
                        for parameter in parameters {
                            if let TemplateParameter::Value(known, _, _) = parameter
                                && known == name
                                && !self.put_count(
                                    name,
                                    *count,
                                    &Type::scalar(Scalar::ULong),
                                    found,
                                )
                            {
                                return false;
                            }
                        }
                    }
                    self.deduce(of, element, parameters, found)
                }
                _ => false,
            },
            _ => true,
        }
    }

    fn put_count(
        &self,
        name: &Name,
        count: u64,
        ty: &Type,
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        match found.get(name) {
            Some(Argument::Value(known, _)) => *known == count,
            Some(_) => false,
            None => {
                found.insert(name.clone(), Argument::Value(count, ty.clone()));
                true
            }
        }
    }

    fn deduce_struct(
        &self,
        name: &Name,
        patterns: &[TemplateArgument],
        argument: &Type,
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        let Some((of, arguments)) = self.is_argument(argument) else {
            return false;
        };
        of == name && self.deduce_arguments(patterns, arguments, parameters, found)
    }

    /// The same for all arguments of a template.
    pub(super) fn deduce_arguments(
        &self,
        patterns: &[TemplateArgument],
        arguments: &[Argument],
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        patterns.iter().zip(arguments).all(|(pattern, argument)| match (pattern, argument) {
            (TemplateArgument::Type(pattern), Argument::Type(ty)) => self.deduce(pattern, ty, parameters, found),
            (TemplateArgument::Value(pattern), Argument::Value(bits, ty)) => match &pattern.kind {
                ExprKind::Path(path) => {
                    let name = &path.parts[0].name;
                    let is_parameter =
                        parameters.iter().any(|parameter| matches!(parameter, TemplateParameter::Value(known, ..) if known == name));
                    !is_parameter || self.put_count(name, *bits, ty, found)
                }
                _ => true,
            },
            _ => true,
        })
    }
}
