//! Enumerations: their values, the numbers that hold them, and the operators that a source defines for them.

use super::Lower;
use super::operators::spelled;
use super::scope::{Binding, FunctionRef, Scope};
use super::values::Typed;
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{Binary, EnumSyntax, Expr, Scalar};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn define_enum(&mut self, syntax: &Rc<EnumSyntax>) -> Res<Type> {
        let number = self.enums.len() as u32;
        self.enums.push(Scope::default());
        self.structs
            .enums
            .push((syntax.name.clone(), syntax.is_scoped));
        let mut held = Scalar::Int;
        if let Some(underlying) = &syntax.underlying {
            held = match self.type_of(underlying)?.as_integer() {
                Some(Scalar::Bool) => {
                    return Err(self.sink.gap(underlying.span, "an enumeration of `bool`"));
                }
                Some(scalar) => scalar,
                None => {
                    let message = "an enumeration is held by a whole number";
                    return Err(self.sink.error(underlying.span, message));
                }
            };
        }
        let ty = Type::new(Kind::Enum(number, held));
        if let Some(name) = &syntax.name {
            self.bind(name, Binding::Type(ty.clone()));
        }
        let mut next = 0_u64;
        for (name, value) in &syntax.values {
            if let Some(value) = value {
                next = self.value_in_enum(number, syntax, value)?;
            }
            let bits = match crate::types::scalar_bytes(held) {
                8 => next,
                _ => u64::from(next as u32),
            };
            let binding = Binding::Constant(ty.clone(), bits);
            if !syntax.is_scoped {
                self.bind(name, binding.clone());
            }
            self.enums[number as usize]
                .names
                .insert(name.clone(), binding);
            next = next.wrapping_add(1);
        }
        Ok(ty)
    }

    /// A value of an enumeration, which may name those before it.
    fn value_in_enum(&mut self, number: u32, syntax: &EnumSyntax, value: &Expr) -> Res<u64> {
        if !syntax.is_scoped {
            return Ok(self.constant_integer(value)?.0);
        }
        // Within the braces each is as its number.
        let mut inner = Scope::default();
        let values = &self.enums[number as usize].names;
        for (name, _) in &syntax.values {
            if let Some(Binding::Constant(ty, bits)) = values.get(name)
                && let Kind::Enum(_, held) = ty.kind
            {
                let number = Binding::Constant(Type::scalar(held), *bits);
                inner.names.insert(name.clone(), number);
            }
        }
        let scopes = match self.frames.last() {
            Some(frame) => frame.scopes.iter().cloned().chain([inner]).collect(),
            None => vec![inner],
        };
        let of = self.frames.last().and_then(|frame| frame.of);
        let (found, _) = self.in_environment(scopes, of, |lower| lower.constant_integer(value));
        Ok(found?.0)
    }

    /// Whether a type is an `enum class`, which is no number by itself.
    pub(super) fn is_scoped_enum(&self, ty: &Type) -> bool {
        let Kind::Enum(number, _) = ty.kind else {
            return false;
        };
        let known = self.structs.enums.get(number as usize);
        known.is_some_and(|(_, is_scoped)| *is_scoped)
    }

    /// The number that holds a value of an `enum class`; what is none stays.
    pub(super) fn held(&mut self, typed: Typed, span: Span) -> Res<Typed> {
        match typed.ty.kind {
            Kind::Enum(_, held) if self.is_scoped_enum(&typed.ty) => {
                let value = self.rvalue(&typed, span)?;
                Ok(Typed::value(Type::scalar(held), value))
            }
            _ => Ok(typed),
        }
    }

    /// Both sides of an operator between values of one `enum class`: these can be compared, and nothing else.
    pub(super) fn held_sides(
        &mut self,
        operator: Binary,
        a: Typed,
        b: Typed,
        span: Span,
    ) -> Res<(Typed, Typed)> {
        if !self.is_scoped_enum(&a.ty) && !self.is_scoped_enum(&b.ty) {
            return Ok((a, b));
        }
        let compares = matches!(
            operator,
            Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
        );
        match compares && a.ty.kind == b.ty.kind {
            true => Ok((self.held(a, span)?, self.held(b, span)?)),
            false => Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span)),
        }
    }

    /// The operators of this name that take one of these types where it is an enumeration.
    pub(super) fn enum_operators(&mut self, types: &[&Type], name: &str) -> Vec<FunctionRef> {
        let mut enums = types.iter().filter(|ty| matches!(ty.kind, Kind::Enum(..)));
        let (Some(first), last) = (enums.next(), enums.next()) else {
            return Vec::new();
        };
        let Some(Binding::Functions(list)) = self.free_operator(name) else {
            return Vec::new();
        };
        let is_wanted =
            |kind: &Kind| *kind == first.kind || last.is_some_and(|ty| *kind == ty.kind);
        let mut found = Vec::new();
        for one in list.iter() {
            let takes = one.function.parameters.iter().any(|parameter| {
                match self.quiet_type(&parameter.ty).map(|ty| ty.kind) {
                    Ok(Kind::Reference(of)) => is_wanted(&of.kind),
                    Ok(kind) => is_wanted(&kind),
                    // It depends on the template's arguments.
                    Err(_) => one.function.template.is_some() && !one.function.span.is_header(),
                }
            });
            if takes {
                found.push(one.clone());
            }
        }
        found
    }

    pub(super) fn has_enum_operator(&mut self, types: &[&Type], name: &str) -> bool {
        !self.enum_operators(types, name).is_empty()
    }
}
