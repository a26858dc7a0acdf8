//! Expressions: names, members, elements, casts. Operators have their own file.

use super::Lower;
use super::origins::{is_counted_out, member_origin, origin_within};
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Bin, Effect, Op, Origin, Ptx, Ty, Value};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Path, Scalar};
use crate::types::{self, Kind, StructId, Type};
use std::rc::Rc;

/// Variables that every thread has.
const THREAD: [(&str, &str); 4] = [
    ("threadIdx", "%tid"),
    ("blockIdx", "%ctaid"),
    ("blockDim", "%ntid"),
    ("gridDim", "%nctaid"),
];

impl Lower<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Res<Typed> {
        self.work += 1;
        self.check_work(expr.span)?;
        self.deeper(expr.span, |lower| {
            lower.at_line(expr.span, |lower| lower.expr_here(expr))
        })
    }

    pub(super) fn check_work(&mut self, span: Span) -> Res<()> {
        if self.work <= crate::limits::WORK {
            return Ok(());
        }
        let help =
            "loops are unrolled and calls inlined: put `#pragma unroll 1` before the largest loops";
        Err(self
            .sink
            .error_help(span, "this kernel takes too long to compile", help))
    }

    fn expr_here(&mut self, expr: &Expr) -> Res<Typed> {
        let span = expr.span;
        if let Some(number) = self.known_number(expr) {
            return Ok(number);
        }
        match &expr.kind {
            ExprKind::Integer(value, scalar) => {
                let ty = Type::scalar(*scalar);
                let register = ty.register().unwrap_or(Ty::B32);
                Ok(Typed::value(ty, self.builder.constant(register, *value)))
            }
            ExprKind::Floating(value, Scalar::Float) => {
                let bits = u64::from((*value as f32).to_bits());
                Ok(Typed::scalar(
                    Scalar::Float,
                    self.builder.constant(Ty::F32, bits),
                ))
            }
            ExprKind::Floating(value, _) => Ok(Typed::scalar(
                Scalar::Double,
                self.builder.constant(Ty::F64, value.to_bits()),
            )),
            ExprKind::Character(byte) => {
                let value = self.builder.u32(*byte as i8 as u32);
                Ok(Typed::scalar(Scalar::Char, value))
            }
            ExprKind::Bool(is) => Ok(Typed::scalar(
                Scalar::Bool,
                self.builder.constant(Ty::Pred, u64::from(*is)),
            )),
            ExprKind::Null => Ok(Typed::value(Type::new(Kind::Null), self.builder.u64(0))),
            ExprKind::Text(bytes) => Ok(self.text_value(&bytes.clone())),
            ExprKind::Path(path) => self.path(path),
            ExprKind::This => match self.frames.last().and_then(|frame| frame.this) {
                Some((address, id, is_const)) => {
                    let mut of = Type::new(Kind::Struct(id));
                    of.is_const = is_const;
                    Ok(Typed::value(Type::pointer(of), address))
                }
                None => Err(self
                    .sink
                    .error(span, "`this` is there in member functions only")),
            },
            ExprKind::Unary(operator, inner) => self.unary(*operator, inner, span),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            ExprKind::Assign(operator, to, from) => self.assign(*operator, to, from, span),
            ExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no, span),
            ExprKind::Comma(first, second) => {
                self.expr(first)?;
                self.expr(second)
            }
            ExprKind::Call(callee, arguments) => {
                let arguments = self.expanded(arguments)?;
                self.call(callee, &arguments, span)
            }
            ExprKind::Index(object, index) => self.index(object, index, span),
            ExprKind::Member(object, part, is_arrow) => {
                let object = self.member_object(object, *is_arrow)?;
                self.member_of(&object, &part.name, span)
            }
            ExprKind::Cast(name, ty, inner) => {
                let ty = self.type_of(ty)?;
                let typed = self.expr(inner)?;
                self.cast(name, typed, &ty, span)
            }
            ExprKind::Construct(ty, list, is_braces) => {
                let list = self.expanded(list)?;
                let ty = match (&ty.kind, &list[..]) {
                    (crate::syntax::TypeKind::Auto, [only]) => self.type_of_expr(only)?,
                    _ => match self.placeholder(ty) {
                        Some(of) => return self.deduced_object(&of, &list, span),
                        None => self.type_of(ty)?,
                    },
                };
                self.construct(&ty, &list, *is_braces, span)
            }
            ExprKind::SizeOfType(ty) => {
                let ty = self.type_of(ty)?;
                self.size(&ty)
            }
            ExprKind::SizeOf(inner) => {
                let ty = self.type_of_expr(inner)?;
                self.size(&ty)
            }
            ExprKind::AlignOfType(ty) => {
                let ty = self.type_of(ty)?;
                let align = self.structs.align(&ty);
                Ok(Typed::scalar(Scalar::ULong, self.builder.u64(align)))
            }
            ExprKind::List(_) => Err(self.sink.error_help(
                span,
                "a list in braces has no type here",
                "put the type before it: `Type{…}`",
            )),
            ExprKind::Lambda(lambda) => self.lambda(lambda, span),
            ExprKind::Expand(..) => {
                let help = "packs are expanded in lists: arguments, values in braces, template arguments, bases";
                Err(self
                    .sink
                    .error_help(span, "a pack cannot be expanded here", help))
            }
            ExprKind::Nth(packs, number, pattern) => {
                self.with_nth(packs, *number, |lower| lower.expr(pattern))
            }
            ExprKind::Fold(fold) => self.fold(fold, span),
            ExprKind::PackSize(name) => self.pack_size(name, span),
            ExprKind::New(new) => self.new_object(new, span),
            ExprKind::Delete(inner) => self.delete(inner, span),
        }
    }

    fn size(&mut self, ty: &Type) -> Res<Typed> {
        let ty = match &ty.kind {
            Kind::Reference(to) => to,
            _ => ty,
        };
        let size = self.structs.size(ty);
        Ok(Typed::scalar(Scalar::ULong, self.builder.u64(size)))
    }

    fn path(&mut self, path: &Path) -> Res<Typed> {
        let name = &path.parts[0].name;
        if path.parts.len() == 1 {
            let local = self.local(name);
            if let Some(Binding::Typed(typed)) = local {
                return Ok(typed.clone());
            }
            if local.is_none() {
                if let Some(field) = self.own_field(name) {
                    return Ok(field);
                }
                if let Some(found) = self.thread_variable(name)? {
                    return Ok(found);
                }
            }
        }
        let (binding, _) = self.resolve(path)?;
        match binding {
            Binding::Typed(typed) => Ok(typed),
            Binding::Symbol(symbol, ty) => {
                let address = self.symbol_address(symbol);
                Ok(Typed::place(ty, address))
            }
            Binding::Functions(list) => Ok(Typed {
                ty: Type::new(Kind::Function),
                form: Form::Functions(list),
                origin: Origin::default(),
            }),
            _ => Err(self.sink.error(
                path.span,
                format!("`{name}` is a type, a value is needed here"),
            )),
        }
    }

    /// A member of the object that a member function runs on.
    pub(super) fn own_field(&mut self, name: &str) -> Option<Typed> {
        let (address, id, is_const) = self.frames.last()?.this?;
        let field = self.field(id, name)?;
        let mut object = Type::new(Kind::Struct(id));
        object.is_const = is_const;
        let whole = self.structs.get(id).align;
        Some(self.field_of(&object, address, whole, &field))
    }

    /// A field of an object at an address, which is a multiple of `whole`.
    pub(super) fn field_of(
        &mut self,
        object: &Type,
        address: Value,
        whole: u64,
        field: &crate::types::Field,
    ) -> Typed {
        let at = self.builder.offset(address, field.offset);
        let mut ty = field.ty.clone();
        ty.is_const |= object.is_const;
        ty.is_volatile |= object.is_volatile;
        if let Some(bits) = field.bits {
            let form = Form::Bits(at, bits);
            let origin = Origin::default();
            return Typed { ty, form, origin };
        }
        match ty.kind {
            // A member that is a reference holds an address.
            Kind::Reference(ref to) => {
                let address = self.load_scalar(&ty, at);
                Typed::place((**to).clone(), address)
            }
            _ => {
                let origin = match object.kind {
                    Kind::Struct(id) => member_origin(id, whole, field),
                    _ => Origin::default(),
                };
                Typed::place(ty, at).at(origin)
            }
        }
    }

    fn thread_variable(&mut self, name: &str) -> Res<Option<Typed>> {
        if name == "warpSize" {
            let value = self.builder.u32(32);
            return Ok(Some(Typed::scalar(Scalar::Int, value)));
        }
        let Some((_, register)) = THREAD.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let Some(id) = self.structs.vector("uint3") else {
            return Ok(None);
        };
        let mut ty = Type::new(Kind::Struct(id));
        let address = self.new_slot(&ty);
        for (number, letter) in ["x", "y", "z"].iter().enumerate() {
            let value = self.special(register, letter);
            let at = self.builder.offset(address, 4 * number as u64);
            self.store_scalar(&Type::scalar(Scalar::UInt), at, value);
        }
        ty.is_const = true;
        Ok(Some(Typed::place(ty, address)))
    }

    fn special(&mut self, register: &str, letter: &str) -> Value {
        let ptx = Ptx {
            text: ["mov.u32 \u{1}0\u{2}, ", register, ".", letter, ";"].concat(),
            effect: Effect::Pure,
            is_asm: false,
            begins: Vec::new(),
        };
        self.builder.emit(Op::Ptx(Rc::new(ptx)), &[Ty::B32], [])[0]
    }

    /// The object before `.` or `->`. Members of `threadIdx` and its like are read one by one.
    pub(super) fn member_object(&mut self, object: &Expr, is_arrow: bool) -> Res<Typed> {
        let typed = self.expr(object)?;
        if !is_arrow {
            if let Kind::Pointer(to) = &typed.ty.kind
                && to.is_struct()
            {
                let help = "write `->` instead of `.`";
                return Err(self.sink.error_help(
                    object.span,
                    "this is a pointer to an object",
                    help,
                ));
            }
            return Ok(typed);
        }
        let mut typed = self.decayed(typed);
        while let Kind::Struct(id) = typed.ty.kind
            && self.member_binding(id, "operator->").is_some()
        {
            typed = self.call_operator(&typed, "operator->", Vec::new(), object.span)?;
            typed = self.decayed(typed);
            self.work += 1;
            if self.work > crate::limits::WORK {
                break;
            }
        }
        match typed.ty.kind.clone() {
            Kind::Pointer(to) => {
                let address = self.rvalue(&typed, object.span)?;
                Ok(Typed::place((*to).clone(), address))
            }
            _ => {
                let name = self.spelled(&typed.ty);
                let help = "write `.` instead of `->`";
                Err(self
                    .sink
                    .error_help(object.span, format!("{} is no pointer", an(&name)), help))
            }
        }
    }

    pub(super) fn member_of(&mut self, object: &Typed, name: &str, span: Span) -> Res<Typed> {
        let Kind::Struct(id) = object.ty.kind else {
            let of = self.spelled(&object.ty);
            let message = format!("{} has no members", an(&of));
            return Err(match super::calls::no_member_help(&object.ty) {
                "" => self.sink.error(span, message),
                help => self.sink.error_help(span, message, help),
            });
        };
        let Some(field) = self.field(id, name) else {
            let found = self
                .member_binding(id, name)
                .map(|binding| self.thawed(binding));
            return match found {
                Some(Binding::Typed(typed)) => Ok(typed),
                Some(Binding::Symbol(symbol, ty)) => {
                    let address = self.symbol_address(symbol);
                    Ok(Typed::place(ty, address))
                }
                _ => Err(self.no_member(id, name, span)),
            };
        };
        let Form::Place(address) = object.form else {
            return Err(self.sink.error(span, "this object has no place"));
        };
        let whole = self.place_alignment(object);
        Ok(self.field_of(&object.ty, address, whole, &field))
    }

    pub(super) fn no_member(&mut self, id: StructId, name: &str, span: Span) -> Reported {
        let of = self.structs.get(id);
        if self.is_declared_only(id) {
            let message = format!("`{}` is declared, but not defined", of.name);
            let help = format!("write its members: `struct {} {{ … }};`", of.name);
            return self.sink.error_help(span, message, help);
        }
        let names: Vec<String> = of
            .fields
            .iter()
            .map(|field| field.name.to_string())
            .collect();
        let message = format!("`{}` has no member `{name}`", of.name);
        let near = crate::nearest::nearest(name, names.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its members are {}", names.join(", ")),
        };
        self.sink.error_help(span, message, help)
    }

    fn index(&mut self, object: &Expr, index: &Expr, span: Span) -> Res<Typed> {
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
    pub(super) fn element(
        &mut self,
        address: Value,
        number: &Typed,
        of: &Type,
        is_before: bool,
        span: Span,
    ) -> Res<Value> {
        let number = &self.as_number(number.clone(), span)?;
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
        if let Some(bits) = self.builder.body.constant_or_open(value) {
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
}
