//! Objects of which nothing is said when they begin: by their constructors, or with the values that their members are
//! declared with.

use super::Lower;
use super::initialise::default_of;
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::limits::PARTS;
use crate::source::Span;
use crate::types::{Kind, StructId, Type};

/// What makes an object at an address.
type Constructing<'f, L> = Box<dyn FnOnce(&mut L, Value) -> Res<()> + 'f>;

impl Lower<'_> {
    /// An object of any type.
    pub(super) fn begin(&mut self, ty: &Type, address: Value, span: Span) -> Res<()> {
        match &ty.kind {
            Kind::Struct(id) => self.default_construct(*id, ty, address, span),
            Kind::Array(of, count) if self.begins_with_values(of) => {
                if *count > PARTS as u64 {
                    let what = format!("{count} objects with first values at once");
                    return Err(self.sink.gap(span, what));
                }
                let size = self.structs.size(of);
                for at in 0..*count {
                    let place = self.builder.offset(address, at * size);
                    self.begin(&of.plain(), place, span)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `T()` and `T{}`: where there is no constructor, zeros come first.
    pub(super) fn begin_with_zeros(&mut self, ty: &Type, address: Value, span: Span) -> Res<()> {
        match ty.kind {
            Kind::Struct(id) if self.has_constructor(id) => {
                self.run_constructor(id, address, Vec::new(), span)
            }
            _ => {
                self.zero(ty, address, span)?;
                match self.begins_with_values(ty) {
                    true => self.begin(ty, address, span),
                    false => Ok(()),
                }
            }
        }
    }

    pub(super) fn default_construct(
        &mut self,
        id: StructId,
        ty: &Type,
        address: Value,
        span: Span,
    ) -> Res<()> {
        if self.has_constructor(id) {
            return self.run_constructor(id, address, Vec::new(), span);
        }
        if self.is_dim3(id) {
            return self.initialise_list(ty, address, &[], span);
        }
        if !self.begins_with_values(ty) {
            return Ok(());
        }
        let bases = self.structs.get(id).bases.clone();
        for (base, offset) in bases {
            let of_base = Type::new(Kind::Struct(base));
            let at = self.builder.offset(address, offset);
            self.default_construct(base, &of_base, at, span)?;
        }
        self.put_table(id, address);
        self.begin_fields(id, address, span)
    }

    /// An object by a constructor that its class takes from a base; all but that base begins as if nothing were said.
    pub(super) fn begin_by_base(
        &mut self,
        id: StructId,
        base: StructId,
        address: Value,
        construct: Constructing<'_, Self>,
    ) -> Res<()> {
        let span = self.sink.near;
        let mut construct = Some(construct);
        let bases = self.structs.get(id).bases.clone();
        for (of, offset) in bases {
            let at = self.builder.offset(address, offset);
            let ty = Type::new(Kind::Struct(of));
            let is_it = of == base || self.structs.derives(&ty, &Type::new(Kind::Struct(base)));
            match construct.take_if(|_| is_it) {
                Some(construct) if of == base => construct(self, at)?,
                // It took the constructor from a base of its own.
                Some(construct) => self.begin_by_base(of, base, at, construct)?,
                None => self.default_construct(of, &ty, at, span)?,
            }
        }
        self.put_table(id, address);
        self.begin_fields(id, address, span)
    }

    /// The fields that a struct adds to its bases.
    fn begin_fields(&mut self, id: StructId, address: Value, span: Span) -> Res<()> {
        let of = self.structs.get(id);
        let own = of.fields[of.inherited..].to_vec();
        let Some(syntax) = of.syntax.clone() else {
            return Ok(());
        };
        for field in own {
            let at = self.builder.offset(address, field.offset);
            match default_of(&syntax, &field.name) {
                Some(default) => self.initialise_by(&field.ty, at, &default, span)?,
                None if syntax.is_union || field.bits.is_some() => {}
                None => self.begin(&field.ty, at, span)?,
            }
        }
        Ok(())
    }
}
