//! How much an argument must be changed to fit a parameter, as calls are chosen by.

use super::Lower;
use super::overloads::Given;
use super::values::{Form, Typed, same_plain};
use crate::syntax::Scalar;
use crate::types::{Kind, Type, promoted};
use std::rc::Rc;

impl Lower<'_> {
    /// The same as [`Lower::rank`] for a parameter that may be `T&&`, which takes values too.
    pub(super) fn rank_of(&mut self, given: &Given, ty: &Type, is_rvalue: bool) -> Option<u32> {
        let is_place = |given: &Given| {
            let form = given.typed.as_ref().map(|typed| &typed.form);
            matches!(form, Some(Form::Place(_)))
        };
        match &ty.kind {
            Kind::Reference(to) if is_rvalue && !is_place(given) => {
                let mut to = (**to).clone();
                to.is_const = true;
                let rank = self.rank(given, &Type::new(Kind::Reference(Rc::new(to))));
                rank.map(|rank| rank.saturating_sub(1))
            }
            _ => self.rank(given, ty).map(|rank| rank + u32::from(is_rvalue)),
        }
    }

    /// How much an argument must be changed for a parameter of this type; none if it cannot be.
    fn rank(&mut self, given: &Given, ty: &Type) -> Option<u32> {
        let Some(typed) = &given.typed else {
            let target = if let Kind::Reference(to) = &ty.kind {
                to
            } else {
                ty
            };
            return target
                .is_aggregate()
                .then_some(1)
                .or(Some(3).filter(|_| target.mem().is_some()));
        };
        let from = &typed.ty;
        if let Kind::Reference(to) = &ty.kind {
            let is_place = matches!(typed.form, Form::Place(_));
            if same_plain(from, to) || self.structs.derives(from, to) {
                return match (to.is_const, is_place, from.is_const) {
                    (false, true, true) => None,
                    (false, false, _) if !matches!(from.kind, Kind::Closure(_)) => None,
                    (true, _, false) => Some(1),
                    _ => Some(0),
                };
            }
            if !to.is_const {
                return None;
            }
            return self.rank_value(from, typed, to).map(|rank| rank + 1);
        }
        match &ty.kind {
            Kind::Array(of, _) => self.rank_value(from, typed, &Type::pointer((**of).clone())),
            _ => self.rank_value(from, typed, ty),
        }
    }

    fn rank_value(&mut self, from: &Type, typed: &Typed, to: &Type) -> Option<u32> {
        let from = self.by_value(from);
        match (&from.kind, &to.kind) {
            (Kind::Pointer(a), Kind::Pointer(b)) => {
                if (a.is_const && !b.is_const) || (a.is_volatile && !b.is_volatile) {
                    return None;
                }
                let qualifies =
                    u32::from(a.is_const != b.is_const || a.is_volatile != b.is_volatile);
                match () {
                    () if same_plain(a, b) => Some(qualifies),
                    () if self.structs.derives(a, b) => Some(4 + qualifies),
                    () if b.is_void() => Some(8),
                    () => None,
                }
            }
            (a, b) if a == b => Some(0),
            (Kind::Null, Kind::Pointer(_)) => Some(1),
            (Kind::Function, Kind::Callee(_)) => Some(0),
            (Kind::Closure(_), Kind::Callee(_) | Kind::Function) => {
                self.captures_nothing(&from).then_some(1)
            }
            (Kind::Pointer(_), Kind::Scalar(Scalar::Bool)) => Some(16),
            (Kind::Struct(_), Kind::Pointer(_)) => {
                let found = self.conversion_of(&from, to)?;
                Some(BY_CONVERSION + u32::from(!same_plain(&found.1, to)))
            }
            (_, Kind::Pointer(_)) => match typed.form {
                Form::Value(value)
                    if from.is_integer() && self.builder.body.constant(value) == Some(0) =>
                {
                    Some(16)
                }
                _ => None,
            },
            (_, Kind::Enum(..)) => None,
            (Kind::Scalar(a), Kind::Scalar(b)) => match () {
                () if from.is_integer() && promoted(*a) == *b => Some(2),
                () if *a == Scalar::Float && *b == Scalar::Double => Some(2),
                () if from.is_arithmetic() && to.is_arithmetic() => Some(8),
                () => None,
            },
            (Kind::Enum(..), Kind::Scalar(_)) if self.is_scoped_enum(&from) => None,
            (Kind::Enum(_, of), Kind::Scalar(scalar)) if promoted(*of) == *scalar => Some(2),
            (Kind::Enum(..), Kind::Scalar(_)) if to.is_arithmetic() => Some(8),
            (Kind::Struct(_), Kind::Struct(_)) if self.structs.derives(&from, to) => Some(4),
            (Kind::Struct(_), Kind::Struct(id)) => {
                let is_taken =
                    self.takes_struct(*id, &from) || self.conversion_of(&from, to).is_some();
                is_taken.then_some(BY_CONVERSION)
            }
            (Kind::Struct(_), _) => {
                let found = self.conversion_of(&from, to)?;
                Some(BY_CONVERSION + u32::from(!same_plain(&found.1, to)))
            }
            (_, Kind::Struct(id)) if from.is_arithmetic() && self.takes_one(*id) => {
                Some(BY_CONVERSION)
            }
            _ => None,
        }
    }

    /// What an argument's type is when it is copied.
    pub(super) fn by_value(&self, ty: &Type) -> Type {
        match &ty.kind {
            Kind::Array(of, _) => Type::pointer((**of).clone()),
            _ => ty.plain(),
        }
    }
}

/// What it costs to convert an argument as its struct says; more than any other changes together.
pub(super) const BY_CONVERSION: u32 = 1 << 10;
