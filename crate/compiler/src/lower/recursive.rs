//! Functions that call themselves: written once as functions of the module, and called. All others are inlined.

use super::overloads::{Chosen, Given};
use super::scope::{Binding, Scope};
use super::values::Typed;
use super::{Frame, Kernel, KernelParam, Lower};
use crate::diagnostics::{Res, an};
use crate::ir::build::Builder;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{MemTy, Op, Term, Ty, Value};
use crate::limits::FUNCTIONS;
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Scalar};
use crate::types::{Kind, Type};
use std::fmt::Write;
use std::rc::Rc;

/// How a function of the module is called.
#[derive(Debug, Clone)]
pub(super) struct Called {
    name: String,
    /// The object of a member function comes first, then where a struct is put that is returned.
    has_this: bool,
    parameters: Vec<Type>,
    returns: Type,
}

/// What is handed over of a type: a value, or an address.
fn passed(ty: &Type) -> MemTy {
    match ty.kind {
        Kind::Scalar(Scalar::Bool) => MemTy::B32,
        _ if ty.is_aggregate() => MemTy::B64,
        _ => match ty.mem() {
            Some(mem) if mem.bytes() < 4 => MemTy::B32,
            Some(mem) => mem,
            None => MemTy::B64,
        },
    }
}

fn word(ty: Ty) -> &'static str {
    match ty {
        Ty::B64 => "b64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        _ => "b32",
    }
}

impl Lower<'_> {
    /// Calls a function that is being written already.
    #[inline(never)]
    pub(super) fn call_recursive(
        &mut self,
        chosen: Chosen,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        let object =
            object.filter(|_| chosen.function.of.is_some() && !chosen.function.function.is_static);
        let key = format!(
            "{:p} {}",
            Rc::as_ptr(&chosen.function.function),
            chosen.instance
        );
        let called = match self.called.get(&key) {
            Some(called) => called.clone(),
            None => self.write_function(&key, &chosen, object.as_ref(), span)?,
        };
        self.call_written(&called, &chosen, object, given, span)
    }

    #[inline(never)]
    fn write_function(
        &mut self,
        key: &str,
        chosen: &Chosen,
        object: Option<&Typed>,
        span: Span,
    ) -> Res<Called> {
        let function = chosen.function.function.clone();
        let sees_more = function.name.as_ref() == "operator()" && object.is_none();
        if sees_more || chosen.instance.contains("lambda ") {
            return Err(self
                .sink
                .gap(span, "a lambda in a function that calls itself"));
        }
        if super::returns::is_deduced(&function.returns) {
            let help = "write the type that it returns";
            let message = format!(
                "what `{}` returns is not known where it calls itself",
                function.name
            );
            return Err(self.sink.error_help(span, message, help));
        }
        if self.called.len() >= FUNCTIONS {
            let message = format!("more than {FUNCTIONS} functions that call themselves");
            return Err(self.sink.error(span, message));
        }
        let scopes = vec![chosen.scope.clone()];
        let of = chosen.function.of;
        let (types, _) = self.in_environment(scopes, of, |lower| {
            let mut types = Vec::new();
            for parameter in &function.parameters {
                if parameter.packs.is_some() {
                    let what = "a pack in a function that calls itself";
                    return Err(lower.sink.gap(span, what));
                }
                let ty = lower.type_of(&parameter.ty)?;
                types.push(match ty.kind {
                    Kind::Array(of, _) => Type::pointer((*of).clone()),
                    _ => ty,
                });
            }
            Ok((types, lower.type_of(&function.returns)?))
        });
        let (parameters, returns) = types?;
        for ty in parameters.iter().chain([&returns]) {
            if self.has_destructor(ty) || ty.is_callee() || matches!(ty.kind, Kind::Closure(_)) {
                let what = format!("{} in a function that calls itself", an(&self.spelled(ty)));
                return Err(self.sink.gap(span, what));
            }
        }
        let called = Called {
            name: format!("{}_function{}", plain(&function.name), self.called.len()),
            has_this: object.is_some(),
            parameters,
            returns,
        };
        self.called.insert(key.to_string(), called.clone());
        let new = self.new_builder();
        let builder = std::mem::replace(&mut self.builder, new);
        let frames = std::mem::take(&mut self.frames);
        let in_function = std::mem::replace(&mut self.in_function, true);
        let own = self.virtuals.forget();
        let result = self.deeper(span, |lower| {
            lower.perhaps(|lower| lower.body_of(&called, chosen, object))
        });
        self.in_function = in_function;
        self.virtuals.remember(own);
        self.frames = frames;
        self.builder = builder;
        self.module.functions.push(result?);
        Ok(called)
    }

    /// The parameter at a place, as it is handed over.
    fn taken(&mut self, params: &mut Vec<KernelParam>, ty: &Type) -> Value {
        let mem = passed(ty);
        let number = params.len() as u32;
        params.push(KernelParam {
            size: mem.bytes(),
            align: mem.bytes(),
            mem: Some(mem),
            is_pointer: false,
            is_restrict: false,
        });
        self.builder.value(Op::Param(number), mem.ty(), &[])
    }

    #[inline(never)]
    fn body_of(&mut self, called: &Called, chosen: &Chosen, object: Option<&Typed>) -> Res<Kernel> {
        let function = chosen.function.function.clone();
        let mut params = Vec::new();
        let pointer = Type::pointer(Type::scalar(Scalar::Void));
        let exit = self.builder.block();
        self.frames.push(Frame {
            scopes: vec![chosen.scope.clone(), Scope::default()],
            of: chosen.function.of,
            returns: Some(called.returns.clone()),
            exit: Some(exit),
            function: Some(function.clone()),
            instance: chosen.instance.clone(),
            ..Frame::default()
        });
        self.locate(function.span);
        let loc = self.builder.loc;
        if let (Some(object), Some(of)) = (object, chosen.function.of) {
            let this = self.taken(&mut params, &pointer);
            self.frame().this = Some((this, of, object.ty.is_const));
        }
        if called.returns.is_aggregate() {
            let place = self.taken(&mut params, &pointer);
            self.frame().result = Some(place);
        }
        for (parameter, ty) in function.parameters.iter().zip(&called.parameters) {
            let raw = self.taken(&mut params, ty);
            let Some(name) = &parameter.name else {
                continue;
            };
            let typed = match &ty.kind {
                Kind::Reference(to) => Typed::place((**to).clone(), raw),
                _ if ty.is_aggregate() => Typed::place(ty.clone(), raw),
                _ => {
                    let value = self.value_in_memory(ty, raw);
                    let slot = self.new_slot(ty);
                    self.store_scalar(ty, slot, value);
                    Typed::place(ty.clone(), slot)
                }
            };
            self.bind(name, Binding::Typed(typed));
        }
        if let Some(body) = &function.body {
            self.statement(body)?;
        }
        self.check_labels()?;
        let falls_through = !self.builder.is_ended();
        if falls_through && !called.returns.is_void() && self.frame().result.is_none() {
            let message = format!("`{}` ends without `return`", function.name);
            let help = "return a value at its end";
            return Err(self.sink.error_help(function.end, message, help));
        }
        self.builder.end(Term::Jump(exit));
        self.builder.go_to(exit);
        self.locate(function.end);
        self.hand_back(called);
        self.builder.end(Term::Return);
        let body = std::mem::replace(&mut self.builder, Builder::new()).body;
        Ok(Kernel {
            name: called.name.clone(),
            params,
            body,
            loc,
            max_threads: None,
            min_blocks: None,
            max_registers: None,
            cluster: Vec::new(),
            returns: Some(result_of(&called.returns)),
        })
    }

    /// Puts the result where the caller reads it.
    fn hand_back(&mut self, called: &Called) {
        let ty = &called.returns;
        let (Some(slot), Some(mem)) = (self.frame().result, result_of(ty)) else {
            return;
        };
        let value = self.load_scalar(ty, slot);
        let value = self.memory_form(value);
        let place = format!("{} [{}_result]", word(mem.ty()), called.name);
        let call = Call::new(const { Id::of("return") }, [place]);
        self.intrinsic(call, &[], vec![value]);
    }

    #[inline(never)]
    fn call_written(
        &mut self,
        called: &Called,
        chosen: &Chosen,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        let mut args = Vec::new();
        if let (true, Some(object)) = (called.has_this, &object) {
            let address = self.materialised(object, span)?;
            let of = chosen.function.of.map(|of| Type::new(Kind::Struct(of)));
            let offset = of.and_then(|of| self.structs.base_offset(&object.ty, &of));
            args.push(self.builder.offset(address, offset.unwrap_or(0)));
        }
        let mut place = None;
        if called.returns.is_aggregate() {
            let address = self.new_slot(&called.returns);
            place = Some(address);
            args.push(address);
        }
        let mut given = given.into_iter();
        let function = chosen.function.function.clone();
        for (parameter, ty) in function.parameters.iter().zip(&called.parameters) {
            let value = match (given.next(), &parameter.default) {
                (Some(given), _) => self.handed_over(given, ty, parameter.ty.is_rvalue)?,
                (None, Some(default)) => {
                    let scopes = vec![chosen.scope.clone()];
                    let of = chosen.function.of;
                    let (typed, _) = self.in_environment(scopes, of, |lower| lower.expr(default));
                    let typed = Some(typed?);
                    let given = Given {
                        expr: default,
                        typed,
                    };
                    self.handed_over(given, ty, true)?
                }
                (None, None) => return Err(self.sink.error(span, "an argument is missing")),
            };
            args.push(value);
        }
        let result = result_of(&called.returns).map(MemTy::ty);
        let text = self.call_text(&called.name, &args, result);
        let call = Call::new(const { Id::of("call") }, [text]);
        let results: Vec<Ty> = result.into_iter().collect();
        let found = self.intrinsic(call, &results, args).first().copied();
        Ok(match (place, found) {
            (Some(address), _) => Typed::place(called.returns.plain(), address),
            (None, Some(value)) => match &called.returns.kind {
                Kind::Reference(to) => Typed::place((**to).clone(), value),
                _ => {
                    let value = self.value_in_memory(&called.returns, value);
                    Typed::value(called.returns.clone(), value)
                }
            },
            (None, None) => Typed::void(),
        })
    }

    /// An argument as a value that is handed over.
    fn handed_over(&mut self, given: Given, ty: &Type, is_rvalue: bool) -> Res<Value> {
        let span = given.expr.span;
        if let Kind::Reference(to) = &ty.kind {
            let given = self.kept(given, to, is_rvalue)?;
            let bound = self.bind_reference(to, &given, span)?;
            return self.materialised(&bound, span);
        }
        if ty.is_aggregate() {
            let address = self.new_slot(ty);
            match &given.typed {
                Some(typed) => self.store(&ty.plain(), address, typed, span)?,
                None => self.initialise(ty, address, given.expr)?,
            }
            return Ok(address);
        }
        let typed = match given.typed {
            Some(typed) => typed,
            None => self.construct(ty, list_of(given.expr), true, span)?,
        };
        let value = self.convert(&typed, ty, span)?;
        Ok(self.memory_form(value))
    }

    fn call_text(&self, name: &str, args: &[Value], result: Option<Ty>) -> String {
        let mut text = String::from("{ ");
        let first = usize::from(result.is_some());
        let mut names = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            let word = word(self.builder.body.ty(*arg));
            let place = number + first;
            let _ = write!(
                text,
                ".param .{word} a{number}; st.param.{word} [a{number}], %{place}; "
            );
            names.push(format!("a{number}"));
        }
        let list = match names.is_empty() {
            true => String::new(),
            false => format!(", ({})", names.join(", ")),
        };
        let _ = match result {
            Some(ty) => {
                let word = word(ty);
                write!(
                    text,
                    ".param .{word} r; call.uni (r), {name}{list}; ld.param.{word} %0, [r]; }}"
                )
            }
            None => write!(text, "call.uni {name}{list}; }}"),
        };
        text
    }
}

/// How a result is handed back; a struct is put where the caller says.
fn result_of(ty: &Type) -> Option<MemTy> {
    (!ty.is_void() && !ty.is_aggregate()).then(|| passed(ty))
}

fn list_of(expr: &Expr) -> &[Expr] {
    match &expr.kind {
        ExprKind::List(list) => list,
        _ => std::slice::from_ref(expr),
    }
}

/// A name with nothing in it that PTX does not take.
fn plain(name: &str) -> String {
    let letters = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}
