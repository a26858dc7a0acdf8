//! Instances of kernels that are templates: those that the source asks for, and those that its host launches.

use super::deduce::Argument;
use super::overloads::Given;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::Typed;
use super::{Kernel, KernelParam, Lower};
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{Arguments, Expr, Function, Name, Packs, Parameter, Runs, TemplateArgument};
use std::rc::Rc;

impl Lower<'_> {
    /// A kernel of a template.
    pub(super) fn instance(
        &mut self,
        name: &Name,
        arguments: Option<&[TemplateArgument]>,
        given: &Arguments,
        span: Span,
    ) -> Res<Option<Kernel>> {
        let list = match self.lookup(name) {
            Some(Binding::Functions(list)) => list,
            _ if self.of_host.contains(name) => return Ok(None),
            _ => return Err(self.unknown(name, span)),
        };
        let is_template = |found: &&FunctionRef| {
            found.function.template.is_some() && found.function.body.is_some()
        };
        let Some(found) = list.iter().find(is_template).cloned() else {
            // The body of a template of the host is passed over.
            let is_of_host = |found: &FunctionRef| {
                let function = &found.function;
                let is_host = matches!(function.runs, Runs::Host | Runs::Anywhere);
                function.template.is_some() && is_host
            };
            return match self.of_host.contains(name) || list.iter().any(is_of_host) {
                true => Ok(None),
                false => Err(self.sink.error(span, format!("`{name}` is no template"))),
            };
        };
        if found.function.runs != Runs::Kernel {
            return Ok(None); // it is inlined where it is called
        }
        let instance = match arguments {
            Some(arguments) => self.instance_of(&found.function, arguments, span)?,
            None => match self.instance_for(&found, &[], given, span) {
                Ok(instance) => instance,
                Err(reason) => {
                    let message = format!("this is no instance of `{name}`: {reason}");
                    return Err(self.sink.error(span, message));
                }
            },
        };
        self.kernel(&found.function, Some(instance))
    }

    /// The name of an instance in PTX, and what the template's parameters are in it.
    pub(super) fn instance_of(
        &mut self,
        function: &Function,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Res<(String, Scope)> {
        let parameters = function.template.clone().unwrap_or_default();
        let (values, _) = self.in_environment(Vec::new(), None, |lower| {
            lower.evaluate_arguments(&parameters, arguments, span)
        });
        Ok(self.named_instance(function, &values?))
    }

    fn named_instance(&mut self, function: &Function, values: &[Argument]) -> (String, Scope) {
        let parameters = function.template.clone().unwrap_or_default();
        let scope = self.template_scope(&parameters, values);
        (self.mangled(function, values), scope)
    }

    /// The same where the template's arguments follow from what the kernel is given.
    fn instance_for(
        &mut self,
        found: &FunctionRef,
        explicit: &[TemplateArgument],
        given: &Arguments,
        span: Span,
    ) -> Result<(String, Scope), String> {
        let function = found.function.clone();
        let parameters = function.template.clone().unwrap_or_default();
        let expr = Expr::nothing(span);
        let mut all = Vec::new();
        for syntax in given {
            let ty = syntax.as_ref().and_then(|ty| self.quiet_type(ty).ok());
            let typed = ty.map(|ty| Typed {
                ty,
                ..Typed::void()
            });
            all.push(Given { expr: &expr, typed });
        }
        let told = self.sink.told();
        let (values, _) = self.in_environment(Vec::new(), None, |lower| {
            Ok(lower.deduced(found, &parameters, Some(explicit), &all))
        });
        self.sink.forget(told);
        let values = values.unwrap_or_else(|_| Err("it cannot be read".to_string()))?;
        Ok(self.named_instance(&function, &values))
    }

    /// A kernel of a template that the host launches, if its arguments are known here and there is no such kernel yet.
    pub(super) fn launched(
        &mut self,
        name: &Name,
        arguments: &[TemplateArgument],
        given: &Arguments,
        span: Span,
    ) -> Res<Option<Kernel>> {
        let Some(Binding::Functions(list)) = self.lookup(name) else {
            return Ok(None);
        };
        let is_kernel = |found: &&FunctionRef| {
            let function = &found.function;
            function.runs == Runs::Kernel && function.template.is_some() && function.body.is_some()
        };
        let Some(found) = list.iter().find(is_kernel).cloned() else {
            return Ok(None);
        };
        let Ok(instance) = self.instance_for(&found, arguments, given, span) else {
            return Ok(None);
        };
        match self.kernels.iter().any(|known| **known == instance.0) {
            true => Ok(None),
            false => self.kernel(&found.function, Some(instance)),
        }
    }

    /// The parameters that a pack is: one for each of its elements.
    pub(super) fn parameters_of_pack(
        &mut self,
        function: &Function,
        parameter: &Parameter,
        packs: &Packs,
        into: &mut Vec<KernelParam>,
    ) -> Res<()> {
        let mut all = Vec::new();
        for number in 0..self.pack_length(packs, parameter.span)? {
            let one = Parameter {
                ty: super::packs::nth_type(&parameter.ty, packs, number),
                ..parameter.clone()
            };
            let made = self.parameter(function, &one, into.len() as u32)?;
            into.push(made);
            if let Some(name) = &parameter.name {
                let scope = self.frame().scopes.last_mut();
                all.extend(scope.and_then(|scope| scope.names.remove(name)));
            }
        }
        if let Some(name) = &parameter.name {
            self.bind(name, Binding::Pack(Rc::new(all)));
        }
        Ok(())
    }
}
