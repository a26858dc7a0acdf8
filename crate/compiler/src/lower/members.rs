//! What stands in a struct besides plain fields: types, static members, fields of some bits, members without a name, and
//! functions that are defined outside.

use super::Lower;
use super::scope::{Binding, FunctionRef, Scope};
use super::structs::member_key;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::{Bin, Space, Value};
use crate::source::Span;
use crate::syntax::{
    Expr, Function, Init, MemberType, StructSyntax, TemplateParameter, TypeKind, Variable,
};
use crate::types::{self, Bits, Field, Kind, StructId, Type};
use std::rc::Rc;

/// A function that a struct declares, as it is defined behind the struct; the names that its template has there become known.
pub(super) fn defined_outside(
    syntax: &StructSyntax,
    declared: &Rc<Function>,
    scope: &mut Scope,
) -> Rc<Function> {
    let defined = syntax.defined.borrow();
    let same = |other: &&Rc<Function>| {
        member_key(other.is_constructor, &other.name)
            == member_key(declared.is_constructor, &declared.name)
            && other.is_const == declared.is_const
            && other.parameters.len() == declared.parameters.len()
    };
    // Of several with as many parameters, the one that stands at the same place among them.
    let number = syntax
        .functions
        .iter()
        .filter(|other| other.body.is_none() && same(other))
        .position(|other| Rc::ptr_eq(other, declared));
    let Some(found) = defined.iter().filter(same).nth(number.unwrap_or(0)) else {
        return declared.clone();
    };
    let own = syntax.template.iter().flatten();
    for (own, outside) in own.zip(&found.outer) {
        if let Some(binding) = scope.names.get(own.name()).cloned() {
            scope.names.get_or_insert(outside.name(), binding);
        }
    }
    found.clone()
}

/// Lets a field of some bits lie in the widest number up to 32 bits, so that its neighbours lie in the same.
pub(super) fn widen_unit(field: &mut Field, align: u64, size: u64) {
    let Some(bits) = &mut field.bits else { return };
    let unit = align.min(4);
    let at = 8 * field.offset + bits.first;
    let start = at / (8 * unit) * unit;
    let fits = at + bits.width <= 8 * (start + unit) && start + unit <= size;
    if bits.unit < unit && fits {
        field.offset = start;
        (bits.first, bits.unit) = (at - 8 * start, unit);
    }
}

impl Lower<'_> {
    /// Functions that a template's struct defines though they are no members: those of each instance stand beside the others.
    #[inline(never)]
    pub(super) fn add_friends(&mut self, syntax: &StructSyntax, id: StructId) {
        for function in &syntax.friends {
            let made = FunctionRef {
                function: function.clone(),
                of: Some(id),
            };
            let none = Binding::Functions(Rc::default());
            let found = self.globals.names.get_or_insert(&function.name, none);
            if let Binding::Functions(list) = found {
                Rc::make_mut(list).push(made);
            }
        }
    }

    /// A name that a struct gives to a type, or a function's name that it takes from its bases.
    #[inline(never)]
    pub(super) fn member_type(&mut self, of: &MemberType, id: StructId) -> Res<()> {
        match of {
            MemberType::Alias(name, ty, None) => {
                let ty = self.type_of(ty)?;
                self.bind(name, Binding::Type(ty));
            }
            MemberType::Alias(name, ty, Some(parameters)) => {
                let alias = Rc::new((parameters.clone(), ty.clone()));
                self.bind(name, Binding::AliasTemplate(alias));
            }
            MemberType::Type(ty) => match &ty.kind {
                TypeKind::Struct(made) if made.special.is_some() => {
                    let what = "a special case of a template within a struct";
                    return Err(self.sink.gap(ty.span, what));
                }
                TypeKind::Struct(made) if made.template.is_some() => {
                    self.bind(&made.name, Binding::StructTemplate(made.clone()));
                }
                _ => {
                    self.type_of(ty)?;
                }
            },
            MemberType::Using(name) => {
                let bases = self.structs.get(id).bases.clone();
                let mut all = Vec::new();
                for (base, _) in bases {
                    if let Some(Binding::Functions(list)) = self.member_binding(base, name) {
                        all.extend(list.iter().cloned());
                    }
                }
                let Some(scope) = self.frame().scopes.last_mut() else {
                    return Ok(());
                };
                if let Some(Binding::Functions(own)) = scope.names.get(name) {
                    all.extend(own.iter().cloned());
                }
                if !all.is_empty() {
                    scope
                        .names
                        .insert(name.clone(), Binding::Functions(Rc::new(all)));
                }
            }
        }
        Ok(())
    }

    /// A static member with the value that it gets outside of its struct; the names that its template has there become known.
    fn value_outside(&mut self, variable: &Variable, id: StructId) -> Option<Variable> {
        let syntax = self.structs.get(id).syntax.clone()?;
        let values = syntax.values.borrow();
        let is_it = |(_, value): &&(Vec<TemplateParameter>, Variable)| value.name == variable.name;
        let (outer, value) = values.iter().find(is_it)?;
        if !matches!(variable.init, Init::None) || matches!(value.init, Init::None) {
            return None;
        }
        for (own, outside) in syntax.template.iter().flatten().zip(outer) {
            if let Some(binding) = self.local(own.name()).cloned() {
                self.bind(outside.name(), binding);
            }
        }
        Some(Variable {
            init: value.init.clone(),
            ..variable.clone()
        })
    }

    /// A member that all objects share: a constant.
    #[inline(never)]
    pub(super) fn static_member(
        &mut self,
        variable: &Variable,
        ty: &Type,
        id: StructId,
    ) -> Res<()> {
        let outside = self.value_outside(variable, id);
        let variable = outside.as_ref().unwrap_or(variable);
        let is_known = ty.is_const || variable.is_constexpr;
        if !is_known {
            let message = format!(
                "the static member `{}` lies in the host's memory, which no kernel reaches",
                variable.name
            );
            let help = "declare a `__device__` variable outside of the struct; members that never change can be `static constexpr`";
            self.sink.error_help(variable.span, message, help);
            // The struct itself is known, so that what follows is read.
            let symbol = self.symbol(variable, ty, Space::Global, None)?;
            self.bind(&variable.name, Binding::Symbol(symbol, ty.clone()));
            return Ok(());
        }
        if matches!(variable.init, Init::None) {
            let what = "a static member without a value";
            return Err(self.sink.gap(variable.span, what));
        }
        if !ty.is_aggregate() {
            let value = self.initial_value(variable, ty)?;
            if let Some(frozen) = self.frozen(&Binding::Typed(value)) {
                self.bind(&variable.name, frozen);
            }
            return Ok(());
        }
        let bytes = self.constant_bytes(variable, ty)?;
        let name = format!("{}_{}", self.structs.get(id).name, variable.name);
        let plain: String = name
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
        let own_name = variable.name.clone();
        let mut variable = variable.clone();
        variable.name = format!("{plain}_{}", self.module.symbols.len()).into();
        variable.is_constexpr = true;
        let symbol = self.symbol(&variable, ty, Space::Global, Some(bytes))?;
        let mut ty = ty.clone();
        ty.is_const = true;
        self.bind(&own_name, Binding::Symbol(symbol, ty));
        Ok(())
    }

    /// Places a field of some bits behind this bit: the bit behind it, and the field if it has a name.
    #[inline(never)]
    pub(super) fn bits_of(
        &mut self,
        variable: &Variable,
        ty: &Type,
        width: &Expr,
        start: u64,
        is_union: bool,
    ) -> Res<(u64, Option<Field>)> {
        let Some(scalar) = ty.as_integer() else {
            let message = "only whole numbers can have some bits";
            return Err(self.sink.error(variable.span, message));
        };
        if !matches!(variable.init, Init::None) {
            let what = "a first value of a member of some bits";
            return Err(self.sink.gap(variable.span, what));
        }
        let bytes = types::scalar_bytes(scalar);
        let most = if scalar == crate::syntax::Scalar::Bool {
            1
        } else {
            8 * bytes
        };
        let (width, _) = self.constant_integer(width)?;
        let has_name = !variable.name.starts_with('(');
        if width > most || (width == 0 && has_name) {
            let message = format!("a member of this type has 1 to {most} bits");
            return Err(self.sink.error(variable.span, message));
        }
        let start = if is_union { 0 } else { start };
        if width == 0 {
            return Ok((start.next_multiple_of(8 * bytes), None));
        }
        // It lies within one number of its type.
        let number = start / (8 * bytes);
        let start = match start + width > (number + 1) * 8 * bytes {
            true => (number + 1) * 8 * bytes,
            false => start,
        };
        let offset = start / (8 * bytes) * bytes;
        let bits = Bits {
            unit: bytes,
            first: start - 8 * offset,
            width,
        };
        let field = Field {
            name: variable.name.clone(),
            ty: ty.clone(),
            offset,
            bits: Some(bits),
        };
        Ok((start + width, has_name.then_some(field)))
    }

    /// Makes the members of a member without a name known as the struct's own.
    #[inline(never)]
    pub(super) fn open_unnamed(
        &mut self,
        variable: &Variable,
        ty: &Type,
        offset: u64,
        id: StructId,
    ) {
        let (Kind::Struct(of), true) = (&ty.kind, variable.name.starts_with("(unnamed")) else {
            return;
        };
        let of = self.structs.get(*of);
        let mut all: Vec<Field> = of.inner.iter().chain(&of.fields).cloned().collect();
        for field in &mut all {
            field.offset += offset;
        }
        self.structs.list[id.0 as usize].inner.extend(all);
    }

    /// The value of some bits of a number in memory, as what it becomes when it is computed with.
    #[inline(never)]
    pub(super) fn bits_value(&mut self, ty: &Type, address: Value, bits: Bits) -> Typed {
        use crate::syntax::Scalar;
        let scalar = ty.as_integer().unwrap_or(Scalar::UInt);
        let enumeration = matches!(ty.kind, crate::types::Kind::Enum(..)).then(|| ty.plain());
        let mem = super::values::access(types::unit_in_memory(bits.unit), 1, ty.is_volatile);
        let found = self.builder.load(mem, address)[0];
        let register = self.builder.body.ty(found);
        let all = u64::from(register.bits());
        let is_signed = types::is_signed(scalar);
        let left = self.shift_count(register, all - bits.first - bits.width);
        let right = self.shift_count(register, all - bits.width);
        let high = self.builder.bin(Bin::Shl, found, left);
        let shift = if is_signed { Bin::ShrS } else { Bin::ShrU };
        let mut value = self.builder.bin(shift, high, right);
        let is_wide = types::scalar_bytes(scalar) == 8;
        match (register.bits(), is_wide) {
            (64, false) => {
                value = self
                    .builder
                    .cvt(crate::ir::Cvt::Truncate, crate::ir::Ty::B32, value);
            }
            (32, true) => {
                let cvt = match is_signed {
                    true => crate::ir::Cvt::SignExtend,
                    false => crate::ir::Cvt::ZeroExtend,
                };
                value = self.builder.cvt(cvt, crate::ir::Ty::B64, value);
            }
            _ => {}
        }
        if scalar == Scalar::Bool {
            let zero = self.builder.u32(0);
            let is = self.builder.cmp(crate::ir::Cmp::Ne, value, zero);
            return Typed::scalar(Scalar::Bool, is);
        }
        if let Some(ty) = enumeration {
            return Typed::value(ty, value);
        }
        // What fits into an `int` becomes one.
        let becomes_int = !is_wide && (bits.width < 32 || is_signed);
        let scalar = if becomes_int { Scalar::Int } else { scalar };
        Typed::scalar(scalar, value)
    }

    fn shift_count(&mut self, register: crate::ir::Ty, count: u64) -> Value {
        self.builder.constant(register, count)
    }

    /// Puts a value into some bits of a number in memory.
    #[inline(never)]
    pub(super) fn store_bits(
        &mut self,
        ty: &Type,
        address: Value,
        bits: Bits,
        from: &Typed,
        span: Span,
    ) -> Res<()> {
        let value = self.convert(from, &ty.plain(), span)?;
        let value = self.memory_form(value);
        let mem = super::values::access(types::unit_in_memory(bits.unit), 1, ty.is_volatile);
        let register = mem.ty.ty();
        let value = match (self.builder.body.ty(value).bits(), register.bits()) {
            (32, 64) => self
                .builder
                .cvt(crate::ir::Cvt::ZeroExtend, register, value),
            (64, 32) => self.builder.cvt(crate::ir::Cvt::Truncate, register, value),
            _ => value,
        };
        let mask = u64::MAX >> (64 - bits.width) << bits.first;
        let known = self.builder.load(mem, address)[0];
        let others = self.builder.constant(register, !mask & register.mask());
        let kept = self.builder.bin(Bin::And, known, others);
        let first = self.shift_count(register, bits.first);
        let placed = self.builder.bin(Bin::Shl, value, first);
        let own = self.builder.constant(register, mask & register.mask());
        let placed = self.builder.bin(Bin::And, placed, own);
        let both = self.builder.bin(Bin::Or, kept, placed);
        self.builder.store(mem, address, &[both]);
        Ok(())
    }
}
