//! A call becomes what it calls: parameters are bound, the body is written where the call stands, and what it returns is the value.

use super::overloads::{Chosen, Given};
use super::scope::{FunctionRef, Scope};
use super::values::{Form, Typed};
use super::{Frame, Lower};
use crate::diagnostics::Res;
use crate::ir::{Bin, Op, Value};
use crate::limits::CALL_DEPTH;
use crate::source::Span;
use crate::syntax::{Function, Runs, Scalar};
use crate::types::{Kind, StructId, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// The value of a call.
    pub(super) fn inline(
        &mut self,
        chosen: Chosen,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        self.inline_in(chosen, Vec::new(), object, given, span)
    }

    /// The same where the body sees these scopes around it, as a lambda does.
    pub(super) fn inline_in(
        &mut self,
        chosen: Chosen,
        mut scopes: Vec<Scope>,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        self.check_callable(&chosen, span)?;
        self.check_instructions(span)?;
        if self.calls_itself(&chosen, &given) {
            self.no_pattern(span)?;
            return self.call_recursive(chosen, object, given, span);
        }
        let given = self.settled(&chosen, &scopes, given)?;
        let typed = given.iter().filter_map(|given| given.typed.as_ref());
        typed.chain(&object).for_each(|typed| self.hand_over(typed));
        let function = chosen.function.function.clone();
        let signature = self.signature(&chosen, object.as_ref(), &given);
        if let Some(signature) = &signature
            && self.diagnosed.contains_key(signature)
        {
            return Ok(Typed::void());
        }
        let said = self.sink.list.len();
        let this = self.this_of(&chosen, object.as_ref(), scopes.is_empty(), span)?;
        scopes.push(chosen.scope);
        scopes.push(Scope::default());
        let outer = self.builder.loc;
        let exit = self.builder.block();
        self.frames.push(Frame {
            scopes,
            this,
            of: chosen.function.of,
            exit: Some(exit),
            function: Some(function.clone()),
            call: Some((function.name.clone(), outer)),
            instance: chosen.instance,
            ..Frame::default()
        });
        let result = self.deeper(span, |lower| lower.inline_body(&function, given, span));
        let frame = self.frames.pop();
        self.builder.loc = outer;
        result?;
        let Some(frame) = frame else {
            return Ok(Typed::void());
        };
        let falls_through = !self.builder.is_ended();
        if falls_through && frame.returns.as_ref().is_some_and(|ty| !ty.is_void()) {
            self.check_returned(&function);
        }
        self.builder.go_on_in(exit);
        let Some(ty) = frame.returns.filter(|ty| !ty.is_void()) else {
            if let Some(signature) = signature.filter(|_| self.sink.list.len() == said) {
                self.diagnosed.insert(signature, function);
            }
            return Ok(Typed::void());
        };
        self.returned(
            &function,
            frame.returned,
            frame.result,
            ty,
            falls_through,
            span,
        )
    }

    /// The object that a member function runs on, its address and its struct. `is_outside`: whether no names of where it is
    /// written say so, as those of a lambda may.
    fn this_of(
        &mut self,
        chosen: &Chosen,
        object: Option<&Typed>,
        is_outside: bool,
        span: Span,
    ) -> Res<Option<(Value, StructId, bool)>> {
        let function = &chosen.function.function;
        let is_member = chosen.function.of.is_some()
            && !function.is_static
            && function.name.as_ref() != ""
            && object.is_some();
        let this = match object {
            Some(Typed {
                form: Form::Place(address),
                ty,
                ..
            }) if is_member => match (&ty.kind, chosen.function.of) {
                // The function may be a base's, whose fields may lie further on.
                (Kind::Struct(_), Some(of)) => {
                    let base = Type::new(Kind::Struct(of));
                    let offset = self.structs.base_offset(ty, &base).unwrap_or(0);
                    let at = self.builder.offset(*address, offset);
                    Some((at, of, ty.is_const))
                }
                _ => None,
            },
            _ => None,
        };
        if this.is_none()
            && chosen.function.of.is_some()
            && !function.is_static
            && !function.is_constexpr
            && is_outside
        {
            let help = "call it on an object, or declare it `static`";
            return Err(self.sink.error_help(
                span,
                format!("`{}` needs an object", function.name),
                help,
            ));
        }
        Ok(this)
    }

    /// The value of a call whose body is written: what its `return` gives, or what all of them left in a place.
    fn returned(
        &mut self,
        function: &Function,
        returned: Vec<Value>,
        result: Option<Value>,
        ty: Type,
        falls_through: bool,
        span: Span,
    ) -> Res<Typed> {
        self.check_kept(&ty, span)?;
        if let Kind::Closure(_) = ty.kind {
            return Ok(Typed {
                ty,
                ..Typed::void()
            });
        }
        match (&returned[..], result) {
            ([only], _) if !falls_through && !ty.is_aggregate() => Ok(match ty.kind {
                Kind::Reference(ref to) => Typed::place((**to).clone(), *only),
                _ => Typed::value(ty, *only),
            }),
            (_, Some(slot)) => Ok(match ty.kind {
                Kind::Reference(ref to) => {
                    let address = self.load_scalar(&ty, slot);
                    Typed::place((**to).clone(), address)
                }
                _ if ty.is_aggregate() => {
                    let made = Typed::place(ty, slot);
                    self.keep_for_statement(&made);
                    made
                }
                _ => {
                    let value = self.load_scalar(&ty, slot);
                    Typed::value(ty, value)
                }
            }),
            _ => {
                let message = format!("`{}` ends without `return`", function.name);
                Err(self
                    .sink
                    .error_help(function.end, message, "return a value at its end"))
            }
        }
    }

    fn inline_body(&mut self, function: &Function, given: Vec<Given>, span: Span) -> Res<()> {
        let mut given = given.into_iter();
        for parameter in &function.parameters {
            if let Some(packs) = &parameter.packs {
                self.bind_pack(function, parameter, packs, given.by_ref())?;
                continue;
            }
            let given = match (given.next(), &parameter.default) {
                (Some(given), _) => given,
                (None, Some(default)) => {
                    let typed = Some(self.expr(default)?);
                    Given {
                        expr: default,
                        typed,
                    }
                }
                (None, None) => return Err(self.sink.error(span, "an argument is missing")),
            };
            self.bind_parameter(function, parameter, given)?;
        }
        if !super::returns::is_deduced(&function.returns) {
            let ty = self.type_of(&function.returns)?;
            self.frame().returns = Some(if ty.is_aggregate() { ty.plain() } else { ty });
        }
        if function.is_constructor {
            self.frame().returns = Some(Type::scalar(Scalar::Void));
            self.member_inits(function)?;
        }
        if let Some(body) = &function.body {
            self.perhaps(|lower| lower.statement(body))?;
        }
        self.check_labels()
    }

    fn check_callable(&mut self, chosen: &Chosen, span: Span) -> Res<()> {
        let function = &chosen.function.function;
        let name = &function.name;
        if function.runs == Runs::Kernel {
            let help = "make what both do a `__device__` function, and call that from both";
            return Err(self.sink.error_help(
                span,
                format!("`{name}` is a kernel; a kernel is launched by the host, not called"),
                help,
            ));
        }
        let plain = function.runs == Runs::Host
            || (function.runs == Runs::Anywhere
                && !function.is_constexpr
                && !function.span.is_header()
                && !self.is_declared_for_kernels(&chosen.function));
        if plain {
            let help = format!("put `__device__` before `{name}`");
            return Err(self.sink.error_help(
                span,
                format!("`{name}` is a function of the host"),
                help,
            ));
        }
        if function.body.is_none() && function.span.is_header() {
            return Err(self
                .sink
                .gap(span, format!("the function `{name}` of these types")));
        }
        if function.body.is_none() {
            let message = format!("`{name}` is declared, but nowhere defined");
            let help =
                "a kernel's source is one text: put the body of what another file defines into it";
            return Err(self.sink.error_help(span, message, help));
        }
        if self.frames.len() > CALL_DEPTH && function.is_constexpr {
            let what = format!("a function that calls itself so often (`{name}`)");
            return Err(self.sink.gap(span, what));
        }
        if self.frames.len() > CALL_DEPTH {
            return Err(self.sink.error(
                span,
                format!("more than {CALL_DEPTH} calls inside each other"),
            ));
        }
        Ok(())
    }

    /// Whether a member without attributes is declared with them elsewhere in its struct.
    fn is_declared_for_kernels(&self, member: &FunctionRef) -> bool {
        let Some(of) = member.of else { return false };
        let Some(syntax) = &self.structs.get(of).syntax else {
            return true;
        };
        let mut all = syntax.functions.iter();
        all.any(|one| one.name == member.function.name && one.runs == Runs::Device)
    }

    /// Whether a function is called within itself. What is constant comes to an end by itself, or at a limit.
    #[inline(never)]
    fn calls_itself(&self, chosen: &Chosen, given: &[Given]) -> bool {
        let function = &chosen.function.function;
        let same = |frame: &Frame| {
            let other = frame.function.as_ref();
            frame.instance == chosen.instance
                && other.is_some_and(|other| Rc::ptr_eq(other, function))
        };
        let is_constant = |given: &Given| match given.typed.as_ref().map(|typed| &typed.form) {
            Some(Form::Value(value)) => self.builder.body.constant(*value).is_some(),
            _ => true,
        };
        let folds = || function.is_constexpr && given.iter().all(is_constant);
        self.frames.iter().any(same) && !folds()
    }

    /// Arguments with lists in braces as objects of the types that they are for, made where the call stands.
    #[inline(never)]
    fn settled<'e>(
        &mut self,
        chosen: &Chosen,
        scopes: &[Scope],
        given: Vec<Given<'e>>,
    ) -> Res<Vec<Given<'e>>> {
        if given.iter().all(|given| given.typed.is_some()) {
            return Ok(given);
        }
        let function = chosen.function.function.clone();
        let mut all = Vec::with_capacity(given.len());
        for (number, given) in given.into_iter().enumerate() {
            if given.typed.is_some() || function.parameters.is_empty() {
                all.push(given);
                continue;
            }
            let syntax = super::overloads::type_of_parameter(&function, number);
            let mut scopes = scopes.to_vec();
            scopes.push(chosen.scope.clone());
            let (ty, _) =
                self.in_environment(scopes, chosen.function.of, |lower| lower.type_of(&syntax));
            let ty = match ty?.kind {
                Kind::Reference(to) => to.plain(),
                Kind::Array(of, _) => Type::pointer((*of).clone()),
                kind => Type::new(kind),
            };
            let address = self.new_slot(&ty);
            self.initialise(&ty, address, given.expr)?;
            all.push(Given {
                expr: given.expr,
                typed: Some(Typed::place(ty, address)),
            });
        }
        Ok(all)
    }

    /// Notes which variable of the module a function gets the address of.
    fn hand_over(&mut self, typed: &Typed) {
        let (Form::Place(mut value) | Form::Value(mut value)) = typed.form else {
            return;
        };
        while let Some(inst) = self.builder.body.def(value) {
            match inst.op {
                Op::Symbol(symbol) => {
                    let is_handed_over = &mut self.module.symbols[symbol.0 as usize].is_handed_over;
                    match self.builder.body.symbolic.is_any() {
                        // No copy may come here.
                        true if !*is_handed_over => self.builder.body.symbolic.asks_all(u8::MAX),
                        _ => *is_handed_over = true,
                    }
                    return;
                }
                Op::Bin(Bin::Add) | Op::ToGeneric(_) => value = inst.args[0],
                _ => return,
            }
        }
    }
}
