//! Pointers to functions that are chosen while the kernel runs. Such a pointer is a number among the functions of its
//! signature, and a call tries them one after the other.

use super::Lower;
use super::overloads::{Chosen, Given};
use super::scope::{Binding, FunctionRef, Scope};
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::headers::AS_VALUE;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Cmp, Term, Value};
use crate::source::Span;
use crate::syntax::{self, Binary, Expr, Runs};
use crate::types::{Kind, Type};
use std::rc::Rc;

/// The same of every function that a pointer may point to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Signature {
    returns: Type,
    parameters: Vec<Type>,
}

/// So many functions may be tried at a call.
const MOST_CALLEES: usize = 64;

impl Lower<'_> {
    /// The type of a pointer to a function. Where a template's arguments are not known yet, that of any.
    pub(super) fn callee_type(&mut self, signature: &syntax::Signature) -> Type {
        let parameters = signature.parameters.iter().map(|parameter| &parameter.ty);
        match self.signature_of(&signature.returns, parameters) {
            Some(signature) => Type::new(Kind::Callee(self.signature_number(signature))),
            None => Type::new(Kind::Function),
        }
    }

    fn signature_of<'t>(
        &mut self,
        returns: &syntax::TypeSyntax,
        parameters: impl Iterator<Item = &'t syntax::TypeSyntax>,
    ) -> Option<Signature> {
        let returns = self.quiet_type(returns).ok()?.plain();
        let mut types = Vec::new();
        for parameter in parameters {
            let ty = self.quiet_type(parameter).ok()?;
            types.push(match ty.kind {
                Kind::Array(of, _) => Type::pointer((*of).clone()),
                _ => ty.plain(),
            });
        }
        Some(Signature {
            returns,
            parameters: types,
        })
    }

    fn signature_number(&mut self, signature: Signature) -> u32 {
        let known = self.signatures.iter().position(|known| *known == signature);
        let number = known.unwrap_or(self.signatures.len());
        if known.is_none() {
            self.signatures.push(signature);
        }
        number as u32
    }

    fn signature_of_function(&mut self, function: &FunctionRef) -> Option<Signature> {
        let function = function.function.clone();
        let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
        self.signature_of(&function.returns, parameters)
    }

    /// The functions that a pointer may point to, in the order of the source.
    fn callees(&mut self, number: u32, span: Span) -> Res<Vec<FunctionRef>> {
        let may_be = |one: &&FunctionRef| {
            let function = &one.function;
            let runs = matches!(function.runs, Runs::Device | Runs::Anywhere);
            runs && function.template.is_none()
                && function.body.is_some()
                && (!function.span.is_header() || function.name.starts_with(AS_VALUE))
        };
        let names = self.globals.names.values();
        let lists = names.filter_map(|binding| match binding {
            Binding::Functions(list) => Some(list),
            _ => None,
        });
        let all: Vec<FunctionRef> = lists
            .flat_map(|list| list.iter())
            .filter(may_be)
            .cloned()
            .collect();
        let mut found = Vec::new();
        for one in all {
            let own = self.signature_of_function(&one);
            if own.is_some_and(|own| own == self.signatures[number as usize]) {
                found.push(one);
            }
        }
        // What one macro makes stands at one place.
        let place = |one: &FunctionRef| (one.function.span.start, one.function.name.clone());
        found.sort_by_cached_key(place);
        match found.len() > MOST_CALLEES {
            true => Err(self.sink.gap(span, "a pointer to one of so many functions")),
            false => Ok(found),
        }
    }

    /// A function, or a pointer to one, as a number.
    pub(super) fn as_callee(&mut self, from: &Typed, number: u32, span: Span) -> Res<Value> {
        let is_zero = |value: Value| self.builder.body.constant(value) == Some(0);
        match (&from.ty.kind, &from.form) {
            (_, Form::Functions(list)) => {
                let list = list.clone();
                let callees = self.callees(number, span)?;
                let is_of = |one: &FunctionRef| {
                    let of_cuda = one.function.name.strip_prefix(AS_VALUE);
                    list.iter().any(|given| {
                        Rc::ptr_eq(&given.function, &one.function)
                            || given.function.span.is_header()
                                && of_cuda == Some(&given.function.name)
                    })
                };
                match callees.iter().position(is_of) {
                    Some(at) => Ok(self.builder.u64(at as u64 + 1)),
                    None => Err(self.sink.gap(span, "a pointer to this function")),
                }
            }
            (Kind::Callee(own), _) if *own == number => self.rvalue(from, span),
            (Kind::Null, _) => Ok(self.builder.u64(0)),
            (_, Form::Value(value)) if from.ty.is_integer() && is_zero(*value) => {
                Ok(self.builder.u64(0))
            }
            _ => {
                let what = "a pointer to a function that is not known while compiling";
                Err(self.sink.gap(span, what))
            }
        }
    }

    /// What a parameter is that takes a function.
    pub(super) fn function_given(&mut self, typed: Typed, ty: &Type, span: Span) -> Res<Typed> {
        match (&typed.form, &typed.ty.kind) {
            (Form::Functions(_), _) | (_, Kind::Closure(_)) => self.function_value(typed, span),
            _ if ty.kind == Kind::Function => self.function_value(typed, span),
            _ => Ok(Typed::value(ty.plain(), self.convert(&typed, ty, span)?)),
        }
    }

    /// The type of a pointer that is one of two.
    pub(super) fn meeting_callee(&mut self, a: &Typed, b: &Typed, span: Span) -> Res<Type> {
        for typed in [a, b] {
            match (&typed.ty.kind, &typed.form) {
                (Kind::Callee(_), _) => return Ok(typed.ty.plain()),
                (_, Form::Functions(list)) if list.len() == 1 => {
                    if let Some(signature) = self.signature_of_function(&list[0]) {
                        return Ok(Type::new(Kind::Callee(self.signature_number(signature))));
                    }
                }
                _ => {}
            }
        }
        let what = "a pointer to a function that is not known while compiling";
        Err(self.sink.gap(span, what))
    }

    /// Whether two pointers lead to the same function.
    pub(super) fn compare_callees(
        &mut self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        span: Span,
    ) -> Res<Typed> {
        let cmp = match operator {
            Binary::Equal => Cmp::Eq,
            Binary::NotEqual => Cmp::Ne,
            _ => {
                let message = "functions can only be compared, by `==` or `!=`";
                return Err(self.sink.error(span, message));
            }
        };
        let ty = self.meeting_callee(a, b, span)?;
        let (a, b) = (self.convert(a, &ty, span)?, self.convert(b, &ty, span)?);
        let is = self.builder.cmp(cmp, a, b);
        Ok(Typed::scalar(syntax::Scalar::Bool, is))
    }

    /// Calls what a pointer points to.
    #[inline(never)]
    pub(super) fn call_callee(
        &mut self,
        object: &Typed,
        number: u32,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        let signature = self.signatures[number as usize].clone();
        let callees = self.callees(number, span)?;
        let chosen = self.rvalue(object, span)?;
        if arguments.len() != signature.parameters.len() {
            let wanted = signature.parameters.len();
            let message = format!(
                "the function that this points to takes {wanted} arguments, not {}",
                arguments.len()
            );
            return Err(self.sink.error(span, message));
        }
        let mut given = self.given(arguments)?;
        self.settle_numbers(&mut given, &signature.parameters)?;
        let known = self.builder.body.constant(chosen);
        if let Some(callee) = known.and_then(|bits| callees.get((bits as usize).wrapping_sub(1))) {
            return self.inline(found(callee), None, given, span);
        }
        let numbers: Vec<u64> = (1..=callees.len() as u64).collect();
        self.try_each(
            chosen,
            &signature.returns,
            &numbers,
            span,
            &mut |lower, at| lower.inline(found(&callees[at]), None, given.clone(), span),
        )
    }

    /// Numbers and pointers among arguments as what the parameters are, once for all functions that are tried.
    pub(super) fn settle_numbers(&mut self, given: &mut [Given], parameters: &[Type]) -> Res<()> {
        for (given, ty) in given.iter_mut().zip(parameters) {
            if let (Some(typed), true) = (
                &given.typed,
                ty.mem().is_some() && !matches!(ty.kind, Kind::Reference(_)),
            ) {
                let value = self.convert(typed, ty, given.expr.span)?;
                given.typed = Some(Typed::value(ty.clone(), value));
            }
        }
        Ok(())
    }

    /// Does what stands under the number that was chosen; `each` writes it by its place among the numbers.
    pub(super) fn try_each(
        &mut self,
        chosen: Value,
        returns: &Type,
        numbers: &[u64],
        span: Span,
        each: &mut dyn FnMut(&mut Self, usize) -> Res<Typed>,
    ) -> Res<Typed> {
        let returns = returns.clone();
        self.check_kept(&returns, span)?;
        let slot = match returns.is_void() {
            true => None,
            false => Some(self.new_slot(&returns)),
        };
        // NVRTC calls them, and what a call does to memory it does not know: nothing that was read is known behind it.
        const FORGET: Id = Id::of("forget");
        let forget = |lower: &mut Self| lower.intrinsic(Call::plain(FORGET), &[], Vec::new());
        forget(self);
        let exit = self.builder.block();
        for (at, number) in numbers.iter().enumerate() {
            let own = self.builder.u64(*number);
            let is = self.builder.cmp(Cmp::Eq, chosen, own);
            let (yes, no) = (self.builder.block(), self.builder.block());
            self.builder.end(Term::Branch(is, yes, no));
            self.builder.go_to(yes);
            let result = each(self, at)?;
            if let Some(slot) = slot {
                self.put(&returns, slot, &result, span)?;
            }
            self.builder.end(Term::Jump(exit));
            self.builder.go_to(no);
        }
        self.intrinsic(Call::plain(const { Id::of("__trap") }), &[], Vec::new());
        self.builder.end(Term::Jump(exit));
        self.builder.go_to(exit);
        forget(self);
        Ok(match (slot, &returns.kind) {
            (None, _) => Typed::void(),
            (Some(slot), Kind::Reference(to)) => {
                let address = self.load_scalar(&returns, slot);
                Typed::place((**to).clone(), address)
            }
            (Some(slot), _) if returns.is_aggregate() => Typed::place(returns, slot),
            (Some(slot), _) => {
                let value = self.load_scalar(&returns, slot);
                Typed::value(returns, value)
            }
        })
    }

    /// Puts down what a function handed back.
    fn put(&mut self, ty: &Type, slot: Value, result: &Typed, span: Span) -> Res<()> {
        if let (Kind::Reference(_), Form::Place(address)) = (&ty.kind, &result.form) {
            let address = *address;
            self.store_scalar(ty, slot, address);
            return Ok(());
        }
        self.store(ty, slot, result, span)
    }
}

pub(super) fn found(callee: &FunctionRef) -> Chosen {
    Chosen {
        function: callee.clone(),
        scope: Scope::default(),
        instance: String::new(),
    }
}
