//! Structs that are made of templates: one for each list of arguments, by the special case that fits them.

use super::Lower;
use super::deduce::Argument;
use super::scope::{Binding, Scope};
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::source::Span;
use crate::syntax::{StructSyntax, TemplateArgument, TypeKind};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// A template's struct for these arguments.
    pub(super) fn instantiate(
        &mut self,
        syntax: &Rc<StructSyntax>,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Res<Type> {
        let parameters = syntax.template.clone().unwrap_or_default();
        let values = self.evaluate_arguments(&parameters, arguments, span)?;
        self.instantiate_with(syntax, values, span)
    }

    pub(super) fn instantiate_with(
        &mut self,
        syntax: &Rc<StructSyntax>,
        values: Vec<Argument>,
        span: Span,
    ) -> Res<Type> {
        let parameters = syntax.template.clone().unwrap_or_default();
        let words: Vec<String> = values
            .iter()
            .map(|value| value.spelled(&self.structs))
            .collect();
        let name = format!("{}<{}>", syntax.name, words.join(", "));
        if let Some(id) = self.instances.get(&name) {
            return Ok(Type::new(Kind::Struct(*id)));
        }
        let (of, scope) = match self.special_case(&syntax.name, &values)? {
            Some(found) => found,
            None => (syntax.clone(), self.template_scope(&parameters, &values)),
        };
        let is_global = matches!(
            self.globals.names.get(&syntax.name),
            Some(Binding::StructTemplate(known)) if Rc::ptr_eq(known, syntax)
        );
        let made = Some((syntax.name.clone(), values));
        let id = self.deeper(span, |lower| match is_global {
            // It does not see the names of where it is used.
            true => {
                let define = |lower: &mut Self| lower.define_struct(&of, scope, name.clone(), made);
                lower.in_environment(Vec::new(), None, define).0
            }
            false => lower.define_struct(&of, scope, name.clone(), made),
        });
        if id.is_err() {
            self.instances.remove(&name);
        }
        Ok(Type::new(Kind::Struct(id?)))
    }

    /// The special case of a template that fits these arguments, the one with the fewest parameters of its own.
    fn special_case(
        &mut self,
        name: &str,
        values: &[Argument],
    ) -> Res<Option<(Rc<StructSyntax>, Scope)>> {
        let mut cases = self.special.get(name).cloned().unwrap_or_default();
        cases.sort_by_key(|case| case.template.as_ref().map_or(0, Vec::len));
        for case in cases {
            let (Some(parameters), Some(patterns)) = (&case.template, &case.special) else {
                continue;
            };
            let mut found = HashMap::default();
            if !self.deduce_arguments(patterns, values, parameters, &mut found) {
                continue;
            }
            let own = parameters
                .iter()
                .map(|parameter| match found.get(parameter.name()) {
                    None if parameter.is_pack() => Some(Argument::Pack(Vec::new())),
                    known => known.cloned(),
                });
            let own: Option<Vec<Argument>> = own.collect();
            let Some(own) = own else { continue };
            let scope = self.template_scope(parameters, &own);
            // What has no meaning for these arguments only means that the case does not fit.
            let before = std::mem::take(self.sink);
            let (fits, _) = self.in_environment(vec![scope.clone()], None, |lower| {
                lower.are_arguments(patterns, values)
            });
            let said = std::mem::replace(self.sink, before);
            if let (Err(reported), true) = (fits, said.has_gap()) {
                self.sink.take_from(said);
                return Err(reported);
            }
            if fits.unwrap_or(false) {
                return Ok(Some((case.clone(), scope)));
            }
        }
        Ok(None)
    }

    /// Whether template arguments as they are written are these values.
    pub(super) fn are_arguments(
        &mut self,
        written: &[TemplateArgument],
        values: &[Argument],
    ) -> Res<bool> {
        let written = self.expanded_arguments(written)?;
        let values = super::deduce::flat(values);
        if written.len() != values.len() {
            return Ok(false);
        }
        for (pattern, value) in written.iter().zip(values) {
            let same = match (pattern, value) {
                (TemplateArgument::Type(pattern), Argument::Type(ty)) => {
                    self.type_of(pattern)? == *ty
                }
                (TemplateArgument::Value(pattern), Argument::Value(bits, ty)) => {
                    let typed = self.expr(pattern)?;
                    let value = self.convert(&typed, ty, pattern.span)?;
                    self.builder.body.constant(value) == Some(*bits)
                }
                (TemplateArgument::Type(pattern), Argument::Template(name, _)) => {
                    matches!(&pattern.kind, TypeKind::Path(path) if match self.lookup(&path.parts[0].name) {
                        Some(Binding::StructTemplate(of)) => of.name == *name,
                        _ => path.parts[0].name == *name,
                    })
                }
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The template that a struct was made of, and with which arguments.
    pub(super) fn made_of(&self, ty: &Type) -> Option<&(crate::syntax::Name, Vec<Argument>)> {
        match ty.kind {
            Kind::Struct(id) => self.made_of.get(&id),
            _ => None,
        }
    }
}
