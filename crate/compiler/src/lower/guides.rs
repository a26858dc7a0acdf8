//! Objects whose struct follows from the values that they are made of: `Pair p(a, b);` of a template `Pair`.

use super::Lower;
use super::deduce::Argument;
use super::overloads::Given;
use super::scope::{Binding, FunctionRef};
use super::values::Typed;
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::source::Span;
use crate::syntax::{
    Expr, Function, Init, StructSyntax, TemplateParameter, TypeKind, TypeSyntax, Variable,
};
use crate::types::Type;
use std::rc::Rc;

impl Lower<'_> {
    /// The template that a type names without arguments for it.
    pub(super) fn placeholder(&self, ty: &TypeSyntax) -> Option<Rc<StructSyntax>> {
        let TypeKind::Path(path) = &ty.kind else {
            return None;
        };
        let [part] = &path.parts[..] else { return None };
        match (&part.arguments, self.lookup(&part.name)?) {
            (None, Binding::StructTemplate(of)) if of.template.is_some() => Some(of),
            _ => None,
        }
    }

    /// A variable of such a type.
    #[inline(never)]
    pub(super) fn deduced_variable(
        &mut self,
        variable: &Variable,
        of: &Rc<StructSyntax>,
    ) -> Res<()> {
        let none = Vec::new();
        let list = match &variable.init {
            Init::Value(value) => std::slice::from_ref(value),
            Init::Brackets(list) | Init::Braces(list) => list,
            Init::None => &none,
        };
        let mut made = self.deduced_object(of, list, variable.span)?;
        if self.take_over(&made) {
            self.frame().cleanups.push(made.clone());
        }
        made.ty.is_const |= variable.ty.is_const || variable.is_constexpr;
        self.bind(&variable.name, Binding::Typed(made));
        Ok(())
    }

    /// An object of a template's struct, made of these values.
    #[inline(never)]
    pub(super) fn deduced_object(
        &mut self,
        of: &Rc<StructSyntax>,
        list: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        let list = self.expanded(list)?;
        let has_constructor = of.functions.iter().any(|function| function.is_constructor);
        let given = match has_constructor {
            true => self.given(&list)?,
            // Values of plain structs are found once more when they are put in their place.
            false => self.aside(|lower| lower.given(&list))?,
        };
        let only = match &given[..] {
            [only] => only.typed.clone(),
            _ => None,
        };
        if let Some(typed) = only.filter(|typed| {
            self.made_of(&typed.ty)
                .is_some_and(|(name, _)| *name == of.name)
        }) {
            let ty = typed.ty.plain();
            let typed = if has_constructor {
                typed
            } else {
                self.expr(&list[0])?
            };
            let address = self.new_slot(&ty);
            self.store(&ty, address, &typed, span)?;
            return Ok(Typed::place(ty, address));
        }
        let ty = self.deduced_struct(of, &given, span)?;
        let address = self.new_slot(&ty);
        match ty.kind {
            crate::types::Kind::Struct(id) if self.has_constructor(id) => {
                self.run_constructor(id, address, given, span)?;
            }
            _ => self.initialise_list(&ty, address, &list, span)?,
        }
        Ok(Typed::place(ty, address))
    }

    #[inline(never)]
    fn deduced_struct(&mut self, of: &Rc<StructSyntax>, given: &[Given], span: Span) -> Res<Type> {
        let parameters = of.template.clone().unwrap_or_default();
        for guide in self.guides.get(&of.name).cloned().unwrap_or_default() {
            let own = guide.template.clone().unwrap_or_default();
            let Some(values) = self.deduced_values(&guide, &own, given) else {
                continue;
            };
            let scope = self.template_scope(&own, &values);
            let (ty, _) =
                self.in_environment(vec![scope], None, |lower| lower.type_of(&guide.returns));
            return ty;
        }
        for function in of
            .functions
            .iter()
            .filter(|function| function.is_constructor)
        {
            let own = function.template.iter().flatten().cloned();
            let all: Vec<TemplateParameter> = parameters.iter().cloned().chain(own).collect();
            if let Some(mut values) = self.deduced_values(function, &all, given) {
                values.truncate(parameters.len());
                return self.instantiate_with(of, values, span);
            }
        }
        let help = format!("write its arguments: `{}<…>`", of.name);
        let message = format!(
            "the arguments of `{}` do not follow from these values",
            of.name
        );
        Err(self.sink.error_help(span, message, help))
    }

    /// The arguments of a template that a function's arguments give; none if they do not give all.
    fn deduced_values(
        &mut self,
        function: &Rc<Function>,
        parameters: &[TemplateParameter],
        given: &[Given],
    ) -> Option<Vec<Argument>> {
        let needed = function.parameters.iter();
        let least = needed
            .filter(|one| one.default.is_none() && one.packs.is_none())
            .count();
        let has_pack = function.parameters.iter().any(|one| one.packs.is_some());
        if given.len() < least || (given.len() > function.parameters.len() && !has_pack) {
            return None;
        }
        let candidate = FunctionRef {
            function: function.clone(),
            of: None,
        };
        let mut found = HashMap::default();
        self.deduce_from(&candidate, parameters, given, &mut found)
            .ok()?;
        let mut values = Vec::new();
        for parameter in parameters {
            let value = match found.remove(parameter.name()) {
                Some(value) => value,
                None if parameter.is_pack() => Argument::Pack(Vec::new()),
                None => self
                    .default_argument(parameter, &values, parameters)
                    .ok()??,
            };
            values.push(value);
        }
        Some(values)
    }
}
