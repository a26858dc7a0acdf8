//! Calls of virtual functions: of the object's class where it is known, else of what its table says.

use super::Lower;
use super::overloads::{Chosen, Given};
use super::scope::FunctionRef;
use super::values::{Form, Typed};
use super::virtuals::{Virtual, is_pure};
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::source::Span;
use crate::syntax::{DESTRUCTOR, Scalar};
use crate::types::{Kind, StructId, Type};

impl Lower<'_> {
    /// Calls the function of an object's class; none where the one that was chosen is not virtual.
    #[inline(never)]
    pub(super) fn call_virtual<'e>(
        &mut self,
        chosen: &Chosen,
        object: &Typed,
        given: &[Given<'e>],
        span: Span,
    ) -> Option<Res<Typed>> {
        let (Kind::Struct(_), Form::Place(address)) = (&object.ty.kind, &object.form) else {
            return None;
        };
        let (of, address) = (chosen.function.of?, *address);
        let (number, entry) = self.entry(of, &chosen.function.function)?;
        let class = self.class_of(address);
        if let Some(class) = class
            && let Some(own) = self.virtuals.tables.get(&class)
            && let Some(own) = own.get(number).cloned()
        {
            if is_pure(&own.function) {
                let message = format!(
                    "`{}` is called before an object of a class that has it is there",
                    own.function.function.name
                );
                return Some(Err(self.sink.error(span, message)));
            }
            return Some(self.call_own(&own.function, address, object.ty.is_const, given, span));
        }
        let all = self.overriders(of, number);
        let offset = self
            .structs
            .base_offset(&object.ty, &Type::new(Kind::Struct(of)));
        let address = self.builder.offset(address, offset.unwrap_or(0));
        let is_const = object.ty.is_const;
        Some(self.call_one_of(chosen, address, is_const, entry, &all, given, span))
    }

    /// Calls the function whose number stands in an object's table.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn call_one_of(
        &mut self,
        chosen: &Chosen,
        address: Value,
        is_const: bool,
        entry: u64,
        all: &[(u64, FunctionRef, StructId)],
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let number = self.number_in_table(address, entry);
        let function = chosen.function.function.clone();
        let (types, _) = self.in_environment(Vec::new(), chosen.function.of, |lower| {
            let mut types = vec![lower.type_of(&function.returns)?.plain()];
            for parameter in &function.parameters {
                types.push(lower.type_of(&parameter.ty)?);
            }
            Ok(types)
        });
        let types = types?;
        let mut given = given.to_vec();
        self.settle_numbers(&mut given, &types[1..])?;
        let numbers: Vec<u64> = all.iter().map(|(number, ..)| *number).collect();
        self.try_each(number, &types[0], &numbers, span, &mut |lower, at| {
            lower.call_own(&all[at].1, address, is_const, &given, span)
        })
    }

    /// Lets an object end whose class is known by its table only, and gives its memory back where it comes from `new`.
    #[inline(never)]
    pub(super) fn end_virtual(&mut self, object: &Typed, span: Span) -> Option<Res<()>> {
        let (Kind::Struct(id), Form::Place(address)) = (&object.ty.kind, &object.form) else {
            return None;
        };
        let (id, address) = (*id, *address);
        let table = self.virtuals.tables.get(&id)?.clone();
        let is_end = |one: &Virtual| &*one.function.function.name == DESTRUCTOR;
        let function = table
            .iter()
            .find(|one| is_end(one))?
            .function
            .function
            .clone();
        let (number, entry) = self.entry(id, &function)?;
        let all = self.overriders(id, number);
        let number = self.number_in_table(address, entry + 1);
        let numbers: Vec<u64> = all.iter().map(|(number, ..)| *number).collect();
        let void = Type::scalar(Scalar::Void);
        let ended = self.try_each(number, &void, &numbers, span, &mut |lower, at| {
            let ty = Type::new(Kind::Struct(all[at].2));
            lower.destroy(&Typed::place(ty, address), span)?;
            lower.give_back(address);
            Ok(Typed::void())
        });
        Some(ended.map(|_| ()))
    }

    fn call_own(
        &mut self,
        function: &FunctionRef,
        address: Value,
        is_const: bool,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let mut ty = Type::new(Kind::Struct(function.of.unwrap_or(StructId(0))));
        ty.is_const = is_const;
        let object = Some(Typed::place(ty, address));
        let chosen = super::callees::found(function);
        self.inline(chosen, object, given.to_vec(), span)
    }

    /// The number that stands in an object's table.
    fn number_in_table(&mut self, address: Value, entry: u64) -> Value {
        let word = Type::scalar(Scalar::ULong);
        let table = self.load_scalar(&word, address);
        let at = self.builder.offset(table, 8 * entry);
        self.load_scalar(&word, at)
    }
}
