//! From one type to another: conversions of values, and casts that are written.

use super::Lower;
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Cmp, Cvt, MemTy, Ty, Value};
use crate::source::Span;
use crate::syntax::Scalar;
use crate::types::{self, Kind, Type};

impl Lower<'_> {
    /// A cast that is written. `name` is empty for `(T)x` and `T(x)`.
    pub(super) fn cast(&mut self, name: &str, typed: Typed, to: &Type, span: Span) -> Res<Typed> {
        if to.is_void() {
            return Ok(Typed::void());
        }
        if let Kind::Reference(of) = &to.kind {
            let address = self.materialised(&typed, span)?;
            let distance = self.distance(&typed.ty, of);
            let address = self.builder.offset(address, distance);
            let mut ty = (**of).clone();
            ty.is_const |= name == crate::syntax::NAMED_BASE && typed.ty.is_const;
            return Ok(Typed::place(ty, address));
        }
        if to.is_struct() {
            if typed.ty.kind == to.kind {
                return Ok(typed);
            }
            let plain = to.plain();
            let address = self.new_slot(&plain);
            self.store(&plain, address, &typed, span)?;
            return Ok(Typed::place(plain, address));
        }
        let mut typed = self.decayed(typed);
        if typed.ty.is_struct() {
            typed = self.converted(&typed, to, span)?;
        }
        let value = self.rvalue(&typed, span)?;
        let between = (typed.ty.is_pointer(), to.is_pointer());
        let is_number = |ty: &Type| ty.is_arithmetic();
        match between {
            (true, true) => {
                let value = self.moved(value, &typed.ty, to);
                Ok(Typed::value(to.plain(), value))
            }
            (true, false) if to.is_integer() && name != "static_cast" => {
                let from = Type::scalar(Scalar::ULong);
                let value = self.cast_value(value, &from, to);
                Ok(Typed::value(to.plain(), value))
            }
            (false, true) if typed.ty.is_integer() && name != "static_cast" => {
                let value = self.cast_value(value, &typed.ty, &Type::scalar(Scalar::ULong));
                Ok(Typed::value(to.plain(), value))
            }
            (false, false)
                if is_number(&typed.ty) && is_number(to) && name != "reinterpret_cast" =>
            {
                let value = self.cast_value(value, &typed.ty, to);
                Ok(Typed::value(to.plain(), value))
            }
            _ => {
                let (from, to) = (self.spelled(&typed.ty), self.spelled(to));
                let help = "between numbers use `static_cast`, between pointers `reinterpret_cast`; for the bits of a float `__float_as_uint`";
                Err(self.sink.error_help(
                    span,
                    format!("{} cannot be cast to {} like this", an(&from), an(&to)),
                    help,
                ))
            }
        }
    }

    /// A value as one of another type, where that is done without being asked for.
    pub(super) fn convert(&mut self, from: &Typed, to: &Type, span: Span) -> Res<Value> {
        // Most are of the type already.
        if let (Kind::Scalar(a), Kind::Scalar(b), Form::Value(value)) =
            (&from.ty.kind, &to.kind, &from.form)
            && a == b
            && *a != Scalar::Void
            && to.register() == Some(self.builder.body.ty(*value))
        {
            return Ok(*value);
        }
        if let Kind::Callee(number) = to.kind {
            return self.as_callee(from, number, span);
        }
        let pointer;
        let from = match (&from.ty.kind, &from.form) {
            (Kind::Array(..), _) | (_, Form::Bits(..)) => {
                pointer = self.decayed(from.clone());
                &pointer
            }
            _ => from,
        };
        if from.ty.is_struct() && !to.is_aggregate() {
            let converted = self.converted(from, to, span)?;
            return self.convert(&converted, to, span);
        }
        let allowed = match (&from.ty.kind, &to.kind) {
            (Kind::Pointer(a), Kind::Pointer(b)) => {
                let is_same = b.is_void() || same_plain(a, b) || self.structs.derives(a, b);
                let is_kept =
                    (b.is_const || b.is_void() || !a.is_const) && (b.is_volatile || !a.is_volatile);
                if is_same && !is_kept {
                    let (a, b) = (self.spelled(&from.ty), self.spelled(to));
                    let help =
                        "declare the pointer `const` too; what it points to must not be written";
                    return Err(self.sink.error_help(
                        span,
                        format!("{} cannot become {}", an(&a), an(&b)),
                        help,
                    ));
                }
                is_same
            }
            (Kind::Null, Kind::Pointer(_)) => true,
            (Kind::Pointer(_) | Kind::Null | Kind::Callee(_), Kind::Scalar(Scalar::Bool)) => true,
            (Kind::Enum(a, _), Kind::Enum(b, _)) => a == b,
            (_, Kind::Enum(..)) => false,
            (Kind::Enum(..), _) if self.is_scoped_enum(&from.ty) => false,
            (_, Kind::Pointer(_)) => match &from.form {
                // The number 0 is a pointer to nothing.
                Form::Value(value) => {
                    from.ty.is_integer() && self.builder.body.constant(*value) == Some(0)
                }
                _ => false,
            },
            (_, Kind::Closure(_)) => false,
            _ => from.ty.is_arithmetic() && to.is_arithmetic(),
        };
        if !allowed {
            return Err(self.mismatch(&from.ty, to, span));
        }
        let value = self.rvalue(from, span)?;
        let value = match (&from.ty.kind, &to.kind) {
            (Kind::Pointer(a), Kind::Pointer(b)) if self.structs.derives(a, b) => {
                self.moved(value, &from.ty, to)
            }
            _ => value,
        };
        Ok(self.cast_value(value, &from.ty, to))
    }

    pub(super) fn mismatch(&mut self, from: &Type, to: &Type, span: Span) -> Reported {
        let (from_name, to_name) = (self.spelled(from), self.spelled(to));
        let message = format!("{} cannot become {}", an(&from_name), an(&to_name));
        let help = match (&from.kind, &to.kind) {
            (Kind::Pointer(a), Kind::Pointer(b)) => {
                let keeps = if a.is_const && !b.is_const {
                    "const "
                } else {
                    ""
                };
                format!("cast it if that is meant: `reinterpret_cast<{keeps}{to_name}>(…)`")
            }
            (Kind::Enum(..), _) if self.is_scoped_enum(from) => {
                format!("an `enum class` is no number: `static_cast<{to_name}>(…)`")
            }
            (Kind::Pointer(_), _) => {
                "put `*` before it, or `[index]` behind it, for what it points to".to_string()
            }
            (a, Kind::Pointer(b)) if *a == b.kind => {
                "put `&` before it for its address".to_string()
            }
            (_, Kind::Pointer(b)) => {
                let of = self.spelled(b);
                format!(
                    "an address is that of a parameter or an array, or `&` before a variable that is {}",
                    an(&of)
                )
            }
            (Kind::Struct(_), _) => "name one of its members, such as `.x`".to_string(),
            (_, Kind::Struct(id)) if self.structs.get(*id).syntax.is_none() => {
                format!(
                    "make one: `make_{to_name}(…)`",
                    to_name = self.structs.get(*id).name
                )
            }
            _ => "look at the types of both sides".to_string(),
        };
        self.sink.error_help(span, message, help)
    }

    /// A value as one of another type, by a cast: both are scalars or pointers.
    pub(super) fn cast_value(&mut self, value: Value, from: &Type, to: &Type) -> Value {
        let (Some(to_ty), from_ty) = (to.register(), self.builder.body.ty(value)) else {
            return value;
        };
        let is_signed = from.as_integer().is_some_and(types::is_signed);
        let b = &mut self.builder;
        if to_ty == Ty::Pred {
            if from_ty == Ty::Pred {
                return value;
            }
            let zero = b.constant(from_ty, 0);
            return b.cmp(Cmp::Ne, value, zero);
        }
        let (value, from_ty) = match from_ty {
            Ty::Pred => {
                let (one, zero) = (b.u32(1), b.u32(0));
                (b.select(value, one, zero), Ty::B32)
            }
            other => (value, other),
        };
        match (from_ty.is_float(), to_ty.is_float()) {
            (true, true) if from_ty == to_ty => value,
            (true, true) => b.cvt(Cvt::Float, to_ty, value),
            (false, true) if is_signed => b.cvt(Cvt::SignedToFloat, to_ty, value),
            (false, true) => b.cvt(Cvt::UnsignedToFloat, to_ty, value),
            (true, false) => {
                let to_signed = to.as_integer().is_some_and(types::is_signed);
                let cvt = if to_signed {
                    Cvt::FloatToSigned
                } else {
                    Cvt::FloatToUnsigned
                };
                let whole = b.cvt(cvt, to_ty, value);
                self.narrowed(whole, to)
            }
            (false, false) => {
                let value = match (from_ty, to_ty) {
                    (Ty::B32, Ty::B64) if is_signed => b.cvt(Cvt::SignExtend, Ty::B64, value),
                    (Ty::B32, Ty::B64) => b.cvt(Cvt::ZeroExtend, Ty::B64, value),
                    (Ty::B64, Ty::B32) => b.cvt(Cvt::Truncate, Ty::B32, value),
                    _ => value,
                };
                match from.mem() == to.mem() {
                    true => value,
                    false => self.narrowed(value, to),
                }
            }
        }
    }

    /// A register with no more bits than the type has.
    fn narrowed(&mut self, value: Value, to: &Type) -> Value {
        let cvt = match to.mem() {
            Some(MemTy::U8) => Cvt::ZeroExtendFrom(8),
            Some(MemTy::S8) => Cvt::SignExtendFrom(8),
            Some(MemTy::U16) => Cvt::ZeroExtendFrom(16),
            Some(MemTy::S16) => Cvt::SignExtendFrom(16),
            _ => return value,
        };
        self.builder.cvt(cvt, Ty::B32, value)
    }

    /// How many bytes lie between an object and a base of it, or back.
    fn distance(&self, from: &Type, to: &Type) -> u64 {
        let back = || self.structs.base_offset(to, from).map(u64::wrapping_neg);
        let down = self.structs.base_offset(from, to);
        down.or_else(back).unwrap_or(0)
    }

    /// A pointer to an object as one to a base of it, or back.
    #[inline(never)]
    fn moved(&mut self, value: Value, from: &Type, to: &Type) -> Value {
        let (Kind::Pointer(from), Kind::Pointer(to)) = (&from.kind, &to.kind) else {
            return value;
        };
        let distance = self.distance(from, to);
        let moved = self.builder.offset(value, distance);
        if distance == 0 || self.is_own(value) {
            return moved;
        }
        // A pointer to nothing stays one.
        let zero = self.builder.u64(0);
        let is_there = self.builder.cmp(Cmp::Ne, value, zero);
        self.builder.select(is_there, moved, value)
    }
}
