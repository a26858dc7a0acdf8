//! Types and qualified names: what they stand for here.

use super::deduce::Argument;
use super::scope::{Binding, Scope};
use super::{Frame, Lower};
use crate::diagnostics::Res;
use crate::limits::OBJECT_BYTES;
use crate::source::Span;
use crate::syntax::{DECLTYPE, Expr, Part, Path, TemplateArgument, TypeKind, TypeSyntax};
use crate::types::{BUILT_IN_TYPES, Kind, StructId, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// Runs a part where names mean what they do in these scopes and in this struct.
    pub(super) fn in_environment<T>(
        &mut self,
        scopes: Vec<Scope>,
        of: Option<StructId>,
        part: impl FnOnce(&mut Self) -> Res<T>,
    ) -> (Res<T>, Vec<Scope>) {
        let call = self.frames.last().and_then(|frame| frame.call.clone());
        let instance = self
            .frames
            .last()
            .map(|frame| frame.instance.clone())
            .unwrap_or_default();
        self.frames.push(Frame {
            scopes,
            of,
            call,
            instance,
            ..Frame::default()
        });
        let result = part(self);
        let scopes = self
            .frames
            .pop()
            .map(|frame| frame.scopes)
            .unwrap_or_default();
        (result, scopes)
    }

    pub(super) fn type_of(&mut self, syntax: &TypeSyntax) -> Res<Type> {
        let mut ty = self.deeper(syntax.span, |lower| lower.unqualified(syntax))?;
        ty.is_const |= syntax.is_const;
        ty.is_volatile |= syntax.is_volatile;
        Ok(ty)
    }

    fn unqualified(&mut self, syntax: &TypeSyntax) -> Res<Type> {
        match &syntax.kind {
            TypeKind::Scalar(scalar) => Ok(Type::scalar(*scalar)),
            TypeKind::Path(path) => match self.resolve(path)? {
                (Binding::Type(ty), _) => Ok(ty),
                _ => {
                    let name = &path.parts[path.parts.len() - 1].name;
                    Err(self.sink.error(path.span, format!("`{name}` is no type")))
                }
            },
            TypeKind::Auto => Err(self
                .sink
                .error(syntax.span, "`auto` needs a value that tells the type")),
            TypeKind::Decltype(inner) => self.type_of_expr(inner),
            TypeKind::Pointer(to) => {
                let to = self.type_of(to)?;
                match to.kind {
                    // A pointer to a function is a function that is known while compiling.
                    Kind::Function | Kind::Callee(_) => Ok(to),
                    _ => Ok(Type::pointer(to)),
                }
            }
            TypeKind::Reference(to) => {
                let to = self.type_of(to)?;
                match to.kind {
                    Kind::Reference(_) | Kind::Function => Ok(to),
                    _ => Ok(Type::new(Kind::Reference(Rc::new(to)))),
                }
            }
            TypeKind::Array(of, size) => {
                let of = self.type_of(of)?;
                if of.kind == Kind::Function {
                    return Err(self
                        .sink
                        .gap(syntax.span, "an array of pointers to functions"));
                }
                if of.is_void() || matches!(of.kind, Kind::Reference(_) | Kind::Function) {
                    return Err(self
                        .sink
                        .error(syntax.span, "an array's elements are objects of a size"));
                }
                let Some(size) = size else {
                    return Ok(Type::array(of, 0));
                };
                let count = self.constant_size(size)?;
                Ok(Type::array(of, count))
            }
            TypeKind::Function(signature) => Ok(self.callee_type(signature)),
            TypeKind::Struct(made) => self.struct_once(made),
            TypeKind::Enum(made) => self.define_enum(made),
            TypeKind::Nth(packs, number, ty) => {
                self.with_nth(packs, *number, |lower| lower.type_of(ty))
            }
            TypeKind::Expand(..) => {
                let message = "a pack cannot be expanded here";
                Err(self.sink.error(syntax.span, message))
            }
        }
    }

    fn constant_size(&mut self, size: &Expr) -> Res<u64> {
        let (bits, ty) = self.constant_integer(size)?;
        let is_negative = (bits as i64) < 0 && ty.as_integer().is_some_and(crate::types::is_signed);
        if is_negative || bits == 0 {
            return Err(self
                .sink
                .error(size.span, "an array has at least one element"));
        }
        if bits > OBJECT_BYTES {
            return Err(self.sink.error(
                size.span,
                format!("an array of {bits} elements is larger than memory"),
            ));
        }
        Ok(bits)
    }

    pub(super) fn check_size(&mut self, span: Span, ty: &Type) -> Res<()> {
        let size = self.structs.size(ty);
        match size > OBJECT_BYTES {
            true => Err(self.sink.error(
                span,
                format!("an object of {size} bytes is larger than memory"),
            )),
            false => Ok(()),
        }
    }

    /// What a qualified name stands for, and the template arguments behind its last part that were not used up.
    pub(super) fn resolve(&mut self, path: &Path) -> Res<(Binding, Option<Vec<TemplateArgument>>)> {
        let mut found: Option<Binding> = None;
        let mut rest = None;
        for (number, part) in path.parts.iter().enumerate() {
            if let (DECLTYPE, Some([TemplateArgument::Type(of)])) =
                (&*part.name, part.arguments.as_deref())
            {
                let mut ty = self.type_of(of)?;
                while let Kind::Reference(to) = &ty.kind {
                    ty = (**to).clone();
                }
                found = Some(Binding::Type(ty));
                continue;
            }
            let binding = match &found {
                // Before `::` a variable of the same name does not count.
                None if number == 0 => self
                    .lookup(&part.name)
                    .filter(|found| path.parts.len() == 1 || !matches!(found, Binding::Typed(_)))
                    .or_else(|| self.globals.names.get(&part.name).cloned())
                    .or_else(|| self.built_in_type(&part.name))
                    .or_else(|| self.as_value(&part.name)),
                Some(Binding::Type(Type {
                    kind: Kind::Struct(id),
                    ..
                })) => self.member_binding(*id, &part.name),
                Some(Binding::Type(Type {
                    kind: Kind::Enum(id, _),
                    ..
                })) => self.enums[*id as usize].names.get(&part.name).cloned(),
                _ => None,
            };
            let Some(binding) = binding else {
                if number > 0 {
                    let (of, name) = (&path.parts[number - 1].name, &part.name);
                    return Err(self
                        .sink
                        .error(path.span, format!("`{of}` has no member `{name}`")));
                }
                return Err(self.unknown(&part.name, path.span));
            };
            let (binding, left) = self.applied(binding, part, path.span)?;
            (found, rest) = (Some(binding), left);
        }
        match found {
            Some(binding) => Ok((self.thawed(binding), rest)),
            None => Err(self.sink.error(path.span, "a name was expected here")),
        }
    }

    /// What a name stands for with the template arguments behind it, and those that it does not use up.
    fn applied(
        &mut self,
        binding: Binding,
        part: &Part,
        span: Span,
    ) -> Res<(Binding, Option<Vec<TemplateArgument>>)> {
        Ok(match (binding, &part.arguments) {
            (Binding::StructTemplate(syntax), Some(arguments)) => {
                let ty = self.instantiate(&syntax, arguments, span)?;
                (Binding::Type(ty), None)
            }
            (Binding::StructTemplate(syntax), None) => {
                let help = format!("write its arguments: `{}<…>`", syntax.name);
                let message = format!("`{}` is a template of a struct", syntax.name);
                return Err(self.sink.error_help(span, message, help));
            }
            // Within a template its own name may be that of another struct of it.
            (
                Binding::Type(Type {
                    kind: Kind::Struct(id),
                    ..
                }),
                Some(arguments),
            ) => {
                let own = self.structs.get(id).syntax.clone();
                let primary = own.map(|own| match self.globals.names.get(&own.name) {
                    // A special case goes by the name of what it is a case of.
                    Some(Binding::StructTemplate(primary)) if own.special.is_some() => {
                        primary.clone()
                    }
                    _ => own,
                });
                let Some(syntax) = primary.filter(|syntax| syntax.template.is_some()) else {
                    let message = format!("`{}` is no template", part.name);
                    return Err(self.sink.error(span, message));
                };
                let ty = self.instantiate(&syntax, arguments, span)?;
                (Binding::Type(ty), None)
            }
            (Binding::VariableTemplate(list), Some(arguments)) => {
                let made = self.variable_of_template(&list, arguments, span)?;
                (made, None)
            }
            (Binding::AliasTemplate(alias), Some(arguments)) => {
                let values = self.evaluate_arguments(&alias.0, arguments, span)?;
                let scope = self.template_scope(&alias.0, &values);
                let (ty, _) =
                    self.in_environment(vec![scope], None, |lower| lower.type_of(&alias.1));
                (Binding::Type(ty?), None)
            }
            (binding, arguments) => (binding, arguments.clone()),
        })
    }

    /// A variable of a template, for these arguments: a constant.
    fn variable_of_template(
        &mut self,
        list: &[Rc<crate::syntax::VariableTemplate>],
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Res<Binding> {
        let Some(plain) = list
            .iter()
            .find(|made| made.special.is_none())
            .or(list.first())
        else {
            return Err(self.sink.error(span, "this template has no definition"));
        };
        let parameters = plain.template.clone();
        let values = self.evaluate_arguments(&parameters, arguments, span)?;
        let (mut chosen, mut scope) = (plain, self.template_scope(&parameters, &values));
        for special in list {
            let Some(patterns) = &special.special else {
                continue;
            };
            let mut found = crate::hash::HashMap::default();
            if !self.deduce_arguments(patterns, &values, &special.template, &mut found) {
                continue;
            }
            let own = special
                .template
                .iter()
                .map(|one| found.get(one.name()).cloned());
            let Some(own) = own.collect::<Option<Vec<Argument>>>() else {
                continue;
            };
            let known = self.template_scope(&special.template, &own);
            let (fits, _) = self.in_environment(vec![known.clone()], None, |lower| {
                lower.are_arguments(patterns, &values)
            });
            if fits? {
                (chosen, scope) = (special, known);
            }
        }
        let variable = &chosen.variable;
        let (made, _) = self.in_environment(vec![scope], None, |lower| {
            let ty = lower.variable_type(variable)?;
            if ty.is_aggregate() {
                let what = "an array or object that is a template";
                return Err(lower.sink.gap(variable.span, what));
            }
            let value = lower.deeper(span, |lower| lower.initial_value(variable, &ty))?;
            Ok(lower.frozen(&Binding::Typed(value)))
        });
        match made? {
            Some(binding) => Ok(binding),
            None => Err(self.sink.error(span, "this must be known while compiling")),
        }
    }

    fn built_in_type(&mut self, name: &str) -> Option<Binding> {
        if let Some((_, scalar)) = BUILT_IN_TYPES.iter().find(|(known, _)| *known == name) {
            return Some(Binding::Type(Type::scalar(*scalar)));
        }
        let id = self.structs.vector(name)?;
        Some(Binding::Type(Type::new(Kind::Struct(id))))
    }
}
