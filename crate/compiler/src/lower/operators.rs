//! Operators: arithmetic with its conversions, pointers, comparisons, assignments, and what decides whether an operand is looked at.

use super::Lower;
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Bin, Cmp, Space, Ty, Value};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Scalar, Unary};
use crate::types::{self, Kind, Type};
use std::rc::Rc;

pub(super) fn spelled(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::LogicalAnd => "&&",
        Binary::LogicalOr => "||",
    }
}

impl Lower<'_> {
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Res<Typed> {
        if matches!(operator, Binary::LogicalAnd | Binary::LogicalOr) {
            return self.logical(operator, left, right);
        }
        let a = self.expr(left)?;
        let read = self.read_now(&a, left.span)?;
        let b = match self.is_same_call(left, right)? && matches!(a.form, Form::Value(_)) {
            true => a.clone(),
            false => self.expr(right)?,
        };
        let is_enum = |ty: &Type| matches!(ty.kind, Kind::Enum(..));
        let mut has_own = a.ty.is_struct() || b.ty.is_struct();
        if !has_own && (is_enum(&a.ty) || is_enum(&b.ty)) {
            let name = format!("operator{}", spelled(operator));
            has_own = self.has_enum_operator(&[&a.ty, &b.ty], &name);
        }
        if has_own {
            return self.struct_operator(operator, &a, &b, left, right, span);
        }
        self.operate(operator, read.unwrap_or(a), b, span)
    }

    /// A number that is read before what else an expression needs is computed: the two ways behind a branch begin with the same
    /// read then, if their sources do.
    fn read_now(&mut self, typed: &Typed, span: Span) -> Res<Option<Typed>> {
        let is_number = typed.ty.is_arithmetic() && !typed.ty.is_volatile;
        match typed.form {
            Form::Place(_) if is_number => {
                let value = self.rvalue(typed, span)?;
                Ok(Some(Typed::value(typed.ty.plain(), value)))
            }
            _ => Ok(None),
        }
    }

    /// An operator that a struct has, as a member or outside.
    fn struct_operator(
        &mut self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let name = format!("operator{}", spelled(operator));
        let given = vec![Given::of(right, b)];
        let is_member = self.has_operator(&a.ty, &name, 1);
        if is_member && self.member_fits(&a.ty, &name, &given, span) {
            return self.call_operator(a, &name, given, span);
        }
        let list = match a.ty.is_struct() || b.ty.is_struct() {
            true => self.free_operator(&name),
            false => {
                let list = self.enum_operators(&[&a.ty, &b.ty], &name);
                Some(Binding::Functions(Rc::new(list)))
            }
        };
        if let Some(Binding::Functions(list)) = list {
            let given = vec![Given::of(left, a), Given::of(right, b)];
            let fits = |lower: &mut Self, one| lower.fits(one, None, &given, span).is_ok();
            if list.iter().any(|one| fits(self, one)) {
                let chosen = self.choose(&name, &list, None, &given, span)?;
                self.check_one_meaning(&chosen, spelled(operator), (&a.ty, &b.ty), span)?;
                return self.inline(chosen, None, given, span);
            }
        }
        if is_member {
            return self.call_operator(a, &name, given, span);
        }
        let (x, y) = (
            self.as_number(a.clone(), left.span)?,
            self.as_number(b.clone(), right.span)?,
        );
        if x.ty.is_struct() || y.ty.is_struct() {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        }
        self.operate(operator, x, y, span)
    }

    fn member_fits(&mut self, ty: &Type, name: &str, given: &[Given], span: Span) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, name) else {
            return false;
        };
        let fits = |lower: &mut Self, one| lower.fits(one, None, given, span).is_ok();
        list.iter().any(|one| fits(self, one))
    }

    /// The operators that are members of nothing: those of the struct whose function this is hide none of them.
    pub(super) fn free_operator(&self, name: &str) -> Option<Binding> {
        let local = self.local(name).cloned();
        local.or_else(|| self.globals.names.get(name).cloned())
    }

    pub(super) fn no_operator(
        &mut self,
        operator: &str,
        a: &Type,
        b: &Type,
        span: Span,
    ) -> Reported {
        let is_vector = |ty: &Type| matches!(ty.kind, Kind::Struct(id) if self.structs.get(id).syntax.is_none());
        let is_place = |ty: &Type| matches!(self.spelled(&ty.plain()).as_str(), "uint3" | "dim3");
        let help = match is_vector(a) || is_vector(b) {
            true if is_place(a) || is_place(b) => "it has three parts: name one, such as `.x`",
            true => {
                "CUDA has no operators for vectors such as `float4`: write it for `.x`, `.y` … one by one"
            }
            false if self.is_scoped_enum(a) || self.is_scoped_enum(b) => {
                "an `enum class` is no number: `static_cast<int>(…)`"
            }
            false if a.is_pointer() != b.is_pointer() => {
                "put `*` before the pointer, or `[index]` behind it, for what it points to"
            }
            false => "look at the types of both sides",
        };
        let (a, b) = (self.spelled(a), self.spelled(b));
        self.sink.error_help(
            span,
            format!("there is no `{operator}` for {} and {}", an(&a), an(&b)),
            help,
        )
    }

    pub(super) fn call_operator(
        &mut self,
        object: &Typed,
        name: &str,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        let list = match object.ty.kind {
            Kind::Struct(id) => self.member_binding(id, name),
            _ => None,
        };
        match list {
            Some(Binding::Functions(list)) => {
                let list = super::calls::callable_on(&list, Some(object));
                let chosen = self.choose(name, &list, None, &given, span)?;
                let address = self.materialised(object, span)?;
                let object = Typed::place(object.ty.clone(), address);
                self.inline(chosen, Some(object), given, span)
            }
            _ => {
                let ty = object.ty.clone();
                let other = given.first().and_then(|given| given.typed.as_ref());
                let other = other.map_or(ty.clone(), |typed| typed.ty.clone());
                Err(self.no_operator(name.trim_start_matches("operator"), &ty, &other, span))
            }
        }
    }

    /// An operator on numbers or pointers.
    pub(super) fn operate(
        &mut self,
        operator: Binary,
        a: Typed,
        b: Typed,
        span: Span,
    ) -> Res<Typed> {
        let (a, b) = (self.decayed(a), self.decayed(b));
        if a.ty.is_callee() || b.ty.is_callee() {
            return self.compare_callees(operator, &a, &b, span);
        }
        if a.ty.is_pointer() || b.ty.is_pointer() {
            return self.pointers(operator, &a, &b, span);
        }
        if !a.ty.is_arithmetic() || !b.ty.is_arithmetic() {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        }
        let (a, b) = self.held_sides(operator, a, b, span)?;
        let scalar_of = |ty: &Type| match ty.kind {
            Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)) => scalar,
            _ => ty.as_integer().unwrap_or(Scalar::Int),
        };
        let (sa, sb) = (scalar_of(&a.ty), scalar_of(&b.ty));
        let is_shift = matches!(operator, Binary::Shl | Binary::Shr);
        let scalar = if is_shift {
            types::promoted(sa)
        } else {
            types::common(sa, sb)
        };
        let ty = Type::scalar(scalar);
        let is_float = ty.is_floating();
        let whole_only = is_shift
            || matches!(
                operator,
                Binary::Rem | Binary::And | Binary::Or | Binary::Xor
            );
        if whole_only && (is_float || b.ty.is_floating()) {
            let help = match operator {
                Binary::Rem => "use `fmodf` for the rest of floats",
                Binary::Xor => "`^` is no power: write `x * x`, or `powf(x, y)`",
                _ => "cast to a whole number first",
            };
            return Err(self.sink.error_help(
                span,
                format!("`{}` needs whole numbers", spelled(operator)),
                help,
            ));
        }
        let left = self.convert(&a, &ty, span)?;
        let right = match is_shift {
            true => {
                let count = self.convert(&b, &Type::scalar(Scalar::UInt), span)?;
                match self.builder.body.ty(left) {
                    Ty::B64 => self.builder.cvt(crate::ir::Cvt::ZeroExtend, Ty::B64, count),
                    _ => count,
                }
            }
            false => self.convert(&b, &ty, span)?,
        };
        if matches!(operator, Binary::Div | Binary::Rem)
            && !is_float
            && self.builder.body.constant(right) == Some(0)
        {
            return Err(self.sink.error(span, "this divides by zero"));
        }
        let is_signed = types::is_signed(scalar);
        if let Some(cmp) = comparison(operator, is_float, is_signed) {
            return Ok(Typed::scalar(
                Scalar::Bool,
                self.builder.cmp(cmp, left, right),
            ));
        }
        let bin = match operator {
            Binary::Add => Bin::Add,
            Binary::Sub => Bin::Sub,
            Binary::Mul => Bin::Mul,
            Binary::Div if is_float => Bin::Div,
            Binary::Div if is_signed => Bin::DivS,
            Binary::Div => Bin::DivU,
            Binary::Rem if is_signed => Bin::RemS,
            Binary::Rem => Bin::RemU,
            Binary::And => Bin::And,
            Binary::Or => Bin::Or,
            Binary::Xor => Bin::Xor,
            Binary::Shl => Bin::Shl,
            _ if is_signed => Bin::ShrS,
            _ => Bin::ShrU,
        };
        let result = match is_signed && !is_float {
            true => self.builder.exact_bin(bin, left, right),
            false => self.builder.bin(bin, left, right),
        };
        Ok(Typed::value(ty, result))
    }

    fn pointers(&mut self, operator: Binary, a: &Typed, b: &Typed, span: Span) -> Res<Typed> {
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
            Binary::Sub => match (&a.ty.kind, &b.ty.kind) {
                (Kind::Pointer(of), Kind::Pointer(other))
                    if same_plain(of, other) && !of.is_void() =>
                {
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
            },
            _ => {
                let Some(cmp) = comparison(operator, false, false) else {
                    return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
                };
                let target = if matches!(a.ty.kind, Kind::Pointer(_)) {
                    &a.ty
                } else {
                    &b.ty
                };
                let of = |typed: &Typed| {
                    typed.ty.is_pointer() || (typed.ty.is_integer() && !typed.ty.is_pointer())
                };
                let is_zero = |lower: &Self, typed: &Typed| match typed.form {
                    Form::Value(value) => lower.builder.body.constant(value) == Some(0),
                    _ => false,
                };
                let is_other = |lower: &Self, typed: &Typed| {
                    typed.ty.is_integer() && !typed.ty.is_pointer() && !is_zero(lower, typed)
                };
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
        }
    }

    /// Whether a struct has a function that assigns this to it; its own objects it copies without one.
    #[inline(never)]
    fn assigns(&mut self, ty: &Type, expr: &Expr, value: &Typed, span: Span) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        let Some(Binding::Functions(list)) = self.member_binding(id, "operator=") else {
            return false;
        };
        let given = [Given::of(expr, value)];
        ty.kind != value.ty.kind
            || list.iter().any(|one| {
                let fits = self.fits(one, None, &given, span);
                fits.is_ok_and(|((score, _), _)| score < super::overloads::BY_CONVERSION)
            })
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

    /// Whether a struct has an operator of its own that takes so many operands besides the object.
    pub(super) fn has_operator(&self, ty: &Type, name: &str, operands: usize) -> bool {
        let Kind::Struct(id) = ty.kind else {
            return false;
        };
        match self.member_binding(id, name) {
            Some(Binding::Functions(list)) => list
                .iter()
                .any(|function| function.function.parameters.len() == operands),
            _ => false,
        }
    }

    /// The place on the left of an assignment.
    fn checked_place(&mut self, typed: Typed, expr: &Expr) -> Res<(Typed, Value)> {
        if matches!(typed.form, Form::Functions(_)) {
            let what = "a pointer to a function that changes";
            return Err(self.sink.gap(expr.span, what));
        }
        let help = match typed.ty.is_const {
            true => Some("it is declared `const`, or reached through something that is"),
            false if self.is_in_constant_memory(expr) => {
                Some("it lies in constant memory, which only the host writes")
            }
            false => None,
        };
        if let Some(help) = help {
            return Err(self
                .sink
                .error_help(expr.span, "this cannot be changed", help));
        }
        match typed.form {
            Form::Place(address) => Ok((typed, address)),
            _ => {
                let help = "only variables and what pointers point to can be assigned";
                Err(self
                    .sink
                    .error_help(expr.span, "this is a value, not a place for one", help))
            }
        }
    }

    /// Whether an expression names a `__constant__` variable or a part of it. It is no `const`, so that pointers to it are
    /// plain ones.
    fn is_in_constant_memory(&self, expr: &Expr) -> bool {
        self.part_of_constant(expr).is_some()
    }

    fn part_of_constant(&self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Path(path) => match self.lookup(&path.parts.last()?.name)? {
                Binding::Symbol(symbol, ty) => {
                    let space = self.module.symbols[symbol.0 as usize].space;
                    (space == Space::Constant).then_some(ty)
                }
                _ => None,
            },
            ExprKind::Index(of, _) => match self.part_of_constant(of)?.kind {
                Kind::Array(element, _) => Some((*element).clone()),
                _ => None,
            },
            ExprKind::Member(of, part, false) => match self.part_of_constant(of)?.kind {
                Kind::Struct(id) => Some(self.field(id, &part.name)?.ty),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn assign(
        &mut self,
        operator: Option<Binary>,
        to: &Expr,
        from: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let Some(operator) = operator else {
            let value = match &from.kind {
                // An object of its own first: the list may read what is assigned to.
                ExprKind::List(list) => {
                    let ty = self.type_of_expr(to)?.plain();
                    self.construct(&ty, list, true, span)?
                }
                _ => self.expr(from)?,
            };
            let read = self.read_now(&value, from.span)?;
            let place = self.place_of(to)?;
            if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
                self.store_bits(&place.ty, *address, *bits, &value, from.span)?;
                return Ok(place);
            }
            let (place, address) = self.checked_place(place, to)?;
            if self.assigns(&place.ty, from, &value, span) {
                let given = vec![Given::of(from, &value)];
                return self.call_operator(&place, "operator=", given, span);
            }
            if matches!(place.ty.kind, Kind::Array(..)) {
                let help = "copy the elements one by one";
                return Err(self.sink.error_help(
                    span,
                    "an array cannot be assigned as a whole",
                    help,
                ));
            }
            // A number is read before its place is found, so that `a[i] = b[i]` reads first.
            match self.is_polymorphic(&place.ty) {
                true => self.keeping_table(address, |lower| {
                    lower.store_at(&place, address, &value, from.span)
                })?,
                false => self.store_at(&place, address, &read.unwrap_or(value), from.span)?,
            }
            return Ok(place);
        };
        let value = self.expr(from)?;
        let place = self.place_of(to)?;
        if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
            let result = self.operate(operator, place.clone(), value, span)?;
            self.store_bits(&place.ty, *address, *bits, &result, span)?;
            return Ok(place);
        }
        let (place, address) = self.checked_place(place, to)?;
        let is_struct = place.ty.is_struct();
        if is_struct || matches!(place.ty.kind, Kind::Enum(..)) {
            let name = format!("operator{}=", spelled(operator));
            if !is_struct && !self.has_enum_operator(&[&place.ty], &name) {
                return self.assign_plainly(operator, &place, address, value, from.span, span);
            }
            return self.changing_operator(&place, &name, to, Given::of(from, &value), span);
        }
        self.assign_plainly(operator, &place, address, value, from.span, span)
    }

    /// `a += b` of numbers.
    fn assign_plainly(
        &mut self,
        operator: Binary,
        place: &Typed,
        address: Value,
        value: Typed,
        at: Span,
        span: Span,
    ) -> Res<Typed> {
        let value = self.as_number(value, at)?;
        let value = match &value.form {
            // Read now: the place may be what the value is read from.
            Form::Place(_) if !value.ty.is_aggregate() => {
                let read = self.rvalue(&value, at)?;
                Typed::value(value.ty.plain(), read)
            }
            _ => value,
        };
        let result = self.operate(operator, place.clone(), value, span)?;
        self.store_cast(place, address, &result, span)?;
        Ok(place.clone())
    }

    /// `a += b` of a struct: its own function, or one outside that takes both.
    fn changing_operator(
        &mut self,
        object: &Typed,
        name: &str,
        to: &Expr,
        given: Given,
        span: Span,
    ) -> Res<Typed> {
        let is_member = self.has_operator(&object.ty, name, 1);
        match self.free_operator(name) {
            Some(Binding::Functions(list)) if !is_member => {
                let given = vec![Given::of(to, object), given];
                let chosen = self.choose(name, &list, None, &given, span)?;
                self.inline(chosen, None, given, span)
            }
            _ => self.call_operator(object, name, vec![given], span),
        }
    }

    fn store_cast(&mut self, to: &Typed, address: Value, result: &Typed, span: Span) -> Res<()> {
        let value = self.convert(result, &to.ty.plain(), span)?;
        self.store_to(&to.ty, address, to.origin, value);
        Ok(())
    }

    pub(super) fn step(&mut self, operator: Unary, inner: &Expr, span: Span) -> Res<Typed> {
        let place = self.place_of(inner)?;
        let is_after = matches!(operator, Unary::IncrementAfter | Unary::DecrementAfter);
        let binary = match operator {
            Unary::Increment | Unary::IncrementAfter => Binary::Add,
            _ => Binary::Sub,
        };
        if let (Form::Bits(address, bits), false) = (&place.form, place.ty.is_const) {
            let before = self.decayed(place.clone());
            let one = Typed::scalar(Scalar::Int, self.builder.u32(1));
            let result = self.operate(binary, before.clone(), one, span)?;
            self.store_bits(&place.ty, *address, *bits, &result, span)?;
            return Ok(if is_after { before } else { place });
        }
        let (place, address) = self.checked_place(place, inner)?;
        let name = match operator {
            Unary::Increment | Unary::IncrementAfter => "operator++",
            _ => "operator--",
        };
        if self.has_enum_operator(&[&place.ty], name) {
            return self.unary_operator(place, name, inner, span);
        }
        if place.ty.is_struct() {
            return self.step_struct(&place, name, is_after, inner, span);
        }
        let before = self.rvalue(&place, span)?;
        let before = Typed::value(place.ty.plain(), before);
        let one = Typed::scalar(Scalar::Int, self.builder.u32(1));
        let result = self.operate(binary, before.clone(), one, span)?;
        self.store_cast(&place, address, &result, span)?;
        Ok(if is_after { before } else { place })
    }

    /// `++` and `--` of a struct: its own function, or one outside. The one behind is declared with an `int` that says nothing but that.
    fn step_struct(
        &mut self,
        place: &Typed,
        name: &str,
        is_after: bool,
        inner: &Expr,
        span: Span,
    ) -> Res<Typed> {
        let mut mark = Vec::new();
        let zero = Typed::scalar(Scalar::Int, self.builder.u32(0));
        if is_after {
            mark.push(Given::of(inner, &zero));
        }
        let takes_mark = self.has_operator(&place.ty, name, 1);
        let is_member = takes_mark || self.has_operator(&place.ty, name, 0);
        match self.free_operator(name) {
            Some(Binding::Functions(list)) if !is_member => {
                let mut given = vec![Given::of(inner, place)];
                given.append(&mut mark);
                let chosen = self.choose(name, &list, None, &given, span)?;
                self.inline(chosen, None, given, span)
            }
            _ => {
                mark.retain(|_| takes_mark);
                self.call_operator(place, name, mark, span)
            }
        }
    }
}

fn comparison(operator: Binary, is_float: bool, is_signed: bool) -> Option<Cmp> {
    let pick = |float, signed, unsigned| match (is_float, is_signed) {
        (true, _) => float,
        (false, true) => signed,
        (false, false) => unsigned,
    };
    Some(match operator {
        Binary::Equal => Cmp::Eq,
        Binary::NotEqual => Cmp::Ne,
        Binary::Less => pick(Cmp::Lt, Cmp::LtS, Cmp::LtU),
        Binary::LessEqual => pick(Cmp::Le, Cmp::LeS, Cmp::LeU),
        Binary::Greater => pick(Cmp::Gt, Cmp::GtS, Cmp::GtU),
        Binary::GreaterEqual => pick(Cmp::Ge, Cmp::GeS, Cmp::GeU),
        _ => return None,
    })
}
