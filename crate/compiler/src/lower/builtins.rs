//! Functions that CUDA has by itself: which of them a name and its arguments mean, and those that are rows of a table.

use super::intrinsics::derived;
use super::intrinsics::table::{MORE, OF_BOTH, is_of_both, scalar_of, takes_integers};
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed};
use super::{Lower, vectors};
use crate::diagnostics::{Reported, Res, an};
use crate::hash::HashSet;
use crate::ir::intrinsics::{Call, Id, functions};
use crate::ir::{Op, Ty, Value, Values};
use crate::source::Span;
use crate::syntax::{Expr, Scalar, TemplateArgument};
use crate::types::{Kind, Type};
use std::sync::LazyLock;

/// All names, for who looks for one that is near.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let thread = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
    functions()
        .chain(MORE)
        .chain(OF_BOTH)
        .chain(super::atomics::names())
        .chain(super::textures::names())
        .chain(thread)
}

/// The functions that stand in a list.
static LISTED: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| functions().chain(MORE).collect());

/// Whether CUDA has such a function, and we have it.
pub(super) fn is_builtin(name: &str) -> bool {
    LISTED.contains(name)
        || super::atomics::is_atomic(name)
        || super::textures::is_one(name)
        || super::surfaces::is_one(name)
        || derived::row(name).is_some()
}

/// Whether CUDA has a function of this name: the same for all types, or one for `float` and one for `double`.
pub(super) fn is_cudas(name: &str) -> bool {
    is_builtin(name) || is_of_both(name) || vectors::made_by(name).is_some()
}

/// Whether an argument has this type.
pub(super) fn is_of(given: &Given, scalar: Scalar) -> bool {
    let ty = given.typed.as_ref().map(|typed| &typed.ty.kind);
    ty == Some(&Kind::Scalar(scalar))
}

impl Lower<'_> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        if let Some(id) = self.vector_made_by(name) {
            // Written one after the other, as its list in braces would be.
            let list = self.expanded(arguments)?;
            if list.len() == self.structs.get(id).fields.len() {
                return self.construct(&Type::new(Kind::Struct(id)), &list, true, span);
            }
        }
        if name == "printf" {
            return self.printf(arguments, span);
        }
        if name == "assert" {
            return self.assertion(arguments, span);
        }
        if let ("(count)", [list]) = (name, arguments) {
            let ty = self.type_of_expr(list)?;
            return match ty.kind {
                Kind::Array(_, count) => {
                    Ok(Typed::scalar(Scalar::UInt, self.builder.u32(count as u32)))
                }
                _ => Err(self.sink.gap(span, "`for` over anything but an array")),
            };
        }
        if super::hints::NAMES.contains(&name) {
            return self.hint(name, arguments, span);
        }
        if !is_cudas(name) {
            return Err(self.unknown(name, span));
        }
        let given = self.given(arguments)?;
        self.builtin_for(name, explicit, &given, span)
    }

    /// The one of CUDA's functions of this name that these arguments ask for.
    pub(super) fn builtin_for(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        if let Some(id) = self.vector_made_by(name) {
            return self.make_vector(name, id, given, span);
        }
        if is_of_both(name) {
            return self.of_both(name, explicit, given, span);
        }
        self.builtin_of(name, explicit, given, span)
    }

    /// A function that `float` and `double` have under one name: which of both follows from the arguments.
    fn of_both(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let is_float = |given: &Given| is_of(given, Scalar::Float);
        let is_number = |given: &Given| {
            let ty = given.typed.as_ref().map(|typed| &typed.ty);
            ty.is_some_and(|ty| ty.is_floating() || (ty.is_integer() && !takes_integers(name)))
        };
        let mut numbers = given.iter().filter(|given| is_number(given)).peekable();
        let mut is_single = numbers.peek().is_some() && numbers.all(is_float);
        let mut of_double = format!("{}{name}", crate::headers::OF_DOUBLE);
        let mut of_float = format!("{name}f");
        // A power with a whole exponent is a function of its own.
        if let ("pow", [base, exponent]) = (name, given)
            && is_of(exponent, Scalar::Int)
            && (is_float(base) || is_of(base, Scalar::Double))
        {
            is_single = is_float(base);
            (of_double, of_float) = ("__powi".to_string(), "__powif".to_string());
        }
        let own = if is_single { &of_float } else { &of_double };
        if let Some(Binding::Functions(list)) = self.lookup(own) {
            let chosen = self.choose(name, &list, None, given, span)?;
            return self.inline(chosen, None, given.to_vec(), span);
        }
        let known = if is_single { &of_float } else { name };
        if is_builtin(known) {
            return self.builtin_of(known, explicit, given, span);
        }
        Err(self.sink.gap(span, format!("the function `{name}`")))
    }

    /// The same for arguments that are known.
    fn builtin_of(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        if let Some(id) = Id::function(name) {
            return self.of_table(name, id.row().types, Call::plain(id), given, span);
        }
        if let Some((types, call)) = derived::row(name) {
            return self.of_table(name, &types, call, given, span);
        }
        if super::atomics::is_atomic(name) {
            return self.atomic(name, given, span);
        }
        self.custom_intrinsic(name, explicit, given, span)
    }

    pub(super) fn check_count_of(
        &mut self,
        name: &str,
        given: &[Given],
        wanted: std::ops::RangeInclusive<usize>,
        span: Span,
    ) -> Res<()> {
        if wanted.contains(&given.len()) {
            return Ok(());
        }
        let (least, most) = (wanted.start(), wanted.end());
        let words = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        Err(self.sink.error(
            span,
            format!(
                "`{name}` {}",
                crate::diagnostics::takes(&words, given.len())
            ),
        ))
    }

    pub(super) fn number(&mut self, given: &Given, scalar: Scalar) -> Res<Value> {
        match &given.typed {
            Some(typed) => self.convert(typed, &Type::scalar(scalar), given.expr.span),
            None => Err(self.sink.error(given.expr.span, "a number is needed here")),
        }
    }

    fn of_table(
        &mut self,
        name: &str,
        types: &str,
        call: Call,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let letters: Vec<char> = types.chars().collect();
        let least = if name == "__syncwarp" {
            0
        } else {
            letters.len() - 1
        };
        self.check_count_of(name, given, least..=letters.len() - 1, span)?;
        let mut args = Vec::new();
        for (number, letter) in letters[1..].iter().enumerate() {
            let value = match (given.get(number), scalar_of(*letter)) {
                (None, _) => self.builder.u32(u32::MAX),
                (Some(given), Some(scalar)) => self.number(given, scalar)?,
                (Some(given), None) => self.pointer(given)?.1,
            };
            args.push(value);
        }
        Ok(match scalar_of(letters[0]) {
            None => {
                self.intrinsic(call, &[], args);
                Typed::void()
            }
            Some(scalar) => {
                let ty = Type::scalar(scalar);
                let register = ty.register().unwrap_or(Ty::B32);
                let value = self.intrinsic(call, &[register], args)[0];
                Typed::value(ty, value)
            }
        })
    }

    pub(super) fn intrinsic(&mut self, call: Call, results: &[Ty], args: Vec<Value>) -> Values {
        self.builder.emit(Op::Intrinsic(call), results, args)
    }

    /// The type that an argument points to, and the address.
    pub(super) fn pointer(&mut self, given: &Given) -> Res<(Type, Value)> {
        let span = given.expr.span;
        let Some(typed) = given.typed.clone() else {
            return Err(self.sink.error(span, "a pointer is needed here"));
        };
        let typed = self.decayed(typed);
        match typed.ty.kind.clone() {
            Kind::Pointer(of) => {
                let address = self.rvalue(&typed, span)?;
                Ok(((*of).clone(), address))
            }
            _ => {
                let name = self.spelled(&typed.ty);
                let help = match typed.form {
                    Form::Place(_) => "put `&` before it for its address",
                    _ => "take the address of a variable or of an element by `&`",
                };
                Err(self.sink.error_help(
                    span,
                    format!("a pointer is needed here, this is {}", an(&name)),
                    help,
                ))
            }
        }
    }

    pub(super) fn scalar_of_given(&mut self, given: &Given) -> Res<Scalar> {
        let ty = given.typed.as_ref().map(|typed| typed.ty.clone());
        match ty {
            Some(Type {
                kind: Kind::Scalar(scalar),
                ..
            }) if scalar != Scalar::Void => Ok(scalar),
            Some(ty) if ty.is_integer() => Ok(Scalar::Int),
            Some(ty) if ty.is_struct() => {
                match self.conversion_of(&ty, &Type::scalar(Scalar::Float)) {
                    Some((
                        _,
                        Type {
                            kind: Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)),
                            ..
                        },
                    )) => Ok(scalar),
                    _ => Err(self.sink.error(given.expr.span, "a number is needed here")),
                }
            }
            _ => Err(self.sink.error(given.expr.span, "a number is needed here")),
        }
    }

    pub(super) fn unusable(&mut self, given: &Given, what: &str) -> Reported {
        let name = given.typed.as_ref().map_or("a list".to_string(), |typed| {
            self.structs.spelled(&typed.ty)
        });
        self.sink
            .error(given.expr.span, format!("{what} cannot take {}", an(&name)))
    }
}
