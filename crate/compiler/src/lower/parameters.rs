//! What the names of a function's parameters mean in a call that is inlined.

use super::Lower;
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{Name, TypeKind};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn bind_parameter(
        &mut self,
        function: &crate::syntax::Function,
        parameter: &crate::syntax::Parameter,
        given: Given,
    ) -> Res<()> {
        let span = given.expr.span;
        let ty = match (&parameter.ty.kind, &given.typed) {
            (TypeKind::Auto, Some(typed)) => self.decayed(typed.clone()).ty.plain(),
            (TypeKind::Pointer(to), Some(typed)) if super::variable_types::is_of_auto(to) => {
                let of = self.decayed(typed.clone()).ty.plain();
                match super::variable_types::pointer_of(&parameter.ty, &of) {
                    Some(ty) => ty,
                    None => return Err(self.no_pointer(&of, span)),
                }
            }
            (TypeKind::Reference(to), Some(typed)) if matches!(to.kind, TypeKind::Auto) => {
                let mut of = typed.ty.clone();
                of.is_const |= to.is_const;
                Type::new(Kind::Reference(Rc::new(of)))
            }
            _ => self.type_of(&parameter.ty)?,
        };
        let Some(name) = &parameter.name else {
            return Ok(());
        };
        let ty = match ty.kind {
            Kind::Array(of, _) => Type::pointer((*of).clone()),
            _ => ty,
        };
        let binding = match &ty.kind {
            Kind::Reference(to) => {
                let given = self.kept(given, to, parameter.ty.is_rvalue)?;
                Binding::Typed(self.bind_reference(to, &given, span)?)
            }
            Kind::Closure(_) => match given.typed {
                Some(typed) => Binding::Typed(typed),
                None => return Err(self.sink.error(span, "a lambda was expected here")),
            },
            Kind::Function | Kind::Callee(_) => match given.typed {
                Some(typed) => Binding::Typed(self.function_given(typed, &ty, span)?),
                None => return Err(self.sink.error(span, "a function was expected here")),
            },
            _ => {
                let is_own = |changed: &Name| {
                    changed == name || changed.strip_prefix('&') == Some(name.as_ref())
                };
                let may_change = function.changed.iter().any(is_own);
                if let (false, false, Some(typed)) = (ty.is_aggregate(), may_change, &given.typed) {
                    let value = self.convert(typed, &ty, span)?;
                    Binding::Typed(Typed::value(ty.clone(), value))
                } else {
                    let address = self.new_slot(&ty);
                    match &given.typed {
                        Some(typed) => self.store_made(&ty.plain(), address, typed, given.expr)?,
                        None => self.initialise(&ty, address, given.expr)?,
                    }
                    // It ends with the statement of the call.
                    self.check_kept(&ty, span)?;
                    self.keep_for_statement(&Typed::place(ty.plain(), address));
                    Binding::Typed(Typed::place(ty.clone(), address))
                }
            }
        };
        self.bind(name, binding);
        Ok(())
    }

    /// A value that a `T&&` is a name for, as an object of its own.
    pub(super) fn kept<'e>(
        &mut self,
        given: Given<'e>,
        to: &Type,
        is_rvalue: bool,
    ) -> Res<Given<'e>> {
        let Some(typed) = &given.typed else {
            return Ok(given);
        };
        let is_object = matches!(
            typed.form,
            Form::Place(_) | Form::Functions(_) | Form::Nothing
        );
        if !is_rvalue || is_object || to.is_const {
            return Ok(given);
        }
        let ty = to.plain();
        let address = self.new_slot(&ty);
        self.store(&ty, address, typed, given.expr.span)?;
        Ok(Given {
            expr: given.expr,
            typed: Some(Typed::place(ty, address)),
        })
    }

    /// What a reference to this type becomes the name of.
    pub(super) fn bind_reference(&mut self, to: &Type, given: &Given, span: Span) -> Res<Typed> {
        let Some(typed) = &given.typed else {
            let address = self.new_slot(to);
            self.initialise(to, address, given.expr)?;
            return Ok(Typed::place(to.clone(), address));
        };
        let is_known = to.is_callee() && matches!(typed.form, Form::Functions(_));
        if is_known || matches!(to.kind, Kind::Closure(_) | Kind::Function) {
            return Ok(typed.clone());
        }
        let same = super::values::same_plain(&typed.ty, to) || self.structs.derives(&typed.ty, to);
        match typed.form {
            Form::Place(address) if same && (is_constant(to) || !is_constant(&typed.ty)) => {
                let mut ty = to.clone();
                ty.is_volatile |= typed.ty.is_volatile;
                let offset = self.structs.base_offset(&typed.ty, to).unwrap_or(0);
                let address = self.builder.offset(address, offset);
                Ok(Typed::place(ty, address))
            }
            _ if !to.is_const => {
                let name = self.spelled(to);
                let help = "a reference needs a variable of that very type; make it `const` to take any value";
                Err(self
                    .sink
                    .error_help(span, format!("no `{name}&` can refer to this"), help))
            }
            _ if !same && to.is_struct() => {
                let address = self.new_slot(&to.plain());
                self.store(&to.plain(), address, typed, span)?;
                Ok(Typed::place(to.clone(), address))
            }
            Form::Value(value) if same => Ok(Typed::value(to.clone(), value)),
            _ => {
                let value = self.convert(typed, to, span)?;
                Ok(Typed::value(to.clone(), value))
            }
        }
    }
}

/// Whether what has this type must not be written; an array's elements say it for all of it.
fn is_constant(ty: &Type) -> bool {
    ty.is_const || matches!(&ty.kind, Kind::Array(of, _) if is_constant(of))
}
