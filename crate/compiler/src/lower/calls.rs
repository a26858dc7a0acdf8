//! Calls: which function, lambda or object is called. They become what they call in `inline`.

use super::Lower;
use super::fields::no_member_help;
use super::overloads::Chosen;
use super::ranks::BY_CONVERSION;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::{Form, Typed};
use crate::diagnostics::{Res, an, takes};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Part, TemplateArgument};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span) -> Res<Typed> {
        match &callee.kind {
            ExprKind::Path(path) => {
                let name = &path.parts[0].name;
                let known = path.parts.len() > 1 || self.lookup(name).is_some();
                if !known {
                    if let Some((id, function)) = self.method_of_this(name) {
                        return self.method(
                            id,
                            function,
                            arguments,
                            path.parts[0].arguments.as_deref(),
                            span,
                        );
                    }
                    if let Some(field) = self.own_field(name) {
                        return self.call_object(field, arguments, span);
                    }
                    return self.builtin(name, path.parts[0].arguments.as_deref(), arguments, span);
                }
                let (binding, explicit) = self.resolve(path)?;
                match binding {
                    Binding::Functions(list) => {
                        let explicit = explicit.as_deref();
                        let is_plain = path.parts.len() == 1;
                        self.call_functions(&list, None, explicit, arguments, span, is_plain)
                    }
                    Binding::Type(ty) => self.construct(&ty, arguments, false, span),
                    Binding::Typed(typed) => self.call_object(typed, arguments, span),
                    Binding::Symbol(symbol, ty) => {
                        let address = self.symbol_address(symbol);
                        self.call_object(Typed::place(ty, address), arguments, span)
                    }
                    _ => Err(self.sink.error(span, format!("`{name}` cannot be called"))),
                }
            }
            ExprKind::Member(object, part, is_arrow) => {
                self.call_member(object, part, *is_arrow, arguments, span)
            }
            _ => {
                let object = self.expr(callee)?;
                self.call_object(object, arguments, span)
            }
        }
    }

    fn method_of_this(&mut self, name: &str) -> Option<(Typed, Rc<Vec<FunctionRef>>)> {
        let (address, id, is_const) = self.frames.last()?.this?;
        let Some(Binding::Functions(list)) = self.member_binding(id, name) else {
            return None;
        };
        let mut ty = Type::new(Kind::Struct(id));
        ty.is_const = is_const;
        Some((Typed::place(ty, address), list))
    }

    fn method(
        &mut self,
        object: Typed,
        list: Rc<Vec<FunctionRef>>,
        arguments: &[Expr],
        explicit: Option<&[TemplateArgument]>,
        span: Span,
    ) -> Res<Typed> {
        self.call_functions(&list, Some(object), explicit, arguments, span, true)
    }

    /// Of a function that is named with its class it is that one, whatever the object is: such a call may not be virtual.
    fn call_functions(
        &mut self,
        list: &Rc<Vec<FunctionRef>>,
        object: Option<Typed>,
        explicit: Option<&[TemplateArgument]>,
        arguments: &[Expr],
        span: Span,
        may_be_virtual: bool,
    ) -> Res<Typed> {
        let given = self.given(arguments)?;
        let name = list
            .first()
            .map_or_else(|| "".into(), |first| first.function.name.clone());
        let object = object.or_else(|| {
            // A member that is called by its name alone, from another member.
            let frame = self.frames.last()?;
            let (address, id, _) = frame.this?;
            let of = Type::new(Kind::Struct(list.first()?.of?));
            let this = Type::new(Kind::Struct(id));
            let is_own = of == this || self.structs.derives(&this, &of);
            is_own.then(|| Typed::place(this, address))
        });
        let all = list;
        let list = callable_on(all, object.as_ref());
        if list.is_empty() && !all.is_empty() {
            let message = format!("`{name}` may change its object, and this one is `const`");
            let help = "write `const` behind the function's parameters if it changes nothing";
            return Err(self.sink.error_help(span, message, help));
        }
        // What a source declares of a name that CUDA has stands beside CUDA's own.
        if object.is_none() && super::builtins::is_cudas(&name) {
            let fits = |lower: &mut Self, one: &FunctionRef| {
                let fits = lower.fits(one, explicit, &given);
                fits.is_ok_and(|((score, _), _)| score < BY_CONVERSION)
            };
            if !list.iter().any(|one| fits(self, one)) {
                return self.builtin_for(&name, explicit, &given, span);
            }
        }
        let chosen = self.choose(&name, &list, explicit, &given, span)?;
        if let (Some(object), true) = (&object, may_be_virtual)
            && let Some(result) = self.call_virtual(&chosen, object, &given, span)
        {
            return result;
        }
        self.inline(chosen, object, given, span)
    }

    fn call_member(
        &mut self,
        object: &Expr,
        part: &Part,
        is_arrow: bool,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        let names_base = matches!(object.kind, ExprKind::Cast(crate::syntax::NAMED_BASE, ..));
        let object = self.member_object(object, is_arrow)?;
        let Kind::Struct(id) = object.ty.kind else {
            let name = self.spelled(&object.ty);
            let message = format!("{} has no member functions", an(&name));
            return Err(match no_member_help(&object.ty) {
                "" => self.sink.error(span, message),
                help => self.sink.error_help(span, message, help),
            });
        };
        match self.member_binding(id, &part.name) {
            Some(Binding::Functions(list)) => {
                let explicit = part.arguments.as_deref();
                self.call_functions(&list, Some(object), explicit, arguments, span, !names_base)
            }
            _ => match self.field(id, &part.name) {
                Some(_) => {
                    let field = self.member_of(&object, &part.name, span)?;
                    self.call_object(field, arguments, span)
                }
                None => Err(self.no_member(id, &part.name, span)),
            },
        }
    }

    /// Calls a lambda, or an object with `operator()`.
    fn call_object(&mut self, object: Typed, arguments: &[Expr], span: Span) -> Res<Typed> {
        match (&object.ty.kind, &object.form) {
            (Kind::Struct(id), _) => match self.member_binding(*id, "operator()") {
                Some(Binding::Functions(list)) => self.method(object, list, arguments, None, span),
                _ => {
                    let name = self.spelled(&object.ty);
                    let help = "a struct that is called needs `operator()`";
                    Err(self
                        .sink
                        .error_help(span, format!("{} cannot be called", an(&name)), help))
                }
            },
            (Kind::Closure(number), _) => {
                let closure = self.closures[*number as usize].clone();
                let given = self.given(arguments)?;
                let reference = FunctionRef {
                    function: closure.lambda.function.clone(),
                    of: closure.of,
                };
                let this = closure.this.map(|(address, id, is_const)| {
                    let mut ty = Type::new(Kind::Struct(id));
                    ty.is_const = is_const;
                    Typed::place(ty, address)
                });
                if reference.function.template.is_some() {
                    let list = [reference];
                    let mut chosen = self.choose("lambda", &list, None, &given, span)?;
                    chosen.instance = format!("lambda {number} {}", chosen.instance);
                    return self.inline_in(chosen, closure.scopes, this, given, span);
                }
                let wanted = reference.function.parameters.len();
                if given.len() != wanted {
                    return Err(self.sink.error(
                        span,
                        format!("this lambda {}", takes(&wanted.to_string(), given.len())),
                    ));
                }
                let chosen = Chosen {
                    function: reference,
                    scope: Scope::default(),
                    instance: format!("lambda {number}"),
                };
                self.inline_in(chosen, closure.scopes, this, given, span)
            }
            (_, Form::Functions(list)) => {
                let list = list.clone();
                self.call_functions(&list, None, None, arguments, span, true)
            }
            (Kind::Callee(number), _) => self.call_callee(&object, *number, arguments, span),
            _ => {
                let name = self.spelled(&object.ty);
                let help = match object.ty.kind {
                    Kind::Pointer(_) | Kind::Array(..) => {
                        "an element stands in square brackets: `[index]`"
                    }
                    _ if arguments.is_empty() => "leave out the brackets",
                    _ => "write `*` before the bracket to multiply",
                };
                Err(self
                    .sink
                    .error_help(span, format!("{} cannot be called", an(&name)), help))
            }
        }
    }
}

/// Of member functions those that may be called on an object, which are those for constants where it is one.
pub(super) fn callable_on(list: &[FunctionRef], object: Option<&Typed>) -> Vec<FunctionRef> {
    let Some(object) = object else {
        return list.to_vec();
    };
    let is_for = |function: &&FunctionRef| {
        function.function.is_const || function.function.is_static || !object.ty.is_const
    };
    let found: Vec<FunctionRef> = list.iter().filter(is_for).cloned().collect();
    let has_twin = |function: &FunctionRef| {
        let parameters = function.function.parameters.len();
        found
            .iter()
            .any(|other| !other.function.is_const && other.function.parameters.len() == parameters)
    };
    let preferred = found.iter().filter(|function| {
        object.ty.is_const || !function.function.is_const || !has_twin(function)
    });
    preferred.cloned().collect()
}
