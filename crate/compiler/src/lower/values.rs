//! Values and objects: loading, storing and copying.

use super::Lower;
use super::origins::origin_within;
use super::scope::FunctionRef;
use crate::diagnostics::{Res, an};
use crate::ir::{Cache, Cmp, Mem, MemTy, Op, Origin, Space, Symbol, Ty, Value};
use crate::source::Span;
use crate::syntax::Scalar;
use crate::types::{self, Kind, Type};
use std::rc::Rc;

/// Where the value of an expression is.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Value(Value),
    /// An object at this generic address.
    Place(Value),
    Functions(Rc<Vec<FunctionRef>>),
    /// Some bits of a number at this address.
    Bits(Value, types::Bits),
    /// Nothing, or all of it is in the type.
    Nothing,
}

/// The value of an expression with its type.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) ty: Type,
    pub(super) form: Form,
    /// Of a place: what the way on which the source reached it says of it, beyond its type.
    pub(super) origin: Origin,
}

impl Typed {
    pub(super) fn value(ty: Type, value: Value) -> Self {
        Self {
            ty,
            form: Form::Value(value),
            origin: Origin::default(),
        }
    }

    pub(super) fn place(ty: Type, address: Value) -> Self {
        Self {
            ty,
            form: Form::Place(address),
            origin: Origin::default(),
        }
    }

    pub(super) fn at(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    pub(super) fn scalar(scalar: Scalar, value: Value) -> Self {
        Self::value(Type::scalar(scalar), value)
    }

    pub(super) fn void() -> Self {
        Self {
            ty: Type::scalar(Scalar::Void),
            form: Form::Nothing,
            origin: Origin::default(),
        }
    }
}

/// An access to any space.
pub(super) fn access(ty: MemTy, count: u8, is_volatile: bool) -> Mem {
    Mem {
        space: Space::Generic,
        ty,
        count,
        is_volatile,
        is_constant: false,
        cache: Cache::Any,
        origin: Origin::default(),
    }
}

impl Lower<'_> {
    pub(super) fn spelled(&self, ty: &Type) -> String {
        self.structs.spelled(ty)
    }

    /// A new object of the thread's own.
    pub(super) fn new_slot(&mut self, ty: &Type) -> Value {
        let (size, align) = (self.structs.size(ty), self.structs.align(ty));
        self.new_slot_aligned(size, align)
    }

    pub(super) fn new_slot_aligned(&mut self, size: u64, align: u64) -> Value {
        let slot = self.builder.slot(size.max(1), align);
        let local = self.builder.value(Op::Slot(slot), Ty::B64, &[]);
        self.builder
            .value(Op::ToGeneric(Space::Local), Ty::B64, &[local])
    }

    pub(super) fn symbol_address(&mut self, symbol: Symbol) -> Value {
        let space = self.module.symbols[symbol.0 as usize].space;
        let address = self.builder.value(Op::Symbol(symbol), Ty::B64, &[]);
        self.builder
            .value(Op::ToGeneric(space), Ty::B64, &[address])
    }

    /// The value of a scalar or pointer; arrays become pointers to their first element.
    pub(super) fn rvalue(&mut self, typed: &Typed, span: Span) -> Res<Value> {
        match &typed.form {
            Form::Value(value) => Ok(*value),
            Form::Place(address) => match &typed.ty.kind {
                Kind::Array(..) => Ok(*address),
                Kind::Struct(_) => {
                    let name = self.spelled(&typed.ty);
                    Err(self.sink.error(
                        span,
                        format!("a number or pointer is needed here, this is {}", an(&name)),
                    ))
                }
                _ => Ok(self.load_from(&typed.ty, *address, typed.origin)),
            },
            Form::Functions(_) => Err(self.sink.error_help(
                span,
                "this is a function, not its value",
                "call it with `()`",
            )),
            Form::Bits(address, bits) => {
                let read = self.bits_value(&typed.ty, *address, *bits);
                self.rvalue(&read, span)
            }
            Form::Nothing => Err(self.sink.error(span, "this has no value")),
        }
    }

    /// The same with arrays as pointers.
    pub(super) fn decayed(&mut self, typed: Typed) -> Typed {
        match (&typed.ty.kind, &typed.form) {
            (Kind::Array(of, _), Form::Place(address)) => {
                let mut of = of.clone();
                if (typed.ty.is_const && !of.is_const) || (typed.ty.is_volatile && !of.is_volatile)
                {
                    let of = Rc::make_mut(&mut of);
                    of.is_const |= typed.ty.is_const;
                    of.is_volatile |= typed.ty.is_volatile;
                }
                Typed::value(Type::new(Kind::Pointer(of)), *address)
            }
            (_, Form::Bits(address, bits)) => self.bits_value(&typed.ty, *address, *bits),
            _ => typed,
        }
    }

    pub(super) fn load_scalar(&mut self, ty: &Type, address: Value) -> Value {
        self.load_from(ty, address, Origin::default())
    }

    fn load_from(&mut self, ty: &Type, address: Value, origin: Origin) -> Value {
        let mem = self.access_at(ty, origin);
        let found = self.builder.load(mem, address)[0];
        self.value_in_memory(ty, found)
    }

    /// A register as it is loaded, as a value of the type.
    pub(super) fn value_in_memory(&mut self, ty: &Type, found: Value) -> Value {
        if ty.register() == Some(Ty::Pred) {
            let zero = self.builder.u32(0);
            return self.builder.cmp(Cmp::Ne, found, zero);
        }
        found
    }

    pub(super) fn memory_form(&mut self, value: Value) -> Value {
        if self.builder.body.ty(value) == Ty::Pred {
            let (one, zero) = (self.builder.u32(1), self.builder.u32(0));
            return self.builder.select(value, one, zero);
        }
        value
    }

    pub(super) fn store_scalar(&mut self, ty: &Type, address: Value, value: Value) {
        self.store_to(ty, address, Origin::default(), value);
    }

    pub(super) fn store_to(&mut self, ty: &Type, address: Value, origin: Origin, value: Value) {
        let value = self.memory_form(value);
        let mem = self.access_at(ty, origin);
        self.builder.store(mem, address, &[value]);
    }

    /// An access to a scalar; where nothing more is said of its place, it lies as its type does.
    fn access_at(&self, ty: &Type, origin: Origin) -> Mem {
        let mut mem = access(ty.mem().unwrap_or(MemTy::B32), 1, ty.is_volatile);
        mem.origin = Origin {
            align: origin.align.max(mem.ty.bytes() as u16),
            ..origin
        };
        mem
    }

    /// Puts a converted value or a copy of an object at an address.
    pub(super) fn store(&mut self, ty: &Type, address: Value, from: &Typed, span: Span) -> Res<()> {
        self.store_at(&Typed::place(ty.clone(), address), address, from, span)
    }

    /// The same at a place whose address is at hand.
    pub(super) fn store_at(
        &mut self,
        place: &Typed,
        address: Value,
        from: &Typed,
        span: Span,
    ) -> Res<()> {
        let ty = &place.ty;
        if ty.is_aggregate() {
            if ty.kind != from.ty.kind && !self.structs.derives(&from.ty, ty) {
                if from.ty.is_struct() && self.conversion_of(&from.ty, ty).is_some() {
                    let converted = self.converted(from, ty, span)?;
                    return self.store_at(place, address, &converted, span);
                }
                if let Kind::Struct(id) = ty.kind
                    && self.takes_one(id)
                {
                    return self.constructed_from(id, address, from, span);
                }
                return Err(self.mismatch(&from.ty, ty, span));
            }
            let Form::Place(source) = from.form else {
                return Err(self.mismatch(&from.ty, ty, span));
            };
            let offset = self.structs.base_offset(&from.ty, ty).unwrap_or(0);
            let source = self.builder.offset(source, offset);
            self.copy(ty, address, source, from.ty.is_volatile, span)?;
            if let (Kind::Struct(id), true) = (&ty.kind, ty.kind != from.ty.kind) {
                self.put_table(*id, address); // a base alone
            }
            return Ok(());
        }
        if let (Kind::Closure(a), Kind::Closure(b)) = (&ty.kind, &from.ty.kind)
            && a == b
        {
            return Ok(()); // all of it is in the type
        }
        let value = self.convert(from, ty, span)?;
        self.store_to(ty, address, place.origin, value);
        Ok(())
    }

    /// Copies an object, with wide accesses where its type is aligned for them.
    pub(super) fn copy(
        &mut self,
        ty: &Type,
        to: Value,
        from: Value,
        from_volatile: bool,
        span: Span,
    ) -> Res<()> {
        let Some(parts) = self.structs.parts(ty) else {
            return Err(self
                .sink
                .gap(span, "copying an object of so many parts at once"));
        };
        let mut loaded = Vec::new();
        for part in &parts {
            let address = self.builder.offset(from, part.offset);
            let mut mem = access(part.ty, part.count, from_volatile);
            mem.origin = origin_within(self.structs.align(ty), part.offset);
            loaded.push(self.builder.load(mem, address));
        }
        for (part, values) in parts.iter().zip(loaded) {
            let address = self.builder.offset(to, part.offset);
            let mut mem = access(part.ty, part.count, ty.is_volatile);
            mem.origin = origin_within(self.structs.align(ty), part.offset);
            self.builder.store(mem, address, &values);
        }
        self.check_instructions(span)
    }

    pub(super) fn check_instructions(&mut self, span: Span) -> Res<()> {
        use crate::limits::INSTRUCTIONS;
        if self.builder.body.insts.len() <= INSTRUCTIONS {
            return Ok(());
        }
        let message = format!(
            "with its calls inlined and its loops unrolled the kernel has more than {INSTRUCTIONS} instructions"
        );
        Err(self.sink.error_help(
            span,
            message,
            "put `#pragma unroll 1` before its largest loops",
        ))
    }

    pub(super) fn constant_of(&self, typed: &Typed) -> Option<u64> {
        match typed.form {
            Form::Value(value) => self.builder.body.constant(value),
            _ => None,
        }
    }

    /// What a place's address is a multiple of.
    pub(super) fn place_alignment(&self, place: &Typed) -> u64 {
        u64::from(place.origin.align).max(self.structs.align(&place.ty))
    }

    pub(super) fn truth(&mut self, typed: &Typed, span: Span) -> Res<Value> {
        if let Form::Functions(_) = typed.form {
            return Err(self.sink.error_help(
                span,
                "a function is no condition",
                "call it with `()`",
            ));
        }
        self.convert(typed, &Type::scalar(Scalar::Bool), span)
    }
}

/// Whether two types are the same but for their qualifiers.
pub(super) fn same_plain(a: &Type, b: &Type) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Pointer(a), Kind::Pointer(b)) | (Kind::Reference(a), Kind::Reference(b)) => {
            same_plain(a, b)
        }
        (Kind::Array(a, n), Kind::Array(b, m)) => n == m && same_plain(a, b),
        (a, b) => a == b,
    }
}
