//! Members of structs that are defined outside of them: functions, and values of static members. They are kept with the struct.

use super::Parser;
use super::declarators::Declarator;
use super::types::Specifiers;
use crate::diagnostics::Res;
use crate::syntax::{TemplateParameter, TypeSyntax};
use std::rc::Rc;

impl Parser<'_> {
    /// A member function of a struct, defined outside of it: kept with the struct.
    pub(super) fn defined_outside(
        &mut self,
        specifiers: Specifiers,
        declarator: Declarator,
        template: Option<Vec<TemplateParameter>>,
    ) -> Res<()> {
        let span = declarator.span;
        let of = declarator.outer.as_ref();
        let Some(of) = of.and_then(|outer| self.structs.get(outer).cloned()) else {
            let message = "this struct is not known";
            return Err(self.sink.error(span, message));
        };
        let (outer, template) = match of.template.is_some() && self.outer.is_empty() {
            true => (template.unwrap_or_default(), None),
            false => (std::mem::take(&mut self.outer), template),
        };
        let is_constructor = declarator.name.as_ref() == Some(&of.name);
        let mut made = self.function(specifiers, declarator, template, is_constructor)?;
        let declared = of.functions.iter().find(|other| {
            other.body.is_none()
                && other.is_constructor == is_constructor
                && (is_constructor || other.name == made.name)
                && other.is_const == made.is_const
                && other.parameters.len() == made.parameters.len()
        });
        let Some(declared) = declared else {
            let message = format!("`{}` declares no such function", of.name);
            let help = "declare it between the braces of the struct, with the same parameters";
            return Err(self.sink.error_help(span, message, help));
        };
        if let Some(made) = Rc::get_mut(&mut made) {
            made.outer = outer;
            made.is_static |= declared.is_static;
            made.is_virtual |= declared.is_virtual;
            made.is_constexpr |= declared.is_constexpr;
            if made.runs == crate::syntax::Runs::Anywhere {
                made.runs = declared.runs;
            }
            for (own, other) in made.parameters.iter_mut().zip(&declared.parameters) {
                own.default = own.default.take().or_else(|| other.default.clone());
            }
        }
        of.defined.borrow_mut().push(made);
        Ok(())
    }

    /// The value of a static member, which stands outside of its struct: kept with the struct.
    pub(super) fn value_outside(
        &mut self,
        specifiers: &Specifiers,
        ty: &TypeSyntax,
        declarator: Declarator,
        template: Option<Vec<TemplateParameter>>,
    ) -> Res<()> {
        let span = declarator.span;
        let outer = declarator.outer.clone();
        let Some(of) = outer.and_then(|outer| self.structs.get(&outer).cloned()) else {
            return Err(self.sink.error(span, "this struct is not known"));
        };
        for variable in self.variables(specifiers, ty, declarator)? {
            if !of
                .fields
                .iter()
                .any(|field| field.is_static && field.name == variable.name)
            {
                let message = format!(
                    "`{}` declares no static member `{}`",
                    of.name, variable.name
                );
                let help = "declare it `static` between the braces of the struct";
                return Err(self.sink.error_help(span, message, help));
            }
            let template = template.clone().unwrap_or_default();
            of.values.borrow_mut().push((template, variable));
        }
        Ok(())
    }
}
