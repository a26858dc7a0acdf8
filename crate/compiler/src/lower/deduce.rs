//! Template arguments that follow from the types of a call's arguments.

use super::Lower;
use super::scope::{Binding, FunctionRef};
use crate::hash::HashMap;
use crate::syntax::{
    ExprKind, Name, Packs, Scalar, TemplateArgument, TemplateParameter, TypeKind, TypeSyntax,
};
use crate::types::{Kind, StructId, Structs, Type};
use std::rc::Rc;

/// What a template is made with.
#[derive(Debug, Clone)]
pub(super) enum Argument {
    Type(Type),
    Value(u64, Type),
    Functions(Rc<Vec<FunctionRef>>),
    /// A template of a struct, by its name.
    Template(Name, Rc<Binding>),
    Pack(Vec<Argument>),
}

/// The arguments with those of packs among them.
pub(super) fn flat(arguments: &[Argument]) -> Vec<&Argument> {
    let mut all = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Pack(list) => all.extend(list),
            other => all.push(other),
        }
    }
    all
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
            Argument::Template(name, _) => name.to_string(),
            Argument::Pack(list) => {
                let words: Vec<String> = list.iter().map(|one| one.spelled(structs)).collect();
                words.join(", ")
            }
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
                if !parameters
                    .iter()
                    .any(|parameter| is_type(parameter, &part.name))
                {
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
                            if is_value(parameter, name)
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
        if let Some(Binding::AliasTemplate(alias)) = self.globals.names.get(name) {
            return match behind_alias(alias, patterns) {
                Some((of, own)) => self.deduce_struct(&of, &own, argument, parameters, found),
                // It says nothing of its arguments: `void_t<decltype(…)>`.
                None => true,
            };
        }
        let Some((of, arguments)) = self.made_of(argument) else {
            // What inherits from a template's struct can stand for it.
            let Kind::Struct(id) = argument.kind else {
                return false;
            };
            return self.deduce_base(id, name, patterns, parameters, found);
        };
        let is_template = |parameter: &TemplateParameter| matches!(parameter, TemplateParameter::Template(known, _) if known == name);
        if parameters.iter().any(is_template) {
            let Some(binding) = self.globals.names.get(of) else {
                return false;
            };
            let value = Argument::Template(of.clone(), Rc::new(binding.clone()));
            found.entry(name.clone()).or_insert(value);
            return self.deduce_arguments(patterns, arguments, parameters, found);
        }
        let Kind::Struct(id) = argument.kind else {
            return false;
        };
        match of == name {
            true => self.deduce_arguments(patterns, arguments, parameters, found),
            false => self.deduce_base(id, name, patterns, parameters, found),
        }
    }

    fn deduce_base(
        &self,
        id: StructId,
        name: &Name,
        patterns: &[TemplateArgument],
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        let bases = self.structs.get(id).bases.iter();
        bases.into_iter().any(|(base, _)| {
            let base = Type::new(Kind::Struct(*base));
            self.deduce_struct(name, patterns, &base, parameters, found)
        })
    }

    /// The same for all arguments of a template.
    pub(super) fn deduce_arguments(
        &self,
        patterns: &[TemplateArgument],
        arguments: &[Argument],
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        let arguments = flat(arguments);
        let last = patterns.last().and_then(expansion);
        let fixed = patterns.len() - usize::from(last.is_some());
        // What is not written of a template's arguments are its defaults.
        if arguments.len() < fixed {
            return false;
        }
        let (first, rest) = arguments.split_at(fixed);
        let fits = first
            .iter()
            .zip(patterns)
            .all(|(argument, pattern)| self.deduce_argument(pattern, argument, parameters, found));
        match last {
            None => fits,
            Some((packs, pattern)) => {
                let each = |lower: &Self, number: usize, one: &mut HashMap<Name, Argument>| {
                    lower.deduce_argument(&pattern, rest[number], parameters, one)
                };
                fits && self.deduce_pack(&packs, rest.len(), found, each)
            }
        }
    }

    fn deduce_argument(
        &self,
        pattern: &TemplateArgument,
        argument: &Argument,
        parameters: &[TemplateParameter],
        found: &mut HashMap<Name, Argument>,
    ) -> bool {
        match (pattern, argument) {
            (TemplateArgument::Type(pattern), Argument::Type(ty)) => {
                self.deduce(pattern, ty, parameters, found)
            }
            (TemplateArgument::Type(pattern), Argument::Template(..)) => {
                if let TypeKind::Path(path) = &pattern.kind {
                    let name = &path.parts[0].name;
                    if parameters.iter().any(|parameter| parameter.name() == name) {
                        found.entry(name.clone()).or_insert(argument.clone());
                    }
                }
                true
            }
            (TemplateArgument::Value(pattern), Argument::Value(bits, ty)) => match &pattern.kind {
                ExprKind::Path(path) => {
                    let name = &path.parts[0].name;
                    let is_parameter = parameters.iter().any(|one| is_value(one, name));
                    !is_parameter || self.put_count(name, *bits, ty, found)
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// Finds what each of so many arguments makes the packs of a pattern.
    pub(super) fn deduce_pack(
        &self,
        packs: &[Name],
        count: usize,
        found: &mut HashMap<Name, Argument>,
        each: impl Fn(&Self, usize, &mut HashMap<Name, Argument>) -> bool,
    ) -> bool {
        let mut all: Vec<Vec<Argument>> = vec![Vec::new(); packs.len()];
        let known: Vec<Option<Argument>> = packs.iter().map(|name| found.remove(name)).collect();
        for number in 0..count {
            for (name, known) in packs.iter().zip(&known) {
                found.remove(name);
                if let Some(Argument::Pack(list)) = known
                    && let Some(element) = list.get(number)
                {
                    found.insert(name.clone(), element.clone());
                }
            }
            if !each(self, number, found) {
                return false;
            }
            for (list, name) in all.iter_mut().zip(packs) {
                list.extend(found.remove(name));
            }
        }
        for (name, list) in packs.iter().zip(all) {
            if list.len() == count {
                found.insert(name.clone(), Argument::Pack(list));
            }
        }
        true
    }
}

/// The packs and the pattern of what stands for any number of arguments.
fn expansion(argument: &TemplateArgument) -> Option<(Packs, TemplateArgument)> {
    match argument {
        TemplateArgument::Type(TypeSyntax {
            kind: TypeKind::Expand(packs, pattern),
            ..
        }) => Some((packs.clone(), TemplateArgument::Type((**pattern).clone()))),
        TemplateArgument::Value(value) => match &value.kind {
            ExprKind::Expand(packs, pattern) => {
                Some((packs.clone(), TemplateArgument::Value((**pattern).clone())))
            }
            _ => None,
        },
        TemplateArgument::Type(_) => None,
    }
}

/// Whether a parameter, or one of its pack, is a type of this name.
fn is_type(parameter: &TemplateParameter, name: &Name) -> bool {
    match parameter {
        TemplateParameter::Type(known, _) => known == name,
        TemplateParameter::Pack(of) => is_type(of, name),
        _ => false,
    }
}

fn is_value(parameter: &TemplateParameter, name: &Name) -> bool {
    match parameter {
        TemplateParameter::Value(known, ..) => known == name,
        TemplateParameter::Pack(of) => is_value(of, name),
        _ => false,
    }
}

/// The template of a struct that another name stands for, with these arguments in the places of the name's own.
fn behind_alias(
    alias: &(Vec<TemplateParameter>, TypeSyntax),
    arguments: &[TemplateArgument],
) -> Option<(Name, Vec<TemplateArgument>)> {
    let TypeKind::Path(path) = &alias.1.kind else {
        return None;
    };
    let [part] = &path.parts[..] else { return None };
    let place = |name: &Name| alias.0.iter().position(|own| own.name() == name);
    let mut all = Vec::new();
    for written in part.arguments.as_ref()? {
        let (name, is_pack) = match (name_of(written), expansion(written)) {
            (Some(name), _) => (name, false),
            (None, Some((_, pattern))) => (name_of(&pattern)?, true),
            (None, None) => {
                all.push(written.clone());
                continue;
            }
        };
        match place(&name) {
            Some(at) if is_pack => all.extend(arguments.get(at..)?.iter().cloned()),
            Some(at) => all.push(arguments.get(at)?.clone()),
            None => all.push(written.clone()),
        }
    }
    Some((part.name.clone(), all))
}

/// The name that an argument is, if it is nothing else.
fn name_of(argument: &TemplateArgument) -> Option<Name> {
    let path = match argument {
        TemplateArgument::Type(TypeSyntax {
            kind: TypeKind::Path(path),
            ..
        }) => path,
        TemplateArgument::Value(value) => match &value.kind {
            ExprKind::Path(path) => path,
            _ => return None,
        },
        TemplateArgument::Type(_) => return None,
    };
    match &path.parts[..] {
        [only] if only.arguments.is_none() => Some(only.name.clone()),
        _ => None,
    }
}
