//! What is counted from pointers: their sums, differences and comparisons, and the elements of `a[i]`.

use super::Lower;
use super::operators::{comparison, spelled};
use super::origins::{is_counted_out, origin_within};
use super::scope::Binding;
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::{Res, an};
use crate::ir::{Bin, Origin, Ty, Value};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Scalar};
use crate::types::{self, Kind, Type};

impl Lower<'_> {
    /// An operator of which one side is a pointer at least.
    pub(super) fn pointers(
        &mut self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        span: Span,
    ) -> Res<Typed> {
        let both = a.ty.is_pointer() && b.ty.is_pointer();
        match operator {
            Binary::Add | Binary::Sub if !both => {
                let (pointer, number) = if a.ty.is_pointer() { (a, b) } else { (b, a) };
                let Kind::Pointer(of) = pointer.ty.kind.clone() else {
                    return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
                };
                if operator == Binary::Sub && !a.ty.is_pointer() {
                    return Err(self.no_operator("-", &a.ty, &b.ty, span));
                }
                let address = self.rvalue(pointer, span)?;
                let address = self.element(address, number, &of, operator == Binary::Sub, span)?;
                Ok(Typed::value(pointer.ty.plain(), address))
            }
            Binary::Sub => self.difference(a, b, span),
            _ => self.compare_pointers(operator, a, b, span),
        }
    }

    /// How many elements lie between two pointers.
    fn difference(&mut self, a: &Typed, b: &Typed, span: Span) -> Res<Typed> {
        match (&a.ty.kind, &b.ty.kind) {
            (Kind::Pointer(of), Kind::Pointer(other)) if same_plain(of, other) && !of.is_void() => {
                let size = self.structs.size(of);
                let (x, y) = (self.rvalue(a, span)?, self.rvalue(b, span)?);
                let (start, other) = (self.split_address(x), self.split_address(y));
                let bytes = match start.0 == other.0 {
                    true => self.builder.u64(start.1.wrapping_sub(other.1)),
                    false => self.builder.bin(Bin::Sub, x, y),
                };
                let value = match size.is_power_of_two() {
                    true => {
                        let shift = self.builder.u64(u64::from(size.trailing_zeros()));
                        self.builder.bin(Bin::ShrS, bytes, shift)
                    }
                    false => {
                        let size = self.builder.u64(size);
                        self.builder.bin(Bin::DivS, bytes, size)
                    }
                };
                Ok(Typed::scalar(Scalar::Long, value))
            }
            _ => Err(self.no_operator("-", &a.ty, &b.ty, span)),
        }
    }

    /// Pointers of any types are compared by their addresses; of numbers only zero is one.
    fn compare_pointers(
        &mut self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        span: Span,
    ) -> Res<Typed> {
        let Some(cmp) = comparison(operator, false, false) else {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        };
        let target = if matches!(a.ty.kind, Kind::Pointer(_)) {
            &a.ty
        } else {
            &b.ty
        };
        let of = |typed: &Typed| typed.ty.is_pointer() || typed.ty.is_integer();
        let is_zero = |lower: &Self, typed: &Typed| match typed.form {
            Form::Value(value) => lower.builder.body.constant(value) == Some(0),
            _ => false,
        };
        let is_other =
            |lower: &Self, typed: &Typed| typed.ty.is_integer() && !is_zero(lower, typed);
        if !of(a) || !of(b) || is_other(self, a) || is_other(self, b) {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        }
        let target = match &target.kind {
            Kind::Pointer(_) => Type::pointer({
                let mut void = Type::scalar(Scalar::Void);
                void.is_const = true;
                void.is_volatile = true;
                void
            }),
            _ => target.clone(),
        };
        let (x, y) = (
            self.convert(a, &target, span)?,
            self.convert(b, &target, span)?,
        );
        Ok(Typed::scalar(Scalar::Bool, self.builder.cmp(cmp, x, y)))
    }

    /// An address as another and the bytes between them that are known.
    fn split_address(&self, address: Value) -> (Value, u64) {
        let (mut at, mut bytes) = (address, 0_u64);
        while let Some(inst) = self.builder.body.def(at)
            && let (crate::ir::Op::Bin(Bin::Add), [base, by]) = (&inst.op, &inst.args[..])
            && let Some(by) = self.builder.body.constant(*by)
        {
            bytes = bytes.wrapping_add(by);
            at = *base;
        }
        (at, bytes)
    }

    /// `object[index]`.
    pub(super) fn index(&mut self, object: &Expr, index: &Expr, span: Span) -> Res<Typed> {
        let base = self.expr(object)?;
        if let Kind::Struct(id) = base.ty.kind {
            if let Some(Binding::Functions(_)) = self.member_binding(id, "operator[]") {
                let given = self.given(std::slice::from_ref(index))?;
                return self.call_operator(&base, "operator[]", given, span);
            }
            let of = self.structs.get(id);
            let (name, is_vector) = (of.name.clone(), of.syntax.is_none());
            let help = match is_vector {
                true if base.ty.is_const => "name its parts: `.x`, `.y` …",
                true => {
                    "name its parts: `.x`, `.y` …; or take its address as a pointer to them: `reinterpret_cast<…*>(&v)[…]`"
                }
                false => "name one of its members",
            };
            return Err(self.sink.error_help(
                span,
                format!("{} has no elements to count", an(&name)),
                help,
            ));
        }
        let is_volatile = base.ty.is_volatile;
        let whole = matches!(base.ty.kind, Kind::Array(..)).then(|| self.place_alignment(&base));
        let base = self.decayed(base);
        let number = self.expr(index)?;
        let (base, number) = if number.ty.is_pointer() {
            (number, base)
        } else {
            (base, number)
        };
        let Kind::Pointer(to) = base.ty.kind.clone() else {
            let name = self.spelled(&base.ty);
            let message = format!("{} has no elements", an(&name));
            let help = match object.kind {
                ExprKind::Index(..) => {
                    "a pointer counts in one direction: `[row * columns + column]`"
                }
                _ => "only pointers and arrays have some",
            };
            return Err(self.sink.error_help(object.span, message, help));
        };
        let address = self.rvalue(&base, object.span)?;
        if !matches!(index.kind, ExprKind::Integer(..)) && self.builder.place_of(address).is_some()
        {
            self.tally.objects += 1;
        }
        let address = self.element(address, &number, &to, false, index.span)?;
        let mut ty = (*to).clone();
        ty.is_volatile |= is_volatile;
        let size = self.structs.size(&ty);
        let origin = match whole {
            // An element that is counted out lies where it lies in the array; of another its size is known only.
            Some(whole) if is_counted_out(index) => {
                let number = self.constant_of(&number).unwrap_or(1);
                origin_within(whole, size.wrapping_mul(number))
            }
            Some(whole) => origin_within(whole, size),
            None => Origin::default(),
        };
        Ok(Typed::place(ty, address).at(origin))
    }

    /// The address of an element so many places further, or before.
    fn element(
        &mut self,
        address: Value,
        number: &Typed,
        of: &Type,
        is_before: bool,
        span: Span,
    ) -> Res<Value> {
        let number = &match number.ty.is_struct() && self.becomes_number(&number.ty) {
            true => self.converted(number, &Type::scalar(Scalar::Long), span)?,
            false => number.clone(),
        };
        let scalar = match self.is_scoped_enum(&number.ty) {
            true => None,
            false => number.ty.as_integer(),
        };
        let Some(scalar) = scalar else {
            let name = self.spelled(&number.ty);
            let help = match number.ty.is_struct() {
                true => "name one of its parts, such as `.x`",
                false if number.ty.is_floating() => {
                    "count elements with a whole number; where an element is meant, write `[index]` behind the pointer"
                }
                false => "count elements with a whole number",
            };
            return Err(self.sink.error_help(
                span,
                format!("{} does not count elements", an(&name)),
                help,
            ));
        };
        if of.is_void() {
            return Err(self.sink.error_help(
                span,
                "what a `void*` points to has no size",
                "cast it to a pointer to something",
            ));
        }
        let wide = if types::is_signed(types::promoted(scalar)) {
            Scalar::Long
        } else {
            Scalar::ULong
        };
        let value = self.rvalue(number, span)?;
        let size = self.structs.size(of);
        if let Some(bits) = self.builder.body.constant_or_symbolic(value) {
            let number = match self.builder.body.ty(value) {
                Ty::B32 if types::is_signed(scalar) => bits as u32 as i32 as u64,
                _ => bits,
            };
            let bytes = number.wrapping_mul(size);
            let bytes = match is_before {
                true => bytes.wrapping_neg(),
                false => bytes,
            };
            return Ok(self.builder.offset(address, bytes));
        }
        let value = self.cast_value(value, &number.ty, &Type::scalar(wide));
        let size = self.builder.u64(size);
        let bytes = self.builder.bin(Bin::Mul, value, size);
        Ok(self
            .builder
            .bin(if is_before { Bin::Sub } else { Bin::Add }, address, bytes))
    }
}
